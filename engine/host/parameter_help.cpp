#include "torsor/host/parameter_help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <string_view>

#include "torsor/host/positions.hpp"
#include "torsor/loading/descriptor.hpp"

namespace torsor {

std::string what_it_takes(const torsor_param& row) {
  if (is_motion(row)) return what_motion_takes(row);
  if (row.type == TORSOR_FLAG) return "true or false";
  if (row.type == TORSOR_CHOICE)
    return fmt::format("one of {}", fmt::join(choice_names(row), ", "));
  if (row.type == TORSOR_FRAME)
    return row.count == 1   ? "the name of a link or frame, or \"world\""
           : row.count == 0 ? "a list of names of links or frames"
                            : fmt::format("a list of {} names of links or frames", row.count);
  const std::string_view kind = row.type == TORSOR_INTEGER ? "whole number" : "number";
  const bool has_unit = *row.unit && std::string_view(row.unit) != "1";
  const std::string unit = has_unit ? fmt::format(" {}", row.unit) : "";
  const bool open = row.max == std::numeric_limits<double>::max();
  const std::string range = !open ? fmt::format(" in [{}, {}]{}", row.min, row.max, unit)
                            : row.min == -row.max ? unit
                                                  : fmt::format(" of at least {}{}", row.min, unit);
  if (row.count == 1) return fmt::format("a {}{}", kind, range);
  if (row.count == 0) return fmt::format("a list of {}s{}", kind, range);
  return fmt::format("a list of {} {}s{}", row.count, kind, range);
}

namespace {

std::string initial_text(const torsor_param& row) {
  if (row.type >= TORSOR_FRAME || row.count == 0) return "";
  if (row.type == TORSOR_FLAG) return row.initial != 0 ? "true" : "false";
  if (row.type == TORSOR_CHOICE) return choice_names(row)[size_t(row.initial)];
  return fmt::format("{}", row.initial);
}

}  // namespace

std::vector<ParameterHelp> parameter_help(const torsor_descriptor& descriptor) {
  std::vector<ParameterHelp> out;
  for (const torsor_param& row : parameter_rows(descriptor))
    out.push_back({row.name, row.unit, row.help, what_it_takes(row), initial_text(row),
                   row.type >= TORSOR_FRAME && row.count > 0});
  return out;
}

}  // namespace torsor
