#include "torsor/constraints/closure_wrenches.hpp"

#include "torsor/constraints/cut_joint.hpp"
#include "torsor/mechanics/joint_wrenches.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor {

std::vector<Wrench<double>> transmitted_wrenches(const State& state, std::span<const double> vdot,
                                                 std::vector<Wrench<double>> F_A) {
  const std::vector<Closure>& closures = state.model().closures;
  for (size_t k = 0; k < closures.size(); ++k)
    if (closures[k].cut) F_A[k] = cut_joint_wrench(state, vdot, closures[k], F_A[k]);
  return F_A;
}

std::vector<Wrench<double>> wrenches_on_bodies(const State& state,
                                               std::span<const Wrench<double>> F_A) {
  const Model& model = state.model();
  std::vector<Wrench<double>> out(size_t(model.n_body), Wrench<double>{});
  for (size_t k = 0; k < F_A.size(); ++k) {
    const Closure& closure = model.closures[k];
    if (traits(closure.kind).is_linear()) continue;
    const Pose<double> X_WA = frame_pose(state, {"", closure.body_A, closure.X_BA}),
                       X_WB = frame_pose(state, {"", closure.body_B, closure.X_BB}),
                       X_AB = inverse(X_WA) * X_WB;
    // The same wrench on B in the axes of B, and its opposite at the origin of A.
    const Wrench<double> on_B{transpose_times(X_AB.R, F_A[k].n), transpose_times(X_AB.R, F_A[k].f)};
    const Wrench<double> on_A{-(F_A[k].n + cross(X_AB.p, F_A[k].f)), -F_A[k].f};
    Wrench<double>&B = out[size_t(closure.body_B)], &A = out[size_t(closure.body_A)];
    B = B + transform(closure.X_BB, on_B);
    A = A + transform(closure.X_BA, on_A);
  }
  return out;
}

std::vector<Wrench<double>> joint_wrenches(const State& state, std::span<const double> vdot,
                                           std::span<const Wrench<double>> F_A) {
  State loaded = state;
  std::vector<Wrench<double>> F_B = wrenches_on_bodies(state, F_A);
  for (size_t i = 0; i < F_B.size(); ++i) F_B[i] = F_B[i] + state.F_B()[i];
  loaded.set_wrenches(F_B);
  return joint_wrenches(loaded, vdot);
}

}  // namespace torsor
