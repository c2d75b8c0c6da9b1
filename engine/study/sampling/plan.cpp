#include "torsor/study/sampling/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/study/sampling/number_text.hpp"

namespace torsor {

namespace {

// A table of more samples could not be addressed in doubles.
constexpr double most_samples = 0x1p52;

const StudyParameter& parameter_named(const std::vector<StudyParameter>& parameters,
                                      const std::string& name, const std::string& place) {
  const auto found = std::ranges::find(parameters, name, &StudyParameter::name);
  if (found != parameters.end()) return *found;
  std::vector<std::string> names;
  for (const StudyParameter& each : parameters) names.push_back(each.name);
  throw Error(fmt::format("{}: the scene has no parameter of this name; there are: {}{}", place,
                          names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")),
                          did_you_mean(name, names)));
}

// Returns the labels of a parameter. `given` are the values of a grid or a table, which are the
// labels of a parameter whose nominal value is a string.
std::vector<std::string> labels_of(const StudyParameter& parameter,
                                   const std::vector<std::string>& given) {
  if (parameter.distribution) return parameter.distribution->labels();
  if (std::holds_alternative<bool>(parameter.nominal)) return {"false", "true"};
  if (std::holds_alternative<double>(parameter.nominal)) return {};
  std::vector<std::string> labels;
  for (const std::string& text : given)
    if (std::ranges::find(labels, text) == labels.end()) labels.push_back(text);
  return labels;
}

double nominal_of(const StudyParameter& parameter, const std::vector<std::string>& labels) {
  if (parameter.distribution) return parameter.distribution->nominal();
  if (const auto* number = std::get_if<double>(&parameter.nominal)) return *number;
  if (const auto* flag = std::get_if<bool>(&parameter.nominal)) return *flag ? 1 : 0;
  const auto found = std::ranges::find(labels, std::get<std::string>(parameter.nominal));
  return found == labels.end() ? 0 : double(found - labels.begin());
}

// Returns the stored number of a value that is given as text.
double stored_value(const PlanColumn& column, const std::string& text, const std::string& place) {
  if (column.labels.empty()) {
    if (const auto number = number_of(text)) return *number;
    throw Error(fmt::format("{}: '{}' is not a number, the type of the parameter in the scene",
                            place, quotable(text)));
  }
  const auto found = std::ranges::find(column.labels, text);
  if (found != column.labels.end()) return double(found - column.labels.begin());
  throw Error(fmt::format("{}: '{}' is not a value of the parameter; it has: {}{}", place,
                          quotable(text), fmt::join(column.labels, ", "),
                          did_you_mean(text, column.labels)));
}

// Returns the numbers of a range "FROM:TO:COUNT", or nullopt for another text. Both ends are exact.
// Integers at equal distances are exact, too.
std::optional<std::vector<double>> range_of(const std::string& text, const std::string& place) {
  const size_t first = text.find(':'), second = text.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return std::nullopt;
  const auto from = number_of(text.substr(0, first)),
             to = number_of(text.substr(first + 1, second - first - 1)),
             count = number_of(text.substr(second + 1));
  constexpr double most = 1e6;
  if (!from || !to || !count || *count < 2 || *count > most || *count != std::floor(*count))
    throw Error(fmt::format(
        "{}: '{}' is not a range; write FROM:TO:COUNT with a count of at least 2, as in 0:4:5",
        place, quotable(text)));
  std::vector<double> out;
  const double last = *count - 1;
  for (double k = 0; k < last; ++k) out.push_back(((last - k) * *from + k * *to) / last);
  out.front() = *from;
  out.push_back(*to);
  return out;
}

std::vector<double> axis_values(const PlanColumn& column, const GridAxis& axis) {
  const std::string place =
      fmt::format("--grid {}={}", axis.parameter, fmt::join(axis.values, ","));
  std::vector<double> out;
  for (const std::string& text : axis.values) {
    if (text.empty()) throw Error(place + ": a value is empty; separate values by commas");
    const auto range = column.labels.empty() ? range_of(text, place) : std::nullopt;
    if (range)
      out.insert(out.end(), range->begin(), range->end());
    else
      out.push_back(stored_value(column, text, place));
  }
  std::set<double> seen;
  for (const double value : out)
    if (!seen.insert(value).second)
      throw Error(fmt::format("{}: {} is given twice", place, column.text(value)));
  return out;
}

}  // namespace

std::string PlanColumn::text(double value) const {
  return labels.empty() ? number_text(value) : labels[size_t(value)];
}

Plan::Plan(const std::vector<StudyParameter>& parameters, const PlanRequest& request) {
  add_columns(parameters, request);
  if (request.table)
    add_table(parameters, *request.table);
  else if (!request.grid.empty())
    add_grid(parameters, request);
  else
    add_distributions(parameters);
  if (request.samples > 0) {
    if (axes_.empty())
      throw Error(
          "no parameter has a distribution, so that all samples would be equal; write for example "
          "torsor.params{ payload = torsor.normal(2, 0.3) }, or use --grid NAME=VALUE,VALUE");
    if (double(request.samples) > most_samples)
      throw Error(fmt::format("--samples {}: there are too many", request.samples));
    design_ = make_design(request.design, axes_.size(), request.samples, request.seed);
    samples_ = request.samples;
  } else {
    count_combinations();
  }
}

void Plan::add_columns(const std::vector<StudyParameter>& parameters, const PlanRequest& request) {
  const auto given = [&](const std::string& name) -> const std::vector<std::string>* {
    for (const GridAxis& axis : request.grid)
      if (axis.parameter == name) return &axis.values;
    if (request.table)
      for (const TextTable::Column& column : request.table->columns)
        if (column.name == name) return &column.values;
    return nullptr;
  };
  for (const StudyParameter& parameter : parameters) {
    const std::vector<std::string>* values = given(parameter.name);
    if (!values && !parameter.distribution) continue;
    const auto labels = labels_of(parameter, values ? *values : std::vector<std::string>());
    columns_.push_back({parameter.name, parameter.unit, labels});
    nominal_.push_back(nominal_of(parameter, labels));
  }
}

size_t Plan::column(const std::string& name) const {
  return size_t(std::ranges::find(columns_, name, &PlanColumn::name) - columns_.begin());
}

void Plan::add_distributions(const std::vector<StudyParameter>& parameters) {
  std::map<std::string, size_t> tables;  // index of the axis of each table
  for (const StudyParameter& parameter : parameters) {
    if (!parameter.distribution) continue;
    const std::string table = parameter.distribution->table();
    const auto known = tables.find(table);
    if (known == tables.end()) {
      axes_.push_back({{}, parameter.distribution->count().value_or(0)});
      if (!table.empty()) tables[table] = axes_.size() - 1;
    }
    Axis& axis = known == tables.end() ? axes_.back() : axes_[known->second];
    axis.parts.push_back({column(parameter.name), parameter.distribution, {}});
  }
}

void Plan::add_grid(const std::vector<StudyParameter>& parameters, const PlanRequest& request) {
  std::set<std::string> seen;
  for (const GridAxis& axis : request.grid) {
    parameter_named(parameters, axis.parameter, "--grid " + axis.parameter);
    if (!seen.insert(axis.parameter).second)
      throw Error(fmt::format("--grid {0}: '{0}' is given twice", axis.parameter));
    const size_t at = column(axis.parameter);
    std::vector<double> values = axis_values(columns_[at], axis);
    const uint64_t count = values.size();
    axes_.push_back({{{at, nullptr, std::move(values)}}, count});
  }
}

void Plan::add_table(const std::vector<StudyParameter>& parameters, const TextTable& table) {
  Axis axis{{}, table.rows};
  for (const TextTable::Column& given : table.columns) {
    const std::string place = "--from: column '" + given.name + "'";
    parameter_named(parameters, given.name, place);
    Part part{column(given.name), nullptr, {}};
    for (const std::string& text : given.values)
      part.values.push_back(stored_value(columns_[part.column], text, place));
    axis.parts.push_back(std::move(part));
  }
  axes_.push_back(std::move(axis));
}

void Plan::count_combinations() {
  if (axes_.empty())
    throw Error(
        "no parameter varies: use --grid NAME=VALUE,VALUE, or a distribution in the scene, as in "
        "torsor.params{ payload = torsor.normal(2, 0.3) }, and --samples N");
  double count = 1;
  for (const Axis& axis : axes_) {
    if (axis.count == 0)
      throw Error(fmt::format("'{}' has infinitely many values: use --samples N",
                              columns_[axis.parts[0].column].name));
    count *= double(axis.count);
  }
  if (count > most_samples)
    throw Error(
        fmt::format("the grid has {:.3g} samples, which is too many; give fewer values", count));
  samples_ = uint64_t(count);
}

PlanAxes Plan::axes() const {
  PlanAxes out;
  for (const Axis& axis : axes_) {
    out.emplace_back();
    for (const Part& part : axis.parts) out.back().push_back(columns_[part.column].name);
  }
  return out;
}

void Plan::values(uint64_t k, std::span<double> out) const {
  std::ranges::copy(nominal_, out.begin());
  if (design_) {
    std::vector<double> u(axes_.size());
    design_->point(k, u);
    for (size_t d = 0; d < axes_.size(); ++d)
      for (const Part& part : axes_[d].parts) out[part.column] = part.distribution->quantile(u[d]);
    return;
  }
  // The last axis changes fastest.
  for (size_t d = axes_.size(); d-- > 0; k /= axes_[d].count)
    for (const Part& part : axes_[d].parts) out[part.column] = part.value(k % axes_[d].count);
}

StudySettings Plan::settings(std::span<const double> values) const {
  StudySettings out;
  for (size_t k = 0; k < columns_.size(); ++k) out[columns_[k].name] = columns_[k].text(values[k]);
  return out;
}

}  // namespace torsor
