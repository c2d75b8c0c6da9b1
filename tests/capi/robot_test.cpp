// Loads robots and scenes through the C interface.

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "capi/handles.hpp"
#include "support/scene_files.hpp"
#include "torsor/base/sanitized.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Robots : public testing::Test {
 protected:
  std::string failure(const std::string& file, const torsor_load_options* options = nullptr) {
    ErrorText error;
    torsor_robot* robot = reinterpret_cast<torsor_robot*>(8);
    EXPECT_EQ(torsor_robot_load(engine_.get(), file.c_str(), options, &robot, &error),
              TORSOR_USER_ERROR);
    EXPECT_EQ(robot, nullptr);
    return error.text;
  }
  std::string written(const std::string& name, const std::string& text) {
    const std::string file = scratch_.file(name);
    std::ofstream(file) << text;
    return file;
  }
  ScratchFolder scratch_;
  Owned<torsor_engine> engine_ = made_engine();
};

TEST_F(Robots, HaveNamesUnitsAndLimits) {
  const auto robot = made_robot(engine_.get(), "scenes/urdf_arm.urdf");
  const size_t n = torsor_robot_count(robot.get(), TORSOR_DOFS);
  ASSERT_GT(n, 1u);
  EXPECT_EQ(torsor_robot_count(robot.get(), TORSOR_COORDINATES), n);
  EXPECT_STREQ(torsor_robot_unit(robot.get(), TORSOR_COORDINATES, 0), "rad");
  EXPECT_STREQ(torsor_robot_unit(robot.get(), TORSOR_DOFS, 0), "rad/s");
  for (const torsor_part part :
       {TORSOR_COORDINATES, TORSOR_DOFS, TORSOR_JOINTS, TORSOR_FRAMES, TORSOR_LINKS}) {
    const size_t count = torsor_robot_count(robot.get(), part);
    for (size_t k = 0; k < count; ++k) EXPECT_STRNE(torsor_robot_name(robot.get(), part, k), "");
    EXPECT_EQ(torsor_robot_name(robot.get(), part, count), nullptr);
  }
  std::vector<double> lower(n), upper(n);
  ASSERT_EQ(torsor_robot_limits(robot.get(), lower.data(), upper.data(), nullptr, nullptr, nullptr),
            TORSOR_SUCCESS);
  EXPECT_LT(lower[0], upper[0]);
}

TEST_F(Robots, OfLuaTakeParameters) {
  const torsor_setting settings[] = {{"armature", "0"}};
  torsor_load_options options{};
  options.struct_size = sizeof options;
  options.settings = settings;
  options.n_settings = 1;
  const auto with = made_robot(engine_.get(), "scripts/robots/iiwa.lua");
  const auto without = made_robot(engine_.get(), "scripts/robots/iiwa.lua", &options);
  double q[7] = {}, M[2][49];
  const torsor_robot* both[] = {with.get(), without.get()};
  for (int k = 0; k < 2; ++k) {
    const auto evaluator = made<torsor_evaluator>(torsor_evaluator_create, both[k], nullptr);
    torsor_evaluate(evaluator.get(), "mass_matrix", q, nullptr, nullptr, M[k], nullptr);
  }
  EXPECT_GT(M[0][48], M[1][48]);
  EXPECT_EQ(M[0][1], M[1][1]);
}

TEST_F(Robots, AreOpenedFromEveryScene) {
  for (const auto& file : scene_files()) {
    ErrorText error;
    torsor_robot* robot = nullptr;
    EXPECT_EQ(torsor_robot_load(engine_.get(), file.c_str(), nullptr, &robot, &error),
              TORSOR_SUCCESS)
        << file << ": " << error.text;
    torsor_robot_destroy(robot);
  }
}

