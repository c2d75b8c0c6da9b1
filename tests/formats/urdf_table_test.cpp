// Checks each row of the table of URDF words. Used words affect the robot and ignored words are
// counted. Unknown words are counted too, or rejected if the reader is strict.

#include "torsor/formats/urdf/table.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cctype>
#include <set>

#include "formats/urdf_file.hpp"

namespace torsor {
namespace {

using test::error_of;
using test::read_text;
using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using xml::Row;
using xml::Use;

// A robot with every used element and every used attribute. with_type() replaces the type of its
// joint.
const std::string full_robot = R"(<robot name="full">
<material name="paint"><color rgba="1 0 0 1"/></material>
<link name="arm">
<inertial>
<origin xyz="0 0 1" rpy="0 0 0"/>
<mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
</inertial>
</link>
<joint name="hinge" type="revolute">
<origin xyz="0 0 1" rpy="0 0 0"/>
<parent link="base"/>
<child link="arm"/>
<axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/>
<dynamics damping="1" friction="0"/>
<mimic joint="hinge" multiplier="1" offset="0"/>
</joint>
<link name="base">
<visual><origin xyz="0 0 1" rpy="0 0 0"/><geometry><box size="1 1 1"/></geometry><material name="paint"/></visual>
<visual><geometry><cylinder radius="1" length="1"/></geometry></visual>
<visual><geometry><sphere radius="1"/></geometry></visual>
<visual><geometry><capsule radius="1" length="1"/></geometry></visual>
<visual><geometry><mesh filename="arm.stl" scale="1 1 1"/></geometry></visual>
</link>
<loop_joint name="strut" type="distance" length="1">
<link1 link="base" xyz="0 0 1" rpy="0 0 0"/>
<link2 link="arm" xyz="0 0 1" rpy="0 0 0"/>
</loop_joint>
<loop_joint name="nut" type="screw" pitch="1">
<link1 link="base"/>
<link2 link="arm"/>
<axis xyz="0 0 1"/>
<dynamics damping="1" friction="1"/>
</loop_joint>
</robot>
)";

size_t place_of(const std::string& text, const std::string& what) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(place_of(text, from), from.size(), to);
}

std::string with_type(const std::string& type) {
  return replaced(full_robot, "revolute", type);
}

// Returns the start of the first element of this name after `from`. Elements like <origin> have the
// same rules in every parent, so any of them will do.
size_t start_of(const std::string& text, std::string_view element, size_t from = 0) {
  const size_t spaced = text.find(fmt::format("<{} ", element), from),
               bare = text.find(fmt::format("<{}>", element), from);
  EXPECT_NE(std::min(spaced, bare), std::string::npos) << element;
  return std::min(spaced, bare);
}

std::string with_attribute(std::string text, std::string_view element,
                           const std::string& attribute) {
  return text.insert(start_of(text, element) + 1 + element.size(), " " + attribute);
}

// Inserts a new first child into an element.
std::string with_child(std::string text, std::string_view element, const std::string& child) {
  const size_t end = text.find('>', start_of(text, element));
  if (text[end - 1] != '/') return text.insert(end + 1, child);
  return text.replace(end - 1, 2, fmt::format(">{}</{}>", child, element));
}

// Inserts an empty element of the same name before the first such element in a parent.
std::string with_twin(std::string text, std::string_view parent, const std::string& element) {
  return text.insert(start_of(text, element, start_of(text, parent)), "<" + element + "/>");
}

std::string with_value(std::string text, std::string_view element, std::string_view attribute,
                       const std::string& value) {
  const size_t name = text.find(fmt::format(" {}=\"", attribute), start_of(text, element));
  EXPECT_NE(name, std::string::npos) << attribute;
  const size_t from = name + attribute.size() + 3;
  return text.replace(from, text.find('"', from) - from, value);
}

