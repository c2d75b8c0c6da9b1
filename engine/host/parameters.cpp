#include "torsor/host/parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "torsor/host/parameter_help.hpp"
#include "torsor/host/positions.hpp"
#include "torsor/loading/descriptor.hpp"
#include "torsor/plugin/plugin_table.hpp"

namespace torsor {

namespace {

std::string text(const ParameterValue& value) {
  if (const auto* list = std::get_if<std::vector<double>>(&value))
    return list->size() > 8 ? fmt::format("{} values", list->size())
                            : fmt::format("[{}]", fmt::join(*list, ", "));
  if (const auto* word = std::get_if<std::string>(&value)) return fmt::format("'{}'", *word);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* frames = std::get_if<std::vector<FramePlace>>(&value))
    return fmt::format("{} frames", frames->size());
  if (const auto* rows = std::get_if<Rows>(&value)) return fmt::format("{} rows", rows->size());
  return fmt::format("{}", std::get<double>(value));
}

bool in_range(const torsor_param& row, double x) {
  return std::isfinite(x) && x >= row.min && x <= row.max &&
         (row.type != TORSOR_INTEGER || x == std::floor(x));
}

// Converts a value to the numbers that the plugin receives. Returns nullopt if the type or count of
// the value does not match the row.
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

std::optional<std::vector<FramePlace>> places(const ParameterValue& value) {
  if (const auto* name = std::get_if<std::string>(&value)) return std::vector<FramePlace>{{*name}};
  if (const auto* many = std::get_if<std::vector<FramePlace>>(&value)) return *many;
  return std::nullopt;
}

// Converts a value to the frames that the plugin receives. Returns nullopt if the type or count of
// the value does not match the row.
std::optional<std::vector<torsor_frame>> frames(const torsor_param& row, const Model& model,
                                                const ParameterValue& value) {
  const auto named = places(value);
  if (!named || (row.count != 0 && named->size() != row.count)) return std::nullopt;
  std::vector<torsor_frame> out;
  for (const FramePlace& place : *named) {
    const Frame frame = frame_at(model, place);
    torsor_frame& entry = out.emplace_back();
    entry.body = frame.body;
    std::memcpy(entry.X_BF, &frame.X_BF, sizeof frame.X_BF);
  }
  return out;
}

void require_taken(const Plugin& plugin, const torsor_param& row, torsor_status status) {
  if (status == TORSOR_OK) return;
  require_unaltered_host(plugin, row.type == TORSOR_FRAME ? "set_frames" : "set_param", status);
  const std::string reason = plugin.report();
  throw Error(fmt::format("'{}' rejected its parameter '{}': {}", plugin.descriptor().id, row.name,
                          reason.empty() ? words_of(status) + ", without a reason" : reason));
}

void hand_over(Plugin& plugin, size_t index, const torsor_param& row,
               const std::vector<double>& values) {
  require_taken(plugin, row,
                plugin.ask("set_param", plugin.get()->set_param, plugin.get(), uint32_t(index),
                           values.data(), uint32_t(values.size())));
}

std::optional<std::vector<double>> numbers_of_motion(const Plugin& plugin, const Model& model,
                                                     const std::vector<double>& base,
                                                     const torsor_param& row,
                                                     const ParameterValue& value) {
  try {
    return motion_numbers(row, model, base, value);
  } catch (const Error& error) {
    throw Error(
        fmt::format("parameter '{}' of '{}' {}", row.name, plugin.descriptor().id, error.what()));
  }
}

// Sets a parameter. Returns false, and does not set the parameter, if the type or count of the
// value does not match the row.
bool try_set(Plugin& plugin, const Model& model, const std::vector<double>& base, size_t index,
             const torsor_param& row, const ParameterValue& value) {
  if (row.type == TORSOR_FRAME) {
    const auto list = frames(row, model, value);
    if (list)
      require_taken(plugin, row,
                    plugin.ask("set_frames", plugin.get()->set_frames, plugin.get(),
                               uint32_t(index), list->data(), uint32_t(list->size())));
    return list.has_value();
  }
  const auto values =
      is_motion(row) ? numbers_of_motion(plugin, model, base, row, value) : numbers(row, value);
  if (values) hand_over(plugin, index, row, *values);
  return values.has_value();
}

std::vector<double> initial_values(const torsor_param& row) {
  return std::vector<double>(row.count, row.initial);
}

// Converts numbers that the plugin receives back to a value as users write it.
ParameterValue written(const torsor_param& row, const std::vector<double>& values) {
  if (row.type == TORSOR_FLAG) return values[0] != 0;
  if (row.type == TORSOR_CHOICE) return choice_names(row)[size_t(values[0])];
  if (row.count == 1) return values[0];
  return values;
}

}  // namespace

