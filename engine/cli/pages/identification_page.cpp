#include "torsor/cli/pages/identification_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "torsor/cli/pages/html.hpp"
#include "torsor/cli/pages/metrics_table.hpp"
#include "torsor/cli/pages/parameters_json.hpp"

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;
using Compared = IdentificationReport::Comparison;

Json comparison_json(const Compared& comparison) {
  Json out{{"run", comparison.run},
           {"relative_error", comparison.estimates.relative_error()},
           {"relative_error_physical", comparison.physical.relative_error()},
           {"joints", Json::array()}};
  for (size_t j = 0; j < comparison.estimates.joints.size(); ++j) {
    const auto& [name, unit, samples, error, torque] = comparison.estimates.joints[j];
    out["joints"].push_back({{"name", name},
                             {"unit", unit},
                             {"samples", samples},
                             {"error", error},
                             {"error_physical", comparison.physical.joints[j].error},
                             {"rms_torque", torque}});
  }
  return out;
}

std::string filter_text(const IdentificationReport& report) {
  if (!report.measured.filtered) return "recorded";
  const FilteredMotion& filtered = *report.measured.filtered;
  return fmt::format(
      "from q, by a low-pass of {:.4g} Hz and central differences (motion up to {:.3g} Hz); 1 of "
      "{} equations is used, after a low-pass of {:.4g} Hz",
      filtered.position_filter.cutoff(), filtered.bandwidth, filtered.decimation.interval(),
      filtered.decimation.filter.cutoff());
}

std::string table_of_parameters(const IdentificationReport& report) {
  const BaseParameters& base = report.found.base;
  const std::vector<std::string> base_units = units(base);
  std::vector<Cells> rows = {{"parameter", "unit", "estimate", "std", "std %", "95 % interval",
                              "model", "difference", "physical"}};
  for (size_t i = 0; i < base.rank(); ++i) {
    const double x = report.found.estimate[i], s = report.found.deviation[i],
                 w = report.found.half_width[i];
    rows.push_back(
        {base.names[i], base_units[i], fmt::format("{:.6g}", x), fmt::format("{:.2g}", s),
         std::abs(x) > 0 ? fmt::format("{:.2g}", 100 * s / std::abs(x)) : "-",
         fmt::format("{:.6g} .. {:.6g}", x - w, x + w), fmt::format("{:.6g}", base.values[i]),
         fmt::format("{:.2g}", x - base.values[i]),
         fmt::format("{:.6g}", report.physical.base[i])});
  }
  return table_text(rows, 2, "");
}

std::string table_of_validation(const Compared& comparison) {
  std::vector<Cells> rows = {{"joint", "unit", "error", "error %", "physical", "rms torque"}};
  for (size_t j = 0; j < comparison.estimates.joints.size(); ++j) {
    const auto& [name, unit, samples, error, torque] = comparison.estimates.joints[j];
    rows.push_back({name, unit, fmt::format("{:.3g}", error),
                    torque > 0 ? fmt::format("{:.3g}", 100 * error / torque) : "-",
                    fmt::format("{:.3g}", comparison.physical.joints[j].error),
                    fmt::format("{:.3g}", torque)});
  }
  return fmt::format("\nprediction of {}\n", comparison.run) + table_text(rows, 2, "");
}

// States whether a physically possible robot can have the estimates.
std::string physical_verdict(const IdentificationReport& report) {
  const PhysicalFit& fit = report.physical;
  if (fit.within_intervals())
    return "physically possible bodies, rotors and friction have parameters within the intervals";
  return fmt::format(
      "no physically possible bodies, rotors and friction were found within the intervals; of "
      "those that fit best, {} is off by {:.3g} of half its interval",
      report.found.base.names[size_t(fit.of)], fit.farthest);
}

std::string physical_text(const IdentificationReport& report) {
  return fmt::format(
      "\nphysical     {}\n             the physical parameters are {:.3g} standard deviations from "
      "the estimates\n",
      physical_verdict(report), report.physical.distance);
}

// A picture with a linear scale in both directions. y_0 is the value at the lower border.
class Picture {
 public:
  static constexpr double width = 880, left = 80, right = 30, top = 10, bottom = 24;
  Picture(double height, double x0, double x1, double y0, double y1)
      : height_(height), x0_(x0), x1_(x1), y0_(y0), y1_(y1) {}

