// Tests of malformed files: each gives one line with the place and the cause.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "formats/urdf_file.hpp"
#include "support/as_other_user.hpp"
#include "torsor/formats/urdf/urdf.hpp"

namespace torsor {
namespace {

using test::error_of;
using test::MalformedUrdf;
using testing::HasSubstr;

// Returns a robot with links a and b. joint_content begins in line 6 of the text; link_content, of
// link b, is in line 3.
std::string two_links(const std::string& joint_content, const std::string& link_content = "",
                      const std::string& type = "revolute") {
  return "<robot name='r'>\n<link name='a'/>\n<link name='b'>" + link_content +
         "</link>\n<joint name='j' type='" + type + "'>\n<parent link='a'/><child link='b'/>\n" +
         joint_content + "</joint>\n</robot>\n";
}
std::string inertial(const std::string& content) {
  return two_links("", "<inertial>" + content + "</inertial>");
}
std::string robot(const std::string& content) {
  return "<robot name='r'>\n" + content + "</robot>\n";
}
std::string link(const std::string& name) {
  return "<link name='" + name + "'/>\n";
}
std::string joint(const std::string& name, const std::string& parent, const std::string& child) {
  return fmt::format(
      "<joint name='{}' type='fixed'><parent link='{}'/><child link='{}'/></joint>\n", name, parent,
      child);
}
std::string mass_of(const std::string& value) {
  return inertial("<mass value='" + value +
                  "'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>");
}

const std::string no_number = "FILE:3: link 'b': value of <mass> contains '";

const MalformedUrdf malformed[] = {
    // XML
    {"EmptyFile", "", "FILE:1: the file is empty; a <robot> is needed"},
    {"OnlySpace", " \n \n", "FILE:1: the file is empty; a <robot> is needed"},
    {"OnlyComment", "<!-- nothing -->", "FILE:1: there is no <robot> element"},
    {"Mismatch", "<robot name='r'>\n<link name='a'>\n</robot>",
     "FILE:2: not well-formed XML: <link> is not closed, or closed by the end tag of another "
     "element"},
    {"Unclosed", "<robot name='r'>\n<link name='a'/>\n",
     "FILE:1: not well-formed XML: the element that starts here is not closed"},
    {"BareAttribute", "<robot name='r'>\n<link name=a/></robot>",
     "FILE:2: not well-formed XML: an attribute of <link> is malformed or occurs twice"},
    {"AttributeTwice", "<robot name='r'>\n<link name='a'\nname='b'/></robot>",
     "FILE:3: not well-formed XML: an attribute of <link> is malformed or occurs twice"},
    {"CommentWithoutEnd", robot(link("a")) + "<!-- ",
     "FILE:4: not well-formed XML: a comment has no end"},
    {"NoXmlAtAll", "\ngravity = 9.81\n",
     "FILE:2: this is not an XML file; a URDF file starts with <?xml or <robot>"},
    {"AnImage", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16),
     "FILE:1: this is not an XML file; a URDF file starts with <?xml or <robot>"},
    {"ZeroByte", robot(link("a")) + '\0' + "<link/>",
     "FILE:4: there is a zero byte; a URDF file is UTF-8 text"},
    {"AnotherFormat", "<?xml version='1.0'?>\n<sdf version='1.7'/>",
     "FILE:2: the file contains a <sdf>; give a URDF file, whose first element is <robot>"},
    {"TwoRobots", robot(link("a")) + robot(link("b")),
     "FILE:4: a second element <robot> after that of line 1; a file has one <robot>"},
    {"TextBehind", robot(link("a")) + "\nmore <!-- -->",
     "FILE:5: there is text outside of the <robot> element; remove it"},
    {"DoctypeWithDeclarations", "<!DOCTYPE robot [\n<!ENTITY a \"b\">\n]>\n<robot name='&a;'/>",
     "FILE:1: declarations in a DOCTYPE are not supported; remove the DOCTYPE"},
    {"DoctypeWithoutDeclarations", "<?xml version='1.0'?>\n<!DOCTYPE robot []>\n<robot/>",
     "FILE:2: declarations in a DOCTYPE are not supported; remove the DOCTYPE"},
    {"Utf16LittleEndian", std::string("\xFF\xFE<\0r\0", 6),
     "FILE:1: this is a UTF-16 file; save it as UTF-8"},
    {"Utf16BigEndian", std::string("\xFE\xFF\0<\0r", 6),
     "FILE:1: this is a UTF-16 file; save it as UTF-8"},
    {"Utf16WithoutAMark", std::string("<\0r\0", 4),
     "FILE:1: this is a UTF-16 file; save it as UTF-8"},
    {"Utf16BigEndianWithoutAMark", std::string("\0<\0r", 4),
     "FILE:1: this is a UTF-16 file; save it as UTF-8"},

