#include "torsor/analysis/comparison.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "torsor/base/linear_algebra.hpp"

namespace torsor {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double none = std::numeric_limits<double>::infinity();

using Row = Eigen::Map<const Eigen::VectorXd>;
Row as_vector(std::span<const double> x) {
  return {x.data(), Eigen::Index(x.size())};
}
// Returns the 2-norm of x. Intermediate results do not overflow or underflow.
double norm_of(std::span<const double> x) {
  return x.empty() ? 0 : as_vector(x).stableNorm();
}
double dot_of(const double* a, const double* b, int n) {
  return Row(a, n).dot(Row(b, n));
}

// Returns the error relative to the size. Increases the size if necessary, so that an error of up
// to 16 eps `terms` is within the allowed limit.
Disagreement relative(double error, double size, double terms, double allowed) {
  const double scale = std::max(size, 16 * eps / allowed * terms);
  if (error == 0) return {0, allowed};
  if (!std::isfinite(error) || !std::isfinite(scale)) return {none, allowed};
  return {error / scale, allowed};
}

}  // namespace

double tolerance(double cond) {
  return std::isfinite(cond) ? std::max(agreement, 10 * cond * eps) : agreement;
}

Disagreement compare_entries(std::span<const double> a, std::span<const double> b, double terms,
                             double allowed) {
  assert(a.size() == b.size());
  double error = 0;
  for (size_t k = 0; k < a.size(); ++k) {
    const double off = std::abs(a[k] - b[k]);
    if (!(off <= error)) error = off;  // true for NaN too
    if (std::isnan(off)) break;
  }
  return relative(error, std::max(norm_of(a), norm_of(b)), terms, allowed);
}

Disagreement compare_accelerations(std::span<const double> a, std::span<const double> b,
                                   double cond, double terms) {
  assert(a.size() == b.size());
  double error = 0;
  for (size_t k = 0; k < a.size(); ++k) error = std::hypot(error, a[k] - b[k]);
  return relative(error, std::max(norm_of(a), norm_of(b)), terms, tolerance(cond));
}

Disagreement compare_motion(std::span<const double> M_vdot, std::span<const double> b,
                            std::span<const double> tau, double terms, double allowed) {
  double error = 0;
  for (size_t k = 0; k < tau.size(); ++k) error = std::hypot(error, M_vdot[k] + b[k] - tau[k]);
  return relative(error, std::max({norm_of(M_vdot), norm_of(b), norm_of(tau)}), terms, allowed);
}

Disagreement compare_inverse(std::span<const double> M, std::span<const double> Minv, double cond) {
  const int n = int(std::lround(std::sqrt(double(M.size()))));
  using Matrix =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  const Matrix A(M.data(), n, n), B(Minv.data(), n, n);
  const double allowed = tolerance(cond * std::max(1.0, n / 10.0));
  double error = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double off = std::abs(A.row(i).dot(B.col(j)) - (i == j));
      if (!std::isfinite(off)) return {none, allowed};
      error = std::max(error, off);
    }
  return relative(error, 1, 0, allowed);
}

namespace {

struct Comparable {
  Quantity asked;
  Agreement agreement;
};
// The compared results, indexed by Compared.
constexpr auto comparables = [] {
  std::array<Comparable, n_compared> out{};
  size_t k = 0;
  for (const QuantityRow& row : quantities)
    for (const Agreement& agreement : row.agreements)
      if (agreement.name) out[k++] = {row.quantity, agreement};
  return out;
}();
struct Answer {
  Status status;
  std::vector<double> x;
};

// The results of one solver for one state.
struct Answers {
  Answer asked[n_quantities];    // indexed by Quantity
  Answer load;                   // inverse dynamics at vdot = 0, with wrenches
  std::vector<double> Cv, Mdot;  // set only if C is available
  // Condition number of M, and the eigenvalue of M that is smallest in magnitude.
  double cond = none, smallest_eigenvalue;
  double motion_terms;              // size of the terms of M vdot + b - tau
  bool through_Minv[n_quantities];  // true if derived from forward dynamics alone

  const Answer& operator[](Quantity q) const { return asked[int(q)]; }
  Answer& operator[](Quantity q) { return asked[int(q)]; }
};

bool is_singular(Status status) {
  return TORSOR_STATUS_CODE(status.value) == TORSOR_SINGULAR;
}

}  // namespace

