#include "editor/edits/mobility.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>

#include "torsor/constraints/independent_rows.hpp"
#include "torsor/constraints/loops/constraint_rows.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::editor {

Eigen::MatrixXd point_jacobian(const State& state, const Frame& frame, const Vec3<double>& p) {
  const Eigen::MatrixXd J = frame_jacobian(state, frame);
  Eigen::Matrix3d cross_p;  // w x p = -p x w
  cross_p << 0, p.z, -p.y, -p.z, 0, p.x, p.y, -p.x, 0;
  return J.bottomRows(3) + cross_p * J.topRows(3);
}

Eigen::MatrixXd holonomic_rows(const State& state, std::span<const char> fixed) {
  ConstraintRows constraints(state.model());
  constraints.evaluate(state);
  Eigen::MatrixXd J = constraints.jacobian();
  for (size_t dof = 0; dof < fixed.size(); ++dof)
    if (fixed[dof]) {
      J.conservativeResize(J.rows() + 1, Eigen::NoChange);
      J.row(J.rows() - 1) = Eigen::RowVectorXd::Unit(J.cols(), Eigen::Index(dof));
    }
  return J;
}

std::vector<char> prescribed_dof(const Simulation& simulation) {
  std::vector<char> out(size_t(simulation.model().n_v));
  for (size_t dof = 0; dof < out.size(); ++dof) out[dof] = simulation.is_prescribed(int(dof));
  return out;
}

Eigen::MatrixXd free_inverse_mass(const Eigen::MatrixXd& M_inverse, const Eigen::MatrixXd& J) {
  if (J.rows() == 0) return M_inverse;
  const Eigen::MatrixXd Y = M_inverse * J.transpose(), G = J * Y;
  Eigen::MatrixXd scaled = G;
  IndependentRows independent;
  independent.select(scaled, 0);
  const std::vector<int> rows(independent.rows().begin(), independent.rows().end());
  if (rows.empty()) return M_inverse;
  const Eigen::MatrixXd Y_s = Y(Eigen::all, rows), G_s = G(rows, rows);
  return M_inverse - Y_s * G_s.ldlt().solve(Y_s.transpose());
}

double mobility(const State& state, const Frame& frame, const Eigen::MatrixXd& P,
                const Eigen::MatrixXd& M_inverse, const Eigen::MatrixXd& W,
                const std::string& what) {
  constexpr double rounding = 1e-10;
  const double alone = P.cwiseProduct(P * M_inverse).sum() / 3,
               out = P.cwiseProduct(P * W).sum() / 3;
  if (!(alone > 0))
    throw Error(fmt::format(
        "{}: {}", what,
        frame_jacobian(state, frame).isZero(0)
            ? "no joint moves it; choose a moving link"
            : "this point is on the axis of its joint and does not move; choose another point"));
  if (!(out > rounding * alone))
    throw Error(
        fmt::format("{}: closures, mimic joints or prescribed joints keep this point in "
                    "place; choose another link",
                    what));
  return out;
}

}  // namespace torsor::editor
