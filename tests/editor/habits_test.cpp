// Tests of features that users know from other programs: a palette, recent files, dropped files.

#include <gmock/gmock.h>

#include <set>

#include "editor/actions/action_file.hpp"
#include "editor/actions/candidates.hpp"
#include "editor/app/key_queue.hpp"
#include "editor/panels/plots/plots.hpp"
#include "editor/panels/problems/problems.hpp"
#include "editor/session/journal.hpp"
#include "editor/windowless_fixture.hpp"
#include "torsor/base/error.hpp"

namespace torsor::editor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class HabitsTest : public WindowlessTest {
 protected:
  void SetUp() override {
    WindowlessTest::SetUp();
    ImGuiIO& io = ImGui::GetIO();
    io.KeyMap[ImGuiKey_Enter] = 257;
    io.KeyMap[ImGuiKey_DownArrow] = 264;
    io.KeyMap[ImGuiKey_UpArrow] = 265;
  }
  void press_palette() {
    press({80, true});
    for (int k = 0; k < 3; ++k) frame();
  }
  std::vector<std::string> titles(const std::string& text) {
    std::vector<std::string> out;
    for (const Suggestion& each : suggestions(*editor_, text)) out.push_back(each.title);
    return out;
  }
  static constexpr int enter = 257, down = 264;
};

TEST_F(HabitsTest, ThePaletteRunsAnActionByItsLetters) {
  open(write("arm.lua", pendulum_scene));
  press_palette();
  type("stepforw");
  strike(enter);  // this action takes an argument
  EXPECT_EQ(editor_->palette.text, "time.step ");
  type("3");
  EXPECT_EQ(editor_->palette.text, "time.step 3");
  strike(enter);
  settle();
  EXPECT_EQ(editor_->now->state.step, 3);
  EXPECT_FALSE(editor_->palette.shown);
  press_palette();
  EXPECT_EQ(suggestions(*editor_, "")[0].detail, "time.step [STEPS]") << "the last used first";
  type("edit.position ");
  strike(down);
  strike(enter);
  type("0.25");
  strike(enter);
  settle();
  EXPECT_EQ(editor_->now->state.q[1], 0.25) << problems(*editor_->now);
  press_palette();
  type("edit.position hinge much");
  strike(enter);
  EXPECT_TRUE(editor_->palette.shown);
  EXPECT_THAT(editor_->palette.error, HasSubstr("VALUE is 'much'"));
  press({256});
  EXPECT_FALSE(editor_->palette.shown);
}

TEST_F(HabitsTest, ThePaletteSuggestsArguments) {
  open(write("arm.lua", pendulum_scene));
  EXPECT_THAT(titles("edit.velocity "), testing::IsSupersetOf({"hinge", "slide"}));
  EXPECT_THAT(titles("edit.velocity sl"), ElementsAre("slide"));
  EXPECT_THAT(titles("scene.select link "), testing::IsSupersetOf({"rod", "tip"}));
  EXPECT_THAT(titles("window.theme l"), ElementsAre("light"));
  EXPECT_THAT(titles("panel.move plots r"), testing::IsSupersetOf({"right_top", "right_bottom"}));
  EXPECT_THAT(titles("no such thing at all"), ElementsAre());
}

// Checks that the palette suggests values of each argument except numbers, files and new names, and
// that the actions accept these values.
TEST_F(HabitsTest, ActionsAcceptTheSuggestionsOfThePalette) {
  open(source_file("scenes/pid.lua"));
  for (const char* made : {"run.fork", "run.keep"}) run_action(*editor_, made, {"mine"});
  editor_->session.post(command::Go{20});
  settle();
  const std::set<std::string> free = {"",     "SECONDS", "FACTOR", "VALUE",       "STEPS",
                                      "FILE", "FOLDER",  "TEXT",   "INDEX",       "X",
                                      "Y",    "Z",       "FROM",   "TO",          "NUMBER",
                                      "FPS",  "WxH",     "TO_X",   "AZIMUTH_DEG", "ELEVATION_DEG",
                                      "TO_Y", "TO_Z"};
  int taken = 0;
  for (const Action* action : all_actions())
    for (size_t k = 0; !action_word(*action, k).empty(); ++k) {
      const std::string name = action->name, word = action_word(*action, k);
      const bool own_name = (name == "run.fork" || name == "run.keep") && word == "NAME";
      // These fail because no question and no study is open.
      if (name == "trust.answer" || name.starts_with("study.")) continue;
      if (free.contains(word) || own_name) continue;
      const std::vector<std::string> first = candidates(*editor_, *action, 0, {});
      const Arguments before{first.empty() ? "0" : first.back()};
      const std::vector<std::string> offered = candidates(*editor_, *action, k, before);
      EXPECT_FALSE(offered.empty()) << name << " " << word;
      if (k > 0 || !action_word(*action, 1).empty() || word.find("FORK") == 0 || word == "SNAPSHOT")
        continue;
      for (const std::string& each : offered) {
        EXPECT_NO_THROW(run_action(*editor_, name, {each})) << name << " " << each;
        ++taken;
      }
    }
  EXPECT_GT(taken, 50);
}

