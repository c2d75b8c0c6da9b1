#pragma once
// The keys of a table in an order that does not depend on addresses: numbers by value, then texts
// by their bytes, then false and true. Other keys have no such order and are refused.

#include <lua.hpp>
#include <string>
#include <variant>
#include <vector>

namespace torsor::lua {

using Key = std::variant<lua_Integer, lua_Number, std::string_view, bool>;

bool before(const Key& a, const Key& b);

// A text is a view of the table's key: valid while the table holds it.
std::vector<Key> sorted_keys(lua_State* L, int table);
// Returns the number of keys of any type.
size_t count_keys(lua_State* L, int table);
void push_key(lua_State* L, const Key& key);
// As it stands in messages: 3, 'mass', true.
std::string quoted(const Key& key);

// The first key of a table that is none of 1 to n, as it stands in messages; "" where there is
// none. Does not allocate then.
std::string key_beside(lua_State* L, int table, size_t n);

// next(table, key) in this order; pushes key and value, or nil alone at the end. Returns how many.
int sorted_next(lua_State* L);
// pairs(table) in this order, over the keys that are there when it is called; pushes the iterator.
void push_sorted_pairs(lua_State* L, int table);

}  // namespace torsor::lua
