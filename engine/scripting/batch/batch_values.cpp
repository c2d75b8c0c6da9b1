#include "torsor/scripting/batch/batch_values.hpp"

#include <fmt/format.h>

#include "torsor/scripting/values/read_task.hpp"

namespace torsor::lua {

namespace {

// Calls read(index, place) for each list of a key, and writes the numbers that it returns to
// [entries][stride].
template <class Read>
void read_lists(const TableReader& table, const char* key, const StateBatch& states,
                std::span<double> to, Read read) {
  size_t k = 0;
  const auto fail = [&](size_t count) {
    table.fail(fmt::format("{} has {} states, and q has {}", key, count, states.size()));
  };
  table.each_entry(key, "a list of lists, one per state", [&](int index, const Place& place) {
    if (k == states.size()) fail(k + 1);
    const std::vector<double> values = read(index, place);
    for (size_t i = 0; i < values.size(); ++i) to[i * states.stride() + k] = values[i];
    ++k;
  });
  if (k < states.size()) fail(k);
}

}  // namespace

size_t count_states(const TableReader& table) {
  size_t n = 0;
  table.each_entry("q", "a list of lists, one per state", [&](int, const Place&) { ++n; });
  if (n == 0) table.fail("q must have the positions of one state or more");
  return n;
}

void read_states(const TableReader& table, StateBatch& states) {
  read_lists(table, "q", states, states.q(), [&](int index, const Place& place) {
    return positions_at(table.state(), index, place, states.model());
  });
  read_rows(table, "v", states, states.v());
}

void read_rows(const TableReader& table, const char* key, const StateBatch& states,
               std::span<double> to) {
  if (!table.has(key)) return;
  read_lists(table, key, states, to, [&](int index, const Place& place) {
    return numbers_at(table.state(), index, place, size_t(states.model().n_v));
  });
}

}  // namespace torsor::lua