void set_parameter(Plugin& plugin, const Model& model, const std::vector<double>& base,
                   const Parameter& parameter) {
  const torsor_descriptor& descriptor = plugin.descriptor();
  const std::vector<torsor_param> rows = parameter_rows(descriptor);
  std::vector<std::string> names;
  for (size_t k = 0; k < rows.size(); ++k) {
    const torsor_param& row = rows[k];
    names.emplace_back(row.name);
    if (parameter.name != row.name) continue;
    try {
      if (try_set(plugin, model, base, k, row, parameter.value)) return;
    } catch (const Error& error) {
      if (row.type != TORSOR_FRAME) throw;
      throw Error(fmt::format("parameter '{}' of '{}': {}", row.name, descriptor.id, error.what()));
    }
    const auto* word = std::get_if<std::string>(&parameter.value);
    const bool choose = word && row.type == TORSOR_CHOICE;
    throw Error(fmt::format("parameter '{}' of '{}' must be {}, not {}{}", row.name, descriptor.id,
                            what_it_takes(row), text(parameter.value),
                            choose ? did_you_mean(*word, choice_names(row)) : ""));
  }
  throw Error(fmt::format(
      "'{}' has no parameter '{}'{} ({})", descriptor.id, parameter.name,
      did_you_mean(parameter.name, names),
      names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "))));
}

void set_initial_parameters(Plugin& plugin) {
  const std::vector<torsor_param> rows = parameter_rows(plugin.descriptor());
  for (size_t k = 0; k < rows.size(); ++k)
    if (rows[k].count > 0 && rows[k].type < TORSOR_FRAME)
      hand_over(plugin, k, rows[k], initial_values(rows[k]));
}

std::vector<Setting> settings(const Plugin& plugin, const std::vector<Parameter>& parameters) {
  std::vector<Setting> out;
  for (const torsor_param& row : parameter_rows(plugin.descriptor())) {
    const auto last = std::find_if(parameters.rbegin(), parameters.rend(),
                                   [&](const Parameter& p) { return p.name == row.name; });
    const bool given = last != parameters.rend();
    if (row.type == TORSOR_FRAME)
      out.push_back({row.name, "m", given ? *places(last->value) : std::vector<FramePlace>{}});
    else if (is_motion(row))
      out.push_back({row.name, row.unit, given ? last->value : std::vector<double>{}});
    else
      out.push_back({row.name, row.unit,
                     written(row, given ? *numbers(row, last->value) : initial_values(row))});
  }
  return out;
}

void require_given(const Plugin& plugin, const std::vector<Parameter>& parameters) {
  for (const torsor_param& row : parameter_rows(plugin.descriptor())) {
    const auto named = [&](const Parameter& parameter) { return parameter.name == row.name; };
    if (row.type >= TORSOR_FRAME && row.count > 0 &&
        std::none_of(parameters.begin(), parameters.end(), named))
      throw Error(fmt::format("'{}' needs its parameter '{}': {}", plugin.descriptor().id, row.name,
                              what_it_takes(row)));
  }
}

}  // namespace torsor
