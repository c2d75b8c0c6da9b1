// Tests of signals that depend on more than the values of one row: quaternions with a continuous
// sign, and measurements of controls.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "simulation/robots.hpp"
#include "simulation/snapshots.hpp"
#include "torsor/run/player.hpp"
#include "torsor/run/run.hpp"

namespace torsor::test {
namespace {

using Rows = std::vector<std::vector<double>>;

// Returns a robot of one body on a joint of the given kind, which can rotate.
RobotDescription spinning(JointKind kind) {
  LinkDescription link;
  link.name = "body";
  link.joint.name = "joint";
  link.joint.kind = kind;
  if (traits(kind).axis)
    link.joint.placement = ScrewPlacement{.axis = {0.6, 0, 0.8}};
  else if (kind == JointKind::spherical)
    link.joint.placement = ScrewPlacement{};
  link.inertia = inertia_about_com(1, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
  RobotDescription robot;
  robot.name = "top";
  robot.links = {link};
  return robot;
}

Rows rows_of(const Experiment& experiment) {
  Rows rows;
  Run run(with_solvers(experiment));
  run.execute([&](std::span<const double> row) { rows.emplace_back(row.begin(), row.end()); },
              [](const Simulation&) { return true; });
  return rows;
}

double sign_between(const std::vector<double>& a, const std::vector<double>& b, size_t first) {
  double dot = 0;
  for (size_t k = first; k < first + 4; ++k) dot += a[k] * b[k];
  return dot;
}

class Spinning : public testing::TestWithParam<JointKind> {
 protected:
  // Returns an experiment of 3 s with a rotation by 12 rad/s, which changes to -8 rad/s half way.
  static Experiment experiment() {
    Experiment out;
    out.model = build(spinning(GetParam()));
    out.gravity_W = {0, 0, 0};
    out.q = neutral(*out.model);
    out.v.assign(size_t(out.model->n_v), 0.0);
    for (int k = 0; k < out.model->n_v; ++k)
      if (out.model->dof(k).turns()) {
        out.v[size_t(k)] = 12;
        break;
      }
    out.duration = 3;
    out.dt = 0.01;
    out.record = {"top.pose.body", "top.q"};
    return out;
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, Spinning,
                         testing::Values(JointKind::revolute, JointKind::cylindrical,
                                         JointKind::planar, JointKind::spherical,
                                         JointKind::floating),
                         [](const auto& kind) { return std::string(traits(kind.param).name); });

TEST_P(Spinning, QuaternionsKeepTheirSign) {
  const Rows rows = rows_of(experiment());
  int flips_of_positive_w = 0;
  for (size_t k = 1; k < rows.size(); ++k) {
    EXPECT_GT(sign_between(rows[k - 1], rows[k], 4), 0.9) << "pose, row " << k;
    flips_of_positive_w += (rows[k - 1][4] < 0) != (rows[k][4] < 0);
    if (const int quaternion = GetParam() == JointKind::spherical  ? 8
                               : GetParam() == JointKind::floating ? 11
                                                                   : 0) {
      EXPECT_GT(sign_between(rows[k - 1], rows[k], size_t(quaternion)), 0.9) << "q, row " << k;
    }
  }
  EXPECT_GT(flips_of_positive_w, 4) << "it turns far enough for the other sign";
}

// Checks that a row depends on the state only: rows in any order, and rows of a run that continues
// from a saved state, have the same bits.
TEST_P(Spinning, ReplayedRowsHaveTheSameBits) {
  const Experiment e = experiment();
  const Rows rows = rows_of(e);
  Player player(with_solvers(e));
  Timeline timeline(player.simulation().snapshot());
  while (player.simulation().steps() < 300) {
    player.advance({});
    timeline.append(player.simulation().snapshot());
  }
  Recorder recorder(*e.model, e.record);
  for (const long long step : {250LL, 20LL, 140LL, 300LL, 0LL, 77LL}) {
    player.seek(timeline, step);
    const auto row = recorder.sample(player.simulation());
    EXPECT_EQ(std::vector<double>(row.begin(), row.end()), rows[size_t(step)]) << step;
  }
  Experiment fork = e;
  player.seek(timeline, 140);
  fork.state = player.simulation().save();
  const Rows forked = rows_of(fork);
  for (size_t k = 0; k < forked.size(); ++k) EXPECT_EQ(forked[k], rows[k + 140]) << k;
}

// Checks the orientation of a reference that makes almost six turns. The sign of its quaternion is
// continuous, and does not depend on the step at which the recorder starts.
TEST(Signals, OrientationsOfReferencesKeepTheirSign) {
  const auto model = build(spinning(JointKind::revolute));
  ReferenceLaw reference;
  reference.of_frame = true;
  reference.make = [] { return Reference{}; };
  reference.evaluate = [](double t, Reference& out) {
    out.X_WF = Pose<double>::identity();
    out.X_WF.R = rotation(Quaternion{std::cos(6 * t), 0, 0, std::sin(6 * t)});
  };
  const auto law = [](const Measured&, double, std::span<const double>, const ControlLaw::Answer&) {
  };
  Load load;
  load.controls = {
      {.name = "c",
       .robot = 0,
       .law = std::make_shared<FunctionLaw>(law, 0, std::vector<double>(), reference)}};
  Simulation s(model, solver_factory(), Integrator::rk4, 0.01);
  s.begin(load, std::vector<double>{0}, std::vector<double>{0});
  Recorder recorder(*model, {"top.c.pose_ref"}, {}, load.controls);
  std::map<long long, std::vector<double>> rows;
  std::vector<Snapshot> states{s.snapshot()};
  for (int k = 0; k <= 300; ++k) {
    const auto row = recorder.sample(s);
    rows[s.steps()] = {row.begin(), row.end()};
    if (k > 0) {
      EXPECT_GT(sign_between(rows[k - 1], rows[k], 4), 0.9) << k;
    }
    s.step();
    states.push_back(s.snapshot());
  }
  for (const int k : {290, 10, 150}) {
    s.restore(states[size_t(k)]);
    Recorder fresh(*model, {"top.c.pose_ref"}, {}, load.controls);
    const auto row = fresh.sample(s);
    EXPECT_EQ(std::vector<double>(row.begin(), row.end()), rows[k]) << k;
  }
}

// Checks a control that measures q and v with a resolution of 0.1 and a delay of two periods. The
// recorded measurements must be the inputs of its law.
TEST(Signals, ControlsRecordTheirMeasurements) {
  const auto model = build(slider());
  std::vector<double> given_q, given_v;
  const auto law = [&](const Measured& at, double, std::span<const double>,
                       const ControlLaw::Answer& out) {
    given_q.assign(at.q.begin(), at.q.end());
    given_v.assign(at.v.begin(), at.v.end());
    out.tau[0] = 1;
  };
  Load load;
  load.controls = {{.name = "c",
                    .robot = 0,
                    .law = std::make_shared<FunctionLaw>(law),
                    .period = 0.02,
                    .sensor = {.resolution = 0.1, .rate_noise = 0.05, .delay = 0.04, .seed = 3}}};
  Simulation s(model, solver_factory(), Integrator::rk4, 0.01);
  s.begin(load, std::vector<double>{0.33}, std::vector<double>{2});
  Recorder recorder(*model, {"slider.q", "slider.c.q_measured", "slider.c.v_measured"}, {},
                    load.controls);
  EXPECT_EQ(recorder.columns()[2].name, "slider.c.q_measured.rail");
  EXPECT_EQ(recorder.columns()[2].unit, "m");
  EXPECT_EQ(recorder.columns()[3].unit, "m/s");
  std::vector<Snapshot> states;
  Rows rows;
  for (int k = 0; k < 50; ++k) {
    const auto row = recorder.sample(s);
    rows.emplace_back(row.begin(), row.end());
    EXPECT_EQ(row[2], given_q[0]) << k;
    EXPECT_EQ(row[3], given_v[0]) << k;
    EXPECT_NEAR(std::remainder(row[2], 0.1), 0, 1e-12);
    if (k > 10) {
      EXPECT_NE(row[1], row[2]);
    }
    states.push_back(s.snapshot());
    s.step();
  }
  for (const size_t k : {40u, 3u, 25u}) {
    s.restore(states[k]);
    const auto row = recorder.sample(s);
    EXPECT_EQ(std::vector<double>(row.begin(), row.end()), rows[k]);
  }
}

// Checks that a continuous-time control measures the joints without error.
TEST(Signals, AContinuousControlMeasuresTheJoints) {
  const auto model = build(slider());
  const auto law = [](const Measured&, double, std::span<const double>, const ControlLaw::Answer&) {
  };
  Load load;
  load.controls = {{.name = "c", .robot = 0, .law = std::make_shared<FunctionLaw>(law)}};
  Simulation s(model, solver_factory(), Integrator::rk4, 0.01);
  s.begin(load, std::vector<double>{0.33}, std::vector<double>{2});
  s.step();
  Recorder recorder(*model, {"slider.q", "slider.v", "slider.c.q_measured", "slider.c.v_measured"},
                    {}, load.controls);
  const auto row = recorder.sample(s);
  EXPECT_EQ(row[1], row[3]);
  EXPECT_EQ(row[2], row[4]);
}

}  // namespace
}  // namespace torsor::test
