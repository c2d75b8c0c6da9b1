// Tests of require: names, folders, single loading and cyclic requires.

#include <sys/stat.h>

#include "scripting/script_file.hpp"
#include "torsor/base/prefix.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Runs scene.lua in a folder whose subfolder scripts/ has the shared scripts. Returns the error
// without the folder, or "".
std::string error_in(const ScriptFolder& folder, const std::string& text,
                     std::vector<std::string>* printed = nullptr) {
  const auto file =
      folder.write("scene.lua", text + "\nreturn require('torsor').robot{ name = 'r' }");
  Script script(
      {.scripts = folder.path() / "scripts", .limits = {}, .print = [&](std::string_view line) {
         if (printed) printed->emplace_back(line);
       }});
  std::string what;
  try {
    script.load_robot(file);
  } catch (const Error& error) {
    what = error.what();
  }
  const std::string prefix = folder.path().string() + "/";
  for (size_t at; (at = what.find(prefix)) != std::string::npos;) what.erase(at, prefix.size());
  return what;
}

TEST(Require, SearchesNextToTheSceneThenInScripts) {
  const ScriptFolder folder;
  folder.write("parts/a.lua", "return 'beside'");
  folder.write("scripts/parts/a.lua", "return 'scripts'");
  folder.write("scripts/parts/deep/b.lua", "return 'deep'");
  std::vector<std::string> printed;
  EXPECT_EQ(error_in(folder, "print(require 'parts.a', require('parts.deep.b'))", &printed), "");
  EXPECT_THAT(printed, testing::ElementsAre("beside\tdeep"));
}

TEST(Require, LoadsOnce) {
  const ScriptFolder folder;
  folder.write("counter.lua", "print('loaded') return { n = 0 }");
  std::vector<std::string> printed;
  EXPECT_EQ(error_in(folder, "local a, b = require 'counter', require 'counter' a.n = 1 print(b.n)",
                     &printed),
            "");
  EXPECT_THAT(printed, testing::ElementsAre("loaded", "1"));
}

TEST(Require, RejectsNamesOutsideTheFolders) {
  const ScriptFolder folder;
  folder.write("x.lua", "return 1");
  for (const char* name : {"../x", "..x", ".x", "x.", "a..b", "/etc/passwd", "x/y", "", "a b",
                           "x.lua/", "~", "a\\\\b", "\\0"})
    EXPECT_THAT(error_in(folder, "require('" + std::string(name) + "')"),
                StartsWith("scene.lua:1: '"))
        << name;
  EXPECT_THAT(error_in(folder, "require(('a.'):rep(1000) .. 'b')"),
              HasSubstr("require takes names joined by dots"));
  EXPECT_THAT(error_in(folder, "require(nil)"), HasSubstr("not a nil"));
  EXPECT_THAT(error_in(folder, "require{}"), HasSubstr("not a table"));
}

TEST(Require, MissingModulesAreNamed) {
  const ScriptFolder folder;
  folder.write("scripts/robots/iiwa.lua", "return {}");
  EXPECT_EQ(error_in(folder, "\nrequire 'robots.iwa'"),
            "scene.lua:2: module 'robots.iwa' not found, neither as robots/iwa.lua nor as "
            "scripts/robots/iwa.lua; did you mean 'robots.iiwa'?");
}

TEST(Require, FilesThatAreNotRegularAreNamed) {
  const ScriptFolder folder;
  ASSERT_EQ(mkfifo((folder.path() / "pipe.lua").c_str(), 0600), 0);
  std::filesystem::create_directories(folder.path() / "scripts/parts.lua");
  EXPECT_EQ(error_in(folder, "\nrequire 'pipe'"),
            "scene.lua:2: module 'pipe' cannot be loaded: pipe.lua: this is not a regular file; "
            "replace it by a file of Lua code");
  EXPECT_EQ(error_in(folder, "require 'parts'"),
            "scene.lua:1: module 'parts' cannot be loaded: scripts/parts.lua: this is a folder; "
            "replace it by a file of Lua code");
  // Folders are not suggested as modules either.
  EXPECT_THAT(error_in(folder, "require 'pip'"), testing::EndsWith("scripts/pip.lua"));
  EXPECT_THAT(error_in(folder, "require 'part'"), testing::EndsWith("scripts/part.lua"));
}

