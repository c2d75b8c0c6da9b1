#include "editor/widgets/number_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

std::string NumberFormat::text(double x) const {
  std::string out = fmt::format("{:.{}f}", x * std::pow(10.0, -exponent), decimals);
  const bool zero = out.find_first_not_of("-0.") == std::string::npos;
  return zero && out[0] == '-' ? out.substr(1) : out;
}

std::optional<NumberFormat> number_format(const std::vector<double>& x,
                                          const std::function<bool(const std::string&)>& fits) {
  NumberFormat format;
  const auto [least, greatest] = std::ranges::minmax(x);
  const double most = largest(x);
  if (most > 0 && (most < 1e-2 || most >= 1e5))
    format.exponent = 3 * int(std::floor(std::log10(most) / 3));
  const int fewest = most == 0 || most * std::pow(10.0, -format.exponent) >= 100 ? 0 : 1;
  for (format.decimals = most > 0 ? 3 : 0; format.decimals >= fewest; --format.decimals)
    if (fits(format.text(least)) && fits(format.text(greatest))) return format;
  return std::nullopt;
}

double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

float text_width(const std::string& text) {
  return ImGui::CalcTextSize(text.c_str()).x;
}
float cell_font() {
  return std::round(0.86f * ImGui::GetFontSize());
}
float cell_text_width(const std::string& text) {
  return text_width(text) * cell_font() / ImGui::GetFontSize();
}
float widest(const std::vector<std::string>& texts) {
  float width = 0;
  for (const std::string& text : texts) width = std::max(width, text_width(text));
  return width;
}

void entry_tooltip(const NumberTable& table, size_t i, size_t j) {
  const std::string where = table.columns.size() == 1
                                ? table.rows[i]
                                : fmt::format("{}, {}", table.rows[i], table.columns[j]);
  ImGui::BeginTooltip();
  dim_text(where);
  ImGui::TextUnformatted(fmt::format("{:.9g} {}", table.at(i, j), table.unit(i, j)).c_str());
  ImGui::EndTooltip();
}

}  // namespace torsor::editor
