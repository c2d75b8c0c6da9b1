// <attach> of MJCF: errors, limits, and models that are not attached.

#include <gmock/gmock.h>

#include "formats/mjcf_attach.hpp"

namespace torsor::test::mjcf_attach_errors {
namespace {

using testing::ElementsAre, testing::HasSubstr;

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
                  "robot.xml:3: <attach>: it needs the attribute prefix"},
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
  EXPECT_THAT(
      mjcf_error(folder),
      HasSubstr(
          "attaches itself, directly or through other files; remove one <attach> of this cycle"));
  // 30 files in a row
  const auto file = [](int k) {
    return mjcf("<asset><model name='m' file='" + std::to_string(k + 1) +
                ".xml'/></asset><worldbody><attach model='m' prefix='p'/></worldbody>");
  };
  folder.add("robot.xml", file(0));
  for (int k = 1; k < 30; ++k) folder.add(std::to_string(k) + ".xml", file(k));
  folder.add("30.xml", arms());
  EXPECT_THAT(mjcf_error(folder),
              HasSubstr("20.xml:2: <attach>: attached models are nested more than 20 deep"));
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

// 16 files of 5 MiB, one of which is included.
TEST(MjcfAttach, LimitsTheBytesOfAllModels) {
  const std::string mebibytes(5 << 20, ' ');
  std::string elements;
  for (int k = 0; k < 8; ++k)
    elements += "<attach model='part' prefix='p" + std::to_string(k) + "'/>";
  RobotWith folder(elements, mjcf("<include file='in.xml'/>" + mebibytes));
  folder.add("in.xml", mjcf("<worldbody><body><geom size='1'/></body></worldbody>"));
  EXPECT_EQ(mjcf_error(folder), "");
  folder.add("in.xml", mjcf("<worldbody><body><geom size='1'/></body></worldbody>" + mebibytes));
  EXPECT_THAT(mjcf_error(folder), HasSubstr("the files of attached models have more than 64 MiB"));
}

// The name of a model in its file is read once, for all <attach>.
TEST(MjcfAttach, ReadsNamesInFilesOnce) {
  MjcfFolder folder(mjcf(
      "<asset><model file='a.xml'/><model file='./a.xml'/><model file='b.xml'/></asset>"
      "<worldbody><attach model='b' prefix='1_'/><attach model='b' prefix='2_'/></worldbody>"));
  const std::string rest = ">" + arms().substr(std::string("<mujoco>").size());
  folder.add("a.xml", "<mujoco model='a'" + rest);
  folder.add("b.xml", "<mujoco model='b'" + rest);
  std::vector<std::string> files;
  RobotFileOptions options;
  options.meshes.found_file = [&](const std::filesystem::path& file) {
    files.push_back(file.filename().string());
  };
  EXPECT_EQ(links_of(read_robot_file(folder.path(), options)).size(), 6u);
  EXPECT_THAT(files, ElementsAre("a.xml", "b.xml", "b.xml", "b.xml")) << "two for <attach>";
}

TEST(MjcfAttach, NotesModelsWithoutAttach) {
  const RobotWith folder("<body><geom size='1'/></body>", arms());
  EXPECT_THAT(
      warnings(read_robot_file(folder.path())),
      HasSubstr("robot.xml: words without effect: <model> that no <attach> names (line 2)"));
}

}  // namespace
}  // namespace torsor::test::mjcf_attach_errors
