// Tests of docs/trust.md. Each item of its lists has a test here, which is identified by the text
// of the item. An item without a test is a failure, and so is a test without an item.

#include <hdf5.h>
#include <sys/stat.h>

#include <map>

#include "cli/trust_fixture.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class TrustPage;

struct Sentence {
  std::string text;  // text of the item on one line, without its final full stop
  void (TrustPage::*test)();
};

class TrustPage : public Trust {
 public:
  static const std::vector<Sentence>& sentences();

 private:
  void limits() {
    expect_rejected("while true do end", "took more than 100 million steps");
    expect_rejected("local t = {} for k = 1, 1e9 do t[k] = ('x'):rep(1000) .. k end",
                    "uses more than 128 MiB");
  }
  void reads_below_its_folder() {
    file("own/sub/m.lua", "return require 'robots.planar'");
    expect_runs("require 'sub.m' torsor.urdf('arm.urdf')", move_along + "path.csv' })");
  }
  void loads_lua_plugins() {
    expect_runs("torsor.plugins{ 'law.lua' }");
    file("own/law.lua", "io.open('mark')");
    expect_rejected("torsor.plugins{ 'law.lua' }", "'io' is not available to scripts");
  }
  void uses_plugins_of_the_user() {
    fs::create_directories(folder_ / "data/torsor/plugins");
    fs::copy_file(folder_ / "own/marking.so", folder_ / "data/torsor/plugins/mine.so");
    expect_runs("");  // the plugins of the user's folder are loaded too
    EXPECT_TRUE(code_ran());
    fs::remove(folder_ / "data/torsor/plugins/mine.so");
    expect_named_plugins_run();
  }
  void prints() {
    const Output out = run_scene("print('a\\27[2Jb\\tc\\u{9b}d\\u{202e}e\u00e9')");
    EXPECT_THAT(out.err, HasSubstr("a?[2Jb\tc?d?e\u00e9\n"));
  }
  void loads_no_machine_code() {
    for (const char* name : {"marking.so", "../others/marking.so", "link_marking.so"})
      expect_rejected(std::string("torsor.plugins{ '") + name + "' }", no_code);
    EXPECT_EQ(torsor({"lint", scene(bring)}).exit_code, 2);
    EXPECT_EQ(torsor({"compare", scene(bring)}).exit_code, 2);
    EXPECT_FALSE(code_ran());
  }
  void reads_nothing_outside() {
    for (const std::string& path :
         {(folder_ / "others/path.csv").string(), std::string("../others/path.csv"),
          std::string("link_path.csv")})
      expect_rejected("", outside, move_along + path + "' })");
  }
  void finds_nothing_outside() {
    const auto message = [&](const std::string& path) {
      std::string text = run_scene("", move_along + path + "' })").err;
      return text.replace(text.find(path), path.size(), "");
    };
    EXPECT_EQ(message("../others/path.csv"), message("../others/none.csv"));
    EXPECT_EQ(message("/etc/passwd"), message("/etc/none"));
    EXPECT_EQ(message("/etc/shadow"), message("/etc/none/none"));  // only root can read /etc/shadow
    // A link in the untrusted folder must not reveal whether its target exists.
    for (const char* target : {"../others/path.csv", "../others/none", "/etc/none/none"}) {
      for (const char* name : {"probe.csv", "probe.so", "probe.lua"}) {
        fs::remove(folder_ / "own" / name);
        fs::create_symlink(target, folder_ / "own" / name);
      }
      expect_rejected("", outside, move_along + "probe.csv' })");
      expect_rejected("pcall(require, 'probe')", outside);
      expect_rejected("pcall(torsor.plugins, { 'probe.so' })", no_code);
    }
  }
  void catches_nothing() {
    for (const char* with :
         {"pcall(f)", "xpcall(f, print)", "coroutine.wrap(function() pcall(f) end)()"})
      expect_rejected("local function f() " + bring + " end " + with + " print('goes on')",
                      no_code);
  }
  void loads_nothing_by_others() {
    file("own/m.lua", "local torsor = require 'torsor' " + bring + " return {}");
    expect_rejected("require 'm'", no_code);
    expect_rejected("torsor.plugins{ 'm.lua' }", "plugins are not available where this file is");
  }
  void loads_nothing_later() {
    expect_rejected("", "works only while the script is loaded",
                    "arm:control(function() " + bring + " return {0} end)");
  }
  void has_no_system() {
    const std::pair<const char*, const char*> uses[] = {{"io.open('x', 'w')", "'io'"},
                                                        {"os.execute('x')", "'os'"},
                                                        {"os.time()", "'os'"},
                                                        {"os.getenv('HOME')", "'os'"},
                                                        {"io.popen('x')", "'io'"},
                                                        {"debug.getinfo(1)", "'debug'"},
                                                        {"require 'socket'", "'socket'"},
                                                        {"package.cpath = 'x'", "'package'"}};
    for (const auto& [use, name] : uses) expect_rejected(use, name);
  }
  void chooses_no_output() {
    const std::string all =
        "local p = torsor.params{ name = torsor.choice{ '../../others/x', '/others/y' } } ";
    const std::string text =
        "local torsor = require 'torsor' " + all + rod_in_world +
        "return world:experiment{ integrator = { 'rk4', dt = 1e-2 }, duration = 0.02, record = { "
        "'arm.q' } }";
    const Output out =
        torsor({"study", file("own/s.lua", text), "--folder", "out", "--keep", "all"});
    EXPECT_EQ(out.exit_code, 0) << out.err;
    size_t recordings = 0;
    for (const std::string& name : written()) {
      if (!name.ends_with(".h5")) continue;
      EXPECT_TRUE(name == "out/s-0.h5" || name == "out/s-1.h5" || name == "out/s-study.h5") << name;
      ++recordings;
    }
    EXPECT_EQ(recordings, 3u);
  }
  void loads_no_compiled_lua() {
    file("own/compiled.lua", "\x1bLua\x54");
    expect_rejected("require 'compiled'", "is compiled Lua");
    EXPECT_EQ(torsor({"run", "own/compiled.lua"}).exit_code, 2);
  }
  void uses_no_pipes() {
    mkfifo((folder_ / "own/pipe.so").c_str(), 0600);
    mkfifo((folder_ / "own/pipe.lua").c_str(), 0600);
    expect_rejected("torsor.plugins{ 'pipe.so' }", "is not a regular file");
    expect_rejected("require 'pipe'", "pipe.lua: this is not a regular file");
    expect_rejected("torsor.plugins{ '/dev/zero' }", no_code);
  }

