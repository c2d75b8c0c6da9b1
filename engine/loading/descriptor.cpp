#include "torsor/loading/descriptor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "torsor/plugin/plugin_kind.hpp"
#include "torsor/sdk/struct_sizes.hpp"

namespace torsor {

namespace {

using Defect = std::optional<std::string>;

bool is_one_line(const char* text) {
  return text && std::none_of(text, text + std::char_traits<char>::length(text), [](char c) {
           return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
         });
}
bool filled(const char* text) {
  return is_one_line(text) && *text;
}

// Returns true if a string consists of words joined by dots. A word begins with a lower-case
// letter, followed by lower-case letters, digits and underscores.
bool is_id(std::string_view text) {
  bool start = true;
  for (const char c : text) {
    const bool letter = c >= 'a' && c <= 'z', other = (c >= '0' && c <= '9') || c == '_';
    if (start ? !letter : !(letter || other || c == '.')) return false;
    start = c == '.';
  }
  return !start;
}

Defect id_defect(const char* id) {
  if (!filled(id)) return "a plugin has no id";
  const std::string_view text = id;
  if (!is_id(text))
    return fmt::format("a plugin has the malformed id '{}'; it must be like 'solver.name'", text);
  const size_t dot = text.find('.');
  if (dot == text.npos)
    return fmt::format("a plugin has the id '{}' without a kind; it must be like 'solver.{}'", text,
                       text);
  if (kind_of(text)) return {};
  return fmt::format("'{}' is of kind '{}', which this engine does not know; it knows {}", text,
                     text.substr(0, dot), fmt::join(plugin_kind_names(), ", "));
}

Defect choice_defect(const torsor_param& row) {
  if (!row.choices || !row.choices[0]) return "is a choice without names";
  std::set<std::string_view> names;
  size_t n = 0;
  for (; row.choices[n]; ++n) {
    if (!filled(row.choices[n])) return fmt::format("has an empty name for choice {}", n);
    if (!names.insert(row.choices[n]).second)
      return fmt::format("has two choices '{}'", row.choices[n]);
  }
  if (row.min != 0 || row.max != double(n - 1))
    return fmt::format("has {} choices but the range [{}, {}]", n, row.min, row.max);
  return {};
}

Defect row_defect(const torsor_param& row) {
  if (!is_one_line(row.unit) || !is_one_line(row.help)) return "has no unit or no help text";
  if (row.type < TORSOR_REAL || row.type > TORSOR_POSES)
    return fmt::format("has the unknown type {}", row.type);
  if (!(row.min <= row.max)) return fmt::format("has min {} > max {}", row.min, row.max);
  if (!std::isfinite(row.initial) || row.initial < row.min || row.initial > row.max)
    return fmt::format("has the initial value {} outside [{}, {}]", row.initial, row.min, row.max);
  if (row.type == TORSOR_REAL || row.type == TORSOR_FRAME) return {};
  if (row.type >= TORSOR_CONFIGURATION)
    return row.count > 1
               ? Defect(fmt::format(
                     "expects {} motions: it must expect one, or 0 if it is optional", row.count))
               : Defect();
  if (row.initial != std::floor(row.initial))
    return fmt::format("has the initial value {}, which is not a whole number", row.initial);
  if (row.type == TORSOR_INTEGER) return {};
  if (row.count != 1)
    return fmt::format("is a flag or choice of {} values: it must have one", row.count);
  if (row.type == TORSOR_CHOICE) return choice_defect(row);
  if (row.min != 0 || row.max != 1)
    return fmt::format("is a flag with the range [{}, {}]", row.min, row.max);
  return {};
}

Defect rows_defect(const torsor_descriptor& d) {
  if (d.n_param == 0) return {};
  if (!d.param) return fmt::format("declares {} parameters but lists none", d.n_param);
  const uint32_t size = d.param->struct_size;
  if (const std::string defect = sdk::size_defect(*d.param); !defect.empty())
    return "has a parameter row that " + defect;
  std::set<std::string_view> names;
  for (const torsor_param& row : parameter_rows(d)) {
    if (row.struct_size != size) return "has parameter rows of different sizes";
    if (!filled(row.name)) return "has a parameter without a name";
    if (!names.insert(row.name).second) return fmt::format("has two parameters '{}'", row.name);
    if (const Defect defect = row_defect(row))
      return fmt::format("parameter '{}' {}", row.name, *defect);
  }
  return {};
}

}  // namespace

std::optional<std::string> descriptor_defect(const torsor_descriptor* d) {
  if (!d) return "a plugin's descriptor is NULL";
  if (const std::string defect = sdk::size_defect(*d); !defect.empty())
    return "a plugin's descriptor " + defect;
  if (Defect defect = id_defect(d->id)) return defect;
  const auto named = [&](std::string_view what) { return fmt::format("'{}' {}", d->id, what); };
  if (!filled(d->version)) return named("has no version");
  if (!filled(d->summary)) return named("has no summary of one line");
  if (!is_one_line(d->family)) return named("has no family (\"\" is for any tree)");
  if (!d->create) return named("has no create function: it is NULL");
  if (const Defect defect = rows_defect(*d)) return named(*defect);
  return {};
}

std::vector<torsor_param> parameter_rows(const torsor_descriptor& d) {
  return sdk::known_rows(d.param, d.n_param);
}

std::vector<std::string> choice_names(const torsor_param& choice) {
  std::vector<std::string> names;
  for (const char* const* name = choice.choices; *name; ++name) names.emplace_back(*name);
  return names;
}

}  // namespace torsor