TEST_F(Robots, ErrorsNameFileAndLine) {
  const std::string lua = written("bad.lua", "local torsor = require 'torsor'\nerror('no arm')\n");
  EXPECT_THAT(failure(lua), StartsWith(lua + ":2: no arm"));
  const std::string urdf = written(
      "bad.urdf", "<robot name='a'>\n <link name='l'/>\n <joint name='j' type='odd'/>\n</robot>\n");
  EXPECT_THAT(failure(urdf), StartsWith(urdf + ":3: "));
  EXPECT_THAT(failure("missing.lua"), HasSubstr("missing.lua"));
  EXPECT_THAT(failure("robot.txt"), HasSubstr("robot.txt"));
  EXPECT_THAT(failure(""), testing::Not(testing::IsEmpty()));
}

TEST_F(Robots, OptionsThatDoNotApplyAreErrors) {
  torsor_load_options options{};
  options.struct_size = sizeof options;
  options.floating_base = 1;
  EXPECT_THAT(failure(source_file("scripts/robots/iiwa.lua"), &options),
              HasSubstr("floating_base is an option of robot files"));
  EXPECT_EQ(
      torsor_robot_count(made_robot(engine_.get(), "scenes/urdf_arm.urdf", &options).get(),
                         TORSOR_COORDINATES),
      7 + torsor_robot_count(made_robot(engine_.get(), "scenes/urdf_arm.urdf").get(), TORSOR_DOFS));
  options.floating_base = 0;
  const torsor_setting twice[] = {{"armature", "0"}, {"armature", "1"}};
  options.settings = twice;
  options.n_settings = 2;
  EXPECT_EQ(failure(source_file("scripts/robots/iiwa.lua"), &options),
            "the setting 'armature' is given twice");
  EXPECT_THAT(failure(source_file("scenes/urdf_arm.urdf"), &options),
              HasSubstr("settings apply to Lua files only"));
  options.settings = nullptr;
  EXPECT_EQ(failure(source_file("scripts/robots/iiwa.lua"), &options), "settings: it is NULL");
  options.n_settings = 0;
  options.solver = "newton_oiler";
  EXPECT_THAT(failure(source_file("scripts/robots/iiwa.lua"), &options),
              HasSubstr("did you mean 'newton_euler'?"));
  options.solver = nullptr;
  options.dt = 1;
  EXPECT_THAT(failure(source_file("scripts/robots/iiwa.lua"), &options),
              HasSubstr("options of scenes"));
}

// Checks that nobody is asked: the engine permits the file or not.
TEST_F(Robots, FilesOutsideTheirFolderNeedAPermission) {
  const ScratchFolder other, home;
  const std::string part = other.write("part.xml",
                                       "<mujocoinclude><body name='b'><joint name='j'/>"
                                       "<geom size='0.1'/></body></mujocoinclude>");
  const std::string robot = scratch_.write(
      "own/robot.xml", "<mujoco><worldbody><include file='" + part + "'/></worldbody></mujoco>");
  setenv("XDG_CONFIG_HOME", home.path().c_str(), 1);
  EXPECT_THAT(failure(robot), StartsWith(robot + ":1: <include>: the file '" + part +
                                         "' is not included: it is outside"));
  torsor_engine_options options{};
  options.struct_size = sizeof options;
  options.allow_plugins = 1;
  const auto engine = made<torsor_engine>(torsor_engine_create, &options);
  const auto handle = made<torsor_robot>(torsor_robot_load, engine.get(), robot.c_str(), nullptr);
  ASSERT_EQ(torsor_robot_count(handle.get(), TORSOR_DOFS), 1u);
  EXPECT_STREQ(torsor_robot_name(handle.get(), TORSOR_DOFS, 0), "j");
  unsetenv("XDG_CONFIG_HOME");
}

