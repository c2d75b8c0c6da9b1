#include "support/table_solver.hpp"
#include "torsor/base/linear_algebra.hpp"

namespace torsor::test {

namespace {
using In = const double*;
using Out = double*;

Eigen::Map<const Vector> given(const torsor_model* model, In x) {
  return {x, model->n_v};
}
torsor_status give(const Matrix& result, Out out) {
  std::copy_n(result.data(), result.size(), out);
  return TORSOR_OK;
}

torsor_status inverse(const torsor_plugin*, const torsor_model* m, const torsor_state* s, In vdot,
                      Out, Out tau) {
  return give(DenseDynamics(*m, *s).inverse(given(m, s->v), given(m, vdot)), tau);
}
torsor_status forward(const torsor_plugin*, const torsor_model* m, const torsor_state* s, In tau,
                      Out, Out vdot) {
  const DenseDynamics dense(*m, *s);
  const Vector rest = Vector::Zero(m->n_v);
  return give(solve(dense.M, given(m, tau) - dense.inverse(given(m, s->v), rest)), vdot);
}
torsor_status mass_matrix(const torsor_plugin*, const torsor_model* m, const torsor_state* s, Out,
                          Out M) {
  return give(DenseDynamics(*m, *s).M, M);
}
torsor_status inverse_mass_matrix(const torsor_plugin*, const torsor_model* m,
                                  const torsor_state* s, Out, Out Minv) {
  return give(torsor::inverse(DenseDynamics(*m, *s).M).value(), Minv);
}
torsor_status coriolis_matrix(const torsor_plugin*, const torsor_model* m, const torsor_state* s,
                              Out, Out C) {
  return give(DenseDynamics(*m, *s).C, C);
}
torsor_status gravity(const torsor_plugin*, const torsor_model* m, const torsor_state* s, Out,
                      Out g) {
  return give(DenseDynamics(*m, *s).g, g);
}
torsor_status bias(const torsor_plugin*, const torsor_model* m, const torsor_state* s, Out, Out b) {
  const DenseDynamics dense(*m, *s);
  return give(dense.C * given(m, s->v) + dense.g, b);
}
}  // namespace

torsor_solver dense_solver_table() {
  torsor_solver out{};
  out.struct_size = sizeof out;
  out.inverse = inverse;
  out.forward = forward;
  out.mass_matrix = mass_matrix;
  out.inverse_mass_matrix = inverse_mass_matrix;
  out.coriolis_matrix = coriolis_matrix;
  out.gravity = gravity;
  out.bias = bias;
  return out;
}

}  // namespace torsor::test