const char* name(Compared quantity) {
  return comparables[size_t(quantity)].agreement.name;
}
const char* description(Compared quantity) {
  return comparables[size_t(quantity)].agreement.description;
}

std::string explain(const Disagreement& broken, const std::string& failure) {
  if (!failure.empty()) return "cannot be compared: " + failure;
  return fmt::format("disagrees by {:.1e}; {:.1e} is allowed", broken.value, broken.allowed);
}

struct Comparison::Impl {
  std::vector<Solver> solvers;
  int n;
  TermSizes sizes;
  std::vector<Answers> answers;
  std::vector<double> zero, tau;
  mutable std::vector<double> M_vdot;
  double terms[n_compared] = {};

  explicit Impl(std::vector<Solver> s)
      : solvers(std::move(s)), n(solvers.front().model().n_v), sizes(solvers.front().model()) {
    zero.assign(n, 0.0);
    tau = M_vdot = zero;
    for (const Solver& solver : solvers) {
      Answers& a = answers.emplace_back();
      for (const Quantity q : all_quantities) {
        if (!row_of(q).agreements[0].name) continue;
        a[q].x.assign(entries(q, n), 0.0);
        a.through_Minv[int(q)] = solver.capability(Quantity::inverse) == Capability::derived &&
                                 solver.capability(q) == Capability::derived &&
                                 q != Quantity::inverse_mass_matrix;
      }
      a.load.x = a.Cv = zero;
      a.Mdot.assign(size_t(n) * n, 0.0);
    }
  }

  void ask(Solver& solver, Answers& a, const State& state, std::span<const double> vdot) {
    for (const Quantity q : all_quantities)
      if (!a[q].x.empty())
        a[q].status = solver.evaluate(
            q, state, given_of(q, vdot, std::span<const double>(tau)).data(), a[q].x.data());
    a.load.status = solver.inverse(state, zero.data(), a.load.x.data());
    if (a[Quantity::coriolis_matrix].status) from_coriolis(a, state);
    condition(a);
    a.motion_terms =
        norm_of(tau) +
        sizes.torque(
            state,
            {.v = state.v, .vdot = a[Quantity::forward].x, .gravity = true, .wrenches = true});
  }

  void from_coriolis(Answers& a, const State& state) const {
    const double* C = a[Quantity::coriolis_matrix].x.data();
    for (int i = 0; i < n; ++i) {
      a.Cv[i] = dot_of(C + i * n, state.v.data(), n);
      for (int j = 0; j < n; ++j) a.Mdot[i * n + j] = C[i * n + j] + C[j * n + i];
    }
  }

  void condition(Answers& a) {
    a.cond = a.smallest_eigenvalue = none;
    if (!a[Quantity::mass_matrix].status || n == 0) return;
    const auto eigenvalues = symmetric_eigenvalues(a[Quantity::mass_matrix].x);
    if (!eigenvalues) return;
    const auto [least, largest] =
        std::ranges::minmax(*eigenvalues, {}, [](double x) { return std::abs(x); });
    a.smallest_eigenvalue = std::abs(least);
    a.cond = std::abs(largest / least);
  }

  void measure(const State& state, std::span<const double> vdot) {
    for (size_t k = 0; k < n_compared; ++k) {
      const AgreementTerms& given = comparables[k].agreement.terms;
      if (comparables[k].agreement.rule == AgreementRule::rate)
        terms[k] = 2 * sizes.coriolis(state);
      else if (given.any())
        terms[k] = sizes.torque(
            state, {.v = given.v ? std::span<const double>(state.v) : std::span<const double>(),
                    .vdot = given.vdot ? vdot : std::span<const double>(),
                    .gravity = given.gravity,
                    .wrenches = given.wrenches});
    }
  }

  // Returns the results with the smaller cond(M). A solver with a wrong M then cannot relax its own
  // limits.
  const Answers& conditioned(int a, int b) const {
    return answers[answers[a].cond <= answers[b].cond ? a : b];
  }

  double allowed(int a, int b, Quantity q) const {
    const bool through = answers[a].through_Minv[int(q)] || answers[b].through_Minv[int(q)];
    return through ? tolerance(conditioned(a, b).cond) : agreement;
  }

  // Checks the accelerations of solver b in the equation of motion of solver a.
  Disagreement motion(int a, int b) const {
    const Answers &x = answers[a], &y = answers[b];
    const double* M = x[Quantity::mass_matrix].x.data();
    for (int i = 0; i < n; ++i) M_vdot[i] = dot_of(M + i * n, y[Quantity::forward].x.data(), n);
    const double softened =
        std::max(allowed(a, a, Quantity::mass_matrix), allowed(a, a, Quantity::inverse));
    return compare_motion(M_vdot, x.load.x, tau, y.motion_terms, softened);
  }

