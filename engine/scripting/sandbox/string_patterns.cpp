// Implements string.find, match, gmatch and gsub with the matcher of pattern.hpp.

#include <cstring>
#include <optional>

#include "torsor/scripting/sandbox/environment.hpp"
#include "torsor/scripting/sandbox/pattern.hpp"
#include "torsor/scripting/sandbox/sandbox.hpp"

namespace torsor::lua {

namespace {

std::string_view checked_text(lua_State* L, int index) {
  luaL_checkstring(L, index);
  return text(L, index);
}

// Reads an optional start position (counted from 1, default 1) and returns the offset from 0. A
// negative position counts from the end of the string.
size_t start(lua_State* L, int index, size_t length) {
  const lua_Integer position = luaL_optinteger(L, index, 1);
  if (position > 0) return size_t(position) - 1;
  if (position == 0 || position < -lua_Integer(length)) return 0;
  return length - size_t(-position);
}

// A search for matches. The subject is at stack index 1 and the pattern at stack index 2.
struct Search {
  Search(lua_State* L, std::string_view subject, std::string_view text, bool may_anchor)
      : subject(subject),
        anchored(may_anchor && text.starts_with('^')),
        pattern(text.substr(anchored ? 1 : 0)),
        matcher(subject, pattern, [L](long long steps) { Sandbox::of(L).charge(L, steps); }) {
    Sandbox::of(L).charge(L, 1 + (long long)text.size());
  }
  Match find(size_t begin) { return anchored ? matcher.match_at(begin) : matcher.find(begin); }

  // Pushes capture i, counted from 0. If the pattern has no captures, pushes the complete match.
  void push_capture(lua_State* L, const Match& match, int i) const {
    if (pattern.captures() == 0)
      return push(L, subject.substr(match.begin, match.end - match.begin));
    const Match::Capture& capture = match.captures[i];
    if (capture.position)
      lua_pushinteger(L, lua_Integer(capture.begin) + 1);
    else
      push(L, subject.substr(capture.begin, capture.length));
  }
  int push_captures(lua_State* L, const Match& match) const {
    const int n = std::max(1, pattern.captures());
    luaL_checkstack(L, n, "too many captures");
    for (int i = 0; i < n; ++i) push_capture(L, match, i);
    return n;
  }

