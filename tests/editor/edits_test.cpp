// Pulls and parameters of controls as edits of a run: against closed forms, and against runs that were made with them.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "editor/session_fixture.hpp"
#include "torsor/scripting/script.hpp"
#include "torsor/simulation/experiment.hpp"

namespace torsor::editor::test {
namespace {

using testing::HasSubstr;

constexpr const char* slide_scene = R"(
local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
arm:link{ name = "post", joint = { "fixed", name = "foot" }, inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
arm:link{ name = "block", parent = "post", joint = { "prismatic", name = "slide", axis = {1, 0, 0} },
          inertia = { mass = 2.5, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
local world = torsor.world{ gravity = {0, 0, 0} }
world:add(arm)
return world:experiment{ solver = "articulated_body", integrator = { "rk4", dt = 1e-3 }, duration = 1,
                         record = { "arm.q", "pull", "energy" } }
)";

class EditsTest : public SessionTest {
 protected:
  static long errors(const Moment& moment) {
    return std::ranges::count(*moment.problems, Problem::Kind::error, &Problem::kind);
  }
  Session session(const std::string& text) {
    return Session(shipped_plugins(), {.file = write("s.lua", text), .overrides = {}, .journal_folder = {}});
  }
};

// One degree of freedom: the spring shows only its part along the slide, of which the mean over directions is a third. So k = 3 m w^2
// and c = 6 m w pull the block as m x" = k (X - x) - c x', from rest, with roots of s^2 + 6 w s + 3 w^2.
TEST_F(EditsTest, APulledBlockMovesAsASpringAndADamperMoveIt) {
  Session run = session(slide_scene);
  const auto scene = settled(run)->scene;
  constexpr double m = 2.5, X = 0.3, w = 4 * M_PI;
  run.pull(scene, "block", {0, 0.2, 0.1}, {X, 0.2, 0.1});
  const auto pulled = settled(run);
  const auto* change = pulled->timeline.in_force<PullChange>(0);
  ASSERT_TRUE(change && change->pull) << problems(*pulled);
  EXPECT_NEAR(change->pull->stiffness, 3 * m * w * w, 1e-9);
  EXPECT_NEAR(change->pull->damping, 6 * m * w, 1e-10);
  run.go(200);
  const Snapshot now = settled(run)->state;
  const double t = 0.2, a = w * (-3 + std::sqrt(6)), b = w * (-3 - std::sqrt(6));
  EXPECT_NEAR(now.q[0], X * (1 + (b * std::exp(a * t) - a * std::exp(b * t)) / (a - b)), 1e-9);
  // What it gives is the kinetic energy, but for the error of the integral of its power.
  EXPECT_NEAR(now[Work::wrenches], 0.5 * m * now.v[0] * now.v[0], 1e-5);
  run.release(scene);
  run.go(400);
  EXPECT_EQ(settled(run)->state.v[0], now.v[0]) << "nothing acts any more";
}

TEST_F(EditsTest, ADragIsOneEdit) {
  Session run = session(slide_scene);
  const auto scene = settled(run)->scene;
  run.pull(scene, "block", {}, {0.1, 0, 0});
  run.pull(scene, "block", {}, {0.2, 0, 0}, true);
  EXPECT_EQ(settled(run)->timeline.in_force<PullChange>(0)->pull->target_W.x, 0.2);
  run.release(scene);
  EXPECT_EQ(settled(run)->timeline.in_force<PullChange>(0)->pull, std::nullopt);
  run.undo();
  EXPECT_TRUE(settled(run)->timeline.changes().empty());
}

TEST_F(EditsTest, WhatCannotBePulledSaysWhy) {
  Session run = session(slide_scene);
  const auto scene = settled(run)->scene;
  run.pull(scene, "post", {}, {1, 0, 0});
  run.pull(scene, "blok", {}, {1, 0, 0});
  run.pull(scene, "block", {}, {NAN, 0, 0});
  const auto now = settled(run);
  EXPECT_THAT(problems(*now), HasSubstr("'post' cannot be pulled: no joint moves it"));
  EXPECT_THAT(problems(*now), HasSubstr("'blok'"));
  EXPECT_THAT(problems(*now), HasSubstr("finite"));
  EXPECT_TRUE(now->timeline.changes().empty());
}

// The recording of a run that was pulled has the wrench: at the frame's origin, of the force at its point.
TEST_F(EditsTest, ThePullIsRecorded) {
  Session run = session(slide_scene);
  const auto scene = settled(run)->scene;
  run.pull(scene, "block", {0, 0.2, 0}, {0.1, 0.2, 0.5});
  const auto now = settled(run);
  const double k = now->timeline.in_force<PullChange>(0)->pull->stiffness;
  torsor::Run again(
      now->scene->experiment,
      [](const std::string& id, std::shared_ptr<const Model> model) {
        return shipped_plugins().solver(id, std::move(model));
      },
      now->timeline.changes());
  std::vector<double> first;
  again.begin([&](std::span<const double> row) { first.assign(row.begin(), row.end()); });
  ASSERT_EQ(again.columns()[2].name, "pull.nx");
  EXPECT_NEAR(first[5], 0.1 * k, 1e-12 * k);
  EXPECT_NEAR(first[7], 0.5 * k, 1e-12 * k);
  EXPECT_NEAR(first[2], 0.2 * 0.5 * k, 1e-12 * k);
  EXPECT_NEAR(first[4], -0.2 * 0.1 * k, 1e-12 * k);
}

// From the step of the change on, the run is that of a scene that says so.
TEST_F(EditsTest, AParameterChangesTheLawFromItsStepOn) {
  const std::filesystem::path file = source_file("scenes/pid.lua");
  Session run(shipped_plugins(), {.file = file, .overrides = {}, .journal_folder = {}});
  const auto scene = settled(run)->scene;
  run.go(100);
  const Snapshot before = settled(run)->state;
  const std::string name = whole_name(scene->model(), scene->experiment.load.controls[0]);
  run.set_parameter(scene, name, Session::Of::law, {"resonance", 12.0});
  run.go(200);
  const auto now = settled(run);
  ASSERT_EQ(errors(*now), 0) << problems(*now);

  const std::string text = text_of(file);
  const std::filesystem::path other =
      write("other.lua", replaced(text, "resonance = p.resonance", "resonance = 12"));
  Player player(load_scene(other.string(), {}, &shipped_plugins()),
                [](const std::string& id, std::shared_ptr<const Model> model) {
                  return shipped_plugins().solver(id, std::move(model));
                });
  player.simulation().restore(before);
  while (player.simulation().steps() < 200) player.simulation().step();
  EXPECT_EQ(player.simulation().snapshot().q, now->state.q);
  EXPECT_EQ(player.simulation().snapshot().held, now->state.held);

  run.go(50);
  run.go(200);
  expect_same(settled(run)->state, now->state);
  run.undo();
  run.go(200);
  EXPECT_NE(settled(run)->state.q, now->state.q);
}

TEST_F(EditsTest, ParametersOfTheReferenceAreChangedToo) {
  Session run(shipped_plugins(),
              {.file = source_file("scenes/computed_torque.lua"), .overrides = {}, .journal_folder = {}});
  const auto scene = settled(run)->scene;
  const std::string name = whole_name(scene->model(), scene->experiment.load.controls[0]);
  run.set_parameter(scene, name, Session::Of::reference, {"speed", 1.5});
  run.go(1000);
  const auto now = settled(run);
  EXPECT_EQ(errors(*now), 0) << problems(*now);
  EXPECT_EQ(now->timeline.changes().size(), 1u);
}

TEST_F(EditsTest, AParameterThatIsNoneIsRefused) {
  Session run(shipped_plugins(),
              {.file = source_file("scenes/pid.lua"), .overrides = {}, .journal_folder = {}});
  const auto scene = settled(run)->scene;
  const std::string name = whole_name(scene->model(), scene->experiment.load.controls[0]);
  run.set_parameter(scene, name, Session::Of::law, {"resonence", 12.0});
  run.set_parameter(scene, name, Session::Of::law, {"resonance", std::string("much")});
  run.set_parameter(scene, "nobody", Session::Of::law, {"resonance", 1.0});
  const auto now = settled(run);
  EXPECT_THAT(problems(*now), HasSubstr("did you mean 'resonance'"));
  EXPECT_THAT(problems(*now), HasSubstr("not 'much'"));
  EXPECT_THAT(problems(*now), HasSubstr("there is no control 'nobody'"));
  EXPECT_TRUE(now->timeline.changes().empty());
}

// Each shipped controller and trajectory, made anew of what it says that it has, is the same.
TEST_F(EditsTest, SettingsMakeTheSameLawAgain) {
  int tried = 0;
  for (const char* scene :
       {"adaptive", "computed_torque", "elastic_control", "elastic_feed_forward", "excitation",
        "feed_forward", "payload_robustness", "pd_gravity", "pid", "playback", "task_space"}) {
    const Experiment experiment =
        load_scene(source_file(std::string("scenes/") + scene + ".lua").string(), {}, &shipped_plugins());
    for (const Control& control : experiment.load.controls) {
      if (!control.with) continue;
      const ReferenceLaw* reference = control.law->reference();
      ControlParameters same{"", {}, {}};
      if (reference && reference->trajectory)
        same.reference = with_changes(reference->trajectory->settings(), {});
      EXPECT_EQ(control.with(same)->fingerprint(), control.law->fingerprint()) << scene;
      ++tried;
    }
  }
  EXPECT_GE(tried, 10);
}

}  // namespace
}  // namespace torsor::editor::test
