#include "torsor/host/parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "torsor/host/descriptor.hpp"

namespace torsor {

namespace {

std::string what_it_takes(const torsor_param& row) {
  if (row.type == TORSOR_FLAG) return "true or false";
  if (row.type == TORSOR_CHOICE) return fmt::format("one of {}", fmt::join(choice_names(row), ", "));
  const std::string_view kind = row.type == TORSOR_INTEGER ? "whole number" : "number";
  const std::string unit = *row.unit ? fmt::format(" {}", row.unit) : "";
  const std::string range = fmt::format("in [{}, {}]{}", row.min, row.max, unit);
  if (row.count == 1) return fmt::format("a {} {}", kind, range);
  if (row.count == 0) return fmt::format("a list of {}s {}", kind, range);
  return fmt::format("a list of {} {}s {}", row.count, kind, range);
}

std::string text(const ParameterValue& value) {
  if (const auto* list = std::get_if<std::vector<double>>(&value))
    return list->size() > 8 ? fmt::format("{} values", list->size())
                            : fmt::format("[{}]", fmt::join(*list, ", "));
  if (const auto* word = std::get_if<std::string>(&value)) return fmt::format("'{}'", *word);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return fmt::format("{}", std::get<double>(value));
}

bool in_range(const torsor_param& row, double x) {
  return std::isfinite(x) && x >= row.min && x <= row.max &&
         (row.type != TORSOR_INTEGER || x == std::floor(x));
}

// The numbers a plugin is given for a value; none where the value does not suit the row.
std::optional<std::vector<double>> numbers(const torsor_param& row, const ParameterValue& value) {
  if (row.type == TORSOR_FLAG) {
    const auto* flag = std::get_if<bool>(&value);
    return flag ? std::optional(std::vector{*flag ? 1.0 : 0.0}) : std::nullopt;
  }
  if (row.type == TORSOR_CHOICE) {
    const auto* word = std::get_if<std::string>(&value);
    const std::vector<std::string> names = choice_names(row);
    for (size_t k = 0; word && k < names.size(); ++k)
      if (names[k] == *word) return std::vector{double(k)};
    return std::nullopt;
  }
  std::vector<double> list;
  if (const auto* number = std::get_if<double>(&value)) {
    list = {*number};
  } else if (const auto* many = std::get_if<std::vector<double>>(&value)) {
    list = *many;
  } else {
    return std::nullopt;
  }
  if (row.count != 0 && list.size() != row.count) return std::nullopt;
  for (const double x : list)
    if (!in_range(row, x)) return std::nullopt;
  return list;
}

void hand_over(SolverPlugin& plugin, size_t index, const torsor_param& row,
               const std::vector<double>& values) {
  const torsor_status status =
      plugin.get()->set_param(plugin.get(), uint32_t(index), values.data(), uint32_t(values.size()));
  if (status == TORSOR_OK) return;
  const std::string reason = plugin.report();
  throw Error(fmt::format("'{}' refused its parameter '{}': {}", plugin.descriptor().id, row.name,
                          reason.empty() ? fmt::format("status {}, without a reason", status) : reason));
}

}  // namespace

void set_parameter(SolverPlugin& plugin, const Parameter& parameter) {
  const torsor_descriptor& descriptor = plugin.descriptor();
  const std::vector<const torsor_param*> rows = parameter_rows(descriptor);
  std::vector<std::string> names;
  for (size_t k = 0; k < rows.size(); ++k) {
    const torsor_param& row = *rows[k];
    names.emplace_back(row.name);
    if (parameter.name != row.name) continue;
    const auto values = numbers(row, parameter.value);
    if (values) return hand_over(plugin, k, row, *values);
    const auto* word = std::get_if<std::string>(&parameter.value);
    const bool choose = word && row.type == TORSOR_CHOICE;
    throw Error(fmt::format("parameter '{}' of '{}' must be {}, not {}{}", row.name, descriptor.id,
                            what_it_takes(row), text(parameter.value),
                            choose ? did_you_mean(*word, choice_names(row)) : ""));
  }
  throw Error(fmt::format("'{}' has no parameter '{}'{} ({})", descriptor.id, parameter.name,
                          did_you_mean(parameter.name, names),
                          names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "))));
}

void set_initial_parameters(SolverPlugin& plugin) {
  const std::vector<const torsor_param*> rows = parameter_rows(plugin.descriptor());
  for (size_t k = 0; k < rows.size(); ++k)
    if (rows[k]->count > 0)
      hand_over(plugin, k, *rows[k], std::vector<double>(rows[k]->count, rows[k]->initial));
}

}  // namespace torsor
