// Tests of torsor generate: the files that it writes, the counts that it prints, and user errors.

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Generate : public Program {
 protected:
  const std::string rx90_ = source("scripts/robots/rx90.lua").string(),
                    planar_ = source("scripts/robots/planar.lua").string();

  void expect_refused(const std::vector<std::string>& arguments, const std::string& message) {
    const Output output = torsor(arguments);
    EXPECT_EQ(output.exit_code, 2) << output.err;
    EXPECT_THAT(output.err, AllOf(testing::StartsWith("torsor: "), HasSubstr(message)));
    EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1) << output.err;
  }
};

TEST_F(Generate, WritesAProgramAndASolver) {
  const Output output = torsor({"generate", rx90_});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(written(), ElementsAre("generated/rx90.c", "generated/rx90_solver.c",
                                     "generated/rx90_solver.so"));
  EXPECT_THAT(output.out,
              AllOf(HasSubstr("C11        generated/rx90.c\n"),
                    HasSubstr("solver     generated.rx90 in generated/rx90_solver.so\n"),
                    HasSubstr("next       torsor compare ")));
  EXPECT_THAT(read("generated/rx90.c"),
              HasSubstr("void rx90_inverse_dynamics(const double q[6], "));
  const Output compared = torsor({"compare", rx90_, "--plugins", "generated/rx90_solver.so"});
  EXPECT_EQ(compared.exit_code, 0) << compared.out << compared.err;
  EXPECT_THAT(compared.out, HasSubstr("generated.rx90"));
}

