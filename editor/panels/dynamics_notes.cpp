#include "editor/panels/dynamics_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/panels/bar_plot.hpp"
#include "torsor/dynamics/task.hpp"

namespace torsor::editor {

void note(const std::string& text, Shade shade) {
  ImGui::PushStyleColor(ImGuiCol_Text, color(shade));
  ImGui::PushTextWrapPos();
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

void note_spectrum(Probe& probe, const NumberTable& M) {
  const Spectrum& spectrum = probe.mass_spectrum();
  ImGui::Spacing();
  if (!spectrum.failure.empty()) return note(spectrum.failure, Shade::error);
  const std::string unit = M.common_unit();
  const double condition = spectrum.condition();
  note(fmt::format("cond M = {:.4g}; eigenvalues {:.4g} ... {:.4g} {}", condition, spectrum.values.front(),
                   spectrum.values.back(), unit.empty() ? "of mixed units" : unit),
       Shade::dim);
  if (std::isfinite(condition))
    draw_log_axis(spectrum.values, unit);
  else
    note("M is not positive definite", Shade::error);
}

void note_skew(Probe& probe) {
  const SkewResidual& skew = probe.skew();
  ImGui::Spacing();
  if (!skew.failure.empty()) return note(skew.failure, Shade::error);
  if (skew.step == 0) return dim_text("at rest: C v = 0, and dM/dt = 0");
  note(fmt::format("{}: |A + A^T| = {:.2e} for A = dM/dt - 2C", skew.broken() ? "not skew" : "skew",
                   skew.residual),
       skew.broken() ? Shade::error : Shade::good);
  tooltip("dM/dt is not taken from C: it is the change of M along v, by differences of fourth order");
  note(fmt::format("allowed {:.2e}: {:.0e} of |v|₁ |M| = {:.3g}; differences over h = {:.3g} s",
                   SkewResidual::allowed * skew.scale, SkewResidual::allowed, skew.scale, skew.step),
       Shade::dim);
}

void note_operational(Probe& probe, int frame) {
  const FrameDynamics& found = probe.frame_dynamics(frame);
  ImGui::Spacing();
  if (found.inertias.empty()) return dim_text("rank 0 of 6: the joints do not move the frame");
  note(fmt::format("rank {} of 6; cond Λ = {:.4g}{}, of mixed units", found.space.rank, found.condition(),
                   found.space.rank < 6 ? " along what the joints can do" : ""),
       Shade::dim);
  draw_log_axis(found.inertias, "of mixed units");
  const Eigen::MatrixXd& immovable = found.space.immovable;
  if (immovable.cols() > 0)
    note("directions in which no joint moves it, nor any torque resists:", Shade::warning);
  for (Eigen::Index k = 0; k < immovable.cols(); ++k)
    note(describe_task_direction(std::span(immovable.col(k).data(), 6)), Shade::dim);
}

void note_symbol(Probe& probe, const NumberTable& table, Cell entry, int k) {
  const size_t n = table.rows.size();
  const auto [i, j] = entry;
  if (i >= n || j >= n) return;
  const std::vector<double>& v = probe.state().v;
  const double symbol = table.at(i, j), torque = symbol * v[j] * v[size_t(k)];
  ImGui::Spacing();
  note(fmt::format("Γ({}, {}, {}) = {:.6g} {}", table.rows[i], table.columns[j], table.rows[size_t(k)],
                   symbol, table.unit(i, j)),
       Shade::accent);
  note(fmt::format("Γ vj vk = {:.4g} {} of the torque at {}", torque, table.row_turns[i] ? "N m" : "N",
                   table.rows[i]),
       Shade::dim);
  dim_text("a click on an entry (i, j) reads it");
}

}  // namespace torsor::editor
