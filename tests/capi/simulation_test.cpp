// Simulations through the C interface: they give the bits of the engine, snapshots continue with
// the same bits, and functions of the host act.

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <thread>

#include "capi/handles.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/run/run.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Simulations : public testing::Test {
 protected:
  Owned<torsor_simulation> simulation(const std::string& name,
                                      const torsor_load_options* options = nullptr) {
    scene_ = made_scene(engine_.get(), name, options);
    return made<torsor_simulation>(torsor_simulation_create, scene_.get());
  }
  void step(const Owned<torsor_simulation>& simulation, uint64_t n) {
    ErrorText error;
    ASSERT_EQ(torsor_simulation_step(simulation.get(), n, &error), TORSOR_SUCCESS) << error.text;
  }
  Owned<torsor_engine> engine_ = made_engine();
  Owned<torsor_scene> scene_;
};

// Scenes with controls, changes during the run, contacts, closed loops and events.
TEST_F(Simulations, HaveTheBitsOfRuns) {
  const Registry plugins({TORSOR_PLUGIN_DIR});
  for (const char* name :
       {"scenes/double_pendulum.lua", "scenes/computed_torque.lua", "scenes/changed_target.lua",
        "scenes/four_bar.lua", "scenes/dropped_ball.lua", "scenes/stiction.lua"}) {
    const auto hosted = simulation(name);
    torsor::Run run(load_scene(source_file(name), {}, &plugins));
    const auto ignore = [](std::span<const double>) {};
    run.begin(ignore);
    const uint64_t steps = uint64_t(std::min(run.steps(), 400LL));
    for (uint64_t k = 0; k < steps; ++k) run.advance(ignore);
    step(hosted, steps);
    EXPECT_EQ(torsor_simulation_hash(hosted.get()), run.simulation().state_hash()) << name;
    EXPECT_EQ(torsor_simulation_steps(hosted.get()), steps);
    EXPECT_EQ(torsor_simulation_time(hosted.get()), run.simulation().time());
  }
}

TEST_F(Simulations, ContinueFromSnapshotsWithTheSameBits) {
  const auto simulation = this->simulation("scenes/adaptive.lua");
  const std::vector<double> tau(7, 0.5);
  step(simulation, 30);
  ErrorText error;
  ASSERT_EQ(torsor_simulation_set_torque(simulation.get(), tau.data(), &error), TORSOR_SUCCESS)
      << error.text;
  step(simulation, 20);
  const auto snapshot = made<torsor_snapshot>(torsor_simulation_snapshot, simulation.get());
  step(simulation, 50);
  const uint64_t expected = torsor_simulation_hash(simulation.get());
  const std::vector<double> other(7, -3);
  ASSERT_EQ(torsor_simulation_set_torque(simulation.get(), other.data(), &error), TORSOR_SUCCESS);
  step(simulation, 10);
  ASSERT_EQ(torsor_simulation_restore(simulation.get(), snapshot.get(), &error), TORSOR_SUCCESS);
  EXPECT_EQ(torsor_simulation_steps(simulation.get()), 50u);
  step(simulation, 50);
  EXPECT_EQ(torsor_simulation_hash(simulation.get()), expected);
  // In another simulation of the scene too, with the torques.
  const auto fork = made<torsor_simulation>(torsor_simulation_create, scene_.get());
  ASSERT_EQ(torsor_simulation_restore(fork.get(), snapshot.get(), &error), TORSOR_SUCCESS);
  step(fork, 50);
  EXPECT_EQ(torsor_simulation_hash(fork.get()), expected);

  const auto pendulum = this->simulation("scenes/double_pendulum.lua");
  EXPECT_EQ(torsor_simulation_restore(pendulum.get(), snapshot.get(), &error), TORSOR_USER_ERROR);
  EXPECT_THAT(error.text, HasSubstr("of another scene"));
}

// Snapshots of other mechanisms are errors, also if their states have the same sizes.
TEST_F(Simulations, RejectSnapshotsOfOtherMechanisms) {
  const auto drop = this->simulation("scenes/dropped_ball.lua");
  const auto loop = this->simulation("scenes/four_bar.lua");
  const auto snapshot = made<torsor_snapshot>(torsor_simulation_snapshot, drop.get());
  const uint64_t before = torsor_simulation_hash(loop.get());
  ErrorText error;
  EXPECT_EQ(torsor_simulation_restore(loop.get(), snapshot.get(), &error), TORSOR_USER_ERROR);
  EXPECT_THAT(error.text, HasSubstr("its mechanism or dt is another one"));
  EXPECT_EQ(torsor_simulation_hash(loop.get()), before);
  torsor_load_options options{};
  options.struct_size = sizeof options;
  options.dt = 0.0025;
  const auto scene = made_scene(engine_.get(), "scenes/dropped_ball.lua", &options);
  const auto finer = made<torsor_simulation>(torsor_simulation_create, scene.get());
  EXPECT_EQ(torsor_simulation_restore(finer.get(), snapshot.get(), &error), TORSOR_USER_ERROR);
}