// Returns the result of reading a text: the error, or the names of the robot and its warnings.
std::string result_of(const std::string& text) {
  if (const std::string error = error_of(text); !error.empty()) return error;
  const RobotDescription robot = read_text(text);
  std::string out = robot.name + " ";
  for (const LinkDescription& link : robot.links) {
    out += link.name + " " + link.joint.name + " ";
    for (const VisualDescription& visual : link.visuals)
      if (const auto* mesh = std::get_if<MeshFile>(&visual.shape)) out += mesh->file + " ";
  }
  for (const ClosureDescription& closure : robot.closures)
    out += closure.name + " " + closure.frames[0] + " " + closure.frames[1] + " ";
  for (const std::string& warning : robot.warnings) out += warning + " ";
  return out;
}

// Returns whether a word belongs to the file of closures, which urdf_closures_test.cpp tests.
bool is_of_closures(const Row& row) {
  for (const char* element : {"closures", "gear", "rack", "cable", "pulley"})
    if (row.parent == element || (row.parent.empty() && row.name == element)) return true;
  return false;
}

std::string bare(std::string_view name) {
  return std::string(xml::is_attribute(name) ? name.substr(1) : name);
}

class TableRow : public testing::TestWithParam<size_t> {
 protected:
  const Row& row() const { return urdf::table()[GetParam()]; }
};

// Returns whether a word is inside <collision>, which urdf_collision_test.cpp tests.
bool is_of_collisions(const Row& row) {
  return row.parent == "collision";
}

TEST_P(TableRow, IsCorrect) {
  if (is_of_closures(row()) || is_of_collisions(row())) return;
  const bool attribute = xml::is_attribute(row().name);
  const std::string parent(row().parent), name = bare(row().name);
  if (row().use != Use::used && attribute) {
    const auto text = with_attribute(full_robot, parent, name + "=\"1e999\"");
    const char* list = row().use == Use::unsupported ? "unsupported words" : "words without effect";
    EXPECT_THAT(result_of(text),
                HasSubstr(fmt::format("{}: {} of <{}> (line ", list, name, parent)));
    if (row().use == Use::unsupported)
      EXPECT_THAT(error_of(text, test::strictly),
                  EndsWith(name + " of <" + parent +
                           "> is not supported; remove it, or read the file without --strict (in "
                           "Lua: without strict = true)"));
    else
      EXPECT_EQ(error_of(text, test::strictly), "");
  } else if (row().use != Use::used) {
    const auto text =
        with_child(full_robot, parent, fmt::format("<{0} any=\"?\">text<deep/></{0}>", name));
    EXPECT_THAT(result_of(text), HasSubstr(fmt::format("words without effect: <{}> (line ", name)));
    EXPECT_EQ(error_of(text, test::strictly), "");
  } else if (attribute) {
    EXPECT_THAT(result_of(with_value(full_robot, parent, name, "?!")),
                AnyOf(HasSubstr("?!"), HasSubstr("its child 'arm' is not a link"),
                      HasSubstr("no colour is defined for these materials: 'paint'")));
  } else {
    EXPECT_NE(full_robot.find("<" + name), std::string::npos);
    if (row().repeated || parent.empty()) return;
    EXPECT_THAT(error_of(with_twin(full_robot, parent, name)),
                HasSubstr(fmt::format("a second <{}> in one <{}>", name, parent)));
  }
}

