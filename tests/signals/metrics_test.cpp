// Tests of the metrics of a run against closed forms: the step response of a mass with spring and
// damper, and simple references.

#include "torsor/signals/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "simulation/robots.hpp"
#include "torsor/run/describe.hpp"
#include "torsor/run/run.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;
using testing::HasSubstr;

using Law = std::function<void(const Measured& at, std::span<double> tau)>;
using Wanted = std::function<double(double t)>;

ReferenceLaw reference(size_t n, const Wanted& wanted) {
  return {.of_frame = false,
          .make =
              [n] {
                Reference out;
                out.q.resize(n);
                return out;
              },
          .evaluate = [wanted](double t, Reference& out) { std::ranges::fill(out.q, wanted(t)); }};
}

Control control(const Law& law, std::optional<ReferenceLaw> follows, double period = 0,
                List max_torque = {}) {
  const auto function = [law](const Measured& at, double, std::span<const double>,
                              const ControlLaw::Answer& out) { law(at, out.tau); };
  return {.name = "law",
          .law = std::make_shared<FunctionLaw>(function, 0, List(), std::move(follows)),
          .period = period,
          .max_torque = std::move(max_torque)};
}

Experiment experiment_with(std::shared_ptr<const Model> model, const Control& made, double duration,
                           double dt = 1e-3) {
  Experiment out;
  out.model = std::move(model);
  out.q.assign(size_t(out.model->n_q), 0.0);
  out.v.assign(size_t(out.model->n_v), 0.0);
  out.gravity_W = {0, 0, 0};
  out.load.controls = {made};
  out.duration = duration;
  out.dt = dt;
  out.metrics = MetricsOptions{};
  return out;
}

std::unique_ptr<Run> finished(const Experiment& experiment) {
  auto run = std::make_unique<Run>(with_solvers(experiment));
  run->execute([](std::span<const double>) {}, [](const Simulation&) { return true; });
  return run;
}
MetricsRow row_of(const Experiment& experiment, size_t k = 0) {
  return finished(experiment)->metrics()->result().at(0).rows.at(k);
}

// The closed form of the step response x'' + 2 xi w x' + w^2 (x - D) = 0 from rest at 0.
struct Step {
  double xi, w, D;
  double damped() const { return w * std::sqrt(1 - xi * xi); }
  double error(double t) const {
    return D * std::exp(-xi * w * t) *
           (std::cos(damped() * t) + xi * w / damped() * std::sin(damped() * t));
  }
  Control law() const {
    return control(
        [*this](const Measured& at, std::span<double> tau) {
          tau[0] = w * w * (D - at.q[0]) - 2 * xi * w * at.v[0];
        },
        reference(1, [D = D](double) { return D; }));
  }
  // Returns the rms error until T by the midpoint rule.
  double rms(double T) const {
    double square = 0;
    const int n = 200000;
    for (int k = 0; k < n; ++k) square += std::pow(error((k + 0.5) * T / n), 2);
    return std::sqrt(square / n);
  }
  // Returns the last time before T outside the band, by a search backwards in steps of 1e-5 s.
  double settling_time(double band, double T) const {
    double t = T;
    while (t > 0 && std::abs(error(t)) <= band) t -= 1e-5;
    return t;
  }
};

TEST(Metrics, OfAStepAreThoseOfTheSecondOrder) {
  for (const double xi : {0.2, 0.5, 0.8})
    for (const double D : {0.3, -2.0}) {
      SCOPED_TRACE(testing::Message() << xi << " " << D);
      const Step step{xi, 10, D};
      const double T = 4;
      const MetricsRow row = row_of(experiment_with(build(slider()), step.law(), T));
      EXPECT_EQ(row.name, "rail");
      EXPECT_EQ(row.error_unit, "m");
      EXPECT_EQ(row.torque_unit, "N");
      const double overshoot = std::exp(-std::numbers::pi * xi / std::sqrt(1 - xi * xi));
      // The tolerance allows for a peak between two steps.
      EXPECT_NEAR(row.overshoot, overshoot, 1e-4 * overshoot);
      EXPECT_NEAR(row.rms_error, step.rms(T), 2e-5 * step.rms(T));
      EXPECT_EQ(row.peak_error, std::abs(D));
      EXPECT_NEAR(row.settling_time, step.settling_time(0.02 * std::abs(D), T), 1.1e-3);
      EXPECT_EQ(row.peak_torque, 100 * std::abs(D));
      // The net work is the energy of the mass at the end, which is zero. The trapezoidal rule has
      // the error h^2/12 w^4 D^2.
      EXPECT_NEAR(row.net_work, 0, 1e-6 / 12 * 1e4 * D * D * 1.01);
      EXPECT_GT(row.motor_work, 0.1 * D * D);
      EXPECT_TRUE(std::isnan(row.saturated)) << "it has no limit";
    }
}