TEST_F(Simulations, SaveAndLoadBytes) {
  const auto simulation = this->simulation("scenes/changed_target.lua");
  step(simulation, 40);
  size_t size = 0;
  ErrorText error;
  ASSERT_EQ(torsor_simulation_save(simulation.get(), nullptr, 0, &size, &error), TORSOR_SUCCESS);
  std::vector<std::byte> bytes(size);
  ASSERT_EQ(torsor_simulation_save(simulation.get(), bytes.data(), size, &size, &error),
            TORSOR_SUCCESS);
  step(simulation, 25);
  const uint64_t expected = torsor_simulation_hash(simulation.get());
  const auto other = made<torsor_simulation>(torsor_simulation_create, scene_.get());
  ASSERT_EQ(torsor_simulation_load(other.get(), bytes.data(), size, &error), TORSOR_SUCCESS)
      << error.text;
  EXPECT_EQ(torsor_simulation_steps(other.get()), 40u);
  step(other, 25);
  EXPECT_EQ(torsor_simulation_hash(other.get()), expected);
  bytes[size / 2] ^= std::byte(1);
  EXPECT_EQ(torsor_simulation_load(other.get(), bytes.data(), size, &error), TORSOR_USER_ERROR);
  EXPECT_EQ(torsor_simulation_hash(other.get()), expected);
}

TEST_F(Simulations, TakeStates) {
  const auto simulation = this->simulation("scenes/double_pendulum.lua");
  const double q[] = {1, 0.5, -1, -0.5}, v[] = {0, 0.1, 0.2, 0.3};
  double read_q[4], read_v[4];
  ErrorText error;
  ASSERT_EQ(torsor_simulation_set_state(simulation.get(), q, v, &error), TORSOR_SUCCESS)
      << error.text;
  ASSERT_EQ(torsor_simulation_state(simulation.get(), read_q, read_v, &error), TORSOR_SUCCESS);
  EXPECT_THAT(read_q, testing::ElementsAreArray(q));
  EXPECT_THAT(read_v, testing::ElementsAreArray(v));
  const double other[] = {0, 0, 0, 0};
  ASSERT_EQ(torsor_simulation_set_state(simulation.get(), nullptr, other, &error), TORSOR_SUCCESS);
  ASSERT_EQ(torsor_simulation_state(simulation.get(), read_q, read_v, &error), TORSOR_SUCCESS);
  EXPECT_THAT(read_q, testing::ElementsAreArray(q));
  EXPECT_THAT(read_v, testing::ElementsAreArray(other));
  const double bad[] = {0, std::nan(""), 0, 0};
  EXPECT_EQ(torsor_simulation_set_state(simulation.get(), bad, nullptr, &error), TORSOR_USER_ERROR);
  EXPECT_STREQ(error.text, "q[1] is nan; give a finite number");
}