  double x(double at) const { return left + (width - left - right) * (at - x0_) / (x1_ - x0_); }
  double y(double at) const { return top + (height_ - top - bottom) * (y1_ - at) / (y1_ - y0_); }
  void line(double xa, double ya, double xb, double yb, const char* color) {
    body_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", xa, ya,
        xb, yb, color);
  }
  void text(double x, double y, const char* anchor, const std::string& text) {
    body_ += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"11\" "
        "font-family=\"sans-serif\" fill=\"#444\">{}</text>\n",
        x, y, anchor, escaped(text));
  }
  // Draws values over times. NaN interrupts the curve.
  void curve(const std::vector<double>& times, const std::vector<double>& values,
             const char* color) {
    std::string points;
    const auto end_line = [&] {
      if (!points.empty())
        body_ +=
            fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\"/>\n", points, color);
      points.clear();
    };
    for (size_t k = 0; k < times.size(); ++k)
      if (std::isnan(values[k]))
        end_line();
      else
        points += fmt::format("{:.1f},{:.1f} ", x(times[k]), y(values[k]));
    end_line();
  }
  void axes(const std::string& x_unit) {
    line(left, y(y0_), width - right, y(y0_), "#888");
    line(left, top, left, y(y0_), "#888");
    for (const double at : {y0_, (y0_ + y1_) / 2, y1_}) {
      line(left - 4, y(at), left, y(at), "#888");
      text(left - 6, y(at) + 4, "end", fmt::format("{:.3g}", at));
    }
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      const double at = x0_ + part * (x1_ - x0_);
      text(x(at), height_ - 8, "middle",
           fmt::format("{:.3g}{}", at, part == 1 ? " " + x_unit : ""));
    }
  }
  std::string svg() const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" "
        "height=\"{}\">\n<rect width=\"{}\" height=\"{}\" fill=\"white\"/>\n{}</svg>\n",
        width, height_, width, height_, width, height_, body_);
  }

 private:
  double height_, x0_, x1_, y0_, y1_;
  std::string body_;
};

constexpr const char *measured_color = "#999999", *predicted_color = "#c03020",
                     *residual_color = "#2060a0";

struct Curves {
  std::vector<double> time, measured, predicted, residual;
};
// Returns at most 1500 samples of one joint.
Curves curves(const Compared& comparison, size_t joint) {
  constexpr size_t most = 1500;
  const size_t n = comparison.estimates.joints.size(), samples = comparison.time.size(),
               interval = samples / most + 1;
  Curves out;
  for (size_t k = 0; k < samples; k += interval) {
    const double measured = comparison.estimates.measured[k * n + joint],
                 predicted = comparison.estimates.predicted[k * n + joint];
    out.time.push_back(comparison.time[k]);
    out.measured.push_back(measured);
    out.predicted.push_back(predicted);
    out.residual.push_back(measured - predicted);
  }
  return out;
}

