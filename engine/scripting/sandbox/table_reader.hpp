#pragma once
// Reads tables that scripts pass to the engine. Checks that every key is known, that every value
// has the right type, and that every number is finite. Error messages name the value by a path such
// as joint.axis[2].

#include <functional>
#include <initializer_list>
#include <lua.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "torsor/spatial/pose.hpp"

namespace torsor::lua {

// The place of a table in error messages. In the message "link 'L2': joint.axis[2] is ...", the
// owner is "link 'L2'" and the path is "joint".
struct Place {
  std::string owner, path;
  Place inside(const std::string& key) const {
    return {owner, path.empty() ? key : path + "." + key};
  }
  // Throws Error with the message "owner: path what".
  [[noreturn]] void fail(const std::string& what) const;
};

class TableReader {
 public:
  // Opens the table at a stack index. The table must stay at this index while the reader is used.
  // Throws Error in these cases:
  // - The value is not a table, or it has a metatable.
  // - The table has a key that is not in `keys`.
  // - The table has a list entry after the first `positional` entries.
  //
  // Values that are read stay on the stack until the C function returns.
  TableReader(lua_State* L, int index, Place place, std::span<const char* const> keys,
              int positional = 0);
  TableReader(lua_State* L, int index, Place place, std::initializer_list<const char*> keys,
              int positional = 0)
      : TableReader(L, index, std::move(place), std::span(keys.begin(), keys.size()), positional) {}

  lua_State* state() const { return L_; }
  const Place& place() const { return place_; }
  // Sets the owner for the messages of later errors.
  void set_owner(std::string owner) { place_.owner = std::move(owner); }

  bool has(const char* key) const;
  [[noreturn]] void fail(const std::string& what) const { place_.fail(what); }
  // Returns the one key among `keys` that the table has. Throws Error unless exactly one is
  // present.
  const char* one_of(std::initializer_list<const char*> keys) const;

  double number(const char* key) const;
  double number_or(const char* key, double otherwise) const;
  // Returns a positive number, or `otherwise` if the key is missing. unit: the unit in error
  // messages, such as " s".
  double positive_or(const char* key, double otherwise, const char* unit) const;
  double limit_or(const char* key, double otherwise) const;  // infinity is allowed
  bool is_flag(const char* key) const;                       // true if the value is a boolean
  bool flag_or(const char* key, bool otherwise) const;
  std::string text(const char* key) const;
  std::string text_or(const char* key, const std::string& otherwise) const;
  std::string positional_text(int position) const;  // returns a list entry, counted from 1
  bool has_positional(int position) const;
  Vec3<double> vector(const char* key) const;
  std::vector<double> numbers(const char* key) const;  // reads a list of any length
  std::vector<double> numbers(const char* key, size_t n) const;
  Mat3<double> matrix(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  TableReader table(const char* key, std::initializer_list<const char*> keys,
                    int positional = 0) const;

  // Returns the stack index of the value if it is a function, otherwise 0.
  int function(const char* key) const;
  // Returns true if the value is a list (keys 1..n, or an empty table). Returns false if it is a
  // table with named keys.
  bool is_list(const char* key) const;
  // Calls f(name, stack index, place) for each entry of a table with named keys, sorted by name.
  void each(const char* key,
            const std::function<void(const std::string&, int, const Place&)>& f) const;
  // Calls f(stack index, place) for each entry of a list, in order. needed: the required type in
  // error messages, such as "a list of numbers".
  void each_entry(const char* key, const char* needed,
                  const std::function<void(int, const Place&)>& f) const;

 private:
  // Pushes the value and returns its stack index. Throws Error if the key is missing.
  int push(const char* key) const;
  lua_State* L_;
  int index_;
  Place place_;
};

// Throws Error if the table has a metatable, because scripts would see entries that the engine does
// not read. needed: the end of the message, such as "a list of strings" or "such as { ... }".
void require_plain(lua_State* L, int index, const Place& place, std::string_view needed);
// Throws Error in two cases: the list has a metatable that may add entries, or it has a metatable
// and no entries. Other metatables are allowed, for example those of vectors (with methods) and of
// joint values (read by joint name).
void require_own_entries(lua_State* L, int index, const Place& place, std::string_view needed);

// Returns a number in the form used in messages. Every NaN is written as "NaN".
std::string shown(double number);
double number_at(lua_State* L, int index, const Place& place);
// Returns the string at a stack index, for use as a name. Throws Error if the value is not a
// string, contains a zero byte, or has more than 10,000 bytes. (C functions end a string at a zero
// byte. The length is limited because models and messages contain many copies of names.)
std::string name_at(lua_State* L, int index, const Place& place);
// Returns the list of numbers at a stack index. Throws Error if n is given and the length is not n.
std::vector<double> numbers_at(lua_State* L, int index, const Place& place,
                               std::optional<size_t> n = std::nullopt);

// Replaces a missing table of options at a stack index by an empty table, and discards all values
// above it.
void complete_options(lua_State* L, int index);

// Pushes a list of numbers.
void push_list(lua_State* L, std::span<const double> values);

// Reads a pose { xyz = {..}, rpy = .. | rpy_deg = .. | rotation = .. | quaternion = .. }. The
// translation and the rotation are both optional.
Pose<double> read_pose(const TableReader& parent, const char* key);
Pose<double> pose_at(lua_State* L, int index, const Place& place);

}  // namespace torsor::lua
