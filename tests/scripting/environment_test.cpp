// Tests of the environment of a script, and of every known way to escape from the sandbox.

#include "scripting/script_file.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Rejected, LibrariesAreNamedWithTheFunction) {
  EXPECT_EQ(error_of("\nos.execute('true')"),
            "scene.lua:2: 'os.execute': 'os' is not available to scripts: a script cannot access "
            "the operating system, so that it has the same result everywhere");
  for (const char* use : {"os.time()", "io.open('x')", "io.write('x')", "debug.getinfo(1)",
                          "debug.sethook()", "package.loadlib('x', 'y')", "local p = package.path",
                          "os.x = 1", "for k in pairs(os) do end"}) {
    EXPECT_THAT(error_of(use), StartsWith("scene.lua:1: '")) << use;
    EXPECT_THAT(error_of(use), HasSubstr("is not available to scripts: ")) << use;
  }
}

TEST(Rejected, FunctionsAreNamed) {
  for (const char* name : {"load", "loadstring", "loadfile", "dofile", "collectgarbage", "warn",
                           "_G", "string.dump"}) {
    const std::string message =
        "scene.lua:1: '" + std::string(name) + "' is not available to scripts: ";
    EXPECT_THAT(error_of("local f = " + std::string(name)), StartsWith(message));
    EXPECT_THAT(
        error_of("pcall(function() " + std::string(name) + "('x') end) error('unreached is fine')"),
        HasSubstr("unreached is fine"));
  }
  EXPECT_THAT(error_of("('x'):dump()"), HasSubstr("'string.dump' is not available"));
}

TEST(Strict, UndefinedNamesAreErrors) {
  EXPECT_EQ(error_of("\nprnt('x')"), "scene.lua:2: 'prnt' is not defined; did you mean 'print'?");
  EXPECT_EQ(error_of("local x = quux"),
            "scene.lua:1: 'quux' is not defined; declare it with 'local'");
  EXPECT_EQ(error_of("math.sinn(1)"),
            "scene.lua:1: 'math.sinn' does not exist; did you mean 'sin'?");
  EXPECT_EQ(error_of("torsor.robt{}"),
            "scene.lua:1: 'torsor.robt' does not exist; did you mean 'robot'?");
  EXPECT_THAT(error_of("local x = math[1]"), HasSubstr("math has no entry whose key is a number"));
  EXPECT_THAT(error_of("local x = _ENV[{}]"), HasSubstr("no entry whose key is a table"));
}

TEST(Strict, AModuleThatIsNotLoadedIsNamedWithItsRequire) {
  EXPECT_EQ(
      scene_error("\nreturn torsor.robot{}"),
      "scene.lua:2: 'torsor' is not defined; load it with: local torsor = require \"torsor\"");
}

TEST(Strict, NewGlobalsAreErrors) {
  EXPECT_EQ(error_of("\n\nspeed = 3"),
            "scene.lua:3: 'speed' is not declared; write 'local speed', because a script has no "
            "global variables");
  EXPECT_THAT(error_of("function f() end"), HasSubstr("'f' is not declared; write 'local f'"));
  EXPECT_THAT(error_of("print = nil"), HasSubstr("'print' is not declared"));
}

TEST(Strict, LibrariesCannotBeChanged) {
  for (const char* change :
       {"string.rep = print", "math.pi = 3", "table.x = 1", "torsor.robot = nil",
        "coroutine.wrap = nil", "utf8.len = nil", "_ENV.string.find = nil"})
    EXPECT_THAT(error_of(change), HasSubstr("is read-only")) << change;
  EXPECT_THAT(error_of("rawset(string, 'rep', print)"), HasSubstr("metatable is protected"));
  EXPECT_THAT(error_of("rawset(_ENV, 'x', 1)"), HasSubstr("metatable is protected"));
  EXPECT_THAT(error_of("setmetatable(string, {})"), HasSubstr("protected metatable"));
  EXPECT_THAT(error_of("setmetatable(_ENV, {})"), HasSubstr("protected metatable"));
  EXPECT_THAT(error_of("setmetatable(os, {})"), HasSubstr("protected metatable"));
  EXPECT_THAT(error_of("table.insert(string, 1)"), HasSubstr("is read-only"));
  EXPECT_THAT(error_of("table.sort(math)"), testing::IsEmpty());
  EXPECT_EQ(value("getmetatable(string), getmetatable(_ENV), getmetatable(os)"),
            "false\tfalse\tfalse");
  EXPECT_EQ(value("next(string), rawget(_ENV, 'print')"), "nil\tnil");
  EXPECT_EQ(
      value("#(function() local n = {} for k in pairs(math) do n[#n + 1] = k end return n end)()"),
      "27");
}

