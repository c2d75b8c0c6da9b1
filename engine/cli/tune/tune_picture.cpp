#include "torsor/cli/tune/tune_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "torsor/cli/pages/gnuplot.hpp"
#include "torsor/study/statistics/summary.hpp"

namespace torsor::cli {

namespace {

// The searches that have a colour and an entry in the key. Further searches are grey.
constexpr const char* search_colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                          "#e69f00", "#56b4e9", "#000000"};
constexpr const char* other_colour = "#b0b0b0";
constexpr int top_height = 340, panel_height = 190, margin_below = 60, picture_width = 1100;
// An axis is logarithmic if its values are positive and have a larger ratio than this one.
constexpr double logarithmic_ratio = 8;

// The values of one panel, by search and point.
struct HistoryPanel {
  std::string label;
  std::vector<std::vector<double>> values;
  std::vector<std::string> labels = {};  // texts of the values
};

// The range of a vertical axis.
struct AxisRange {
  double from, to;
  bool is_logarithmic;
};

std::string gap(double value) {
  return std::isnan(value) ? "NaN" : fmt::format("{}", value);
}

std::vector<double> finite_values(const HistoryPanel& panel) {
  std::vector<double> out;
  for (const auto& values : panel.values)
    std::ranges::copy_if(values, std::back_inserter(out),
                         [](double x) { return std::isfinite(x); });
  std::ranges::sort(out);
  return out;
}

// Returns the range of the objective. The worst tenth of the values is outside, because some of
// them are often larger by many powers of ten. Returns nullopt if there are no different values.
std::optional<AxisRange> objective_range(const HistoryPanel& panel, bool maximise) {
  const std::vector<double> values = finite_values(panel);
  if (values.empty()) return std::nullopt;
  double from = maximise ? quantile(values, 0.1) : values.front(),
         to = maximise ? values.back() : quantile(values, 0.9);
  if (!(to > from)) from = values.front(), to = values.back();
  if (!(to > from)) return std::nullopt;
  const bool is_logarithmic = from > 0 && to > logarithmic_ratio * from;
  const double margin = is_logarithmic ? std::pow(to / from, 0.06) : 0.06 * (to - from);
  return is_logarithmic ? AxisRange{from / margin, to * margin, true}
                        : AxisRange{from - margin, to + margin, false};
}

// Returns the marks of a logarithmic axis: 1, 2 and 5 times powers of ten if there are few powers.
std::string logarithmic_marks(const AxisRange& range) {
  const int first = int(std::floor(std::log10(range.from))),
            last = int(std::floor(std::log10(range.to)));
  if (last - first > 3) return "autofreq";
  std::string out;
  for (int power = first; power <= last; ++power)
    for (const int factor : {1, 2, 5})
      out += fmt::format("{}{}e{}", out.empty() ? "" : ", ", factor, power);
  return "(" + out + ")";
}

bool is_logarithmic(const HistoryPanel& panel) {
  const std::vector<double> values = finite_values(panel);
  return panel.labels.empty() && !values.empty() && values.front() > 0 &&
         values.back() > logarithmic_ratio * values.front();
}

class TunePicture {
 public:
  explicit TunePicture(const TunedScene& tuned) : tuned_(tuned) {
    const auto& searches = tuned.result.searches;
    for (size_t k = 0; k < searches.size(); ++k) {
      order_.push_back(k);
      longest_ = std::max(longest_, searches[k].points.size());
    }
    // The best search is drawn last, above the others.
    const size_t best = tuned.result.best.value_or(0);
    std::ranges::stable_partition(order_, [&](size_t k) { return k != best; });
  }

  void draw_to(const std::filesystem::path& out) {
    const std::vector<HistoryPanel> panels = all_panels();
    const int height = top_height + panel_height * int(panels.size() - 1) + margin_below;
    fmt::format_to(commands_,
                   "set grid lt 1 lw 0.5 lc rgb '#d8d8d8'\nset lmargin 14\nset rmargin 22\n"
                   "set xrange [0.5:{}.5]\nset multiplot\n",
                   std::max<size_t>(longest_, 2));
    int top = height - 5;
    for (const HistoryPanel& panel : panels) {
      const bool is_first = &panel == &panels.front(), is_last = &panel == &panels.back();
      const int own = (is_first ? top_height : panel_height) + (is_last ? margin_below - 5 : 0);
      top -= own;
      fmt::format_to(commands_,
                     "set origin 0, {}\nset size 1, {}\nset tmargin 0.7\nset bmargin {}\n",
                     double(top) / height, double(own) / height, is_last ? 3.5 : 0.7);
      add_panel(panel, is_first, is_last);
    }
    fmt::format_to(commands_, "unset multiplot\n");
    draw(text_, picture_width, height, out);
  }

 private:
  std::vector<HistoryPanel> all_panels() const {
    const TuningRequest& request = tuned_.space.request();
    const std::string statistic =
        request.samples > 1 ? request.statistic + " of " + tuned_.outcome().name : "";
    StudyColumn objective = tuned_.outcome();
    if (!statistic.empty()) objective.name = statistic;
    std::vector<HistoryPanel> out{{objective.head(), {}}};
    for (const StudyColumn* column : tuned_.tuned())
      out.push_back({column->head(), {}, column->labels});
    for (const TuningSearch& search : tuned_.result.searches) {
      for (HistoryPanel& panel : out) panel.values.emplace_back();
      for (const TuningPoint& point : search.points) {
        out[0].values.back().push_back(point.objective);
        for (size_t k = 0; k < tuned_.space.tuned().size(); ++k)
          out[k + 1].values.back().push_back(point.values[tuned_.space.tuned()[k]]);
      }
    }
    return out;
  }

