#include "bench/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace torsor::bench {

namespace {

// Time by bodies of each line, by name, of one quantity.
using Lines = std::map<std::string, std::map<int, double>>;
using Panels = std::map<Work, Lines>;

constexpr double width = 250, height = 190, left = 62, top = 58, gap_x = 70, gap_y = 74;
constexpr int per_row = 3;
// Told apart by people who do not see red and green as well (after Okabe and Ito).
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#000000"};

Panels panels(const std::vector<Result>& results, Family family) {
  Panels all;
  for (const Result& result : results)
    for (const Row& row : result.rows)
      for (size_t c = 0; c < row.cells.size() && result.robot.family == family; ++c)
        if (!row.cells[c].ns.empty() && result.columns[c].form == Form::whole)
          all[row.work][result.columns[c].name][result.robot.model->n_body - 1] = row.cells[c].median();
  return all;
}

// From logarithms to the panel at (x0, y0), its upper left corner.
struct Axes {
  int x_max, y_min, y_max;  // decades; x begins at 1 body
  double x0 = 0, y0 = 0;
  double x(double bodies) const { return x0 + width * std::log10(bodies) / x_max; }
  double y(double ns) const { return y0 + height * (y_max - std::log10(ns)) / (y_max - y_min); }
};

Axes common_axes(const Panels& panels) {
  double bodies = 1, least = 1e300, most = 0;
  for (const auto& [work, lines] : panels)
    for (const auto& [name, points] : lines)
      for (const auto& [n, ns] : points) {
        bodies = std::max(bodies, double(n));
        least = std::min(least, ns);
        most = std::max(most, ns);
      }
  const int y_min = int(std::floor(std::log10(least)));
  return {std::max(1, int(std::ceil(std::log10(bodies)))), y_min,
          std::max(y_min + 1, int(std::ceil(std::log10(most))))};
}

std::string duration(int decade) {
  constexpr const char* units[] = {"ns", "µs", "ms", "s"};
  const int unit = std::clamp(decade / 3, 0, 3);
  return fmt::format("{:g} {}", std::pow(10, decade - 3 * unit), units[unit]);
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&' || c == '<')
      out += c == '&' ? "&amp;" : "&lt;";
    else
      out += c;
  }
  return out;
}

std::string label(double x, double y, const char* anchor, const std::string& text, const char* more = "") {
  return fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}'{}>{}</text>\n", x, y, anchor, more,
                     escaped(text));
}

std::string grid(const Axes& axes) {
  std::string out = fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#888'/>\n",
                                axes.x0, axes.y0, width, height);
  const auto line = [&](double x1, double y1, double x2, double y2, bool decade) {
    out += fmt::format("<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' stroke='{}'/>\n", x1, y1, x2,
                       y2, decade ? "#ccc" : "#eee");
  };
  for (int decade = 0; decade <= axes.x_max; ++decade) {
    for (int k = 1; k <= 9 && (k == 1 || decade < axes.x_max); ++k) {
      const double x = axes.x(k * std::pow(10, decade));
      line(x, axes.y0, x, axes.y0 + height, k == 1);
    }
    out += label(axes.x(std::pow(10, decade)), axes.y0 + height + 15, "middle",
                 fmt::format("{:g}", std::pow(10, decade)));
  }
  for (int decade = axes.y_min; decade <= axes.y_max; ++decade) {
    const double y = axes.y(std::pow(10, decade));
    line(axes.x0, y, axes.x0 + width, y, true);
    out += label(axes.x0 - 6, y + 4, "end", duration(decade));
  }
  return out + label(axes.x0 + width / 2, axes.y0 + height + 31, "middle", "moving bodies");
}

std::string curve(const Axes& axes, const std::map<int, double>& points, const char* colour) {
  std::string path, dots;
  for (const auto& [n, ns] : points) {
    path += fmt::format("{:.1f},{:.1f} ", axes.x(n), axes.y(ns));
    dots +=
        fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='2.5' fill='{}'/>\n", axes.x(n), axes.y(ns), colour);
  }
  return fmt::format("<polyline points='{}' fill='none' stroke='{}' stroke-width='1.5'/>\n{}", path, colour,
                     dots);
}

}  // namespace

std::string plot(const std::vector<Result>& results) {
  Panels all = panels(results, Family::chain);
  const bool chains = !all.empty();
  if (!chains) all = panels(results, Family::tree);
  if (all.empty()) throw Error("--plot: no generated robot was measured; add chains or trees to the robots");

  std::map<std::string, const char*> colour;
  for (const auto& [work, lines] : all)
    for (const auto& [name, points] : lines) colour.emplace(name, "");
  size_t next = 0;
  for (auto& [name, text] : colour) text = colours[next++ % std::size(colours)];

  Axes axes = common_axes(all);
  std::string body;
  int k = 0;
  for (const auto& [work, lines] : all) {
    axes.x0 = left + (k % per_row) * (width + gap_x);
    axes.y0 = top + (k / per_row) * (height + gap_y);
    body += grid(axes) + label(axes.x0, axes.y0 - 8, "start", name(work), " font-weight='bold'");
    for (const auto& [name, points] : lines) body += curve(axes, points, colour[name]);
    ++k;
  }
  const int columns = std::min(k, per_row), rows = (k + per_row - 1) / per_row;
  const double full_width = left + columns * (width + gap_x), legend_y = top + rows * (height + gap_y) - 14;
  double y = legend_y;
  for (const auto& [name, text] : colour) {
    body += fmt::format("<line x1='{0}' y1='{1}' x2='{2}' y2='{1}' stroke='{3}' stroke-width='3'/>\n", left,
                        y - 4, left + 24, text);
    body += label(left + 32, y, "start", name);
    y += 18;
  }
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0:.0f}' height='{1:.0f}' font-family='sans-serif' "
      "font-size='12'>\n"
      "<rect width='{0:.0f}' height='{1:.0f}' fill='white'/>\n{2}{3}</svg>\n",
      full_width, y,
      label(left, 24, "start",
            fmt::format("Time per call from q and v, generated {}", chains ? "chains" : "binary trees"),
            " font-size='15'"),
      body);
}

}  // namespace torsor::bench
