#include "torsor/cli/eval/eval_frames.hpp"

#include <nlohmann/json.hpp>
#include <vector>

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

Json entries_of(const Eigen::VectorXd& x) {
  Json out = Json::array();
  for (const double value : x) out.push_back(value);
  return out;
}
Json rows_of(const Eigen::MatrixXd& A) {
  Json out = Json::array();
  for (Eigen::Index i = 0; i < A.rows(); ++i) out.push_back(entries_of(A.row(i)));
  return out;
}
Json entries_of(const Vec3<double>& a) {
  return {a.x, a.y, a.z};
}
Json entries_of(const Wrench<double>& F) {
  return {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
}

}  // namespace

Json rows_over_columns(const Eigen::MatrixXd& A, std::span<const int> columns) {
  return rows_of(A(Eigen::all, std::vector<int>(columns.begin(), columns.end())));
}

Json describe(const OperationalSpace& space, std::span<const int> columns) {
  const std::vector<int> order(columns.begin(), columns.end());
  return {{"rank", space.rank},
          {"Lambda", rows_of(space.Lambda)},
          {"Lambda_inverse", rows_of(space.Lambda_inverse)},
          {"eta", entries_of(space.eta())},
          {"coriolis", entries_of(space.coriolis)},
          {"gravity", entries_of(space.gravity)},
          {"Jdot_v", entries_of(space.Jdot_v)},
          {"Jbar", rows_of(space.Jbar(order, Eigen::all))},
          {"null_projector", rows_of(space.null_projector(order, order))},
          {"immovable", rows_of(space.immovable.transpose())}};
}

Json describe(const Centroidal& whole, std::span<const int> columns) {
  const Sym3<double>& I = whole.inertia;
  return {{"mass", whole.mass},
          {"com", entries_of(whole.com)},
          {"com_velocity", entries_of(whole.com_velocity)},
          {"com_jacobian", rows_over_columns(whole.com_jacobian, columns)},
          {"momentum", entries_of(whole.momentum)},
          {"momentum_matrix", rows_over_columns(whole.A, columns)},
          {"momentum_matrix_rate", rows_over_columns(whole.A_dot, columns)},
          {"momentum_bias", entries_of(whole.bias)},
          {"inertia", {{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}}}};
}

Json joint_wrenches_json(const State& state, std::span<const Wrench<double>> W_B,
                         std::span<const int> joints) {
  Json out = Json::object();
  for (const int j : joints) {
    const Joint& joint = state.model().joints[size_t(j)];
    out[joint.name] = entries_of(at_link(state, joint, W_B));
  }
  return out;
}

}  // namespace torsor::cli
