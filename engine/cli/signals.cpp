#include "torsor/cli/signals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "torsor/model/error.hpp"

namespace torsor::cli {

std::vector<std::string> prefixes_of(const std::string& name) {
  std::vector<std::string> prefixes;
  for (size_t k = name.find_first_of(".["); k != std::string::npos; k = name.find_first_of(".[", k + 1))
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
  throw Error(fmt::format("there is no signal '{}' in '{}'{}; there are {}, and their columns", signal, run,
                          did_you_mean(signal, {all.begin(), all.end()}), fmt::join(groups, ", ")));
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

}  // namespace torsor::cli
