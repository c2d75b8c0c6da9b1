// <attach> of MJCF. The poses and the dynamics of attached models are tested in
// mjcf_reference_test.cpp.

#include <gmock/gmock.h>

#include <algorithm>

#include "formats/mjcf_file.hpp"
#include "support/error_of.hpp"

namespace torsor::test::mjcf_attach {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty, testing::Not;

std::string warnings(const RobotDescription& robot) {
  std::string out;
  for (const std::string& warning : robot.warnings) out += warning + "\n";
  return out;
}
std::vector<std::string> links_of(const RobotDescription& robot) {
  std::vector<std::string> out;
  for (const LinkDescription& link : robot.links) out.push_back(link.name);
  return out;
}

// A robot with the model "part" of part.xml and these elements in <worldbody>, in line 3.
class RobotWith : public MjcfFolder {
 public:
  RobotWith(const std::string& elements, const std::string& part)
      : MjcfFolder(mjcf("<asset><model name='part' file='part.xml'/></asset><worldbody>\n" +
                        elements + "</worldbody>")) {
    add("part.xml", part);
  }
};
// Two arms with a joint each, in line 2, and elements beside the tree, from line 3 on.
std::string arms(const std::string& elements = "") {
  return mjcf(
      "<worldbody><body name='a'><joint name='x'/><geom name='g' size='1'/><site name='s'/><body "
      "name='in'><joint name='y'/><geom size='1'/></body></body><body name='b'><joint "
      "name='z'/><geom name='h' size='1'/></body></worldbody>\n" +
      elements);
}

TEST(MjcfAttach, PrefixesTheNamesOfEachCopy) {
  const RobotWith folder(
      "<body name='o'><geom size='1'/><attach model='part' body='a' prefix='l_'/></body><attach "
      "model='part' prefix='r_'/>",
      arms("<actuator><motor name='m' joint='x'/></actuator>"));
  const RobotDescription robot = read_robot_file(folder.path());
  EXPECT_THAT(links_of(robot), ElementsAre("o", "l_a", "l_in", "r_a", "r_in", "r_b"));
  EXPECT_THAT(robot.dof_order, ElementsAre("l_x", "l_y", "r_x", "r_y", "r_z"));
  EXPECT_EQ(robot.links[1].parent, "o");
  EXPECT_EQ(robot.links[3].parent, "");
  ASSERT_EQ(robot.frames.size(), 2u);
  EXPECT_EQ(robot.frames[0].name, "l_s");
  EXPECT_EQ(robot.frames[0].link, "l_a");
  ASSERT_EQ(robot.actuators.size(), 2u);
  EXPECT_EQ(robot.actuators[0].name, "l_m");
  EXPECT_EQ(robot.actuators[1].joint, "r_x");
  EXPECT_THAT(warnings(robot), IsEmpty());
  build(robot);
}

// Elements of the main file refer to attached ones by their full names.
TEST(MjcfAttach, ElementsOutsideReferToAttachedOnes) {
  MjcfFolder folder(
      mjcf("<asset><model file='part.xml'/></asset><worldbody><attach model='arms' "
           "prefix='p/'/></worldbody><actuator><motor joint='p/y'/></actuator><equality><joint "
           "joint1='p/x' joint2='p/z'/></equality><keyframe><key qpos='1 2 3'/></keyframe>"));
  folder.add("part.xml", "<mujoco model='arms'>" + arms().substr(std::string("<mujoco>").size()));
  const RobotDescription robot = read_robot_file(folder.path());
  EXPECT_EQ(robot.actuators.at(0).joint, "p/y");
  EXPECT_THAT(robot.closures.at(0).joints, ElementsAre("p/x", "p/z"));
  EXPECT_THAT(robot.states.at(1).q, ElementsAre(1, 2, 3));
}

// An element outside of the tree comes along if all of its references do, as in MuJoCo.
TEST(MjcfAttach, LeavesOutElementsOfPartsThatAreNotAttached) {
  const RobotWith folder(
      "<attach model='part' body='a' prefix='p_'/>",
      arms("<actuator><motor joint='y'/>\n<motor joint='z'/></actuator><tendon><fixed "
           "name='t'><joint joint='x' coef='1'/>\n<joint joint='z' coef='1'/></fixed></tendon>"
           "<equality>\n<tendon tendon1='t'/><joint joint1='x' joint2='y'/>\n<weld "
           "body1='a' body2='world'/></equality><contact><exclude body1='a' "
           "body2='b'/></contact><sensor><framepos objtype='xbody' objname='b'/><framepos "
           "objtype='xbody' objname='a'/></sensor>"));
  const RobotDescription robot = read_robot_file(folder.path(), {.collisions = true});
  ASSERT_EQ(robot.actuators.size(), 1u);
  EXPECT_EQ(robot.actuators[0].joint, "p_y");
  ASSERT_EQ(robot.closures.size(), 1u);
  EXPECT_THAT(robot.closures[0].joints, ElementsAre("p_x", "p_y"));
  const std::string all = warnings(robot);
  for (const char* part :
       {"<motor> that refers to the world of its model, or to a part of it that "
        "is not attached (line 4)",
        "<fixed> that refers to", "<tendon> that refers to", "<weld> that refers to",
        "<exclude> that refers to", "<framepos> that refers to"})
    EXPECT_THAT(all, HasSubstr(part));
  EXPECT_THAT(all, Not(HasSubstr("unknown")));
}

// A name that exists nowhere in the attached model is an error in its file.
TEST(MjcfAttach, NamesTheFileOfAnUnknownName) {
  const RobotWith folder("<attach model='part' body='a' prefix='p_'/>",
                         arms("<actuator><motor joint='w'/></actuator>"));
  EXPECT_THAT(mjcf_error(folder), HasSubstr("part.xml:3: a motor: there is no joint 'p_w'"));
}

// Each model has its own units, classes and folder of meshes.
TEST(MjcfAttach, KeepsTheSettingsOfEachModel) {
  MjcfFolder folder(mjcf(
      "<compiler meshdir='none'/><asset><model name='part' file='sub/part.xml'/></asset>"
      "<default><joint damping='7'/><default class='c'><joint damping='8'/></default></default>"
      "<worldbody><body name='o' childclass='c'><joint name='j' range='0 90'/><geom size='1'/>"
      "<attach model='part' body='in' prefix='p_'/></body></worldbody>"));
  folder.add("sub/part.xml",
             mjcf("<compiler angle='radian' meshdir='meshes' autolimits='false'/><option "
                  "gravity='1 2 3'/><default class='top'><default class='c'><joint damping='2'/>"
                  "</default></default><asset><mesh file='m.obj'/></asset><worldbody><body "
                  "name='out' childclass='c'><body name='in'><joint name='j' limited='true' "
                  "range='0 1.5'/><joint name='k' class='top' range='0 1'/><geom type='mesh' "
                  "mesh='m'/></body></body></worldbody><keyframe><key name='home'/></keyframe>"));
  folder.add("sub/meshes/m.obj",
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const RobotDescription robot = read_robot_file(folder.path());
  ASSERT_EQ(robot.links.size(), 3u);
  EXPECT_EQ(robot.links[0].joint.damping, PerDof(8));
  EXPECT_DOUBLE_EQ(robot.links[0].joint.upper, std::numbers::pi / 2);
  EXPECT_EQ(robot.links[1].joint.damping, PerDof(2));
  EXPECT_EQ(robot.links[1].joint.upper, 1.5);
  EXPECT_EQ(robot.links[2].joint.damping, PerDof(0));
  EXPECT_EQ(robot.links[2].joint.upper, std::numeric_limits<double>::infinity());
  EXPECT_GT(robot.links[2].inertia.m, 0);
  EXPECT_FALSE(robot.gravity_W) << "the main file has none";
  EXPECT_THAT(warnings(robot), HasSubstr("<option> of an attached model (line 2)"));
}

// The classes of a model are its own, even if the main file has some of the same names. Spheres of
// radius 0.1: 4.19 kg with a density of 1000.
TEST(MjcfAttach, ClassesOfAModelAreItsOwn) {
  MjcfFolder folder(
      mjcf("<asset><model name='part' file='part.xml'/></asset><default><geom size='.1' "
           "density='1000'/><default class='soft'><geom density='2000'/></default></default>"
           "<worldbody><body name='o'><joint/><geom class='soft'/><geom class='thin'/><attach "
           "model='part' prefix=''/></body></worldbody>"));
  folder.add("part.xml", mjcf("<default class='top'><geom size='.1' density='10'/><default "
                              "class='soft'><geom density='20'/></default><default "
                              "class='thin'><geom density='30'/></default></default><worldbody>"
                              "<body name='a'><joint/><geom class='main'/></body><body name='b' "
                              "childclass='soft'><joint/><geom/></body></worldbody>"));
  const RobotDescription robot = read_robot_file(folder.path());
  ASSERT_EQ(robot.links.size(), 3u);
  const double volume = 4e-3 * std::numbers::pi / 3;
  EXPECT_NEAR(robot.links[0].inertia.m, 2030 * volume, 1e-14);
  EXPECT_NEAR(robot.links[1].inertia.m, 10 * volume, 1e-14);
  EXPECT_NEAR(robot.links[2].inertia.m, 20 * volume, 1e-14);
}

TEST(MjcfAttach, NamesClassesThatAModelDoesNotHave) {
  const RobotWith folder("<attach model='part' prefix='p_'/>",
                         mjcf("<default><default class='soft'/></default><worldbody><body name='a' "
                              "childclass='sofd'><geom size='1'/></body></worldbody>"));
  EXPECT_THAT(mjcf_error(folder), HasSubstr("part.xml:2: body 'p_a': there is no class 'p_sofd' of "
                                            "defaults; did you mean 'p_soft'?"));
}

// The prefixes of models in attached models come one after another. Unused words of a file that is
// attached twice are listed once.
TEST(MjcfAttach, AttachesModelsInModels) {
  RobotWith folder(
      "<body name='o'><geom size='1'/><attach model='part' prefix='l_'/><attach model='part' "
      "body='2_tip' prefix='r_'/></body>",
      mjcf("<asset><model name='tips' file='tip.xml'/></asset><worldbody><body name='hand'><joint "
           "name='j'/><geom size='1'/><attach model='tips' prefix='1_'/><attach model='tips' "
           "prefix='2_'/></body></worldbody>"));
  folder.add(
      "tip.xml",
      mjcf("<worldbody><body name='tip'><joint name='t'/><geom size='1' "
           "solmix='1'/></body></worldbody><actuator><motor name='m' joint='t'/></actuator>"));
  const RobotDescription robot = read_robot_file(folder.path());
  EXPECT_THAT(links_of(robot), ElementsAre("o", "l_hand", "l_1_tip", "l_2_tip", "r_2_tip"));
  std::vector<std::string> joints;
  for (const ActuatorDescription& actuator : robot.actuators) joints.push_back(actuator.joint);
  EXPECT_THAT(joints, ElementsAre("l_1_t", "l_2_t", "r_2_t"));
  EXPECT_THAT(warnings(robot), HasSubstr("tip.xml: words without effect: solmix of <geom> (line"));
}

// The keys of attached models have qpos0 and inputs of 0 elsewhere. The order of qpos is depth
// first, joints of a body before those of its bodies.
TEST(MjcfAttach, ReadsKeysOfModels) {
  MjcfFolder folder(
      mjcf("<asset><model name='part' file='part.xml'/></asset><worldbody><body name='o'><joint "
           "name='o' ref='9'/><geom size='1'/></body><attach model='part' prefix='p_'/><attach "
           "model='part' prefix='q_'/></worldbody><actuator><motor joint='o'/></actuator>"));
  folder.add("part.xml",
             mjcf("<compiler angle='radian'/><asset><model name='tip' file='tip.xml'/></asset>"
                  "<worldbody><body><frame><body><joint name='c' type='slide' ref='0.5'/><geom "
                  "size='1'/></body></frame><attach model='tip' prefix='t_'/><joint "
                  "name='a' type='ball'/><frame><joint name='b'/></frame><geom size='1'/></body>"
                  "</worldbody><actuator><motor joint='b'/></actuator><keyframe><key name='home' "
                  "qpos='0 0 2 0 3 4 5' qvel='1 2 3 4 5 6' ctrl='7 8'/><key/></keyframe>"));
  folder.add("tip.xml", mjcf("<worldbody><body><joint name='d'/><geom size='1'/></body></worldbody>"
                             "<actuator><motor joint='d'/></actuator>"));
  const RobotDescription robot = read_robot_file(folder.path());
  EXPECT_THAT(robot.dof_order,
              ElementsAre("o", "p_a", "p_b", "p_c", "p_t_d", "q_a", "q_b", "q_c", "q_t_d"));
  ASSERT_EQ(robot.states.size(), 5u);
  const double ref = 9 * std::numbers::pi / 180;
  EXPECT_EQ(robot.states[1].name, "p_home");
  EXPECT_THAT(robot.states[1].q, ElementsAre(ref, 0, 0, 1, 0, 3, 4, 5, 1, 0, 0, 0, 0, 0.5, 0));
  EXPECT_THAT(robot.states[1].v, ElementsAre(0, 1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0));
  std::vector<std::string> joints;
  for (const ActuatorDescription& actuator : robot.actuators) joints.push_back(actuator.joint);
  EXPECT_THAT(joints, ElementsAre("o", "p_b", "p_t_d", "q_b", "q_t_d"));
  EXPECT_THAT(robot.states[1].inputs, ElementsAre(0, 7, 8, 0, 0));
  EXPECT_EQ(robot.states[2].name, "p_key1");
  EXPECT_EQ(robot.states[2].q, robot.states[0].q);
  EXPECT_THAT(robot.states[3].q, ElementsAre(ref, 1, 0, 0, 0, 0, 0.5, 0, 0, 0, 1, 0, 3, 4, 5));
  EXPECT_THAT(robot.states[3].inputs, ElementsAre(0, 0, 0, 7, 8));
  EXPECT_THAT(warnings(robot), IsEmpty());
}

// Keys of the main file may lack the values of attached models, as in MuJoCo.
TEST(MjcfAttach, ExtendsKeysOfTheMainFile) {
  MjcfFolder folder(
      mjcf("<asset><model name='part' file='part.xml'/></asset><worldbody><body "
           "name='o'><joint name='o'/><geom size='1'/></body><attach model='part' "
           "prefix='p_'/></worldbody><actuator><motor joint='o'/></actuator>"
           "<keyframe><key qpos='1' ctrl='2'/>\n<key qpos='1 2 3 4 5'/></keyframe>"));
  folder.add("part.xml", arms("<actuator><motor joint='z'/></actuator>"));
  const RobotDescription robot = read_robot_file(folder.path());
  EXPECT_THAT(robot.states.at(1).q, ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(robot.states.at(1).inputs, ElementsAre(2, 0));
  EXPECT_THAT(warnings(robot), HasSubstr("qpos of <key> with 5 values instead of 4 (line 3)"));
}

TEST(MjcfAttach, WarnsOfKeysOfParts) {
  const std::string part = arms("<keyframe>\n<key qpos='1 2 3'/></keyframe>");
  for (const char* elements :
       {"<attach model='part' body='b' prefix='p_'/>",
        "<replicate count='2'><attach model='part' prefix='p_'/></replicate>"}) {
    const RobotDescription robot = read_robot_file(RobotWith(elements, part).path());
    EXPECT_EQ(robot.states.size(), 1u);
    EXPECT_THAT(warnings(robot),
                HasSubstr("<key> of a model that is attached in part or copied (line 4)"));
  }
}

TEST(MjcfAttach, IsCopiedByReplicate) {
  const RobotWith folder(
      "<replicate count='2'><attach model='part' body='b' prefix='p_'/></replicate>",
      arms("<actuator><motor joint='z'/></actuator>"));
  const RobotDescription robot = read_robot_file(folder.path());
  EXPECT_THAT(links_of(robot), ElementsAre("p_b0", "p_b1"));
  ASSERT_EQ(robot.actuators.size(), 2u);
  EXPECT_EQ(robot.actuators[1].joint, "p_z1");
}

// A part of the same model is not attached: its masses are missing.
TEST(MjcfAttach, WarnsOfAttachWithoutAModel) {
  const RobotWith folder("<body name='a'><geom size='1'/></body><attach body='a' prefix='p_'/>",
                         arms());
  const std::string all = warnings(read_robot_file(folder.path()));
  EXPECT_THAT(all, HasSubstr("<attach> of a part of the same model (line 3)"));
  EXPECT_THAT(all, HasSubstr("robot.xml:3: <attach> would add bodies and joints"));
  EXPECT_THAT(mjcf_error(folder, {.strict = true}), HasSubstr("robot.xml:3: <attach> of a part"));
}

TEST(MjcfAttach, NamesFilesBeforeTheyAreRead) {
  const RobotWith folder("<attach model='part' prefix='p_'/>", "<mujoco");
  std::vector<std::string> files;
  RobotFileOptions options;
  options.meshes.found_file = [&](const std::filesystem::path& file) {
    files.push_back(file.filename().string());
  };
  EXPECT_THAT(mjcf_error(folder, options), HasSubstr("part.xml:1:"));
  EXPECT_THAT(files, ElementsAre("part.xml"));
}

struct BadAttach {
  const char* name;
  std::string elements, part, error;
};
void PrintTo(const BadAttach& row, std::ostream* out) {
  *out << row.name;
}
class MjcfBadAttach : public testing::TestWithParam<BadAttach> {};

TEST_P(MjcfBadAttach, IsAnError) {
  const auto& [name, elements, part, error] = GetParam();
  EXPECT_THAT(mjcf_error(RobotWith(elements, part)), HasSubstr(error));
}

const std::string itself = mjcf(
    "<asset><model name='me' file='part.xml'/></asset><worldbody>\n<body name='a'><geom "
    "size='1'/><attach model='me' prefix='i'/></body></worldbody>");

INSTANTIATE_TEST_SUITE_P(
    Rows, MjcfBadAttach,
    testing::Values(
        BadAttach{"NoPrefix", "<attach model='part'/>", arms(),
                  "robot.xml:3: <attach>: <attach> needs"},
        BadAttach{"NoModel", "<attach model='prat' prefix='p'/>", arms(),
                  "robot.xml:3: <attach>: there is no model 'prat'; did you mean 'part'?"},
        BadAttach{"NoSuchModel", "<attach model='x' prefix='p'/>", arms(),
                  "there is no model 'x'; add <model name=\"..\" file=\"..\"/> to <asset>"},
        BadAttach{"NoBody", "<attach model='part' body='c' prefix='p'/>", arms(),
                  "robot.xml:3: <attach>: the model 'part' has no body 'c'"},
        BadAttach{"NoFrame", "<attach model='part' frame='a' prefix='p'/>", arms(),
                  "robot.xml:3: <attach>: the model 'part' has no frame 'a'"},
        BadAttach{"BodyAndFrame", "<attach model='part' body='a' frame='a' prefix='p'/>", arms(),
                  "robot.xml:3: <attach>: it has a body and a frame; give one of them"},
        BadAttach{"SamePrefix",
                  "<attach model='part' prefix='p_'/><attach model='part' prefix='p_'/>", arms(),
                  "part.xml:2: there are two bodies named 'p_a', the first at "},
        BadAttach{"NoMujoco", "<attach model='part' prefix='p'/>", "<robot/>",
                  "part.xml:1: the file contains a <robot>"},
        BadAttach{"Itself", "<attach model='part' prefix='p'/>", itself,
                  "part.xml:3: <attach>: the file '"},
        BadAttach{"FreeJointInABody",
                  "<body><geom size='1'/><attach model='part' prefix='p'/></body>",
                  mjcf("<worldbody><body><freejoint/><geom size='1'/></body></worldbody>"),
                  "part.xml:2: a freejoint: a free joint must be the only joint of a body in"},
        BadAttach{"GlobalCoordinates", "<attach model='part' prefix='p'/>",
                  mjcf("<compiler coordinate='global'/><worldbody/>"),
                  "part.xml:2: <compiler>: an attached model cannot have coordinate=\"global\""}),
    [](const auto& row) { return row.param.name; });

TEST(MjcfAttach, RejectsCirclesAndTooManyModels) {
  RobotWith folder("<attach model='part' prefix='p'/>", itself);
  EXPECT_THAT(mjcf_error(folder), HasSubstr("attaches itself; remove one <attach> of the circle"));
  // 30 files in a row
  const auto file = [](int k) {
    return mjcf("<asset><model name='m' file='" + std::to_string(k + 1) +
                ".xml'/></asset><worldbody><attach model='m' prefix='p'/></worldbody>");
  };
  folder.add("robot.xml", file(0));
  for (int k = 1; k < 30; ++k) folder.add(std::to_string(k) + ".xml", file(k));
  folder.add("30.xml", arms());
  EXPECT_THAT(
      mjcf_error(folder),
      HasSubstr("20.xml:2: <attach>: models attach each other more than 20 times in a row"));
  // 2^19 copies
  const auto twice = [](int k) {
    return mjcf("<asset><model name='m' file='" + std::to_string(k + 1) +
                ".xml'/></asset><worldbody><attach model='m' prefix='p'/><attach model='m' "
                "prefix='q'/></worldbody>");
  };
  for (int k = 1; k < 19; ++k) folder.add(std::to_string(k) + ".xml", twice(k));
  folder.add("19.xml", arms());
  EXPECT_THAT(mjcf_error(folder), HasSubstr("there are more than 2000 attached models"));
}

TEST(MjcfAttach, NamesAFileThatDoesNotExist) {
  const MjcfFolder folder(
      mjcf("<asset>\n<model name='m' file='no.xml'/></asset><worldbody>"
           "<attach model='m' prefix='p'/></worldbody>"));
  EXPECT_THAT(mjcf_error(folder),
              HasSubstr("robot.xml:3: <model>: the file 'no.xml' is not attached: file not found"));
}

}  // namespace
}  // namespace torsor::test::mjcf_attach