// A quaternion of another norm than 1 is an error, as it is for quantities, or is scaled.
TEST_F(Robots, PositionsHaveQuaternionsOfNorm1) {
  const auto robot = made_robot(engine_.get(), "scripts/robots/quadruped.lua");
  const size_t n_q = torsor_robot_count(robot.get(), TORSOR_COORDINATES), n_v = n_q - 1;
  std::vector<double> start(n_q), v(n_v, 0.1), q(n_q), scaled(n_q), d(n_v);
  ErrorText error;
  ASSERT_EQ(torsor_robot_neutral(robot.get(), start.data(), &error), TORSOR_SUCCESS);
  ASSERT_EQ(torsor_robot_integrate(robot.get(), start.data(), v.data(), 1, q.data(), &error),
            TORSOR_SUCCESS);
  std::vector<double> bad = start;
  bad[3] = 1.005;
  ASSERT_EQ(torsor_robot_integrate(robot.get(), bad.data(), v.data(), 1, scaled.data(), &error),
            TORSOR_SUCCESS);
  for (size_t i = 0; i < n_q; ++i) EXPECT_NEAR(scaled[i], q[i], 1e-15);
  for (const double w : {0.0, 2.0}) {
    bad[3] = w;
    EXPECT_EQ(torsor_robot_integrate(robot.get(), bad.data(), v.data(), 1, q.data(), &error),
              TORSOR_USER_ERROR);
    EXPECT_THAT(error.text, StartsWith("q: joint "));
    EXPECT_THAT(error.text, HasSubstr("must be 1 to within 1 %"));
    EXPECT_EQ(torsor_robot_difference(robot.get(), start.data(), bad.data(), d.data(), &error),
              TORSOR_USER_ERROR);
    EXPECT_THAT(error.text, StartsWith("q1: joint "));
    EXPECT_EQ(torsor_robot_difference(robot.get(), bad.data(), start.data(), d.data(), &error),
              TORSOR_USER_ERROR);
    EXPECT_THAT(error.text, StartsWith("q0: joint "));
  }
}

TEST_F(Robots, NullHandlesAreErrors) {
  ErrorText error;
  torsor_robot* robot = nullptr;
  EXPECT_EQ(torsor_robot_load(nullptr, "a.urdf", nullptr, &robot, &error), TORSOR_USER_ERROR);
  EXPECT_STREQ(error.text, "engine: it is NULL");
  EXPECT_EQ(torsor_robot_load(engine_.get(), "a.urdf", nullptr, nullptr, &error),
            TORSOR_USER_ERROR);
  EXPECT_EQ(torsor_robot_load(engine_.get(), nullptr, nullptr, &robot, &error), TORSOR_USER_ERROR);
  EXPECT_EQ(torsor_robot_count(nullptr, TORSOR_DOFS), 0u);
  EXPECT_EQ(torsor_robot_name(nullptr, TORSOR_DOFS, 0), nullptr);
  EXPECT_STREQ(torsor_robot_warnings(nullptr), "");
  EXPECT_EQ(torsor_robot_neutral(nullptr, nullptr, nullptr), TORSOR_USER_ERROR);
  torsor_robot_destroy(nullptr);
}

// Ends the process with 0 if loads fail with the result of too little memory.
[[noreturn]] void load_until_memory_is_full(const torsor_engine* engine) {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_AS, &none);  // the heap cannot grow any more
  const std::string file = source_file("scripts/robots/quadruped.lua");
  for (int k = 0; k < 100'000; ++k) {
    ErrorText error;
    torsor_robot* robot;
    switch (torsor_robot_load(engine, file.c_str(), nullptr, &robot, &error)) {
      case TORSOR_SUCCESS:
        continue;
      case TORSOR_OUT_OF_MEMORY:
        _exit(0);
      case TORSOR_USER_ERROR:  // Lua has a budget of its own, and reports it by its own text
        _exit(std::string(error.text).find("memory") == std::string::npos ? 2 : 0);
      default:
        _exit(3);
    }
  }
  _exit(4);
}

TEST_F(Robots, TooLittleMemoryIsAnError) {
  if (TORSOR_SANITIZED) GTEST_SKIP() << "sanitizers end the process if there is no memory";
  EXPECT_EXIT(load_until_memory_is_full(engine_.get()), testing::ExitedWithCode(0), "");
}

