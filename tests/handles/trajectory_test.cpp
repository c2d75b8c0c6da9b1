// Tests of how the host calls trajectory plugins, valid and invalid ones.

#include "torsor/handles/trajectory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "support/random_robot.hpp"

namespace torsor::test {
namespace {

using ::testing::HasSubstr;

// A trajectory plugin inside the test program, behind the C tables.
class TableTrajectory : public Plugin {
 public:
  using Law = std::function<torsor_status(double t, int order, double* out)>;

  TableTrajectory(const torsor_motion& motion, Law law) : motion_(motion), law_(std::move(law)) {
    descriptor_.struct_size = sizeof descriptor_;
    descriptor_.id = "trajectory.table";
    descriptor_.version = "1.0";
    descriptor_.summary = descriptor_.family = "";
    plugin_ = {sizeof plugin_, this, nullptr, nullptr, prepare, get_interface, nullptr};
  }
  torsor_plugin* get() const override { return &plugin_; }
  const torsor_descriptor& descriptor() const override { return descriptor_; }
  std::string report() const override { return "its reason"; }

  torsor_status described = TORSOR_OK;

 private:
  static TableTrajectory& of(const torsor_plugin* p) {
    return *static_cast<TableTrajectory*>(p->self);
  }
  static torsor_status prepare(torsor_plugin*, const torsor_model*, torsor_sizes*) {
    return TORSOR_OK;
  }
  static torsor_status describe(const torsor_plugin* p, torsor_motion* out) {
    *out = of(p).motion_;
    return of(p).described;
  }
  static torsor_status evaluate(const torsor_plugin* p, double t, int32_t order, double*,
                                double* out) {
    return of(p).law_(t, order, out);
  }
  static const void* get_interface(const torsor_plugin*, const char*) {
    static constexpr torsor_trajectory table{sizeof(torsor_trajectory), describe, evaluate};
    return &table;
  }

