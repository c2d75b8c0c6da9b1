#include "torsor/host/solver_offer.hpp"

#include "torsor/batch/batch_solver.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {

namespace {

// Returns a pendulum: a point mass of 1 kg at the end of a massless rod of 1 m, on a revolute
// joint. Its family is set to `family`, so that solvers of this family accept it.
std::shared_ptr<const Model> smallest_robot(const std::string& family) {
  RobotDescription robot;
  robot.name = "probe";
  robot.family = family;
  LinkDescription rod;
  rod.name = "rod";
  rod.joint.name = "hinge";
  rod.joint.kind = JointKind::revolute;
  rod.joint.placement = ScrewPlacement{.axis = {0, 1, 0}};
  rod.inertia = inertia_about_com(1.0, {0, 0, -1}, {0, 0, 0, 0, 0, 0});
  robot.links.push_back(rod);
  return build(robot);
}

}  // namespace

SolverOffer offer_of(const Registry& registry, const PluginInfo& plugin) {
  SolverOffer offer;
  try {
    Solver solver = registry.solver(plugin.id, smallest_robot(plugin.family));
    for (const Quantity quantity : all_quantities)
      (solver.capability(quantity) == Capability::offered ? offer.offered : offer.derived)
          .emplace_back(name(quantity));
    if (solver.has_rates()) offer.offered.emplace_back("rates");
    if (solver.has_equation_rates()) offer.offered.emplace_back("equation_rates");
    if (solver.has_partials()) offer.offered.emplace_back("partials");
    if (solver.has_second_partials()) offer.offered.emplace_back("second_partials");
    if (solver.has_trace()) offer.offered.emplace_back("trace");
    if (BatchSolver(solver).lanes() > 1) offer.offered.emplace_back("batch");
  } catch (const Error& error) {
    offer.trouble = error.what();
  }
  return offer;
}

}  // namespace torsor
