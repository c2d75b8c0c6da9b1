#include "editor/probe/closure_report.hpp"

#include <fmt/format.h>

namespace torsor::editor {

std::vector<ClosureGap> closure_gaps(const State& state) {
  ClosureRows rows(state.model());
  rows.evaluate(state);
  return rows.gaps();
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