TEST(Escape, TheMetatableOfStringsIsOutOfReach) {
  EXPECT_EQ(value("getmetatable('')"), "false");
  EXPECT_THAT(error_of("getmetatable('').__index = {}"), HasSubstr("attempt to index a boolean"));
  EXPECT_THAT(error_of("setmetatable('', {})"), HasSubstr("table expected"));
  EXPECT_THAT(error_of("('').__index.rep = 1"), HasSubstr("'string.__index' does not exist"));
}

TEST(Escape, HandlesAreProtected) {
  const std::string make = "local w = torsor.world{} ";
  EXPECT_EQ(value("getmetatable(torsor.world{})"), "false");
  EXPECT_THAT(error_of(make + "setmetatable(w, {})"), HasSubstr("table expected"));
  EXPECT_THAT(error_of(make + "w.add = 1"), HasSubstr("attempt to index a world value"));
  EXPECT_THAT(error_of(make + "w.__index = 1"), HasSubstr("attempt to index"));
  EXPECT_THAT(error_of(make + "local x = w.__gc"), HasSubstr("'world.__gc' does not exist"));
  EXPECT_THAT(error_of(make + "rawset(w, 1, 2)"), HasSubstr("table expected"));
  EXPECT_THAT(error_of(make + "local r = torsor.robot{ name = 'r' } w.add(r, r)"),
              HasSubstr("world:add(arm) is not called on a world"));
  EXPECT_THAT(error_of(make + "torsor.robot{ name = 'r' }.link(w, {})"),
              HasSubstr("arm:link{...} is not called on a robot"));
  EXPECT_THAT(error_of("torsor.robot{ name = 'r' }.link{ name = 'x' }"),
              HasSubstr("is not called on a robot"));
}

TEST(Escape, FinalizersAndWeakTablesAreRejected) {
  EXPECT_EQ(error_of("setmetatable({}, { __gc = function() end })"),
            "scene.lua:1: '__gc' is not available to scripts: its effect depends on when memory is "
            "collected");
  EXPECT_THAT(error_of("setmetatable({}, { __gc = true })"), HasSubstr("'__gc' is not available"));
  EXPECT_THAT(error_of("setmetatable({}, { __mode = 'k' })"),
              HasSubstr("'__mode' is not available"));
  // A __gc field that is set later has no effect, because Lua reads it only in setmetatable.
  const Outcome out =
      run("local mt = {} for i = 1, 1000 do setmetatable({}, mt) end mt.__gc = function() "
          "print('ran') end for i = 1, 100000 do local t = {} end");
  EXPECT_EQ(out.error, "");
  EXPECT_THAT(out.printed, testing::IsEmpty());
}

TEST(Escape, EnvironmentOfAChunkGivesNoMoreAccess) {
  EXPECT_THAT(error_of("local _ENV = {} print('x')"),
              HasSubstr("attempt to call a nil value (global 'print')"));
  EXPECT_THAT(error_of("local e = _ENV local x = e.load"), HasSubstr("'load' is not available"));
  EXPECT_THAT(error_of("local x = _ENV._G"), HasSubstr("'_G' is not available"));
  EXPECT_THAT(error_of("local _ENV <const> = {} local function f() return x end f()"),
              testing::IsEmpty());
}

TEST(Escape, BytecodeIsRejected) {
  EXPECT_EQ(robot_error("\x1bLua\x54"),
            "scene.lua: the file is compiled Lua; load its source instead");
  EXPECT_THAT(robot_error(std::string("\xef\xbb\xbf\x1bLua", 7)), HasSubstr("scene.lua"));
}

