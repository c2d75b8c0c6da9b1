// Tests of pulls and control parameters as edits of a run. They are compared with closed forms and
// with runs that have these values from the start.

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "editor/edits/changes_json.hpp"
#include "editor/session_fixture.hpp"
#include "torsor/control/controller_law.hpp"
#include "torsor/run/describe.hpp"
#include "torsor/run/run.hpp"
#include "torsor/scripting/scene/script.hpp"
#include "torsor/scripting/values/read_changes.hpp"

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
  static long errors(const SessionState& now) {
    return std::ranges::count(*now.problems, Problem::Kind::error, &Problem::kind);
  }
  Session session(const std::string& text) {
    return Session(shipped_plugins(),
                   {.file = write("s.lua", text), .overrides = {}, .journal_folder = {}});
  }
};

// Checks a block of mass m on a rail. Its effective mass, averaged over all directions, is 3 m, so
// k = 3 m w^2 and c = 6 m w. From rest, the block obeys m x" = k (X - x) - c x', with the roots of
// s^2 + 6 w s + 3 w^2.
TEST_F(EditsTest, APulledBlockMovesAsAMassWithSpringAndDamper) {
  Session run = session(slide_scene);
  const auto scene = settled(run)->scene;
  constexpr double m = 2.5, X = 0.3, w = 4 * M_PI;
  run.post(command::Edit{scene, command::PullFrame{"block", {0, 0.2, 0.1}, {X, 0.2, 0.1}}});
  const auto pulled = settled(run);
  const auto* change = pulled->timeline.active_change<PullChange>(0);
  ASSERT_TRUE(change && change->pull) << problems(*pulled);
  EXPECT_NEAR(change->pull->stiffness, 3 * m * w * w, 1e-9);
  EXPECT_NEAR(change->pull->damping, 6 * m * w, 1e-10);
  run.post(command::Go{200});
  const Snapshot now = settled(run)->state;
  const double t = 0.2, a = w * (-3 + std::sqrt(6)), b = w * (-3 - std::sqrt(6));
  EXPECT_NEAR(now.q[0], X * (1 + (b * std::exp(a * t) - a * std::exp(b * t)) / (a - b)), 1e-9);
  // The work equals the kinetic energy, except for the error of integrating the power.
  EXPECT_NEAR(now[Work::wrenches], 0.5 * m * now.v[0] * now.v[0], 1e-5);
  run.post(command::Edit{scene, command::ReleaseFrame{}});
  run.post(command::Go{400});
  EXPECT_EQ(settled(run)->state.v[0], now.v[0]) << "nothing acts any more";
}

TEST_F(EditsTest, AnEditNeedsAScene) {
  Session run = session("return 1");
  ASSERT_FALSE(settled(run)->scene);
  run.post(command::Edit{nullptr, command::SetPosition{0, 1}});
  EXPECT_THAT(problems(*settled(run)), HasSubstr("no scene is loaded"));
}

TEST_F(EditsTest, ADragIsOneEdit) {
  Session run = session(slide_scene);
  const auto scene = settled(run)->scene;
  run.post(command::Edit{scene, command::PullFrame{"block", {}, {0.1, 0, 0}}});
  run.post(command::Edit{scene, command::PullFrame{"block", {}, {0.2, 0, 0}}, true});
  EXPECT_EQ(settled(run)->timeline.active_change<PullChange>(0)->pull->target_W.x, 0.2);
  run.post(command::Edit{scene, command::ReleaseFrame{}});
  EXPECT_EQ(settled(run)->timeline.active_change<PullChange>(0)->pull, std::nullopt);
  run.post(command::Undo{});
  EXPECT_TRUE(settled(run)->timeline.changes().empty());
}

TEST_F(EditsTest, ImpossiblePullsReportTheReason) {
  Session run = session(slide_scene);
  const auto scene = settled(run)->scene;
  run.post(command::Edit{scene, command::PullFrame{"post", {}, {1, 0, 0}}});
  run.post(command::Edit{scene, command::PullFrame{"blok", {}, {1, 0, 0}}});
  run.post(command::Edit{scene, command::PullFrame{"block", {}, {NAN, 0, 0}}});
  const auto now = settled(run);
  EXPECT_THAT(problems(*now), HasSubstr("'post' cannot be pulled: no joint moves it"));
  Session arm(shipped_plugins(),
              {.file = source_file("scenes/pid.lua"), .overrides = {}, .journal_folder = {}});
  arm.post(command::Edit{settled(arm)->scene, command::PullFrame{"link1", {}, {1, 0, 0}}});
  EXPECT_THAT(problems(*settled(arm)),
              HasSubstr("this point is on the axis of its joint and does not move"));
  EXPECT_THAT(problems(*now), HasSubstr("'blok'"));
  EXPECT_THAT(problems(*now), HasSubstr("finite"));
  EXPECT_TRUE(now->timeline.changes().empty());
}

