// Tests of coroutines, which must behave as in Lua 5.4.

#include "scripting/script_file.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Coroutine, PassesValuesBothWays) {
  EXPECT_THAT(
      run("local co = coroutine.create(function(a, b) print(a, b) local c = coroutine.yield(a + b) "
          "print(c) return 'end', nil end) print(coroutine.status(co)) print(coroutine.resume(co, "
          "1, 2)) print(coroutine.status(co)) print(coroutine.resume(co, 'x')) "
          "print(coroutine.status(co)) print(coroutine.resume(co))")
          .printed,
      ElementsAre("suspended", "1\t2", "true\t3", "suspended", "x", "true\tend\tnil", "dead",
                  "false\tcannot resume dead coroutine"));
}

TEST(Coroutine, WrapIterates) {
  EXPECT_THAT(run("for i in coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) "
                  "do print(i) end")
                  .printed,
              ElementsAre("1", "2", "3"));
  EXPECT_THAT(
      error_of(
          "\ncoroutine.wrap(function() end)()\nlocal f = coroutine.wrap(function() end) f() f()"),
      HasSubstr("scene.lua:3: cannot resume dead coroutine"));
}

TEST(Coroutine, YieldsAcrossPcallAndPairs) {
  EXPECT_THAT(
      run("local co = coroutine.wrap(function() print(pcall(function() coroutine.yield(1) "
          "error('late', 0) end)) print(xpcall(function() coroutine.yield(2) error('later', 0) "
          "end, function(e) return e .. '!' end)) local t = setmetatable({}, { __pairs = "
          "function(t) coroutine.yield(3) return next, { a = 1 } end }) for k, v in pairs(t) do "
          "print(k, v) end return 'done' end) print(co()) print(co()) print(co()) print(co())")
          .printed,
      ElementsAre("1", "false\tlate", "2", "false\tlater!", "3", "a\t1", "done"));
}

TEST(Coroutine, ErrorsReachTheResumer) {
  EXPECT_THAT(run("local co = coroutine.create(function() error({ code = 7 }) end) local ok, e = "
                  "coroutine.resume(co) print(ok, e.code, coroutine.status(co))")
                  .printed,
              ElementsAre("false\t7\tdead"));
  EXPECT_THAT(run("print(pcall(coroutine.wrap(function() error('x', 0) end)))").printed,
              ElementsAre("false\tx"));
}

TEST(Coroutine, CloseRunsPendingCloseHandlers) {
  const std::string make =
      "local co = coroutine.create(function() local x <close> = setmetatable({}, { __close = "
      "function(_, e) print('closed', e) end }) coroutine.yield() end) coroutine.resume(co) ";
  EXPECT_THAT(run(make + "print(coroutine.close(co), coroutine.status(co))").printed,
              ElementsAre("closed\tnil", "true\tdead"));
  EXPECT_THAT(run("local co = coroutine.create(function() local x <close> = setmetatable({}, { "
                  "__close = function() error('in close', 0) end }) coroutine.yield() end) "
                  "coroutine.resume(co) print(coroutine.close(co))")
                  .printed,
              ElementsAre("false\tin close"));
  EXPECT_THAT(
      run("local co = coroutine.create(error) coroutine.resume(co, 'x') print(coroutine.close(co)) "
          "print(coroutine.close(co))")
          .printed,
      ElementsAre("false\tx", "true"));
  EXPECT_THAT(
      run("local f = coroutine.wrap(function() local x <close> = setmetatable({}, { __close = "
          "function(_, e) print('closed', e) end }) error('why', 0) end) print(pcall(f))")
          .printed,
      ElementsAre("closed\twhy", "false\twhy"));
  EXPECT_THAT(error_of("coroutine.close(coroutine.running())"),
              HasSubstr("cannot close a running coroutine"));
  EXPECT_THAT(
      run("local outer outer = coroutine.create(function() print(pcall(coroutine.wrap(function() "
          "coroutine.close(outer) end))) end) coroutine.resume(outer)")
          .printed[0],
      HasSubstr("cannot close a running coroutine"));
}

TEST(Coroutine, RunningAndYieldable) {
  EXPECT_EQ(value("select(2, coroutine.running()), coroutine.isyieldable(), "
                  "coroutine.wrap(coroutine.isyieldable)()"),
            "true\tfalse\ttrue");
  EXPECT_THAT(error_of("coroutine.yield()"),
              HasSubstr("attempt to yield from outside a coroutine"));
  EXPECT_THAT(error_of("coroutine.resume(1)"), HasSubstr("coroutine expected"));
  EXPECT_THAT(error_of("coroutine.create(1)"), HasSubstr("function expected"));
  EXPECT_THAT(error_of("coroutine.wrap(coroutine.wrap(function() coroutine.yield() end))() "),
              testing::IsEmpty());
  EXPECT_THAT(
      run("local co = coroutine.create(function() table.sort({2, 1}, function() coroutine.yield() "
          "end) end) print(coroutine.resume(co))")
          .printed[0],
      HasSubstr("attempt to yield across a C-call boundary"));
}

}  // namespace
}  // namespace torsor::test