TEST(Errors, AreOneLineWithThePlace) {
  EXPECT_EQ(error_of("\n\nlocal x = nil; x.y = 1"),
            "scene.lua:3: attempt to index a nil value (local 'x')");
  EXPECT_EQ(error_of("\nerror('two\\nlines\\027[31m')"), "scene.lua:2: two lines [31m");
  EXPECT_EQ(error_of("\nerror('no place', 0)"), "scene.lua:2: no place");
  EXPECT_EQ(error_of("\nassert(false, 'not so')"), "scene.lua:2: not so");
  EXPECT_EQ(error_of("\nassert(nil)"), "scene.lua:2: assertion failed!");
  EXPECT_EQ(error_of("\nerror({ code = 1 })"),
            "scene.lua:2: an error was raised with a table as its value; pass a string to error()");
  EXPECT_EQ(error_of("\nerror()"),
            "scene.lua:2: an error was raised with a nil as its value; pass a string to error()");
  EXPECT_EQ(error_of("\nerror(setmetatable({}, { __tostring = function() error('x') end }))"),
            "scene.lua:2: an error was raised with a table as its value; pass a string to error()");
  EXPECT_EQ(error_of("\ncoroutine.wrap(function()\nerror('inside') end)()"), "scene.lua:3: inside");
  EXPECT_THAT(error_of("error(('x'):rep(100000))"), testing::SizeIs(testing::Lt(2100)));
}

TEST(Errors, SyntaxIsNamedWithItsLine) {
  EXPECT_EQ(robot_error("local x = \n\n= 3"), "scene.lua:3: unexpected symbol near '='");
  EXPECT_THAT(robot_error("for"), StartsWith("scene.lua:1: "));
  EXPECT_THAT(robot_error("goto nowhere"), HasSubstr("no visible label 'nowhere'"));
  EXPECT_THAT(robot_error(std::string(500, '(')), HasSubstr("overflow"));
  EXPECT_THAT(robot_error("local x = " + std::string(500, '{') + std::string(500, '}')),
              HasSubstr("overflow"));
  EXPECT_THAT(robot_error("x = 'unfinished"), HasSubstr("unfinished string"));
}

// Checks that a file name is shown completely, although Lua stores at most 60 characters of it.
TEST(Errors, NameTheCompleteFile) {
  const ScriptFolder folder;
  const std::string name = std::string(80, 'd') + "/" + std::string(80, 'f') + ".lua";
  for (const char* text :
       {"\nlocal x = nil + 1", "\nlocal x = =", "\nerror('x')", "\nundefined()"}) {
    const std::string file = folder.write(name, text).string();
    try {
      load_robot(file);
      FAIL();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), StartsWith(file + ":2: "));
    }
  }
}

TEST(Errors, FilesThatAreNotScripts) {
  const ScriptFolder folder;
  const auto what = [](const std::filesystem::path& file) -> std::string {
    try {
      load_scene(file);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const std::string missing = (folder.path() / "missing.lua").string();
  EXPECT_EQ(what(missing), missing + ": there is no such file; give the path of a Lua file");
  EXPECT_EQ(what(folder.path()),
            folder.path().string() + ": this is a folder; give the path of a Lua file");
  EXPECT_THAT(what("/dev/zero"), HasSubstr("not a regular file"));
  EXPECT_THAT(what(""), HasSubstr("there is no such file"));
  EXPECT_THAT(what(folder.write("large.lua", std::string(17 << 20, ' '))),
              HasSubstr("the limit for scripts"));
  EXPECT_THAT(what(folder.write("null.lua", std::string("return \0 1", 10))),
              HasSubstr("null.lua: this is not a text file"));
}

TEST(Errors, AMarkOfUtf8IsSkipped) {
  EXPECT_EQ(robot_error("\xef\xbb\xbfreturn require('torsor').robot{ name = 'r' }"), "");
}

}  // namespace
}  // namespace torsor::test
