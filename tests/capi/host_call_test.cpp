// Functions of the host that call the interface while it calls them: calls into the same
// simulation are errors, and destroying a handle takes effect after the running call.

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <functional>

#include "capi/handles.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A simulation whose control law calls `act` once, in its first call within a step.
class HostCalls : public testing::Test {
 protected:
  void SetUp() override {
    scene_ = made_scene(engine_.get(), "scenes/iiwa_free_swing.lua").release();
    torsor_control control{};
    control.struct_size = sizeof control;
    control.name = "caller";
    control.function = [](void* user, const torsor_control_state*, double*) -> int32_t {
      auto& act = *static_cast<std::function<void()>*>(user);
      if (act) std::exchange(act, {})();
      return 0;
    };
    control.user = &act_;
    ErrorText error;
    ASSERT_EQ(torsor_scene_add_control(scene_, &control, &error), TORSOR_SUCCESS) << error.text;
    simulation_ = made<torsor_simulation>(torsor_simulation_create, scene_).release();
    signals_ =
        made<torsor_signals>(torsor_signals_create, simulation_, nullptr, size_t(0)).release();
    row_.resize(torsor_signals_columns(signals_));
  }
  void TearDown() override {
    torsor_signals_destroy(signals_);
    torsor_simulation_destroy(simulation_);
    torsor_scene_destroy(scene_);
  }
  torsor_result step(uint64_t n = 1) { return torsor_simulation_step(simulation_, n, &error_); }

  Owned<torsor_engine> engine_ = made_engine();
  torsor_scene* scene_ = nullptr;
  torsor_simulation* simulation_ = nullptr;
  torsor_signals* signals_ = nullptr;
  std::vector<double> row_;
  std::function<void()> act_;
  ErrorText error_;
  ScratchFolder scratch_;
};

TEST_F(HostCalls, IntoTheirSimulationAreErrors) {
  ASSERT_EQ(step(), TORSOR_SUCCESS) << error_.text;
  const auto snapshot = made<torsor_snapshot>(torsor_simulation_snapshot, simulation_);
  double q[7] = {};
  size_t size = 0;
  ErrorText inner;
  const std::function<torsor_result()> calls[] = {
      [&] { return torsor_simulation_step(simulation_, 1, &inner); },
      [&] { return torsor_simulation_state(simulation_, q, nullptr, &inner); },
      [&] { return torsor_simulation_set_state(simulation_, q, nullptr, &inner); },
      [&] { return torsor_simulation_set_torque(simulation_, q, &inner); },
      [&] {
        torsor_snapshot* none = nullptr;
        return torsor_simulation_snapshot(simulation_, &none, &inner);
      },
      [&] { return torsor_simulation_restore(simulation_, snapshot.get(), &inner); },
      [&] { return torsor_simulation_save(simulation_, nullptr, 0, &size, &inner); },
      [&] { return torsor_simulation_load(simulation_, q, sizeof q, &inner); },
      [&] { return torsor_signals_read(signals_, row_.data(), &inner); },
      [&] { return torsor_signals_run(signals_, 1, 1, row_.data(), nullptr, &inner); },
  };
  for (const auto& call : calls) {
    const uint64_t steps = torsor_simulation_steps(simulation_);
    torsor_result result = TORSOR_SUCCESS;
    act_ = [&] { result = call(); };
    ASSERT_EQ(step(), TORSOR_SUCCESS) << error_.text;
    EXPECT_EQ(result, TORSOR_USER_ERROR);
    EXPECT_STREQ(inner.text,
                 "simulation: a function that it calls must not use it; use the arguments of the "
                 "function, or call this after the step");
    EXPECT_EQ(torsor_simulation_steps(simulation_), steps + 1);
  }
  // Reading the time is allowed, and so is another simulation.
  act_ = [&] {
    EXPECT_GT(torsor_simulation_time(simulation_), 0);
    const auto other = made<torsor_simulation>(torsor_simulation_create, scene_);
    EXPECT_EQ(torsor_simulation_step(other.get(), 3, &inner), TORSOR_SUCCESS) << inner.text;
  };
  EXPECT_EQ(step(), TORSOR_SUCCESS) << error_.text;
  EXPECT_FALSE(act_);
}

// Rows of signals are steps too.
TEST_F(HostCalls, AreErrorsInRunsOfSignals) {
  ErrorText inner;
  std::vector<double> rows(2 * row_.size());
  act_ = [&] { EXPECT_EQ(torsor_simulation_step(simulation_, 1, &inner), TORSOR_USER_ERROR); };
  ASSERT_EQ(torsor_signals_run(signals_, 2, 1, rows.data(), nullptr, &error_), TORSOR_SUCCESS);
  EXPECT_THAT(inner.text, StartsWith("simulation: "));
  EXPECT_EQ(torsor_simulation_steps(simulation_), 2u);
}

// The call continues to its end with memory that it keeps.
TEST_F(HostCalls, MayDestroyTheHandlesInUse) {
  act_ = [&] {
    torsor_simulation_destroy(std::exchange(simulation_, nullptr));
    torsor_scene_destroy(std::exchange(scene_, nullptr));
    engine_.reset();
  };
  EXPECT_EQ(step(20), TORSOR_SUCCESS) << error_.text;
  EXPECT_EQ(simulation_, nullptr);
  // The signals keep the simulation. Now they are destroyed too, within their own call.
  torsor_signals* const signals = signals_;
  act_ = [&] { torsor_signals_destroy(std::exchange(signals_, nullptr)); };
  std::vector<double> rows(10 * row_.size());
  EXPECT_EQ(torsor_signals_run(signals, 10, 1, rows.data(), nullptr, &error_), TORSOR_SUCCESS)
      << error_.text;
  EXPECT_NEAR(rows[9 * row_.size()], 0.030, 1e-12);
}

