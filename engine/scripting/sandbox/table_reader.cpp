#include "torsor/scripting/sandbox/table_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "torsor/base/memory.hpp"
#include "torsor/base/text.hpp"
#include "torsor/scripting/sandbox/sandbox.hpp"
#include "torsor/scripting/sandbox/sorted_keys.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::lua {

namespace {

// Describes a value for a message "is ...": a quoted string, a number, or the name of the type.
std::string described(lua_State* L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TSTRING:
      return fmt::format("the string '{}'", quotable(text(L, index).substr(0, 40)));
    case LUA_TNUMBER:
      return shown(lua_tonumber(L, index));
    case LUA_TBOOLEAN:
      return lua_toboolean(L, index) ? "true" : "false";
    case LUA_TNIL:
    case LUA_TNONE:
      return "missing";
    default:
      return fmt::format("a {}", luaL_typename(L, index));
  }
}

[[noreturn]] void wrong_type(lua_State* L, int index, const Place& place, const char* needed) {
  place.fail(fmt::format("is {}; it must be {}", described(L, index), needed));
}

Place entry(const Place& place, size_t i) {
  return {place.owner, fmt::format("{}[{}]", place.path, i)};
}

// Returns the length n of the list at a stack index. Throws Error unless the keys are exactly 1..n.
// place() and needed() return the place and the required type, which only messages need.
template <class MakePlace, class Needed>
size_t length_of_list(lua_State* L, int index, const MakePlace& place, const Needed& needed) {
  if (!lua_istable(L, index)) wrong_type(L, index, place(), std::string(needed()).c_str());
  const size_t n = lua_rawlen(L, index);
  if (lua_getmetatable(L, index)) {
    lua_pop(L, 1);
    require_own_entries(L, index, place(), needed());
  }
  if (count_keys(L, index) != n)
    place().fail(fmt::format("has gaps or named keys; it must be {}", needed()));
  return n;
}

size_t list_length(lua_State* L, int index, const Place& place, const char* needed) {
  return length_of_list(
      L, index, [&]() -> const Place& { return place; }, [&] { return needed; });
}

// Reads a number. place() returns its place, which only messages need.
template <class MakePlace>
double read_number(lua_State* L, int index, const MakePlace& place) {
  if (lua_type(L, index) != LUA_TNUMBER) wrong_type(L, index, place(), "a number");
  const double value = lua_tonumber(L, index);
  if (!std::isfinite(value))
    place().fail(fmt::format("is {}; it must be a finite number", shown(value)));
  return value;
}

// Reads a list of n numbers, or of any length. place() returns its place.
template <class MakePlace>
std::vector<double> read_numbers(lua_State* L, int index, const MakePlace& place,
                                 std::optional<size_t> n) {
  const auto needed = [&] {
    return n ? fmt::format("a list of {} numbers", *n) : std::string("a list of numbers");
  };
  const size_t length = length_of_list(L, index, place, needed);
  if (n && length != *n)
    place().fail(fmt::format("has {} entries; it must be {}", length, needed()));
  std::vector<double> out(length);
  for (size_t i = 0; i < length; ++i) {
    lua_rawgeti(L, index, lua_Integer(i) + 1);
    out[i] = read_number(L, lua_gettop(L), [&] { return entry(place(), i + 1); });
    lua_pop(L, 1);
  }
  return out;
}

// Returns true if scripts might see an entry n + 1, provided by a metatable, in a list of n
// entries. Calls no metamethod. A Lua function as __index is assumed to provide the entry.
bool may_have_more(lua_State* L, int index, lua_Integer n) {
  constexpr int longest_chain = 100, slots = 4;
  luaL_checkstack(L, slots, nullptr);
  const int top = lua_gettop(L);
  if (!lua_getmetatable(L, index)) return false;  // fast path: control laws return plain lists
  lua_settop(L, top);
  bool more = luaL_getmetafield(L, index, "__len") != LUA_TNIL;
  lua_settop(L, top);
  lua_pushvalue(L, index);
  for (int k = 0; !more && lua_istable(L, -1) && lua_getmetatable(L, -1); ++k) {
    more = k == longest_chain;
    lua_pushliteral(L, "__index");
    const int type = lua_rawget(L, -2);
    more = more || (type == LUA_TFUNCTION && !lua_iscfunction(L, -1));
    if (type == LUA_TTABLE) {
      more = lua_rawgeti(L, -1, n + 1) != LUA_TNIL || more;
      lua_pop(L, 1);
    }
    lua_replace(L, top + 1);  // continue with the next __index table of the chain
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
  return more;
}

// Returns whether every key of a table is one of `keys`, or an integer from 1 to `positional`.
bool has_only(lua_State* L, int table, std::span<const char* const> keys, int positional) {
  long long count = 0;
  bool out = true;
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1), ++count) {
    if (lua_isinteger(L, -2))
      out = out && lua_tointeger(L, -2) >= 1 && lua_tointeger(L, -2) <= positional;
    else
      out = out && lua_type(L, -2) == LUA_TSTRING &&
            std::find(keys.begin(), keys.end(), text(L, -2)) != keys.end();
  }
  Sandbox::of(L).charge(L, count);
  return out;
}

