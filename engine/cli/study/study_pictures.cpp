#include "torsor/cli/study/study_pictures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/pages/gnuplot.hpp"
#include "torsor/study/statistics/shape.hpp"
#include "torsor/study/statistics/study_columns.hpp"

namespace torsor::cli {

namespace {

using Commands = std::back_insert_iterator<std::string>;

constexpr const char* blue = "#0072b2";
constexpr size_t most_points = 2000;  // of a scatter plot
constexpr size_t most_panels = 64;

// A column that can be drawn: its values are numbers that differ.
struct Variable {
  std::string label;
  const std::vector<double>* values;
};

bool has_two_values(const std::vector<double>& values) {
  const auto finite = [](double x) { return std::isfinite(x); };
  const auto first = std::ranges::find_if(values, finite);
  return std::any_of(first, values.end(), [&](double x) { return finite(x) && x != *first; });
}

// Returns a distance of the marks of an axis of a small panel: 1, 2 or 5 times a power of ten, so
// that there are at most four marks.
double mark_distance(const std::vector<double>& values) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const double x : values)
    if (std::isfinite(x)) least = std::min(least, x), most = std::max(most, x);
  const double wanted = (most - least) / 3, power = std::pow(10, std::floor(std::log10(wanted)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= wanted) return factor * power;
  return 10 * power;
}

class StudyPicture {
 public:
  StudyPicture(const StudyReader& study, const std::vector<size_t>& outcomes)
      : columns_(read_columns(study, outcomes)) {
    const StudyLayout& layout = study.layout();
    for (size_t k = 0; k < layout.parameters.size(); ++k)
      if (layout.parameters[k].labels.empty() && has_two_values(columns_.parameters[k]))
        parameters_.push_back({layout.parameters[k].head(), &columns_.parameters[k]});
    for (size_t k = 0; k < outcomes.size(); ++k)
      if (has_two_values(columns_.outcomes[k]))
        outcomes_.push_back({layout.outcomes[outcomes[k]].head(), &columns_.outcomes[k]});
    if (outcomes_.empty())
      throw Error("there is nothing to draw: no outcome has two different finite values");
  }

  void histograms(const std::filesystem::path& out) {
    const size_t columns = std::min<size_t>(3, outcomes_.size()),
                 rows = (outcomes_.size() + columns - 1) / columns;
    begin(rows, columns);
    for (const Variable& each : outcomes_) add_histogram(each, each.label);
    end(420 * int(columns), 300 * int(rows), out);
  }

  void scatter(const std::filesystem::path& out) {
    std::vector<Variable> all = parameters_;
    all.insert(all.end(), outcomes_.begin(), outcomes_.end());
    begin(all.size(), all.size());
    for (const Variable& y : all)
      for (const Variable& x : all) {
        fmt::format_to(commands_, "set xtics {}\n", mark_distance(*x.values));
        const std::string below = &y == &all.back() ? x.label : "",
                          left = &x == &all.front() ? y.label : "";
        if (&x == &y)
          add_histogram(x, below, left);
        else
          add_points(x, y, below, left);
      }
    const int n = int(all.size()), size = std::max(150, 1200 / n);
    end(size * n + 80, size * n + 40, out);
  }

  void bands_over_parameters(const std::filesystem::path& out) {
    if (parameters_.empty())
      throw Error("there is nothing to draw: no parameter has two different numbers");
    begin(outcomes_.size(), parameters_.size());
    for (const Variable& y : outcomes_)
      for (const Variable& x : parameters_) add_bands(x, y);
    end(std::max(420, 360 * int(parameters_.size())), 300 * int(outcomes_.size()), out);
  }

