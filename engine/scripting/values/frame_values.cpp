#include "torsor/scripting/values/frame_values.hpp"

#include "torsor/scripting/values/reference_values.hpp"

namespace torsor::lua {

void push_matrix(lua_State* L, std::span<const double> rows, size_t columns) {
  const size_t n = columns == 0 ? 0 : rows.size() / columns;
  lua_createtable(L, int(n), 0);
  for (size_t i = 0; i < n; ++i) {
    push_list(L, rows.subspan(i * columns, columns));
    lua_rawseti(L, -2, lua_Integer(i + 1));
  }
}

void push_matrix(lua_State* L, const Eigen::MatrixXd& A) {
  const Eigen::MatrixXd by_rows = A.transpose();
  push_matrix(L, {by_rows.data(), size_t(by_rows.size())}, size_t(A.cols()));
}

void push_operational_space(lua_State* L, const OperationalSpace& space) {
  lua_createtable(L, 0, 10);
  lua_pushinteger(L, space.rank), lua_setfield(L, -2, "rank");
  const std::pair<const char*, Eigen::MatrixXd> matrices[] = {
      {"Lambda", space.Lambda},
      {"Lambda_inverse", space.Lambda_inverse},
      {"Jbar", space.Jbar},
      {"null_projector", space.null_projector},
      {"immovable", space.immovable.transpose()}};
  for (const auto& [name, A] : matrices) push_matrix(L, A), lua_setfield(L, -2, name);
  const std::pair<const char*, Eigen::VectorXd> vectors[] = {{"eta", space.eta()},
                                                             {"coriolis", space.coriolis},
                                                             {"gravity", space.gravity},
                                                             {"Jdot_v", space.Jdot_v}};
  for (const auto& [name, x] : vectors) set_list(L, name, {x.data(), size_t(x.size())});
}

void push_centroidal(lua_State* L, const Centroidal& whole) {
  const auto set_vector = [&](const char* name, const Vec3<double>& a) {
    set_list(L, name, std::vector{a.x, a.y, a.z});
  };
  const auto set_wrench = [&](const char* name, const Wrench<double>& F) {
    set_list(L, name, std::vector{F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z});
  };
  lua_createtable(L, 0, 9);
  lua_pushnumber(L, whole.mass), lua_setfield(L, -2, "mass");
  set_vector("com", whole.com);
  set_vector("com_velocity", whole.com_velocity);
  push_matrix(L, whole.com_jacobian), lua_setfield(L, -2, "com_jacobian");
  set_wrench("momentum", whole.momentum);
  push_matrix(L, whole.A), lua_setfield(L, -2, "momentum_matrix");
  push_matrix(L, whole.A_dot), lua_setfield(L, -2, "momentum_matrix_rate");
  set_wrench("momentum_bias", whole.bias);
  const Sym3<double>& I = whole.inertia;
  const double rows[] = {I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz};
  push_matrix(L, rows, 3), lua_setfield(L, -2, "inertia");
}

}  // namespace torsor::lua
