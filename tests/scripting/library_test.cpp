// Tests of the Lua libraries except patterns: their results are those of Lua, and never change from
// run to run.

#include "scripting/script_file.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Pairs, GoesByNumberThenTextThenBoolean) {
  const char* table =
      "local t = { b = 1, a = 2, [3] = 3, [1] = 4, [-1] = 5, [2.5] = 6, [true] = 7, [false] = 8, "
      "['10'] = 9, [math.mininteger] = 10, [math.huge] = 11 } ";
  const auto order =
      ElementsAre("math.mininteger", "-1", "1", "2.5", "3", "inf", "10", "a", "b", "false", "true");
  const auto shown = [&](const std::string& loop) {
    std::vector<std::string> out = run(table + loop).printed;
    for (std::string& line : out)
      if (line == "-9223372036854775808") line = "math.mininteger";
    return out;
  };
  EXPECT_THAT(shown("for k in pairs(t) do print(k) end"), order);
  EXPECT_THAT(shown("for k in next, t do print(k) end"), order);
  EXPECT_THAT(shown("local k = next(t) while k ~= nil do print(k) k = next(t, k) end"), order);
}

// Checks that the order of pairs() does not depend on the order of insertion. In plain Lua it does.
TEST(Pairs, DoesNotDependOnTheOrderOfInsertion) {
  std::string up, down;
  for (int i = 0; i < 200; ++i) {
    up += "t.key" + std::to_string(i) + " = 1 ";
    down += "t.key" + std::to_string(199 - i) + " = 1 ";
  }
  const std::string show = "for k in pairs(t) do print(k) end";
  const auto a = run("local t = {} " + up + show), b = run("local t = {} " + down + show);
  EXPECT_EQ(a.error, "");
  ASSERT_EQ(a.printed.size(), 200u);
  EXPECT_EQ(a.printed, b.printed);
  EXPECT_TRUE(std::is_sorted(a.printed.begin(), a.printed.end()));
}

TEST(Pairs, LargeIntegersAndNumbersCompareExactly) {
  EXPECT_THAT(run("local t = { [(1 << 53) + 1] = 'c', [(1 << 52) + 1] = 'b', [2^52 + 0.5] = 'a', "
                  "[math.maxinteger] = 'd', [2^63] = 'e' } for k, v in pairs(t) do print(v) end")
                  .printed,
              ElementsAre("a", "b", "c", "d", "e"));
}

TEST(Pairs, ToleratesRemovalAndRejectsOtherKeys) {
  EXPECT_THAT(run("local t = { a = 1, b = 2, c = 3 } for k in pairs(t) do print(k) t.b = nil t[k] "
                  "= nil end")
                  .printed,
              ElementsAre("a", "c"));
  EXPECT_THAT(
      run("local t = { 1, 2, 3 } for k, v in pairs(t) do t[k] = v + 1 end print(t[1], t[3])")
          .printed,
      ElementsAre("2\t4"));
  EXPECT_THAT(error_of("for k in pairs({ [{}] = 1 }) do end"),
              HasSubstr("a table with a table as a key has a different order"));
  EXPECT_THAT(error_of("next({ [print] = 1 })"),
              HasSubstr("a table with a function as a key has a different order"));
  EXPECT_THAT(run("for k, v in pairs(setmetatable({}, { __pairs = function() return function(_, k) "
                  "if not k then return 1, 2 end end, nil, nil end })) do print(k, v) end")
                  .printed,
              ElementsAre("1\t2"));
  EXPECT_EQ(value("next({})"), "nil");
  EXPECT_THAT(error_of("pairs(nil)"), HasSubstr("bad argument #1"));
}

TEST(ToString, ShowsNumbersOfFirstUseAndNoAddresses) {
  EXPECT_THAT(run("local a, b = {}, {} print(b) print(a, b) print(print, tostring(a)) "
                  "print(coroutine.create(print)) print(torsor.world{})")
                  .printed,
              ElementsAre("table: 1", "table: 2\ttable: 1", "function: 3\ttable: 2", "thread: 4",
                          "world: 5"));
  EXPECT_EQ(value("string.format('%s %10s|', {}, true)"), "table: 1       true|");
  EXPECT_EQ(value("('%s'):format(setmetatable({}, { __tostring = function() return 'mine' end }))"),
            "mine");
  EXPECT_EQ(value("setmetatable({}, { __name = 'Mine' })"), "Mine: 1");
  EXPECT_EQ(value("1, 1.0, -0.0, 1e100, 'x', nil, true, 1 << 62"),
            "1\t1.0\t-0.0\t1e+100\tx\tnil\ttrue\t4611686018427387904");
  EXPECT_EQ(value("setmetatable({}, { __name = 3 })"), "table: 1");
  EXPECT_THAT(error_of("string.format('%p', {})"), HasSubstr("'%p' is not available to scripts"));
  EXPECT_THAT(error_of("print(setmetatable({}, { __tostring = function() return {} end }))"),
              HasSubstr("must return a string"));
}

