// Many motions through the C interface: they are those of single simulations and of Lua, to the
// bit for any order of their torques, and a motion that fails does not disturb the others.

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "capi/states.hpp"
#include "support/allocation_counter.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// n motions of a robot with random torques, and their samples.
struct Rollout {
  States starts;
  size_t n, n_q, n_v, steps, every;
  std::vector<double> tau;  // [n][steps][n_v]
  torsor_motions motions{};
  std::vector<double> q, v;  // [n][samples][..]
  std::vector<uint64_t> done;
  ErrorText error;

  Rollout(const torsor_robot* robot, size_t count, size_t step_count, size_t sample_every = 1)
      : starts(robot, count),
        n(count),
        n_q(starts.n_q),
        n_v(starts.n_v),
        steps(step_count),
        every(sample_every),
        tau(n * steps * n_v),
        q(n * samples() * n_q, -4711),
        v(n * samples() * n_v, -4711),
        done(n, 4711) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> number(-5, 5);
    for (double& x : tau) x = number(random);
    motions.struct_size = sizeof motions;
    motions.dt = 1e-3;
    motions.n = n;
    motions.steps = steps;
    motions.sample_every = every;
    motions.q = starts.q.data();
    motions.v = starts.v.data();
    motions.tau = tau.data();
    motions.done = done.data();
  }
  Rollout(const Rollout&) = delete;
  size_t samples() const { return steps / every + 1; }
  torsor_result run(torsor_evaluator* evaluator) {
    return torsor_rollout(evaluator, &motions, q.data(), v.data(), &error);
  }
  // Returns sample s of motion k.
  std::vector<double> q_at(size_t k, size_t s) const {
    const auto at = q.begin() + long((k * samples() + s) * n_q);
    return {at, at + long(n_q)};
  }
  std::vector<double> v_at(size_t k, size_t s) const {
    const auto at = v.begin() + long((k * samples() + s) * n_v);
    return {at, at + long(n_v)};
  }
  bool is_nan(size_t k, size_t s) const {
    const auto every_nan = [](const std::vector<double>& x) {
      return std::ranges::all_of(x, [](double number) { return std::isnan(number); });
    };
    return every_nan(q_at(k, s)) && every_nan(v_at(k, s));
  }
};

