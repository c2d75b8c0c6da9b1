// Tests of <include> in SDF files, and of the folders in which the files are searched.

#include <gmock/gmock.h>

#include <cstdlib>

#include "formats/sdf_file.hpp"

namespace torsor::test::sdf_include {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

const std::string config =
    "<model><name>wheel</name><sdf version='1.4'>old.sdf</sdf><sdf version='1.9'>new.sdf</sdf>"
    "<sdf version='1.99'>future.sdf</sdf></model>";

// Sets an environment variable while the object exists.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

class SdfInclude : public testing::Test {
 protected:
  SdfInclude() {
    folder.write("models/wheel/model.config", config);
    folder.write("models/wheel/new.sdf",
                 "<sdf version='1.9'><model name='wheel'><pose>0 0 9 0 0 0</pose>\n<link "
                 "name='hub'/><link name='rim'><pose>1 0 0 0 0 0</pose></link>\n<joint name='j' "
                 "type='fixed'><parent>hub</parent><child>rim</child></joint></model></sdf>");
  }

  RobotDescription read(const std::string& content, const RobotFileOptions& options = {}) const {
    return read_robot_file(folder.write("robots/arm.sdf", sdf_model("<link name='a'/>" + content)),
                           options);
  }
  std::string error(const std::string& content, const RobotFileOptions& options = {}) const {
    try {
      read(content, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  // Checks that the wheel is included at (x, 0, z).
  void expect_wheel(const RobotDescription& robot, const std::string& name, double x, double z) {
    for (const LinkDescription& link : robot.links)
      if (link.name == name + "::hub") {
        const Vec3<double> p = std::get<ScrewPlacement>(link.joint.placement).X_PL.p;
        EXPECT_EQ(p.x, x);
        EXPECT_EQ(p.z, z);
        return;
      }
    ADD_FAILURE() << name;
  }

  ScratchFolder folder;
};

TEST_F(SdfInclude, FindsModelsByAllPaths) {
  const std::string folder_of_models = (folder.path() / "models").string();
  // Below a parent of the folder of the file, if that is called models.
  folder.write("models/other/model.sdf",
               sdf_model("<link name='b'/><include><uri>model://wheel</uri></include>"));
  expect_wheel(read_robot_file(folder.path() / "models/other/model.sdf"), "wheel", 0, 9);
  EXPECT_THAT(error("<include><uri>model://wheel</uri></include>"),
              HasSubstr("'model://wheel' is not included: file not found"));
  for (const char* name : {"SDF_PATH", "GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH",
                           "GAZEBO_MODEL_PATH", "ROS_PACKAGE_PATH"}) {
    const Variable variable(name, "/nowhere:" + folder_of_models);
    expect_wheel(read("<include><uri>model://wheel</uri></include>"), "wheel", 0, 9);
    expect_wheel(read("<include><uri>wheel</uri></include>"), "wheel", 0, 9);
  }
  for (const char* uri : {"../models/wheel", "../models/wheel/new.sdf"})
    expect_wheel(read("<include><uri>" + std::string(uri) + "</uri></include>"), "wheel", 0, 9);
  RobotFileOptions options;
  add_package("wheel=" + folder_of_models + "/wheel", options.meshes);
  expect_wheel(read("<include><uri>model://wheel</uri></include>", options), "wheel", 0, 9);
  std::vector<std::string> files;
  options.meshes.found_file = [&](const std::filesystem::path& file) {
    files.push_back(file.string());
  };
  read("<include><uri>../models/wheel</uri></include>", options);
  EXPECT_THAT(files, ElementsAre(EndsWith("wheel/model.config"), EndsWith("wheel/new.sdf")));
}

TEST_F(SdfInclude, ReplacesNamePoseAndStatic) {
  const RobotDescription robot = read(
      "<include><uri>../models/wheel</uri><name>left</name><pose>0 0 1 0 0 0</pose></include>"
      "<include><uri>../models/wheel</uri><name>right</name><pose>0 0 2 0 0 0</pose>"
      "<placement_frame>rim</placement_frame><static>1</static></include>");
  expect_wheel(robot, "left", 0, 1);
  expect_wheel(robot, "right", -1, 2);
  EXPECT_THAT(robot.dof_order, ElementsAre("floating_base", "floating_base_2"));
  EXPECT_THAT(error("<include><uri>../models/wheel</uri><placement_frame>rim</placement_frame>"
                    "</include>"),
              HasSubstr("<placement_frame> needs a <pose> beside it"));
}

TEST_F(SdfInclude, MergesModels) {
  const RobotDescription robot = read(
      "<include merge='true'><uri>../models/wheel</uri></include><joint name='k' type='fixed'>"
      "<parent>a</parent><child>hub</child></joint><frame name='f' attached_to='rim'/>");
  ASSERT_EQ(robot.links.size(), 3u);
  EXPECT_EQ(robot.links[1].name, "hub");
  EXPECT_EQ(robot.links[1].parent, "a");
  EXPECT_EQ(robot.links[2].joint.name, "j");
  EXPECT_EQ(std::get<ScrewPlacement>(robot.links[1].joint.placement).X_PL.p.z, 9);
  EXPECT_EQ(robot.frames.at(0).link, "rim");
}

// Each model is placed by a frame of the other one.
TEST_F(SdfInclude, FindsLoopsOfPlacementFrames) {
  const auto model = [](const std::string& name, const std::string& placed,
                        const std::string& own) {
    return "<sdf version='1.9'><model name='" + name + "' placement_frame='" + placed +
           "'><link name='l" + name + "'/><frame name='" + own + "'/></model></sdf>";
  };
  folder.write("models/A.sdf", model("A", "fa", "fb"));
  folder.write("models/B.sdf", model("B", "fb", "fa"));
  EXPECT_THAT(error("<include merge='true'><uri>../models/A.sdf</uri></include>"
                    "<include merge='true'><uri>../models/B.sdf</uri></include>"),
              HasSubstr("refer to each other in a loop"));
}

TEST_F(SdfInclude, NamesTheFileOfAnError) {
  folder.write("models/wheel/new.sdf",
               "<sdf version='1.9'><model name='w'>\n<link/></model></sdf>");
  EXPECT_THAT(error("<include><uri>../models/wheel</uri></include>"),
              HasSubstr("models/wheel/new.sdf:2: a <link> needs a name"));
  folder.write("models/wheel/model.config", "<model/>");
  EXPECT_THAT(error("<include><uri>../models/wheel</uri></include>"),
              HasSubstr("model.config:1: there is no <sdf>, which names the file"));
}

TEST_F(SdfInclude, ContinuesWithoutAMissingModelOfAWorld) {
  const std::string text =
      "<sdf version='1.9'><world name='w'>\n<include><uri>model://sun</uri></include><model "
      "name='m'><link name='a'/></model></world></sdf>";
  EXPECT_THAT(warnings_of_sdf(text), HasSubstr("FILE:2: 'model://sun' is not included: file not "
                                               "found"));
  EXPECT_THAT(error_of_sdf(text, {.strict = true}),
              HasSubstr("FILE:2: <include>: 'model://sun' is not included"));
}

// Each file includes the next one twice.
TEST_F(SdfInclude, BoundsTheNumberOfModels) {
  for (int k = 0; k < 20; ++k) {
    const std::string next = "<uri>m" + std::to_string(k + 1) + ".sdf</uri>";
    folder.write(
        "robots/m" + std::to_string(k) + ".sdf",
        sdf_model("<link name='a'/><include>" + next + "<name>x</name></include><include>" + next +
                  "<name>y</name></include>"));
  }
  folder.write("robots/m20.sdf", sdf_model("<link name='a'/>"));
  EXPECT_THAT(error("<include><uri>m0.sdf</uri></include>"), HasSubstr("more than 10000 models"));
}

TEST_F(SdfInclude, NeedsPermissionOutsideOfTheFolders) {
  const ScratchFolder other;
  const std::string file = other.write("deep/secret.sdf", sdf_model("<link name='b'/>"));
  const std::string content = "<include><uri>" + file + "</uri></include>";
  RobotFileOptions options;
  options.meshes.folder = folder.path();
  EXPECT_THAT(error(content, options), HasSubstr("it is outside the folder of the scene"));
  options.meshes.permission = [](const auto&, const auto&) { return true; };
  EXPECT_EQ(error(content, options), "");
}

// A model of a stranger may link to files outside its folder. They are not read, and messages do
// not tell whether they exist.
TEST_F(SdfInclude, LinksOutOfTheFolderTellNothing) {
  const ScratchFolder other;
  const std::string secret = other.write("secret.xml", "<model><sdf>x</sdf></model>");
  RobotFileOptions options;
  options.meshes.folder = folder.path();
  int asked = 0;
  options.meshes.permission = [&](const auto&, const auto&) {
    ++asked;
    return false;
  };
  const auto link_to = [&](const std::string& name, const std::string& target) {
    const auto link = folder.path() / "models/linked" / name;
    std::filesystem::create_directories(link.parent_path());
    std::filesystem::remove(link);
    std::filesystem::create_symlink(target, link);
  };
  const std::string content = "<include><uri>../models/linked</uri></include>";
  for (const char* name : {"model.config", "model.sdf"}) {
    link_to(name, secret);
    const std::string existing = error(content, options);
    link_to(name, (other.path() / "none.xml").string());
    EXPECT_EQ(error(content, options), existing);
    EXPECT_THAT(existing, HasSubstr("is not included: file not found"));
    std::filesystem::remove(folder.path() / "models/linked" / name);
  }
  EXPECT_GT(asked, 0);
  // The file that a model.config names.
  const auto named = [&](const std::string& file) {
    folder.write("models/linked/model.config",
                 "<model><sdf version='1.9'>" + file + "</sdf></model>");
    std::string what = error(content, options);
    if (const size_t at = what.find(file); at != what.npos) what.replace(at, file.size(), "FILE");
    return what;
  };
  EXPECT_EQ(named(secret), named((other.path() / "none.xml").string()));
  EXPECT_THAT(named(secret), HasSubstr("which is not a file that may be read"));
}

TEST_F(SdfInclude, FindsPackages) {
  const std::string uri = "<include><uri>package://wheels_of_acme/wheel</uri></include>";
  EXPECT_THAT(error(uri), HasSubstr("file not found"));
  RobotFileOptions options;
  add_package("wheels_of_acme=" + (folder.path() / "models").string(), options.meshes);
  expect_wheel(read(uri, options), "wheel", 0, 9);
  // The folder of a package may have another name than the package.
  folder.write("package.xml", "<package><name>wheels_of_acme</name></package>");
  expect_wheel(read("<include><uri>package://wheels_of_acme/models/wheel</uri></include>"), "wheel",
               0, 9);
  EXPECT_THROW(add_package("wheels_of_acme", options.meshes), Error);
  EXPECT_THROW(add_package("a=/nowhere", options.meshes), Error);
}

}  // namespace
}  // namespace torsor::test::sdf_include
