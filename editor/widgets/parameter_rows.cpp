#include "editor/widgets/parameter_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "editor/widgets/widgets.hpp"
#include "torsor/base/error.hpp"
#include "torsor/loading/descriptor.hpp"

namespace torsor::editor {

namespace {

const char* type_name(int type) {
  static constexpr const char* names[] = {"real",     "integer", "flag",  "choice", "frame",
                                          "position", "path",    "table", "pose",   "pose list"};
  return type >= 0 && type < int(std::size(names)) ? names[type] : "?";
}

bool is_number(const torsor_param& row) {
  return row.type == TORSOR_REAL || row.type == TORSOR_INTEGER;
}

// The limits of a parameter without limits, equal to sdk::no_limit.
constexpr double no_limit = std::numeric_limits<double>::max();
bool has_min(const torsor_param& row) {
  return row.min > -no_limit;
}
bool has_max(const torsor_param& row) {
  return row.max < no_limit;
}

std::string number_text(double x, bool all_digits) {
  return all_digits ? fmt::format("{}", x) : fmt::format("{:.6g}", x);
}

std::string numbers_text(const std::vector<double>& x, bool all_digits) {
  std::vector<std::string> parts;
  for (const double each : x) parts.push_back(number_text(each, all_digits));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string places_text(const std::vector<FramePlace>& places) {
  std::vector<std::string> parts;
  for (const FramePlace& place : places) {
    const Vec3<double>& p = place.X.p;
    parts.push_back(place.name);
    if (p.x != 0 || p.y != 0 || p.z != 0)
      parts.back() += fmt::format(" + ({:g}, {:g}, {:g}) m", p.x, p.y, p.z);
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

std::string type_text(const torsor_param& row) {
  if (row.type == TORSOR_FLAG || row.type == TORSOR_CHOICE || row.count == 1)
    return type_name(row.type);
  return row.count == 0 ? fmt::format("{}s", type_name(row.type))
                        : fmt::format("{} {}s", row.count, type_name(row.type));
}

std::string range_text(const torsor_param& row) {
  if (row.type == TORSOR_CHOICE) return fmt::format("{}", fmt::join(choice_names(row), ", "));
  if (row.type == TORSOR_FLAG) return "on, off";
  if (!is_number(row) && row.type != TORSOR_TABLE) return "";
  const bool low = has_min(row), high = has_max(row);
  if (low && high) return fmt::format("{:g} to {:g}", row.min, row.max);
  return low    ? fmt::format("at least {:g}", row.min)
         : high ? fmt::format("at most {:g}", row.max)
                : "any";
}

std::string initial_text(const torsor_param& row) {
  if (row.type == TORSOR_FLAG) return row.initial != 0 ? "on" : "off";
  if (row.type == TORSOR_CHOICE) {
    const std::vector<std::string> names = choice_names(row);
    return size_t(row.initial) < names.size() ? names[size_t(row.initial)] : "";
  }
  if (is_number(row) && row.count != 0) return fmt::format("{:g}", row.initial);
  return row.count == 0 ? "automatic" : "required";
}

std::string value_text(const torsor_param& row, const ParameterValue& value, bool all_digits) {
  if (const auto* x = std::get_if<double>(&value)) {
    if (row.type == TORSOR_FLAG) return *x != 0 ? "on" : "off";
    return number_text(*x, all_digits);
  }
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "on" : "off";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* list = std::get_if<std::vector<double>>(&value))
    return list->empty() ? "automatic" : numbers_text(*list, all_digits);
  if (const auto* places = std::get_if<std::vector<FramePlace>>(&value))
    return places_text(*places);
  const Rows& rows = std::get<Rows>(value);
  if (rows.empty()) return "none";
  if (!all_digits) return fmt::format("{} rows of {}", rows.size(), rows[0].size());
  std::string out;
  for (const std::vector<double>& each : rows) out += numbers_text(each, true) + "\n";
  return out;
}

namespace {

std::vector<double> read_numbers(const torsor_param& row, const std::string& text) {
  std::vector<double> out;
  const char* at = text.c_str();
  while (*at) {
    char* end = nullptr;
    out.push_back(std::strtod(at, &end));
    const bool read = end != at && std::isfinite(out.back());
    at = end + std::strspn(end, " ");
    if (*at == ',')
      ++at;
    else if (*at || !read)
      throw Error(
          fmt::format("'{}' is '{}'; it must be numbers separated by commas", row.name, text));
  }
  if (out.empty()) throw Error(fmt::format("'{}' is empty; enter a number", row.name));
  return out;
}

std::optional<std::string> edit_numbers(const torsor_param& row, const ParameterValue& value) {
  std::vector<double> x;
  if (const auto* one = std::get_if<double>(&value)) x = {*one};
  if (const auto* list = std::get_if<std::vector<double>>(&value)) x = *list;
  const double low = has_min(row) ? row.min : -1e300, high = has_max(row) ? row.max : 1e300;
  const bool bounded = has_min(row) && has_max(row);
  constexpr size_t most_in_a_row = 3;
  bool changed = false;
  for (size_t k = 0; k < x.size(); ++k) {
    if (k % most_in_a_row != 0) ImGui::SameLine();
    const size_t in_row = std::min(most_in_a_row, x.size());
    const float gaps = ImGui::GetStyle().ItemSpacing.x * float(in_row - 1);
    if (k % most_in_a_row == 0)
      ImGui::PushItemWidth((ImGui::GetContentRegionAvail().x - gaps) / float(in_row));
    const float speed = row.type == TORSOR_INTEGER ? 0.2f
                        : bounded                  ? float((high - low) / 400)
                                                   : float(std::max(std::abs(x[k]), 0.01) / 100);
    ImGui::PushID(int(k));
    changed |= ImGui::DragScalar("##x", ImGuiDataType_Double, &x[k], speed, &low, &high,
                                 row.type == TORSOR_INTEGER ? "%.0f" : "%.6g",
                                 ImGuiSliderFlags_AlwaysClamp);
    ImGui::PopID();
    if (k % most_in_a_row == most_in_a_row - 1 || k + 1 == x.size()) ImGui::PopItemWidth();
  }
  if (!changed) return std::nullopt;
  if (row.type == TORSOR_INTEGER)
    for (double& each : x) each = std::round(each);
  return numbers_text(x, true);
}

std::optional<std::string> edit_choice(const std::string& present,
                                       const std::vector<std::string>& names) {
  std::optional<std::string> out;
  ImGui::SetNextItemWidth(-1);
  if (!ImGui::BeginCombo("##choice", present.c_str())) return out;
  for (const std::string& name : names)
    if (ImGui::Selectable(name.c_str(), name == present)) out = name;
  ImGui::EndCombo();
  return out;
}

// Draws a widget for the row's type, or the value as text if no widget can edit the type. Returns
// the new value if it was edited.
std::optional<std::string> edit_value(const torsor_param& row, const ParameterValue& value,
                                      const std::vector<std::string>& frames) {
  if (is_number(row)) return edit_numbers(row, value);
  if (row.type == TORSOR_FLAG) {
    bool on = value_text(row, value) == "on";
    if (ImGui::Checkbox("##flag", &on)) return on ? "on" : "off";
    return std::nullopt;
  }
  if (row.type == TORSOR_CHOICE) return edit_choice(value_text(row, value), choice_names(row));
  if (row.type == TORSOR_FRAME && row.count == 1)
    return edit_choice(value_text(row, value), frames);
  ImGui::TextUnformatted(
      shortened(value_text(row, value), ImGui::GetContentRegionAvail().x).c_str());
  return std::nullopt;
}

}  // namespace

ParameterValue read_value(const torsor_param& row, const std::string& text) {
  switch (row.type) {
    case TORSOR_REAL:
    case TORSOR_INTEGER: {
      std::vector<double> x = read_numbers(row, text);
      if (row.count == 1 && x.size() == 1) return x[0];
      return x;
    }
    case TORSOR_FLAG:
      if (text != "on" && text != "off")
        throw Error(fmt::format("'{}' is '{}'; it must be on or off", row.name, text));
      return text == "on";
    case TORSOR_CHOICE:
    case TORSOR_FRAME:
      return text;
    default:
      throw Error(
          fmt::format("'{}' is a {}; change it in the scene file", row.name, type_text(row)));
  }
}

std::optional<SettingEdit> draw_settings(const torsor_descriptor& descriptor,
                                         const std::vector<Setting>& settings, bool editable,
                                         const std::vector<std::string>& frames) {
  std::optional<SettingEdit> out;
  const auto rows = parameter_rows(descriptor);
  if (rows.empty()) dim_text("No parameters.");
  if (rows.empty() ||
      !ImGui::BeginTable("settings", 3, ImGuiTableFlags_RowBg | ImGuiTableFlags_NoSavedSettings))
    return out;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("unit", ImGuiTableColumnFlags_WidthFixed);
  for (const torsor_param& row : rows) {
    const auto setting = std::ranges::find(settings, row.name, &Setting::name);
    if (setting == settings.end()) continue;
    ImGui::PushID(row.name);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    dim_text(row.name);
    tooltip(fmt::format("{}\n{}{}{}\n{} {}", row.help, type_text(row),
                        range_text(row).empty() ? "" : ", ", range_text(row),
                        value_text(row, setting->value, true), setting->unit));
    ImGui::TableNextColumn();
    ImGui::BeginDisabled(!editable);
    if (const auto text = edit_value(row, setting->value, frames)) out = {row.name, *text};
    ImGui::EndDisabled();
    ImGui::TableNextColumn();
    dim_text(setting->unit);
    ImGui::PopID();
  }
  ImGui::EndTable();
  return out;
}

}  // namespace torsor::editor