struct Bounds {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(const std::vector<double>& values) {
    for (const double value : values) {
      if (std::isnan(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    if (low > high) low = high = 0;
    if (low == high) low -= 1, high += 1;
  }
};

std::string joint_pictures(const Compared& comparison, size_t joint) {
  const Prediction::Joint& about = comparison.estimates.joints[joint];
  const Curves of = curves(comparison, joint);
  if (of.time.size() < 2 || about.samples == 0) return "";
  Bounds torques, residuals;
  torques.add(of.measured);
  torques.add(of.predicted);
  residuals.add(of.residual);
  Picture fit(170, of.time.front(), of.time.back(), torques.low, torques.high),
      rest(110, of.time.front(), of.time.back(), residuals.low, residuals.high);
  fit.axes("s");
  fit.curve(of.time, of.measured, measured_color);
  fit.curve(of.time, of.predicted, predicted_color);
  rest.axes("s");
  rest.line(rest.x(of.time.front()), rest.y(0), rest.x(of.time.back()), rest.y(0), "#ccc");
  rest.curve(of.time, of.residual, residual_color);
  return fmt::format(
      "<h3>{}</h3>\n<p>Torque in {}: measured (grey), predicted (red); below it, measured - "
      "predicted. Root mean squares: torque {:.4g}, error {:.4g}, error with the physical "
      "parameters {:.4g}.</p>\n{}{}",
      escaped(about.name), about.unit, about.torque, about.error,
      comparison.physical.joints[joint].error, fit.svg(), rest.svg());
}

std::string comparison_section(const Compared& comparison, const std::string& title) {
  std::string out = fmt::format("<h2>{}</h2>\n<p>Recording: <code>{}</code></p>\n", title,
                                escaped(comparison.run));
  out +=
      "<table><tr><th>Joint</th><th>Unit</th><th>Torque (rms)</th><th>Error (rms)</th><th>Error "
      "[%]</th><th>Error, physical</th></tr>\n";
  for (size_t j = 0; j < comparison.estimates.joints.size(); ++j) {
    const auto& [name, unit, samples, error, torque] = comparison.estimates.joints[j];
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{:.4g}</td><td>{:.4g}</td><td>{:.3g}</td><td>{:.4g}</td></"
        "tr>\n",
        escaped(name), unit, torque, error, torque > 0 ? 100 * error / torque : 0,
        comparison.physical.joints[j].error);
  }
  out += "</table>\n";
  for (size_t j = 0; j < comparison.estimates.joints.size(); ++j)
    out += joint_pictures(comparison, j);
  return out;
}

// One row per base parameter: the interval relative to the value of the model, in half widths of
// the interval, and the physical value.
std::string interval_picture(const IdentificationReport& report) {
  constexpr double range = 4, row = 15;
  const Identification& found = report.found;
  const size_t n = found.base.rank();
  Picture picture(row * double(n) + Picture::top + Picture::bottom, -range, range, double(n), 0);
  for (const double at : {-range, -range / 2, 0.0, range / 2, range}) {
    picture.line(picture.x(at), Picture::top, picture.x(at), picture.y(double(n)),
                 at == 0 ? "#888" : "#e4e4e4");
    picture.text(picture.x(at), picture.y(double(n)) + 16, "middle", fmt::format("{:g}", at));
  }
  for (size_t i = 0; i < n; ++i) {
    const double unit = found.half_width[i];
    if (!(unit > 0)) continue;
    const auto place = [&](double value) {
      return picture.x(std::clamp((value - found.base.values[i]) / unit, -range, range));
    };
    const double y = picture.y(double(i) + 0.5), x = found.estimate[i],
                 physical = place(report.physical.base[i]);
    picture.line(place(x - unit), y, place(x + unit), y, residual_color);
    picture.line(place(x), y - 4, place(x), y + 4, residual_color);
    picture.line(physical - 3, y - 3, physical + 3, y + 3, predicted_color);
    picture.line(physical - 3, y + 3, physical + 3, y - 3, predicted_color);
    picture.text(Picture::left - 4, y + 4, "end", found.base.names[i]);
  }
  return picture.svg();
}

std::string parameter_table(const IdentificationReport& report) {
  const BaseParameters& base = report.found.base;
  const std::vector<std::string> base_units = units(base);
  std::string out =
      "<table><tr><th>Parameter</th><th>Unit</th><th>Estimate</th><th>95 % interval</th><th>Model"
      "</th><th>Physical</th></tr>\n";
  for (size_t i = 0; i < base.rank(); ++i)
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{:.6g}</td><td>&plusmn; {:.2g}</td><td>{:.6g}</td><td>"
        "{:.6g}</td></tr>\n",
        escaped(base.names[i]), base_units[i], report.found.estimate[i], report.found.half_width[i],
        base.values[i], report.physical.base[i]);
  return out + "</table>\n";
}

}  // namespace

std::string identification_text(const IdentificationReport& report) {
  const Identification& found = report.found;
  const BaseParameters& base = found.base;
  std::string out = fmt::format("samples      {}, {} equations for {} base parameters of {}\n",
                                found.samples, found.equations, base.rank(), base.standard.size());
  if (found.at_rest > 0)
    out += fmt::format(
        "left out     {} equations of joints with dry friction that were at rest or within the "
        "dead band\n",
        found.at_rest);
  out += fmt::format("dead band    {:.2g} at most, in rad/s or m/s{}\n",
                     *std::ranges::max_element(report.dead_band),
                     report.dead_band_of_noise ? ": four times the noise of the rates" : "");
  out += fmt::format("v and vdot   {}\n", filter_text(report));
  out += fmt::format("weights      {}\n", report.equal_weights ? "equal (ordinary least squares)"
                                          : report.by_energy
                                              ? "none: one equation of energy for each interval"
                                              : "by the residuals of each joint");
  out += fmt::format("condition    {:.4g} (columns of norm 1)\n\n", found.condition);
  out += table_of_parameters(report);
  std::vector<Cells> rows = {{"joint", "unit", "residual", "rms torque", "equations"}};
  for (const auto& [name, unit, equations, residual, torque] : found.joints)
    rows.push_back({name, unit, fmt::format("{:.3g}", residual), fmt::format("{:.3g}", torque),
                    fmt::format("{}", equations)});
  out += "\n" + table_text(rows, 2, "");
  for (const Compared& comparison : report.validations) out += table_of_validation(comparison);
  out += "\nwhere\n";
  for (const std::string& relation : relations(base)) out += fmt::format("  {}\n", relation);
  return out + physical_text(report);
}

