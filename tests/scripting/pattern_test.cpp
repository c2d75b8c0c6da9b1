// Tests of string.find, match, gmatch and gsub: against the manual (6.4.1), and against the library
// of plain Lua.

#include <lua.hpp>

#include "scripting/script_file.hpp"
#include "torsor/base/random.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

struct Line {
  const char *expression, *shown;
};

class Manual : public testing::TestWithParam<Line> {};
TEST_P(Manual, ResultIsThatOfTheManual) {
  EXPECT_EQ(value(GetParam().expression), GetParam().shown) << GetParam().expression;
}

constexpr Line manual[] = {
    {"('hello world'):find('wor')", "7\t9"},
    {"('hello'):find('l', 1, true)", "3\t3"},
    {"('a.b'):find('.', 1, true)", "2\t2"},
    {"('hello'):find('l', -2)", "4\t4"},
    {"('hello'):find('', 10)", "nil"},
    {"('hello'):find('', 6)", "6\t5"},
    {"('hello'):find('xyz')", "nil"},
    {"('hello'):find('(l)(o)')", "4\t5\tl\to"},
    {"('key = value'):match('^(%w+)%s*=%s*(%w+)$')", "key\tvalue"},
    {"('key'):match('^e')", "nil"},
    {"('2026-11-20'):match('(%d+)-(%d+)-(%d+)')", "2026\t11\t20"},
    {"('flaaap'):match('()aa()')", "3\t5"},
    {"('a$'):match('a$')", "nil"},
    {"('a$b'):match('a$b')", "a$b"},
    {"('x^2'):match('x^2')", "x^2"},
    {"('aaa'):match('a-')", ""},
    {"('<<a>>'):match('<(.-)>')", "<a"},
    {"('THE (quick) fox'):find('%((%a+)%)')", "5\t11\tquick"},
    {"('f(a(b)c)d'):match('%b()')", "(a(b)c)"},
    {"('THE (quick) fox'):gsub('%f[%a]%a+', '<%0>')", "<THE> (<quick>) <fox>\t3"},
    {"('THE (quick) fox'):find('%f[%a]%a+%f[%A]', 2)", "6\t10"},
    {"(''):find('%f[%z]')", "nil"},
    {"('a'):find('%f[%z]')", "2\t1"},
    {"([[say \"hi\" 'there']]):match([[([\"'])(.-)%1]])", "\"\thi"},
    {"('abc'):gsub('', '-')", "-a-b-c-\t4"},
    {"('hello world'):gsub('o', '0', 1)", "hell0 world\t1"},
    {"('hello world'):gsub('(%w+)', '%1 %1')", "hello hello world world\t2"},
    {"('hello world'):gsub('%w+', '%0 %0', 1)", "hello hello world\t1"},
    {"('abc'):gsub('%w', '%%%0')", "%a%b%c\t3"},
    {"('$name is $x'):gsub('%$(%w+)', { name = 'Lua' })", "Lua is $x\t2"},
    {"('abc'):gsub('.', { a = 1, b = true and false })", "1bc\t3"},
    {"('abc'):gsub('b', function(c) return c:upper() .. '!' end)", "aB!c\t1"},
    {"('abc'):gsub('^a', 'x')", "xbc\t1"},
    {"('aaa'):gsub('^a', 'x')", "xaa\t1"},
    {"('abc'):gsub('()', '%1')", "1a2b3c4\t4"},
    {"('one;;two'):gsub(';', ';', 0)", "one;;two\t0"},
    {"('x = 1'):match('[=]')", "="},
    {"(']'):match('[]]')", "]"},
    {"('a]'):match('[^]]')", "a"},
    {"('-'):match('[a-]')", "-"},
    {"('b-'):match('[+--]')", "-"},
    {"('\\0a'):find('%z')", "1\t1"},
    {"('a\\0b'):find('\\0')", "2\t2"},
    {"('0x1F'):match('^0x(%x+)$')", "1F"},
    {"('a1_ '):gsub('[%w_]', '.')", "... \t3"},
    {"(('x'):rep(3, ','))", "x,x,x"},
    {"('tab\\there'):match('%c')", "\t"},
    {"select('#', ('abc'):match('(a)(b)(c)'))", "3"},
};
INSTANTIATE_TEST_SUITE_P(Lines, Manual, testing::ValuesIn(manual));

