#include "editor/probe/constraint_step.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "editor/edits/mobility.hpp"
#include "torsor/constraints/closure_rows.hpp"
#include "torsor/constraints/independent_rows.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::editor {

namespace {

std::string condition_text(const ClosureCondition& condition) {
  const char a = "xyz"[condition.a], b = "xyz"[condition.b];
  switch (condition.form) {
    case ClosureCondition::Form::displacement:
      return fmt::format("{}_A . d", a);
    case ClosureCondition::Form::orthogonality:
      return fmt::format("{}_A . {}_B", a, b);
    case ClosureCondition::Form::tilt:
      return fmt::format("angle between z_A and z_B, part along {}_A", a);
    case ClosureCondition::Form::turn:
      return "angle of B about z_A";
    case ClosureCondition::Form::linear:
      return "sum c p - offset";
    case ClosureCondition::Form::length:
      return "|d| - L";
    case ClosureCondition::Form::screw:
      return fmt::format("{}_A . d - h angle", a);
  }
  return "";
}

// Collects the rows that are active at the present state: those that always hold first.
class RowCollection {
 public:
  explicit RowCollection(const Simulation& simulation)
      : simulation_(simulation),
        model_(simulation.model()),
        mechanism_(simulation.mechanism()),
        q_(simulation.snapshot().q),
        theta_(simulation.snapshot().motor_q) {
    add_mimics();
    for (int dof = 0; dof < model_.n_v; ++dof)
      if (simulation_.is_prescribed(dof))
        add({.name = "prescribed motion of " + names_[size_t(dof)],
             .turns = model_.dof(dof).turns(),
             .terms = {{dof, 1}},
             .prescribed = true});
    add_closures();
    permanent = rows.size();
    add_frictions();
    add_stops();
  }

  std::vector<ConstraintRow> rows;
  size_t permanent = 0;
  int motor_rows = 0;

 private:
  void add(ConstraintRow row) {
    const auto of_motor = [&](const Term& term) { return term.index >= mechanism_.n_v; };
    if (std::ranges::any_of(row.terms, of_motor))
      ++motor_rows;
    else
      rows.push_back(std::move(row));
  }
  // Returns the dof of a joint or of its motor.
  int dof_of(int index) const {
    const int n = mechanism_.n_v;
    return index < n ? index : mechanism_.motor_dof[size_t(index - n)];
  }
  bool turns(int dof) const { return model_.dof(dof).turns(); }
  double position(const Row& row) const {
    return mechanism_.position(row, q_.data(), theta_.data());
  }

  void add_mimics() {
    for (const MimicElement& mimic : mechanism_.mimics) {
      const int dof = dof_of(mimic.row[0].index);
      add({"mimicry of " + names_[size_t(dof)], turns(dof), mimic.row,
           position(mimic.row) - mimic.offset});
    }
  }
  void add_closures() {
    ClosureRows closures(model_);
    closures.evaluate(simulation_.state());
    size_t first = 0;
    for (const Closure& closure : model_.closures) {
      const auto conditions = traits(closure.kind).conditions;
      for (size_t k = 0; k < conditions.size(); ++k) {
        const size_t r = first + k;
        add({fmt::format("{}: {}", closure.name, condition_text(conditions[k])),
             !closures.is_distance(r), closures.rows()[r], closures.error(r), closures.bias(r)});
      }
      first += conditions.size();
    }
  }
  void add_frictions() {
    const std::vector<double>& modes = simulation_.snapshot().modes;
    for (size_t k = 0; k < mechanism_.frictions.size(); ++k) {
      const FrictionElement& friction = mechanism_.frictions[k];
      if (friction.can_stick() && modes[k] == 0)
        add({.name = "static friction of " + names_[size_t(friction.dof)],
             .turns = turns(friction.dof),
             .terms = friction.row,
             .bounds = mechanism_.guard_constraint(k).bounds});
    }
  }
  void add_stops() {
    const std::vector<double>& modes = simulation_.snapshot().modes;
    for (size_t k = 0; k < mechanism_.stops.size(); ++k) {
      const StopElement& stop = mechanism_.stops[k];
      const size_t guard = mechanism_.frictions.size() + k;
      if (modes[guard] == 0) continue;
      const Row& row = stop.row;
      const int dof = dof_of(stop.index());
      add({.name = "stop of " + names_[size_t(dof)],
           .turns = turns(dof),
           .terms = row,
           .error = position(row) - stop.side() * stop.limit,
           .bounds = mechanism_.guard_constraint(guard).bounds});
    }
  }