TEST_F(Simulations, ProvideSignals) {
  const auto simulation = this->simulation("scenes/double_pendulum.lua");
  const auto recorded =
      made<torsor_signals>(torsor_signals_create, simulation.get(), nullptr, size_t(0));
  EXPECT_STREQ(torsor_signals_name(recorded.get(), 0), "time");
  EXPECT_STREQ(torsor_signals_name(recorded.get(), 1), "first.q.joint1");
  EXPECT_STREQ(torsor_signals_unit(recorded.get(), 1), "rad");
  const char* names[] = {"second.q", "energy"};
  const auto chosen =
      made<torsor_signals>(torsor_signals_create, simulation.get(), names, size_t(2));
  const size_t columns = torsor_signals_columns(chosen.get());
  EXPECT_EQ(torsor_signals_name(chosen.get(), columns), nullptr);
  std::vector<double> rows(5 * columns), row(columns);
  uint64_t done = 0;
  ErrorText error;
  ASSERT_EQ(torsor_signals_run(chosen.get(), 50, 10, rows.data(), &done, &error), TORSOR_SUCCESS)
      << error.text;
  EXPECT_EQ(done, 5u);
  EXPECT_EQ(torsor_simulation_steps(simulation.get()), 50u);
  EXPECT_NEAR(rows[0], 0.01, 1e-15);
  ASSERT_EQ(torsor_signals_read(chosen.get(), row.data(), &error), TORSOR_SUCCESS);
  EXPECT_TRUE(std::equal(row.begin(), row.end(), rows.end() - long(columns)));
  double q[4];
  torsor_simulation_state(simulation.get(), q, nullptr, &error);
  EXPECT_EQ(row[1], q[2]);
  EXPECT_EQ(torsor_signals_run(chosen.get(), 5, 2, rows.data(), &done, &error), TORSOR_USER_ERROR);
  EXPECT_EQ(done, 0u);

  const char* unknown[] = {"first.p"};
  torsor_signals* none = nullptr;
  EXPECT_EQ(torsor_signals_create(simulation.get(), unknown, 1, &none, &error), TORSOR_USER_ERROR);
  EXPECT_THAT(error.text, HasSubstr("there is no signal 'first.p'"));
  size_t count = 0;
  while (torsor_simulation_signal(simulation.get(), count)) ++count;
  EXPECT_GT(count, 20u);
}

// The accelerations of a closed mechanism are those of its simulation, and inverse dynamics returns
// torques that exert them.
TEST_F(Simulations, OfClosedMechanismsAgreeWithQuantities) {
  const torsor_setting settings[] = {{"torque", "3"}};
  torsor_load_options options{};
  options.struct_size = sizeof options;
  options.settings = settings;
  options.n_settings = 1;
  const auto simulation = this->simulation("scenes/four_bar.lua", &options);
  const auto robot = made<torsor_robot>(torsor_scene_robot, scene_.get());
  const auto evaluator = made<torsor_evaluator>(torsor_evaluator_create, robot.get(), nullptr);
  step(simulation, 200);
  double q[3], v[3], vdot[3], tau[3], again[3];
  ErrorText error;
  torsor_simulation_state(simulation.get(), q, v, &error);
  const char* names[] = {"linkage.vdot", "linkage.tau"};
  const auto signals =
      made<torsor_signals>(torsor_signals_create, simulation.get(), names, size_t(2));
  double row[7];
  ASSERT_EQ(torsor_signals_columns(signals.get()), 7u);
  ASSERT_EQ(torsor_signals_read(signals.get(), row, &error), TORSOR_SUCCESS);
  EXPECT_EQ(row[4], -3);
  const auto evaluate = [&](const char* name, const double* x, double* out) {
    EXPECT_EQ(torsor_evaluate(evaluator.get(), name, q, v, x, out, &error), TORSOR_SUCCESS)
        << error.text;
  };
  evaluate("constrained_forward_dynamics", row + 4, vdot);
  evaluate("constrained_inverse_dynamics", vdot, tau);
  evaluate("constrained_forward_dynamics", tau, again);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(vdot[i], row[1 + i], 1e-7 * std::abs(row[1]));
    EXPECT_NEAR(again[i], vdot[i], 1e-7 * std::abs(vdot[0]));
  }
  q[0] += 0.1;
  EXPECT_EQ(
      torsor_evaluate(evaluator.get(), "constrained_forward_dynamics", q, v, tau, vdot, &error),
      TORSOR_USER_ERROR);
}

TEST_F(Simulations, TakeSettingsOfRuns) {
  const torsor_setting settings[] = {{"gap", "0.5"}};
  torsor_load_options options{};
  options.struct_size = sizeof options;
  options.settings = settings;
  options.n_settings = 1;
  options.dt = 2e-3;
  options.duration = 1;
  options.integrator = "dormand_prince";
  const auto simulation = this->simulation("scenes/double_pendulum.lua", &options);
  EXPECT_EQ(torsor_scene_dt(scene_.get()), 2e-3);
  EXPECT_EQ(torsor_scene_duration(scene_.get()), 1);
  EXPECT_STREQ(torsor_scene_parameter(scene_.get(), 0), "gap");
  EXPECT_STREQ(torsor_scene_value(scene_.get(), 0), "0.5");
  EXPECT_EQ(torsor_scene_parameter(scene_.get(), 1), nullptr);
  double q[4];
  torsor_simulation_state(simulation.get(), q, nullptr, nullptr);
  EXPECT_EQ(q[2] - q[0], 0.5);
  options.integrator = "rk5";
  ErrorText error;
  torsor_scene* scene = nullptr;
  const std::string file = source_file("scenes/double_pendulum.lua");
  EXPECT_EQ(torsor_scene_load(engine_.get(), file.c_str(), &options, &scene, &error),
            TORSOR_USER_ERROR);
  EXPECT_THAT(error.text, StartsWith("integrator rk5: there is no such integrator"));
}

