#include "torsor/analysis/structure_report.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/analysis/structure_laws.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/base/random.hpp"
#include "torsor/mechanics/task.hpp"
#include "torsor/plugin/plugin.hpp"

namespace torsor {

namespace {

using Matrix = InspectedState::Matrix;
using Vector = InspectedState::Vector;

// The number of states in which C is compared with the known factorisations.
constexpr int factored_states = 8;
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double spectral_norm(const Matrix& A) {
  const Matrix square = A.transpose() * A;
  const auto values = symmetric_eigenvalues({square.data(), size_t(square.size())});
  return values && !values->empty() ? std::sqrt(std::max(values->back(), 0.0)) : nothing;
}

// Returns the spread of values. states: the number of the state of each value.
Spread spread(const std::vector<double>& values, const std::vector<int>& states) {
  if (values.empty()) return {nothing, nothing, nothing, 0, 0};
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  const int least_state = states[size_t(least - values.begin())],
            largest_state = states[size_t(largest - values.begin())];
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  return {sorted.front(), sorted[sorted.size() / 2], sorted.back(), least_state, largest_state};
}

// Returns the eigenvector for the smallest eigenvalue of M, without small entries. Uses inverse
// iteration with M shifted so that this eigenvalue is slightly positive.
Vector lightest_direction(const Matrix& M, double smallest, double largest) {
  constexpr int iterations = 20;
  const Eigen::Index n = M.rows();
  const double shift = 1e-9 * largest - smallest;
  const Eigen::LLT<Eigen::MatrixXd> factor(Eigen::MatrixXd(M) +
                                           shift * Eigen::MatrixXd::Identity(n, n));
  Vector x = Vector::LinSpaced(n, 1, 2).normalized();
  for (int k = 0; k < iterations; ++k) x = factor.solve(x).normalized();
  Eigen::Index most = 0;
  const double size = x.cwiseAbs().maxCoeff(&most);
  for (double& part : x)
    if (std::abs(part) < 0.1 * size) part = 0;  // negligible entry
  return x[most] < 0 ? -x : x;
}

// Returns the indices of the joints that translate without limits. Fixed joints are not in
// Model::joints.
std::vector<int> sliding_joints(const Model& model) {
  std::vector<int> out;
  for (size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const int n = traits(joint.kind).n_v;
    const bool limited = n == 1 && std::isfinite(joint.lower) && std::isfinite(joint.upper);
    for (int k = joint.v_index; k < joint.v_index + n && !limited; ++k)
      if (norm(model.S_B[size_t(k)].v) > 0) {
        out.push_back(int(j));
        break;
      }
  }
  return out;
}

// Returns whether M changes if the joint translates by about 100 m. A screw joint makes an integer
// number of turns, so that its rotation alone does not change M.
bool is_lever(InspectedState& at, const Joint& joint) {
  const Model& model = at.state().model();
  State there = at.state();
  std::vector<double> far(there.v.size(), 0.0), q(there.q().size());
  for (int k = joint.v_index; k < joint.v_index + traits(joint.kind).n_v; ++k) {
    const Twist<double>& S = model.S_B[size_t(k)];
    if (norm(S.v) == 0) continue;
    far[size_t(k)] =
        norm(S.w) == 0 ? 100 : 2 * M_PI / norm(S.w) * std::ceil(100 / (2 * M_PI * norm(S.v)));
  }
  integrate(model, there.q().data(), far.data(), 1, q.data());
  there.set_q(q);
  return (at.mass_matrix(there) - at.M()).norm() > 1e-6 * at.M().norm();
}

// Prepares a solver for each body whose inertia is doubled. Returns none without a function, or if
// the solver is for this model only.
std::vector<Solver> heavier_solvers(const Model& model,
                                    const StructureInspection::MakeSolver& make) {
  std::vector<Solver> out;
  if (!make) return out;
  try {
    for (size_t body = 1; body < size_t(model.n_body); ++body) {
      auto heavier = std::make_shared<Model>(model);
      heavier->inertia_B[body] = model.inertia_B[body] + model.inertia_B[body];
      out.push_back(make(std::move(heavier)));
    }
  } catch (const UnsupportedModel&) {
    out.clear();
  }
  return out;
}

}  // namespace

bool StructureReport::broken() const {
  return std::any_of(laws.begin(), laws.end(), [](const LawResult& law) { return law.broken(); });
}

const char* describe(Factorisation factorisation) {
  switch (factorisation) {
    case Factorisation::christoffel:
      return "Christoffel's: C_ij = sum_k G_ijk v_k (JIN 45)";
    case Factorisation::bodies:
      return "by bodies: C = J^T (Mb Jdot + (Mb b - b^T Mb) J) (MK 29, skew form)";
    case Factorisation::other:
      return "neither Christoffel's nor that by bodies";
    case Factorisation::unknown:
      break;
  }
  return "not known";
}

struct StructureInspection::Impl {
  Impl(Solver& asked, const Vec3<double>& gravity_W, uint64_t seed, const MakeSolver& make)
      : solver(asked),
        gravity(gravity_W),
        random(seed),
        laws(structure_laws(asked.model().n_v)),
        heavier(heavier_solvers(asked.model(), make)) {
    for (const StructureLaw& law : laws)
      report.laws.push_back({law.name, law.meaning, law.allowed, 0, 0, ""});
    sliding = sliding_joints(asked.model());
  }

