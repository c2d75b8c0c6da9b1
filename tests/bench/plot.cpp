#include "bench/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace torsor::bench {

namespace {

// The lines of one quantity: name of the line -> number of bodies -> time in ns.
using Lines = std::map<std::string, std::map<int, double>>;
using Panels = std::map<Work, Lines>;

constexpr double width = 250, height = 190, left = 62, top = 58, gap_x = 70, gap_y = 74,
                 legend_line = 18;
constexpr int per_row = 3;
// Colours that people with colour blindness can distinguish (Okabe and Ito).
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#000000"};

Panels panels(const std::vector<Result>& results, Family family) {
  Panels all;
  for (const Result& result : results)
    for (const Row& row : result.rows)
      for (size_t c = 0; c < row.cells.size() && result.robot.family == family; ++c)
        if (!row.cells[c].ns.empty() && result.columns[c].form != Form::solver_only)
          all[row.work][result.columns[c].name][result.robot.model->n_body - 1] =
              row.cells[c].median();
  return all;
}

// Logarithmic axes of a panel whose upper left corner is at (x0, y0).
struct Axes {
  double x_max;      // largest number of bodies, in decades; x begins at 1 body
  int y_min, y_max;  // range of times in ns, in decades
  double x0 = 0, y0 = 0;
  double x(double bodies) const { return x0 + width * std::log10(bodies) / x_max; }
  double y(double ns) const { return y0 + height * (y_max - std::log10(ns)) / (y_max - y_min); }
};

Axes common_axes(const Panels& panels) {
  double bodies = 2, least = 1e300, most = 0;
  for (const auto& [work, lines] : panels)
    for (const auto& [name, points] : lines)
      for (const auto& [n, ns] : points) {
        bodies = std::max(bodies, double(n));
        least = std::min(least, ns);
        most = std::max(most, ns);
      }
  const int y_min = int(std::floor(std::log10(least)));
  return {std::log10(1.1 * bodies), y_min, std::max(y_min + 1, int(std::ceil(std::log10(most))))};
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

std::string grid(const Axes& axes) {
  std::string out =
      fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#888'/>\n",
                  axes.x0, axes.y0, width, height);
  const auto line = [&](double x1, double y1, double x2, double y2, bool decade) {
    out += fmt::format("<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' stroke='{}'/>\n", x1,
                       y1, x2, y2, decade ? "#ccc" : "#eee");
  };
  for (int decade = 0; decade <= axes.x_max; ++decade) {
    const double bodies = std::pow(10, decade);
    for (int k = 1; k <= 9 && std::log10(k * bodies) <= axes.x_max; ++k)
      line(axes.x(k * bodies), axes.y0, axes.x(k * bodies), axes.y0 + height, k == 1);
    out += svg_label(axes.x(bodies), axes.y0 + height + 15, "middle", fmt::format("{:g}", bodies));
  }
  for (int decade = axes.y_min; decade <= axes.y_max; ++decade) {
    const double y = axes.y(std::pow(10, decade));
    line(axes.x0, y, axes.x0 + width, y, true);
    out += svg_label(axes.x0 - 6, y + 4, "end", duration(decade));
  }
  return out + svg_label(axes.x0 + width / 2, axes.y0 + height + 31, "middle", "moving bodies");
}

// The style of a line. Lines of libraries are dashed.
struct Style {
  std::string name;
  const char* colour;
  const char* dashes;
};

// Returns the style of every line that occurs in a panel.
std::vector<Style> styles(const std::vector<Result>& results, const Panels& panels) {
  std::vector<Style> all;
  for (const Column& column : total_columns(results))
    if (std::any_of(panels.begin(), panels.end(),
                    [&](const auto& panel) { return panel.second.contains(column.name); }))
      all.push_back({column.name, svg_colour(all.size()),
                     column.maker == Maker::peer ? " stroke-dasharray='5 3'" : ""});
  return all;
}

std::string curve(const Axes& axes, const std::map<int, double>& points, const Style& style) {
  std::string path, dots;
  for (const auto& [n, ns] : points) {
    path += fmt::format("{:.1f},{:.1f} ", axes.x(n), axes.y(ns));
    dots += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='2.5' fill='{}'/>\n", axes.x(n),
                        axes.y(ns), style.colour);
  }
  return fmt::format("<polyline points='{}' fill='none' stroke='{}' stroke-width='1.5'{}/>\n{}",
                     path, style.colour, style.dashes, dots);
}

// Returns the SVG text of all panels, in rows, and the y coordinate below the last row.
std::pair<std::string, double> draw(const Panels& panels, const std::vector<Style>& styles) {
  Axes axes = common_axes(panels);
  std::string body;
  int k = 0;
  for (const auto& [work, lines] : panels) {
    axes.x0 = left + (k % per_row) * (width + gap_x);
    axes.y0 = top + (k / per_row) * (height + gap_y);
    body +=
        grid(axes) + svg_label(axes.x0, axes.y0 - 8, "start", name(work), " font-weight='bold'");
    for (const Style& style : styles)
      if (const auto line = lines.find(style.name); line != lines.end())
        body += curve(axes, line->second, style);
    ++k;
  }
  return {body, axes.y0 + height + gap_y};
}

std::string legend(const std::vector<Style>& styles, double y) {
  std::string out;
  for (const Style& style : styles) {
    out += fmt::format("<line x1='{}' y1='{}' x2='{}' y2='{}' stroke='{}' stroke-width='2.5'{}/>\n",
                       left, y - 4, left + 30, y - 4, style.colour, style.dashes);
    out += svg_label(left + 38, y, "start", style.name);
    y += legend_line;
  }
  return out;
}

}  // namespace

std::string svg_label(double x, double y, const char* anchor, const std::string& text,
                      const char* more) {
  return fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}'{}>{}</text>\n", x, y, anchor,
                     more, escaped(text));
}

const char* svg_colour(size_t series) {
  return colours[series % std::size(colours)];
}

std::string plot(const std::vector<Result>& results) {
  Panels all = panels(results, Family::chain);
  const bool chains = !all.empty();
  if (!chains) all = panels(results, Family::tree);
  if (all.empty()) throw Error("--plot: nothing was measured on a generated robot");
  const std::vector<Style> used = styles(results, all);
  const auto [body, bottom] = draw(all, used);
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' font-family='sans-serif' "
      "font-size='12'>\n"
      "<rect width='{0}' height='{1}' fill='white'/>\n{2}{3}{4}</svg>\n",
      left + std::min<double>(double(all.size()), per_row) * (width + gap_x),
      bottom + legend_line * double(used.size()),
      svg_label(left, 24, "start",
                fmt::format("Processor time of a call from q and v, generated {}",
                            chains ? "chains" : "binary trees"),
                " font-size='15'"),
      body, legend(used, bottom));
}

}  // namespace torsor::bench
