// The validation of constraint solvers. Their checks: bounds, residual and solutions of random
// problems.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/plugin/plugin_table.hpp"
#include "torsor/sdk/constraints/constraint_view.hpp"
#include "torsor/validation/trial_kind.hpp"

namespace torsor::validation {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr uint64_t problems_tried = 60;

enum class Difficulty {
  easy,            // well conditioned, with redundant rows
  scaled,          // easy, but the units of the rows differ by up to 10^6
  ill_conditioned  // nearly redundant rows, rows that move nothing, and rows that contradict
};

struct RandomRows {
  uint64_t seed = 0;
  int n = 0;
  std::vector<double> G, c, c_terms, lower, upper;
  std::vector<torsor_friction> frictions;

  ConstraintProblem problem() const { return {G.data(), c, c_terms, lower, upper, frictions}; }
  std::string name() const {
    return frictions.empty() ? fmt::format("{} rows (seed {})", n, seed)
                             : fmt::format("{} rows with {} friction groups (seed {})", n,
                                           frictions.size(), seed);
  }
};

// Draws the bounds of a row: free, one-sided, a box, or a single value. size: magnitude of the
// multipliers.
std::pair<double, double> draw_bounds(Random& random, double size) {
  const double most = size * random.uniform(0, 8);
  switch (random.below(6)) {
    case 0:
    case 1:
      return {-infinite, infinite};
    case 2:
      return {0, infinite};
    case 3:
      return {-infinite, 0};
    case 4:
      return {-most, random.uniform(0, 1) * most};
    default:
      return {most, most};
  }
}

// Sets G = J J^T and c = J y.
void set_matrix(const std::vector<std::vector<double>>& J, const std::vector<double>& y,
                RandomRows& out) {
  const size_t rows = J.size();
  out.G.assign(rows * rows, 0.0);
  for (size_t i = 0; i < rows; ++i) {
    double c = 0, terms = 0;
    for (size_t k = 0; k < y.size(); ++k) c += J[i][k] * y[k], terms += std::abs(J[i][k] * y[k]);
    out.c.push_back(c);
    out.c_terms.push_back(terms);
    for (size_t j = 0; j < rows; ++j)
      for (size_t k = 0; k < y.size(); ++k) out.G[i * rows + j] += J[i][k] * J[j][k];
  }
}

// Returns a problem with up to n rows of contacts with sliding friction, some of them with
// torsional friction, and free rows between them.
RandomRows draw_contacts(uint64_t seed, int n) {
  Random random(seed);
  RandomRows out;
  out.seed = seed, out.n = n;
  out.lower.assign(size_t(n), -infinite);
  out.upper.assign(size_t(n), infinite);
  for (int row = 0; row + 4 <= n;) {
    out.lower[size_t(row)] = 0;
    out.frictions.push_back({row, row + 1, 2, random.uniform(0, 1)});
    if (random.below(3) == 0) out.frictions.push_back({row, row + 3, 1, random.uniform(0, 0.3)});
    row = out.frictions.back().first + out.frictions.back().count + random.below(2);
  }
  const int width = 2 * n;
  std::vector<std::vector<double>> J;
  for (int i = 0; i < n; ++i) J.push_back(random_values(random, width, 1));
  set_matrix(J, random_values(random, width, 5), out);
  return out;
}

// Returns a problem with G = J J^T for a random J. Some rows of J repeat or reverse others.
RandomRows draw_problem(uint64_t seed, int n, Difficulty difficulty) {
  Random random(seed);
  const auto rows = size_t(n);
  const size_t width = 2 * rows;
  std::vector<std::vector<double>> J(rows, std::vector<double>(width));
  for (size_t i = 0; i < rows; ++i) {
    const bool repeats = i > 0 && random.below(4) == 0;
    const double sign = random.below(2) == 0 ? 1 : -1;
    const size_t from = size_t(random.below(int(i) + 1)) % std::max<size_t>(i, 1);
    for (size_t k = 0; k < width; ++k)
      J[i][k] = repeats ? sign * J[from][k] : random.uniform(-1, 1);
    if (difficulty != Difficulty::ill_conditioned) continue;
    if (repeats) J[i][0] += 1e-5;
    if (random.below(10) == 0) std::ranges::fill(J[i], 0.0);
  }
  const std::vector<double> y = random_values(random, int(width), 5);
  RandomRows out;
  out.seed = seed, out.n = n;
  std::vector<double> contradictions(rows, -1.0);
  for (size_t i = 0; i < rows; ++i) {
    const double unit = difficulty == Difficulty::scaled ? std::pow(10, random.uniform(-3, 3)) : 1;
    for (double& x : J[i]) x *= unit;
    if (difficulty == Difficulty::ill_conditioned && random.below(3) == 0)
      contradictions[i] = random.uniform(0, 5);
    const auto [lower, upper] = draw_bounds(random, 1 / unit);
    out.lower.push_back(lower);
    out.upper.push_back(upper);
  }
  set_matrix(J, y, out);
  for (size_t i = 0; i < rows; ++i)
    if (contradictions[i] >= 0) out.c[i] = out.c_terms[i] = contradictions[i];
  return out;
}

// The solver under test with its default parameters, and its result for a problem.
class Solved {
 public:
  explicit Solved(Trial& trial) : trial_(trial), at_(trial.one_case(0)) {
    solver_ = trial.registry().make<ConstraintSolver>(trial.info().id, at_.model,
                                                      trial.parameters(at_, 0));
  }
  // Calls solved(rows, lambda) with the result of each of some random problems.
  template <class Function>
  void on_problems(Difficulty difficulty, Function solved) {
    constexpr int sizes[] = {0, 1, 2, 3, 5, 8, 13, 30};
    for (uint64_t k = 0; k < problems_tried; ++k)
      on_problem(draw_problem(trial_.subject().seed + k, sizes[k % std::size(sizes)], difficulty),
                 solved);
  }
  // Does the same for problems with contacts, if the solver handles friction groups.
  template <class Function>
  void on_contacts(Function solved) {
    constexpr int sizes[] = {4, 7, 12, 24};
    if (!solver_->handles_friction()) return;
    for (uint64_t k = 0; k < problems_tried; ++k)
      on_problem(draw_contacts(trial_.subject().seed + k, sizes[k % std::size(sizes)]), solved);
  }
  const ConstraintSolver& solver() const { return *solver_; }
  // Returns the number of problems that were solved.
  int tried() const { return tried_; }

