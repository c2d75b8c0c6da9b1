// Tests of the limits of steps, memory and time, and of stop requests. No script can exceed a limit
// or ignore a stop.

#include <atomic>
#include <chrono>
#include <thread>

#include "scripting/script_file.hpp"
#include "support/eventually.hpp"
#include "support/rod_scene.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const ScriptLimits few_steps{.steps = 2'000'000, .memory = size_t(32) << 20, .seconds = 60};

// A script that would run or grow forever. Its statements print only after an endless part, which
// must never end.
struct RunawayScript {
  const char *name, *statements;
};
std::ostream& operator<<(std::ostream& out, const RunawayScript& c) {
  return out << c.name;
}
std::string runaway_name(const testing::TestParamInfo<RunawayScript>& info) {
  return info.param.name;
}

class EndlessScript : public testing::TestWithParam<RunawayScript> {};

TEST_P(EndlessScript, TripsTheStepLimit) {
  const auto start = std::chrono::steady_clock::now();
  const Outcome out = run(GetParam().statements, few_steps);
  EXPECT_THAT(out.error, StartsWith("scene.lua:"));
  EXPECT_THAT(out.error, HasSubstr("the script took more than 2 million steps"));
  EXPECT_THAT(out.printed, IsEmpty());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

constexpr RunawayScript endless[] = {
    {"While", "while true do end"},
    {"Goto", "::again:: goto again"},
    {"Repeat", "repeat local x = 1 until false"},
    {"For", "for i = 1, math.huge do end"},
    {"TailCall", "local function f() return f() end f()"},
    {"Pcall", "pcall(function() while true do end end) print('past')"},
    {"PcallLoop", "while true do pcall(function() while true do end end) end"},
    {"NestedPcall", "pcall(pcall, pcall, function() while true do end end) print('past')"},
    {"PcallOfError", "while true do pcall(error, 'x') end"},
    {"Xpcall",
     "xpcall(function() while true do end end, function() while true do end end) print('past')"},
    {"XpcallHandler", "xpcall(error, function() while true do end end) print('past')"},
    {"XpcallHandlerErrs", "while true do xpcall(error, function() error('again') end) end"},
    {"Coroutine",
     "coroutine.resume(coroutine.create(function() while true do end end)) print('past')"},
    {"Wrap", "pcall(coroutine.wrap(function() while true do end end)) print('past')"},
    {"WrapInPcallInCoroutine",
     "local co = coroutine.create(function() pcall(coroutine.wrap(function() while true do end "
     "end)) print('past') end) coroutine.resume(co) print('past')"},
    {"ManyCoroutines", "while true do coroutine.wrap(function() local x = 1 end)() end"},
    {"CoroutinesOfAFewInstructions",
     "local function f() end for i = 1, 25000 do coroutine.create(f) end print('past')"},
    {"YieldForEver",
     "local f = coroutine.wrap(function() while true do coroutine.yield() end end) while true do "
     "f() end"},
    {"CloseHandler",
     "local function f() local x <close> = setmetatable({}, {__close = function() while true do "
     "end end}) error('x') end pcall(f) print('past')"},
    {"CloseHandlerAfterTrip",
     "pcall(function() local x <close> = setmetatable({}, {__close = function() print('closed') "
     "end}) while true do end end) print('past')"},
    {"CloseCoroutine",
     "local co = coroutine.create(function() local x <close> = setmetatable({}, {__close = "
     "function() while true do end end}) coroutine.yield() end) coroutine.resume(co) "
     "coroutine.close(co) print('past')"},
    {"IndexFunction",
     "local t = setmetatable({}, {__index = function() while true do end end}) local x = t.a "
     "print('past')"},
    {"IpairsForEver",
     "for i in ipairs(setmetatable({}, {__index = function() return 1 end})) do end"},
    {"ToStringFunction",
     "pcall(tostring, setmetatable({}, {__tostring = function() while true do end end})) "
     "print('past')"},
    {"PairsFunction",
     "pcall(pairs, setmetatable({}, {__pairs = function() while true do end end})) print('past')"},
    {"SortComparison", "table.sort({3, 2, 1}, function() while true do end end)"},
    {"GsubFunction", "(('a'):rep(10)):gsub('a', function() while true do end end)"},
    {"Pattern", "pcall(string.find, ('a'):rep(40), ('a*'):rep(30) .. 'b') print('past')"},
    {"PatternGreedy", "string.find(('a'):rep(100000), '.-.-.-b')"},
    {"PatternInMatch", "string.match(('a'):rep(40), ('a?'):rep(40) .. ('a'):rep(41))"},
    {"PatternInGmatch", "for _ in string.gmatch(('a'):rep(40), ('a*'):rep(30) .. 'b') do end"},
    {"PatternInGsub", "string.gsub(('a'):rep(40), ('a*'):rep(30) .. 'b', '')"},
    {"BalanceQuadratic", "string.find(('('):rep(1000000), '%b()')"},
    {"BackReferences", "string.find(('a'):rep(3000000), '(a*)%1b')"},
    {"InsertInEndlessTable",
     "table.insert(setmetatable({}, {__len = function() return 1 << 60 end}), 1, 0)"},
    {"RemoveFromEndlessTable",
     "table.remove(setmetatable({}, {__len = function() return 1 << 60 end}), 1)"},
    {"RemoveWithChangingLength",
     "local n = 0 table.remove(setmetatable({}, {__len = function() n = n + 1 return n == 1 and (1 "
     "<< 60) or 1 end}), 1)"},
    {"MoveMuch", "table.move({}, 1, 1 << 60, 2)"},
    {"MoveMuchBackwards", "table.move({}, 1, 1 << 60, 3, {})"},
    {"ConcatMuch",
     "table.concat(setmetatable({}, {__index = function() return '' end}), '', 1, 1 << 60)"},
    {"SortMuch", "table.sort(setmetatable({}, {__len = function() return 1 << 30 end}))"},
    {"FormatLoop", "while true do string.format('%99.99f', 1e300) end"},
    {"NextLoop", "local t = {} for i = 1, 1000 do t[i] = i end while true do next(t) end"},
    {"LengthOfTexts", "local s = ('x'):rep(1000000) while true do s:upper() end"},
    {"EqualTexts", "local s = ('x'):rep(1000000) while true do rawequal(s, s) end"},
    {"ParseNumbers", "local s = (' '):rep(1000000) while true do tonumber(s) end"},
    {"TextsOfObjects",
     "local s = setmetatable({}, {__tostring = function() return ('x'):rep(100000) end}) while "
     "true do tostring(s) end"},
    {"CodesLoop", "local s = ('x'):rep(1000) while true do for _ in utf8.codes(s) do end end"},
    {"CodesLength", "local s = ('x'):rep(1000000) while true do utf8.len(s) end"},
    {"Require", "while true do pcall(require, 'no.such') end"},
    {"MakeRobots", "while true do pcall(torsor.robot, {}) end"},
};
INSTANTIATE_TEST_SUITE_P(All, EndlessScript, testing::ValuesIn(endless), runaway_name);

class GrowingScript : public testing::TestWithParam<RunawayScript> {};

TEST_P(GrowingScript, TripsTheMemoryLimit) {
  ScriptLimits limits = few_steps;
  limits.steps = 200'000'000;
  const Outcome out = run(GetParam().statements, limits);
  EXPECT_THAT(out.error, StartsWith("scene.lua:"));
  EXPECT_THAT(out.error, HasSubstr("the script uses more than 32 MiB of memory"));
  EXPECT_THAT(out.printed, IsEmpty());
}

constexpr RunawayScript growing[] = {
    {"Table", "local t = {} for i = 1, 1e9 do t[i] = i end"},
    {"NestedTables", "local t = {} while true do t = {t} end"},
    {"Keys", "local t = {} for i = 1, 1e9 do t['k' .. i] = i end"},
    {"Text", "local s = 'x' while true do s = s .. s end"},
    {"TextInPcall",
     "pcall(function() local s = 'x' while true do s = s .. s end end) print('past')"},
    {"PcallLoop",
     "while true do pcall(function() local s = 'x' while true do s = s .. s end end) end"},
    {"TableInCoroutine",
     "coroutine.resume(coroutine.create(function() local t = {} for i = 1, 1e9 do t[i] = i end "
     "end)) print('past')"},
    {"TableInWrap",
     "pcall(coroutine.wrap(function() local t = {} for i = 1, 1e9 do t[i] = i end end)) "
     "print('past')"},
    {"XpcallHandler",
     "xpcall(error, function() local s = 'x' while true do s = s .. s end end) print('past')"},
    {"CloseHandlerHidesIt",
     "pcall(function() local x <close> = setmetatable({}, {__close = function() error('other') "
     "end}) local s = 'x' while true do s = s .. s end end) print('past')"},
    {"Rep", "local s = ('x'):rep(1 << 30)"},
    {"RepHuge", "pcall(string.rep, 'xxxxxxxxxxxxxxxx', 1 << 60) print('past')"},
    {"RepSeparator", "local s = (''):rep(1 << 40, 'abc')"},
    {"Concat", "local t = {} for i = 1, 1000 do t[i] = ('x'):rep(100000) end table.concat(t)"},
    {"Gsub", "local s = ('x'):rep(100000):gsub('x', ('y'):rep(1000))"},
    {"Closures", "local t = {} for i = 1, 1e9 do t[i] = function() return i end end"},
    {"Coroutines", "local t = {} for i = 1, 1e9 do t[i] = coroutine.create(print) end"},
    {"Pack", "local t = {} while true do t = table.pack(t, table.unpack(t)) t[#t + 1] = {t} end"},
    {"Robots", "for i = 1, 1e9 do torsor.robot{ name = 'r' } end"},
    {"Worlds", "for i = 1, 1e9 do torsor.world{} end"},
    {"States", "local r = torsor.robot{ name = 'r' } for i = 1, 1e9 do r:set{ q = {1, 2} } end"},
    {"Loads",
     "local r = torsor.robot{ name = 'r' } for i = 1, 1e9 do r:apply{ wrenches = { a = { force = "
     "{0, 0, 1} } } } end"},
    {"Experiments",
     "local r, w = torsor.robot{ name = 'r' }, torsor.world{} r:link{ name = 'a', joint = { "
     "'revolute', name = 'j', axis = {0, 0, 1} }, massless = true } w:add(r) for i = 1, 1e9 do "
     "w:experiment{ integrator = { 'rk4', dt = 1 }, duration = 1, record = {} } end"},
    {"Visuals",
     "local ball, many = { sphere = { radius = 1 } }, {} for i = 1, 100000 do many[i] = ball end "
     "torsor.robot{ name = 'r' }:link{ name = 'L', joint = { 'fixed' }, massless = true, visuals = "
     "many } print('past')"},
    {"Links",
     "local r = torsor.robot{ name = 'r' } for i = 1, 1e9 do r:link{ name = 'l' .. i, joint = "
     "{'fixed'}, massless = true } end"},
    {"Frames",
     "local r = torsor.robot{ name = 'r' } for i = 1, 1e9 do r:frame{ name = 'f' .. i, link = 'l', "
     "origin = {} } end"},
};
INSTANTIATE_TEST_SUITE_P(All, GrowingScript, testing::ValuesIn(growing), runaway_name);

TEST(Limits, GarbageIsNotCounted) {
  const Outcome out = run("for i = 1, 2000 do local s = ('x'):rep(1000000) end print('done')",
                          {.steps = 500'000'000, .memory = size_t(32) << 20, .seconds = 60});
  EXPECT_EQ(out.error, "");
  EXPECT_THAT(out.printed, testing::ElementsAre("done"));
}

// Checks that C++ memory that the script has allocated counts towards the limit. Garbage of this
// kind is collected in time.
TEST(Limits, GarbageMakesRoomForRobots) {
  const Outcome out =
      run("local live = ('x'):rep(10 << 20) for i = 1, 80 do local s = ('y'):rep(1 << 18) .. i "
          "for k = 1, 25 do torsor.robot{ name = 'r' } end end",
          {.steps = 500'000'000, .memory = size_t(20) << 20, .seconds = 60});
  EXPECT_EQ(out.error, "");
}

// Checks the buffers of Lua's library functions, which are allocated without the collector.
TEST(Limits, GarbageMakesRoomForBuffers) {
  const ScriptLimits limits{.steps = 500'000'000, .memory = size_t(22) << 20, .seconds = 60};
  for (const char* call : {"s:upper()", "s:reverse()", "('%s'):format(s)", "string.pack('z', s)",
                           "table.concat({s, 'z'})", "s:gsub('z', '')", "s:rep(1)", "s .. 'z'"})
    EXPECT_EQ(run(std::string(
                      "local live = ('x'):rep(10 << 20) for i = 1, 15 do local s = ('x'):rep(5 << "
                      "19) .. i local t = ") +
                      call + " end",
                  limits)
                  .error,
              "")
        << call;
}

// Checks that a buffer beyond the limit ends the script. Plain Lua would raise an error that the
// script could catch or hide.
TEST(Limits, ABufferBeyondTheLimitEndsTheScript) {
  const std::string live = "local s, live = ('x'):rep(9 << 20), ('y'):rep(9 << 20) ";
  const std::string hide =
      "local x <close> = setmetatable({}, { __close = function() error('other') end }) ";
  for (const std::string call :
       {"s:upper()", "s:reverse()", "('%s%s%s'):format(s, s, s)", "string.pack('zz', s, s)"})
    for (const std::string& body :
         {"pcall(function() local t = " + call + " end) print('past')",
          "pcall(function() " + hide + "local t = " + call + " end) print('past')",
          hide + "local t = " + call + " print('past')"}) {
      const Outcome out =
          run(live + body, {.steps = 500'000'000, .memory = size_t(20) << 20, .seconds = 60});
      EXPECT_THAT(out.error, StartsWith("scene.lua")) << body;
      EXPECT_THAT(out.error, HasSubstr(": the script uses more than 20 MiB")) << body;
      EXPECT_THAT(out.printed, IsEmpty()) << body;
    }
}

TEST(Limits, ErrorsNameTheLineOfTheLoop) {
  EXPECT_THAT(run("local x = 1\n\nwhile true do x = 2 end", few_steps).error,
              StartsWith("scene.lua:3: the script took"));
  EXPECT_THAT(run("local t = {}\nfor i = 1, 1e9 do\nt[i] = i end",
                  {.steps = 1'000'000'000, .memory = 1 << 22, .seconds = 60})
                  .error,
              StartsWith("scene.lua:3: the script uses more than 4 MiB"));
}

TEST(Limits, AScriptOfAnyLegalSizeHasRoom) {
  EXPECT_EQ(run("local t = {} for i = 1, 1e6 do t[i] = {i} end").error, "");
  EXPECT_EQ(run("local n = 0 for i = 1, 1e7 do n = n + i end").error, "");
}

TEST(Limits, TooLittleMemoryToStartIsAnError) {
  EXPECT_THAT(run("", {.memory = 1000}).error, HasSubstr("memory limit of 1000 bytes"));
  EXPECT_THAT(run("", {.memory = 20000}).error, HasSubstr("memory"));
}

TEST(Limits, WallTimeEndsSlowSteps) {
  const auto start = std::chrono::steady_clock::now();
  const Outcome out =
      run("local a, b = ('x'):rep(4000000), ('x'):rep(4000000) while true do local c = a < b end",
          {.steps = 1'000'000'000'000, .memory = size_t(64) << 20, .seconds = 0.3});
  EXPECT_EQ(out.error,
            "scene.lua:1: the script ran for more than 0.3 s; make it shorter or faster");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

// Checks the time limit in Lua's compiler, which calls no hooks. For each branch, the compiler
// follows the list of jumps to its end. This text would take ten seconds.
TEST(Limits, WallTimeEndsTheCompiler) {
  std::string text = "local a if a then ";
  for (int k = 0; k < 60000; ++k) text += "elseif a then ";
  const auto start = std::chrono::steady_clock::now();
  const Outcome out =
      run(text + "end", {.steps = 100'000'000, .memory = size_t(64) << 20, .seconds = 0.3});
  EXPECT_EQ(out.error, "scene.lua: the script ran for more than 0.3 s; make it shorter or faster");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

// Scripts in which one instruction fills the stack. Lua's own limit is 10^6 values, which takes
// minutes.
class EndlessCall : public testing::TestWithParam<RunawayScript> {};

TEST_P(EndlessCall, OverflowsTheStackSoon) {
  const auto start = std::chrono::steady_clock::now();
  const Outcome out =
      run(std::string("local t = {} setmetatable(t, {__call = t}) ") + GetParam().statements);
  EXPECT_EQ(out.error,
            "scene.lua:1: stack overflow: calls are nested too deeply; look for a recursion, or a "
            "chain of __call, that never ends");
  EXPECT_THAT(out.printed, IsEmpty());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

constexpr RunawayScript endless_calls[] = {
    {"Call", "t()"},
    {"Pcall", "pcall(t) print('past')"},
    {"TailCall", "return t()"},
    {"Iterator", "for k in t do end"},
    {"Metamethod", "local x = setmetatable({}, {__add = t}) + 1"},
    {"Index",
     "local x = setmetatable({}, {__index = setmetatable({}, {__index = function() return t() "
     "end})}).a"},
    {"Close", "do local x <close> = setmetatable({}, {__close = t}) end"},
    {"Sort", "pcall(table.sort, {2, 1}, function() return t() end) print('past')"},
    {"Coroutine", "coroutine.resume(coroutine.create(function() t() end)) print('past')"},
    {"TwoTables", "local u = setmetatable({}, {__call = t}) getmetatable(t).__call = u u()"},
    {"LongStack",
     "local function f(n) if n > 0 then f(n - 1) end end f(4000) pcall(t) print('past')"},
    {"Recursion", "local function f() return 1 + f() end pcall(f) print('past')"},
};
INSTANTIATE_TEST_SUITE_P(All, EndlessCall, testing::ValuesIn(endless_calls), runaway_name);

TEST(Depth, RecursionOfSomeThousandLevelsIsAllowed) {
  const Outcome out =
      run("local function f(n) return n == 0 and 0 or 1 + f(n - 1) end print(f(5000))");
  EXPECT_EQ(out.error, "");
  EXPECT_THAT(out.printed, testing::ElementsAre("5000"));
}

// Scripts that another thread stops long before they reach a limit.
class Stopped : public testing::TestWithParam<RunawayScript> {};

TEST_P(Stopped, EndsWithAnError) {
  const ScriptFolder folder;
  const auto file =
      folder.write("scene.lua", std::string("print('begun') ") + GetParam().statements);
  std::atomic<bool> begun = false;
  const pthread_t runner = pthread_self();
  Script script(
      {.scripts = {},
       .limits = {.steps = 1'000'000'000'000'000, .memory = size_t(1) << 28, .seconds = 1e6},
       .print = [&](std::string_view) { begun = true; }});
  std::thread stopper([&] {
    EXPECT_TRUE(eventually([&] { return begun.load(); }));
    EXPECT_TRUE(eventually_computes(runner, 0.05));
    script.stop();
  });
  std::string error;
  try {
    script.load_scene(file);
  } catch (const Error& e) {
    error = e.what();
  }
  stopper.join();
  EXPECT_THAT(error, HasSubstr("scene.lua:1: the script was stopped"));
}

constexpr RunawayScript stopped[] = {
    {"Loop", "while true do end"},
    {"PcallLoop", "while true do pcall(function() while true do end end) end"},
    {"Coroutines", "while true do coroutine.wrap(function() while true do end end)() end"},
    {"Pattern", "string.find(('a'):rep(200), ('a*'):rep(100) .. 'b')"},
    {"GmatchPattern", "for _ in string.gmatch(('a'):rep(200), ('a-'):rep(100) .. 'b') do end"},
    {"TableMove", "while true do table.move({}, 1, 1000000, 2) end"},
    {"ChainsOfCalls",
     "local f = function() end for i = 1, 20000 do f = setmetatable({}, {__call = f}) end while "
     "true do f() end"},
    {"ChainsOfCallsInACoroutine",
     "local f, co = function() end, coroutine.wrap(function(f) while true do f() end end) for i = "
     "1, 20000 do f = setmetatable({}, {__call = f}) end co(f)"},
    {"LongTexts",
     "local a, b = ('\\0'):rep(5e6) .. 'a', ('\\0'):rep(5e6) .. 'b' while true do local c = a < b "
     "end"},
};
INSTANTIATE_TEST_SUITE_P(All, Stopped, testing::ValuesIn(stopped), runaway_name);

TEST(Stop, StaysStopped) {
  const ScriptFolder folder;
  const auto file = folder.write("scene.lua", "for i = 1, 1e6 do end");
  Script script;
  script.stop();
  EXPECT_THROW(script.load_scene(file), Error);
  EXPECT_THROW(script.load_scene(file), Error);
}

// Checks a stop flag that becomes true before or during a load. Unlike stop(), it can be reset.
TEST(Stop, AFlagEndsALoad) {
  const ScriptFolder folder;
  const auto file = folder.write("scene.lua", "print('begun') while true do end");
  std::atomic<bool> stop = true;
  int begun = 0;
  Script script(
      {.scripts = {},
       .limits = {.steps = 1'000'000'000'000'000, .memory = size_t(1) << 28, .seconds = 1e6},
       .print = [&](std::string_view) { ++begun, stop = true; },
       .stop = &stop});
  const auto is_stopped =
      testing::ThrowsMessage<Error>(HasSubstr("scene.lua:1: the script was stopped"));
  EXPECT_THAT([&] { script.load_scene(file); },
              testing::ThrowsMessage<Error>(HasSubstr("the script was stopped")));
  EXPECT_EQ(begun, 0);
  stop = false;
  EXPECT_THAT([&] { script.load_scene(file); }, is_stopped);
  EXPECT_EQ(begun, 1);
  stop = false;
  EXPECT_EQ(
      script.load_robot(folder.write("r.lua", "return require('torsor').robot{ name = 'r' }")).name,
      "r");
}

// Checks that a stop flag also ends functions that a run calls after the load.
TEST(Stop, AFlagEndsFunctionsOfARun) {
  const ScriptFolder folder;
  std::atomic<bool> stop = false;
  Script script({.stop = &stop});
  const Experiment experiment =
      script.load_scene(folder.write("scene.lua", std::string(rod_in_world) + R"(
arm:apply{ tau = { hinge = function(t) while t > 1 do end return 0 end } }
return world:experiment{ integrator = { "rk4", dt = 1 }, duration = 1, record = {} })"));
  std::vector<double> tau(1);
  EXPECT_NO_THROW(experiment.load.tau_of_time(0, tau));
  stop = true;
  EXPECT_THAT([&] { experiment.load.tau_of_time(2, tau); },
              testing::ThrowsMessage<Error>(HasSubstr("the script was stopped")));
}

// Scripts with deep recursion. They must end with an error, not with a crash.
class DeepScript : public testing::TestWithParam<RunawayScript> {};

TEST_P(DeepScript, IsAnErrorAndNoCrash) {
  const Outcome out = run(GetParam().statements,
                          {.steps = 400'000'000, .memory = size_t(512) << 20, .seconds = 60});
  EXPECT_THAT(out.error,
              testing::AnyOf(HasSubstr("overflow"), HasSubstr("too many"), HasSubstr("too complex"),
                             HasSubstr("too long"), HasSubstr("error in error handling")));
}

constexpr RunawayScript deep[] = {
    {"Recursion", "local function f() return 1 + f() end f()"},
    {"RecursionThroughPcall",
     "local function f() local ok, e = pcall(f) if not ok then error(e, 0) end end f()"},
    {"RecursionThroughMetamethod",
     "local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end "
     "local x = t.a"},
    {"RecursionThroughToString",
     "local t = setmetatable({}, {__tostring = function(t) return tostring(t) end}) tostring(t)"},
    {"RecursionThroughGsub", "local function f(s) return s:gsub('.', f) end f('x')"},
    {"RecursionThroughSort", "local function f() table.sort({2, 1}, f) end f()"},
    {"RecursionThroughCoroutines", "local function f() coroutine.wrap(f)() end f()"},
    {"ErrorHandlerThatFails",
     "local function h() h() end local ok, e = xpcall(error, h) error(e, 0)"},
    {"NestedPattern", "string.find('x', ('(x?'):rep(100) .. (')'):rep(100))"},
    {"ManyRepeats", "string.find(('x'):rep(1000), ('x?'):rep(1000))"},
    {"LongPattern", "string.find('x', ('x*'):rep(100000))"},
    {"UnpackMany", "table.unpack({}, 1, 1e7)"},
    {"UnpackAll", "table.unpack({}, math.mininteger, math.maxinteger)"},
    {"ByteMany", "string.byte(('x'):rep(10000000), 1, -1)"},
};
INSTANTIATE_TEST_SUITE_P(All, DeepScript, testing::ValuesIn(deep), runaway_name);

// Checks coroutines that close other coroutines when they are closed. Lua does not count these
// nested C calls.
TEST(Depth, ClosingInsideClosingIsBounded) {
  const Outcome out =
      run("local function chain(n) local next = nil for i = 1, n do local inner = next next = "
          "coroutine.create(function() local x <close> = setmetatable({}, {__close = function() if "
          "inner then assert(coroutine.close(inner)) end end}) coroutine.yield() end) "
          "coroutine.resume(next) end return next end local ok, e = coroutine.close(chain(50)) "
          "print(ok) ok, e = coroutine.close(chain(20000)) print(ok, e)",
          {.steps = 100'000'000, .memory = size_t(256) << 20, .seconds = 60});
  EXPECT_EQ(out.error, "");
  ASSERT_EQ(out.printed.size(), 2u);
  EXPECT_EQ(out.printed[0], "true");
  EXPECT_THAT(out.printed[1], HasSubstr("overflow"));
}

}  // namespace
}  // namespace torsor::test