Json identification_json(const IdentificationReport& report) {
  const Identification& found = report.found;
  const BaseParameters& base = found.base;
  const std::vector<std::string> base_units = units(base);
  Json out{{"samples", found.samples},
           {"equations", found.equations},
           {"left_out_at_rest", found.at_rest},
           {"dead_band", report.dead_band},
           {"condition", found.condition},
           {"weights", report.equal_weights ? "equal" : "residuals"},
           {"method", report.by_energy ? "energy" : "torque"}};
  if (const auto& filtered = report.measured.filtered)
    out["filter"] = {{"bandwidth", filtered->bandwidth},
                     {"cutoff", filtered->position_filter.cutoff()},
                     {"equation_cutoff", filtered->decimation.filter.cutoff()},
                     {"interval", filtered->decimation.interval()},
                     {"noise", filtered->noise}};
  out["parameters"] = Json::array();
  out["joints"] = Json::array();
  for (size_t i = 0; i < base.rank(); ++i)
    out["parameters"].push_back(
        {{"name", base.names[i]},
         {"unit", base_units[i]},
         {"estimate", found.estimate[i]},
         {"standard_deviation", found.deviation[i]},
         {"interval_95",
          {found.estimate[i] - found.half_width[i], found.estimate[i] + found.half_width[i]}},
         {"model", base.values[i]},
         {"physical", report.physical.base[i]}});
  for (const auto& [name, unit, equations, residual, torque] : found.joints)
    out["joints"].push_back({{"name", name},
                             {"unit", unit},
                             {"equations", equations},
                             {"residual", residual},
                             {"rms_torque", torque}});
  Json fitted = Json::object();
  for (size_t p = 0; p < base.standard.size(); ++p)
    fitted[base.standard[p].name] = report.physical.standard[p];
  out["physical"] = {{"within_intervals", report.physical.within_intervals()},
                     {"farthest_of_interval", report.physical.farthest},
                     {"of", base.names[size_t(report.physical.of)]},
                     {"standard", fitted},
                     {"distance", report.physical.distance}};
  out["validation"] = Json::array();
  for (const Compared& comparison : report.validations)
    out["validation"].push_back(comparison_json(comparison));
  out["base_parameters"] = base_parameters_json(base);
  return out;
}

std::string identification_html(const IdentificationReport& report) {
  const Identification& found = report.found;
  std::string out = html_head("Identification of a robot");
  out += fmt::format(
      "<h1>{}</h1>\n<p>{} equations of {} samples determine {} base parameters. Condition number "
      "{:.4g}.",
      escaped(report.run), found.equations, found.samples, found.base.rank(), found.condition);
  if (const auto& filtered = report.measured.filtered)
    out += fmt::format(
        " v and vdot follow from q by a low-pass of {:.4g} Hz; the equations are filtered at "
        "{:.4g} "
        "Hz and one of {} is used.",
        filtered->position_filter.cutoff(), filtered->decimation.filter.cutoff(),
        filtered->decimation.interval());
  out += fmt::format(
      " The physical parameters are {:.3g} standard deviations from the estimates: {}.</p>\n",
      report.physical.distance, escaped(physical_verdict(report)));
  out += comparison_section(report.own, "Motion of the identification");
  for (const Compared& comparison : report.validations)
    out += comparison_section(comparison, "Prediction of another motion");
  out += "<h2>Parameters</h2>\n" + parameter_table(report);
  out +=
      "<h2>Intervals</h2>\n<p>Blue: the estimate and its 95 % interval, relative to the value of "
      "the "
      "model and in half widths of the interval. Red: the physical parameters. Values beyond 4 are "
      "drawn at the border.</p>\n" +
      interval_picture(report);
  out += "<h2>Groups</h2>\n<ul>\n";
  for (const std::string& relation : relations(found.base))
    out += fmt::format("<li><code>{}</code></li>\n", escaped(relation));
  return out + "</ul>\n</body></html>\n";
}

}  // namespace torsor::cli
