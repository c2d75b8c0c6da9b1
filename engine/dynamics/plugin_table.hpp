#pragma once
// What the classes of prepared plugins share: their table of functions, and the look for hidden state in a debug host.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "torsor/dynamics/plugin.hpp"

namespace torsor {

// A plugin's table: as much as its struct_size covers, zeros beyond. Throws Error where it has none.
template <class Table>
Table table_of(const Plugin& plugin, const char* id) {
  const auto* offered = static_cast<const Table*>(plugin.get()->get_interface(plugin.get(), id));
  if (!offered) throw Error(fmt::format("plugin '{}' offers no {}", plugin.descriptor().id, id));
  Table table{};
  std::memcpy(&table, offered, std::min<size_t>(offered->struct_size, sizeof table));
  return table;
}

// Of vectors of one length.
template <class Vector>
bool bits_differ(const Vector& a, const Vector& b) {
  return !a.empty() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) != 0;
}

}  // namespace torsor