// Checks that the recording of a pulled run contains the wrench of the pulling force about the
// origin of the frame.
TEST_F(EditsTest, ThePullIsRecorded) {
  Session run = session(slide_scene);
  const auto scene = settled(run)->scene;
  run.post(command::Edit{scene, command::PullFrame{"block", {0, 0.2, 0}, {0.1, 0.2, 0.5}}});
  const auto now = settled(run);
  const double k = now->timeline.active_change<PullChange>(0)->pull->stiffness;
  Experiment experiment = now->scene->experiment;
  experiment.changes = now->timeline.changes();
  torsor::Run again(experiment);
  std::vector<double> first;
  again.begin([&](std::span<const double> row) { first.assign(row.begin(), row.end()); });
  ASSERT_EQ(again.columns()[2].name, "pull.nx");
  EXPECT_NEAR(first[5], 0.1 * k, 1e-12 * k);
  EXPECT_NEAR(first[7], 0.5 * k, 1e-12 * k);
  EXPECT_NEAR(first[2], 0.2 * 0.5 * k, 1e-12 * k);
  EXPECT_NEAR(first[4], -0.2 * 0.1 * k, 1e-12 * k);
}

// Checks that the run, from the step of the change on, equals the run of a scene with the new
// parameter.
TEST_F(EditsTest, AParameterChangesTheLawFromItsStepOn) {
  const std::filesystem::path file = source_file("scenes/pid.lua");
  Session run(shipped_plugins(), {.file = file, .overrides = {}, .journal_folder = {}});
  const auto scene = settled(run)->scene;
  run.post(command::Go{100});
  const Snapshot before = settled(run)->state;
  const std::string name = full_name(scene->model(), scene->experiment.load.controls[0]);
  run.post(command::Edit{
      scene, command::SetParameter{name, command::SetParameter::Of::law, {"resonance", 12.0}}});
  run.post(command::Go{200});
  const auto now = settled(run);
  ASSERT_EQ(errors(*now), 0) << problems(*now);

  const std::string text = text_of(file);
  const std::filesystem::path other =
      write("other.lua", replaced(text, "resonance = p.resonance", "resonance = 12"));
  Player player(load_scene(other.string(), {}, &shipped_plugins()));
  player.simulation().restore(before);
  while (player.simulation().steps() < 200) player.simulation().step();
  EXPECT_EQ(player.simulation().snapshot().q, now->state.q);
  EXPECT_EQ(player.simulation().snapshot().held, now->state.held);

  run.post(command::Go{50});
  run.post(command::Go{200});
  expect_same(settled(run)->state, now->state);
  run.post(command::Undo{});
  run.post(command::Go{200});
  EXPECT_NE(settled(run)->state.q, now->state.q);
}

TEST_F(EditsTest, ParametersOfTheReferenceAreChangedToo) {
  Session run(
      shipped_plugins(),
      {.file = source_file("scenes/computed_torque.lua"), .overrides = {}, .journal_folder = {}});
  const auto scene = settled(run)->scene;
  const std::string name = full_name(scene->model(), scene->experiment.load.controls[0]);
  run.post(command::Edit{
      scene, command::SetParameter{name, command::SetParameter::Of::reference, {"speed", 1.5}}});
  run.post(command::Go{1000});
  const auto now = settled(run);
  EXPECT_EQ(errors(*now), 0) << problems(*now);
  EXPECT_EQ(now->timeline.changes().size(), 1u);
}