TEST(Format, IsLuas) {
  EXPECT_EQ(
      value(
          "string.format('%5.2f|%-5d|%05d|%x|%q|%%|%c|%g', 3.14159, 7, 42, 255, 'a\\n', 65, 0.1)"),
      " 3.14|7    |00042|ff|\"a\\\n\"|%|A|0.1");
  EXPECT_THAT(error_of("string.format('%99999d', 1)"), HasSubstr("invalid conversion"));
  EXPECT_THAT(error_of("string.format('%.99999f', 1)"), HasSubstr("invalid conversion"));
  EXPECT_THAT(error_of("string.format('%d')"), HasSubstr("bad argument #2 to 'format'"));
  EXPECT_THAT(error_of("string.format('%d', 1.5)"), HasSubstr("no integer representation"));
  EXPECT_THAT(error_of("string.format('%y', 1)"), HasSubstr("invalid conversion"));
  EXPECT_THAT(error_of("string.format('%', 1)"), HasSubstr("invalid conversion"));
  EXPECT_EQ(value("#string.format('%s', ('x'):rep(100000))"), "100000");
}

TEST(String, IsLuas) {
  EXPECT_EQ(
      value("('x'):rep(0), ('x'):rep(-1), ('ab'):rep(3), ('ab'):rep(1, '-'), ('ab'):rep(2, '-'), "
            "(''):rep(1 << 60)"),
      "\t\tababab\tab\tab-ab\t");
  EXPECT_EQ(
      value("('Hello'):upper(), ('Hello'):lower(), ('Hello'):reverse(), ('Hello'):sub(2, -2), "
            "#'Hello', ('A'):byte(), string.char(72, 105)"),
      "HELLO\thello\tolleH\tell\t5\t65\tHi");
  EXPECT_EQ(value("string.unpack('<i4', string.pack('<i4', -7))"), "-7\t5");
  EXPECT_EQ(value("utf8.len('äö'), utf8.char(228), #utf8.char(228)"), "2\tä\t2");
  EXPECT_EQ(value("'10' + 5"), "15");
  EXPECT_THAT(error_of("('x'):foo()"), HasSubstr("'string.foo' does not exist"));
  EXPECT_THAT(error_of("('x'):uper()"), HasSubstr("did you mean 'upper'?"));
}

TEST(Table, IsLuas) {
  const char* show = " print(table.concat(t, ','))";
  const auto list = [&](const std::string& code) {
    const Outcome out = run(code + show);
    return out.error.empty() ? out.printed.back() : out.error;
  };
  EXPECT_EQ(
      list("local t = {1, 2, 3} table.insert(t, 4) table.insert(t, 1, 0) table.insert(t, 3, 'x')"),
      "0,1,x,2,3,4");
  EXPECT_EQ(list("local t = {1, 2, 3, 4, 5} table.remove(t, 2) table.remove(t, 1) table.remove(t)"),
            "3,4");
  EXPECT_EQ(list("local t = {} print(table.remove(t)) print(table.remove(t, 1))"), "");
  EXPECT_EQ(list("local t = {1, 2, 3} print(table.remove(t, 4)) table.remove(t, 3)"), "1,2");
  EXPECT_EQ(list("local t = {1, 2, 3, 4, 5} table.move(t, 2, 5, 1)"), "2,3,4,5,5");
  EXPECT_EQ(list("local t = {1, 2, 3, 4, 5} table.move(t, 1, 4, 2)"), "1,1,2,3,4");
  EXPECT_EQ(list("local t = table.move({1, 2, 3}, 1, 3, 2, {9})"), "9,1,2,3");
  EXPECT_EQ(list("local t = table.pack(table.unpack({1, 2, 3}, 2))"), "2,3");
  EXPECT_EQ(
      value(
          "table.concat({1, 2, 3}, ', ', 2, 3), table.concat({}, 'x'), table.unpack({1, 2}, 1, 3)"),
      "2, 3\t\t1\t2\tnil");
  EXPECT_EQ(value("table.unpack({}, math.maxinteger, math.maxinteger)"), "nil");
  EXPECT_THAT(error_of("table.insert({1, 2}, 5, 0)"), HasSubstr("position out of bounds"));
  EXPECT_THAT(error_of("table.insert({1, 2}, 0, 0)"), HasSubstr("position out of bounds"));
  EXPECT_THAT(error_of("table.insert({}, 1, 2, 3)"), HasSubstr("wrong number of arguments"));
  EXPECT_THAT(error_of("table.insert(nil, 1)"),
              HasSubstr("bad argument #1 to 'insert' (table expected, got nil)"));
  EXPECT_THAT(error_of("table.remove({1, 2}, 5)"), HasSubstr("position out of bounds"));
  EXPECT_THAT(error_of("table.concat({{}})"),
              HasSubstr("invalid value (at index 1) in table for 'concat'"));
  EXPECT_THAT(error_of("table.move({}, math.mininteger, 1, 2)"),
              HasSubstr("too many elements to move"));
  EXPECT_THAT(error_of("table.move({}, 1, 2, math.maxinteger)"),
              HasSubstr("destination wrap around"));
}

