// Malformed MJCF files: each is an error of one line with file:line, or a robot with a warning.

#include <algorithm>

#include "formats/mjcf_file.hpp"

namespace torsor::test {
namespace {

struct MalformedMjcf {
  std::string name, text, error;  // error: the beginning of the message
};
void PrintTo(const MalformedMjcf& row, std::ostream* out) {
  *out << row.name;
}

std::string joint(const std::string& attributes) {
  return mjcf_body("<geom size='1'/><joint name='j' " + attributes + "/>");
}
std::string geom(const std::string& attributes) {
  return mjcf_body("<geom name='g' " + attributes + "/>");
}
std::string two_bodies(const std::string& elements) {
  return mjcf(
      "<worldbody><body name='a'><joint name='x'/><geom size='1'/></body><body name='b'><joint "
      "name='y'/><geom size='1'/></body></worldbody>\n" +
      elements);
}

std::string many(const std::string& text, int count) {
  std::string out;
  for (int k = 0; k < count; ++k) out += text;
  return out;
}

std::vector<MalformedMjcf> broken_xml() {
  return {
      {"Empty", "", "robot.xml:1: the file is empty; a <mujoco> is needed"},
      {"Text", "robot", "robot.xml:1: this is not an XML file"},
      {"Unclosed", "<mujoco><worldbody>", "robot.xml:1: not well-formed XML"},
      {"Mismatched", "<mujoco></robot>", "robot.xml:1: not well-formed XML"},
      {"ZeroByte", std::string("<mujoco>\0</mujoco>", 18), "robot.xml:1: there is a zero byte"},
      {"TwoRoots", "<mujoco/>\n<mujoco/>", "robot.xml:2: a second element <mujoco>"},
      {"Urdf", "<robot name='r'/>",
       "robot.xml:1: the file contains a <robot>; that is URDF: give the file the extension .urdf"},
      {"OtherRoot", "<html/>", "robot.xml:1: the file contains a <html>; give a MJCF file"},
      {"Part", "<mujocoinclude/>", "robot.xml:1: the file contains a <mujocoinclude>; give the"},
      {"NoBody", mjcf("<worldbody/>"), "robot.xml:1: the file has no <body>"},
      {"NoWorld", "<mujoco/>", "robot.xml:1: the file has no <body>"},
      {"IncludeWithoutFile", mjcf("<include/>"), "robot.xml:2: <include>: <include> needs the"},
      {"IncludeOfNothing", mjcf("<include file='no.xml'/>"),
       "robot.xml:2: <include>: the file 'no.xml' is not included: file not found"},
      {"IncludeOfItself", mjcf("<include file='robot.xml'/>"),
       "robot.xml:2: the file 'robot.xml' is included a second time"},
  };
}

std::vector<MalformedMjcf> broken_joints() {
  return {
      {"Type", joint("type='hing'"), "robot.xml:3: joint 'j': type of <joint> is 'hing'; it can"},
      {"ZeroAxis", joint("axis='0 0 0'"), "robot.xml:3: joint 'j': the axis is zero"},
      {"ShortAxis", joint("axis='0 1'"), "robot.xml:3: joint 'j': axis of <joint> needs 3 numbers"},
      {"AxisOfText", joint("axis='a b c'"), "robot.xml:3: joint 'j': axis of <joint> contains 'a'"},
      {"NanPosition", joint("pos='nan 0 0'"), "robot.xml:3: joint 'j': pos of <joint> contains"},
      {"HugeNumber", joint("ref='1e999'"), "robot.xml:3: joint 'j': ref of <joint> contains"},
      {"Range", joint("range='2 1' limited='true'"), "robot.xml:3: joint 'j': range = 2 1 has its"},
      {"Limited", joint("limited='yes'"), "robot.xml:3: joint 'j': limited of <joint> is 'yes'"},
      {"Damping", joint("damping='-1'"), "robot.xml:3: joint 'j': damping of <joint> is -1"},
      {"Armature", joint("armature='-1'"), "robot.xml:3: joint 'j': armature of <joint> is -1"},
      {"Stiffness", joint("stiffness='-1'"), "robot.xml:3: joint 'j': stiffness of <joint> is -1"},
      {"Friction", joint("frictionloss='-1'"), "robot.xml:3: joint 'j': frictionloss of <joint>"},
      {"Class", joint("class='no'"), "robot.xml:3: joint 'j': there is no class 'no' of defaults"},
      {"Twins", mjcf_body("<joint name='j'/><geom size='1'/>\n<joint name='j'/>"),
       "robot.xml:4: there are two joints named 'j', the first at robot.xml:3"},
      {"TwoFree", mjcf_body("<freejoint/><geom size='1'/><freejoint/>"),
       "robot.xml:3: a freejoint: a free joint must be the only joint of a body"},
      {"InnerFree", mjcf_body("<body name='c'><freejoint/><geom size='1'/></body>"),
       "robot.xml:3: a freejoint: a free joint must be the only joint of a body"},
      {"OfTheWorld", mjcf("<worldbody><joint/><body/></worldbody>"),
       "robot.xml:2: a joint: the world cannot move; put the joint into a <body>"},
      {"TwinBodies", mjcf("<worldbody><body name='b'/>\n<body name='b'/></worldbody>"),
       "robot.xml:3: there are two bodies named 'b', the first at robot.xml:2"},
      {"Childclass", mjcf("<worldbody><body childclass='no'/></worldbody>"),
       "robot.xml:2: a body: there is no class 'no' of defaults"},
      {"TwinSites", mjcf_body("<site name='s'/><site name='s'/>"),
       "robot.xml:3: there are two sites named 's', the first at robot.xml:3"},
      {"SiteName", mjcf_body("<site/>\n<site name='a&#10;b'/>"),
       "robot.xml:4: the name 'a"},
      {"TwinGeoms", mjcf_body("<geom name='g' size='1'/>\n<geom name='g' size='1'/>"),
       "robot.xml:4: there are two geoms named 'g', the first at robot.xml:3"},
      {"CopyTwins",
       mjcf("<worldbody><body name='a0'/>\n<replicate count='2'><body "
            "name='a'/></replicate></worldbody>"),
       "robot.xml:3: there are two bodies named 'a0', the first at robot.xml:2"},
      {"Copied",
       mjcf("<worldbody><body name='a'/>\n<replicate count='2'><body "
            "name='a'/></replicate></worldbody>"),
       "robot.xml:3: there are two bodies named 'a', the first at robot.xml:2"},
      {"NoCount", mjcf("<worldbody><replicate/></worldbody>"),
       "robot.xml:2: <replicate>: <replicate> needs the attribute count"},
      {"Count", mjcf("<worldbody><replicate count='1.5'/></worldbody>"),
       "robot.xml:2: <replicate>: count of <replicate> is 1.5; it must be a whole number"},
      {"ManyCopies",
       mjcf("<worldbody>" + many("<replicate count='99999'>", 3) + many("</replicate>", 3) +
            "</worldbody>"),
       "robot.xml:2: the copies of <replicate> have more than 100000 elements"},
      {"ManyReferences",
       mjcf("<worldbody><body name='b'/><replicate count='30000'><site name='s'/></replicate>"
            "</worldbody>\n<equality>" +
            many("<weld site1='s' site2='s'/>", 4) + "</equality>"),
       "robot.xml:3: a weld: elements that refer to copies of <replicate> have more than"},
      {"Flag", mjcf("<option><flag limit='off'/></option><worldbody><body/></worldbody>"),
       "robot.xml:2: <flag>: limit of <flag> is 'off'; it can be disable, enable"},
      {"NestedDefaults",
       mjcf("<default>" + many("<geom/>", 200) + "<default class='a'>" + many("<geom/>", 150) +
            "</default></default><worldbody><body/></worldbody>"),
       "robot.xml:2: <default>: its class, with those around it, has more than 300 elements"},
      {"ManyDefaults",
       mjcf("<default>" + many("<geom/>", 350) + "</default><worldbody><body/></worldbody>"),
       "robot.xml:2: <default>: its class, with those around it, has more than 300 elements"},
      {"NestedClass", mjcf("<default><default/></default><worldbody><body/></worldbody>"),
       "robot.xml:2: <default>: <default> needs the attribute class"},
      {"TwinClasses",
       mjcf("<default><default class='a'/>\n<default class='a'/></default>"
            "<worldbody><body/></worldbody>"),
       "robot.xml:3: <default>: there are two classes 'a'"},
  };
}

std::vector<MalformedMjcf> broken_geoms() {
  return {
      {"GeomType", geom("type='ball'"), "robot.xml:3: geom 'g': type of <geom> is 'ball'"},
      {"NoSize", geom("type='box'"), "robot.xml:3: geom 'g': "},
      {"NegativeSize", geom("size='-1'"), "robot.xml:3: geom 'g': "},
      {"ManySizes", geom("size='1 1 1 1'"), "robot.xml:3: geom 'g': size of <geom> has 4 numbers"},
      {"Mass", geom("size='1' mass='-1'"), "robot.xml:3: geom 'g': mass of <geom> is -1"},
      {"Density", geom("size='1' density='-1'"), "robot.xml:3: geom 'g': density of <geom> is -1"},
      {"FromtoOfSphere", geom("size='1' fromto='0 0 0 1 0 0'"),
       "robot.xml:3: geom 'g': fromto is for a capsule"},
      {"FromtoOfAPoint", geom("type='capsule' size='1' fromto='1 0 0 1 0 0'"),
       "robot.xml:3: geom 'g': both points of fromto are the same"},
      {"FromtoOfFive", geom("type='capsule' size='1' fromto='1 0 0 1 0'"),
       "robot.xml:3: geom 'g': fromto of <geom> needs 6 numbers"},
      {"NoMesh", geom("type='mesh'"), "robot.xml:3: geom 'g': a geom of type mesh needs"},
      {"MissingMesh", geom("type='mesh' mesh='m'"), "robot.xml:3: geom 'g': there is no mesh 'm'"},
      {"Euler", geom("size='1' euler='1 2'"), "robot.xml:3: geom 'g': euler of <geom> needs 3"},
      {"Zaxis", geom("size='1' zaxis='0 0 0'"), "robot.xml:3: geom 'g': zaxis of <geom> has no"},
      {"Xyaxes", geom("size='1' xyaxes='1 0 0 2 0 0'"), "robot.xml:3: geom 'g': xyaxes of <geom>"},
      {"Inertial", mjcf_body("<inertial/>"), "robot.xml:3: body 'b': <inertial> needs the"},
      {"InertialMass", mjcf_body("<inertial mass='-1' pos='0 0 0'/>"), "robot.xml:3: body 'b': "},
      {"EulerSequence", mjcf("<compiler eulerseq='abc'/>"), "robot.xml:2: <compiler>: eulerseq"},
      {"Angle", mjcf("<compiler angle='grad'/>"), "robot.xml:2: <compiler>: angle of <compiler>"},
      {"MeshOfNothing", mjcf("<asset><mesh/></asset>"), "robot.xml:2: mesh '': a <mesh> needs a"},
      {"MeshFile",
       mjcf("<asset><mesh name='m' file='m.stl'/></asset><worldbody><body><geom type='mesh' "
            "mesh='m'/></body></worldbody>"),
       "robot.xml:2: mesh 'm': 'm.stl': file not found"},
      {"FewVertices",
       mjcf("<asset><mesh name='m' vertex='0 0 0'/></asset><worldbody><body><geom type='mesh' "
            "mesh='m'/></body></worldbody>"),
       "robot.xml:2: mesh 'm': vertex of <mesh> needs three numbers"},
      {"FlatMesh",
       mjcf("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0' face='0 1 2 1 3 2'/></asset>"
            "<worldbody><body><geom type='mesh' mesh='m'/></body></worldbody>"),
       "robot.xml:2: mesh 'm': the mesh has no volume"},
      {"FaceIndex",
       mjcf("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 9'/></asset>"
            "<worldbody><body><geom type='mesh' mesh='m'/></body></worldbody>"),
       "robot.xml:2: mesh 'm': face of <mesh> contains 9"},
  };
}

std::vector<MalformedMjcf> broken_references() {
  return {
      {"ConnectBody", two_bodies("<equality><connect body1='c' anchor='0 0 0'/></equality>"),
       "robot.xml:3: a connect: there is no body 'c'"},
      {"ConnectAnchor", two_bodies("<equality><connect body1='a'/></equality>"),
       "robot.xml:3: a connect: <connect> needs the attribute anchor"},
      {"EqualityJoint", two_bodies("<equality><joint joint1='z' joint2='y'/></equality>"),
       "robot.xml:3: a joint: there is no joint 'z'"},
      {"EqualityTendon", two_bodies("<equality><tendon tendon1='t'/></equality>"),
       "robot.xml:3: a tendon: there is no fixed tendon 't'"},
      {"Polynomial",
       two_bodies("<equality><joint joint1='x' joint2='y' polycoef='0 1 2 3 4 5'/>"
                  "</equality>"),
       "robot.xml:3: a joint: polycoef of <joint> has 6 numbers"},
      {"ActuatorJoint", two_bodies("<actuator><motor joint='z'/></actuator>"),
       "robot.xml:3: a motor: there is no joint 'z'"},
      {"ActuatorRange", two_bodies("<actuator><motor joint='x' ctrlrange='1 0'/></actuator>"),
       "robot.xml:3: a motor: ctrlrange has its lower limit above"},
      {"ActuatorGear", two_bodies("<actuator><motor joint='x' gear='a'/></actuator>"),
       "robot.xml:3: a motor: gear of <motor> contains 'a'"},
      {"ConnectSite", two_bodies("<equality><connect site1='s' site2='s'/></equality>"),
       "robot.xml:3: a connect: there is no site 's'"},
      {"ActuatorSite", two_bodies("<actuator><motor site='s'/></actuator>"),
       "robot.xml:3: a motor: there is no site 's'"},
      {"KeyOfText", two_bodies("<keyframe><key qpos='a'/></keyframe>"),
       "robot.xml:3: a key: qpos of <key> contains 'a'"},
  };
}

std::vector<MalformedMjcf> broken_contacts() {
  return {
      {"PairGeom", two_bodies("<contact><pair geom1='g' geom2='g'/></contact>"),
       "robot.xml:3: a pair: there is no geom 'g'"},
      {"PairWithoutGeom", two_bodies("<contact><pair/></contact>"),
       "robot.xml:3: a pair: <pair> needs the attribute geom1"},
      {"ExcludeBody", two_bodies("<contact><exclude body1='a' body2='c'/></contact>"),
       "robot.xml:3: a exclude: there is no body 'c'"},
  };
}

class MalformedMjcfFiles : public testing::TestWithParam<MalformedMjcf> {};
const auto row_name = [](const auto& test) { return test.param.name; };
INSTANTIATE_TEST_SUITE_P(Xml, MalformedMjcfFiles, testing::ValuesIn(broken_xml()), row_name);
INSTANTIATE_TEST_SUITE_P(Joints, MalformedMjcfFiles, testing::ValuesIn(broken_joints()), row_name);
INSTANTIATE_TEST_SUITE_P(Geoms, MalformedMjcfFiles, testing::ValuesIn(broken_geoms()), row_name);
INSTANTIATE_TEST_SUITE_P(References, MalformedMjcfFiles, testing::ValuesIn(broken_references()),
                         row_name);

TEST_P(MalformedMjcfFiles, AreErrorsOfOneLine) {
  const std::string error = mjcf_error(MjcfFolder(GetParam().text));
  EXPECT_EQ(error.substr(0, GetParam().error.size()), GetParam().error) << error;
}

class MalformedMjcfContacts : public testing::TestWithParam<MalformedMjcf> {};
INSTANTIATE_TEST_SUITE_P(Contacts, MalformedMjcfContacts, testing::ValuesIn(broken_contacts()),
                         row_name);

// The elements of <contact> are used only if the colliders are read. Otherwise a wrong name is
// counted.
TEST_P(MalformedMjcfContacts, AreErrorsIfCollisionsAreRead) {
  const MjcfFolder folder(GetParam().text);
  const std::string error = mjcf_error(folder, {.collisions = true});
  EXPECT_EQ(error.substr(0, GetParam().error.size()), GetParam().error) << error;
  const RobotDescription robot = read_robot_file(folder.path());
  EXPECT_EQ(std::ranges::count(robot.unused, UnusedWord::Kind::unknown, &UnusedWord::kind), 1);
  EXPECT_NE(mjcf_error(folder, {.strict = true}), "");
}

// The text of a valid robot with one byte changed, removed or doubled is an error of one line, or a
// robot. A crash or an exception of another type fails.
TEST(MalformedMjcfText, IsRejectedOrReadAfterAnyChangeOfAByte) {
  const std::string text = mjcf(
      "<compiler angle='radian'/><default><default class='c'><geom size='1 2'/></default></default>"
      "<worldbody><body name='a' childclass='c'><joint name='x' range='-1 1'/><geom type='capsule' "
      "fromto='0 0 0 1 1 1' size='.1'/><site name='s'/><body name='b' euler='1 2 3'><joint "
      "type='ball'/><geom/></body></body></worldbody><equality><weld body1='a' body2='b'/>"
      "</equality><actuator><motor joint='x' gear='2'/></actuator><keyframe><key qpos='0 1 0 0 "
      "0'/></keyframe>");
  for (size_t k = 0; k < text.size(); ++k)
    for (const char change : {'<', '\'', '9', '-', ' ', '\x80'}) {
      std::string changed = text;
      changed[k] = change;
      mjcf_error(MjcfFolder(changed));
    }
}

}  // namespace
}  // namespace torsor::test