TEST(Metrics, SettlingIsWithinTheBandThatIsGiven) {
  const Step step{0.3, 10, 0.5};
  Experiment experiment = experiment_with(build(slider()), step.law(), 4);
  experiment.metrics->settling_band = 0.1;
  EXPECT_NEAR(row_of(experiment).settling_time, step.settling_time(0.05, 4), 1.1e-3);
  experiment.metrics->settling_error = 1e-3;
  EXPECT_NEAR(row_of(experiment).settling_time, step.settling_time(1e-3, 4), 1.1e-3);
  experiment.metrics->settling_error = 1;
  EXPECT_EQ(row_of(experiment).settling_time, 0) << "it never was outside";
  experiment.metrics->settling_error = 1e-7;
  experiment.duration = 1;
  EXPECT_TRUE(std::isinf(row_of(experiment).settling_time)) << "it is outside to the end";
}

TEST(Metrics, StartAtTheGivenTime) {
  const Step step{0.3, 10, 0.5};
  Experiment experiment = experiment_with(build(slider()), step.law(), 2);
  experiment.metrics->from = 0.5;
  experiment.metrics->settling_error = 0.01;
  const MetricsRow row = row_of(experiment);
  const double square = 2 * std::pow(step.rms(2), 2) - 0.5 * std::pow(step.rms(0.5), 2);
  EXPECT_NEAR(row.rms_error, std::sqrt(square / 1.5), 1e-4 * row.rms_error);
  EXPECT_NEAR(row.settling_time, step.settling_time(0.01, 2) - 0.5, 1.1e-3);
  experiment.metrics->from = 3;
  const ControlMetrics nothing = finished(experiment)->metrics()->result().at(0);
  for (const MetricsRow& each : {nothing.rows.at(0), nothing.all})
    for (const double value : {each.rms_error, each.peak_error, each.settling_time, each.overshoot,
                               each.peak_torque, each.motor_work, each.net_work, each.saturated})
      EXPECT_TRUE(std::isnan(value)) << "there is no time in which it was measured";
}

// Returns an experiment with the mass at rest at 0, so that the error is the reference itself.
Experiment standing(const Wanted& wanted, double duration) {
  return experiment_with(build(slider()),
                         control([](const Measured&, std::span<double>) {}, reference(1, wanted)),
                         duration);
}

TEST(Metrics, OfSimpleReferences) {
  // A sine has the rms value 1 / sqrt(2) over full periods.
  const double T = 2;
  const MetricsRow sine =
      row_of(standing([](double t) { return std::sin(2 * std::numbers::pi * t); }, T));
  EXPECT_NEAR(sine.rms_error, std::sqrt(0.5), 1e-6);
  EXPECT_NEAR(sine.peak_error, 1, 1e-6);
  EXPECT_TRUE(std::isnan(sine.overshoot)) << "the reference moves to the end";
  EXPECT_EQ(sine.peak_torque, 0);
  EXPECT_EQ(sine.motor_work, 0);
  // The reference moves away from the joint and back, and stays at the joint. There is no
  // overshoot.
  const auto hat = [](double t) { return std::max(0.0, 1 - std::abs(t - 0.5) * 2); };
  const MetricsRow there = row_of(standing(hat, T));
  EXPECT_NEAR(there.rms_error, std::sqrt(1.0 / 3 / T), 1e-6);
  EXPECT_NEAR(there.settling_time, 0.99, 1.1e-3);
  EXPECT_EQ(there.overshoot, 0);
  // A reference that always equals the joint position has no travel.
  const MetricsRow none = row_of(standing([](double) { return 0.0; }, T));
  EXPECT_EQ(none.rms_error, 0);
  EXPECT_TRUE(std::isnan(none.settling_time));
  EXPECT_TRUE(std::isnan(none.overshoot));
  // The reference moves down to -1. The joint remains above it, so there is no overshoot, and the
  // error never settles.
  const MetricsRow down = row_of(standing([](double t) { return -std::min(t, 1.0); }, T));
  EXPECT_EQ(down.overshoot, 0);
  EXPECT_TRUE(std::isinf(down.settling_time));
}