 private:
  template <class Function>
  void on_problem(const RandomRows& rows, Function solved) {
    trial_.stage().set("on " + rows.name());
    std::vector<double> lambda(size_t(rows.n));
    const Status status = solver_->solve(rows.problem(), lambda);
    if (!status && status.value != Status::not_converged)
      throw Failed(fmt::format("{}, on {}", solver_->explain(status), rows.name()));
    ++tried_;
    solved(rows, lambda);
  }

  Trial& trial_;
  Case at_;
  std::unique_ptr<ConstraintSolver> solver_;
  int tried_ = 0;
};

double residual(const RandomRows& rows, const std::vector<double>& lambda) {
  return sdk::residual_of(rows.problem().view(), lambda.data());
}

// Returns a bound of the rounding error of the residual.
double rounding(const RandomRows& rows, const std::vector<double>& lambda) {
  return sdk::evaluate_residual(rows.problem().view(), lambda.data()).rounding();
}

// ConstraintSolver::solve() rejects multipliers outside of their bounds or cones, and numbers that
// are not finite.
std::string bounds(Trial& trial) {
  Solved solved(trial);
  for (const Difficulty difficulty :
       {Difficulty::easy, Difficulty::scaled, Difficulty::ill_conditioned})
    solved.on_problems(difficulty, [](const RandomRows&, const std::vector<double>&) {});
  solved.on_contacts([](const RandomRows&, const std::vector<double>&) {});
  return fmt::format("all multipliers of {} problems are within their bounds", solved.tried());
}

std::string reported_residual(Trial& trial) {
  Solved solved(trial);
  const auto check = [&](const RandomRows& rows, const std::vector<double>& lambda) {
    const double reported = solved.solver().residual(), actual = residual(rows, lambda);
    if (!(std::abs(reported - actual) <= rounding(rows, lambda) + 1e-3 * actual))
      throw Failed(fmt::format("it reports a residual of {:.3g}, but it is {:.3g}, on {}", reported,
                               actual, rows.name()));
    if (solved.solver().iterations() < 0)
      throw Failed(fmt::format("it reports {} iterations", solved.solver().iterations()));
  };
  for (const Difficulty difficulty : {Difficulty::easy, Difficulty::ill_conditioned})
    solved.on_problems(difficulty, check);
  solved.on_contacts(check);
  return fmt::format("its residuals are those of its multipliers, in {} problems", solved.tried());
}

std::string solutions(Trial& trial) {
  Solved solved(trial);
  double worst = 0;
  const auto check = [&](const RandomRows& rows, const std::vector<double>& lambda) {
    const double now = residual(rows, lambda);
    if (!(now <= ConstraintSolver::largest_residual))
      throw Failed(
          fmt::format("its multipliers violate the conditions: their residual is {:.1e}, on {}",
                      now, rows.name()));
    worst = std::max(worst, now);
  };
  for (const Difficulty difficulty : {Difficulty::easy, Difficulty::scaled})
    solved.on_problems(difficulty, check);
  solved.on_contacts(check);
  return fmt::format("residuals are at most {:.0e}, in {} problems", worst, solved.tried());
}

Checks constraint_checks() {
  return {{"bounds", "laws", bounds},
          {"residual", "laws", reported_residual},
          {"solutions", "laws", solutions}};
}

void add_constraint_calls(HotCalls& calls, const State&, bool) {
  const torsor_plugin* self = calls.plugin().get();
  const auto api = table_of<torsor_constraint_solver>(calls.plugin(), TORSOR_CONSTRAINT_SOLVER);
  constexpr int sizes[] = {0, 1, 6, 25, 24};
  const torsor_constraint_size size = sdk::dense_size(sizes[3]);
  size_t doubles = 0;
  if (api.work_size && api.work_size(self, &size, &doubles) != TORSOR_OK)
    throw Failed(fmt::format("work_size fails: {}", calls.plugin().report()));
  calls.need_work(doubles);
  for (size_t k = 0; k < (api.handles_friction ? 5 : 4); ++k) {
    const int n = sizes[k];
    const uint64_t seed = calls.random().bits();
    const RandomRows rows =
        k == 4 ? draw_contacts(seed, n) : draw_problem(seed, n, Difficulty::easy);
    const auto count = size_t(n);
    const auto copy = [&](const char* name, const std::vector<double>& values) {
      return calls.guarded_copy(name, values.data(), values.size());
    };
    torsor_constraint_problem view = rows.problem().view();
    view.G = copy("problem.G", rows.G);
    view.c = copy("problem.c", rows.c);
    view.c_terms = copy("problem.c_terms", rows.c_terms);
    view.lower = copy("problem.lower", rows.lower);
    view.upper = copy("problem.upper", rows.upper);
    view.frictions =
        calls.guarded_copy("problem.frictions", rows.frictions.data(), rows.frictions.size());
    const torsor_constraint_problem* problem = calls.guarded_copy("problem", &view, 1);
    calls.add(fmt::format("solve ({} rows{})", n, k == 4 ? " of contacts" : ""),
              {{"lambda", count}, {"residual", 2}}, [=](double* work, std::span<double* const> r) {
                std::fill_n(r[0], count, 0.0);
                torsor_constraint_result out{sizeof out, 0, r[0], 0};
                const torsor_status status = api.solve(self, problem, work, &out);
                r[1][0] = out.residual;
                r[1][1] = out.iterations;
                return status;
              });
  }
}

void make_constraint_solver(const Trial& trial, const Case& at,
                            const std::vector<Parameter>& parameters) {
  (void)trial.registry().make<ConstraintSolver>(trial.info().id, at.model, parameters);
}

}  // namespace

TrialKind constraint_solver_trial() {
  return {.name = ConstraintSolver::kind,
          .checks = {constraint_checks},
          .is_timed = false,
          .is_of_motors = false,
          .make = make_constraint_solver,
          .add_calls = add_constraint_calls};
}

}  // namespace torsor::validation
