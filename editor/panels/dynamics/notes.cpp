#include "editor/panels/dynamics/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/probe/frame_dynamics.hpp"
#include "editor/widgets/bar_plot.hpp"
#include "torsor/mechanics/task.hpp"

namespace torsor::editor {

void note(const std::string& text, Shade shade) {
  ImGui::PushStyleColor(ImGuiCol_Text, color(shade));
  draw_wrapped_text(text);
  ImGui::PopStyleColor();
}

void note_spectrum(const Spectrum& spectrum, const NumberTable& M) {
  ImGui::Spacing();
  if (!spectrum.failure.empty()) return note(spectrum.failure, Shade::error);
  const std::string unit = M.common_unit();
  const double condition = spectrum.condition();
  note(fmt::format("cond M = {:.4g}\neigenvalues {:.4g} to {:.4g} {}", condition,
                   spectrum.values.front(), spectrum.values.back(),
                   unit.empty() ? "(mixed units)" : unit),
       Shade::dim);
  if (std::isfinite(condition)) return draw_log_axis(spectrum.values, unit);
  if (spectrum.singular.empty()) note("M is not positive definite.", Shade::error);
}

void note_skew(const SkewResidual& skew) {
  ImGui::Spacing();
  if (!skew.failure.empty()) return note(skew.failure, Shade::error);
  if (skew.step == 0) return dim_text("At rest: C v = 0 and dM/dt = 0.");
  note(fmt::format("{}: |A + Aᵀ| = {:.2e} for A = dM/dt - 2C",
                   skew.broken() ? "Not skew-symmetric" : "Skew-symmetric", skew.residual),
       skew.broken() ? Shade::error : Shade::good);
  tooltip("dM/dt is independent of C: it is computed from M by fourth-order differences along v.");
  note(
      fmt::format("Tolerance {:.2e} = {:.0e} of |v|₁ |M| = {:.3g}; difference step h = {:.3g} s",
                  SkewResidual::allowed * skew.scale, SkewResidual::allowed, skew.scale, skew.step),
      Shade::dim);
}

void note_operational(const FrameDynamics& found) {
  ImGui::Spacing();
  if (found.inertias.empty()) return dim_text("Rank 0 of 6: no joint moves the frame.");
  note(fmt::format("Rank {} of 6; cond Λ = {:.4g}{} (mixed units)", found.space.rank,
                   found.condition(), found.space.rank < 6 ? " in the reachable directions" : ""),
       Shade::dim);
  draw_log_axis(found.inertias, "(mixed units)");
  const Eigen::MatrixXd& immovable = found.space.immovable;
  if (immovable.cols() > 0)
    note("Directions in which the joints cannot move the frame:", Shade::warning);
  for (Eigen::Index k = 0; k < immovable.cols(); ++k)
    note(describe_task_direction(std::span(immovable.col(k).data(), 6)), Shade::dim);
}

void note_symbol(const NumberTable& table, const std::vector<double>& v, Cell entry, int k) {
  const size_t n = table.rows.size();
  const auto [i, j] = entry;
  if (i >= n || j >= n) return;
  const double symbol = table.at(i, j), torque = symbol * v[j] * v[size_t(k)];
  ImGui::Spacing();
  note(fmt::format("Γ({}, {}, {}) = {:.6g} {}", table.rows[i], table.columns[j],
                   table.rows[size_t(k)], symbol, table.unit(i, j)),
       Shade::accent);
  note(fmt::format("Torque Γ vj vk = {:.4g} {} at {}", torque, table.row_turns[i] ? "N m" : "N",
                   table.rows[i]),
       Shade::dim);
  dim_text("Click an entry (i, j) to show its symbol.");
}

}  // namespace torsor::editor