// Checks a joint that drifts at a constant velocity. Overshoot counts only beyond the end of the
// reference, in the direction of the reference's motion.
TEST(Metrics, OvershootIsInTheDirectionOfTheLastMotion) {
  for (const double side : {1.0, -1.0}) {
    Experiment experiment = standing([=](double t) { return side * std::min(t, 1.0); }, 2);
    experiment.v = {side * 0.7};
    EXPECT_NEAR(row_of(experiment).overshoot, 0.4, 1e-9);
    experiment.v = {-side * 0.7};
    EXPECT_EQ(row_of(experiment).overshoot, 0);
  }
}

// Checks that only the final rest of the reference counts. An excursion beyond an earlier pause of
// the reference is no overshoot.
TEST(Metrics, OvershootIsAfterTheReferenceIsAtRest) {
  Experiment experiment = standing(
      [](double t) { return t < 0.5 ? std::min(t, 0.2) : std::min(0.2 + 6 * (t - 0.5), 2.5); }, 2);
  experiment.v = {1};
  EXPECT_EQ(row_of(experiment).overshoot, 0);
  experiment.duration = 0.4;
  EXPECT_NEAR(row_of(experiment).overshoot, 1, 1e-9);
}

// A control law of a frame whose error is in x only.
class FrameLaw final : public ControlLaw {
 public:
  std::unique_ptr<ControlLaw> clone() const override { return std::make_unique<FrameLaw>(*this); }
  size_t n_x() const override { return 0; }
  List initial_memory() const override { return {}; }
  const std::vector<LawSignal>& signals() const override { return signals_; }
  size_t n_signal() const override { return 7; }
  const ReferenceLaw* reference() const override { return &reference_; }
  void evaluate(const Measured& at, double, std::span<const double>, std::span<const double>,
                const Answer& out) override {
    std::ranges::fill(out.signal, 0.0);
    out.signal[0] = 5;
    out.signal[1 + 3] = 0.4 * std::sin(2 * std::numbers::pi * at.t);
  }
  uint64_t fingerprint() const override { return 0; }

 private:
  ReferenceLaw reference_{.of_frame = true, .make = [] { return Reference(); }, .evaluate = {}};
  std::vector<LawSignal> signals_{
      {"other", {{"", "1"}}},
      {"error", {{"1", ""}, {"2", ""}, {"3", ""}, {"4", ""}, {"5", ""}, {"6", ""}}}};
};

TEST(Metrics, OfAFrameAreTheLawsOwnErrors) {
  Experiment experiment =
      experiment_with(build(slider()), {.name = "law", .law = std::make_shared<FrameLaw>()}, 1);
  experiment.metrics->settling_error = 0.4 * std::sin(0.2);
  const ControlMetrics of = finished(experiment)->metrics()->result().at(0);
  ASSERT_EQ(of.rows.size(), 2u) << "the other five stay at 0";
  EXPECT_EQ(of.rows[0].name, "vx");
  EXPECT_EQ(of.rows[0].error_unit, "m");
  EXPECT_NEAR(of.rows[0].rms_error, 0.4 * std::sqrt(0.5), 1e-6);
  EXPECT_NEAR(of.rows[0].settling_time, 1 - 0.2 / (2 * std::numbers::pi), 1.1e-3);
  EXPECT_TRUE(std::isnan(of.rows[0].overshoot));
  EXPECT_TRUE(std::isnan(of.rows[0].peak_torque));
  EXPECT_EQ(of.rows[1].name, "rail");
  EXPECT_TRUE(std::isnan(of.rows[1].rms_error));
  EXPECT_EQ(of.rows[1].peak_torque, 0);
  EXPECT_NEAR(of.all.rms_error, of.rows[0].rms_error, 1e-15);
}