std::string listing(std::span<const char* const> names) {
  std::string out;
  for (const char* name : names) out += (out.empty() ? "" : ", ") + std::string(name);
  return out;
}

}  // namespace

void Place::fail(const std::string& what) const {
  const std::string subject = path.empty() ? what : path + " " + what;
  throw Error(owner.empty() ? subject : owner + ": " + subject);
}

std::string shown(double number) {
  return std::isnan(number) ? "NaN" : fmt::format("{}", number);
}

void require_plain(lua_State* L, int index, const Place& place, std::string_view needed) {
  if (!lua_getmetatable(L, index)) return;
  lua_pop(L, 1);
  place.fail(fmt::format("is a table with a metatable; use a plain table, {}", needed));
}

void require_own_entries(lua_State* L, int index, const Place& place, std::string_view needed) {
  const lua_Integer n = lua_Integer(lua_rawlen(L, index));
  if (n == 0) return require_plain(L, index, place, needed);
  if (may_have_more(L, index, n))
    place.fail(fmt::format(
        "has a metatable with __len or __index, whose entries are not read; use a plain table, {}",
        needed));
}

double number_at(lua_State* L, int index, const Place& place) {
  return read_number(L, index, [&]() -> const Place& { return place; });
}

std::string name_at(lua_State* L, int index, const Place& place) {
  constexpr size_t longest = 10'000;
  if (lua_type(L, index) != LUA_TSTRING) wrong_type(L, index, place, "a string");
  const std::string_view name = text(L, index);
  if (name.size() > longest)
    place.fail(
        fmt::format("is a string of {} bytes; it must have at most {}", name.size(), longest));
  if (name.find('\0') != name.npos)
    place.fail(fmt::format("is the string '{}', which has a zero byte; remove it", quotable(name)));
  return std::string(name);
}

std::vector<double> numbers_at(lua_State* L, int index, const Place& place,
                               std::optional<size_t> n) {
  return read_numbers(
      L, index, [&]() -> const Place& { return place; }, n);
}

void complete_options(lua_State* L, int index) {
  lua_settop(L, index);
  if (!lua_isnil(L, index)) return;
  lua_newtable(L);
  lua_replace(L, index);
}

void push_list(lua_State* L, std::span<const double> values) {
  lua_createtable(L, int(values.size()), 0);
  for (size_t k = 0; k < values.size(); ++k) {
    lua_pushnumber(L, values[k]);
    lua_rawseti(L, -2, lua_Integer(k + 1));
  }
}

TableReader::TableReader(lua_State* L, int index, Place place, std::span<const char* const> keys,
                         int positional)
    : L_(L), index_(lua_absindex(L, index)), place_(std::move(place)) {
  luaL_checkstack(L, 10, "nested tables");
  if (!lua_istable(L, index_) && place_.path.empty())
    throw Error(fmt::format("{} takes a table in braces, not {}", place_.owner,
                            lua_isnoneornil(L, index_) ? "nothing" : described(L, index_)));
  if (!lua_istable(L, index_)) wrong_type(L, index_, place_, "a table");
  require_plain(L, index_, place_, "such as { payload = p.payload }");
  if (has_only(L, index_, keys, positional)) return;
  for (const Key& key : sorted_keys(L, index_)) {
    const auto* position = std::get_if<lua_Integer>(&key);
    if (position && *position >= 1 && *position <= positional) continue;
    const auto* name = std::get_if<std::string_view>(&key);
    if (name && std::find(keys.begin(), keys.end(), *name) != keys.end()) continue;
    const std::string near =
        name ? did_you_mean(*name, std::vector<std::string>(keys.begin(), keys.end())) : "";
    const std::string where = place_.path.empty() ? "" : " in " + place_.path;
    throw Error(fmt::format("{}{}unknown key {}{}{}", place_.owner,
                            place_.owner.empty() ? "" : ": ", quoted(key), where,
                            !near.empty()  ? near
                            : keys.empty() ? "; it takes no keys"
                                           : "; use one of: " + listing(keys)));
  }
}

