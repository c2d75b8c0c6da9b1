// Tests of .xacro files with programs that stand in for xacro.

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>

#include "formats/sdf_file.hpp"
#include "torsor/formats/xacro/xacro.hpp"

namespace torsor::test::xacro {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Xacro : public testing::Test {
 protected:
  Xacro() : path_(std::getenv("PATH")) {
    file = folder.write("robot.urdf.xacro", "<robot/>");
    std::filesystem::create_directories(folder.path() / "bin");
    // No other program of this name is found, and those that scripts need are.
    setenv("PATH", ((folder.path() / "bin").string() + ":/usr/bin:/bin").c_str(), 1);
  }
  ~Xacro() override { setenv("PATH", path_.c_str(), 1); }

  void install(const std::string& script) const {
    const auto program = folder.write("bin/xacro", "#!/bin/sh\n" + script);
    chmod(program.c_str(), 0755);
  }
  std::string error(const RobotFileOptions& options = {.run_programs = true}) const {
    return error_of([&] { read_robot_file(file, options); });
  }
  template <class Function>
  std::string error_of(const Function& f) const {
    try {
      f();
    } catch (const Error& error) {
      std::string what = error.what();
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
      if (const size_t at = what.find(file.string()); at != what.npos)
        what.replace(at, file.string().size(), "FILE");
      return what;
    }
    return "";
  }

  ScratchFolder folder;
  std::filesystem::path file;

 private:
  std::string path_;
};

TEST_F(Xacro, IsRunWithThePathOfTheFile) {
  install("echo \"<robot name='$(basename $1)'><link name='a$#'/></robot>\"");
  const RobotDescription robot = read_robot_file(file, {.run_programs = true});
  EXPECT_EQ(robot.name, "robot.urdf.xacro");
  EXPECT_EQ(robot.links.at(0).name, "a1");
}

TEST_F(Xacro, IsNotRunForAFileThatTheUserHasNotNamed) {
  install("touch " + (folder.path() / "ran").string());
  EXPECT_THAT(error({}), StartsWith("FILE: a .xacro file is read only if you name it yourself"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "ran"));
}

TEST_F(Xacro, MayNotBeInstalled) {
  EXPECT_EQ(error(),
            "FILE: the program xacro is not installed: install it, or on another computer, "
            "expand the file first: xacro FILE.xacro > ROBOT.urdf");
}

TEST_F(Xacro, MessagesNameTheLinesAfterExpansion) {
  install("echo \"<robot name='r'>\n<link name='a'/><lnk/>\n</robot>\"");
  EXPECT_THAT(
      read_robot_file(file, {.run_programs = true}).warnings.at(0),
      HasSubstr("robot.urdf.xacro: unknown words: element <lnk> in <robot> (line 2; did you "
                "mean 'link'?) (the lines are those after expansion"));
  EXPECT_EQ(error({.strict = true, .run_programs = true}),
            "FILE:2: unknown element <lnk> in <robot>; did you mean 'link'? (the lines are those "
            "after expansion, of: xacro robot.urdf.xacro)");
}

TEST_F(Xacro, MayFail) {
  install("echo 'undefined macro: leg' >&2; echo 'when processing file' >&2; exit 2");
  EXPECT_EQ(error(), "FILE: xacro failed with status 2: undefined macro: leg");
  install("printf 'Traceback (most recent call last):\\n  File x\\nNameError: leg\\n' >&2; exit 1");
  EXPECT_EQ(error(), "FILE: xacro failed with status 1: NameError: leg");
  install("kill -9 $$");
  EXPECT_EQ(error(), "FILE: xacro failed with status 137");
  install("exit 0");
  EXPECT_EQ(error(), "FILE: xacro wrote no robot; run it in a terminal to see why");
}

TEST_F(Xacro, IsEndedAtItsLimits) {
  const auto begin = std::chrono::steady_clock::now();
  const ProgramLimits limits{.time = std::chrono::milliseconds(300)};
  // The child of the program holds the pipe, and is ended with it.
  for (const char* script :
       {"while true; do :; done", "tail -f /dev/null", "exec >/dev/null 2>&1; tail -f /dev/null",
        "tail -f /dev/null & exit 0"}) {
    install(script);
    EXPECT_EQ(error_of([&] { expand_xacro(file, limits); }),
              "FILE: xacro did not end within 0.3 s; look for endless macros or includes");
  }
  install("yes");
  EXPECT_EQ(error_of([&] { expand_xacro(file, {.output = size_t(1) << 20}); }),
            "FILE: xacro wrote more than 1 MiB, the limit for robot files");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST_F(Xacro, ListsTheFilesThatItReads) {
  const std::string part = folder.write("with a blank /part.xacro", "").string(),
                    other = folder.write("other.yaml", "").string();
  install("if [ $1 = --deps ]; then echo \" " + part + " /none/x " + other +
          "\"; else echo \"<robot name='r'><link name='a'/></robot>\"; fi");
  EXPECT_THAT(files_of_xacro(file), testing::ElementsAre(part, "/none/x", other));
  RobotFileOptions options{.run_programs = true};
  std::vector<std::filesystem::path> found;
  options.meshes.found_file = [&](const std::filesystem::path& each) { found.push_back(each); };
  read_robot_file(file, options);
  EXPECT_THAT(found, testing::ElementsAre(part, "/none/x", other));
  install("[ $1 = --deps ] && exit 3; echo \"<robot name='r'><link name='a'/></robot>\"");
  EXPECT_EQ(error(options), "FILE: xacro failed with status 3");
  EXPECT_EQ(error(), "");
  install("echo");
  EXPECT_THAT(files_of_xacro(file), testing::IsEmpty());
}

TEST_F(Xacro, NeedsAFile) {
  install("exit 0");
  file = folder.path() / "none.xacro";
  EXPECT_EQ(error(), "FILE: there is no such file; give a .xacro file");
}

}  // namespace
}  // namespace torsor::test::xacro
