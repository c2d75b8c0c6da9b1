// Tests of the complete window without a display: every panel open, on every scene.

#include "editor/app/layout.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <imgui.h>

#include <algorithm>
#include <set>

#include "editor/actions/action_file.hpp"
#include "editor/app/editor.hpp"
#include "editor/app/panes.hpp"
#include "editor/windowless_fixture.hpp"
#include "support/reference.hpp"
#include "support/scene_files.hpp"
#include "torsor/base/error.hpp"

namespace torsor::editor::test {
namespace {

using namespace torsor::test;
using testing::HasSubstr;

using LayoutTest = WindowlessTest;

TEST_F(LayoutTest, EveryPanelDrawsEveryScene) {
  std::vector<std::filesystem::path> files = scene_files();
  for (const auto& entry : std::filesystem::directory_iterator(source_file("scenes")))
    if (entry.path().extension() == ".urdf") files.push_back(entry.path());
  ASSERT_GE(files.size(), 7u);
  for (const auto& file : files) {
    SCOPED_TRACE(file);
    open(file);
    ASSERT_TRUE(editor_->has_scene()) << problems(*editor_->now);
    editor_->session.post(command::Go{50});
    settle();
    for (const ImVec2 size : {ImVec2(320, 240), ImVec2(1280, 800), ImVec2(2560, 1440)}) {
      ImGui::GetIO().DisplaySize = size;
      every_panel();
    }
    for (size_t k = 0; k < editor_->model().links.size(); ++k) {
      run_action(*editor_, "scene.select", {"link", editor_->model().links[k].name});
      frame();
    }
    for (const Joint& joint : editor_->model().joints) {
      run_action(*editor_, "scene.select", {"joint", joint.name});
      frame();
    }
    EXPECT_EQ(std::ranges::count(*editor_->now->problems, Problem::Kind::error, &Problem::kind), 0)
        << problems(*editor_->now);
  }
}

// Prints the cost without a check, because machines differ.
TEST_F(LayoutTest, CostOfAFrameWithEveryPanelOpen) {
  const auto file = torsor::test::robot_file("tree31");
  ImGui::GetIO().DisplaySize = {2560, 1440};
  open(file);
  ASSERT_TRUE(editor_->has_scene());
  editor_->session.post(command::SetSpeed{0.25});
  editor_->session.post(command::Play{});
  EXPECT_TRUE(eventually([&] { return editor_->session.now()->playing; }));
  for (size_t tab = 0; tab < most_tabs(); ++tab) {
    bring_forward(tab);
    std::vector<double> ms;
    for (int k = 0; k < 100; ++k) {
      const auto start = std::chrono::steady_clock::now();
      frame();
      ms.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
              .count());
    }
    std::sort(ms.begin(), ms.end());
    std::printf(
        "UI work of a frame, %d joints, panels %d of every pane: median %.2f ms, 90 %% below %.2f "
        "ms, 99 %% below %.2f ms\n",
        int(editor_->model().joints.size()), int(tab + 1), ms[50], ms[90], ms[99]);
  }
  EXPECT_GT(editor_->now->state.step, 0) << "it was playing meanwhile";
}

TEST_F(LayoutTest, WithoutASceneEveryPanelStillDraws) {
  open(write("broken.lua", "return 3"));
  EXPECT_FALSE(editor_->has_scene());
  every_panel();
  run_action(*editor_, "window.help");
  frame();
  for (const Action* action : all_actions()) try_action(*editor_, action->name);
  settle();
  EXPECT_THAT(problems(*editor_->now), HasSubstr("no scene is loaded"));
}

// Runs all actions without arguments and with wrong ones. They may report errors, but the window
// continues.
TEST_F(LayoutTest, NoActionBreaksTheWindow) {
  open(source_file("scenes/scara.lua"));
  for (const Action* action : all_actions()) {
    if (std::string_view(action->name) == "scene.record" ||
        std::string_view(action->name) == "plot.save")
      continue;
    for (const Arguments& arguments : {Arguments(), Arguments({"nonsense"}), Arguments({"-1"}),
                                       Arguments({"1e300", "1e300"}), Arguments({"", "", ""})}) {
      SCOPED_TRACE(action->name);
      try_action(*editor_, action->name, arguments);
      frame();
    }
    settle();
    run_action(*editor_, "problems.clear");
  }
  EXPECT_TRUE(editor_->has_scene());
}

TEST_F(LayoutTest, AnErrorOpensTheProblems) {
  open(source_file("scenes/scara.lua"));
  run_action(*editor_, "panel.show", {"problems", "off"});
  try_action(*editor_, "time.go", {"soon"});
  settle();
  frame();
  EXPECT_TRUE(in_front(editor_->settings, panel_row("problems")));
}

TEST_F(LayoutTest, PanelsAreTabsOfPanes) {
  open(source_file("scenes/scara.lua"));
  Settings& settings = editor_->settings;
  const auto front = [&](Pane pane) {
    frame();
    const PanelRow* row = front_panel(settings, pane);
    return std::string(row ? row->name : "");
  };
  EXPECT_EQ(front(Pane::center_bottom), "plots");
  press({.key = 'B', .alt = true});
  EXPECT_EQ(front(Pane::center_bottom), "problems");
  run_action(*editor_, "panel.move", {"problems", "right_top"});
  EXPECT_EQ(front(Pane::right_top), "problems") << "what is moved is to be seen";
  EXPECT_EQ(front(Pane::center_bottom), "plots");
  EXPECT_FALSE(in_front(settings, panel_row("dynamics")));
  run_action(*editor_, "panel.show", {"problems", "off"});
  EXPECT_EQ(front(Pane::right_top), "dynamics");
  run_action(*editor_, "panel.show", {"problems"});
  EXPECT_EQ(front(Pane::right_top), "problems") << "it stays where it was moved";
  for (const char* name : {"scene", "inspector", "dynamics", "solvers", "problems"})
    run_action(*editor_, "panel.show", {name, "off"});
  EXPECT_EQ(front(Pane::left_top), "");
  run_action(*editor_, "window.layout_reset");
  EXPECT_EQ(front(Pane::left_top), "scene");
  EXPECT_THROW(run_action(*editor_, "panel.move", {"plots", "middle"}), Error);
}

TEST_F(LayoutTest, KeysRunActions) {
  open(source_file("scenes/scara.lua"));
  press({262});  // right
  press({262});
  EXPECT_EQ(editor_->session.now()->state.step, 2);
  press({263});  // left
  EXPECT_EQ(editor_->session.now()->state.step, 1);
  press({262, true});
  EXPECT_EQ(editor_->session.now()->state.step, 1) << "with Ctrl it is another";
}

TEST(Actions, NamesAndKeysAreUnique) {
  std::set<std::string> names, keys;
  for (const Action* action : all_actions()) {
    EXPECT_TRUE(names.insert(action->name).second) << action->name;
    if (action->shortcut.key != 0) {
      EXPECT_TRUE(keys.insert(shortcut_text(action->shortcut)).second) << action->name;
    }
    EXPECT_NE(std::string(action->title), "") << action->name;
  }
  EXPECT_TRUE(names.contains("time.play"));
  EXPECT_TRUE(keys.contains("Ctrl+Z"));
}

TEST(PanelRows, AreOnThePageOfTheWindow) {
  std::ifstream in(source_file("docs/window.md"));
  const std::string page(std::istreambuf_iterator<char>(in), {});
  for (const PanelRow& row : panel_rows())
    EXPECT_THAT(page, testing::HasSubstr(fmt::format("| {} |", row.title)));
}

TEST(Actions, ArgumentsAreWordsAndQuotedTexts) {
  const Arguments arguments(" one \"two words\"\t3.5 on ");
  ASSERT_EQ(arguments.size(), 4u);
  EXPECT_EQ(arguments.text(0, "A"), "one");
  EXPECT_EQ(arguments.text(1, "B"), "two words");
  EXPECT_EQ(arguments.number(2, "C"), 3.5);
  EXPECT_TRUE(arguments.flag(3, "D"));
  EXPECT_THROW((void)arguments.text(4, "E"), Error);
  EXPECT_THROW((void)arguments.number(0, "A"), Error);
  EXPECT_THROW((void)arguments.flag(0, "A"), Error);
  EXPECT_THROW(Arguments("\"open"), Error);
  for (const char* text : {"nan", "inf", "1e999", "1x", ""})
    EXPECT_THROW((void)Arguments({text}).number(0, "N"), Error) << text;
}

TEST(Settings, ReadBackAsWritten) {
  const auto file = std::filesystem::path(testing::TempDir()) / "torsor_settings/editor.json";
  Settings settings;
  settings.dark = false;
  settings.scale = 1.25f;
  settings.left = 0.3f;
  settings.top[1] = 0.7f;
  settings.front[size_t(Pane::right_top)] = "plots";
  settings.panels["plots"] = {false, Pane::right_top};
  write_settings(file, settings);
  const Settings read = read_settings(file);
  EXPECT_TRUE(read == settings);
  EXPECT_TRUE(read_settings("").dark);
  std::filesystem::remove_all(file.parent_path());
}

}  // namespace
}  // namespace torsor::editor::test