bool TableReader::has(const char* key) const {
  lua_pushstring(L_, key);
  const bool out = lua_rawget(L_, index_) != LUA_TNIL;
  lua_pop(L_, 1);
  return out;
}

int TableReader::push(const char* key) const {
  luaL_checkstack(L_, 10, "nested tables");
  lua_pushstring(L_, key);
  if (lua_rawget(L_, index_) == LUA_TNIL) place_.inside(key).fail("is missing");
  return lua_gettop(L_);
}

const char* TableReader::one_of(std::initializer_list<const char*> keys) const {
  const char* found = nullptr;
  for (const char* key : keys) {
    if (!has(key)) continue;
    if (found) fail(fmt::format("has both {} and {}; give only one of them", found, key));
    found = key;
  }
  if (!found) fail(fmt::format("is incomplete; give one of {}", listing(keys)));
  return found;
}

double TableReader::number(const char* key) const {
  const double out = read_number(L_, push(key), [&] { return place_.inside(key); });
  lua_pop(L_, 1);
  return out;
}

double TableReader::number_or(const char* key, double otherwise) const {
  return has(key) ? number(key) : otherwise;
}

double TableReader::positive_or(const char* key, double otherwise, const char* unit) const {
  const double value = number_or(key, otherwise);
  if (!(value > 0))
    place_.inside(key).fail(fmt::format("is {}{}; it must be positive", value, unit));
  return value;
}

double TableReader::limit_or(const char* key, double otherwise) const {
  if (!has(key)) return otherwise;
  const int value = push(key);
  const double limit = lua_tonumber(L_, value);
  if (lua_type(L_, value) == LUA_TNUMBER && std::isinf(limit)) return limit;
  return number(key);
}

bool TableReader::is_flag(const char* key) const {
  return lua_isboolean(L_, push(key));
}

bool TableReader::flag_or(const char* key, bool otherwise) const {
  if (!has(key)) return otherwise;
  const int value = push(key);
  if (!lua_isboolean(L_, value)) wrong_type(L_, value, place_.inside(key), "true or false");
  return lua_toboolean(L_, value);
}

std::string TableReader::text(const char* key) const {
  return name_at(L_, push(key), place_.inside(key));
}

std::string TableReader::text_or(const char* key, const std::string& otherwise) const {
  return has(key) ? text(key) : otherwise;
}

std::string TableReader::positional_text(int position) const {
  lua_rawgeti(L_, index_, position);
  return name_at(L_, lua_gettop(L_), entry(place_, size_t(position)));
}

bool TableReader::has_positional(int position) const {
  const bool out = lua_rawgeti(L_, index_, position) != LUA_TNIL;
  lua_pop(L_, 1);
  return out;
}

Vec3<double> TableReader::vector(const char* key) const {
  const std::vector<double> out = numbers(key, 3);
  return {out[0], out[1], out[2]};
}

std::vector<double> TableReader::numbers(const char* key) const {
  return read_numbers(
      L_, push(key), [&] { return place_.inside(key); }, std::nullopt);
}

std::vector<double> TableReader::numbers(const char* key, size_t n) const {
  return read_numbers(
      L_, push(key), [&] { return place_.inside(key); }, n);
}

Mat3<double> TableReader::matrix(const char* key) const {
  const int value = push(key);
  const Place place = place_.inside(key);
  if (list_length(L_, value, place, "a list of 3 rows") != 3)
    place.fail("does not have 3 rows; give 3 rows of 3 numbers");
  Mat3<double> out{};
  for (int row = 0; row < 3; ++row) {
    lua_rawgeti(L_, value, row + 1);
    const std::vector<double> numbers =
        numbers_at(L_, lua_gettop(L_), entry(place, size_t(row) + 1), 3);
    std::copy(numbers.begin(), numbers.end(), out.m + 3 * row);
  }
  return out;
}

std::vector<std::string> TableReader::texts(const char* key) const {
  const int value = push(key);
  const Place place = place_.inside(key);
  std::vector<std::string> out(list_length(L_, value, place, "a list of strings"));
  for (size_t i = 0; i < out.size(); ++i) {
    lua_rawgeti(L_, value, lua_Integer(i) + 1);
    out[i] = name_at(L_, lua_gettop(L_), entry(place, i + 1));
    reserve_memory(place.path, double(sizeof(std::string) + out[i].size()));
    lua_pop(L_, 1);
  }
  return out;
}

