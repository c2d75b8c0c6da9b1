// Tests of the dialog that writes a robot in a format of other programs.

#include <GLFW/glfw3.h>
#include <gmock/gmock.h>

#include "editor/windowless_fixture.hpp"
#include "support/working_folder.hpp"
#include "torsor/base/error.hpp"
#include "torsor/formats/export/export.hpp"
#include "torsor/formats/robot_file.hpp"

namespace torsor::editor::test {
namespace {

using testing::HasSubstr;
using torsor::test::WorkingFolder;

constexpr const char* screw_robot = R"(local torsor = require "torsor"
local r = torsor.robot{ name = "screw" }
r:link{ name = "l", joint = { "helical", name = "j", axis = {0, 0, 1}, pitch = 0.1 },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
return r)";

class ExportDialogTest : public WindowlessTest {
 protected:
  void show(const std::string& robot) {
    open(write("robot.lua", robot));
    run_action(*editor_, "robot.export");
    wait();
  }
  void choose(const std::string& target) {
    dialog().target = target;
    dialog().file = "robot" + std::string(robot_target(target)->extension);
    wait();
  }
  // Waits for the report on what the dialog shows.
  void wait() {
    dialog().preview = nullptr;
    EXPECT_TRUE(eventually([&] {
      frame();
      return dialog().preview != nullptr;
    }));
  }
  ExportDialog& dialog() { return editor_->export_dialog; }
};

TEST_F(ExportDialogTest, WritesTheRobotAndReportsTheDifferences) {
  const WorkingFolder here(folder_);
  show(screw_robot);
  EXPECT_TRUE(dialog().shown);
  EXPECT_EQ(dialog().file, "robot.urdf");
  choose("sdf");
  export_as_shown(*editor_);
  settle();
  EXPECT_FALSE(dialog().shown);
  EXPECT_EQ(dialog().error, "");
  EXPECT_THAT(problems(*editor_->now), HasSubstr("robot.sdf: robot 'screw' exported as SDF"));
  EXPECT_EQ(read_robot_file(folder_ / "robot.sdf").links.at(0).joint.kind, JointKind::helical);
}

TEST_F(ExportDialogTest, AsksBeforeTheMechanismChanges) {
  const WorkingFolder here(folder_);
  show(screw_robot);
  export_as_shown(*editor_);
  EXPECT_TRUE(dialog().shown);
  EXPECT_THAT(dialog().error, HasSubstr("another mechanism"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "robot.urdf"));
  dialog().lossy = true;
  export_as_shown(*editor_);
  EXPECT_FALSE(dialog().shown) << dialog().error;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "robot.urdf"));
}

TEST_F(ExportDialogTest, NeverReplacesItsSource) {
  const WorkingFolder here(folder_);
  show(screw_robot);
  choose("lua");
  export_as_shown(*editor_);
  EXPECT_THAT(dialog().error, HasSubstr("would replace its own source"));
  EXPECT_EQ(text_of(folder_ / "robot.lua"), screw_robot);
}

// Checks that the first press of the button asks, and that the question is about the file shown.
TEST_F(ExportDialogTest, AsksBeforeItReplacesAFile) {
  const WorkingFolder here(folder_);
  show(screw_robot);
  editor_->attended = true;
  write("old.sdf", "old");
  write("other.sdf", "other");
  const auto choose_file = [&](const std::string& name) {
    dialog().target = "sdf";
    dialog().file = name;
    wait();
  };
  choose_file("old.sdf");
  export_as_shown(*editor_);
  EXPECT_TRUE(dialog().shown);
  EXPECT_EQ(dialog().error, "");
  EXPECT_THAT(dialog().existing, testing::ElementsAre("old.sdf"));
  EXPECT_EQ(text_of(folder_ / "old.sdf"), "old");
  choose_file("other.sdf");
  export_as_shown(*editor_);
  EXPECT_TRUE(dialog().shown);
  EXPECT_EQ(text_of(folder_ / "other.sdf"), "other");
  export_as_shown(*editor_);
  settle();
  EXPECT_FALSE(dialog().shown) << dialog().error;
  EXPECT_THAT(text_of(folder_ / "other.sdf"), HasSubstr("<model name=\"screw\">"));
  EXPECT_EQ(text_of(folder_ / "old.sdf"), "old");
}

TEST_F(ExportDialogTest, MessagesAreAboutTheWindow) {
  const WorkingFolder here(folder_);
  open(write("robot.lua", screw_robot));
  for (const Arguments& arguments : {Arguments{"urdf", "a.urdf"}, Arguments{"lua", "robot.lua"}})
    try {
      run_action(*editor_, "robot.export", arguments);
      FAIL();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::Not(HasSubstr("--")));
    }
}

TEST_F(ExportDialogTest, ClosesOnEsc) {
  show(screw_robot);
  press({GLFW_KEY_ESCAPE});
  EXPECT_FALSE(dialog().shown);
}

TEST_F(ExportDialogTest, IsAnActionWithArgumentsToo) {
  open(write("robot.lua", screw_robot));
  const auto run = [&](const Arguments& arguments) {
    run_action(*editor_, "robot.export", arguments);
    settle();
  };
  const std::string sdf = (folder_ / "a.sdf").string(), urdf = (folder_ / "a.urdf").string();
  run({"sdf", sdf});
  EXPECT_TRUE(std::filesystem::exists(sdf));
  EXPECT_THAT(
      [&] {
        run({"urdf", urdf});
      },
      testing::ThrowsMessage<Error>(HasSubstr("URDF cannot express this mechanism")));
  EXPECT_FALSE(std::filesystem::exists(urdf));
  run({"urdf", urdf, "lossy"});
  EXPECT_TRUE(std::filesystem::exists(urdf));
  EXPECT_THAT(
      [&] {
        run({"step", urdf});
      },
      testing::ThrowsMessage<Error>(HasSubstr("'step' is not a format")));
}

}  // namespace
}  // namespace torsor::editor::test