  // Returns a non-owning pointer to the solver's model.
  std::shared_ptr<const Model> model() const {
    return {std::shared_ptr<const Model>(), &solver.model()};
  }
  InspectedState draw() {
    State state(model());
    const Model& m = state.model();
    std::vector<double> q = neutral(m), move(size_t(m.n_v)), vdot(move.size());
    for (const Joint& joint : m.joints) {
      const bool limited = std::isfinite(joint.lower) && std::isfinite(joint.upper);
      for (int k = joint.v_index; k < joint.v_index + traits(joint.kind).n_v; ++k) {
        const double size = m.dof(k).turns() ? M_PI : 1;
        const bool within = limited && traits(joint.kind).n_v == 1;
        move[size_t(k)] =
            within ? random.uniform(joint.lower, joint.upper) : random.uniform(-size, size);
      }
    }
    integrate(m, q.data(), move.data(), 1, q.data());
    for (double& x : state.v) x = random.uniform(-2, 2);
    for (double& x : vdot) x = random.uniform(-5, 5);
    follow_mimics(m, q, state.v);
    state.set_q(q);
    state.set_gravity(gravity);
    return InspectedState(solver, std::move(state), std::move(vdot), heavier);
  }

  void check(InspectedState& at) {
    for (size_t k = 0; k < laws.size(); ++k) {
      LawResult& result = report.laws[k];
      double error = std::numeric_limits<double>::infinity();
      std::string failure;
      try {
        const std::optional<double> found = laws[k].error(at);
        result.skipped = !found;
        if (!found) continue;
        if (std::isfinite(*found)) error = *found;
      } catch (const Error& why) {
        failure = why.what();
      }
      if (states > 1 && !(error > result.worst)) continue;
      result.worst = error;
      result.state = states;
      result.failure = failure;
    }
  }

  // Measures the sizes in a state. Ignores failures of the solver, because check() reports them.
  void measure(InspectedState& at) try {
    const std::vector<double>& values = at.eigenvalues();
    if (values.empty()) return;
    if (smallest.empty() || values.front() < *std::min_element(smallest.begin(), smallest.end()))
      lightest = at.M();
    measured.push_back(states);
    smallest.push_back(values.front());
    largest.push_back(values.back());
    condition.push_back(values.front() > 0 ? values.back() / values.front()
                                           : std::numeric_limits<double>::infinity());
    report.coriolis_bound = std::max(report.coriolis_bound, spectral_norm(at.C()) / at.v().norm());
    report.gravity_bound = std::max(report.gravity_bound, at.gravity().norm());
    for (const int j : sliding)
      if (!std::count(report.endless.begin(), report.endless.end(), j) &&
          is_lever(at, at.state().model().joints[size_t(j)]))
        report.endless.push_back(j);
    if (factored == factored_states) return;
    ++factored;
    const double size = at.C().norm() + 1e-6 * at.M().norm() * at.rate();
    const auto same = [&](const Matrix& other) { return (at.C() - other).norm() <= 1e-9 * size; };
    christoffel = christoffel && at.n() <= most_columns_of_symbols && same(coriolis_of_symbols(at));
    bodies = bodies && same(coriolis_by_bodies(at.state()));
  } catch (const Error&) {
  }

  Solver& solver;
  Vec3<double> gravity;
  Random random;
  std::vector<StructureLaw> laws;
  std::vector<Solver> heavier;  // for models in which one body has twice its inertia
  StructureReport report;
  int states = 0;
  std::vector<int> measured;  // number of the state of each measurement
  std::vector<double> smallest, largest, condition;
  std::vector<int> sliding;  // joints that translate without limits
  Matrix lightest;           // M of the state with the smallest eigenvalue
  int factored = 0;          // number of states in which C was compared
  bool christoffel = true, bodies = true;
};

StructureInspection::StructureInspection(Solver& solver, const Vec3<double>& gravity_W,
                                         uint64_t seed, const MakeSolver& make)
    : impl_(std::make_unique<Impl>(solver, gravity_W, seed, make)) {}
StructureInspection::~StructureInspection() = default;

void StructureInspection::check_state() {
  ++impl_->states;
  InspectedState at = impl_->draw();
  impl_->check(at);
  impl_->measure(at);
}

StructureReport StructureInspection::report() const {
  StructureReport out = impl_->report;
  std::sort(out.endless.begin(), out.endless.end());
  out.smallest_eigenvalue = spread(impl_->smallest, impl_->measured);
  out.largest_eigenvalue = spread(impl_->largest, impl_->measured);
  out.condition = spread(impl_->condition, impl_->measured);
  if (impl_->smallest.empty()) return out;
  const Vector x = lightest_direction(impl_->lightest, out.smallest_eigenvalue.least,
                                      out.largest_eigenvalue.largest);
  out.lightest = describe_joint_direction(impl_->solver.model(), {x.data(), size_t(x.size())});
  if (impl_->factored > 0)
    out.factorisation = impl_->christoffel ? Factorisation::christoffel
                        : impl_->bodies    ? Factorisation::bodies
                        : impl_->solver.model().n_v <= most_columns_of_symbols
                            ? Factorisation::other
                            : Factorisation::unknown;
  return out;
}

}  // namespace torsor