  // Returns the worse one of judge(a, b) and judge(b, a). Each check combines M of the first solver
  // with a result of the second. Omits a check if the first solver has no M or no bias. If neither
  // check is possible, the disagreement is infinite.
  template <class Judge>
  Disagreement crossed(int a, int b, const Judge& judge) const {
    Disagreement worst{none, agreement};
    bool any = false;
    for (const auto& [x, y] : {std::pair{a, b}, std::pair{b, a}}) {
      if (!answers[x][Quantity::mass_matrix].status || !answers[x].load.status) continue;
      const Disagreement one = judge(x, y);
      if (!any || one.fraction() > worst.fraction()) worst = one;
      any = true;
    }
    return worst;
  }

  Disagreement compare(int a, int b, Compared quantity) const {
    const Answers &x = answers[a], &y = answers[b];
    const Quantity q = comparables[size_t(quantity)].asked;
    const Answers& conditions = conditioned(a, b);
    const double size = terms[int(quantity)];
    switch (comparables[size_t(quantity)].agreement.rule) {
      case AgreementRule::acceleration: {
        const double solved = norm_of(tau) + norm_of(conditions.load.x);
        return compare_accelerations(
            x[q].x, y[q].x, conditions.cond,
            std::isfinite(conditions.cond) ? solved / conditions.smallest_eigenvalue : 0);
      }
      case AgreementRule::motion:
        return crossed(a, b, [&](int i, int j) { return motion(i, j); });
      case AgreementRule::inverse:
        return crossed(a, b, [&](int i, int j) {
          return compare_inverse(answers[i][Quantity::mass_matrix].x, answers[j][q].x,
                                 conditions.cond);
        });
      case AgreementRule::product:
        return compare_entries(x.Cv, y.Cv, size, allowed(a, b, q));
      case AgreementRule::rate:
        return compare_entries(x.Mdot, y.Mdot, size, allowed(a, b, q));
      case AgreementRule::entries:
        break;
    }
    return compare_entries(x[q].x, y[q].x, size, allowed(a, b, q));
  }

  // Returns the disagreement if at least one of the solvers fails.
  Disagreement failed(int a, int b, Quantity q) const {
    const Status s = answers[a][q].status, t = answers[b][q].status;
    const auto excused = [&](int failing, int other) {
      return answers[failing].through_Minv[int(q)] &&
             answers[other][Quantity::forward].status.value == answers[failing][q].status.value;
    };
    const bool same = is_singular(s ? t : s) && (s   ? excused(b, a)
                                                 : t ? excused(a, b)
                                                     : s.value == t.value);
    if (same) return {.singular = true};
    return {none, agreement};
  }
};

Comparison::Comparison(std::vector<Solver> solvers)
    : impl_(std::make_unique<Impl>(std::move(solvers))) {}
Comparison::~Comparison() = default;
Comparison::Comparison(Comparison&&) noexcept = default;

std::vector<Solver>& Comparison::solvers() {
  return impl_->solvers;
}
const std::vector<Solver>& Comparison::solvers() const {
  return impl_->solvers;
}

void Comparison::ask(const State& state, std::span<const double> vdot,
                     std::span<const double> tau) {
  for (size_t k = 0; k < impl_->solvers.size(); ++k) ask(int(k), state, vdot, tau);
}

void Comparison::ask(int solver, const State& state, std::span<const double> vdot,
                     std::span<const double> tau) {
  std::copy(tau.begin(), tau.end(), impl_->tau.begin());
  impl_->measure(state, vdot);
  impl_->ask(impl_->solvers[solver], impl_->answers[solver], state, vdot);
}

Disagreement Comparison::between(int a, int b, Compared quantity) const {
  const Quantity q = comparables[size_t(quantity)].asked;
  const bool both = impl_->answers[a][q].status && impl_->answers[b][q].status;
  return both ? impl_->compare(a, b, quantity) : impl_->failed(a, b, q);
}

std::string Comparison::failure(int solver, Compared quantity) const {
  const Status status = impl_->answers[solver][comparables[size_t(quantity)].asked].status;
  return status ? "" : impl_->solvers[solver].explain(status);
}

}  // namespace torsor