TEST_F(EditsTest, UnknownParametersAreRejected) {
  Session run(shipped_plugins(),
              {.file = source_file("scenes/pid.lua"), .overrides = {}, .journal_folder = {}});
  const auto scene = settled(run)->scene;
  const std::string name = full_name(scene->model(), scene->experiment.load.controls[0]);
  run.post(command::Edit{
      scene, command::SetParameter{name, command::SetParameter::Of::law, {"resonence", 12.0}}});
  run.post(command::Edit{
      scene, command::SetParameter{
                 name, command::SetParameter::Of::law, {"resonance", std::string("much")}}});
  run.post(command::Edit{
      scene, command::SetParameter{"nobody", command::SetParameter::Of::law, {"resonance", 1.0}}});
  const auto now = settled(run);
  EXPECT_THAT(problems(*now), HasSubstr("did you mean 'resonance'"));
  EXPECT_THAT(problems(*now), HasSubstr("not 'much'"));
  EXPECT_THAT(problems(*now), HasSubstr("there is no control 'nobody'"));
  EXPECT_TRUE(now->timeline.changes().empty());
}

// Checks that a scene with the exported changes produces the same run. The editor applies each of
// them once.
TEST_F(EditsTest, ExportedChangesReproduceTheRun) {
  const std::string text = text_of(source_file("scenes/pid.lua"));
  Session run(shipped_plugins(),
              {.file = write("first.lua", text), .overrides = {}, .journal_folder = {}});
  const auto scene = settled(run)->scene;
  const std::string name = full_name(scene->model(), scene->experiment.load.controls[0]);
  run.post(command::Edit{scene, command::SetVelocity{1, 1.0 / 3}});
  run.post(command::Go{40});
  run.post(command::Edit{
      scene, command::SetParameter{name, command::SetParameter::Of::law, {"resonance", 12.5}}});
  run.post(command::Edit{
      scene, command::SetParameter{name, command::SetParameter::Of::reference, {"duration", 0.9}}});
  run.post(command::Edit{scene, command::PullFrame{"link7", {0, 0.01, 0.1}, {0.3, -0.2, 1}}});
  run.post(command::Go{60});
  run.post(command::Edit{scene, command::ReleaseFrame{}});
  run.post(command::SetSolver{"newton_euler"});
  run.post(command::Go{200});
  const auto now = settled(run);
  ASSERT_EQ(errors(*now), 0) << problems(*now);
  const std::string changes = changes_text(now->timeline.changes(), scene->experiment.dt);

  const auto file =
      write("second.lua", replaced(text, "  record = {", "  " + changes + "  record = {"));
  const Experiment experiment = load_scene(file.string(), {}, &shipped_plugins());
  EXPECT_EQ(experiment.changes, now->timeline.changes()) << changes;
  Session again(shipped_plugins(), {.file = file, .overrides = {}, .journal_folder = {}});
  settled(again);
  again.post(command::Go{200});
  const auto exported = settled(again);
  expect_same(exported->state, now->state);
  EXPECT_EQ(exported->timeline.changes(), now->timeline.changes());
  EXPECT_EQ(exported->undoable, 0) << "they are the scene's";
  again.post(command::Go{10});
  again.post(command::Go{200});
  expect_same(settled(again)->state, now->state);
  again.post(command::SaveRecording{folder_ / "editor"});
  settled(again);
  torsor::Run alone(experiment);
  alone.begin([](std::span<const double>) {});
  while (alone.simulation().steps() < 200) alone.advance([](std::span<const double>) {});
  expect_same(alone.simulation().snapshot(), now->state);
}