TEST_F(HostCalls, MayDestroyTheSceneThatIsRecordedOrSimulated) {
  act_ = [&] { torsor_scene_destroy(std::exchange(scene_, nullptr)); };
  const torsor_scene* const scene = scene_;
  const std::string file = scratch_.file("recording.h5");
  EXPECT_EQ(torsor_scene_record(scene, file.c_str(), nullptr, nullptr, &error_), TORSOR_SUCCESS)
      << error_.text;
  EXPECT_EQ(scene_, nullptr);
  const auto recording = made<torsor_recording>(torsor_recording_read, file.c_str());
  EXPECT_STREQ(torsor_recording_problem(recording.get()), "");
}

// Destroys the engine at the first call of the progress function. The study continues until the
// second call stops it.
TEST_F(HostCalls, MayDestroyTheEngineOfAStudy) {
  struct User {
    Owned<torsor_engine>& engine;
    int calls = 0;
  } user{engine_};
  torsor_study_options options{};
  options.struct_size = sizeof options;
  options.samples = 100'000;
  options.user = &user;
  options.progress = [](void* given, uint64_t, uint64_t) -> int32_t {
    auto& [of_test, calls] = *static_cast<User*>(given);
    of_test.reset();
    return ++calls == 2;
  };
  const std::string scene = scratch_.file("study.lua"), table = scratch_.file("study.h5");
  std::ofstream(scene) << "local torsor = require 'torsor'\n"
                          "local p = torsor.params{ armature = torsor.uniform(0, 1) }\n"
                          "local world = torsor.world{}\n"
                          "world:add(require('robots.iiwa').build{})\n"
                          "return world:experiment{ duration = 0.5, record = { 'iiwa.q' },\n"
                          "  integrator = { 'rk4', dt = 1e-3 } }\n";
  const torsor_engine* const engine = engine_.get();
  EXPECT_EQ(torsor_study_run(engine, scene.c_str(), table.c_str(), &options, &error_),
            TORSOR_STOPPED)
      << error_.text;
  EXPECT_FALSE(engine_);
  EXPECT_EQ(user.calls, 2);
}

TEST_F(HostCalls, NamesOfControlsAndForcesAreChecked) {
  torsor_control control{};
  control.struct_size = sizeof control;
  control.function = [](void*, const torsor_control_state*, double*) { return int32_t(0); };
  torsor_external_force force{};
  force.struct_size = sizeof force;
  force.function = [](void*, const torsor_force_state*, double*, double*) { return int32_t(0); };
  for (const char* name : {"", "a.b", "two\nlines", "\xff"}) {
    control.name = force.name = name;
    EXPECT_EQ(torsor_scene_add_control(scene_, &control, &error_), TORSOR_USER_ERROR);
    EXPECT_THAT(error_.text, HasSubstr("the name of a control is text on one line without dots"));
    EXPECT_EQ(torsor_scene_add_force(scene_, &force, &error_), TORSOR_USER_ERROR);
    EXPECT_THAT(error_.text, HasSubstr("the name of a force is text on one line without dots"));
  }
}

// A force acts once. In another call, the same name is a mistake.
TEST_F(HostCalls, ForcesHaveDifferentNames) {
  torsor_external_force force{};
  force.struct_size = sizeof force;
  force.name = "push";
  force.function = [](void*, const torsor_force_state*, double*, double*) { return int32_t(0); };
  ASSERT_EQ(torsor_scene_add_force(scene_, &force, &error_), TORSOR_SUCCESS) << error_.text;
  EXPECT_EQ(torsor_scene_add_force(scene_, &force, &error_), TORSOR_USER_ERROR);
  EXPECT_THAT(error_.text, HasSubstr("'iiwa' has a function 'push' of the host already"));
  force.name = "pull";
  EXPECT_EQ(torsor_scene_add_force(scene_, &force, &error_), TORSOR_SUCCESS) << error_.text;
}

TEST_F(HostCalls, NumbersOfForcesAreFinite) {
  const char* const frames[] = {"link7"};
  torsor_external_force force{};
  force.struct_size = sizeof force;
  force.frames = frames;
  force.n_frames = 1;
  for (const bool is_torque : {true, false}) {
    const auto scene = made_scene(engine_.get(), "scenes/iiwa_free_swing.lua");
    force.name = is_torque ? "twist" : "push";
    if (is_torque)
      force.function = [](void*, const torsor_force_state* at, double* tau, double*) -> int32_t {
        tau[6] = at->t > 0.01 ? INFINITY : 0;
        return 0;
      };
    else
      force.function = [](void*, const torsor_force_state* at, double*, double* F_W) -> int32_t {
        F_W[5] = at->t > 0.01 ? NAN : 0;
        return 0;
      };
    ASSERT_EQ(torsor_scene_add_force(scene.get(), &force, &error_), TORSOR_SUCCESS) << error_.text;
    const auto simulation = made<torsor_simulation>(torsor_simulation_create, scene.get());
    EXPECT_EQ(torsor_simulation_step(simulation.get(), 100, &error_), TORSOR_USER_ERROR);
    EXPECT_THAT(error_.text, HasSubstr(is_torque ? "force 'iiwa.twist': the function of the host "
                                                   "wrote torques that are not finite"
                                                 : "force 'iiwa.push': the function of the host "
                                                   "wrote wrenches that are not finite"));
    EXPECT_NEAR(torsor_simulation_time(simulation.get()), 0.01, 2e-3);
  }
}

}  // namespace
}  // namespace torsor::test
