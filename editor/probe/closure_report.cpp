#include "editor/probe/closure_report.hpp"

#include <fmt/format.h>

#include "torsor/mechanics/kinematics.hpp"

namespace torsor::editor {

std::vector<ClosureGap> closure_gaps(const State& state) {
  ClosureRows rows(state.model());
  rows.evaluate(state);
  return rows.gaps();
}

std::vector<Wrench<double>> wrenches_on_bodies(const State& state,
                                               const std::vector<Wrench<double>>& F_A) {
  const Model& model = state.model();
  std::vector<Wrench<double>> out(size_t(model.n_body), Wrench<double>{});
  for (size_t k = 0; k < F_A.size(); ++k) {
    const Closure& closure = model.closures[k];
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

std::string link_of_body(const Model& model, int body) {
  for (const Joint& joint : model.joints)
    if (joint.body == body) return model.links[size_t(model.child_link(joint))].name;
  return "world";
}

std::vector<Line> closure_report(const State& state, int index, const ClosureWrenches& wrenches) {
  const Closure& closure = state.model().closures.at(size_t(index));
  const ClosureTraits& kind = traits(closure.kind);
  const auto text = [](double x) { return fmt::format("{:.4g}", x); };
  const auto vector = [](const Vec3<double>& v) {
    return fmt::format("{:.4g}, {:.4g}, {:.4g}", v.x, v.y, v.z);
  };
  std::vector<Line> out{{"Kind", std::string(kind.name), "", ""}};
  if (kind.parameter == "pitch")
    out.push_back({"Pitch", text(closure.parameter), "m/rad", "Travel per turned angle."});
  if (kind.parameter == "length")
    out.push_back({"Length", text(closure.parameter), "m", "Distance of the two points."});
  out.push_back({"First body A", link_of_body(state.model(), closure.body_A), "", ""});
  out.push_back({"Second body B", link_of_body(state.model(), closure.body_B), "", ""});
  const ClosureGap gap = closure_gaps(state)[size_t(index)];
  const char* of_gap = "Error of the position: by this much the loop is open.";
  out.push_back({"Gap", text(gap.distance), "m", of_gap});
  out.push_back({"Gap angle", text(gap.angle), "rad", of_gap});
  if (!wrenches.failure.empty()) {
    out.push_back({"Force", wrenches.failure, "", ""});
    return out;
  }
  const Wrench<double>& F = wrenches.F_A.at(size_t(index));
  const char* of_wrench = "By A on B, at the origin of frame B, in the axes of frame A.";
  out.push_back({"Force", vector(F.f), "N", of_wrench});
  out.push_back({"Moment", vector(F.n), "N m", of_wrench});
  return out;
}

}  // namespace torsor::editor
