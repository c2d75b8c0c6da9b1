// Tests of malformed SDF files: each gives one line with the place and the cause, or a warning.

#include <gmock/gmock.h>

#include "formats/sdf_file.hpp"

namespace torsor::test::sdf_errors {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct MalformedSdf {
  std::string name, text, error;  // error: the beginning of the result of error_of_sdf
};
void PrintTo(const MalformedSdf& row, std::ostream* out) {
  *out << row.name;
}

// Returns a model with links a and b. The content begins in line 3.
std::string links(const std::string& content, const std::string& version = "1.11") {
  return sdf_model("<link name='a'/><link name='b'/>\n" + content, version);
}
// Returns a joint from a to b, in lines 3 and 4. Its content is in line 4.
std::string joint(const std::string& content, const std::string& type = "revolute",
                  const std::string& version = "1.11") {
  return links("<joint name='j' type='" + type + "'>\n<parent>a</parent><child>b</child>" +
                   content + "</joint>\n",
               version);
}
std::string axis(const std::string& content) {
  return joint("<axis><xyz>0 0 1</xyz>" + content + "</axis>");
}
// Returns a link with an inertial, in line 2.
std::string inertial(const std::string& content, const std::string& attributes = "") {
  return sdf_model("<link name='a'><inertial" + attributes + ">" + content + "</inertial></link>");
}
std::string pose(const std::string& pose) {
  return sdf_model("<link name='a'>" + pose + "</link>\n");
}
std::string shape(const std::string& geometry) {
  return sdf_model("<link name='a'><visual name='v'><geometry>" + geometry +
                   "</geometry></visual></link>\n");
}

const MalformedSdf malformed[] = {
    // files and versions
    {"Empty", "", "FILE:1: the file is empty; a <sdf> is needed"},
    {"Urdf", "<robot name='r'/>", "FILE:1: the file contains a <robot>; give a SDF file"},
    {"NoModel", "<sdf version='1.9'>\n</sdf>", "FILE:1: the file has no <model> and no <world>"},
    {"NotXml", "model m", "FILE:1: this is not an XML file; a SDF file starts with <?xml or <sdf>"},
    {"Unclosed", "<sdf version='1.9'>\n<model name='m'>\n<link name='a'>",
     "FILE:3: not well-formed XML"},
    {"VersionTwo", "<sdf version='2.0'><model name='m'/></sdf>",
     "FILE:1: the version of <sdf> is '2.0'; files of 1.4 to 1.12 can be read"},
    {"VersionOld", "<sdf version='1.3'><model name='m'/></sdf>",
     "FILE:1: the version of <sdf> is '1.3'; files of 1.4 to 1.12 can be read"},
    {"VersionWord", "<sdf version='new'><model name='m'/></sdf>",
     "FILE:1: the version of <sdf> is 'new'"},

    // names
    {"ModelWithoutName", "<sdf version='1.9'><model/></sdf>", "FILE:1: a <model> needs a name"},
    {"LinkWithoutName", sdf_model("<link/>"), "FILE:2: a <link> needs a name"},
    {"NameOfTheWorld", sdf_model("<link name='world'/>"),
     "FILE:2: 'world' is the name of an implicit frame of SDF; give a <link> another name"},
    {"ReservedName", sdf_model("<link name='__model__'/>"),
     "FILE:2: '__model__' is the name of an implicit frame of SDF"},
    {"TwinLinks", sdf_model("<link name='a'/>\n<link name='a'/>"),
     "FILE:3: link 'a': there are two links of this name in model 'm', the first at FILE:2; give "
     "each its own name"},
    {"FrameLikeLink", sdf_model("<link name='a'/>\n<frame name='a'/>"),
     "FILE:3: frame 'a': model 'm' has a link of this name at FILE:2; give each its own name"},
    {"NoLink", sdf_model(""),
     "FILE:1: the file: there is no <link> in it or in its models; add one"},

    // frames
    {"UnknownReference",
     sdf_model("<link name='arm'/>\n<link name='b'>\n<pose "
               "relative_to='amr'/></link>"),
     "FILE:4: link 'b': the pose names 'amr', which is not a frame of model 'm'; did you mean "
     "'arm'?"},
    {"WorldInModel", pose("<pose relative_to='world'/>"),
     "FILE:2: link 'a': the pose names 'world', which is not a frame of model 'm'"},
    {"Loop",
     sdf_model("<link name='a'><pose relative_to='b'/></link>\n<link name='b'><pose "
               "relative_to='a'/></link>"),
     "FILE:2: link 'a': the poses of frames refer to each other in a loop; begin at a frame whose "
     "pose is relative to its model"},
    {"OwnReference", pose("<pose relative_to='a'/>"),
     "FILE:2: link 'a': the poses of frames refer to each other in a loop"},
    {"LoopOfAttachment",
     links("<frame name='f' attached_to='g'/>\n<frame name='g' "
           "attached_to='f'/>"),
     "FILE:3: frame 'f': it is attached to itself"},
    {"UnknownAttachment", links("<frame name='f' attached_to='c'/>"),
     "FILE:3: frame 'f': attached_to names 'c', which is not a frame of model 'm'"},
    {"UnknownNested", links("<frame name='f' attached_to='n::c'/>"),
     "FILE:3: frame 'f': attached_to names 'n::c', which is not a frame of model 'm'"},
    {"UnknownPlacement", sdf_model("<link name='a'/>", "1.11", " placement_frame='b'"),
     "FILE:1: model 'm': placement_frame names 'b', which is not a frame of model 'm'"},
    {"UnknownCanonicalLink",
     sdf_model("<link name='a'/>\n<frame name='f'/>", "1.11", " canonical_link='b'"),
     "FILE:1: model 'm': canonical_link names 'b', which is not a frame of model 'm'"},

    // numbers
    {"ShortPose", pose("<pose>1 2 3</pose>"),
     "FILE:2: link 'a': <pose> needs 6 numbers; '1 2 3' has 3"},
    {"WordInPose", pose("<pose>1 2 x 0 0 0</pose>"),
     "FILE:2: link 'a': <pose> contains 'x', which is not a number"},
    {"NanInPose", pose("<pose>nan 0 0 0 0 0</pose>"),
     "FILE:2: link 'a': <pose> contains 'nan', which is not a finite number"},
    {"ShortQuaternion", pose("<pose rotation_format='quat_xyzw'>1 2 3 0 0 0</pose>"),
     "FILE:2: link 'a': <pose> needs 7 numbers; '1 2 3 0 0 0' has 6"},
    {"ZeroQuaternion", pose("<pose rotation_format='quat_xyzw'>1 2 3 0 0 0 0</pose>"),
     "FILE:2: link 'a': the quaternion of <pose> is zero; give it a direction"},
    {"UnknownRotationFormat", pose("<pose rotation_format='quat_xyz'>0 0 0 0 0 0 1</pose>"),
     "FILE:2: link 'a': rotation_format of <pose> is 'quat_xyz'; it can be euler_rpy or quat_xyzw; "
     "did you mean 'quat_xyzw'?"},
    {"QuaternionInDegrees",
     pose("<pose rotation_format='quat_xyzw' degrees='1'>0 0 0 0 0 0 1</pose>"),
     "FILE:2: link 'a': degrees of <pose> are for euler_rpy; a quaternion has no unit"},
    {"DegreesNoFlag", pose("<pose degrees='yes'>0 0 0 0 0 0</pose>"),
     "FILE:2: link 'a': degrees of <pose> is 'yes'; it can be true or false"},
    {"StaticNoFlag", sdf_model("<static>maybe</static><link name='a'/>"),
     "FILE:2: model 'm': <static> is 'maybe'; it can be true or false"},
    {"TwoPoses", pose("<pose/><pose/>"),
     "FILE:2: a second <pose> in one <link>; the first is at line 2"},

    // inertias
    {"NegativeMass", inertial("<mass>-1</mass>"),
     "FILE:2: link 'a': <mass> is -1; it must not be negative"},
    {"EmptyMass", inertial("<mass/>"), "FILE:2: link 'a': <mass> needs 1 number; '' has 0"},
    {"TwoMasses", inertial("<mass>1 2</mass>"),
     "FILE:2: link 'a': <mass> needs 1 number; '1 2' has 2"},
    {"InfiniteInertia", inertial("<mass>1</mass><inertia><ixx>inf</ixx></inertia>"),
     "FILE:2: link 'a': <ixx> contains 'inf', which is not a finite number"},
    {"AutoWithoutCollision", inertial("", " auto='true'"),
     "FILE:2: link 'a': auto needs a <collision> with a volume and a density"},
    {"NegativeDensity", inertial("<density>-3</density>", " auto='true'"),
     "FILE:2: link 'a': <density> is -3; it must not be negative"},
    {"AutoNoFlag", inertial("", " auto='on'"),
     "FILE:2: link 'a': auto of <inertial> is 'on'; it can be true or false"},

    // shapes
    {"NoShape", shape(""), "FILE:2: link 'a': <geometry> has no shape that SDF knows"},
    {"TwoShapes", shape("<sphere><radius>1</radius></sphere><box><size>1 1 1</size></box>"),
     "FILE:2: link 'a': <geometry> has more than one shape; give each its own <visual>"},
    {"BoxWithoutSize", shape("<box/>"), "FILE:2: link 'a': <box> needs the element <size>"},
    {"NegativeRadius", shape("<sphere><radius>-1</radius></sphere>"), "FILE:2: link 'a': "},
    {"MeshWithoutUri", shape("<mesh/>"), "FILE:2: link 'a': <mesh> needs the element <uri>"},

    // joints
    {"NoType", links("<joint name='j'><parent>a</parent><child>b</child></joint>"),
     "FILE:3: joint 'j': <joint> needs the attribute type"},
    {"UnknownType", joint("", "revolut"),
     "FILE:3: joint 'j': 'revolut' is not a joint type of SDF; it can be fixed, revolute, "
     "continuous, prismatic, screw, ball, universal, revolute2, gearbox; did you mean 'revolute'?"},
    {"NoParent", links("<joint name='j' type='fixed'><child>b</child></joint>"),
     "FILE:3: joint 'j': <joint> needs the element <parent>"},
    {"EmptyChild", links("<joint name='j' type='fixed'><parent>a</parent><child/></joint>"),
     "FILE:3: joint 'j': <child> is empty; name a link or a frame"},
    {"UnknownParent",
     links("<joint name='j' type='fixed'><parent>c</parent><child>b</child></joint>"),
     "FILE:3: joint 'j': <parent> names 'c', which is not a frame of model 'm'"},
    {"ChildIsWorld",
     links("<joint name='j' type='fixed'><parent>a</parent><child>world</child></joint>"),
     "FILE:3: joint 'j': the <child> is the world; exchange <parent> and <child>"},
    {"OwnChild", links("<joint name='j' type='fixed'><parent>a</parent><child>a</child></joint>"),
     "FILE:3: joint 'j': its parent and its child are the same: link 'a'"},
    {"SameLinkByFrame",
     links("<frame name='f' attached_to='b'/>\n<joint name='j' "
           "type='fixed'><parent>f</parent><child>b</child></joint>"),
     "FILE:4: joint 'j': its parent and its child are the same: link 'b'"},
    {"ZeroAxis", joint("<axis><xyz>0 0 0</xyz></axis>"),
     "FILE:4: joint 'j': the axis is zero; give it a direction"},
    {"AxisInUnknownFrame", joint("<axis><xyz expressed_in='c'>0 0 1</xyz></axis>"),
     "FILE:4: joint 'j': the axis names 'c', which is not a frame of model 'm'"},
    {"NoSecondAxis", joint("<axis><xyz>0 0 1</xyz></axis>", "universal"),
     "FILE:3: joint 'j': <joint> needs the element <axis2>"},
    {"ParallelAxes",
     joint("<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 -2</xyz></axis2>", "universal"),
     "FILE:3: joint 'j': its axes are parallel; turn one of them"},
    {"LimitsSwapped", axis("<limit><lower>2</lower><upper>1</upper></limit>"),
     "FILE:4: joint 'j': the limit lower = 2 is above upper = 1; exchange them"},
    {"NegativeDamping", axis("<dynamics><damping>-1</damping></dynamics>"),
     "FILE:4: joint 'j': <damping> is -1; it must not be negative"},
    {"NanLimit", axis("<limit><lower>nan</lower></limit>"),
     "FILE:4: joint 'j': <lower> contains 'nan', which is not a finite number"},
    {"ZeroPitch", joint("<axis/><screw_thread_pitch>0</screw_thread_pitch>", "screw"),
     "FILE:4: joint 'j': the pitch of a screw must not be 0; use a revolute joint"},
    {"GearboxWithoutBody", joint("<axis/><axis2/>", "gearbox"),
     "FILE:3: joint 'j': <joint> needs the element <gearbox_reference_body>"},
    {"UnknownAxisOfMimic", axis("<mimic joint='j' axis='axis3'/>"),
     "FILE:4: joint 'j': axis of <mimic> is 'axis3'; it can be axis or axis2"},

    // includes
    {"IncludeWithoutUri", sdf_model("<include/>"),
     "FILE:2: <include>: <include> needs the element <uri>"},
    {"IncludeOfNothing", sdf_model("<include><uri>model://no_such</uri></include>"),
     "FILE:2: <include>: 'model://no_such' is not included: file not found: "},
    {"IncludeOfUrl", sdf_model("<include><uri>https://x.org/a</uri></include>"),
     "FILE:2: <include>: 'https://x.org/a' is not included: it is a URL, not a file name"},
    {"IncludeOfItself", sdf_model("<include><uri>robot.sdf</uri></include>"),
     "FILE:2: <include>: the file '"},
};

class SdfError : public testing::TestWithParam<MalformedSdf> {};

TEST_P(SdfError, NamesThePlaceAndTheCause) {
  std::string error = error_of_sdf(GetParam().text);
  // Messages may name the file twice.
  const std::string& expected = GetParam().error;
  if (expected.find("FILE", 4) != expected.npos) {
    const size_t at = error.find("/robot.sdf:", 5), begin = error.rfind(" at ", at);
    if (at != error.npos) error.replace(begin + 4, at + 10 - begin - 4, "FILE");
  }
  EXPECT_THAT(error, StartsWith(expected));
}

INSTANTIATE_TEST_SUITE_P(Sdf, SdfError, testing::ValuesIn(malformed),
                         [](const auto& row) { return row.param.name; });

const std::string whole = R"(<sdf version='1.11'><world name='w'><gravity>0 0 -9</gravity>
<model name='m' canonical_link='b' placement_frame='f'><pose degrees='1'>0 0 1 0 0 90</pose>
<link name='a'><inertial auto='1'><density>10</density></inertial><collision name='c'>
<geometry><box><size>1 1 1</size></box></geometry></collision></link>
<link name='b'><pose relative_to='a'>0 0 1 0 0 0</pose><visual name='v'><geometry><sphere>
<radius>1</radius></sphere></geometry><material><diffuse>1 0 0 1</diffuse></material></visual>
</link><frame name='f' attached_to='j'/><joint name='j' type='universal'><parent>a</parent>
<child>b</child><axis><xyz expressed_in='f'>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz><limit>
<lower>-1</lower></limit></axis2></joint><model name='n'><static>0</static><link name='a'/></model>
<joint name='k' type='screw'><parent>n::a</parent><child>b</child><axis><xyz>0 0 1</xyz>
<mimic joint='j' axis='axis2'/></axis><thread_pitch>2</thread_pitch></joint></model></world></sdf>)";

