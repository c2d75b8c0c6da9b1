#include "editor/edits/pull.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <numbers>

#include "torsor/mechanics/kinematics.hpp"

namespace torsor::editor {

namespace {

// Returns the Jacobian [3 x n_v] of the velocity of a point that is fixed in the frame, in frame
// axes. p: position of the point in the frame. The velocity is v + w x p, where (w, v) is the
// frame's body twist.
Eigen::MatrixXd point_jacobian(const State& state, const Frame& frame, const Vec3<double>& p) {
  const Eigen::MatrixXd J = frame_jacobian(state, frame);
  Eigen::Matrix3d cross_p;  // w x p = -p x w
  cross_p << 0, p.z, -p.y, -p.z, 0, p.x, p.y, -p.x, 0;
  return J.bottomRows(3) + cross_p * J.topRows(3);
}

}  // namespace

Pull make_pull(const Simulation& simulation, Solver& solver, const std::string& frame,
               const Vec3<double>& point_F, const Vec3<double>& target_W) {
  const Model& model = simulation.model();
  const Frame& of = model.frames[size_t(model.frame(frame))];
  const Eigen::MatrixXd J = point_jacobian(simulation.state(), of, point_F);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> inverse(model.n_v,
                                                                                 model.n_v);
  if (const Status status = solver.inverse_mass_matrix(simulation.state(), inverse.data()); !status)
    throw Error(fmt::format("'{}' cannot be pulled: {}", frame, solver.explain(status)));
  const double mobility = J.cwiseProduct(J * inverse).sum() / 3;
  if (!(mobility > 0))
    throw Error(fmt::format(
        "'{}' cannot be pulled: {}", frame,
        frame_jacobian(simulation.state(), of).isZero(0)
            ? "no joint moves it; choose a moving link"
            : "this point is on the axis of its joint and does not move; choose another point"));
  const double w = std::min(4 * std::numbers::pi, 0.2 / simulation.dt());
  return {frame, point_F, target_W, w * w / mobility, 2 * w / mobility};
}

}  // namespace torsor::editor