TEST_F(Generate, PrintsTheCountsOfSeveralRobots) {
  const Output output =
      torsor({"generate", rx90_, planar_, "--count", "--quantity", "mass_matrix"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, AllOf(testing::ContainsRegex("\nrx90 +mass_matrix +[0-9]+ +[0-9]+ +0"),
                                testing::ContainsRegex("\nplanar +mass_matrix +0 +3 ")));
  EXPECT_THAT(written(), testing::IsEmpty());
  expect_refused({"generate", rx90_, planar_}, "2 robots are given; give one, or add --count");
}

// Checks frames and springs, which only some quantities have.
TEST_F(Generate, TakesFramesAndSprings) {
  const Output output = torsor({"generate", planar_, "--quantity", "poses,jacobians", "--frame",
                                "tip2,link1", "--no-solver"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(read("generated/planar.c"),
              AllOf(HasSubstr("// Frames, in this order: tip2, link1.\n"),
                    HasSubstr("double X[24]"), HasSubstr("double J[24]")));
  expect_refused({"generate", planar_, "--frame", "tip3"}, "there is no link or frame 'tip3'");
  file("spring.lua", R"(local torsor = require 'torsor'
local arm = torsor.robot{ name = 'arm' }
arm:link{ name = 'rod',
          joint = { 'revolute', name = 'hinge', axis = {0, 0, 1},
                    spring = { stiffness = 12.5, rest = 0.25 } },
          inertia = { mass = 1, com = {1, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
return arm)");
  ASSERT_EQ(torsor({"generate", "spring.lua", "--with-springs", "--no-solver"}).exit_code, 0);
  EXPECT_THAT(read("generated/arm.c"), HasSubstr("12.5"));
}

TEST_F(Generate, ExplainsTheNamesOfVariables) {
  ASSERT_EQ(torsor({"generate", rx90_, "--inertias", "standard", "--quantity",
                    "inverse_dynamics,forward_dynamics", "--no-solver"})
                .exit_code,
            0);
  EXPECT_THAT(read("generated/rx90.c"),
              AllOf(HasSubstr("//   6: link6\n"),
                    HasSubstr("//   wd: angular acceleration (KHALIL 7.53)\n"
                              "//     wd_i = R^T wd_p + (R^T w_p) x sw + Sw vdot_i\n"),
                    HasSubstr("//   U: wrench per unit of joint acceleration (KHALIL 7.71)\n")));
}

TEST_F(Generate, SaysThatThereIsNoSolver) {
  const Output output = torsor({"generate", planar_, "--quantity", "gravity"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out,
              HasSubstr("solver     none: it needs inverse_dynamics or forward_dynamics\n"));
  EXPECT_THAT(written(), ElementsAre("generated/planar.c"));
}

TEST_F(Generate, PrintsTheCountsOfKhalilsTables) {
  const Output output =
      torsor({"generate", rx90_, "--inertias", "base", "--omit-zeros", "--symbolic-lengths",
              "--wrenches", "link6", "--quantity", "inverse_dynamics,forward_dynamics", "--count"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(written(), testing::IsEmpty());
  long multiplications = 0, additions = 0, divisions = 0, sines = 0;
  const size_t row = output.out.find("inverse_dynamics");
  ASSERT_NE(row, std::string::npos);
  ASSERT_EQ(std::sscanf(output.out.c_str() + row, "inverse_dynamics %ld %ld %ld %ld",
                        &multiplications, &additions, &divisions, &sines),
            4);
  EXPECT_LE(multiplications, 160);
  EXPECT_LE(additions, 113);
  EXPECT_EQ(divisions, 0);
  EXPECT_EQ(sines, 12);
}

TEST_F(Generate, WritesEveryFormat) {
  const std::pair<const char*, const char*> formats[] = {{"c", "g/arm.c"},
                                                         {"lua", "g/arm.lua"},
                                                         {"numpy", "g/arm.py"},
                                                         {"cuda", "g/arm.cu"},
                                                         {"latex", "g/arm.tex"}};
  for (const auto& [format, file] : formats) {
    const Output output =
        torsor({"generate", planar_, "--language", format, "--name", "arm", "--folder", "g",
                "--no-solver", "--quantity", "mass_matrix,gravity", "--gravity", "0,-9.81,0"});
    EXPECT_EQ(output.exit_code, 0) << output.err;
    EXPECT_THAT(output.out, HasSubstr(file));
    const std::string text = read(file);
    EXPECT_GT(text.size(), 200u);
    torsor({"generate", planar_, "--language", format, "--name", "arm", "--folder", "again",
            "--no-solver", "--quantity", "mass_matrix,gravity", "--gravity", "0,-9.81,0"});
    EXPECT_EQ(read("again/" + std::string(file).substr(2)), text) << format;
  }
}

// Checks that a direction of gravity is that of the option, and that a robot file works.
TEST_F(Generate, ReadsRobotFiles) {
  const std::string file = source("tests/reference/chain6.urdf").string();
  for (const bool floating : {false, true}) {
    std::vector<std::string> arguments{"generate", file, "--quantity", "gravity", "--no-solver"};
    if (floating) arguments.push_back("--floating-base");
    const Output output = torsor(arguments);
    EXPECT_EQ(output.exit_code, 0) << output.err;
    EXPECT_THAT(read("generated/chain6.c"), HasSubstr(floating ? "const double q[13], double g[12]"
                                                               : "const double q[6], double g[6]"));
  }
}

TEST_F(Generate, SaysWhatIsWrong) {
  expect_refused({"generate", rx90_, "--quantity", ",", "--count"},
                 "--quantity ,: a name is empty; write --quantity NAME,...");
  expect_refused({"generate", rx90_, "--quantity", "mass_matrx"},
                 "there is no quantity 'mass_matrx'; did you mean 'mass_matrix'?");
  expect_refused({"generate", rx90_, "--language", "fortran"}, "fortran");
  expect_refused({"generate", rx90_, "--inertias", "guessed"}, "guessed");
  expect_refused({"generate", rx90_, "--wrenches", "link7"}, "link7");
  expect_refused({"generate", rx90_, "--name", "my arm"},
                 "'my arm' cannot be the name of a function; give a name of letters, digits "
                 "and '_' that begins with a letter, with --name");
  expect_refused({"generate", rx90_, "--language", "latex", "--name", "../arm"}, "'../arm' cannot");
  expect_refused({"generate", rx90_, "--set", "name=rx-90"}, "'rx-90' cannot be the name");
  expect_refused({"generate", "nowhere.urdf"}, "nowhere.urdf");
  expect_refused({"generate"}, "ROBOT");
  expect_refused({"generate", rx90_, "--language", "latex", "--quantity", "forward_dynamics"},
                 "forward_dynamics of this robot has quotients");
  EXPECT_THAT(written(), testing::IsEmpty());
  file("blocked", "");
  expect_refused({"generate", planar_, "--folder", "blocked/folder"}, "blocked");
  expect_refused({"generate", planar_, "--folder", "blocked", "--no-solver"}, "blocked");
}

TEST_F(Generate, WritesTheTextWithoutACompiler) {
  setenv("CC", "/nonexistent", 1);
  const Output output = torsor({"generate", planar_});
  unsetenv("CC");
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_EQ(output.err,
            "torsor: cannot run the C compiler '/nonexistent' for generated/planar_solver.c: No "
            "such file or directory; install "
            "gcc, or name a compiler in the variable CC\n");
  EXPECT_THAT(written(), ElementsAre("generated/planar.c", "generated/planar_solver.c"));
}

// Returns a URDF chain of n hinges along generic axes.
std::string long_chain(int n) {
  std::string out = "<robot name='chain'><link name='l0'/>\n";
  for (int k = 1; k <= n; ++k) {
    const std::string i = std::to_string(k);
    out += "<link name='l" + i +
           "'><inertial><origin xyz='0.1 0.2 0.3'/><mass value='1'/><inertia ixx='0.1' iyy='0.1' "
           "izz='0.1' ixy='0.01' ixz='0.01' iyz='0.01'/></inertial></link><joint name='j" +
           i + "' type='continuous'><parent link='l" + std::to_string(k - 1) + "'/><child link='l" +
           i +
           "'/><origin xyz='0.3 0.1 0.2' rpy='0.1 0.2 0.3'/><axis xyz='0.1 0.2 0.9'/></joint>\n";
  }
  return out + "</robot>\n";
}

TEST_F(Generate, IsBounded) {
  const Output output = torsor({"generate", file("chain.urdf", long_chain(300)), "--quantity",
                                "christoffel_symbols", "--no-solver"});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_EQ(output.err,
            "torsor: the formulae have more than 4000000 operations; generate fewer quantities, or "
            "a smaller robot\n");
  EXPECT_LT(output.peak_mb, 2000);
  EXPECT_LT(output.seconds, 60);
  EXPECT_THAT(written(), testing::IsEmpty());
  std::printf("%.0f MB, %.1f s\n", output.peak_mb, output.seconds);
}

}  // namespace
}  // namespace torsor::test