TEST(Table, HonoursMetamethods) {
  EXPECT_THAT(run("local log = setmetatable({}, { __len = function() return 2 end, __index = "
                  "function(_, i) return 10 * i end, __newindex = function(_, k, v) print(k, v) "
                  "end }) table.insert(log, 1, 5) print(table.concat(log, ' '))")
                  .printed,
              ElementsAre("3\t20", "2\t10", "1\t5", "10 20"));
}

TEST(Sort, SortsStably) {
  EXPECT_EQ(value("table.concat((function() local t = {5, 2, 8, 1, 9, 3} table.sort(t) return t "
                  "end)(), ',')"),
            "1,2,3,5,8,9");
  EXPECT_EQ(value("table.concat((function() local t = {'b', 'a', 'c'} table.sort(t, function(a, b) "
                  "return a > b end) return t end)(), ',')"),
            "c,b,a");
  EXPECT_THAT(run("local t = {} for i = 1, 1000 do t[i] = { key = i * 7919 % 10, at = i } end "
                  "table.sort(t, function(a, b) return a.key < b.key end) for i = 2, 1000 do "
                  "assert(t[i - 1].key < t[i].key or (t[i - 1].key == t[i].key and t[i - 1].at < "
                  "t[i].at)) end print('ok')")
                  .printed,
              ElementsAre("ok"));
  EXPECT_THAT(run("local t = {} for i = 1, 5000 do t[i] = math.random(1000) end table.sort(t) "
                  "for i = 2, #t do assert(t[i - 1] <= t[i]) end print(#t)")
                  .printed,
              ElementsAre("5000"));
  EXPECT_THAT(error_of("table.sort({1, 'x'})"), HasSubstr("attempt to compare"));
  EXPECT_EQ(error_of("table.sort({3, 1, 2}, function() return true end)"), "");
}

TEST(Select, AndConversionsAreLuas) {
  EXPECT_EQ(
      value("select('#', 1, nil, nil), select(-1, 1, 2), tonumber('0x10'), tonumber('z', 36), "
            "tonumber('1e1'), tonumber('x')"),
      "3\t2\t16\t35\t10.0\tnil");
  EXPECT_EQ(
      value("rawequal('a', 'a'), rawlen({1, 2}), rawget({ a = 1 }, 'a'), type(nil), _VERSION"),
      "true\t2\t1\tnil\tLua 5.4");
  EXPECT_EQ(
      value("math.tointeger(3.0), math.floor(-3.5), math.type(1), 7 // 2, 7 % -3, math.ult(1, -1)"),
      "3\t-4\tinteger\t3\t-2\ttrue");
}

TEST(Pcall, PassesResultsAndErrors) {
  EXPECT_EQ(value("pcall(function(...) return ... end, 1, nil, 3)"), "true\t1\tnil\t3");
  EXPECT_EQ(value("pcall(error, 'x', 0)"), "false\tx");
  EXPECT_EQ(value("pcall(error, nil)"), "false\tnil");
  EXPECT_EQ(value("select(2, pcall(error, { code = 3 })).code"), "3");
  EXPECT_EQ(value("xpcall(function(a, b) return a + b end, print, 2, 3)"), "true\t5");
  EXPECT_EQ(value("xpcall(error, function(e) return e .. '!' end, 'x', 0)"), "false\tx!");
  EXPECT_EQ(value("pcall(string.rep)").substr(0, 5), "false");
  EXPECT_THAT(error_of("xpcall(error)"), HasSubstr("bad argument #2"));
}

}  // namespace
}  // namespace torsor::test
