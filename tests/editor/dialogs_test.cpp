// Tests of dialogs, messages and keys of the window: questions, messages, and the effect of Esc.

#include <GLFW/glfw3.h>
#include <gmock/gmock.h>
#include <imgui_internal.h>

#include "editor/windowless_fixture.hpp"
#include "support/working_folder.hpp"
#include "torsor/base/error.hpp"

namespace torsor::editor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using torsor::test::WorkingFolder;

class DialogsTest : public WindowlessTest {
 protected:
  void SetUp() override {
    WindowlessTest::SetUp();
    ImGuiIO& io = ImGui::GetIO();
    io.KeyMap[ImGuiKey_Enter] = GLFW_KEY_ENTER;
    io.KeyMap[ImGuiKey_Tab] = GLFW_KEY_TAB;
    io.KeyMap[ImGuiKey_DownArrow] = GLFW_KEY_DOWN;
    io.KeyMap[ImGuiKey_UpArrow] = GLFW_KEY_UP;
    io.KeyMap[ImGuiKey_Backspace] = GLFW_KEY_BACKSPACE;
  }
  // Opens a file in a window that has a user and a journal.
  void open_attended(const std::filesystem::path& file) {
    editor_.emplace(shipped_plugins(), SessionOptions{file, {}, folder_ / "journal"}, Settings{});
    editor_->attended = true;
    settle();
  }
  void edit() {
    run_action(*editor_, "edit.torque", {"hinge", "5"});
    settle();
    frame();
  }
  std::vector<std::string> toasts() const {
    std::vector<std::string> out;
    for (const auto& toast : editor_->toasts.all()) out.push_back(toast.problem.text);
    return out;
  }
  void pass_seconds(int seconds) {
    for (int k = 0; k < 60 * seconds; ++k) frame();
  }
  bool asks() const { return editor_->leave_dialog.shown; }
  static bool a_popup_is_open() {
    return ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  }
};

TEST_F(DialogsTest, TheWindowClosesAtOnceWithoutWork) {
  open_attended(write("arm.lua", pendulum_scene));
  run_action(*editor_, "time.step", {"20"});
  settle();
  run_action(*editor_, "window.quit");
  EXPECT_TRUE(editor_->quit);
  EXPECT_FALSE(asks());
}

TEST_F(DialogsTest, ClosingTheWindowAsksAboutWork) {
  open_attended(write("arm.lua", pendulum_scene));
  edit();
  press({GLFW_KEY_Q, true});
  frame();
  EXPECT_TRUE(asks());
  EXPECT_TRUE(a_popup_is_open());
  EXPECT_FALSE(editor_->quit);
  press({GLFW_KEY_SPACE});
  EXPECT_FALSE(editor_->now->playing) << "keys do not go through the dialog";
  press({GLFW_KEY_ESCAPE});
  frame();
  EXPECT_FALSE(asks());
  EXPECT_FALSE(a_popup_is_open());
  EXPECT_FALSE(editor_->quit);
  press({GLFW_KEY_Q, true});
  press({GLFW_KEY_D});
  EXPECT_TRUE(editor_->quit);
}

TEST_F(DialogsTest, WorkIsSavedBeforeTheWindowCloses) {
  const WorkingFolder here(folder_);
  open_attended(write("arm.lua", pendulum_scene));
  edit();
  press({GLFW_KEY_Q, true});
  press({GLFW_KEY_S});
  EXPECT_TRUE(eventually([&] {
    frame();
    return editor_->quit;
  }));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "recordings/arm.h5"));
}

TEST_F(DialogsTest, TheWindowStaysWhereSavingFails) {
  const WorkingFolder here(folder_);
  write("recordings", "a file, not a folder");
  open_attended(write("arm.lua", pendulum_scene));
  edit();
  press({GLFW_KEY_Q, true});
  press({GLFW_KEY_S});
  frame();
  EXPECT_FALSE(editor_->quit);
  EXPECT_TRUE(asks());
  EXPECT_THAT(toasts(), testing::Contains(HasSubstr("recordings")));
}

TEST_F(DialogsTest, AnotherSceneAsksFirstAndKeepsTheWorkOfTheLast) {
  const auto first = write("first.lua", pendulum_scene),
             second = write("second.lua", pendulum_scene);
  open_attended(first);
  edit();
  run_action(*editor_, "scene.open", {second.string()});
  frame();
  EXPECT_TRUE(asks());
  EXPECT_EQ(editor_->scene().file, first);
  press({GLFW_KEY_K});
  EXPECT_TRUE(eventually([&] {
    frame();
    return editor_->has_scene() && editor_->scene().file == second;
  }));
  settle();
  EXPECT_TRUE(editor_->now->edits().empty());
  run_action(*editor_, "scene.open", {first.string()});
  frame();
  settle();
  EXPECT_EQ(editor_->now->edits().size(), 1u) << problems(*editor_->now);
  EXPECT_THAT(toasts(), testing::Contains(HasSubstr("restored from the last session: 1 edit")));
}

