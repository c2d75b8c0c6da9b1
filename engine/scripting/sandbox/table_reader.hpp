#pragma once
// Reading a table that a script gives us: every key is known, every value has its type, every
// number is finite, or the error says which is not, by a path such as joint.axis[2].

#include <functional>
#include <initializer_list>
#include <lua.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "torsor/spatial/pose.hpp"

namespace torsor::lua {

// What a table is part of, in messages: "link 'L2': joint.axis[2] is ..." is owner "link 'L2'",
// path "joint".
struct Place {
  std::string owner, path;
  Place inside(const std::string& key) const {
    return {owner, path.empty() ? key : path + "." + key};
  }
  [[noreturn]] void fail(const std::string& what) const;  // "owner: path what"
};

class TableReader {
 public:
  // The table at an index of the stack, which must stay there. Throws Error where it is no table,
  // has a metatable, or has a key that is not among the known ones, or a list entry beyond the
  // first `positional`. What is read stays on the stack until the C function returns.
  TableReader(lua_State* L, int index, Place place, std::span<const char* const> keys,
              int positional = 0);
  TableReader(lua_State* L, int index, Place place, std::initializer_list<const char*> keys,
              int positional = 0)
      : TableReader(L, index, std::move(place), std::span(keys.begin(), keys.size()), positional) {}

  lua_State* state() const { return L_; }
  const Place& place() const { return place_; }
  // From here on messages name this owner.
  void set_owner(std::string owner) { place_.owner = std::move(owner); }

  bool has(const char* key) const;
  [[noreturn]] void fail(const std::string& what) const { place_.fail(what); }
  // Fails unless exactly one of the keys is there; returns which.
  const char* one_of(std::initializer_list<const char*> keys) const;

  double number(const char* key) const;
  double number_or(const char* key, double otherwise) const;
  // unit: " s", for messages.
  double positive_or(const char* key, double otherwise, const char* unit) const;
  double limit_or(const char* key, double otherwise) const;  // may be infinite
  bool is_flag(const char* key) const;                       // a value that is true or false
  bool flag_or(const char* key, bool otherwise) const;
  std::string text(const char* key) const;
  std::string text_or(const char* key, const std::string& otherwise) const;
  std::string positional_text(int position) const;  // the list entry, from 1
  Vec3<double> vector(const char* key) const;
  std::vector<double> numbers(const char* key) const;  // of any length
  std::vector<double> numbers(const char* key, size_t n) const;
  Mat3<double> matrix(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  TableReader table(const char* key, std::initializer_list<const char*> keys,
                    int positional = 0) const;

  // Whether a value is a list (its keys are 1..n; an empty table is one) rather than a table by
  // names.
  bool is_list(const char* key) const;
  // Calls f(name, stack index of the value, place of the value) for each entry of a table by names,
  // sorted.
  void each(const char* key,
            const std::function<void(const std::string&, int, const Place&)>& f) const;
  // Calls f(stack index of the entry, its place) for each entry of a list, in order. needed: "a
  // list of ...".
  void each_entry(const char* key, const char* needed,
                  const std::function<void(int, const Place&)>& f) const;

 private:
  int push(const char* key) const;  // the value's stack index; fails where it is missing
  lua_State* L_;
  int index_;
  Place place_;
};

// Throws Error for a table with a metatable: scripts would see entries in it that are not read
// here. needed: the rest of the advice, "a list of strings" or "such as { ... }".
void require_plain(lua_State* L, int index, const Place& place, std::string_view needed);
// Throws Error for a list whose metatable may add entries, and for one that has a metatable and no
// entries of its own. Others may have one: vectors have methods by it, and the joint values of a
// run give their entries the names of joints.
void require_own_entries(lua_State* L, int index, const Place& place, std::string_view needed);

// Returns a number for a message; every NaN is "NaN".
std::string shown(double number);
double number_at(lua_State* L, int index, const Place& place);
// A string that names something. Throws Error for other values, and for a string of more than
// 10,000 bytes, of which messages and models would have many copies, or with a zero byte, where C
// functions would end it.
std::string name_at(lua_State* L, int index, const Place& place);
// A list of numbers, of any length where n is not given.
std::vector<double> numbers_at(lua_State* L, int index, const Place& place,
                               std::optional<size_t> n = std::nullopt);

// Pushes a list of numbers.
void push_list(lua_State* L, std::span<const double> values);

// A pose: { xyz = {..}, one of rpy | rpy_deg | rotation | quaternion }, each of the two parts
// optional.
Pose<double> read_pose(const TableReader& parent, const char* key);
Pose<double> pose_at(lua_State* L, int index, const Place& place);

}  // namespace torsor::lua