  std::string_view subject;
  bool anchored;
  Pattern pattern;
  Matcher matcher;
};

int find_plain(lua_State* L, std::string_view subject, std::string_view word, size_t begin) {
  Sandbox::of(L).charge(L, 1 + (long long)((subject.size() - begin + word.size()) / 4));
  // memmem takes linear time, unlike std::string_view::find.
  const void* found =
      memmem(subject.data() + begin, subject.size() - begin, word.data(), word.size());
  if (!found) {
    lua_pushnil(L);
    return 1;
  }
  const lua_Integer at = static_cast<const char*>(found) - subject.data();
  lua_pushinteger(L, at + 1);
  lua_pushinteger(L, at + lua_Integer(word.size()));
  return 2;
}

int find(lua_State* L) {
  const std::string_view subject = checked_text(L, 1), pattern = checked_text(L, 2);
  const size_t begin = start(L, 3, subject.size());
  if (begin > subject.size()) {
    lua_pushnil(L);
    return 1;
  }
  if (lua_toboolean(L, 4) || pattern.find_first_of("^$*+?.([%-") == std::string_view::npos)
    return find_plain(L, subject, pattern, begin);
  Search search(L, subject, pattern, true);
  const Match match = search.find(begin);
  if (!match) {
    lua_pushnil(L);
    return 1;
  }
  lua_pushinteger(L, lua_Integer(match.begin) + 1);
  lua_pushinteger(L, lua_Integer(match.end));
  return 2 + (search.pattern.captures() > 0 ? search.push_captures(L, match) : 0);
}

int match(lua_State* L) {
  const std::string_view subject = checked_text(L, 1), pattern = checked_text(L, 2);
  const size_t begin = start(L, 3, subject.size());
  if (begin <= subject.size()) {
    Search search(L, subject, pattern, true);
    if (const Match match = search.find(begin)) return search.push_captures(L, match);
  }
  lua_pushnil(L);
  return 1;
}

// The iterator of gmatch: returns the captures of the next match. Skips an empty match that begins
// where the previous match ended. The upvalues are:
// - the subject and the pattern;
// - the offset where the next search begins;
// - the end of the previous match plus 1, or 0 before the first match.
int next_match(lua_State* L) {
  const std::string_view subject = text(L, lua_upvalueindex(1));
  Search search(L, subject, text(L, lua_upvalueindex(2)), false);
  const auto last = size_t(lua_tointeger(L, lua_upvalueindex(4)));
  for (auto at = size_t(lua_tointeger(L, lua_upvalueindex(3))); at <= subject.size(); ++at) {
    const Match match = search.matcher.match_at(at);
    if (!match || match.end + 1 == last) continue;
    lua_pushinteger(L, lua_Integer(match.end));
    lua_replace(L, lua_upvalueindex(3));
    lua_pushinteger(L, lua_Integer(match.end) + 1);
    lua_replace(L, lua_upvalueindex(4));
    return search.push_captures(L, match);
  }
  return 0;
}

int gmatch(lua_State* L) {
  const std::string_view subject = checked_text(L, 1);
  (void)Pattern(checked_text(L, 2));
  const size_t begin = std::min(start(L, 3, subject.size()), subject.size() + 1);
  lua_settop(L, 2);
  lua_pushinteger(L, lua_Integer(begin));
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, guarded<next_match>, 4);
  return 1;
}

// Appends the replacement string (stack index 3) with %0 .. %9 and %% expanded.
void add_replacement(lua_State* L, TextBuilder& out, const Search& search, const Match& match) {
  const std::string_view replacement = text(L, 3);
  for (size_t i = 0; i < replacement.size(); ++i) {
    if (replacement[i] != '%') {
      out.add(replacement[i]);
      continue;
    }
    const char c = ++i < replacement.size() ? replacement[i] : '\0';
    if (c == '%') {
      out.add('%');
    } else if (c == '0') {
      out.add(search.subject.substr(match.begin, match.end - match.begin));
    } else if (c >= '1' && c <= '9') {
      if (c - '1' >= std::max(1, search.pattern.captures()))
        throw Error(fmt::format("invalid capture index %{} in replacement string", c));
      search.push_capture(L, match, c - '1');
      out.add_value();
    } else {
      throw Error("invalid use of '%' in replacement string");
    }
  }
}

// Appends the replacement of a match. The value at stack index 3 defines it: a string, a table that
// is indexed by the first capture, or a function of the captures.
void add_value(lua_State* L, TextBuilder& out, const Search& search, const Match& match) {
  const int kind = lua_type(L, 3);
  if (kind == LUA_TSTRING) return add_replacement(L, out, search, match);
  if (kind == LUA_TTABLE) {
    search.push_capture(L, match, 0);
    lua_gettable(L, 3);
  } else {
    lua_pushvalue(L, 3);
    const int n = search.push_captures(L, match);
    lua_call(L, n, 1);
  }
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    push(L, search.subject.substr(match.begin, match.end - match.begin));
  } else if (!lua_isstring(L, -1)) {
    throw Error(fmt::format("invalid replacement value (a {})", luaL_typename(L, -1)));
  }
  out.add_value();
}

int gsub(lua_State* L) {
  const std::string_view subject = checked_text(L, 1), pattern = checked_text(L, 2);
  const int kind = lua_type(L, 3);
  luaL_argexpected(
      L, kind == LUA_TNUMBER || kind == LUA_TSTRING || kind == LUA_TFUNCTION || kind == LUA_TTABLE,
      3, "string/function/table");
  if (kind == LUA_TNUMBER) lua_tostring(L, 3);
  const lua_Integer most = luaL_optinteger(L, 4, lua_Integer(subject.size()) + 1);
  Search search(L, subject, pattern, true);
  const size_t growth = kind == LUA_TSTRING || kind == LUA_TNUMBER ? lua_rawlen(L, 3) : 0;
  TextBuilder out(L);
  std::optional<size_t> last;  // end of the previous match
  size_t at = 0;
  lua_Integer n = 0;
  while (n < most) {
    const Match match = search.matcher.match_at(at);
    if (match && match.end != last) {
      ++n;
      Sandbox::of(L).charge(L, 1 + (long long)((growth + match.end - at) / 16));
      add_value(L, out, search, match);
      at = match.end;
      last = at;
    } else if (at < subject.size()) {
      out.add(subject[at++]);
    } else {
      break;
    }
    if (search.anchored) break;
  }
  if (at < subject.size()) out.add(subject.substr(at));
  out.push();
  lua_pushinteger(L, n);
  return 2;
}

}  // namespace

void add_pattern_functions(lua_State* L) {
  constexpr Function own[] = {{"find", guarded<find>},
                              {"gmatch", guarded<gmatch>},
                              {"gsub", guarded<gsub>},
                              {"match", guarded<match>}};
  add_functions(L, own);
}

}  // namespace torsor::lua
