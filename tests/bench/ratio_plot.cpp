#include "bench/ratio_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/plot.hpp"

namespace torsor::bench {

namespace {

constexpr double left_margin = 200, scale_width = 420, bar = 11, gap = 9, top_margin = 62;

struct Bar {
  size_t robot;
  double ratio;
  std::string library;  // the fastest one
};
using Bars = std::map<Work, std::vector<Bar>>;

Bars bars_of(const std::vector<Result>& results) {
  Bars out;
  for (size_t r = 0; r < results.size(); ++r)
    for (const Row& row : results[r].rows) {
      const auto subject = fastest_subject(results[r], row), peer = fastest_peer(results[r], row);
      if (subject && peer)
        out[row.work].push_back(
            {r, *ratio(row.cells[*subject], row.cells[*peer]), results[r].columns[*peer].name});
    }
  return out;
}

std::string rectangle(double x, double y, double width, const char* colour) {
  return fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{}' fill='{}'/>\n", x, y,
                     width, bar - 1, colour);
}

// Returns the lines of the axis of ratios and their labels.
std::string axis(double largest, double bottom) {
  std::string out;
  const double step = largest > 4 ? 1 : largest > 2 ? 0.5 : 0.2;
  for (int k = 0; k * step <= largest + 1e-9; ++k) {
    const double x = left_margin + scale_width * k * step / largest;
    out += fmt::format("<line x1='{0:.1f}' y1='{1}' x2='{0:.1f}' y2='{2:.1f}' stroke='{3}'/>\n", x,
                       top_margin, bottom, std::abs(k * step - 1) < 1e-9 ? "#000" : "#ddd");
    out += svg_label(x, bottom + 15, "middle", fmt::format("{:g}", k * step));
  }
  return out;
}

}  // namespace

std::string ratio_plot(const std::vector<Result>& results) {
  const Bars all = bars_of(results);
  if (all.empty())
    throw Error(
        "--plot: no other library was measured; build one in with --peers, or add chains or trees");
  double largest = 1.2;
  for (const auto& [work, bars] : all)
    for (const Bar& each : bars) largest = std::max(largest, 1.02 * each.ratio);
  std::string body;
  double y = top_margin + gap;
  for (const auto& [work, bars] : all) {
    const double height = bar * double(bars.size());
    body += svg_label(left_margin - 8, y + height / 2 + 4, "end", name(work));
    for (const Bar& each : bars) {
      const double width = scale_width * each.ratio / largest;
      body += rectangle(left_margin, y, width, svg_colour(each.robot));
      body += svg_label(left_margin + width + 4, y + bar - 2, "start",
                        fmt::format("{:.2f} {}", each.ratio, each.library), " font-size='9'");
      y += bar;
    }
    y += gap;
  }
  std::string legend;
  double x = left_margin;
  for (size_t r = 0; r < results.size(); ++r) {
    legend += rectangle(x, top_margin - 22, 20, svg_colour(r)) +
              svg_label(x + 26, top_margin - 13, "start", results[r].robot.name);
    x += 60 + 7 * double(results[r].robot.name.size());
  }
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' font-family='sans-serif' "
      "font-size='12'>\n<rect width='{0}' height='{1}' fill='white'/>\n{2}{3}{4}{5}</svg>\n",
      left_margin + scale_width + 90, y + 26,
      svg_label(left_margin, 22, "start", "Time of Torsor / time of the fastest library",
                " font-size='15'"),
      axis(largest, y), body, legend);
}

}  // namespace torsor::bench