INSTANTIATE_TEST_SUITE_P(Urdf, TableRow, testing::Range(size_t(0), urdf::table().size()),
                         [](const auto& index) {
                           const Row& row = urdf::table()[index.param];
                           std::string name = fmt::format(
                               "{}_{}", row.parent.empty() ? "document" : row.parent, row.name);
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

TEST(UrdfTable, CountsWordsWithoutEffectOnSomeJoints) {
  int rows = 0;
  for (const Row& row : urdf::table()) {
    if (row.ignored_on.empty()) continue;
    ++rows;
    for (const char* type : {"fixed", "floating", "planar", "continuous"}) {
      if (row.ignored_on.find(type) == std::string_view::npos) continue;
      const std::string text = with_type(type), name = bare(row.name);
      const bool attribute = xml::is_attribute(row.name);
      const std::string junk = attribute ? with_value(text, row.parent, name, "?!")
                                         : with_attribute(text, name, "any=\"?!\"");
      const std::string shown = attribute ? name : "<" + name + ">";
      std::string types(row.ignored_on);
      for (size_t at; (at = types.find('/')) != std::string::npos;) types.replace(at, 1, ", ");
      EXPECT_THAT(result_of(junk), HasSubstr(fmt::format(" {} of {} joints (line ", shown, types)));
      EXPECT_THAT(result_of(junk), Not(HasSubstr("?!")));
    }
  }
  // Four rows are for joints that cannot use them: axis, limit, dynamics and mimic. Two are for
  // continuous joints: lower and upper.
  EXPECT_EQ(rows, 6);
}

// Checks the used words against a list that does not depend on the table. It follows from the URDF
// specification and from what the engine needs.
TEST(UrdfTable, UsesExactlyTheNeededWords) {
  const std::set<std::string> needed{
      "robot@name",        "robot/link",        "robot/joint",
      "link@name",         "link/inertial",     "inertial/origin",
      "inertial/mass",     "inertial/inertia",  "mass@value",
      "inertia@ixx",       "inertia@ixy",       "inertia@ixz",
      "inertia@iyy",       "inertia@iyz",       "inertia@izz",
      "origin@xyz",        "origin@rpy",        "joint@name",
      "joint@type",        "joint/origin",      "joint/parent",
      "joint/child",       "joint/axis",        "joint/limit",
      "joint/dynamics",    "joint/mimic",       "parent@link",
      "child@link",        "axis@xyz",          "limit@lower",
      "limit@upper",       "limit@velocity",    "limit@effort",
      "dynamics@damping",  "dynamics@friction", "mimic@joint",
      "mimic@multiplier",  "mimic@offset",      "/robot",
      "robot/material",    "link/visual",       "visual/origin",
      "visual/geometry",   "visual/material",   "geometry/box",
      "geometry/cylinder", "geometry/sphere",   "geometry/mesh",
      "geometry/capsule",  "capsule@radius",    "capsule@length",
      "mesh@filename",     "mesh@scale",        "box@size",
      "cylinder@radius",   "cylinder@length",   "sphere@radius",
      "material@name",     "material/color",    "color@rgba",
      "robot/loop_joint",  "loop_joint@name",   "loop_joint@type",
      "loop_joint@pitch",  "loop_joint@length", "loop_joint/link1",
      "loop_joint/link2",  "loop_joint/axis",   "loop_joint/dynamics",
      "link1@link",        "link1@xyz",         "link1@rpy",
      "link2@link",        "link2@xyz",         "link2@rpy"};
  std::set<std::string> used;
  for (const Row& row : urdf::table())
    if (row.use == Use::used && !is_of_closures(row))
      used.insert(std::string(row.parent) + (xml::is_attribute(row.name) ? "" : "/") +
                  std::string(row.name));
  EXPECT_EQ(used, needed);
}

TEST(UrdfTable, NoRowHidesAnother) {
  for (size_t i = 0; i < urdf::table().size(); ++i) {
    const Row& row = urdf::table()[i];
    EXPECT_EQ(xml::find_row(urdf::table(), row.parent, row.name), i) << row.parent << row.name;
  }
}

// Checks a word that is not in the table: an error if the reader is strict, otherwise a warning.
void expect_unknown(const std::string& text, const std::string& word) {
  EXPECT_THAT(error_of(text, test::strictly), HasSubstr("unknown " + word));
  EXPECT_EQ(error_of(text), "");
  EXPECT_THAT(test::warning_of(text), HasSubstr("FILE: unknown words: " + word + " (line "));
}

TEST(UrdfTable, CountsUnknownWordsOrRejectsThemIfStrict) {
  std::set<std::string> elements;
  for (const Row& row : urdf::table())
    if (row.use == Use::used && !xml::is_attribute(row.name) && !is_of_closures(row))
      elements.insert(std::string(row.name));
  ASSERT_EQ(elements.size(), 25u);
  for (const std::string& element : elements) {
    expect_unknown(with_attribute(full_robot, element, "zzz=\"1\""),
                   "attribute zzz in <" + element + ">");
    expect_unknown(with_child(full_robot, element, "<zzz><zzz/></zzz>"),
                   "element <zzz> in <" + element + ">");
    expect_unknown(with_child(full_robot, element, "words"), "text in <" + element + ">");
    expect_unknown(with_child(full_robot, element, "<![CDATA[1]]>"), "text in <" + element + ">");
    EXPECT_EQ(error_of(with_child(full_robot, element, "<!-- a remark -->"), test::strictly), "");
  }
}

TEST(UrdfTable, NamesLinePlaceAndNearestWord) {
  const auto error = [](const std::string& text) { return error_of(text, test::strictly); };
  EXPECT_EQ(error(with_child(full_robot, "inertial", "\n\n<inertai/>")),
            "FILE:6: unknown element <inertai> in <inertial>; did you mean 'inertia'?");
  EXPECT_EQ(error(replaced(full_robot, "damping=", "\ndampnig=")),
            "FILE:17: unknown attribute dampnig in <dynamics>; did you mean 'damping'?");
  EXPECT_EQ(error(with_child(full_robot, "link", "<mass value=\"1\"/>")),
            "FILE:3: unknown element <mass> in <link>; it belongs in <inertial>");
  EXPECT_EQ(
      error(with_attribute(full_robot, "joint", "xyz=\"0 0 0\"")),
      "FILE:10: unknown attribute xyz in <joint>; it belongs in <origin> or <axis> or <link1> "
      "or <link2>");
  EXPECT_EQ(error(with_attribute(full_robot, "origin", "quat_xyzw=\"0 0 0 1\"")),
            "FILE:5: unknown attribute quat_xyzw in <origin>; known there: xyz, rpy");
  EXPECT_EQ(error(with_child(full_robot, "axis", "<wheel/>")),
            "FILE:14: unknown element <wheel> in <axis>; it has no elements");
  EXPECT_EQ(
      test::warning_of(replaced(full_robot, "damping=", "\ndampnig=")),
      "FILE: unknown words: attribute dampnig in <dynamics> (line 17; did you mean 'damping'?)");
}

// Checks that a xacro file is rejected. It is a program whose values are unknown until it is
// expanded.
TEST(UrdfTable, RejectsXacro) {
  EXPECT_EQ(error_of(with_child(full_robot, "robot", "<xacro:include filename=\"a\"/>")),
            "FILE:1: unknown element <xacro:include> in <robot>; expand the file first: xacro "
            "FILE.xacro > ROBOT.urdf");
  EXPECT_EQ(error_of(with_value(full_robot, "mass", "value", "${m}")),
            "FILE:6: link 'arm': value of <mass> contains '${m}', which is a xacro expression; "
            "expand the file first: xacro FILE.xacro > ROBOT.urdf");
}

TEST(UrdfTable, CountsInOneLine) {
  std::string text = full_robot;
  for (int i = 0; i < 3; ++i) text = with_child(text, "link", "<collision><geometry/></collision>");
  for (int i = 0; i < 2; ++i) text = with_child(text, "robot", "<gazebo reference=\"arm\"/>");
  text = with_attribute(text, "dynamics", "K=\"1\"");
  text = with_child(
      text, "robot",
      "<link name=\"tool\" colour=\"red\"/><link name=\"cap\" colour=\"red\"/><joint name=\"lid\" "
      "type=\"fixed\"><parent link=\"arm\"/><child link=\"cap\"/></joint><joint name=\"weld\" "
      "type=\"fixed\"><axis xyz=\"0 0 0\"/><parent link=\"arm\"/><child link=\"tool\"/></joint>");
  const RobotDescription robot = read_text(text);
  ASSERT_EQ(robot.warnings.size(), 1u);
  EXPECT_THAT(robot.warnings[0],
              EndsWith(".urdf: unknown words: attribute colour in <link> (2 times, first in line "
                       "1); unsupported words: K of <dynamics> (line 16); words without effect: "
                       "<axis> of fixed, floating joints (line 1), <gazebo> (2 times, first in "
                       "line 1), <collision> (3 times, first in line 3)"));
}

}  // namespace
}  // namespace torsor