  const char* colour(size_t search) const {
    if (tuned_.result.searches.size() <= std::size(search_colours)) return search_colours[search];
    return search == tuned_.result.best ? search_colours[0] : other_colour;
  }
  bool is_best(size_t search) const { return tuned_.result.best == search; }

  // Adds the data of a search: the number of the point, its value, the best one so far, and 1 if
  // the point has no value.
  void add_data(const HistoryPanel& panel, size_t search) {
    fmt::format_to(commands_, "$s{} << EOD\n", search);
    double best = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double>& values = panel.values[search];
    for (size_t k = 0; k < values.size(); ++k) {
      const bool is_better = tuned_.space.request().maximise ? values[k] > best : values[k] < best;
      if (is_better || std::isnan(best)) best = values[k];
      fmt::format_to(commands_, "{} {} {} {}\n", k + 1, gap(values[k]), gap(best),
                     int(std::isnan(values[k])));
    }
    if (values.empty()) fmt::format_to(commands_, "NaN NaN NaN 0\n");
    fmt::format_to(commands_, "EOD\n");
  }

  void add_panel(const HistoryPanel& panel, bool is_objective, bool is_last) {
    for (const size_t search : order_) add_data(panel, search);
    fmt::format_to(commands_, "set ylabel {}\nset xlabel {}\nset format x '{}'\n",
                   quoted_label(panel.label),
                   is_last ? "'number of the point in its search'" : "''", is_last ? "%g" : "");
    is_objective ? add_objective(panel) : add_parameter(panel);
  }

  void add_objective(const HistoryPanel& panel) {
    const bool maximise = tuned_.space.request().maximise;
    const auto range = objective_range(panel, maximise);
    fmt::format_to(commands_, "{} logscale y\n", range && range->is_logarithmic ? "set" : "unset");
    if (range)
      fmt::format_to(commands_, "set yrange [{}:{}]\nset ytics {}\n", range->from, range->to,
                     range->is_logarithmic ? logarithmic_marks(*range) : "autofreq");
    fmt::format_to(commands_,
                   "set key at graph 1.015, graph 1 left top Left reverse samplen 1.5\nplot {}",
                   key_entries());
    for (const size_t k : order_)
      fmt::format_to(commands_,
                     ", $s{0} using 1:2 with points pt 7 ps {1} lc rgb '{2}' notitle, $s{0} using "
                     "1:3 with steps lw {3} lc rgb '{2}' notitle",
                     k, is_best(k) ? 0.45 : 0.3, colour(k), is_best(k) ? 2.5 : 1.3);
    if (range) add_failures(panel, *range, maximise);
    fmt::format_to(commands_, "\n");
  }

  // Adds crosses near the bad end of the axis for the points that have no objective.
  void add_failures(const HistoryPanel& panel, const AxisRange& range, bool maximise) {
    const double u = maximise ? 0.03 : 0.97,
                 y = range.is_logarithmic ? range.from * std::pow(range.to / range.from, u)
                                          : range.from + u * (range.to - range.from);
    const char* title = "title 'failed'";
    for (const size_t k : order_) {
      if (std::ranges::none_of(panel.values[k], [](double x) { return std::isnan(x); })) continue;
      fmt::format_to(commands_,
                     ", $s{} using 1:($4 > 0 ? {} : 1/0) with points pt 2 ps 0.6 lc rgb '{}' {}", k,
                     y, colour(k), title);
      title = "notitle";
    }
  }

  void add_parameter(const HistoryPanel& panel) {
    fmt::format_to(commands_, "{} logscale y\nset nokey\n",
                   is_logarithmic(panel) ? "set" : "unset");
    add_marks(panel);
    const char* separator = "plot ";
    for (const size_t k : order_)
      fmt::format_to(commands_, "{}$s{} using 1:2 with linespoints lw {} pt 7 ps {} lc rgb '{}'",
                     std::exchange(separator, ", "), k, is_best(k) ? 1.5 : 0.6,
                     is_best(k) ? 0.45 : 0.3, colour(k));
    fmt::format_to(commands_, "\n");
  }

  // Returns the curves without points that make the key.
  std::string key_entries() const {
    const size_t n = tuned_.result.searches.size();
    const auto entry = [&](const std::string& title, const char* rgb, double line) {
      return fmt::format("NaN with lines lw {} lc rgb '{}' title '{}'", line, rgb, title);
    };
    const size_t best = tuned_.result.best.value_or(0);
    if (n > std::size(search_colours))
      return entry(fmt::format("search {}, the best", best), search_colours[0], 2.5) + ", " +
             entry("other searches", other_colour, 1.3);
    std::string out;
    for (size_t k = 0; k < n; ++k)
      out += (k ? ", " : "") + entry(fmt::format("search {}{}", k, is_best(k) ? ", the best" : ""),
                                     colour(k), is_best(k) ? 2.5 : 1.3);
    return out;
  }

  // Writes the texts of the values at the marks of the vertical axis.
  void add_marks(const HistoryPanel& panel) {
    std::string marks;
    for (size_t k = 0; k < panel.labels.size(); ++k)
      marks += fmt::format("{}{} {}", k ? ", " : "", quoted_label(panel.labels[k]), k);
    if (marks.empty())
      fmt::format_to(commands_, "set ytics autofreq\nset autoscale y\n");
    else
      fmt::format_to(commands_, "set ytics ({})\nset yrange [-0.5:{}.5]\n", marks,
                     panel.labels.size() - 1);
  }

  const TunedScene& tuned_;
  std::vector<size_t> order_;
  size_t longest_ = 0;
  std::string text_;
  std::back_insert_iterator<std::string> commands_{text_};
};

}  // namespace

void draw_tuning(const TunedScene& tuned, const std::filesystem::path& out) {
  TunePicture(tuned).draw_to(out);
}

}  // namespace torsor::cli
