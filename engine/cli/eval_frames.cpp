#include "torsor/cli/eval_frames.hpp"

#include <vector>

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

Json list(const Eigen::VectorXd& x) {
  Json out = Json::array();
  for (const double value : x) out.push_back(value);
  return out;
}
Json rows_of(const Eigen::MatrixXd& A) {
  Json out = Json::array();
  for (Eigen::Index i = 0; i < A.rows(); ++i) out.push_back(list(A.row(i)));
  return out;
}
Json list(const Vec3<double>& a) {
  return {a.x, a.y, a.z};
}
Json list(const Wrench<double>& F) {
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
          {"eta", list(space.eta())},
          {"coriolis", list(space.coriolis)},
          {"gravity", list(space.gravity)},
          {"Jdot_v", list(space.Jdot_v)},
          {"Jbar", rows_of(space.Jbar(order, Eigen::all))},
          {"null_projector", rows_of(space.null_projector(order, order))},
          {"immovable", rows_of(space.immovable.transpose())}};
}

Json describe(const Centroidal& whole, std::span<const int> columns) {
  const Sym3<double>& I = whole.inertia;
  return {{"mass", whole.mass},
          {"com", list(whole.com)},
          {"com_velocity", list(whole.com_velocity)},
          {"com_jacobian", rows_over_columns(whole.com_jacobian, columns)},
          {"momentum", list(whole.momentum)},
          {"momentum_matrix", rows_over_columns(whole.A, columns)},
          {"momentum_matrix_rate", rows_over_columns(whole.A_dot, columns)},
          {"momentum_bias", list(whole.bias)},
          {"inertia", {{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}}}};
}

}  // namespace torsor::cli