    // names
    {"NoLink", "\n<robot name='r'/>", "FILE:2: robot 'r' has no <link>; add one"},
    {"LinkWithoutName", robot("<link/>"), "FILE:2: a <link> needs a name"},
    {"LinkWithEmptyName", robot("<link name=''/>"), "FILE:2: a <link> needs a name"},
    {"NameOfTwoLines", robot("<link name='a&#10;b'/>"),
     "FILE:2: the name 'a b' of a <link> is not UTF-8 text on one line"},
    {"NameNotUtf8", robot("<link name='a\xe9'/>"),
     "FILE:2: the name 'a\xe9' of a <link> is not UTF-8 text on one line"},
    {"JointWithoutName", robot(link("a") + "<joint type='fixed'/>"),
     "FILE:3: a <joint> needs a name"},
    {"TwinLinks", robot(link("a") + link("b") + link("a")),
     "FILE:4: there are two links named 'a', the first at line 2; give each its own name"},
    {"TwinJoints",
     robot(link("a") + link("b") + joint("j", "a", "b") + "\n" + joint("j", "b", "a")),
     "FILE:6: there are two joints named 'j', the first at line 4; give each its own name"},

    // joints
    {"NoType", robot(link("a") + "<joint name='j'/>"),
     "FILE:3: joint 'j': <joint> needs the attribute type"},
    {"UnknownType", two_links("", "", "revolut"),
     "FILE:4: joint 'j': 'revolut' is not a joint type; it can be revolute, continuous, prismatic, "
     "fixed, floating, planar; did you mean 'revolute'?"},
    {"NoParent", robot(link("a") + "<joint name='j' type='fixed'><child link='a'/></joint>"),
     "FILE:3: joint 'j': <joint> needs the element <parent>"},
    {"NoChild", robot(link("a") + "<joint name='j' type='fixed'><parent link='a'/></joint>"),
     "FILE:3: joint 'j': <joint> needs the element <child>"},
    {"ParentWithoutLink",
     robot(link("a") + "<joint name='j' type='fixed'>\n<parent/><child link='a'/></joint>"),
     "FILE:4: joint 'j': <parent> needs the attribute link"},
    {"MimicWithoutJoint", two_links("<mimic/>"),
     "FILE:6: joint 'j': <mimic> needs the attribute joint"},

    // the tree
    {"UnknownParent", robot(link("base") + link("b") + joint("j", "bsae", "b")),
     "FILE:4: joint 'j': its parent 'bsae' is not a link of the file; did you mean 'base'?"},
    {"UnknownChild",
     robot(link("base") + link("b") +
           "<joint name='j' type='fixed'>\n<parent link='base'/>\n<child link='x'/></joint>"),
     "FILE:6: joint 'j': its child 'x' is not a link of the file"},
    {"TwoParents",
     robot(link("a") + link("b") + link("c") + joint("j", "a", "c") + joint("k", "b", "c")),
     "FILE:6: link 'c' has two parents: 'a' by joint 'j' (line 5) and 'b' by joint 'k'; write "
     "one of them as a <loop_joint>"},
    {"TwoRoots", robot(link("a") + link("b") + link("c") + joint("j", "a", "c")),
     "FILE:3: 2 links have no parent: 'a', 'b'; a robot has one root link, so connect the others "
     "to it by joints"},
    {"OwnParent", robot(link("a") + joint("j", "a", "a")),
     "FILE:3: there is no root link: the joints form a loop through the links 'a'; a robot is a "
     "tree"},
    {"LoopWithoutRoot",
     robot(link("a") + link("b") + link("c") + joint("i", "a", "b") + joint("j", "b", "c") +
           joint("k", "c", "a")),
     "FILE:7: there is no root link: the joints form a loop through the links 'b', 'c', 'a'; a "
     "robot is a tree"},
    {"LoopBesideRoot",
     robot(link("root") + link("a") + link("b") + joint("i", "a", "b") + joint("j", "b", "a")),
     "FILE:6: the joints form a loop through the links 'b', 'a'; a robot is a tree"},

