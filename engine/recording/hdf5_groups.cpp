#include "torsor/recording/hdf5_groups.hpp"

#include <fmt/format.h>

#include <unordered_set>

#include "torsor/base/error.hpp"

namespace torsor::hdf5 {

namespace {

// Returns the longest signal name that is the column's name or a prefix of it. A shorter one may
// belong to another signal, because frames can be named "a" and "a.b".
std::string signal_of(const Column& column, const std::unordered_set<std::string>& signals) {
  for (size_t end = column.name.size(); end != std::string::npos && end > 0;
       end = column.name.rfind('.', end - 1))
    if (std::string prefix = column.name.substr(0, end); signals.contains(prefix)) return prefix;
  throw Error(fmt::format("the column '{}' belongs to none of the recorded signals", column.name));
}

}  // namespace

std::vector<Group> groups_of(const std::vector<Column>& columns,
                             const std::vector<std::string>& signals) {
  const std::unordered_set<std::string> names(signals.begin(), signals.end());
  std::vector<Group> groups{{columns.at(0).name, 0, 1}};
  for (size_t k = 1; k < columns.size(); ++k) {
    const std::string signal = signal_of(columns[k], names);
    if (groups.back().signal != signal) groups.push_back({signal, k, 0});
    ++groups.back().count;
  }
  return groups;
}

}  // namespace torsor::hdf5