// Checks that no truncated file is accepted, and that no change of one character causes a crash.
TEST(SdfFiles, TruncatedOrChangedAnywhere) {
  const RobotFileOptions options{.collisions = true};
  ASSERT_EQ(error_of_sdf(whole, options), "");
  for (size_t n = 0; n < whole.size(); n += 3)
    EXPECT_NE(error_of_sdf(whole.substr(0, n), options), "") << whole.substr(0, n);
  for (const char c : {'<', '\'', '/', '-', '9', 'a', ':'})
    for (size_t n = 0; n < whole.size(); ++n) {
      std::string changed = whole;
      changed[n] = c;
      error_of_sdf(changed, options);
    }
}

TEST(SdfFiles, ReportUnusedWords) {
  const std::string text = sdf_model(
      "<link name='a'><inertial/><gravty>1</gravty>\n<sensor name='s'/><gravity>0</gravity>\n"
      "<drake:x/></link>\n<plugin name='p' filename='f'/>");
  EXPECT_THAT(
      warnings_of_sdf(text),
      StartsWith(
          "FILE: unknown words: element <gravty> in <link> (line 2; did you mean 'gravity'?); "
          "unsupported words: <gravity> false of a <link> (line 3); words without effect: "
          "<sensor> (line 3), <drake:x> in <link> (line 4), <plugin> (line 5)\n"));
  EXPECT_THAT(error_of_sdf(text, {.strict = true}),
              StartsWith("FILE:2: unknown element <gravty> in <link>; did you mean 'gravity'?"));
}

