#pragma once
// Keys of a table in an order that does not depend on addresses: numbers by value, then strings by
// their bytes, then false and true. Keys of other types are rejected.

#include <lua.hpp>
#include <string>
#include <variant>
#include <vector>

namespace torsor::lua {

using Key = std::variant<lua_Integer, lua_Number, std::string_view, bool>;

bool before(const Key& a, const Key& b);

// Returns the keys in this order. A string key is a view: it is valid as long as the table contains
// it.
std::vector<Key> sorted_keys(lua_State* L, int table);
// Returns the number of keys of any type.
size_t count_keys(lua_State* L, int table);
void push_key(lua_State* L, const Key& key);
// Returns the key as messages show it: [3], 'mass', [true].
std::string quoted(const Key& key);

// Returns the first key that is not one of 1..n, as messages show it, or "" if there is none. Does
// not allocate if there is none.
std::string first_extra_key(lua_State* L, int table, size_t n);

// Implements next(table, key) in this order. Pushes the key and the value, or nil alone at the end.
// Returns the number of pushed values.
int sorted_next(lua_State* L);
// Implements pairs(table) in this order, over the keys that exist at the time of the call. Pushes
// the iterator.
void push_sorted_pairs(lua_State* L, int table);

}  // namespace torsor::lua