    // numbers
    {"NumberWithTail", mass_of("1.0abc"), no_number + "1.0abc', which is not a number"},
    {"NumberWithComma", mass_of("1,5"), no_number + "1,5', which is not a number"},
    {"HexFloat", mass_of("0x1p3"), no_number + "0x1p3', which is not a number"},
    {"TwoSigns", mass_of("+-1"), no_number + "+-1', which is not a number"},
    {"SignAlone", mass_of("+"), no_number + "+', which is not a number"},
    {"TwoPluses", mass_of("++1"), no_number + "++1', which is not a number"},
    {"Nan", mass_of("nan"), no_number + "nan', which is not a finite number"},
    {"Infinity", mass_of("-inf"), no_number + "-inf', which is not a finite number"},
    {"TooLarge", mass_of("1e999"), no_number + "1e999', which is too large for a double"},
    {"TooLargeWithTail", mass_of("1e999x"), no_number + "1e999x', which is not a number"},
    {"Entity", mass_of("&one;"), no_number + "&one;', which is not a number"},
    {"EndlessNumber", mass_of(std::string(200, '7') + "x"),
     no_number + std::string(60, '7') + "...', which is not a number"},
    {"EmptyNumber", mass_of(""), "FILE:3: link 'b': value of <mass> needs 1 number; '' has 0"},
    {"TwoNumbers", mass_of("1 2"), "FILE:3: link 'b': value of <mass> needs 1 number; '1 2' has 2"},
    {"ShortVector", two_links("<origin\nxyz='1 2'/>"),
     "FILE:7: joint 'j': xyz of <origin> needs 3 numbers; '1 2' has 2"},
    {"LongVector", two_links("<origin rpy='1\n2 3 4'/>"),
     "FILE:6: joint 'j': rpy of <origin> needs 3 numbers; '1 2 3 4' has 4"},
    {"WordInVector", two_links("<axis xyz='0 0 z'/>"),
     "FILE:6: joint 'j': xyz of <axis> contains 'z', which is not a number"},

