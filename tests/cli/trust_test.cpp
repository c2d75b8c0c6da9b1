// Tests of how a user allows a scene to load machine code and to read files outside its folder.

#include <sys/stat.h>

#include "cli/trust_fixture.hpp"
#include "torsor/loading/plugin_file.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(Trust, AsksAtATerminal) {
  const TerminalOutput no = ask("n");
  EXPECT_EQ(no.exit_code, 2) << no.printed;
  const std::string sha256 = sha256_of(folder_ / "own/marking.so");
  EXPECT_THAT(no.printed,
              AllOf(HasSubstr("s.lua:1 loads the plugin '" + (folder_ / "own/marking.so").string()),
                    HasSubstr("SHA-256 " + sha256.substr(0, 12)),
                    HasSubstr("It is machine code: it can do anything"), HasSubstr(no_code)));
  for (const char* other : {"", "yes please", "ya", "1"})
    EXPECT_EQ(ask(other).exit_code, 2) << other;
  EXPECT_FALSE(code_ran());
  EXPECT_EQ(ask("y").exit_code, 0);
  EXPECT_TRUE(code_ran());
  EXPECT_FALSE(fs::exists(list()));
  expect_rejected(bring, no_code);  // the answer "y" is valid once
  EXPECT_EQ(ask("a").exit_code, 0);
  expect_runs(bring);
  EXPECT_TRUE(code_ran());
}

TEST_F(Trust, AsksOnceInACommand) {
  const TerminalOutput out = ask("y", bring + " torsor.plugins{ '../own/marking.so' }");
  // The second statement fails, because the plugin is already loaded.
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.printed, HasSubstr("already provides"));
  EXPECT_EQ(out.printed.find("[N] no:"), out.printed.rfind("[N] no:"));
  const TerminalOutput study = run_at_terminal(
      {"study",
       file("own/v.lua", "local torsor = require 'torsor' local p = torsor.params{ a = 1 } " +
                             bring + rod_in_world + end_of_scene),
       "--grid", "a=1,2,3"},
      folder_, "[N] no: ", "y");
  EXPECT_EQ(study.exit_code, 0) << study.printed;
  EXPECT_EQ(study.printed.find("[N] no:"), study.printed.rfind("[N] no:"));
}

// Checks that the name of an untrusted file cannot hide or forge parts of the question (control
// characters).
TEST_F(Trust, AsksWithPlainText) {
  fs::copy_file(folder_ / "own/marking.so", folder_ / "own/a\x1b[8m\n\u202e\u009b.so");
  const TerminalOutput out = ask("n", "torsor.plugins{ 'a\\27[8m\\n\u202e\u009b.so' }");
  EXPECT_THAT(out.printed, HasSubstr("a?[8m ??.so"));
  const std::string question = out.printed.substr(0, out.printed.find("[N] no:"));
  EXPECT_THAT(question,
              AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\u202e")), Not(HasSubstr("\u009b"))));
}

TEST_F(Trust, IsForTheBytesOfAFile) {
  ASSERT_EQ(torsor({"trust", "own/marking.so"}).exit_code, 0);
  expect_runs(bring);
  EXPECT_TRUE(code_ran());
  expect_runs("torsor.plugins{ '../others/marking.so' }");  // a file with the same bytes
  EXPECT_TRUE(code_ran());
  std::ofstream(folder_ / "own/marking.so", std::ios::app) << "more";
  expect_rejected(bring, no_code);
  fs::copy_file(std::string(TEST_PLUGINS) + "hinge.so", folder_ / "own/marking.so",
                fs::copy_options::overwrite_existing);
  expect_rejected(bring, no_code);
}

// Checks a file that is changed while the user reads the question.
TEST_F(Trust, LoadsTheBytesThatWereAllowed) {
  const TerminalOutput out = run_at_terminal({"run", scene(bring)}, folder_, "[N] no: ", "y", [&] {
    std::ofstream(folder_ / "own/marking.so", std::ios::app) << "more";
  });
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.printed,
              HasSubstr("has changed since it was allowed to load; load the scene again"));
  EXPECT_FALSE(code_ran());
}