TableReader TableReader::table(const char* key, std::initializer_list<const char*> keys,
                               int positional) const {
  return TableReader(L_, push(key), place_.inside(key), keys, positional);
}

int TableReader::function(const char* key) const {
  const int index = push(key);
  return lua_isfunction(L_, index) ? index : 0;
}
bool TableReader::is_list(const char* key) const {
  const int value = push(key);
  return lua_istable(L_, value) && count_keys(L_, value) == lua_rawlen(L_, value);
}

void TableReader::each(const char* key,
                       const std::function<void(const std::string&, int, const Place&)>& f) const {
  const int value = push(key);
  const Place place = place_.inside(key);
  constexpr const char* needed = "a table with names as keys";
  if (!lua_istable(L_, value)) wrong_type(L_, value, place, needed);
  require_plain(L_, value, place, needed);
  for (const Key& name : sorted_keys(L_, value)) {
    if (!std::holds_alternative<std::string_view>(name))
      place.fail(fmt::format("has the key {}; keys must be names", quoted(name)));
    push_key(L_, name);
    const std::string word = name_at(L_, lua_gettop(L_), place.inside("key"));
    lua_rawget(L_, value);
    f(word, lua_gettop(L_), place.inside(word));
    lua_settop(L_, value);
  }
}

void TableReader::each_entry(const char* key, const char* needed,
                             const std::function<void(int, const Place&)>& f) const {
  const int value = push(key);
  const Place place = place_.inside(key);
  const size_t length = list_length(L_, value, place, needed);
  for (size_t i = 1; i <= length; ++i) {
    lua_rawgeti(L_, value, lua_Integer(i));
    f(lua_gettop(L_), entry(place, i));
    lua_settop(L_, value);
  }
}

namespace {

Mat3<double> read_rotation(const TableReader& pose) {
  if (pose.has("quaternion")) {
    const std::vector<double> q = pose.numbers("quaternion", 4);
    const double norm = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
    // The tolerance allows for rounded digits in the script. rotation() normalizes the quaternion.
    if (std::abs(norm - 1) > 1e-6)
      pose.place()
          .inside("quaternion")
          .fail(fmt::format("(w, x, y, z) has norm {}; it must be 1", norm));
    return rotation(Quaternion{q[0], q[1], q[2], q[3]});
  }
  if (pose.has("rotation")) {
    const Mat3<double> R = pose.matrix("rotation"), RtR = transpose(R) * R,
                       one = Mat3<double>::identity();
    double defect = 0;
    for (int i = 0; i < 9; ++i) defect = std::max(defect, std::abs(RtR.m[i] - one.m[i]));
    const double det =
        dot(Vec3<double>{R.m[0], R.m[1], R.m[2]},
            cross(Vec3<double>{R.m[3], R.m[4], R.m[5]}, Vec3<double>{R.m[6], R.m[7], R.m[8]}));
    if (!(defect <= 1e-9))
      pose.place()
          .inside("rotation")
          .fail(fmt::format("is not orthonormal (R^T R differs from the identity by {:.3g}); give "
                            "a rotation matrix",
                            defect));
    if (det < 0)
      pose.place()
          .inside("rotation")
          .fail("is a reflection (determinant -1); give a rotation matrix");
    return R;
  }
  const bool degrees = pose.has("rpy_deg");
  if (!degrees && !pose.has("rpy")) return Mat3<double>::identity();
  const Vec3<double> angles =
      (degrees ? std::numbers::pi / 180 : 1.0) * pose.vector(degrees ? "rpy_deg" : "rpy");
  return (rotation_z(angles.z) * rotation_y(angles.y) * rotation_x(angles.x)).R;
}

Pose<double> read_pose(const TableReader& pose) {
  int rotations = 0;
  for (const char* way : {"rpy", "rpy_deg", "rotation", "quaternion"}) rotations += pose.has(way);
  if (rotations > 1)
    pose.fail("has more than one rotation; use only one of rpy, rpy_deg, rotation, quaternion");
  return {read_rotation(pose), pose.has("xyz") ? pose.vector("xyz") : Vec3<double>{0, 0, 0}};
}

}  // namespace

Pose<double> read_pose(const TableReader& parent, const char* key) {
  return read_pose(parent.table(key, {"xyz", "rpy", "rpy_deg", "rotation", "quaternion"}));
}
Pose<double> pose_at(lua_State* L, int index, const Place& place) {
  return read_pose(
      TableReader(L, index, place, {"xyz", "rpy", "rpy_deg", "rotation", "quaternion"}));
}

}  // namespace torsor::lua
