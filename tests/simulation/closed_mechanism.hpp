#pragma once
// Mechanisms with closed loops from tests/reference/constraints.

#include "simulation/robots.hpp"
#include "support/closed_mechanism.hpp"

namespace torsor::test {

// A mechanism of tests/reference/constraints.
struct ClosedMechanism {
  Json table;
  std::shared_ptr<const Model> model;

  explicit ClosedMechanism(const std::string& name)
      : table(stored_table("constraints/" + name + ".json")),
        model(build(described_mechanism(name, table))) {}

  Simulation start(Integrator integrator, double dt, const Tolerances& tolerances = {}) const {
    Simulation out(model, solver_factory(), integrator, dt, tolerances);
    out.set_gravity(vec3(table["model"]["gravity"]));
    Load load;
    load.tau.assign(size_t(model->n_v), 0.0);
    for (const Json& each : table["model"].value("loads", Json::array()))
      load.tau[size_t(dof(each["joint"]))] = each["value"];
    out.set_load(load);
    out.set_state(neutral(*model), std::vector<double>(size_t(model->n_v), 0.0));
    return out;
  }
  bool has_closure(const std::string& joint) const {
    return std::ranges::count(model->closures, joint, &Closure::name) > 0;
  }
  int dof(const std::string& joint) const {
    return model->joints[size_t(model->joint(joint))].v_index;
  }
};

}  // namespace torsor::test