// An evaluator keeps what it needs of the robot and the engine.
TEST_F(Robots, HandlesMayBeDestroyedInAnyOrder) {
  auto robot = made_robot(engine_.get(), "scripts/robots/iiwa.lua");
  const auto evaluator = made<torsor_evaluator>(torsor_evaluator_create, robot.get(), nullptr);
  auto scene = made_scene(engine_.get(), "scenes/lua_computed_torque.lua");
  const auto simulation = made<torsor_simulation>(torsor_simulation_create, scene.get());
  auto other = made<torsor_simulation>(torsor_simulation_create, scene.get());
  const auto signals = made<torsor_signals>(torsor_signals_create, other.get(), nullptr, size_t(0));
  engine_.reset();
  robot.reset();
  scene.reset();
  other.reset();
  const double q[7] = {};
  double g[7];
  EXPECT_EQ(torsor_evaluate(evaluator.get(), "gravity", q, nullptr, nullptr, g, nullptr),
            TORSOR_SUCCESS);
  ErrorText error;
  EXPECT_EQ(torsor_simulation_step(simulation.get(), 5, &error), TORSOR_SUCCESS) << error.text;
  std::vector<double> row(torsor_signals_columns(signals.get()));
  EXPECT_EQ(torsor_signals_run(signals.get(), 1, 1, row.data(), nullptr, &error), TORSOR_SUCCESS)
      << error.text;
}

TEST(Engines, PrintLinesOfScripts) {
  std::vector<std::string> lines;
  const auto engine = made_engine_printing_to(lines);
  const ScratchFolder scratch;
  const std::string file = scratch.file("print.lua");
  std::ofstream(file) << "print('hello', 3)\nreturn require('robots.iiwa')\n";
  made<torsor_robot>(torsor_robot_load, engine.get(), file.c_str(), nullptr);
  EXPECT_EQ(lines, std::vector<std::string>{"hello\t3"});
}

// In a German program, numbers have a decimal comma. Those of scripts have a point.
TEST(Engines, RunScriptsInTheLocaleC) {
  const ScratchFolder scratch;
  const std::string command = "localedef -i de_DE -f UTF-8 " + scratch.file("de_DE.UTF-8");
  if (std::system((command + " >/dev/null 2>&1").c_str()) != 0)
    GTEST_SKIP() << "no locale of Germany";
  setenv("LOCPATH", scratch.path().c_str(), 1);
  ASSERT_TRUE(std::setlocale(LC_ALL, "de_DE.UTF-8"));
  ASSERT_STREQ(std::localeconv()->decimal_point, ",");
  std::vector<std::string> lines;
  torsor_engine_options options{};
  options.struct_size = sizeof options;
  options.user = &lines;
  options.print = [](void* user, const char* line) {
    static_cast<std::vector<std::string>*>(user)->push_back(std::localeconv()->decimal_point +
                                                            std::string(line));
  };
  const auto engine = made<torsor_engine>(torsor_engine_create, &options);
  const std::string file = scratch.file("print.lua");
  std::ofstream(file) << "print(0.5 .. '', tostring(0.25), ('%.1f'):format(1.5), tonumber('2.5'))\n"
                         "return require('robots.iiwa')\n";
  made<torsor_robot>(torsor_robot_load, engine.get(), file.c_str(), nullptr);
  EXPECT_STREQ(std::localeconv()->decimal_point, ",");
  std::setlocale(LC_ALL, "C");
  unsetenv("LOCPATH");
  // The function of the host runs in its own locale.
  EXPECT_EQ(lines, std::vector<std::string>{",0.5\t0.25\t1.5\t2.5"});
}

TEST(Engines, RejectPathsThatDoNotExist) {
  const char* path = "/no/such/folder";
  torsor_engine_options options{};
  options.struct_size = sizeof options;
  options.plugin_paths = &path;
  options.n_plugin_paths = 1;
  ErrorText error;
  torsor_engine* engine = nullptr;
  EXPECT_EQ(torsor_engine_create(&options, &engine, &error), TORSOR_USER_ERROR);
  EXPECT_THAT(error.text, HasSubstr(path));
  EXPECT_EQ(engine, nullptr);
}

}  // namespace
}  // namespace torsor::test