TEST(SdfFiles, UseDefaultsWithAWarning) {
  EXPECT_THAT(warnings_of_sdf(joint("")),
              HasSubstr("FILE: no <axis> in these joints, so it is z, the default of SDF: 'j'"));
  EXPECT_THAT(warnings_of_sdf(joint("<axis/>", "screw")),
              HasSubstr("FILE: no <screw_thread_pitch> in these joints, so it is 1 m per "
                        "revolution, the default of SDF: 'j'"));
  EXPECT_THAT(warnings_of_sdf(sdf_model("<link name='a'/><link name='b'/>\n<joint name='j' "
                                        "type='fixed'><parent>a</parent><child>b</child></joint>\n"
                                        "<joint name='k' type='revolute'><parent>b</parent>"
                                        "<child>a</child><axis/></joint>")),
              HasSubstr("<joint> between links that are fixed to each other (line 4)"));
}

TEST(SdfFiles, ReadTheFirstWorldOnly) {
  const std::string model = "<model name='m'><static>1</static><link name='a'/></model>";
  EXPECT_EQ(warnings_of_sdf("<sdf version='1.9'><world name='w'>" + model +
                            "</world>\n<world name='v'/>\n" + model + "</sdf>"),
            "FILE: words without effect: <world> after the first one (line 2), <model> beside a "
            "<world> (line 3)\n");
}

