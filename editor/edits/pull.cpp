#include "editor/edits/pull.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "editor/edits/mobility.hpp"

namespace torsor::editor {

Pull make_pull(const Simulation& simulation, Solver& solver, const std::string& frame,
               const Vec3<double>& point_F, const Vec3<double>& target_W) {
  const State& state = simulation.state();
  const Frame& of = simulation.model().frames[size_t(simulation.model().frame(frame))];
  const std::string failure = fmt::format("'{}' cannot be pulled", frame);
  Eigen::MatrixXd M_inverse;
  try {
    M_inverse = inverse_mass(solver, state);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", failure, error.what()));
  }
  const Eigen::MatrixXd rows = holonomic_rows(state, prescribed_dof(simulation));
  const double per_mass = mobility(state, of, point_jacobian(state, of, point_F), M_inverse,
                                   free_inverse_mass(M_inverse, rows), failure);
  const double w = std::min(4 * std::numbers::pi, 0.2 / simulation.dt());
  return {frame, point_F, target_W, w * w / per_mass, 2 * w / per_mass};
}

}  // namespace torsor::editor