  void option_allows_all() {
    expect_runs(bring + " torsor.urdf('../others/arm.urdf')", move_along + "link_path.csv' })",
                {"--allow-plugins"});
    EXPECT_TRUE(code_ran());
  }
  void terminal_asks() {
    EXPECT_EQ(ask("x").exit_code, 2);
    EXPECT_FALSE(code_ran());
    EXPECT_EQ(ask("y").exit_code, 0);
    EXPECT_TRUE(code_ran());
    expect_rejected(bring, no_code);
    EXPECT_EQ(ask("a").exit_code, 0);
    expect_runs(bring);
    EXPECT_TRUE(code_ran());
  }
  void no_terminal_no_question() {
    const Output out = torsor({"run", scene(bring)}, "y\n");
    EXPECT_EQ(out.exit_code, 2);
    EXPECT_THAT(out.err, AllOf(HasSubstr("marking.so"), HasSubstr("--allow-plugins"),
                               HasSubstr("torsor trust PATH"), HasSubstr("in a terminal")));
    EXPECT_EQ(std::count(out.err.begin(), out.err.end(), '\n'), 1);
    EXPECT_FALSE(code_ran());
  }
  void answer_is_for_bytes() {
    EXPECT_EQ(ask("a").exit_code, 0);
    EXPECT_TRUE(code_ran());
    std::ofstream(folder_ / "own/marking.so", std::ios::app) << "more";
    expect_rejected(bring, no_code);
  }
  void allowed_bytes_are_loaded() {
    const TerminalOutput out = run_at_terminal(
        {"run", scene(bring)}, folder_, "[N] no: ", "y",
        [&] { std::ofstream(folder_ / "own/marking.so", std::ios::app) << "more"; });
    EXPECT_THAT(out.printed, HasSubstr("has changed since it was allowed"));
    EXPECT_FALSE(code_ran());
  }
  void folder_is_real() {
    fs::create_directories(folder_ / "own/b");
    fs::copy_file(folder_ / "own/marking.so", folder_ / "own/b/m.so");
    fs::create_symlink("../../others/marking.so", folder_ / "own/b/link.so");
    ASSERT_EQ(torsor({"trust", "own/b"}).exit_code, 0);
    expect_runs("torsor.plugins{ 'b/m.so' }");
    EXPECT_TRUE(code_ran());
    expect_rejected("torsor.plugins{ 'b/link.so' }", no_code);
  }
  void list_is_printed() {
    ASSERT_EQ(torsor({"trust", "own"}).exit_code, 0);
    EXPECT_THAT(torsor({"trust"}).out, HasSubstr((folder_ / "own").string()));
    ASSERT_EQ(torsor({"trust", "--remove", "own"}).exit_code, 0);
    expect_rejected(bring, no_code);
  }
  void list_is_private() {
    const auto is_private = [](const fs::path& file) {
      struct stat status {};
      return stat(file.c_str(), &status) == 0 && (status.st_mode & 0777) == 0600;
    };
    ASSERT_EQ(torsor({"trust", "own"}).exit_code, 0);
    EXPECT_TRUE(is_private(list()));
    ASSERT_EQ(run("env", {"-u", "XDG_CONFIG_HOME", "HOME=" + (folder_ / "home").string(),
                          TORSOR_PROGRAM, "trust", "own"})
                  .exit_code,
              0);
    EXPECT_TRUE(is_private(folder_ / "home/.config/torsor/trust.json"));
  }
  void damaged_list_is_none() {
    ASSERT_EQ(torsor({"trust", "own"}).exit_code, 0);
    chmod(list().c_str(), 0622);
    EXPECT_THAT(
        run_scene(bring).err,
        AllOf(HasSubstr("warning: "), HasSubstr("other users can write"), HasSubstr(no_code)));
    chmod(list().c_str(), 0600);
    std::ofstream(list()) << "{";
    EXPECT_THAT(run_scene(bring).err,
                AllOf(HasSubstr("warning: "), HasSubstr("not JSON"), HasSubstr(no_code)));
    EXPECT_FALSE(code_ran());
  }
  void users_file_is_anywhere() {
    const fs::path elsewhere = folder_ / "others/t.lua";
    fs::copy_file(scene("torsor.urdf('arm.urdf')"), elsewhere);
    EXPECT_EQ(torsor({"run", elsewhere.string()}).exit_code, 0);
    EXPECT_EQ(run("sh", {"-c", "cd others && \"" TORSOR_PROGRAM "\" run t.lua"}).exit_code, 0);
    EXPECT_EQ(run("sh", {"-c", "cd own && \"" TORSOR_PROGRAM "\" run ../others/t.lua"}).exit_code,
              0);
  }
  void recordings_scene_is_no_exception() {
    ASSERT_EQ(run_scene("torsor.urdf('arm.urdf') " + bring, "", {"--allow-plugins"}).exit_code, 0);
    EXPECT_TRUE(code_ran());
    EXPECT_THAT(torsor({"identify", "recordings/s.h5"}).err, HasSubstr(no_code));
    EXPECT_FALSE(code_ran());
  }
  void recordings_are_data() {
    ASSERT_EQ(run_scene("torsor.urdf('arm.urdf') " + bring, "", {"--allow-plugins"}).exit_code, 0);
    EXPECT_TRUE(code_ran());
    const std::vector<std::vector<std::string>> readers{
        {"info", "recordings/s.h5"},
        {"convert", "recordings/s.h5", "x.csv"},
        {"plot", "recordings/s.h5", "--signals", "arm.q", "--out", "x.png"}};
    for (const auto& words : readers) EXPECT_EQ(torsor(words).exit_code, 0) << words[0];
    EXPECT_FALSE(code_ran());
    fs::rename(folder_ / "recordings/s.h5", folder_ / "others/secret.h5");
    fs::copy_file(folder_ / "others/secret.h5", folder_ / "recordings/s.h5");
    const hid_t file = H5Fopen((folder_ / "recordings/s.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    ASSERT_GE(H5Ldelete(file, "time", H5P_DEFAULT), 0);
    ASSERT_GE(H5Lcreate_external((folder_ / "others/secret.h5").c_str(), "/time", file, "time",
                                 H5P_DEFAULT, H5P_DEFAULT),
              0);
    ASSERT_GE(H5Fclose(file), 0);
    for (const auto& words : readers) EXPECT_EQ(torsor(words).exit_code, 2) << words[0];
  }
};

const std::vector<Sentence>& TrustPage::sentences() {
  static const std::vector<Sentence> all = {
      {"It can use at most 100 million instructions, 60 s and 128 MiB of memory; then its load "
       "ends with an error",
       &TrustPage::limits},
      {"It can read files below its own folder and below `scripts/`: Lua modules, robot files, CSV "
       "files",
       &TrustPage::reads_below_its_folder},
      {"It can load plugins written in Lua from these folders, and these run in a sandbox too",
       &TrustPage::loads_lua_plugins},
      {"It can use the plugins that you provide: the built-in ones, and those of your own plugin "
       "folder, of `TORSOR_PLUGIN_PATH` and of `--plugins`",
       &TrustPage::uses_plugins_of_the_user},
      {"It can print lines, and control characters in them become `?`", &TrustPage::prints},
      {"It cannot load a plugin of machine code (`.so`), wherever the plugin is, under any command",
       &TrustPage::loads_no_machine_code},
      {"It cannot read a file outside its folder and `scripts/`: not by an absolute path, not by "
       "`..`, and not by a symbolic link",
       &TrustPage::reads_nothing_outside},
      {"It cannot find out whether a file outside these folders exists",
       &TrustPage::finds_nothing_outside},
      {"It cannot catch the error of a missing permission", &TrustPage::catches_nothing},
      {"It cannot load machine code by a module, or by a plugin in Lua that it names",
       &TrustPage::loads_nothing_by_others},
      {"It cannot load a plugin after its own load, for example in a control law",
       &TrustPage::loads_nothing_later},
      {"It cannot write files, start programs, or use the network, the clock or environment "
       "variables",
       &TrustPage::has_no_system},
      {"It cannot choose where a recording is written: `--folder` is the folder, and the name is "
       "made of the name of the scene and of the number of a sample",
       &TrustPage::chooses_no_output},
      {"It cannot load compiled Lua", &TrustPage::loads_no_compiled_lua},
      {"It cannot use a pipe or a device as a plugin or as a module", &TrustPage::uses_no_pipes},
      {"`--allow-plugins` allows every file that a scene or robot file names",
       &TrustPage::option_allows_all},
      {"If standard input and standard error are terminals, the command asks; `y` allows the file "
       "this time, `a` until it changes, and any other answer denies it",
       &TrustPage::terminal_asks},
      {"Without a terminal, the command ends with status 2 and one line, which names the file and "
       "what you can do",
       &TrustPage::no_terminal_no_question},
      {"An answer is about the bytes of the file: the same file with other bytes needs a new "
       "answer",
       &TrustPage::answer_is_for_bytes},
      {"For a plugin, the bytes that you allowed are the bytes that are loaded",
       &TrustPage::allowed_bytes_are_loaded},
      {"`torsor trust FOLDER` allows the files that really are in the folder or below it; a link "
       "in it that leads elsewhere is not allowed",
       &TrustPage::folder_is_real},
      {"`torsor trust` prints the list of what you trust, and `torsor trust --remove PATH` removes "
       "a path",
       &TrustPage::list_is_printed},
      {"The list is the file `$XDG_CONFIG_HOME/torsor/trust.json`, or "
       "`~/.config/torsor/trust.json`, which only you can read and write",
       &TrustPage::list_is_private},
      {"If the list is damaged, or if others can write it, nothing in it is trusted, and a warning "
       "says why",
       &TrustPage::damaged_list_is_none},
      {"The scene or robot file of the command line may be anywhere, and its folder is then the "
       "folder that it can read",
       &TrustPage::users_file_is_anywhere},
      {"A recording names its scene; `identify` and `view` load this scene by the same rules, with "
       "the folder of the scene",
       &TrustPage::recordings_scene_is_no_exception},
      {"A recording is data: no other command loads its scene, and no file that it refers to is "
       "read",
       &TrustPage::recordings_are_data},
  };
  return all;
}

// Returns the items of the lists of the page, each on one line, without its final full stop.
std::vector<std::string> items_of_page() {
  std::vector<std::string> out;
  std::ifstream in(source("docs/trust.md"));
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    const bool begins = line.starts_with("- "), continues = inside && line.starts_with("  ");
    if (begins)
      out.push_back(line.substr(2));
    else if (continues)
      out.back() += line.substr(1);
    inside = begins || continues;
  }
  for (std::string& item : out)
    if (item.ends_with(".")) item.pop_back();
  return out;
}

TEST(TrustPageText, IsTestedSentenceBySentence) {
  std::vector<std::string> tested;
  for (const Sentence& sentence : TrustPage::sentences()) tested.push_back(sentence.text);
  EXPECT_EQ(items_of_page(), tested);
}

class TrustSentence : public TrustPage, public testing::WithParamInterface<size_t> {};

TEST_P(TrustSentence, IsTrue) {
  const Sentence& sentence = sentences()[GetParam()];
  SCOPED_TRACE(sentence.text);
  (this->*sentence.test)();
}

INSTANTIATE_TEST_SUITE_P(OfThePage, TrustSentence,
                         testing::Range(size_t(0), TrustPage::sentences().size()));

}  // namespace
}  // namespace torsor::test