// A PD law in C: the pendulum is a damped oscillator about the target, and comes to rest there.
int32_t pd_law(void* user, const torsor_control_state* at, double* tau) {
  const double target = *static_cast<double*>(user);
  for (size_t k = 0; k < at->n_v; ++k) tau[k] = 400 * (target - at->q[k]) - 40 * at->v[k];
  return 0;
}

torsor_control control_of(const char* name, const char* robot,
                          int32_t (*function)(void*, const torsor_control_state*, double*),
                          void* user) {
  torsor_control out{};
  out.struct_size = sizeof out;
  out.name = name;
  out.robot = robot;
  out.function = function;
  out.user = user;
  return out;
}

TEST_F(Simulations, CallControlLawsOfTheHost) {
  scene_ = made_scene(engine_.get(), "scenes/double_pendulum.lua");
  double target = 0.7;
  torsor_control control = control_of("hold", "first", pd_law, &target);
  ErrorText error;
  ASSERT_EQ(torsor_scene_add_control(scene_.get(), &control, &error), TORSOR_SUCCESS) << error.text;
  EXPECT_EQ(torsor_scene_add_control(scene_.get(), &control, &error), TORSOR_USER_ERROR);
  EXPECT_THAT(error.text, HasSubstr("has a control 'hold' already"));
  control.robot = nullptr;
  EXPECT_EQ(torsor_scene_add_control(scene_.get(), &control, &error), TORSOR_USER_ERROR);
  EXPECT_THAT(error.text, HasSubstr("the scene has 2 robots"));
  control.robot = "second";
  control.period = 0.01;  // sampled
  ASSERT_EQ(torsor_scene_add_control(scene_.get(), &control, &error), TORSOR_SUCCESS) << error.text;
  const auto simulation = made<torsor_simulation>(torsor_simulation_create, scene_.get());
  step(simulation, 5000);
  double q[4];
  torsor_simulation_state(simulation.get(), q, nullptr, nullptr);
  for (const double angle : q) EXPECT_NEAR(angle, target, 0.1);
}

// A force of the host that cancels gravity: the centre of mass of a free body moves on a line.
int32_t lift(void* user, const torsor_force_state* at, double*, double* F_W) {
  EXPECT_EQ(at->n_frames, 1u);
  F_W[5] = *static_cast<double*>(user);
  return 0;
}

TEST_F(Simulations, CallForcesOfTheHost) {
  const auto fall = [&](double force) {
    scene_ = made_scene(engine_.get(), "scenes/dropped_box.lua");
    const auto robot = made<torsor_robot>(torsor_scene_robot, scene_.get());
    const char* frame = torsor_robot_name(robot.get(), TORSOR_FRAMES, 0);
    torsor_external_force lifting{};
    lifting.struct_size = sizeof lifting;
    lifting.name = "lift";
    lifting.frames = &frame;
    lifting.n_frames = 1;
    lifting.function = lift;
    lifting.user = &force;
    ErrorText error;
    EXPECT_EQ(torsor_scene_add_force(scene_.get(), &lifting, &error), TORSOR_SUCCESS) << error.text;
    const auto simulation = made<torsor_simulation>(torsor_simulation_create, scene_.get());
    step(simulation, 20);
    double q[7];
    torsor_simulation_state(simulation.get(), q, nullptr, nullptr);
    return q[2];
  };
  const double without = fall(0), with = fall(1);
  EXPECT_GT(with, without);
  // The height is a linear function of the force.
  EXPECT_NEAR(fall(2) - with, with - without, 1e-9);
}

TEST_F(Simulations, AFunctionOfTheHostMayEndTheRun) {
  scene_ = made_scene(engine_.get(), "scenes/iiwa_free_swing.lua");
  const torsor_control control = control_of(
      "late", nullptr,
      [](void*, const torsor_control_state* at, double*) -> int32_t {
        return at->t > 0.05 ? 7 : 0;
      },
      nullptr);
  ErrorText error;
  ASSERT_EQ(torsor_scene_add_control(scene_.get(), &control, &error), TORSOR_SUCCESS) << error.text;
  const auto simulation = made<torsor_simulation>(torsor_simulation_create, scene_.get());
  EXPECT_EQ(torsor_simulation_step(simulation.get(), 1000, &error), TORSOR_USER_ERROR);
  EXPECT_THAT(error.text, StartsWith(source_file("scenes/iiwa_free_swing.lua") + ": "));
  EXPECT_THAT(error.text, HasSubstr("the function of the host returned 7"));
  EXPECT_NEAR(torsor_simulation_time(simulation.get()), 0.05, 2e-3);
}