TEST_F(DialogsTest, WithoutAUserNothingIsAsked) {
  open(write("arm.lua", pendulum_scene));
  edit();
  run_action(*editor_, "window.quit");
  EXPECT_TRUE(editor_->quit);
}

TEST_F(DialogsTest, NotesVanishAndErrorsStayUntilTheyAreDismissed) {
  open(write("arm.lua", pendulum_scene));
  EXPECT_THAT(toasts(), IsEmpty()) << "a load without errors says nothing";
  run_action(*editor_, "run.fork", {"b"});
  settle();
  EXPECT_THAT(toasts(), ElementsAre("Fork 'b' created at t = 0 s"));
  try_action(*editor_, "time.go", {"soon"});
  settle();
  frame();
  EXPECT_THAT(toasts(), testing::Contains(HasSubstr("SECONDS is 'soon'")));
  pass_seconds(20);
  ASSERT_EQ(toasts().size(), 1u);
  try_action(*editor_, "time.go", {"soon"});
  settle();
  frame();
  EXPECT_EQ(toasts().size(), 1u) << "the same again is the same toast";
  run_action(*editor_, "window.dismiss");
  EXPECT_THAT(toasts(), IsEmpty());
  try_action(*editor_, "time.go", {"soon"});
  settle();
  frame();
  EXPECT_EQ(toasts().size(), 1u) << "it is said again";
}

TEST_F(DialogsTest, ErrorsOfALoadGoWhenItIsRepaired) {
  const auto file = write("arm.lua", pendulum_scene);
  open(file);
  write("arm.lua", "local x = = 1");
  run_action(*editor_, "scene.reload");
  settle();
  frame();
  ASSERT_THAT(toasts(), ElementsAre(HasSubstr("arm.lua:1: ")));
  write("arm.lua", pendulum_scene);
  run_action(*editor_, "scene.reload");
  settle();
  frame();
  EXPECT_THAT(toasts(), ElementsAre(HasSubstr("arm.lua: reloaded")));
}

TEST_F(DialogsTest, FilesAreNumberedWhereAUserIsAtTheWindow) {
  open_attended(write("arm.lua", pendulum_scene));
  edit();
  const std::string file = write("edits.lua", "mine").string();
  run_action(*editor_, "scene.export", {file});
  settle();
  EXPECT_EQ(text_of(file), "mine");
  EXPECT_THAT(problems(*editor_->now), HasSubstr("edits-2.lua: 1 edit exported as Lua"));
  editor_->attended = false;
  run_action(*editor_, "scene.export", {file});
  EXPECT_THAT(text_of(file), HasSubstr("changes"));
}

// Checks that Esc closes one popup at a time, and that it does not change the run if none is open.
TEST_F(DialogsTest, EscClosesTheTopmostPopupAndNothingElse) {
  open(write("arm.lua", pendulum_scene));
  run_action(*editor_, "time.go", {"0.6"});
  settle();
  editor_->session.post(command::SetSpeed{1.0 / 64});
  run_action(*editor_, "time.play");
  EXPECT_TRUE(eventually([&] {
    frame();
    return editor_->now->playing;
  }));
  const long long limit = editor_->now->limit;
  EXPECT_GT(limit, editor_->scene().steps);
  const auto escape = [&] {
    editor_->keys.push_back({GLFW_KEY_ESCAPE});
    for (int k = 0; k < 3; ++k) frame();
  };
  escape();
  EXPECT_TRUE(editor_->now->playing);
  EXPECT_EQ(editor_->now->limit, limit);

  const auto& popups = ImGui::GetCurrentContext()->OpenPopupStack;
  click({20, 8});  // the first menu
  ASSERT_EQ(popups.Size, 1);
  // Move the mouse down to the menu of recent files.
  for (float y = 24; y < 100 && popups.Size == 1; y += 4) point_at({40, y});
  ASSERT_EQ(popups.Size, 2);
  editor_->keys.push_back({GLFW_KEY_SPACE});
  frame();
  EXPECT_TRUE(editor_->now->playing) << "keys do not go through a popup";
  point_at({640, 400});
  escape();
  EXPECT_EQ(popups.Size, 1);
  escape();
  EXPECT_EQ(popups.Size, 0);
  for (const char* overlay : {"window.help", "window.palette", "scene.open"}) {
    run_action(*editor_, overlay);
    for (int k = 0; k < 3; ++k) frame();
    EXPECT_TRUE(a_popup_is_open()) << overlay;
    escape();
    EXPECT_FALSE(a_popup_is_open()) << overlay;
  }
  EXPECT_TRUE(editor_->now->playing);
  EXPECT_EQ(editor_->now->limit, limit);
  editor_->session.post(command::Pause{});
}

