#include "torsor/scripting/sandbox/value_text.hpp"

#include <cmath>
#include <vector>

#include "torsor/scripting/sandbox/environment.hpp"
#include "torsor/scripting/sandbox/sandbox.hpp"
#include "torsor/scripting/sandbox/sorted_keys.hpp"

namespace torsor::lua {

std::string quoted_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\{:03}", int(static_cast<unsigned char>(c)));
    else
      out += c;
  }
  return out + "\"";
}

namespace {

constexpr int deepest = 8;
constexpr size_t most_entries = 5000, longest_line = 100;

std::string number_text(lua_State* L, int index) {
  if (lua_isinteger(L, index)) return fmt::format("{}", lua_tointeger(L, index));
  const double x = lua_tonumber(L, index);
  if (std::isnan(x)) return "0/0";
  if (std::isinf(x)) return x > 0 ? "math.huge" : "-math.huge";
  std::string text = fmt::format("{}", x);  // the shortest string that converts back to exactly x
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (text.empty() || !letter(text[0])) return false;
  for (const char c : text)
    if (!letter(c) && !(c >= '0' && c <= '9')) return false;
  return true;
}

std::string indented(const std::string& text, size_t by) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out.append(by, ' ');
  }
  return out;
}

class Writer {
 public:
  explicit Writer(lua_State* L) : L_(L) {}

  std::string value(int index, int depth) {
    luaL_checkstack(L_, 8, "a value that is shown");
    Sandbox::of(L_).charge(L_, 20);
    index = lua_absindex(L_, index);
    switch (lua_type(L_, index)) {
      case LUA_TNUMBER:
        return number_text(L_, index);
      case LUA_TSTRING:
        return depth > 0 ? quoted_text(text(L_, index)) : std::string(text(L_, index));
      case LUA_TTABLE:
        if (!hides_entries(index)) return table(index, depth);
        [[fallthrough]];
      default:
        push_text_of(L_, index);
        std::string out(text(L_, -1));
        lua_pop(L_, 1);
        return out;
    }
  }

 private:
  // Returns true for library tables and for tables with a __tostring metamethod.
  bool hides_entries(int index) {
    for (const char* event : {"__pairs", "__tostring"})
      if (luaL_getmetafield(L_, index, event) != LUA_TNIL) {
        lua_pop(L_, 1);
        return true;
      }
    return false;
  }

  // Converts the numbers of a matrix (a list of lists of equal length) to strings, one vector of
  // strings per row. Returns an empty list for other tables.
  std::vector<std::vector<std::string>> rows_of(int index) {
    std::vector<std::vector<std::string>> rows;
    const size_t n = lua_rawlen(L_, index);
    for (size_t i = 1; i <= n && n * rows.size() < most_entries; ++i) {
      const bool is_list = lua_rawgeti(L_, index, lua_Integer(i)) == LUA_TTABLE;
      std::vector<std::string> row;
      const size_t m = is_list ? lua_rawlen(L_, -1) : 0;
      bool numbers = m > 0 && first_extra_key(L_, -1, m).empty();
      for (size_t k = 1; numbers && k <= m; ++k) {
        numbers = lua_rawgeti(L_, -1, lua_Integer(k)) == LUA_TNUMBER;
        if (numbers) row.push_back(number_text(L_, -1));
        lua_pop(L_, 1);
      }
      lua_pop(L_, 1);
      if (!numbers || (i > 1 && m != rows[0].size())) return {};
      rows.push_back(std::move(row));
    }
    return n > 1 && rows.size() == n && first_extra_key(L_, index, n).empty()
               ? rows
               : std::vector<std::vector<std::string>>{};
  }

  static std::string matrix(const std::vector<std::vector<std::string>>& rows) {
    size_t width = 0;
    for (const auto& row : rows)
      for (const std::string& entry : row) width = std::max(width, entry.size());
    std::string out;
    for (const auto& row : rows) {
      out += out.empty() ? "{{" : ",\n {";
      for (size_t k = 0; k < row.size(); ++k)
        out += fmt::format("{}{:>{}}", k ? ", " : " ", row[k], width);
      out += " }";
    }
    return out + "}";
  }

  std::string table(int index, int depth) {
    if (depth >= deepest) return "{...}";
    Sandbox::of(L_).charge(L_, (long long)lua_rawlen(L_, index));
    if (const auto rows = rows_of(index); !rows.empty()) {
      entries_ += rows.size() * rows[0].size();
      return matrix(rows);
    }
    std::vector<std::string> parts;
    bool lines = false;
    size_t length = 0;
    lua_Integer next = 1;  // keys of list entries are not printed
    for (const Key& key : sorted_keys(L_, index)) {
      if (++entries_ > most_entries) {
        parts.push_back("...");
        break;
      }
      push_key(L_, key);
      lua_rawget(L_, index);
      std::string name;
      if (const auto* integer = std::get_if<lua_Integer>(&key); integer && *integer == next)
        ++next;
      else if (const auto* string = std::get_if<std::string_view>(&key))
        name = is_name(*string) ? fmt::format("{} = ", *string)
                                : fmt::format("[{}] = ", quoted_text(*string));
      else
        name = quoted(key) + " = ";
      parts.push_back(name + indented(value(-1, depth + 1), name.size() + 2));
      lines |= parts.back().find('\n') != std::string::npos;
      length += parts.back().size() + 2;
      lua_pop(L_, 1);
    }
    if (parts.empty()) return "{}";
    std::string out = "{ ";
    for (size_t k = 0; k < parts.size(); ++k)
      out += (k == 0 ? "" : lines || length > longest_line ? ",\n  " : ", ") + parts[k];
    return out + " }";
  }

  lua_State* L_;
  size_t entries_ = 0;
};

}  // namespace

std::string text_of_value(lua_State* L, int index) {
  return Writer(L).value(index, 0);
}

}  // namespace torsor::lua