  const Simulation& simulation_;
  const Model& model_;
  const Mechanism& mechanism_;
  const std::vector<double>&q_, &theta_;
  const std::vector<std::string> names_ = model_.dof_names();
};

// Returns the inverse of M with the armature of coupled transmissions off its diagonal.
Eigen::MatrixXd complete_inverse_mass(const Mechanism& mechanism, Solver& solver,
                                      const State& state) {
  if (!mechanism.varying_dofs.empty())
    throw Error(
        "the constraint step is not shown for robots with transmissions that depend on the "
        "positions of their joints");
  if (mechanism.armatures.empty()) return inverse_mass(solver, state);
  const int n = mechanism.n_v;
  Eigen::MatrixXd M(n, n);
  if (const Status status = solver.mass_matrix(state, M.data()); !status)
    throw Error(solver.explain(status));
  for (const auto& [i, j, inertia] : mechanism.armatures) {
    M(i, j) += inertia;
    M(j, i) += inertia;
  }
  return M.ldlt().solve(Eigen::MatrixXd::Identity(n, n));
}

std::vector<double> list(const Eigen::VectorXd& x) {
  return {x.begin(), x.end()};
}

void compute(Simulation& simulation, Solver& solver, ConstraintStep& step) {
  const auto vector = [](std::span<const double> x) -> Eigen::VectorXd {
    return Eigen::Map<const Eigen::VectorXd>(x.data(), Eigen::Index(x.size()));
  };
  const Eigen::VectorXd vdot = vector(simulation.acceleration()),
                        constraint = vector(simulation.constraint());
  RowCollection found(simulation);
  step.rows = std::move(found.rows);
  step.motor_rows = found.motor_rows;
  const Eigen::MatrixXd M_inverse =
      complete_inverse_mass(simulation.mechanism(), solver, simulation.state());
  const Eigen::Index m = Eigen::Index(step.rows.size()), n = vdot.size();
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(m, n);
  for (Eigen::Index r = 0; r < m; ++r)
    for (const auto& [dof, factor] : step.rows[size_t(r)].terms) J(r, dof) += factor;
  const Eigen::VectorXd change = M_inverse * constraint;
  Eigen::MatrixXd G = J * M_inverse * J.transpose();
  step.vdot = list(vdot);
  step.change = list(change);
  step.vdot_0 = list(vdot - change);
  step.G.assign(G.data(), G.data() + G.size());  // symmetric
  if (m == 0) return;
  const Eigen::VectorXd lambda = least_norm_solution(G, J * change),
                        rate = J * vector(simulation.state().v), free = J * (vdot - change),
                        constrained = J * vdot;
  IndependentRows independent;
  independent.select(G, found.permanent);
  for (Eigen::Index r = 0; r < m; ++r) {
    ConstraintRow& row = step.rows[size_t(r)];
    row.rate = rate[r];
    row.free = free[r] + row.bias;
    row.constrained = constrained[r] + row.bias;
    row.multiplier = lambda[r];
    row.independent = std::ranges::binary_search(independent.rows(), int(r));
    const double a = row.prescribed ? row.constrained : 0;
    step.c.push_back(row.free - a);
    step.c_terms.push_back(terms_along(row.terms, step.vdot_0.data()) + std::abs(row.bias) +
                           std::abs(a));
    step.lower.push_back(row.bounds.lower);
    step.upper.push_back(row.bounds.upper);
  }
}

}  // namespace

ConstraintStep constraint_step(Simulation& simulation, Solver& solver) {
  ConstraintStep out;
  try {
    compute(simulation, solver, out);
  } catch (const Error& error) {
    out = {};
    out.failure = error.what();
  }
  return out;
}

}  // namespace torsor::editor
