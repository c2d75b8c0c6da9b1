#pragma once
// Helpers of Solver, Force, Controller and Trajectory: access to function tables, texts for
// statuses, and a bitwise comparison that detects hidden state in debug builds.

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "torsor/plugin/plugin.hpp"
#include "torsor/sdk/struct_sizes.hpp"

namespace torsor {

// Returns the members of a plugin's interface table that this engine knows. All members are zero if
// the plugin does not offer the interface.
template <class Table>
Table table_or_zeros(const Plugin& plugin, const char* id) {
  const auto* offered = static_cast<const Table*>(plugin.interface(id));
  return offered ? sdk::known_members(*offered) : Table{};
}
// Returns the members of a plugin's interface table that this engine knows. Throws Error if the
// plugin does not offer the interface.
template <class Table>
Table table_of(const Plugin& plugin, const char* id) {
  const auto table = table_or_zeros<Table>(plugin, id);
  if (table.struct_size == 0)
    throw Error(fmt::format("plugin '{}' offers no {}", plugin.descriptor().id, id));
  return table;
}

// Returns a short text for a status that a plugin returned.
inline std::string words_of(torsor_status status) {
  switch (TORSOR_STATUS_CODE(status)) {
    case TORSOR_BAD_ARGUMENT:
      return "bad argument";
    case TORSOR_UNSUPPORTED:
      return "unsupported";
    case TORSOR_SINGULAR:
      return "singular";
    case TORSOR_INTERNAL:
      return "internal error";
    case altered_code:
      return "it " + host_state_text(status);
    default:
      return fmt::format("unknown status {}", status);
  }
}
// Returns a text for a call that failed. reason: the report of the plugin, or "". For
// TORSOR_INTERNAL with a reason, the text is the reason alone.
inline std::string failure_text(torsor_status status, const std::string& reason) {
  if (reason.empty() || TORSOR_STATUS_CODE(status) == altered_code) return words_of(status);
  return TORSOR_STATUS_CODE(status) == TORSOR_INTERNAL ? reason : words_of(status) + ": " + reason;
}

// Returns whether two vectors of equal length differ in any bit.
template <class Vector>
bool bits_differ(const Vector& a, const Vector& b) {
  return !a.empty() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) != 0;
}

}  // namespace torsor
