#pragma once
// Reads many states from Lua tables: lists with one list of numbers per state.

#include "torsor/batch/state_batch.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// Returns the number of states in the key q. Throws Error if there are none.
size_t count_states(const TableReader& table);
// Reads the keys q and v. A missing v is zero. Throws Error if their lengths are not the number of
// states.
void read_states(const TableReader& table, StateBatch& states);
// Reads a key with a list of n_v numbers per state to [n_v][stride]. Does nothing if it is missing.
void read_rows(const TableReader& table, const char* key, const StateBatch& states,
               std::span<double> to);

}  // namespace torsor::lua