TEST(Require, CirclesAreReported) {
  const ScriptFolder folder;
  folder.write("a.lua", "return require 'b'");
  folder.write("b.lua", "\nreturn require 'c'");
  folder.write("c.lua", "return require 'b'");
  EXPECT_EQ(error_in(folder, "require 'a'"),
            "c.lua:1: modules require each other in a cycle: b -> c -> b; remove one of these "
            "require calls; called at b.lua:2, a.lua:1, scene.lua:1");
}

TEST(Require, ErrorsInModulesNameTheModule) {
  const ScriptFolder folder;
  folder.write("syntax.lua", "\nreturn return");
  folder.write("fails.lua", "\n\nundefined()");
  folder.write("empty.lua", "local x = 1");
  folder.write("leaks.lua", "x = 1");
  folder.write("binary.lua", "\x1bLua");
  EXPECT_THAT(error_in(folder, "require 'syntax'"), StartsWith("syntax.lua:2: "));
  EXPECT_THAT(error_in(folder, "require 'fails'"),
              StartsWith("fails.lua:3: 'undefined' is not defined"));
  EXPECT_EQ(error_in(folder, "require 'empty'"),
            "scene.lua:1: module 'empty' returns nothing; end it with 'return' and a table");
  EXPECT_THAT(error_in(folder, "require 'leaks'"), StartsWith("leaks.lua:1: 'x' is not declared"));
  EXPECT_THAT(error_in(folder, "require 'binary'"), HasSubstr("compiled Lua"));
  // A module whose first load failed is loaded again.
  EXPECT_THAT(error_in(folder, "pcall(require, 'fails') require 'fails'"),
              StartsWith("fails.lua:3: "));
}

TEST(Require, TorsorIsBuiltIn) {
  const ScriptFolder folder;
  folder.write("torsor.lua", "return 'not this'");
  std::vector<std::string> printed;
  EXPECT_EQ(error_in(folder, "print(type(require 'torsor'), require 'torsor' == require 'torsor')",
                     &printed),
            "");
  EXPECT_THAT(printed, testing::ElementsAre("table\ttrue"));
}

// Returns the files to watch after a load, relative to the folder.
std::vector<std::string> files_of(Script& script, const ScriptFolder& folder,
                                  const std::string& text) {
  const auto file = folder.write("scene.lua", text);
  try {
    script.load_robot(file);
  } catch (const Error&) {
  }
  std::vector<std::string> out;
  for (const auto& each : script.files())
    out.push_back(each.lexically_relative(folder.path()).string());
  return out;
}

TEST(Files, AreThoseOfTheLastLoadEvenIfItFailed) {
  using testing::ElementsAre;
  const ScriptFolder folder;
  folder.write("parts/a.lua", "return require 'b'");
  folder.write("scripts/b.lua", "return 1");
  folder.write("broken.lua", "return return");
  folder.write("arm.urdf", "<robot name='arm'><link name='a'/></robot>");
  Script script({.scripts = folder.path() / "scripts", .limits = {}, .print = {}});
  EXPECT_THAT(script.files(), testing::IsEmpty());
  EXPECT_THAT(
      files_of(script, folder,
               "require 'b' require 'parts.a' local t = require 'torsor' t.urdf('arm.urdf') "
               "return t.urdf('arm.urdf', { name = 'x' })"),
      ElementsAre("scene.lua", "scripts/b.lua", "parts/a.lua", "arm.urdf"));
  EXPECT_THAT(files_of(script, folder, "require 'parts.a' require 'broken' require 'never'"),
              ElementsAre("scene.lua", "parts/a.lua", "scripts/b.lua", "broken.lua"));
  EXPECT_THAT(files_of(script, folder, "require('torsor').urdf('missing.urdf')"),
              ElementsAre("scene.lua", "missing.urdf"));
  EXPECT_THAT(files_of(script, folder, "this is no Lua"), ElementsAre("scene.lua"));
}

TEST(ScriptFolder, TheVariableNamesIt) {
  const ScriptFolder folder;
  folder.write("only_here.lua", "return 5");
  ASSERT_EQ(setenv("TORSOR_SCRIPTS", folder.path().c_str(), 1), 0);
  EXPECT_EQ(default_script_folder(), folder.path());
  EXPECT_EQ(value("require 'only_here'"), "5");
  ASSERT_EQ(unsetenv("TORSOR_SCRIPTS"), 0);
  EXPECT_THAT(value("require 'only_here'"), HasSubstr("module 'only_here' not found"));
  EXPECT_EQ(default_script_folder().filename(), "scripts");
  EXPECT_TRUE(std::filesystem::is_regular_file(default_script_folder() / "robots/iiwa.lua"));
}

}  // namespace
}  // namespace torsor::test