TEST_F(HabitsTest, TimesOutOfRangeAreRejected) {
  open(write("arm.lua", pendulum_scene));
  const auto error_of = [&](const char* seconds) -> std::string {
    try {
      run_action(*editor_, "time.go", {seconds});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of("-0.5"), "time.go: SECONDS is -0.5; it must not be negative");
  EXPECT_EQ(error_of("1e300"), "time.go: SECONDS is 1e+300; it must be less than 1e+12");
  EXPECT_EQ(error_of("0.25"), "");
}

TEST(Palette, LettersThatBeginWordsCountMost) {
  EXPECT_FALSE(fuzzy_score("Step forward", "fs"));
  EXPECT_GT(*fuzzy_score("Step forward", "sf"), *fuzzy_score("Step forward", "tr"));
  EXPECT_GT(*fuzzy_score("time.go", "go"), *fuzzy_score("view.along x or y", "go"));
  EXPECT_GT(*fuzzy_score("plot.add", "plot"), *fuzzy_score("panel.show left or right", "plot"));
  EXPECT_TRUE(fuzzy_score("anything", ""));
  EXPECT_TRUE(fuzzy_score("Play or pause", "PLAY PAUSE"));
}

TEST_F(HabitsTest, AnotherFileIsOpenedInTheWindow) {
  const auto first = write("first.lua", pendulum_scene);
  const auto second = write("second.lua", replaced(pendulum_scene, "\"hinge\"", "\"elbow\""));
  open(first);
  run_action(*editor_, "edit.position", {"hinge", "0.5"});
  run_action(*editor_, "plot.add", {"arm.v"});
  settle();
  run_action(*editor_, "scene.open", {second.string()});
  frame();
  settle();
  ASSERT_TRUE(editor_->has_scene()) << problems(*editor_->now);
  EXPECT_EQ(editor_->scene().file, second);
  EXPECT_EQ(editor_->now->undoable, 0);
  EXPECT_EQ(editor_->model().joints[0].name, "elbow");
  EXPECT_EQ(editor_->panel<PlotsPanel>().plots.size(), 1u) << "those of the other scene are gone";
  EXPECT_THAT(editor_->settings.recent, ElementsAre(second.string(), first.string()));
  run_action(*editor_, "scene.open", {first.string()});
  frame();
  settle();
  EXPECT_THAT(editor_->settings.recent, ElementsAre(first.string(), second.string()));
  EXPECT_THROW(run_action(*editor_, "scene.open", {(folder_ / "gone.lua").string()}), Error);
  EXPECT_THROW(run_action(*editor_, "scene.open", {write("notes.txt", "").string()}), Error);
  EXPECT_EQ(editor_->scene().file, first) << "what cannot be opened leaves what there is";
}

// Checks that each open file has its own journal, which is removed when another file is opened.
TEST_F(HabitsTest, AnOpenedFileHasItsOwnJournal) {
  const auto first = write("first.lua", pendulum_scene),
             second = write("second.lua", pendulum_scene);
  editor_.emplace(shipped_plugins(), SessionOptions{first, {}, folder_ / "state"}, Settings{});
  settle();
  run_action(*editor_, "edit.position", {"hinge", "0.5"});
  settle();
  ASSERT_TRUE(
      eventually([&] { return std::filesystem::exists(journal_file(folder_ / "state", first)); }));
  run_action(*editor_, "scene.open", {second.string()});
  frame();
  settle();
  run_action(*editor_, "edit.position", {"hinge", "0.25"});
  ASSERT_TRUE(
      eventually([&] { return std::filesystem::exists(journal_file(folder_ / "state", second)); }));
  EXPECT_FALSE(std::filesystem::exists(journal_file(folder_ / "state", first)));
}

TEST_F(HabitsTest, AWindowWithoutAFileListsRecentFiles) {
  editor_.emplace(shipped_plugins(), SessionOptions{}, Settings{});
  editor_->settings.recent = {(folder_ / "gone.lua").string()};
  settle();
  EXPECT_FALSE(editor_->has_scene());
  EXPECT_TRUE(editor_->now->problems->empty()) << problems(*editor_->now);
  run_action(*editor_, "scene.open");
  for (int k = 0; k < 3; ++k) frame();
  ASSERT_EQ(editor_->open_dialog.recent.size(), 1u);
  EXPECT_TRUE(editor_->open_dialog.recent[0].missing);
  run_action(*editor_, "scene.reload");
  settle();
  EXPECT_EQ(problems(*editor_->now), "no scene is loaded\n");
  press({256});
  EXPECT_FALSE(editor_->open_dialog.shown);
  editor_->dropped = {write("arm.lua", pendulum_scene).string(), "other.lua"};
  frame();
  settle();
  ASSERT_TRUE(editor_->has_scene()) << problems(*editor_->now);
  EXPECT_EQ(editor_->scene().file, folder_ / "arm.lua");
  EXPECT_THAT(problems(*editor_->now), HasSubstr("only the first of 2 dropped files is opened"));
  editor_->dropped = {(folder_ / "picture.png").string()};
  frame();
  settle();
  EXPECT_EQ(editor_->scene().file, folder_ / "arm.lua");
  EXPECT_THAT(problems(*editor_->now), HasSubstr("picture.png: there is no such file"));
}

TEST(Problems, BeginWithThePlaceTheyAreAbout) {
  EXPECT_EQ(place_of("scenes/a.lua:14: link 'L2': x"), "scenes/a.lua:14");
  EXPECT_EQ(place_of("a.lua: reloaded"), "a.lua");
  EXPECT_EQ(place_of("arm.urdf:3: 12: y"), "arm.urdf:3");
  EXPECT_EQ(place_of("time.go: SECONDS is missing"), "");
  EXPECT_EQ(place_of("plugin file 'x.so' is empty: see"), "");
  EXPECT_EQ(place_of("no scene is loaded"), "");
}

TEST_F(HabitsTest, ProblemsAreFilteredAndCopied) {
  open(write("arm.lua", replaced(pendulum_scene, "mass = 1, com = {0, 0, -0.5}",
                                 "mass = 0, com = {0, 0, 0}")));
  const std::string file = (folder_ / "arm.lua").string();
  EXPECT_THAT(problems(*editor_->now),
              HasSubstr(file + ":4: warning: link 'rod': it has a rotational inertia but no mass"));
  EXPECT_FALSE(in_front(editor_->settings, panel_row("problems")))
      << "a warning does not come to the front";
  const size_t found = editor_->now->problems->size();
  run_action(*editor_, "scene.reload");
  settle();
  EXPECT_EQ(editor_->now->problems->size(), found + 1)
      << "the reload adds a note, and no warning again";
  run_action(*editor_, "problems.copy", {"place", "1"});
  EXPECT_EQ(std::string(ImGui::GetClipboardText()), file + ":4");
  run_action(*editor_, "problems.copy", {"all"});
  EXPECT_EQ(std::string(ImGui::GetClipboardText()), problems(*editor_->now));
  run_action(*editor_, "problems.filter", {"warnings", "off"});
  run_action(*editor_, "panel.show", {"problems"});
  frame();
  for (const Arguments& wrong :
       {Arguments({"text", "99"}), Arguments({"text", "0"}), Arguments({"some"})})
    EXPECT_THROW(run_action(*editor_, "problems.copy", wrong), Error);
}

TEST_F(HabitsTest, ASnapshotIsDiscarded) {
  open(write("arm.lua", pendulum_scene));
  run_action(*editor_, "run.keep", {"mine"});
  settle();
  ASSERT_EQ(editor_->now->snapshots->size(), 1u);
  run_action(*editor_, "run.discard", {"mine"});
  settle();
  EXPECT_TRUE(editor_->now->snapshots->empty());
  EXPECT_THAT([&] { run_action(*editor_, "run.discard", {"mine"}); },
              testing::ThrowsMessage<Error>(HasSubstr("there is no snapshot 'mine'")));
}

// Checks that an error on the session's thread is reported for the line whose action caused it,
// although the action has returned.
TEST_F(HabitsTest, AnActionThatFailsLaterEndsTheFileOfActions) {
  const auto file = write("arm.lua", pendulum_scene);
  const auto played = [&](const std::string& line) -> std::string {
    open(file);
    ActionFile actions(write("a.actions", "0 time.step 3\n0 " + line + "\n0 time.step 1\n"));
    while (!actions.finished(*editor_)) {
      ImGui::NewFrame();
      editor_->begin_frame();
      try {
        actions.advance(*editor_);
      } catch (const Error& error) {
        ImGui::EndFrame();
        return error.what();
      }
      ImGui::Render();
    }
    return "";
  };
  EXPECT_EQ(played("run.keep here"), "");
  EXPECT_EQ(played("scene.export"), "") << "a note is no error";
  EXPECT_THAT(problems(*editor_->now), HasSubstr("this run has no edits"));
  for (const auto& [line, why] : {std::pair("run.choose x", "there is no fork 'x'"),
                                  {"run.show x", "there is no snapshot 'x'"},
                                  {"view.pull nope 0 0 0 0 0 0", "'nope'"},
                                  {"time.speed 0", "FACTOR is 0; it must be from 1/64 to 64"},
                                  {"scene.record /proc/x", "/proc/x"}})
    EXPECT_THAT(played(line), testing::AllOf(HasSubstr("a.actions:2: "), HasSubstr(why))) << line;
}

TEST(Keys, ThatAreLetGoWithinAFrameAreSeen) {
  using What = KeyEvent::What;
  KeyQueue queue;
  constexpr int ctrl = 341, enter = 257;
  for (const KeyEvent& event :
       {KeyEvent{What::press, ctrl}, KeyEvent{What::press, 'A'}, KeyEvent{What::release, 'A'},
        KeyEvent{What::release, ctrl}, KeyEvent{What::press, 'X'},
        KeyEvent{.what = What::character, .character = 'x'}, KeyEvent{What::release, 'X'},
        KeyEvent{What::press, enter}, KeyEvent{What::release, enter}})
    queue.push(event);
  const auto frame = [&] {
    std::vector<What> seen;
    queue.begin_frame();
    while (const auto event = queue.next()) seen.push_back(event->what);
    return seen;
  };
  EXPECT_THAT(frame(), testing::ElementsAre(What::press, What::press)) << "Ctrl+A";
  EXPECT_THAT(frame(), testing::ElementsAre(What::release, What::release, What::press,
                                            What::character, What::release, What::press))
      << "x and Enter";
  EXPECT_THAT(frame(), testing::ElementsAre(What::release));
  EXPECT_TRUE(queue.empty());
}

TEST_F(HabitsTest, OneOverlayIsOpenAtATime) {
  open(write("arm.lua", pendulum_scene));
  run_action(*editor_, "window.help");
  run_action(*editor_, "window.palette");
  EXPECT_FALSE(editor_->help);
  EXPECT_TRUE(editor_->palette.shown);
  run_action(*editor_, "window.help");
  EXPECT_FALSE(editor_->palette.shown);
  run_action(*editor_, "scene.open");
  EXPECT_FALSE(editor_->help);
  for (const auto& entry : editor_->open_dialog.shipped) EXPECT_EQ(entry.path.extension(), ".lua");
}

TEST_F(HabitsTest, KeysGoFarAlongTheTimeLine) {
  open(write("arm.lua", pendulum_scene));
  press({262, false, true});
  press({262, false, true});
  EXPECT_EQ(editor_->now->state.step, 20);
  press({263, false, true});
  EXPECT_EQ(editor_->now->state.step, 10);
  press({269});  // End
  EXPECT_EQ(editor_->now->state.step, 20);
  press({268});  // Home
  EXPECT_EQ(editor_->now->state.step, 0);
  // Page Down moves by 25 steps, but only 20 are left.
  press({267});
  EXPECT_EQ(editor_->now->state.step, 20);
}

}  // namespace
}  // namespace torsor::editor::test
