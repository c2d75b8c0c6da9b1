// Tests of closed loops in robot files: <loop_joint>, and the file of closures beside a robot file.

#include <gmock/gmock.h>

#include <filesystem>

#include "formats/urdf_file.hpp"

namespace torsor::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

// A four-bar linkage: crank and coupler, and a rocker on the ground.
std::string linkage(const std::string& loop) {
  std::string out = "<robot name=\"linkage\"><link name=\"base\"/>\n";
  const auto bar = [&](const char* name, const char* parent, const char* x) {
    out += std::string("<link name=\"") + name +
           "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" "
           "ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"" +
           name + "_joint\" type=\"continuous\"><parent link=\"" + parent + "\"/><child link=\"" +
           name + "\"/><origin xyz=\"" + x +
           " 0 0\"/><axis xyz=\"0 1 0\"/><limit velocity=\"9\" effort=\"9\"/></joint>\n";
  };
  bar("crank", "base", "0");
  bar("coupler", "crank", "0.3");
  bar("rocker", "base", "0.9");
  return out + loop + "</robot>\n";
}

// The form of Isaac Sim, which also writes two <link1>.
TEST(UrdfClosures, ReadLoopJoints) {
  for (const char* second : {"link1", "link2"}) {
    const RobotDescription robot = read_text(linkage(
        "<loop_joint name=\"pin\" type=\"revolute\"><link1 link=\"coupler\" xyz=\"0.8 0 0\" "
        "rpy=\"0 0 0\"/><" +
        std::string(second) +
        " link=\"rocker\" xyz=\"0.6 0 0\" rpy=\"0 0.2 0\"/><axis xyz=\"0 1 0\"/></loop_joint>\n"));
    EXPECT_TRUE(robot.warnings.empty());
    const auto model = build(robot);
    ASSERT_EQ(model->closures.size(), 1u);
    const Closure& pin = model->closures[0];
    EXPECT_EQ(pin.kind, ClosureKind::revolute);
    EXPECT_THAT(pin.source, EndsWith(".urdf:5"));
    EXPECT_EQ(pin.body_A, 2);
    const Pose<double>& X_BF = model->frames[size_t(model->frame("coupler"))].X_BF;
    EXPECT_NEAR(norm((inverse(X_BF) * pin.X_BA).p - Vec3<double>{0.8, 0, 0}), 0, 1e-15);
  }
}

TEST(UrdfClosures, ReadDynamicsOfLoopJoints) {
  const RobotDescription robot = read_text(
      linkage("<loop_joint name=\"pin\" type=\"continuous\"><link1 link=\"coupler\"/><link2 "
              "link=\"rocker\"/><axis xyz=\"0 1 0\"/><dynamics damping=\"0.1\" "
              "friction=\"0.2\"/></loop_joint>"));
  const auto model = build(robot);
  EXPECT_EQ(model->joints.back().name, "pin");
  EXPECT_EQ(model->damping.back(), 0.1);
  EXPECT_EQ(model->drives.back().friction.coulomb, 0.2);
}

TEST(UrdfClosures, RejectFaults) {
  EXPECT_EQ(error_of(linkage("<loop_joint name=\"pin\" type=\"revolut\"/>")),
            "FILE:5: <loop_joint> 'pin': 'revolut' is not a type of loop joint; it can be weld, "
            "revolute, prismatic, screw, cylindrical, universal, spherical, planar, "
            "point_on_line, point_on_plane, distance; did you mean 'revolute'?");
  EXPECT_EQ(error_of(linkage("<loop_joint name=\"pin\" type=\"fixed\"><link1 "
                             "link=\"crank\"/></loop_joint>")),
            "FILE:5: <loop_joint> 'pin': it has 1 links; give <link1> and <link2>");
  EXPECT_THAT(error_of(linkage("<loop_joint name=\"pin\" type=\"planar\" length=\"1\"><link1 "
                               "link=\"crank\"/><link2 link=\"rocker\"/></loop_joint>")),
              HasSubstr("a planar loop joint has no length; remove it"));
  EXPECT_THAT(
      error_of(linkage("<loop_joint name=\"pin\" type=\"planar\"><link1 link=\"crank\"/><link2 "
                       "link=\"rocker\"/><dynamics damping=\"1\"/></loop_joint>")),
      HasSubstr("<dynamics> is for a loop joint with one degree of freedom"));
  const RobotDescription robot =
      read_text(linkage("<loop_joint name=\"pin\" type=\"fixed\"><link1 link=\"crank\"/><link2 "
                        "link=\"rockr\"/></loop_joint>"));
  try {
    build(robot);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), EndsWith(".urdf:5: closure 'pin': there is no link or frame 'rockr'; "
                                       "did you mean 'rocker'?"));
  }
}