TEST_F(Trust, OfAFolderIncludesOnlyFilesInIt) {
  fs::create_directories(folder_ / "own/b/sub");
  fs::create_directories(folder_ / "own/bc");
  for (const char* name : {"b/marking.so", "b/sub/marking.so", "bc/marking.so"})
    fs::copy_file(folder_ / "own/marking.so", folder_ / "own" / name);
  fs::create_symlink("../../others/marking.so", folder_ / "own/b/link.so");
  fs::create_symlink("b", folder_ / "own/to_b");
  ASSERT_EQ(torsor({"trust", "own/to_b/"}).exit_code, 0);
  for (const char* name :
       {"b/marking.so", "b/sub/marking.so", "to_b/marking.so", "bc/../b/marking.so"}) {
    expect_runs(std::string("torsor.plugins{ '") + name + "' }");
    EXPECT_TRUE(code_ran()) << name;
  }
  for (const char* name : {"bc/marking.so", "marking.so", "b/link.so", "b/../marking.so"})
    expect_rejected(std::string("torsor.plugins{ '") + name + "' }", no_code);
  expect_rejected("torsor.plugins{ 'B/marking.so' }", "does not exist");
  std::ofstream(folder_ / "own/b/marking.so", std::ios::app) << "a later build";
  expect_runs("torsor.plugins{ 'b/marking.so' }");
  EXPECT_TRUE(code_ran());
  ASSERT_EQ(torsor({"trust", "--remove", "own/b"}).exit_code, 0);
  expect_rejected("torsor.plugins{ 'b/sub/marking.so' }", no_code);
}

TEST_F(Trust, OfAFolderIsForItsDataToo) {
  expect_rejected("", outside, move_along + "../others/path.csv' })");
  ASSERT_EQ(torsor({"trust", "others"}).exit_code, 0);
  expect_runs("torsor.urdf('../others/arm.urdf') require 'link_law'",
              move_along + "../others/path.csv' })");
}

TEST_F(Trust, OfAListThatIsDamagedIsNone) {
  ASSERT_EQ(torsor({"trust", "own"}).exit_code, 0);
  const std::string sound = read("config/torsor/trust.json");
  struct stat status {};
  ASSERT_EQ(stat(list().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const std::string correct =
      "; nothing in it is trusted: correct it, or delete it and trust your files again with "
      "'torsor trust PATH'\n";
  const auto refused = [&](const std::string& warning, const std::string& remedy) {
    const Output out = run_scene(bring);
    EXPECT_EQ(out.exit_code, 2);
    EXPECT_THAT(out.err, AllOf(HasSubstr("torsor: warning: " + list().string() + warning),
                               HasSubstr(remedy), HasSubstr(no_code)));
    EXPECT_FALSE(code_ran()) << warning;
    const Output more = torsor({"trust", "others"});  // the damaged list is not replaced
    EXPECT_EQ(more.exit_code, 2);
  };
  for (const mode_t mode : {0620, 0602, 0666}) {
    chmod(list().c_str(), mode);
    refused(": other users can write it", "; run chmod 600 on it\n");
    EXPECT_EQ(read("config/torsor/trust.json"), sound);
  }
  chmod(list().c_str(), 0600);
  expect_runs(bring);
  EXPECT_TRUE(code_ran());
  const std::vector<std::pair<std::string, std::string>> damages = {
      {sound.substr(0, sound.size() - 4), ":5:12: not JSON: the text ends too early"},
      {"", ":1:1: the text is empty; JSON is needed"},
      {"[1]", ": the list of trusted files is not a JSON object"},
      {"null", ": the list of trusted files is not a JSON object"},
      {R"({"folders": 3})", ": 'folders' is not a list"},
      {R"({"files": ["x"]})", ": 'files[0]' is not an object"},
      {R"({"files": [{"file": "x"}]})", ": 'files[0].sha256' is missing or not a string"},
      {R"({"folders": [], "folders": []})", ": the key \"folders\" occurs twice in one object"},
      {R"({"folders": ["own"]})", ": the folder 'own' is not an absolute path"},
      {R"({"folders": ["/", 1]})", ": 'folders[1]' is missing or not a string"},
      {R"({"folder": ["/"]})", ": unknown key 'folder'"},
      {R"({"files": [{"file": "x", "sha256": "00"}]})",
       ": the sha256 of 'x' is not 64 hexadecimal digits"}};
  for (const auto& [text, warning] : damages) {
    std::ofstream(list()) << text;
    refused(warning, correct);
  }
  fs::remove(list());
  fs::create_directory(list());
  refused(": this is not a regular file", correct);
}

TEST_F(Trust, WithoutAHomeIsForOnce) {
  const auto without_home = [&](const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"-u", "HOME", "-u", "XDG_CONFIG_HOME", TORSOR_PROGRAM};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run("env", all);
  };
  const Output refused = without_home({"run", scene(bring)});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr(no_code));
  EXPECT_EQ(without_home({"run", scene(bring), "--allow-plugins"}).exit_code, 0);
  EXPECT_TRUE(code_ran());
  const Output list = without_home({"trust", "own"});
  EXPECT_EQ(list.exit_code, 2);
  EXPECT_THAT(list.err, HasSubstr("there is no folder for settings; set HOME or XDG_CONFIG_HOME"));
}