TEST_F(EditsTest, InvalidChangesAreRejected) {
  const std::string text = text_of(source_file("scenes/pid.lua"));
  const auto error_of = [&](const std::string& changes) {
    const auto file = write("bad.lua", replaced(text, "  record = {",
                                                "  changes = { " + changes + " },\n  record = {"));
    try {
      (void)load_scene(file.string(), {}, &shipped_plugins());
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(error_of("{ at = 0.1, tau = {1} }"), HasSubstr("changes[1].tau"));
  EXPECT_THAT(error_of("{ at = 0.00013, pull = false }"), HasSubstr("a whole number of steps"));
  EXPECT_EQ(error_of("{ at = 9, pull = false }"), "") << "the run may go on for longer";
  EXPECT_THAT(error_of("{ at = 1e300, pull = false }"), HasSubstr("too many steps of 0.0005 s"));
  EXPECT_THAT(error_of("{ at = 1, pull = false }, { at = 0.5, pull = false }"),
              HasSubstr("earlier than the change before it"));
  EXPECT_THAT(error_of("{ at = 1, pul = false }"), HasSubstr("did you mean 'pull'"));
  EXPECT_THAT(error_of("{ at = 1 }"), HasSubstr("solver"));
  EXPECT_THAT(error_of("{ at = 1, v = {0,0,0,0,0,0,0} }"), HasSubstr("v without q"));
  EXPECT_THAT(error_of("{ at = 1, pull = true }"), HasSubstr("false to release"));
  EXPECT_THAT(error_of("{ at = 1, v = {0,0,0,0,0,0,0}, solver = 'lie_group' }"),
              HasSubstr("v without q"));
  EXPECT_THAT(
      error_of(
          "{ at = 1, pull = { frame = 'lnk7', point = {0,0,0}, target = {0,0,0}, stiffness = 1, "
          "damping = 0 } }"),
      HasSubstr("did you mean 'link7'"));
  const auto error_of_pull = [&](const char* but) {
    return error_of(
        fmt::format("{{ at = 1, tau = {{0,0,0,0,0,0,0}} }}, {{ at = 1, pull = {{ frame = 'link7', "
                    "point = {{0,0,0}}, target = {{0,0,0}}, {} }} }}",
                    but));
  };
  EXPECT_THAT(error_of_pull("stiffness = -1, damping = 0"),
              HasSubstr("changes[2].pull.stiffness is -1"));
  EXPECT_THAT(error_of_pull("stiffness = 1, damping = -2"),
              HasSubstr("changes[2].pull.damping is -2"));
  const auto line = HasSubstr("bad.lua:");
  EXPECT_THAT(error_of("{ at = 1, solver = 'newton_eulr' }"),
              testing::AllOf(line, HasSubstr("world:experiment: changes[1].solver: "),
                             HasSubstr("did you mean")));
  EXPECT_THAT(error_of("{ at = 1, solver = 'planar_lagrange' }"), HasSubstr("changes[1].solver: "))
      << "it is no planar robot";
  EXPECT_THAT(
      error_of("{ at = 1, parameters = { ['iiwa.pd'] = {} } }"),
      testing::AllOf(line, HasSubstr("changes[1].parameters: there is no control 'iiwa.pd'")));
  EXPECT_THAT(error_of("{ at = 1, parameters = { ['iiwa.pid'] = { law = { resonence = 1 } } } }"),
              HasSubstr("did you mean 'resonance'"));
}

// Checks that each shipped controller and trajectory can be created again from its settings,
// directly and through Lua.
TEST_F(EditsTest, SettingsReproduceALaw) {
  int tried = 0;
  std::filesystem::copy(source_file("scenes"), folder_);
  for (const char* scene :
       {"adaptive", "computed_torque", "elastic_control", "elastic_feed_forward", "excitation",
        "feed_forward", "payload_robustness", "pd_gravity", "pid", "playback", "task_space"}) {
    const auto file = source_file(std::string("scenes/") + scene + ".lua");
    const Experiment experiment = load_scene(file.string(), {}, &shipped_plugins());
    ParameterChange all;
    for (const Control& control : experiment.load.controls) {
      if (!control.with) continue;
      const ReferenceLaw* reference = control.law->reference();
      const auto& controller = dynamic_cast<const ControllerLaw&>(*control.law).controller();
      ControlParameters same{
          full_name(*experiment.model, control), with_changes(controller.settings(), {}), {}};
      if (reference && reference->trajectory())
        same.reference = with_changes(reference->trajectory()->settings(), {});
      EXPECT_EQ(control.with(same)->fingerprint(), control.law->fingerprint()) << scene;
      all.controls.push_back(std::move(same));
      ++tried;
    }
    if (all.controls.empty()) continue;
    std::ranges::sort(all.controls, {}, &ControlParameters::control);
    for (ControlParameters& control : all.controls) {
      std::ranges::sort(control.law, {}, &Parameter::name);
      std::ranges::sort(control.reference, {}, &Parameter::name);
    }
    const std::vector<Change> changes{{0, all}};
    const std::string text = text_of(file), before = "world:experiment{";
    const auto changed =
        write("changed.lua", replaced(text, before, before + changes_text(changes, experiment.dt)));
    EXPECT_EQ(load_scene(changed.string(), {}, &shipped_plugins()).changes, changes) << scene;
    const auto json = describe(changes, [](const std::string& id) {
      return SolverIdentity{id, "", ""};
    });
    EXPECT_EQ(changes_of(json), changes) << scene;
  }
  EXPECT_GE(tried, 10);
}

}  // namespace
}  // namespace torsor::editor::test