// A file of closures beside a robot file.
class BesideFile {
 public:
  BesideFile(const UrdfFile& robot, const std::string& text)
      : path_(std::filesystem::path(robot.path()).replace_extension(".closures.xml").string()) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~BesideFile() { std::remove(path_.c_str()); }
  std::string path_;
};

std::string error_beside(const std::string& text) {
  const UrdfFile robot(linkage(""));
  const BesideFile beside(robot, text);
  try {
    build(read_robot_file(robot.path()));
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.rfind(beside.path_, 0), 0u) << what;
    return what.substr(std::min(what.size(), beside.path_.size()));
  }
  return "none";
}

TEST(UrdfClosures, ReadTheFileBeside) {
  const UrdfFile file(linkage(""));
  const BesideFile beside(
      file,
      "<closures>\n<loop_joint name=\"pin\" type=\"revolute\"><link1 link=\"coupler\" xyz=\"0.8 0 "
      "0\"/><link2 link=\"rocker\" xyz=\"0.6 0 0\"/><axis xyz=\"0 1 0\"/></loop_joint>\n<gear "
      "name=\"mesh\" joint=\"crank_joint\" of=\"rocker_joint\" ratio=\"-2\" offset=\"0.1\" "
      "teeth=\"9\"/>\n<cable name=\"band\" offset=\"0.2\"><pulley joint=\"crank_joint\" "
      "radius=\"0.1\"/><pulley joint=\"coupler_joint\" radius=\"0.2\"/></cable></closures>");
  std::vector<std::filesystem::path> files;
  RobotFileOptions options;
  options.meshes.found_file = [&](const std::filesystem::path& each) { files.push_back(each); };
  const RobotDescription robot = read_robot_file(file.path(), options);
  ASSERT_EQ(robot.warnings.size(), 1u);
  EXPECT_THAT(robot.warnings[0], HasSubstr("unknown words: attribute teeth in <gear> (line 3)"));
  const auto model = build(robot);
  ASSERT_EQ(model->closures.size(), 3u);
  EXPECT_EQ(model->closures[1].kind, ClosureKind::gear);
  EXPECT_EQ(model->closures[1].terms[1].factor, 2);
  EXPECT_EQ(model->closures[1].parameter, 0.1);
  EXPECT_EQ(model->closures[2].terms[1].factor, -0.2);
  EXPECT_THAT(files, testing::ElementsAre(std::filesystem::path(beside.path_)));
}

TEST(UrdfClosures, RejectFaultsOfTheFileBeside) {
  EXPECT_EQ(error_beside("<robot name=\"a\"/>"),
            ":1: the file contains a <robot>; give a file of closures, whose first element is "
            "<closures>");
  EXPECT_EQ(error_beside("<closures><rack name=\"r\" joint=\"crank_joint\"/></closures>"),
            ":1: <rack> 'r': <rack> needs the attribute of");
  EXPECT_EQ(error_beside("<closures>\n<gear name=\"g\" joint=\"crank_joint\" "
                         "of=\"rocker_joint\"/></closures>"),
            ":2: closure 'g': a gear closure needs a ratio");
  EXPECT_EQ(error_beside("<closures>\n<gear name=\"g\" joint=\"crank_joint\" of=\"rocker_joint\" "
                         "ratio=\"?!\"/></closures>")
                .substr(0, 18),
            ":2: <gear> 'g': ra");
  EXPECT_THAT(error_beside("<closures>\n<cable name=\"c\"><pulley joint=\"crank_joint\"/></cable>"
                           "</closures>"),
              HasSubstr("<pulley> needs the attribute radius"));
}

}  // namespace
}  // namespace torsor::test
