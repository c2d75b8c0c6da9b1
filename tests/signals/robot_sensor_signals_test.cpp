// Tests of the signals ROBOT.sensor.NAME: against the exact signals, and against balances of
// forces.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulation/contact_bodies.hpp"
#include "simulation/robots.hpp"
#include "torsor/signals/recorder.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;
using testing::HasSubstr;

// The rows of signals of a run, and the columns of each signal.
class SensorRows {
 public:
  SensorRows(Simulation& s, const std::vector<std::string>& signals, int steps)
      : recorder_(s.model(), signals, {}, {}, s.load().sensors) {
    for (int k = 0; k <= steps; ++k) {
      const auto row = recorder_.sample(s);
      rows_.emplace_back(row.begin(), row.end());
      if (k < steps) s.step();
    }
  }
  // Returns the values of the columns of a signal in a row.
  List operator()(const std::string& signal, int k) const {
    List out;
    for (size_t c = 0; c < columns().size(); ++c)
      if (columns()[c].name == signal || columns()[c].name.starts_with(signal + "."))
        out.push_back(rows_[size_t(k)][c]);
    return out;
  }
  const std::vector<Column>& columns() const { return recorder_.columns(); }

 private:
  Recorder recorder_;
  std::vector<List> rows_;
};

// A sensor without errors measures the signals of the same row to the bit if torques are constant,
// and a delayed one measures those of an earlier row.
TEST(SensorSignals, ExactSensorsMeasureTheSignals) {
  Experiment experiment = swing();
  const Model& model = *experiment.model;
  const int frame = int(model.frames.size()) - 1;
  const std::string F = model.frames[size_t(frame)].name, J = model.joints[0].name;
  for (const double delay : {0.0, 0.004})
    for (const auto& [kind, name] : {std::pair{SensorKind::imu, "i"},
                                     {SensorKind::joint_wrench, "w"},
                                     {SensorKind::joint_wrench, "f"}}) {
      RobotSensor sensor{.name = name + std::string(delay > 0 ? "_late" : ""), .kind = kind};
      if (kind == SensorKind::joint_wrench) sensor.joint = 0;
      if (std::string_view(name) != "w") sensor.frame = frame;
      sensor.delay = delay;
      experiment.load.sensors.push_back(sensor);
    }
  Simulation s(experiment.model, solver_factory(), Integrator::rk4, 1e-3);
  s.begin(experiment.load, experiment.q, experiment.v);
  const std::vector<std::string> exact{"arm.imu." + F, "arm.joint_wrench." + J,
                                       "arm.joint_wrench." + J + ":" + F};
  std::vector<std::string> signals = exact;
  for (const char* name : {"i", "w", "f", "i_late", "w_late", "f_late"})
    signals.push_back(std::string("arm.sensor.") + name);
  const SensorRows rows(s, signals, 40);
  for (int k = 0; k <= 40; ++k)
    for (size_t i = 0; i < 3; ++i) {
      ASSERT_EQ(rows(signals[3 + i], k), rows(exact[i], k)) << signals[3 + i] << " " << k;
      ASSERT_EQ(rows(signals[6 + i], k), rows(exact[i], std::max(0, k - 4))) << signals[6 + i];
    }
  EXPECT_NE(rows(exact[0], 0), rows(exact[0], 40));
}

