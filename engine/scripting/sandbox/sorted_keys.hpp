#pragma once
// Table keys in a deterministic order: numbers by value, then strings by their bytes, then false,
// then true. The order does not depend on memory addresses. Keys of other types are rejected.

#include <lua.hpp>
#include <string>
#include <variant>
#include <vector>

namespace torsor::lua {

using Key = std::variant<lua_Integer, lua_Number, std::string_view, bool>;

bool before(const Key& a, const Key& b);

// Returns the keys of a table in the order described above. A string key is a view. It is valid as
// long as the table contains the key.
std::vector<Key> sorted_keys(lua_State* L, int table);
// Returns the number of keys, including keys of other types.
size_t count_keys(lua_State* L, int table);
void push_key(lua_State* L, const Key& key);
// Returns the key in the form used in messages: [3], 'mass', [true].
std::string quoted(const Key& key);

// Returns the first key that is not one of 1..n, in the form used in messages. Returns "" if there
// is no such key. Allocates no memory in this case.
std::string first_extra_key(lua_State* L, int table, size_t n);

// Implements next(table, key) in the order described above. Pushes the next key and its value, or
// nil at the end. Returns the number of pushed values.
int sorted_next(lua_State* L);
// Implements pairs(table) in the order described above. Pushes the iterator. It visits only the
// keys that exist when pairs is called.
void push_sorted_pairs(lua_State* L, int table);

}  // namespace torsor::lua