// Colliders without a shape here, and what changes a world, are not words without effect.
TEST(SdfFiles, NameWhatIsLost) {
  const std::string text =
      "<sdf version='1.9'><world name='w'><state/>\n<population/>\n<model name='m'><link name='a'>"
      "<visual name='v'><geometry><polyline/></geometry></visual>\n<collision name='c'><geometry>"
      "<polyline/></geometry></collision>\n<collision name='d'><geometry><heightmap/></geometry>"
      "</collision></link></model></world></sdf>";
  const std::string unsupported = "unsupported words: <state> (line 1), <population> (line 2)";
  EXPECT_THAT(warnings_of_sdf(text),
              HasSubstr(unsupported + "; words without effect: <polyline> (line 3), <collision> (2 "
                                      "times, first in line 4)"));
  EXPECT_THAT(
      warnings_of_sdf(text, {.collisions = true}),
      HasSubstr(unsupported +
                ", <polyline> of <collision> (line 4), <heightmap> of <collision> (line 5); "
                "words without effect: <polyline> (line 3)"));
  EXPECT_THAT(error_of_sdf(text, {.strict = true}), HasSubstr("<state> is not supported"));
}

TEST(SdfFiles, WithoutAVersionAreReadWithAWarning) {
  const std::string text = "<sdf><model name='m'><link name='a'/></model></sdf>";
  EXPECT_THAT(warnings_of_sdf(text), HasSubstr("FILE:1: <sdf> has no version"));
  EXPECT_EQ(error_of_sdf(text, {.strict = true}), "FILE:1: <sdf> needs the attribute version");
}

}  // namespace
}  // namespace torsor::test::sdf_errors