  torsor_motion motion_;
  Law law_;
  torsor_descriptor descriptor_{};
  mutable torsor_plugin plugin_{};
};

constexpr double breaks[] = {0, 1, 1, 2};
torsor_motion sound() {
  return {sizeof(torsor_motion), TORSOR_MOTION_OF_JOINTS, 2, 1, 2, std::size(breaks), breaks};
}
std::shared_ptr<const Model> chain() {
  static const std::shared_ptr<const Model> model = build(random_robot(2, Shape::chain, 1));
  return model;
}
Trajectory trajectory(const torsor_motion& motion, TableTrajectory::Law law) {
  return Trajectory({.plugin = std::make_unique<TableTrajectory>(motion, std::move(law)),
                     .base = chart_base(*chain(), neutral(*chain()))},
                    chain());
}
torsor_status still(double, int order, double* out) {
  std::fill_n(out, 2 * (order + 1), 0.0);
  return TORSOR_OK;
}

TEST(Trajectory, HasThePropertiesOfThePlugin) {
  const Trajectory made = trajectory(sound(), still);
  EXPECT_EQ(made.duration(), 2);
  EXPECT_EQ(made.smoothness(), 1);
  EXPECT_EQ(made.order(), 2);
  EXPECT_FALSE(made.of_frame());
  EXPECT_EQ(made.breaks(), std::vector<double>(std::begin(breaks), std::end(breaks)));
  const Reference out = made.make_reference();
  EXPECT_EQ(out.order, 2) << "it has no more";
  EXPECT_EQ(out.vdot.size(), 2u);
  EXPECT_TRUE(out.vddot.empty());
  EXPECT_EQ(made.make_reference(1).order, 1);
}

TEST(Trajectory, RejectsImpossibleMotions) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refusal = [](const std::function<void(torsor_motion&)>& spoil) -> std::string {
    torsor_motion motion = sound();
    spoil(motion);
    try {
      trajectory(motion, still);
    } catch (const Error& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_EQ(refusal([](torsor_motion&) {}), "taken");
  EXPECT_THAT(refusal([](torsor_motion& m) { m.kind = 7; }),
              HasSubstr("trajectory 'trajectory.table' describes a motion of the unknown kind 7"));
  EXPECT_THAT(refusal([](torsor_motion& m) { m.duration = -1; }),
              HasSubstr("the impossible duration -1 s"));
  EXPECT_THAT(refusal([&](torsor_motion& m) { m.duration = nan; }),
              HasSubstr("the impossible duration nan s"));
  EXPECT_THAT(refusal([](torsor_motion& m) { m.smoothness = -1; }),
              HasSubstr("the impossible smoothness -1"));
  EXPECT_THAT(refusal([](torsor_motion& m) { m.order = 5; }),
              HasSubstr("derivatives up to 5; the maximum is 4"));
  EXPECT_THAT(refusal([](torsor_motion& m) { m.breaks = nullptr; }),
              HasSubstr("has a number of breaks but no list of them"));
  EXPECT_THAT(refusal([](torsor_motion& m) { m.duration = 1.5; }),
              HasSubstr("has break 4 at 2 s; breaks must ascend from 0 to the duration"));
  static const double descending[] = {1, 0.5, 1, 2}, before[] = {-1, 0, 0, 0},
                      no_number[] = {nan, 1, 1, 1};
  EXPECT_THAT(refusal([](torsor_motion& m) { m.breaks = descending; }),
              HasSubstr("break 2 at 0.5 s"));
  EXPECT_THAT(refusal([](torsor_motion& m) { m.breaks = before; }), HasSubstr("break 1 at -1 s"));
  EXPECT_THAT(refusal([](torsor_motion& m) { m.breaks = no_number; }),
              HasSubstr("break 1 at nan s"));
}

TEST(Trajectory, NamesEntriesThatAreNotFinite) {
  const Trajectory made = trajectory(sound(), [](double t, int order, double* out) {
    still(t, order, out);
    if (t > 0) out[3] = std::numeric_limits<double>::infinity();
    return t > 1 ? TORSOR_INTERNAL : TORSOR_OK;
  });
  Reference out = made.make_reference();
  EXPECT_TRUE(made.evaluate(0, out));
  Status status = made.evaluate(0.5, out);
  EXPECT_FALSE(status);
  EXPECT_THAT(made.explain(status),
              HasSubstr("trajectory 'trajectory.table': evaluate returns a derivative 1 of the "
                        "coordinate of joint '" +
                        chain()->joint_of_dof(1).name + "' that is not a finite number"));
  status = made.evaluate(1.5, out);
  EXPECT_FALSE(status);
  EXPECT_THAT(made.explain(status), HasSubstr("failed in evaluate: its reason"));
  torsor_motion of_frame = sound();
  of_frame.kind = TORSOR_MOTION_OF_FRAME;
  const Trajectory frame = trajectory(of_frame, [](double, int order, double* given) {
    std::fill_n(given, 12 + 6 * order, 0.0);
    given[12 + 6 + 2] = std::numeric_limits<double>::quiet_NaN();
    return TORSOR_OK;
  });
  out = frame.make_reference();
  EXPECT_THAT(frame.explain(frame.evaluate(0, out)),
              HasSubstr("returns a velocity's derivative 1 in entry 3 that is not"));
}

// Checks that the plugin is called only for times within its duration, and that the motion is at
// rest outside.
TEST(Trajectory, IsEvaluatedWithinTheDuration) {
  std::vector<double> asked;
  const Trajectory made = trajectory(sound(), [&](double t, int order, double* out) {
    asked.push_back(t);
    std::fill_n(out, 2 * (order + 1), 1.0);
    return TORSOR_OK;
  });
  Reference out = made.make_reference();
  for (const double t : {-3.0, 0.0, 1.5, 2.0, 7.0}) {
    asked.clear();
    ASSERT_TRUE(made.evaluate(t, out));
    for (const double at : asked) EXPECT_EQ(at, std::clamp(t, 0.0, 2.0));
    EXPECT_EQ(out.q, (std::vector<double>{1, 1}));
    const double rate = t < 0 || t > 2 ? 0 : 1;
    EXPECT_EQ(out.v, (std::vector<double>{rate, rate})) << t;
    EXPECT_EQ(out.vdot, (std::vector<double>{rate, rate})) << t;
  }
}

// Checks the base of coordinates. It is 0 for a joint whose dof are the rates of entries of q,
// because these entries are its coordinates. For other (curved) joints it is the given position.
TEST(Trajectory, TheBaseIsZeroExceptForCurvedJoints) {
  const auto model = build(random_robot(8, Shape::tree, 3, Kinds::every));
  Random random(1);
  const std::vector<double> q = random_position(random, *model, 1), base = chart_base(*model, q);
  for (const Joint& joint : model->joints) {
    const std::string_view name = traits(joint.kind).name;
    const bool curved = name == "planar" || name == "spherical" || name == "floating";
    for (int k = joint.q_index; k < joint.q_index + traits(joint.kind).n_q; ++k)
      EXPECT_EQ(base[size_t(k)], curved ? q[size_t(k)] : 0) << name;
  }
}

// Checks for every joint kind that chart_motion(), from rates of coordinates to rates of joints,
// and chart_rate() are inverse to each other.
TEST(Trajectory, ChartMotionIsTheInverseOfTheChartRate) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const auto model = build(random_robot(8, Shape::tree, seed, Kinds::every));
    const size_t n = size_t(model->n_v);
    const std::vector<double> d = random_values(random, model->n_v, 1),
                              rate = random_values(random, model->n_v, 2);
    std::vector<double> y = d, back(n);
    y.insert(y.end(), rate.begin(), rate.end());
    chart_motion(*model, 1, y.data());
    chart_rate(*model, d.data(), y.data() + n, back.data());
    for (size_t k = 0; k < n; ++k) EXPECT_NEAR(back[k], rate[k], 1e-13 * 10);
  }
}

}  // namespace
}  // namespace torsor::test