    // values
    {"NegativeMass", mass_of("-0.5"),
     "FILE:3: link 'b': value of <mass> is -0.5; it must not be negative"},
    {"NoMass", inertial("<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"),
     "FILE:3: link 'b': <inertial> needs the element <mass>"},
    {"NoInertia", inertial("<mass value='1'/>"),
     "FILE:3: link 'b': <inertial> needs the element <inertia>"},
    {"MassWithoutValue",
     inertial("<mass/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"),
     "FILE:3: link 'b': <mass> needs the attribute value"},
    {"InertiaIncomplete",
     inertial("<mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' izz='1'/>"),
     "FILE:3: link 'b': <inertia> needs the attribute iyz"},
    {"ZeroAxis", two_links("<axis xyz='0 0 0'/>"),
     "FILE:6: joint 'j': the axis is zero; give it a direction"},
    {"AxisWithoutVector", two_links("<axis/>"),
     "FILE:6: joint 'j': <axis> needs the attribute xyz"},
    {"LimitsSwapped", two_links("<limit lower='2' upper='1' velocity='1' effort='1'/>"),
     "FILE:6: joint 'j': the limit lower = 2 is above upper = 1; exchange them"},
    {"NegativeVelocityLimit", two_links("<limit lower='0' upper='1' velocity='-1' effort='1'/>"),
     "FILE:6: joint 'j': velocity of <limit> is -1; it must not be negative"},
    {"NegativeEffortLimit", two_links("<limit lower='0' upper='1' velocity='1' effort='-3'/>"),
     "FILE:6: joint 'j': effort of <limit> is -3; it must not be negative"},
    {"NegativeDamping", two_links("<dynamics damping='-0.1'/>"),
     "FILE:6: joint 'j': damping of <dynamics> is -0.1; it must not be negative"},
    {"NegativeFriction", two_links("<dynamics friction='-0.1'/>"),
     "FILE:6: joint 'j': friction of <dynamics> is -0.1; it must not be negative"},
    {"TwoOrigins", two_links("<origin/>\n<origin/>"),
     "FILE:7: a second <origin> in one <joint>; the first is at line 6"},
};

class UrdfError : public testing::TestWithParam<MalformedUrdf> {};

TEST_P(UrdfError, NamesThePlaceAndTheCause) {
  EXPECT_EQ(error_of(GetParam().text), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(Urdf, UrdfError, testing::ValuesIn(malformed),
                         [](const auto& row) { return row.param.name; });

TEST(UrdfFiles, NeedANameIfStrict) {
  EXPECT_EQ(error_of("<robot>\n<link name='a'/></robot>", test::strictly),
            "FILE:1: <robot> needs a name");
}

TEST(UrdfFiles, MayHoldMarkUpUnlessStrict) {
  const std::string text = robot("<!ELEMENT a>\n" + link("a"));
  EXPECT_EQ(error_of(text, test::strictly),
            "FILE:2: unknown markup (<! or <?) in <robot>; an element takes only elements");
  EXPECT_EQ(test::warning_of(text), "FILE: unknown words: markup (<! or <?) in <robot> (line 2)");
}

TEST(UrdfFiles, MayHaveADoctypeWithoutDeclarations) {
  for (const char* doctype : {"<!DOCTYPE robot>", "<!DOCTYPE robot SYSTEM 'urdf.dtd'>"})
    EXPECT_EQ(error_of(doctype + robot(link("a")), test::strictly), "");
}

std::string error_of_path(const std::string& path) {
  try {
    read_urdf(path, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(UrdfFiles, ThatCannotBeRead) {
  const std::string folder = testing::TempDir(), missing = folder + "no_such_robot.urdf",
                    endless = folder + std::string(300, 'x');
  EXPECT_EQ(error_of_path(missing), missing + ": there is no such file; give a URDF file");
  EXPECT_EQ(error_of_path(folder), folder + ": this is a folder; give a URDF file");
  EXPECT_THAT(error_of_path(endless),
              HasSubstr(": it cannot be read: File name too long; give a URDF file"));
  EXPECT_EQ(error_of_path(""), ": there is no such file; give a URDF file");
  EXPECT_EQ(error_of_path("/dev/zero"), "/dev/zero: this is not a regular file; give a URDF file");
}

TEST(UrdfFiles, WithoutLeaveToRead) {
  const test::UrdfFile file("<robot name='r'/>");
  std::filesystem::permissions(file.path(), std::filesystem::perms::none);
  const test::AsOtherUser user;
  EXPECT_EQ(error_of_path(file.path()),
            file.path() + ": it cannot be read: Permission denied; give a URDF file");
}

TEST(UrdfFiles, NestedWithoutEnd) {
  std::string deep, shallow;
  for (int i = 0; i < 10000; ++i) deep += "<collision>";
  EXPECT_THAT(error_of(robot("<link name='a'>" + deep)),
              HasSubstr("FILE:2: not well-formed XML: elements are nested too deeply"));
  for (int i = 0; i < 90; ++i) shallow += "<collision>";
  for (int i = 0; i < 90; ++i) shallow += "</collision>";
  EXPECT_EQ(error_of(robot("<link name='a'>" + shallow + "</link>")), "");
}

// Checks that no truncated file is accepted, and that no change of one character causes a crash.
// The result is an error of one line (error_of checks this) or another robot.
TEST(UrdfFiles, TruncatedOrChangedAnywhere) {
  const std::string whole =
      "<?xml version='1.0'?><robot name='r'><!-- c --><link name='a'/><link "
      "name='b'><inertial><origin xyz='0 0 1' rpy='1 0 0'/><mass value='1'/><inertia ixx='1' "
      "ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial><visual><origin xyz='1 0 "
      "0'/><geometry><box size='1 2 3'/></geometry><material name='m'><color rgba='1 0 0 "
      ".5'/></material></visual></link><joint name='j' type='revolute'><parent link='a'/><child "
      "link='b'/><axis xyz='0 0 1'/><limit lower='-1' upper='&#49;' velocity='1' "
      "effort='1'/></joint></robot>";
  ASSERT_EQ(error_of(whole), "");
  for (size_t n = 0; n < whole.size(); ++n)
    EXPECT_NE(error_of(whole.substr(0, n)), "") << whole.substr(0, n);
  for (const char c : {'<', '>', '\'', '/', ' ', '\n', '&', '-', '9', '\xff', '!', ']'})
    for (size_t n = 0; n < whole.size(); ++n) {
      std::string changed = whole;
      changed[n] = c;
      error_of(changed);
    }
}

}  // namespace
}  // namespace torsor
