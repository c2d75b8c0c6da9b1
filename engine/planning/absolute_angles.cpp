#include "torsor/planning/absolute_angles.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

#include "torsor/base/error.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor {

using Eigen::MatrixXd;

namespace {

// Returns the axes of all dof in the world at the neutral position, zero for a dof that translates.
// Axes that are parallel there are parallel in every position, if all axes on their path are.
std::vector<Vec3<double>> axes_of(const Model& model) {
  State state(std::make_shared<Model>(model));
  state.set_q(neutral(model));
  const std::vector<Pose<double>> X_WB = world_poses(state);
  std::vector<Vec3<double>> out(size_t(model.n_v));
  for (size_t body = 1; body < size_t(model.n_body); ++body)
    for (int k = model.v_index[body]; k < model.v_index[body] + model.v_count[body]; ++k)
      out[size_t(k)] = X_WB[body].R * model.S_B[size_t(k)].w;
  return out;
}

}  // namespace

// Equations: RCFS 109.
MatrixXd absolute_angles(const Model& model) {
  const std::vector<Vec3<double>> axis = axes_of(model);
  MatrixXd L = MatrixXd::Identity(model.n_v, model.n_v);
  const auto add = [&](int i, int j) {
    const Vec3<double>&a = axis[size_t(i)], &b = axis[size_t(j)];
    const double cosine = dot(a, b);
    if (i == j || dot(a, a) == 0 || dot(b, b) == 0) return;
    if (std::abs(std::abs(cosine) - 1) > 1e-9)
      throw Error(fmt::format(
          "joints '{}' and '{}' rotate about axes that are not parallel; absolute angles need "
          "parallel axes",
          model.joint_of_dof(j).name, model.joint_of_dof(i).name));
    L(i, j) = std::round(cosine);
  };
  for (int i = 0; i < model.n_v; ++i)
    for (int body = model.joint_of_dof(i).body; body != 0; body = model.parent[size_t(body)])
      for (int k = 0; k < model.v_count[size_t(body)]; ++k) add(i, model.v_index[size_t(body)] + k);
  return L;
}

LinearStep in_absolute_angles(const LinearStep& step, const MatrixXd& L) {
  const Eigen::Index n = L.rows();
  MatrixXd both = MatrixXd::Zero(2 * n, 2 * n);
  both.topLeftCorner(n, n) = both.bottomRightCorner(n, n) = L;
  return {both * step.A * both.inverse(), both * step.B * L.transpose()};
}

}  // namespace torsor