 private:
  void begin(size_t rows, size_t columns) {
    if (rows * columns > most_panels)
      throw Error(fmt::format(
          "the picture would have {} panels, and the limit is {}; select fewer with --outcomes",
          rows * columns, most_panels));
    fmt::format_to(commands_,
                   "set grid lt 1 lw 0.5 lc rgb '#d8d8d8'\nset nokey\nset tics font ',9'\n"
                   "set multiplot layout {},{}\n",
                   rows, columns);
  }
  void end(int width, int height, const std::filesystem::path& out) {
    fmt::format_to(commands_, "unset multiplot\n");
    draw(text_, width, height, out);
  }
  void add_labels(const std::string& below, const std::string& left) {
    fmt::format_to(commands_, "set xlabel {}\nset ylabel {}\n", quoted_label(below),
                   quoted_label(left));
  }
  void add_histogram(const Variable& each, const std::string& below,
                     const std::string& left = "samples") {
    const Histogram found = histogram(*each.values);
    add_labels(below, left);
    const double end = found.from + found.width * double(found.counts.size());
    fmt::format_to(commands_, "set xrange [{}:{}]\nset yrange [0:*]\nset style fill solid 0.6\n",
                   found.from, end);
    fmt::format_to(commands_, "$d << EOD\n");
    for (size_t k = 0; k < found.counts.size(); ++k)
      fmt::format_to(commands_, "{} {}\n", found.from + found.width * (double(k) + 0.5),
                     found.counts[k]);
    fmt::format_to(commands_, "EOD\nplot $d with boxes lc rgb '{}'\n", blue);
  }
  void add_points(const Variable& x, const Variable& y, const std::string& below,
                  const std::string& left) {
    add_labels(below, left);
    fmt::format_to(commands_, "set autoscale x\nset autoscale y\n$d << EOD\n");
    const size_t n = x.values->size(), step = (n + most_points - 1) / most_points;
    size_t drawn = 0;
    for (size_t k = 0; k < n; k += step) {
      const double a = (*x.values)[k], b = (*y.values)[k];
      if (!std::isfinite(a) || !std::isfinite(b)) continue;
      fmt::format_to(commands_, "{} {}\n", a, b);
      ++drawn;
    }
    if (drawn == 0) fmt::format_to(commands_, "0 0\n");
    fmt::format_to(commands_, "EOD\nplot $d with points pt 7 ps 0.25 lc rgb '{}'\n", blue);
  }
  void add_bands(const Variable& x, const Variable& y) {
    const std::vector<Band> found = bands(*x.values, *y.values);
    if (found.empty()) return add_points(x, y, x.label, y.label);
    add_labels(x.label, y.label);
    fmt::format_to(commands_, "set xrange [{}:{}]\nset autoscale y\n$d << EOD\n", found.front().x,
                   found.back().x);
    for (const Band& band : found)
      fmt::format_to(commands_, "{} {}\n", band.x, fmt::join(band.quantiles, " "));
    fmt::format_to(
        commands_,
        "EOD\nplot $d using 1:2:6 with filledcurves fc rgb '#cfe3f1', $d using 1:3:5 with "
        "filledcurves fc rgb '#8fbfdf', $d using 1:4 with lines lw 2 lc rgb '{}'\n",
        blue);
  }

  StudyColumns columns_;
  std::vector<Variable> parameters_, outcomes_;
  std::string text_;
  Commands commands_{text_};
};

using Draw = void (StudyPicture::*)(const std::filesystem::path&);
constexpr std::pair<const char*, Draw> pictures[] = {
    {"histograms", &StudyPicture::histograms},
    {"scatter", &StudyPicture::scatter},
    {"bands", &StudyPicture::bands_over_parameters}};

}  // namespace

std::vector<std::string> picture_names() {
  std::vector<std::string> out;
  for (const auto& [name, draw] : pictures) out.emplace_back(name);
  return out;
}

void draw_study(const StudyReader& study, const std::vector<size_t>& outcomes,
                const std::string& picture, const std::filesystem::path& out) {
  require_picture("--plot", out);
  for (const auto& [name, draw] : pictures)
    if (picture == name) return (StudyPicture(study, outcomes).*draw)(out);
  throw Error(fmt::format("there is no picture '{}'; use one of: {}{}", quotable(picture),
                          fmt::join(picture_names(), ", "),
                          did_you_mean(picture, picture_names())));
}

}  // namespace torsor::cli
