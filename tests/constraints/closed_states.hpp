#pragma once
// Closed mechanisms with a solver and a state in which the loops are closed.

#include "support/closed_mechanism.hpp"
#include "torsor/constraints/loops/constrained_dynamics.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::test {

inline const Registry& registry() {
  static const Registry out({TORSOR_PLUGIN_DIR});
  return out;
}

// A mechanism of tests/reference/constraints at the states of its reference motion.
struct Mechanism {
  Json table;
  std::shared_ptr<const Model> model;
  Solver solver;
  State state;

  explicit Mechanism(const std::string& name)
      : table(stored_table("constraints/" + name + ".json")),
        model(build(described_mechanism(name, table))),
        solver(registry().solver("newton_euler", model)),
        state(model) {
    state.set_gravity(vec3(table["model"]["gravity"]));
  }
  size_t rows() const { return table["times"].size(); }
  int dof(const std::string& joint) const {
    return model->joints[size_t(model->joint(joint))].v_index;
  }
  const Closure& closure(const std::string& name) const {
    return *std::ranges::find(model->closures, name, &Closure::name);
  }
  // Sets the state of a row of the reference.
  void set_row(size_t row) {
    std::vector<double> q(state.q().begin(), state.q().end());
    const Json& values = table["values"];
    for (const Joint& joint : model->joints) {
      q[size_t(joint.q_index)] = values["joint_positions"][joint.name][row];
      state.v[size_t(joint.v_index)] = values["joint_rates"][joint.name][row];
    }
    state.set_q(q);
  }
  // Returns the torques of the reference motion.
  Eigen::VectorXd loads() const {
    Eigen::VectorXd tau = Eigen::VectorXd::Zero(model->n_v);
    for (const Json& each : table["model"].value("loads", Json::array()))
      tau[dof(each["joint"])] = each["value"];
    return tau;
  }
};

// A random closed tree with closed loops, random velocities that keep them closed, and random
// gravity and wrenches.
struct ClosedRun {
  ClosedState closed;
  Solver solver;
  State state;

  explicit ClosedRun(uint64_t seed, bool wrenches = true)
      : closed(random_closed_tree(seed)),
        solver(registry().solver("newton_euler", closed.model)),
        state(closed.model) {
    Random random(seed + 1000);
    state.set_q(closed.q);
    state.v = random_values(random, closed.model->n_v, 2);
    state.set_gravity(random.vector(10));
    if (wrenches) add_random_wrenches(random, state);
    ConstrainedDynamics::assemble(solver, state, {});
  }
};

}  // namespace torsor::test