class Recordings : public Simulations {
 protected:
  ScratchFolder scratch_;
  std::string file_ = scratch_.file("recording.h5");
};

TEST_F(Recordings, AreWrittenAndRead) {
  torsor_load_options options{};
  options.struct_size = sizeof options;
  options.duration = 0.5;
  scene_ = made_scene(engine_.get(), "scenes/double_pendulum.lua", &options);
  ErrorText error;
  ASSERT_EQ(torsor_scene_record(scene_.get(), file_.c_str(), nullptr, nullptr, &error),
            TORSOR_SUCCESS)
      << error.text;
  auto recording = made<torsor_recording>(torsor_recording_read, file_.c_str());
  const size_t columns = torsor_recording_columns(recording.get());
  EXPECT_EQ(torsor_recording_rows(recording.get()), 51u);
  EXPECT_STREQ(torsor_recording_name(recording.get(), 0), "time");
  EXPECT_STREQ(torsor_recording_unit(recording.get(), 1), "rad");
  EXPECT_EQ(torsor_recording_values(recording.get())[50 * columns], 0.5);
  EXPECT_STREQ(torsor_recording_problem(recording.get()), "");
  EXPECT_THAT(torsor_recording_description(recording.get()), HasSubstr("\"complete\": true"));
  EXPECT_THAT(torsor_recording_description(recording.get()),
              testing::Not(HasSubstr("host_functions")));

  // A run with a function of the host is marked.
  double target = 0;
  const torsor_control control = control_of("hold", "first", pd_law, &target);
  ASSERT_EQ(torsor_scene_add_control(scene_.get(), &control, &error), TORSOR_SUCCESS);
  ASSERT_EQ(torsor_scene_record(scene_.get(), file_.c_str(), nullptr, nullptr, &error),
            TORSOR_SUCCESS);
  recording = made<torsor_recording>(torsor_recording_read, file_.c_str());
  const std::string description = torsor_recording_description(recording.get());
  EXPECT_THAT(description, HasSubstr("\"host_functions\": [\n   \"first.hold\"\n  ]"));
  EXPECT_THAT(description, HasSubstr("\"replayable\": false"));
}

TEST_F(Recordings, MayBeStopped) {
  torsor_load_options options{};
  options.struct_size = sizeof options;
  options.duration = 1000;
  scene_ = made_scene(engine_.get(), "scenes/double_pendulum.lua", &options);
  ErrorText error;
  uint64_t seen = 0;
  EXPECT_EQ(torsor_scene_record(
                scene_.get(), file_.c_str(),
                [](void* user, uint64_t done, uint64_t all) -> int32_t {
                  EXPECT_EQ(all, 1'000'000u);
                  *static_cast<uint64_t*>(user) = done;
                  return 1;
                },
                &seen, &error),
            TORSOR_STOPPED);
  EXPECT_GT(seen, 0u);
  const auto recording = made<torsor_recording>(torsor_recording_read, file_.c_str());
  EXPECT_STREQ(torsor_recording_problem(recording.get()), "interrupted");
}

// Each thread has simulations of its own; the engine is shared.
TEST_F(Simulations, RunInThreads) {
  std::vector<uint64_t> hashes(6);
  std::vector<std::thread> threads;
  const auto shared = made_scene(engine_.get(), "scenes/lua_computed_torque.lua");
  for (uint64_t& hash : hashes)
    threads.emplace_back([&] {
      const bool shares = &hash < &hashes[3];
      const auto scene = shares ? Owned<torsor_scene>()
                                : made_scene(engine_.get(), "scenes/lua_computed_torque.lua");
      const auto own =
          made<torsor_simulation>(torsor_simulation_create, shares ? shared.get() : scene.get());
      torsor_simulation_step(own.get(), 100, nullptr);
      hash = torsor_simulation_hash(own.get());
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(hashes, testing::Each(hashes[0]));
  EXPECT_NE(hashes[0], 0u);
}

}  // namespace
}  // namespace torsor::test