TEST_F(DialogsTest, EscStopsTheCurrentTask) {
  open(write("arm.lua", pendulum_scene));
  editor_->session.post(command::Go{1'000'000'000});
  EXPECT_TRUE(eventually([&] {
    frame();
    return editor_->now->seeking;
  }));
  editor_->keys.push_back({GLFW_KEY_ESCAPE});
  frame();
  settle();
  EXPECT_LT(editor_->now->state.step, 1'000'000'000);
}

TEST_F(DialogsTest, TheOpenDialogHasFoldersAndFilesThatItOpens) {
  std::filesystem::create_directories(folder_ / "robots/arms");
  write("notes.txt", "");
  write("robots/two.urdf", "");
  write("robots/one.lua", pendulum_scene);
  open(write("arm.lua", pendulum_scene));
  OpenDialog& dialog = editor_->open_dialog;
  dialog.folder = folder_;
  run_action(*editor_, "scene.open");
  for (int k = 0; k < 3; ++k) frame();
  const auto labels = [&] {
    std::vector<std::string> out;
    for (const auto& entry : dialog.here) out.push_back(entry.label);
    return out;
  };
  EXPECT_THAT(labels(), ElementsAre("../", "robots/", "arm.lua"));
  type("robots/");
  EXPECT_THAT(labels(), ElementsAre("../", "arms/", "one.lua", "two.urdf"));
  type("on");
  strike(GLFW_KEY_TAB);
  EXPECT_EQ(dialog.text, "robots/one.lua");
  strike(GLFW_KEY_ENTER);
  settle();
  frame();
  settle();
  EXPECT_FALSE(dialog.shown);
  EXPECT_EQ(editor_->scene().file.filename(), "one.lua");
}

TEST_F(DialogsTest, NamesAreCompletedAsFarAsTheyAreUnambiguous) {
  std::filesystem::create_directories(folder_ / "robots");
  for (const char* name : {"robots/iiwa_free.lua", "robots/iiwa_held.lua", "robots/ur5.urdf"})
    write(name, "");
  OpenDialog dialog;
  dialog.folder = folder_;
  EXPECT_EQ(completed(dialog, "ro"), "robots/");
  EXPECT_EQ(completed(dialog, "robots/i"), "robots/iiwa_");
  EXPECT_EQ(completed(dialog, "robots/u"), "robots/ur5.urdf");
  EXPECT_EQ(completed(dialog, "robots/x"), "robots/x");
  EXPECT_EQ(completed(dialog, (folder_ / "ro").string()), (folder_ / "robots/").string());
  setenv("HOME", folder_.c_str(), 1);
  EXPECT_EQ(completed(dialog, "~/ro"), "~/robots/");
}

TEST_F(DialogsTest, AMistypedPathRemainsWithItsError) {
  open(write("arm.lua", pendulum_scene));
  OpenDialog& dialog = editor_->open_dialog;
  dialog.folder = folder_;
  run_action(*editor_, "scene.open");
  for (int k = 0; k < 3; ++k) frame();
  type("arn.lua");
  strike(GLFW_KEY_ENTER);
  EXPECT_TRUE(dialog.shown);
  EXPECT_EQ(dialog.text, "arn.lua");
  EXPECT_THAT(dialog.error, testing::AllOf(HasSubstr("there is no 'arn.lua'"),
                                           HasSubstr("did you mean 'arm.lua'")));
  EXPECT_THAT(problems(*editor_->now), Not(HasSubstr("arn.lua"))) << "it is said in the dialog";
  strike(GLFW_KEY_BACKSPACE);
  EXPECT_EQ(dialog.text, "arn.lu");
  EXPECT_EQ(dialog.error, "");
  type("x/y.lua");
  strike(GLFW_KEY_ENTER);
  EXPECT_EQ(dialog.text, "arn.lux/y.lua");
  EXPECT_THAT(dialog.error, HasSubstr("no such folder: arn.lux/"));
  press({GLFW_KEY_SPACE});
  press({GLFW_KEY_RIGHT});
  EXPECT_EQ(editor_->now->state.step, 0) << "keys do not go through the dialog";
  EXPECT_FALSE(editor_->now->playing);
}

// Checks windows of any size, with each overlay and with toasts.
TEST_F(DialogsTest, WindowsOfAnySizeAreDrawn) {
  open_attended(write("arm.lua", pendulum_scene));
  edit();
  try_action(*editor_, "time.go", {"soon"});
  settle();
  for (const ImVec2 size : {ImVec2(1, 1), ImVec2(10, 10), ImVec2(39, 600), ImVec2(600, 39),
                            ImVec2(39, 39), ImVec2(100, 60), ImVec2(320, 240)})
    for (const float scale : {1.0f, 2.0f, 4.0f}) {
      ImGui::GetIO().DisplaySize = size;
      apply_theme(true, scale);
      every_panel();
      for (const char* overlay : {"window.help", "window.palette", "scene.open", "window.quit"}) {
        run_action(*editor_, overlay);
        for (int k = 0; k < 3; ++k) frame();
        editor_->keys.push_back({GLFW_KEY_ESCAPE});
        frame();
      }
      EXPECT_FALSE(a_popup_is_open());
    }
}

}  // namespace
}  // namespace torsor::editor::test