TEST(Metrics, AJointWithoutAMotorHasNoTorque) {
  RobotDescription robot = slider();
  robot.links[0].joint.drives.resize(1);
  robot.links[0].joint.drives[0].passive = true;
  const MetricsRow row = row_of(experiment_with(
      build(robot), control([](const Measured&, std::span<double>) {}, std::nullopt), 1));
  for (const double value : {row.peak_torque, row.motor_work, row.net_work, row.saturated})
    EXPECT_TRUE(std::isnan(value));
}

// Checks the torque sin 2 pi t with the limit 0.5. It is saturated for two thirds of the time.
TEST(Metrics, SaturationIsItsShareOfTheTime) {
  const Law sine = [](const Measured& at, std::span<double> tau) {
    tau[0] = std::sin(2 * std::numbers::pi * at.t);
  };
  for (const double period : {0.0, 1e-3}) {
    const MetricsRow row =
        row_of(experiment_with(build(slider()), control(sine, std::nullopt, period, {0.5}), 3));
    EXPECT_NEAR(row.saturated, 2.0 / 3, 2e-3);
    EXPECT_EQ(row.peak_torque, 0.5);
    EXPECT_TRUE(std::isnan(row.rms_error)) << "it follows nothing";
  }
  const MetricsRow wide =
      row_of(experiment_with(build(slider()), control(sine, std::nullopt, 0, {2}), 3));
  EXPECT_EQ(wide.saturated, 0);
  RobotDescription robot = slider();
  robot.links[0].joint.effort_limit = 0.5;
  robot.links[0].joint.drives.resize(1);
  robot.links[0].joint.drives[0].motor.clamp = true;
  const MetricsRow clamped = row_of(experiment_with(build(robot), control(sine, std::nullopt), 3));
  EXPECT_NEAR(clamped.saturated, 2.0 / 3, 2e-3);
  EXPECT_EQ(clamped.peak_torque, 0.5);
}

// Compares the net work, which is a sum over steps, with the energy ledger, which is integrated
// with the motion.
TEST(Metrics, NetWorkIsThatOfTheLedger) {
  for (const double period : {0.0, 1e-3, 5e-3}) {
    const Law law = [](const Measured& at, std::span<double> tau) {
      tau[0] = 3 * std::cos(5 * at.t) - 20 * at.q[0] - at.v[0];
      tau[1] = 2 * std::sin(7 * at.t) - 10 * at.q[1] - 0.5 * at.v[1];
    };
    RobotDescription arm = planar_n_link(Vector::Ones(2), Vector::Ones(2));
    const Experiment experiment =
        experiment_with(build(arm), control(law, std::nullopt, period), 2);
    const auto run = finished(experiment);
    const ControlMetrics found = run->metrics()->result().at(0);
    const double ledger = run->simulation().snapshot()[Work::motors];
    EXPECT_NEAR(found.all.net_work, ledger, 1e-5 * found.all.motor_work) << period;
    EXPECT_NEAR(found.rows[0].net_work + found.rows[1].net_work, found.all.net_work, 1e-12);
    EXPECT_GT(found.all.motor_work, std::abs(ledger));
  }
}