// A finger of 1 kg on a rail along z falls onto a plane and bounces, with a force of -3 N by its
// motor. Over each step, the contact force is the change of momentum minus gravity and motor. The
// joint transmits the force of the motor alone.
TEST(SensorSignals, ContactsAreThoseOfTheStepBefore) {
  RobotDescription robot = slider();
  robot.links[0].joint.placement = ScrewPlacement{.axis = {0, 0, 1}};
  const ContactMaterial material{.restitution = 0.5};
  robot.links[0].collisions = {{.shape = {ShapeKind::sphere, {0.1, 0, 0}}, .material = material}};
  constexpr double h = 1e-3, tau = -3;
  Simulation s(on_plane(robot, material), solver_factory(), Integrator::time_stepping, h);
  Load load;
  load.tau = {tau};
  load.sensors = {
      {.name = "touch", .kind = SensorKind::touch, .link = 0},
      {.name = "force", .kind = SensorKind::contact_force, .link = 0},
      {.name = "imu", .kind = SensorKind::imu, .frame = s.model().frame("cart")},
      {.name = "wrench", .kind = SensorKind::joint_wrench, .joint = 0},
  };
  s.begin(load, List{0.12}, List{0});
  const SensorRows rows(
      s,
      {"slider.v", "slider.touch.cart", "contact.cart.force", "slider.sensor.touch",
       "slider.sensor.force", "slider.sensor.imu", "slider.sensor.wrench"},
      300);
  int touched = 0, parted = 0;
  for (int k = 1; k <= 300; ++k) {
    const double a = (rows("slider.v", k)[0] - rows("slider.v", k - 1)[0]) / h;
    const List force = rows("slider.sensor.force", k), imu = rows("slider.sensor.imu", k),
               wrench = rows("slider.sensor.wrench", k);
    const double scale = 1e-12 * (1 + std::abs(force[2]));
    ASSERT_EQ(rows("slider.sensor.touch", k), rows("slider.touch.cart", k - 1)) << k;
    ASSERT_NEAR(force[2], rows("contact.cart.force", k - 1)[2], 1e3 * scale) << k;
    ASSERT_NEAR(force[2], a + g - tau, 1e3 * scale) << k;
    ASSERT_NEAR(imu[5], a + g, 1e3 * scale) << k;
    ASSERT_NEAR(wrench[5], tau, 1e3 * scale) << k;
    (rows("slider.sensor.touch", k)[0] > 0 ? touched : parted) += 1;
  }
  EXPECT_GT(touched, 10);
  EXPECT_GT(parted, 10);
}

// Whatever touches at the start is measured at the start.
TEST(SensorSignals, StartWithTheContactsOfTheFirstStep) {
  RobotDescription robot;
  robot.name = "r";
  add_box(robot, "box", 2, {0.4, 0.4, 0.2}, {});
  Simulation s(on_plane(robot, {}), solver_factory(), Integrator::time_stepping, 1e-3);
  Load load;
  load.sensors = {{.name = "touch", .kind = SensorKind::touch, .link = 0, .delay = 0.01},
                  {.name = "force", .kind = SensorKind::contact_force, .link = 0, .delay = 0.01},
                  {.name = "imu", .frame = s.model().frame("box"), .delay = 0.01}};
  s.begin(load, List{0, 0, 0.1, 1, 0, 0, 0}, List(6, 0.0));
  EXPECT_EQ(s.sensor_measured(0)[0], 1);
  EXPECT_NEAR(s.sensor_measured(1)[2], 2 * g, 1e-9);
  EXPECT_NEAR(s.sensor_measured(2)[5], g, 1e-9);
}

TEST(SensorSignals, HaveUnitsFramesAndNames) {
  const Experiment experiment = swing();
  const Model& model = *experiment.model;
  const std::vector<RobotSensor> sensors{
      {.name = "imu", .frame = int(model.frames.size()) - 1},
      {.name = "ft", .kind = SensorKind::joint_wrench, .joint = 1}};
  const Recorder recorder(model, {"arm.sensor.imu", "arm.sensor.ft"}, {}, {}, sensors);
  const Column& a = recorder.columns()[4];
  EXPECT_EQ(a.name, "arm.sensor.imu.ax");
  EXPECT_EQ(a.unit, "m/s^2");
  EXPECT_EQ(a.frame, model.frames.back().name);
  EXPECT_EQ(recorder.columns()[7].name, "arm.sensor.ft.nx");
  EXPECT_EQ(recorder.columns()[7].unit, "N m");
  EXPECT_THAT(Recorder::signals(model, false, {}, sensors), testing::Contains("arm.sensor.ft"));
  try {
    Recorder(model, {"arm.sensor.inu"}, {}, {}, sensors);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'arm.sensor.imu'?"));
  }
}

}  // namespace
}  // namespace torsor::test