TEST(Gmatch, WalksOverMatches) {
  EXPECT_THAT(run("for k, v in ('a=1, b=2'):gmatch('(%w+)=(%w+)') do print(k, v) end").printed,
              testing::ElementsAre("a\t1", "b\t2"));
  EXPECT_THAT(run("for w in ('abc'):gmatch('') do print('[' .. w .. ']') end").printed,
              testing::SizeIs(4));
  EXPECT_THAT(run("for w in ('abcabc'):gmatch('^a') do print(w) end").printed, testing::IsEmpty());
  EXPECT_THAT(run("for w in ('abcd'):gmatch('%w', 3) do print(w) end").printed,
              testing::ElementsAre("c", "d"));
  EXPECT_THAT(run("for w in ('abcd'):gmatch('%w', -1) do print(w) end").printed,
              testing::ElementsAre("d"));
}

class MalformedPattern : public testing::TestWithParam<Line> {};
TEST_P(MalformedPattern, IsAnErrorWithItsPlace) {
  EXPECT_EQ(value(GetParam().expression), std::string("scene.lua:1: ") + GetParam().shown);
}
constexpr Line malformed_patterns[] = {
    {"('a'):find('[a')", "malformed pattern (missing ']')"},
    {"('a'):find('[]')", "malformed pattern (missing ']')"},
    {"('a'):find('[%')", "malformed pattern (missing ']')"},
    {"('a'):find('%')", "malformed pattern (ends with '%')"},
    {"('a'):find('%b(')", "malformed pattern (missing arguments to '%b')"},
    {"('a'):find('%fa')", "malformed pattern (missing '[' after '%f')"},
    {"('a'):find('(a')", "unfinished capture in a pattern"},
    {"('a'):find('a.)')", "invalid pattern capture: ')' without '('"},
    {"('a'):find('%1')", "invalid capture index %1 in a pattern"},
    {"('a'):find('(%1)')", "invalid capture index %1 in a pattern"},
    {"('a'):find('(a)%0')", "invalid capture index %0 in a pattern"},
    {"('a'):find(('()'):rep(33))", "too many captures in a pattern"},
    {"('a'):gsub('a', '%2')", "invalid capture index %2 in replacement string"},
    {"('a'):gsub('a', '%x')", "invalid use of '%' in replacement string"},
    {"('a'):gsub('a', '%')", "invalid use of '%' in replacement string"},
    {"('a'):gsub('a', function() return {} end)", "invalid replacement value (a table)"},
    {"('a'):gsub('a', true)",
     "bad argument #2 to 'gsub' (string/function/table expected, got boolean)"},
    {"('a'):gmatch('[')", "malformed pattern (missing ']')"},
};
INSTANTIATE_TEST_SUITE_P(Lines, MalformedPattern, testing::ValuesIn(malformed_patterns));

// A generator of random valid patterns: items with repeats, captures, sets, frontiers, balances and
// back references.
class PatternMaker {
 public:
  explicit PatternMaker(Random& random) : random_(random) {}

  std::string make() {
    captures_ = closed_ = 0;
    std::string out = chance(6) ? "^" : "";
    for (int i = pick(5); i >= 0; --i) out += item(2);
    return chance(6) ? out + "$" : out;
  }
  std::string subject() {
    std::string out;
    for (int i = pick(14); i > 0; --i) out += letters_[size_t(pick(int(letters_.size())))];
    return out;
  }

 private:
  int pick(int n) { return random_.below(n); }
  bool chance(int n) { return pick(n) == 0; }

  std::string item(int depth) {
    const int kind = pick(12);
    if (kind == 0 && depth > 0 && captures_ < 5) {
      ++captures_;
      if (chance(3)) {
        ++closed_;
        return "()";
      }
      std::string inside;
      const int own = captures_;
      for (int i = pick(3); i >= 0; --i) inside += item(0);
      closed_ = own;
      return "(" + inside + ")";
    }
    if (kind == 1) return "%b()";
    if (kind == 2) return "%f" + set();
    if (kind == 3 && closed_ > 0 && depth > 0) return "%" + std::to_string(1 + pick(closed_));
    const std::string repeats[] = {"", "", "*", "+", "-", "?"};
    return single() + repeats[pick(6)];
  }
  std::string single() {
    switch (pick(5)) {
      case 0:
        return ".";
      case 1:
        return std::string("%") + "acdglpsuwxACDGLPSUWXz.%("[pick(24)];
      case 2:
        return set();
      default:
        return std::string(1, "ab1 -"[pick(5)]);
    }
  }
  std::string set() {
    std::string out = chance(3) ? "[^" : "[";
    for (int i = pick(3); i >= 0; --i) {
      const char* parts[] = {"a",   "]a", "a-c", "%d", "%s", "b-",
                             "0-9", "%W", "b^",  "-a", "%]", "("};
      const int part = pick(12);
      out += part == 1 && i > 0 ? "x" : parts[part];
    }
    return out + "]";
  }

  Random& random_;
  int captures_ = 0, closed_ = 0;
  const std::string letters_ = std::string("aabbc11 ()A-xz\0", 15);
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\0' ? "\\000" : std::string(1, c);
  }
  return out + "\"";
}

