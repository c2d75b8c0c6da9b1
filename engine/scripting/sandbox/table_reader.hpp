#pragma once
// Reads tables that scripts pass to the engine. Checks that every key is known, every value has the
// right type, and every number is finite. Errors name the value by a path such as joint.axis[2].

#include <functional>
#include <initializer_list>
#include <lua.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "torsor/spatial/pose.hpp"

namespace torsor::lua {

// The place of a table in messages. In "link 'L2': joint.axis[2] is ...", the owner is "link 'L2'"
// and the path is "joint".
struct Place {
  std::string owner, path;
  Place inside(const std::string& key) const {
    return {owner, path.empty() ? key : path + "." + key};
  }
  // Throws Error "owner: path what".
  [[noreturn]] void fail(const std::string& what) const;
};

class TableReader {
 public:
  // Opens the table at a stack index, which must stay valid. Throws Error in these cases:
  // - The value is not a table, or it has a metatable.
  // - The table has an unknown key.
  // - The table has a list entry beyond the first `positional` entries.
  // Values that are read stay on the stack until the C function returns.
  TableReader(lua_State* L, int index, Place place, std::span<const char* const> keys,
              int positional = 0);
  TableReader(lua_State* L, int index, Place place, std::initializer_list<const char*> keys,
              int positional = 0)
      : TableReader(L, index, std::move(place), std::span(keys.begin(), keys.size()), positional) {}

  lua_State* state() const { return L_; }
  const Place& place() const { return place_; }
  // Sets the owner for all later messages.
  void set_owner(std::string owner) { place_.owner = std::move(owner); }

  bool has(const char* key) const;
  [[noreturn]] void fail(const std::string& what) const { place_.fail(what); }
  // Returns the one key of the list that is present. Throws Error unless exactly one is.
  const char* one_of(std::initializer_list<const char*> keys) const;

  double number(const char* key) const;
  double number_or(const char* key, double otherwise) const;
  // unit is the unit in messages, such as " s".
  double positive_or(const char* key, double otherwise, const char* unit) const;
  double limit_or(const char* key, double otherwise) const;  // may be infinite
  bool is_flag(const char* key) const;                       // true if the value is a boolean
  bool flag_or(const char* key, bool otherwise) const;
  std::string text(const char* key) const;
  std::string text_or(const char* key, const std::string& otherwise) const;
  std::string positional_text(int position) const;  // a list entry, counted from 1
  Vec3<double> vector(const char* key) const;
  std::vector<double> numbers(const char* key) const;  // of any length
  std::vector<double> numbers(const char* key, size_t n) const;
  Mat3<double> matrix(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  TableReader table(const char* key, std::initializer_list<const char*> keys,
                    int positional = 0) const;

  // Returns true for a list (keys 1..n, or an empty table), false for a table with named keys.
  bool is_list(const char* key) const;
  // Calls f(name, stack index, place) for each entry of a table with named keys, sorted by name.
  void each(const char* key,
            const std::function<void(const std::string&, int, const Place&)>& f) const;
  // Calls f(stack index, place) for each entry of a list, in order. needed is the required type in
  // messages: "a list of ...".
  void each_entry(const char* key, const char* needed,
                  const std::function<void(int, const Place&)>& f) const;

 private:
  // Returns the stack index of the value. Throws Error if the key is missing.
  int push(const char* key) const;
  lua_State* L_;
  int index_;
  Place place_;
};

// Throws Error for a table with a metatable: scripts would see entries of the metatable that are
// not read here. needed is the end of the advice: "a list of strings" or "such as { ... }".
void require_plain(lua_State* L, int index, const Place& place, std::string_view needed);
// Throws Error for a list whose metatable may add entries, or for a list that has a metatable but
// no entries of its own. Other metatables are allowed: vectors have methods, and the joint values
// of a run can be read by joint name.
void require_own_entries(lua_State* L, int index, const Place& place, std::string_view needed);

// Returns a number as messages show it. Every NaN is "NaN".
std::string shown(double number);
double number_at(lua_State* L, int index, const Place& place);
// Returns the string at a stack index, which is used as a name. Throws Error for other types, for a
// string with a zero byte, and for more than 10,000 bytes. C functions end a string at a zero byte.
// Messages and models keep many copies of names.
std::string name_at(lua_State* L, int index, const Place& place);
// Returns a list of numbers. The list may have any length if n is not given.
std::vector<double> numbers_at(lua_State* L, int index, const Place& place,
                               std::optional<size_t> n = std::nullopt);

// Pushes a list of numbers.
void push_list(lua_State* L, std::span<const double> values);

// Reads a pose { xyz = {..}, one of rpy | rpy_deg | rotation | quaternion }. Both parts are
// optional.
Pose<double> read_pose(const TableReader& parent, const char* key);
Pose<double> pose_at(lua_State* L, int index, const Place& place);

}  // namespace torsor::lua