class Rollouts : public testing::Test {
 protected:
  Owned<torsor_evaluator> evaluator(const torsor_robot* robot,
                                    const char* solver = "articulated_body") {
    return made<torsor_evaluator>(torsor_evaluator_create, robot, solver);
  }
  // Writes a scene with the robot of a module, which is at rest in its neutral position.
  std::string scene_of(const std::string& module, const std::string& integrator) {
    const std::string file = scratch_.file("scene.lua");
    std::ofstream(file) << "local torsor = require 'torsor'\n"
                           "local world = torsor.world{ gravity = {1, 0, -9} }\n"
                           "world:add(require('robots."
                        << module
                        << "').build{})\n"
                           "return world:experiment{ duration = 1, record = { 'energy' },\n"
                           "  integrator = { '"
                        << integrator << "', dt = 1e-3 } }\n";
    return file;
  }
  // Compares motions with simulations of the same robot, step by step.
  void expect_simulated(const std::string& module, const std::string& integrator) {
    const std::string file = scene_of(module, integrator);
    const auto scene = made<torsor_scene>(torsor_scene_load, engine_.get(), file.c_str(), nullptr);
    const auto robot = made<torsor_robot>(torsor_scene_robot, scene.get());
    const auto own = evaluator(robot.get());
    Rollout rollout(robot.get(), 5, 40, 20);
    rollout.motions.integrator = integrator.c_str();
    ASSERT_EQ(rollout.run(own.get()), TORSOR_SUCCESS) << rollout.error.text;
    EXPECT_THAT(rollout.done, testing::Each(40u));
    std::vector<double> q(rollout.n_q), v(rollout.n_v);
    ErrorText error;
    for (size_t k = 0; k < rollout.n; ++k) {
      const auto simulation = made<torsor_simulation>(torsor_simulation_create, scene.get());
      torsor_simulation_set_state(simulation.get(), &rollout.starts.q[k * rollout.n_q],
                                  &rollout.starts.v[k * rollout.n_v], &error);
      for (size_t t = 0; t < 40; ++t) {
        torsor_simulation_set_torque(simulation.get(), &rollout.tau[(k * 40 + t) * rollout.n_v],
                                     &error);
        ASSERT_EQ(torsor_simulation_step(simulation.get(), 1, &error), TORSOR_SUCCESS)
            << error.text;
      }
      torsor_simulation_state(simulation.get(), q.data(), v.data(), &error);
      for (size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(rollout.q_at(k, 2)[i], q[i], 1e-11);
      for (size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(rollout.v_at(k, 2)[i], v[i], 1e-9);
      EXPECT_NEAR(rollout.v_at(k, 0)[0], rollout.starts.v[k * rollout.n_v], 0);
    }
  }
  ScratchFolder scratch_;
  Owned<torsor_engine> engine_ = made_engine();
  Owned<torsor_robot> robot_ = made_robot(engine_.get(), iiwa);
  Owned<torsor_evaluator> evaluator_ = evaluator(robot_.get());
};

TEST_F(Rollouts, OfAnArmAreItsSimulations) {
  for (const char* integrator : {"rk4", "semi_implicit_euler", "euler"})
    expect_simulated("iiwa", integrator);
}

TEST_F(Rollouts, AreThoseOfLua) {
  std::vector<std::string> lines;
  const auto engine = made_engine_printing_to(lines);
  const std::string file = scratch_.file("rollouts.lua");
  std::ofstream(file) << R"(
local arm = require("robots.iiwa").build{}
local q, v, tau = {}, {}, {}
for k = 1, 20 do
  q[k], v[k], tau[k] = {}, {}, {}
  for i = 1, 7 do q[k][i], v[k][i] = k / 16 - i / 8, i / 4 end
  for t = 1, 10 do
    tau[k][t] = {}
    for i = 1, 7 do tau[k][t][i] = k / 4 - t / 2 + i end
  end
end
local r = arm:dynamics{ solver = "articulated_body" }:rollouts{
  q = q, v = v, tau = tau, dt = 1 / 256, integrator = "rk4", sample_every = 5 }
for k = 1, 20 do
  for s = 1, 3 do
    for i = 1, 7 do print(string.format("%.17g %.17g", r.q[k][s][i], r.v[k][s][i])) end
  end
end
return arm
)";
  const auto robot = made<torsor_robot>(torsor_robot_load, engine.get(), file.c_str(), nullptr);
  Rollout rollout(robot.get(), 20, 10, 5);
  rollout.motions.dt = 1. / 256;
  for (size_t k = 0; k < 20; ++k)
    for (size_t i = 0; i < 7; ++i) {
      rollout.starts.q[7 * k + i] = double(k + 1) / 16 - double(i + 1) / 8;
      rollout.starts.v[7 * k + i] = double(i + 1) / 4;
      for (size_t t = 0; t < 10; ++t)
        rollout.tau[(10 * k + t) * 7 + i] = double(k + 1) / 4 - double(t + 1) / 2 + double(i + 1);
    }
  ASSERT_EQ(rollout.run(evaluator(robot.get()).get()), TORSOR_SUCCESS) << rollout.error.text;
  ASSERT_EQ(lines.size(), 20u * 3 * 7);
  for (size_t k = 0; k < lines.size(); ++k) {
    double q = 0, v = 0;
    ASSERT_EQ(std::sscanf(lines[k].c_str(), "%lg %lg", &q, &v), 2);
    ASSERT_EQ(rollout.q[k], q) << k;
    ASSERT_EQ(rollout.v[k], v) << k;
  }
}

// One step of euler: v + dt vdot, with the gravity and the wrenches of the evaluator, and a
// floating base, whose quaternion keeps its norm.
TEST_F(Rollouts, OfAFloatingBaseHaveGravityAndWrenches) {
  const auto robot = made_robot(engine_.get(), quadruped);
  const auto own = evaluator(robot.get());
  const double gravity[] = {1, 2, -3}, F[] = {1, 2, 3, 40, 50, 60};
  const size_t frame = torsor_robot_count(robot.get(), TORSOR_FRAMES) - 1;
  ErrorText error;
  ASSERT_EQ(torsor_evaluator_set_gravity(own.get(), gravity, &error), TORSOR_SUCCESS);
  ASSERT_EQ(torsor_evaluator_set_wrenches(own.get(), 1, &frame, F, &error), TORSOR_SUCCESS);
  Rollout rollout(robot.get(), 9, 1);
  rollout.motions.integrator = "euler";
  rollout.motions.tau = nullptr;
  ASSERT_EQ(rollout.run(own.get()), TORSOR_SUCCESS) << rollout.error.text;
  std::vector<double> tau(rollout.n_v), vdot(rollout.n_v), next(rollout.n_q);
  for (size_t k = 0; k < 9; ++k) {
    const double *q = &rollout.starts.q[k * rollout.n_q], *v = &rollout.starts.v[k * rollout.n_v];
    for (size_t i = 0; i < rollout.n_v; ++i) tau[i] = i < 6 ? 0 : -0.2 * v[i];  // damping
    ASSERT_EQ(torsor_evaluate(own.get(), "forward_dynamics", q, v, tau.data(), vdot.data(), &error),
              TORSOR_SUCCESS);
    for (size_t i = 0; i < rollout.n_v; ++i)
      EXPECT_NEAR(rollout.v_at(k, 1)[i], v[i] + 1e-3 * vdot[i], 1e-11);
    torsor_robot_integrate(robot.get(), q, v, 1e-3, next.data(), &error);
    for (size_t i = 0; i < rollout.n_q; ++i) EXPECT_NEAR(rollout.q_at(k, 1)[i], next[i], 1e-12);
  }
}

// Every form of the torques gives the bits of the full one.
TEST_F(Rollouts, TakeTorquesInSeveralForms) {
  constexpr size_t n = 30, steps = 6;
  const auto expected = [&](size_t motions, size_t of_steps, const auto& index) {
    Rollout full(robot_.get(), n, steps);
    const std::vector<double> from = full.tau;
    for (size_t k = 0; k < n; ++k)
      for (size_t t = 0; t < steps; ++t)
        for (size_t i = 0; i < 7; ++i)
          full.tau[(k * steps + t) * 7 + i] = from[index(k % motions, t % of_steps) + i];
    EXPECT_EQ(full.run(evaluator_.get()), TORSOR_SUCCESS) << full.error.text;
    return full.v;
  };
  Rollout form(robot_.get(), n, steps);
  const auto run = [&] {
    EXPECT_EQ(form.run(evaluator_.get()), TORSOR_SUCCESS) << form.error.text;
    return form.v;
  };
  form.motions.tau_is_shared = 1;  // [steps][7]
  EXPECT_EQ(run(), expected(1, steps, [](size_t, size_t t) { return 7 * t; }));
  form.motions.tau_is_constant = 1;  // [7]
  EXPECT_EQ(run(), expected(1, 1, [](size_t, size_t) { return size_t(0); }));
  form.motions.tau_is_shared = 0;  // [n][7]
  EXPECT_EQ(run(), expected(n, 1, [](size_t k, size_t) { return 7 * k; }));
  form.motions.tau_is_constant = 0;  // [steps][n][7]
  form.motions.tau_stride = 7;
  form.motions.tau_step_stride = 7 * n;
  EXPECT_EQ(run(), expected(n, steps, [](size_t k, size_t t) { return 7 * (t * n + k); }));
  form.motions.tau = nullptr;
  const std::vector<double> without = run();
  form.motions.tau = form.tau.data();
  std::ranges::fill(form.tau, 0);
  EXPECT_EQ(run(), without);
  form.motions.v = nullptr;  // at rest
  const std::vector<double> at_rest = run();
  form.motions.v = form.starts.v.data();
  std::ranges::fill(form.starts.v, 0);
  EXPECT_EQ(run(), at_rest);
}

// A motion has the same bits alone and among others, also where memory for more is present.
TEST_F(Rollouts, DoNotDependOnTheOtherMotions) {
  Rollout all(robot_.get(), 333, 5);
  ASSERT_EQ(all.run(evaluator_.get()), TORSOR_SUCCESS) << all.error.text;
  for (const size_t k : {size_t(0), size_t(100), size_t(332)}) {
    Rollout one(robot_.get(), 1, 5);
    std::copy_n(all.starts.q.begin() + long(7 * k), 7, one.starts.q.begin());
    std::copy_n(all.starts.v.begin() + long(7 * k), 7, one.starts.v.begin());
    std::copy_n(all.tau.begin() + long(35 * k), 35, one.tau.begin());
    const auto fresh = evaluator(robot_.get());
    for (torsor_evaluator* own : {evaluator_.get(), fresh.get()}) {
      ASSERT_EQ(one.run(own), TORSOR_SUCCESS) << one.error.text;
      EXPECT_EQ(one.q_at(0, 5), all.q_at(k, 5)) << k;
      EXPECT_EQ(one.v_at(0, 5), all.v_at(k, 5)) << k;
    }
  }
}

TEST_F(Rollouts, MotionsThatFailBecomeNaNAndAreCounted) {
  Rollout good(robot_.get(), 300, 8, 2);
  ASSERT_EQ(good.run(evaluator_.get()), TORSOR_SUCCESS) << good.error.text;
  Rollout bad(robot_.get(), 300, 8, 2);
  bad.starts.v[7 * 17 + 3] = nan;                                    // cannot start
  bad.tau[(8 * 4 + 5) * 7 + 2] = nan;                                // fails in step 6
  for (size_t i = 0; i < 7; ++i) bad.starts.v[7 * 290 + i] = 1e200;  // overflows
  EXPECT_EQ(bad.run(evaluator_.get()), TORSOR_USER_ERROR);
  EXPECT_STREQ(bad.error.text,
               "3 of 300 motions fail: motion 4: step 6: tau[2] is nan; give a finite number");
  EXPECT_EQ(bad.done[17], 0u);
  EXPECT_EQ(bad.done[4], 5u);
  EXPECT_LT(bad.done[290], 8u);
  for (size_t k = 0; k < 300; ++k)
    for (size_t s = 0; s < 5; ++s) {
      const bool failed = k == 17 || 2 * s > bad.done[k];
      const bool same = bad.q_at(k, s) == good.q_at(k, s) && bad.v_at(k, s) == good.v_at(k, s);
      ASSERT_TRUE(failed ? bad.is_nan(k, s) : same || k == 290) << k << " " << s;
    }
  bad.motions.n = 18;
  bad.tau[(8 * 4 + 5) * 7 + 2] = 0;
  EXPECT_EQ(bad.run(evaluator_.get()), TORSOR_USER_ERROR);
  EXPECT_STREQ(bad.error.text,
               "1 of 18 motions fail: motion 17: v[3] is nan; give a finite number");
}

TEST_F(Rollouts, ExplainWrongArguments) {
  Rollout rollout(robot_.get(), 2, 6, 2);
  const torsor_motions right = rollout.motions;
  const auto failure = [&](auto change) {
    rollout.motions = right;
    change(rollout.motions);
    EXPECT_EQ(rollout.run(evaluator_.get()), TORSOR_USER_ERROR);
    EXPECT_EQ(rollout.q[0], -4711);
    return std::string(rollout.error.text);
  };
  EXPECT_EQ(failure([](auto& m) { m.dt = 0; }), "dt: it is 0; give a positive number of seconds");
  EXPECT_EQ(failure([](auto& m) { m.dt = nan; }),
            "dt: it is nan; give a positive number of seconds");
  EXPECT_EQ(failure([](auto& m) { m.steps = 0; }),
            "steps: it is 0; give the number of steps of a motion");
  EXPECT_EQ(failure([](auto& m) { m.steps = 5; }),
            "steps is 5 and sample_every is 2; steps must be a multiple of it");
  EXPECT_EQ(failure([](auto& m) { m.integrator = "rk5"; }),
            "integrator 'rk5': rollouts have one of: euler, semi_implicit_euler, rk4; did you mean "
            "'rk4'?");
  EXPECT_THAT(failure([](auto& m) { m.integrator = "dormand_prince"; }),
              StartsWith("integrator 'dormand_prince': rollouts have one of: "));
  EXPECT_EQ(failure([](auto& m) { m.q = nullptr; }), "q: it is NULL");
  EXPECT_EQ(failure([](auto& m) { m.tau_stride = 3; }),
            "tau_stride: it is 3, less than the 7 numbers of a row");
  constexpr size_t huge = std::numeric_limits<size_t>::max() / 16;
  for (const auto member :
       {&torsor_motions::q_stride, &torsor_motions::v_stride, &torsor_motions::tau_stride,
        &torsor_motions::tau_step_stride, &torsor_motions::n, &torsor_motions::steps})
    EXPECT_THAT(failure([&](auto& m) { m.*member = huge - huge % 2; }),
                HasSubstr("exceed the memory of every machine"));
  rollout.motions = right;
  EXPECT_EQ(torsor_rollout(evaluator_.get(), &right, nullptr, rollout.v.data(), &rollout.error),
            TORSOR_USER_ERROR);
  EXPECT_EQ(torsor_rollout(evaluator_.get(), nullptr, nullptr, nullptr, nullptr),
            TORSOR_USER_ERROR);
  // The evaluator still works.
  EXPECT_EQ(rollout.run(evaluator_.get()), TORSOR_SUCCESS) << rollout.error.text;
}

TEST_F(Rollouts, RejectJointsWithFriction) {
  const auto robot = made_robot(engine_.get(), "scenes/stiction.lua");
  Rollout rollout(robot.get(), 1, 1);
  EXPECT_EQ(rollout.run(evaluator(robot.get()).get()), TORSOR_USER_ERROR);
  EXPECT_THAT(rollout.error.text, HasSubstr("joints may only have damping and armature"));
}

TEST_F(Rollouts, DoNotAllocate) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
  Rollout rollout(robot_.get(), 300, 5);
  ASSERT_EQ(rollout.run(evaluator_.get()), TORSOR_SUCCESS) << rollout.error.text;
  const long before = allocations();
  ASSERT_EQ(rollout.run(evaluator_.get()), TORSOR_SUCCESS) << rollout.error.text;
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace torsor::test