// Returns Lua text with five calls of the four functions. Each call prints one line, or "error" if
// it fails.
std::string calls(const std::string& pattern, const std::string& subject, int start) {
  const std::string s = quoted(subject), p = quoted(pattern), at = std::to_string(start);
  return "show(string.find, " + s + ", " + p + ", " + at + ")\n" + "show(string.match, " + s +
         ", " + p + ")\n" + "show(string.gsub, " + s + ", " + p + ", '<%0>')\n" +
         "show(string.gsub, " + s + ", " + p +
         ", function(...) return table.concat({...}, ';') end, 3)\n" +
         "show(function() local t = {} for a, b in string.gmatch(" + s + ", " + p +
         ") do t[#t + 1] = tostring(a) .. '/' .. tostring(b) end return table.concat(t, ';') "
         "end)\n";
}

constexpr const char* show =
    "local function show(f, ...)\n local r = table.pack(pcall(f, ...))\n"
    " if not r[1] then print('error') return end\n"
    " local t = {} for i = 2, r.n do t[#t + 1] = tostring(r[i]) end print(table.concat(t, "
    "'|'))\nend\n";

// Returns the lines that the code prints in plain Lua.
std::vector<std::string> plain_lua(const std::string& code) {
  std::vector<std::string> lines;
  lua_State* L = luaL_newstate();
  luaL_openlibs(L);
  lua_pushlightuserdata(L, &lines);
  lua_pushcclosure(
      L,
      [](lua_State* state) {
        static_cast<std::vector<std::string>*>(lua_touserdata(state, lua_upvalueindex(1)))
            ->emplace_back(lua_tostring(state, 1), lua_rawlen(state, 1));
        return 0;
      },
      1);
  lua_setglobal(L, "print");
  if (luaL_dostring(L, code.c_str()) != LUA_OK) ADD_FAILURE() << lua_tostring(L, -1);
  lua_close(L);
  return lines;
}

TEST(AgainstLua, RandomPatternsGiveTheSame) {
  constexpr unsigned seed = 20261120;
  constexpr int batches = 20, per_batch = 250;
  Random random(seed);
  PatternMaker maker(random);
  int matched = 0, failed = 0;
  for (int batch = 0; batch < batches; ++batch) {
    std::string code;
    std::vector<std::string> made;
    for (int i = 0; i < per_batch; ++i) {
      const std::string pattern = maker.make(), subject = maker.subject();
      const std::string call = calls(pattern, subject, random.below(20) - 8);
      code += "do " + call + " end\n";
      made.push_back(call);
    }
    const std::vector<std::string> expected = plain_lua(show + code);
    const Outcome actual = run(show + code);
    ASSERT_EQ(actual.error, "");
    ASSERT_EQ(expected.size(), size_t(5 * per_batch));
    ASSERT_EQ(actual.printed.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(actual.printed[i], expected[i]) << "seed " << seed << ", call " << i % 5 << " of\n"
                                                << made[i / 5];
      failed += expected[i] == "error";
      matched += i % 5 == 1 && expected[i] != "nil";
    }
  }
  // The comparison must have many matches and few errors.
  EXPECT_GT(matched, batches * per_batch / 5);
  EXPECT_LT(failed, batches * per_batch / 20);
}

// Compares random bytes as patterns. Our matcher rejects a malformed pattern before it matches.
// Plain Lua rejects it only when it reaches the malformed part. If ours returns a result, plain Lua
// must return the same.
TEST(AgainstLua, RandomTextsAsPatternsGiveTheSameOrAreRejected) {
  constexpr unsigned seed = 7;
  Random random(seed);
  const std::string alphabet = "ab1%%%[[]]()()^$*+-?.bf";
  const auto text = [&](size_t longest, const std::string& letters) {
    std::string out;
    for (int n = random.below(int(longest) + 1); n > 0; --n)
      out += letters[size_t(random.below(int(letters.size())))];
    return out;
  };
  std::string code;
  std::vector<std::string> made;
  for (int i = 0; i < 3000; ++i) {
    made.push_back(calls(text(7, alphabet), text(8, "aab1()%]-"), 1));
    code += "do " + made.back() + " end\n";
  }
  const std::vector<std::string> expected = plain_lua(show + code);
  const Outcome actual = run(show + code);
  ASSERT_EQ(actual.error, "");
  ASSERT_EQ(actual.printed.size(), expected.size());
  int same = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (actual.printed[i] == "error") continue;
    ASSERT_EQ(actual.printed[i], expected[i]) << "seed " << seed << ", call " << i % 5 << " of\n"
                                              << made[i / 5];
    ++same;
  }
  EXPECT_GT(same, int(expected.size() / 3));
}

}  // namespace
}  // namespace torsor::test