TEST(Metrics, AllIsTheNormOfErrorsOfOneUnit) {
  RobotDescription arm = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  const Control still =
      control([](const Measured&, std::span<double>) {}, reference(2, [](double t) { return t; }));
  Experiment experiment = experiment_with(build(arm), still, 1);
  const ControlMetrics two = finished(experiment)->metrics()->result().at(0);
  ASSERT_EQ(two.rows.size(), 2u);
  EXPECT_NEAR(two.all.rms_error, std::sqrt(2.0) * two.rows[0].rms_error, 1e-12);
  EXPECT_NEAR(two.all.peak_error, std::sqrt(2.0), 1e-9);
  EXPECT_EQ(two.all.error_unit, "rad");
  experiment.metrics->joints = {two.rows[1].name};
  const ControlMetrics one = finished(experiment)->metrics()->result().at(0);
  ASSERT_EQ(one.rows.size(), 1u);
  EXPECT_NEAR(one.all.peak_error, 1, 1e-9);
  // A revolute and a prismatic joint have different units, so they have no common norm.
  RobotDescription mixed = slider();
  mixed.links.push_back(mixed.links[0]);
  mixed.links[1].name = "wheel", mixed.links[1].parent = "cart";
  mixed.links[1].joint.name = "axle", mixed.links[1].joint.kind = JointKind::revolute;
  const ControlMetrics both =
      finished(experiment_with(build(mixed), still, 1))->metrics()->result().at(0);
  EXPECT_FALSE(std::isnan(both.rows[1].rms_error));
  EXPECT_TRUE(std::isnan(both.all.rms_error));
  EXPECT_TRUE(std::isnan(both.all.peak_torque));
  EXPECT_EQ(both.all.motor_work, 0);
}

TEST(Metrics, RejectJointsThatNoControlDrives) {
  Experiment experiment = standing([](double) { return 0.0; }, 1);
  experiment.metrics->joints = {"rial"};
  try {
    const class Run run(with_solvers(experiment));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr("no control drives a joint 'rial'; there are rail; did you mean 'rail'?"));
  }
}

TEST(Metrics, UndefinedValuesAreNull) {
  const auto run = finished(standing([](double t) { return t; }, 1));
  const nlohmann::json json = describe(run->metrics()->result());
  const nlohmann::json& row = json.at(0).at("rows").at(0);
  EXPECT_EQ(row.at("name"), "rail");
  EXPECT_TRUE(row.at("overshoot_of_travel").is_null());
  EXPECT_TRUE(row.at("settling_time_s").is_null());
  EXPECT_EQ(row.at("settled"), false);
  EXPECT_TRUE(row.at("saturated_share_of_time").is_null());
  EXPECT_NEAR(row.at("rms_error").get<double>(), std::sqrt(1.0 / 3), 1e-6);
}

// Checks a law whose reference is 0.3, and -0.2 from step 100 on. Signals and metrics must use the
// active reference.
TEST(Metrics, UseTheActiveReference) {
  const auto holding = [](double at) {
    return control([](const Measured& now, std::span<double> tau) { tau[0] = -now.v[0]; },
                   reference(1, [at](double) { return at; }));
  };
  Control made = holding(0.3);
  made.with = [&](const ControlParameters& given) {
    return holding(std::get<double>(given.reference[0].value)).law;
  };
  Experiment experiment = experiment_with(build(slider()), made, 0.3);
  experiment.v = {1};
  experiment.record = {"slider.q", "slider.law.q_ref", "slider.law.error"};
  experiment.changes = {{100, ParameterChange{{{"slider.law", {}, {{"to", -0.2}}}}}}};
  torsor::Run run(with_solvers(experiment));
  double square = 0, last = 0;
  int rows = 0;
  run.execute(
      [&](std::span<const double> row) {
        const double q = row[1], q_ref = row[2], error = row[3];
        EXPECT_EQ(q_ref, rows < 100 ? 0.3 : -0.2) << rows;
        EXPECT_NEAR(q + error, q_ref, 1e-15);
        if (rows++ > 0) square += 1e-3 * (last * last + error * error) / 2;
        last = error;
      },
      [](const Simulation&) { return true; });
  EXPECT_EQ(rows, 301);
  const double rms = std::sqrt(square / 0.3);
  EXPECT_NEAR(run.metrics()->result().at(0).rows.at(0).rms_error, rms, 1e-12 * rms);
}

}  // namespace
}  // namespace torsor::test
