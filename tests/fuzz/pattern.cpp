#include "torsor/scripting/sandbox/pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <lua.hpp>
#include <optional>

#include "fuzz/support.hpp"
#include "fuzz/targets.hpp"

namespace torsor::fuzz {

namespace {

constexpr long long most_steps = 3000;

struct OutOfSteps {};

// Results of string.find: the first position, the last position, and the captures as strings;
// nullopt if there is no match.
using Found = std::optional<std::vector<std::string>>;

// Runs string.find with the sandbox's matcher. Throws Error for a malformed pattern, and OutOfSteps
// after most_steps.
Found find_here(std::string_view subject, std::string_view text) {
  const bool anchored = text.starts_with('^');
  const lua::Pattern pattern(text.substr(anchored ? 1 : 0));
  long long steps = 0;
  lua::Matcher matcher(subject, pattern, [&](long long n) {
    if ((steps += n) > most_steps) throw OutOfSteps();
  });
  const lua::Match match = anchored ? matcher.match_at(0) : matcher.find(0);
  if (!match) return std::nullopt;
  std::vector<std::string> out{fmt::to_string(match.begin + 1), fmt::to_string(match.end)};
  for (int k = 0; k < pattern.captures(); ++k) {
    const auto& [begin, length, position] = match.captures[k];
    out.push_back(position ? fmt::to_string(begin + 1)
                           : std::string(subject.substr(begin, length)));
  }
  return out;
}

// Runs string.find of Lua's own library. Returns false if it raises an error; `out` is then the
// message.
bool find_in_lua(std::string_view subject, std::string_view pattern, Found& out) {
  static lua_State* const L = [] {
    lua_State* state = luaL_newstate();
    luaL_requiref(state, LUA_STRLIBNAME, luaopen_string, 1);
    return state;
  }();
  lua_settop(L, 0);
  lua_getglobal(L, LUA_STRLIBNAME);
  lua_getfield(L, -1, "find");
  lua_pushlstring(L, subject.data(), subject.size());
  lua_pushlstring(L, pattern.data(), pattern.size());
  const bool good = lua_pcall(L, 2, LUA_MULTRET, 0) == LUA_OK;
  out.reset();
  if (good && lua_isnil(L, 2)) return true;
  out.emplace();
  for (int k = 2; k <= lua_gettop(L); ++k) {
    size_t length = 0;
    const char* text = lua_tolstring(L, k, &length);
    out->emplace_back(text, length);
  }
  return good;
}

std::string shown(const Found& found) {
  return found ? fmt::format("({})", fmt::join(*found, ", ")) : "no match";
}

// Compares both matchers; they must agree on every match. Lua reads a pattern only while it
// matches, so it may find no match before it reaches a malformed part. Its limit of complexity is
// different too.
void compare(std::string_view subject, std::string_view pattern) {
  // Without these characters, string.find searches for plain text.
  if (pattern.find_first_of("^$*+?.([%-") == pattern.npos) return;
  Found here, in_lua;
  bool good_here = false;
  try {
    good_here = accepts([&] { here = find_here(subject, pattern); });
  } catch (const OutOfSteps&) {
    return;  // Lua's own search has no limit of steps
  }
  // If a pattern is malformed, Lua may search almost forever before it reads the malformed part.
  // Such searches need many repeats.
  constexpr ptrdiff_t few_repeats = 3;
  const auto is_repeat = [](char c) {
    return std::string_view("*+-?").find(c) != std::string_view::npos;
  };
  if (!good_here && std::ranges::count_if(pattern, is_repeat) > few_repeats) return;
  const bool good_in_lua = find_in_lua(subject, pattern, in_lua);
  if (good_here && good_in_lua && here != in_lua)
    throw Finding(fmt::format("found {}, Lua finds {}", shown(here), shown(in_lua)));
  if (good_here && !good_in_lua && in_lua->front().find("too complex") == std::string::npos)
    throw Finding(
        fmt::format("found {}, Lua rejects the pattern: {}", shown(here), in_lua->front()));
  if (!good_here && good_in_lua && in_lua && pattern.size() < size_t(lua::Pattern::max_repeats))
    throw Finding(fmt::format("the pattern is rejected, Lua finds {}", shown(in_lua)));
}

}  // namespace

void pattern(std::string_view input) {
  const size_t end = std::min(input.find('\n'), input.size());
  compare(input.substr(std::min(end + 1, input.size())), input.substr(0, end));
}

}  // namespace torsor::fuzz