TEST_F(Trust, CommandListsAndRemoves) {
  EXPECT_THAT(torsor({"trust"}).out, HasSubstr("nothing is trusted in " + list().string()));
  EXPECT_EQ(torsor({"trust", "own/marking.so", "others"}).exit_code, 0);
  EXPECT_THAT(torsor({"trust"}).out,
              AllOf(HasSubstr("folder " + (folder_ / "others").string()),
                    HasSubstr("file   " + (folder_ / "own/marking.so").string() + " (SHA-256 ")));
  fs::remove(folder_ / "own/marking.so");  // the entry of a missing file can still be removed
  EXPECT_EQ(torsor({"trust", "--remove", "own/marking.so", "others"}).exit_code, 0);
  EXPECT_THAT(torsor({"trust"}).out, HasSubstr("nothing is trusted"));
  EXPECT_THAT(torsor({"trust", "--remove", "others"}).err,
              HasSubstr("'others' is not in the list"));
  EXPECT_THAT(torsor({"trust", "--remove"}).err, HasSubstr("--remove needs a path"));
  EXPECT_THAT(torsor({"trust", "/dev/null"}).err,
              HasSubstr("neither a folder nor a file that can be read"));
}

// Checks that a run loads a new build of a plugin in a trusted folder, but not a new build of a
// plugin that was trusted as a file.
TEST_F(Trust, AppliesToAWatchedRun) {
  const auto watch = [&](const std::string& said) {
    fs::copy_file(std::string(TEST_PLUGINS) + "rebuilt.so", folder_ / "own/p.so",
                  fs::copy_options::overwrite_existing);
    if (!fs::exists(list())) {
      EXPECT_EQ(torsor({"trust", "own/p.so"}).exit_code, 0);
    }
    file("own/w.lua", "local torsor = require 'torsor' torsor.plugins{ 'p.so' } " +
                          std::string(rod_in_world) +
                          "world:force('rebuilt', {})\nreturn world:experiment{ integrator = { "
                          "'rk4', dt = 1e-3 }, duration = 1e6, energy_tolerance = 1e9, record = { "
                          "'arm.q' }, record_interval = 1000 }");
    file("script.sh", R"(
")" TORSOR_PROGRAM R"(" run own/w.lua --watch 2> said > summary &
program=$!
wait_until() { for k in $(seq 300); do "$@" && return; sleep 0.1; done; echo "never: $*"; kill -KILL $program; cat said; exit 1; }
wait_until test -s recordings/w.h5
cp ')" TEST_PLUGINS R"(/rebuilt_gain.so' new && mv new own/p.so
wait_until grep -q ')" + said +
                          R"(' said
kill -INT $program; wait $program; cat said)");
    const Output out = run("sh", {"script.sh"});
    EXPECT_EQ(out.exit_code, 0) << out.out;
    fs::remove_all(folder_ / "recordings");
    return out.out;
  };
  EXPECT_THAT(watch("the run continues with the old one"), HasSubstr(no_code));
  ASSERT_EQ(torsor({"trust", "own"}).exit_code, 0);
  EXPECT_THAT(watch("the run continues with the new one"), Not(HasSubstr("machine code")));
}

TEST_F(Trust, IsNotNeededForPluginsThatTheUserNames) {
  expect_named_plugins_run();
}

// Checks that the scene of a recording is loaded by the same rules as a scene.
TEST_F(Trust, AppliesToTheSceneOfARecording) {
  ASSERT_EQ(run_scene(bring, "", {"--allow-plugins"}).exit_code, 0);
  EXPECT_TRUE(code_ran());
  const Output refused = torsor({"identify", "recordings/s.h5"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr(no_code));
  EXPECT_FALSE(code_ran());
  EXPECT_THAT(torsor({"identify", "recordings/s.h5", "--allow-plugins"}).err,
              Not(HasSubstr("machine code")));
  EXPECT_TRUE(code_ran());
}

}  // namespace
}  // namespace torsor::test
