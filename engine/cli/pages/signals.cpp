#include "torsor/cli/pages/signals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "torsor/base/error.hpp"

namespace torsor::cli {

std::vector<std::string> prefixes_of(const std::string& name) {
  std::vector<std::string> prefixes;
  for (size_t k = name.find_first_of(".["); k != std::string::npos;
       k = name.find_first_of(".[", k + 1))
    prefixes.push_back(name.substr(0, k));
  prefixes.push_back(name);
  return prefixes;
}

bool belongs(const std::string& name, const std::string& signal) {
  return std::ranges::count(prefixes_of(name), signal) > 0;
}

namespace {

[[noreturn]] void no_such_signal(const std::string& signal, const Recording& recording,
                                 const std::string& run) {
  std::set<std::string> all, groups;
  for (size_t k = 1; k < recording.columns.size(); ++k) {
    const std::vector<std::string> prefixes = prefixes_of(recording.columns[k].name);
    all.insert(prefixes.begin(), prefixes.end());
    groups.insert(prefixes[prefixes.size() > 1 ? prefixes.size() - 2 : 0]);
  }
  if (groups.empty())
    throw Error(fmt::format("there is no signal '{}' in '{}', which has only times", signal, run));
  throw Error(fmt::format(
      "there is no signal '{}' in '{}'; the signals are {}, and their columns{}", signal, run,
      fmt::join(groups, ", "), did_you_mean(signal, {all.begin(), all.end()})));
}

}  // namespace

std::vector<size_t> columns_of(const std::vector<std::string>& signals, const Recording& recording,
                               const std::string& run) {
  std::vector<size_t> columns;
  for (const std::string& signal : signals) {
    bool found = false;
    for (size_t k = 1; k < recording.columns.size(); ++k) {
      if (!belongs(recording.columns[k].name, signal)) continue;
      found = true;
      if (!std::ranges::count(columns, k)) columns.push_back(k);
    }
    if (!found) no_such_signal(signal, recording, run);
  }
  return columns;
}

namespace {

// Returns the longest signal name that contains all these columns, or "" if there is none.
std::string common_name(const Recording& recording, const std::vector<size_t>& columns) {
  std::string common;
  for (const std::string& prefix : prefixes_of(recording.columns[columns[0]].name))
    if (std::ranges::all_of(columns,
                            [&](size_t k) { return belongs(recording.columns[k].name, prefix); }))
      common = prefix;
  return common;
}

}  // namespace

std::vector<Panel> panels_by_unit(const Recording& recording, const std::vector<size_t>& columns) {
  std::vector<std::string> units;
  for (const size_t k : columns)
    if (!std::ranges::count(units, recording.columns[k].unit))
      units.push_back(recording.columns[k].unit);
  std::vector<Panel> panels;
  for (const std::string& unit : units) {
    std::vector<size_t> own;
    std::ranges::copy_if(columns, std::back_inserter(own),
                         [&](size_t k) { return recording.columns[k].unit == unit; });
    const std::string common = common_name(recording, own);
    Panel panel{fmt::format("{}{}[{}]", common, common.empty() ? "" : " ", unit), {}};
    for (const size_t k : own) {
      std::string label = recording.columns[k].name;
      if (own.size() > 1 && !common.empty())
        label.erase(0, common.size() + (label[common.size()] == '.'));
      panel.curves.push_back({label, k});
    }
    panels.push_back(panel);
  }
  return panels;
}

}  // namespace torsor::cli
