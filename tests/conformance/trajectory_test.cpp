// Tests of properties of every trajectory. Derivatives are correct for every joint kind, and jumps
// occur only at the stated times. The motion is at rest before and after. Hot calls are pure.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstring>
#include <set>

#include "conformance/out_of_range.hpp"
#include "conformance/trajectories.hpp"
#include "support/allocation_counter.hpp"
#include "torsor/loading/descriptor.hpp"

namespace torsor::test {
namespace {

class EveryTrajectory : public testing::TestWithParam<std::string> {
 protected:
  EveryTrajectory() {
    for (const TrajectoryCase& each : trajectory_cases(*model, 3))
      if (each.name == GetParam()) trajectory = make(each.id, model, each.parameters);
  }
  double end() const { return std::min(trajectory->duration(), 3.0); }

  std::shared_ptr<const Model> model = build(random_robot(8, Shape::tree, 41, Kinds::every));
  std::shared_ptr<const Trajectory> trajectory;
};
INSTANTIATE_TEST_SUITE_P(Trajectories, EveryTrajectory, testing::ValuesIn(trajectory_case_names()),
                         [](const auto& test) { return test.param; });

TEST(Trajectories, EveryPluginIsTested) {
  std::set<std::string> tested, found;
  for (const TrajectoryCase& each : trajectory_cases(*plain_chain(2), 1))
    tested.insert("trajectory." + each.id);
  for (const PluginInfo& plugin : build_registry().plugins())
    if (plugin.kind() == Trajectory::kind) found.insert(plugin.id);
  EXPECT_EQ(found, tested);
}

TEST(Trajectories, TheRobotHasJointsOfEveryKind) {
  const auto model = build(random_robot(8, Shape::tree, 41, Kinds::every));
  std::set<std::string_view> kinds;
  for (const Joint& joint : model->joints) kinds.insert(traits(joint.kind).name);
  for (const char* kind :
       {"revolute", "prismatic", "helical", "cylindrical", "planar", "spherical", "floating"})
    EXPECT_TRUE(kinds.contains(kind)) << kind;
}

// Returns derivative k >= 1 of the motion as a list.
std::vector<double> rate(const Trajectory& trajectory, const Reference& at, int k) {
  if (!trajectory.of_frame()) {
    const std::vector<double>* rates[] = {&at.v, &at.vdot, &at.vddot, &at.vdddot};
    return *rates[k - 1];
  }
  const Twist<double>& V = at.V[size_t(k) - 1];
  return {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
}

// Returns the difference from a to b of derivative k. For k = 0 it is the logarithm of the joints,
// or the rotation and displacement of a pose in world axes.
std::vector<double> rise(const Trajectory& trajectory, const Reference& a, const Reference& b,
                         int k) {
  if (k > 0) {
    std::vector<double> from = rate(trajectory, a, k), to = rate(trajectory, b, k);
    for (size_t i = 0; i < to.size(); ++i) to[i] -= from[i];
    return to;
  }
  if (trajectory.of_frame()) {
    const Vec3<double> u = log_so3(b.X_WF.R * transpose(a.X_WF.R)), d = b.X_WF.p - a.X_WF.p;
    return {u.x, u.y, u.z, d.x, d.y, d.z};
  }
  std::vector<double> out(size_t(trajectory.model().n_v));
  difference(trajectory.model(), a.q.data(), b.q.data(), out.data());
  return out;
}

double size(const std::vector<double>& x) {
  double out = 0;
  for (const double each : x) out = std::max(out, std::abs(each));
  return out;
}

// Checks derivatives against extrapolated central differences with steps h and h/2, h = 1/1000 s.
// Their error is of order h^4, plus rounding.
// Equations: KHALIL 8.57.
TEST_P(EveryTrajectory, DerivativesAreThoseOfThePosition) {
  ASSERT_TRUE(trajectory);
  const double h = 1e-3;
  int looked_at = 0;
  for (double t = 0.0137; t < end(); t += 0.0717) {
    const auto near = [&](double b) { return std::abs(t - b) < 1.5 * h; };
    if (std::any_of(trajectory->breaks().begin(), trajectory->breaks().end(), near)) continue;
    const Reference now = at(*trajectory, t);
    for (int k = 1; k <= trajectory->order(); ++k) {
      const std::vector<double> exact = rate(*trajectory, now, k);
      const auto difference = [&](double step) {
        std::vector<double> d =
            rise(*trajectory, at(*trajectory, t - step), at(*trajectory, t + step), k - 1);
        for (double& x : d) x /= 2 * step;
        return d;
      };
      const std::vector<double> wide = difference(h), narrow = difference(h / 2);
      const double scale = std::max(1.0, size(exact));
      for (size_t i = 0; i < exact.size(); ++i)
        EXPECT_NEAR((4 * narrow[i] - wide[i]) / 3, exact[i], 2e-8 * scale)
            << "derivative " << k << " entry " << i << " at " << t;
    }
    ++looked_at;
  }
  EXPECT_GT(looked_at, 8);
}

// Checks that derivatives up to the stated smoothness are continuous at each break, and that the
// next one jumps at some break.
TEST_P(EveryTrajectory, DerivativesJumpOnlyAtBreaks) {
  ASSERT_TRUE(trajectory);
  const double before = 1e-9;
  double largest_jump = 0;
  for (const double b : trajectory->breaks()) {
    if (b == 0) continue;
    const Reference left = at(*trajectory, b - before), here = at(*trajectory, b);
    const bool last = b == trajectory->duration();
    for (int k = 0; k <= std::min(trajectory->order(), trajectory->smoothness() + 1); ++k) {
      const double jump =
          last && k > 0 ? size(rate(*trajectory, here, k)) : size(rise(*trajectory, left, here, k));
      const double rates = k < trajectory->order() ? size(rate(*trajectory, left, k + 1)) : 1e5;
      if (k <= trajectory->smoothness()) {
        EXPECT_LE(jump, 1e-10 + 2 * before * rates) << "derivative " << k << " jumps at " << b;
      } else {
        largest_jump = std::max(largest_jump, jump);
      }
    }
  }
  if (trajectory->smoothness() < trajectory->order()) {
    EXPECT_GT(largest_jump, 1e-3) << "it is smoother than it says";
  }
}

// Checks which piece a break belongs to: the later one, or the last piece at the end. All
// derivatives must be continuous between the break and a time 1e-9 s inside that piece.
TEST_P(EveryTrajectory, ABreakBelongsToTheLaterPiece) {
  ASSERT_TRUE(trajectory);
  for (const double b : trajectory->breaks()) {
    const bool last = b == trajectory->duration();
    const double next_to = last ? b - 1e-9 : b + 1e-9;
    const Reference here = at(*trajectory, b), there = at(*trajectory, next_to);
    for (int k = 1; k <= trajectory->order(); ++k) {
      const double slope = k < trajectory->order() ? size(rate(*trajectory, there, k + 1)) : 1e7;
      EXPECT_LE(size(rise(*trajectory, here, there, k)),
                1e-10 * (1 + size(rate(*trajectory, there, k))) + 2e-9 * slope)
          << "derivative " << k << " at " << b;
    }
  }
}

// Checks that nothing jumps between breaks: in a step of 1/4000 of the motion, no derivative
// changes by more than three times its rate times the step, plus 1e5 times the square of the step.
TEST_P(EveryTrajectory, BreaksAreAllListed) {
  ASSERT_TRUE(trajectory);
  const std::vector<double>& breaks = trajectory->breaks();
  for (double t = 0, step = end() / 4000; t + step < end(); t += step) {
    if (std::any_of(breaks.begin(), breaks.end(),
                    [&](double b) { return b >= t && b <= t + step; }))
      continue;
    const Reference a = at(*trajectory, t), b = at(*trajectory, t + step);
    for (int k = 0; k < trajectory->order(); ++k)
      EXPECT_LE(size(rise(*trajectory, a, b, k)),
                step * 3 *
                        (1e-9 + std::max(size(rate(*trajectory, a, k + 1)),
                                         size(rate(*trajectory, b, k + 1)))) +
                    step * step * 1e5)
          << "derivative " << k << " at " << t;
  }
}

TEST_P(EveryTrajectory, IsAtRestBeforeAndAfter) {
  ASSERT_TRUE(trajectory);
  const auto expect_rest = [&](double t, double where) {
    const Reference rest = at(*trajectory, t), there = at(*trajectory, where);
    EXPECT_EQ(rest.q, there.q);
    EXPECT_EQ(std::memcmp(&rest.X_WF, &there.X_WF, sizeof rest.X_WF), 0);
    for (int k = 1; k <= trajectory->order(); ++k)
      EXPECT_EQ(size(rate(*trajectory, rest, k)), 0) << k;
  };
  expect_rest(-1e-300, 0);
  expect_rest(-5, 0);
  if (!std::isfinite(trajectory->duration())) return;
  expect_rest(std::nextafter(trajectory->duration(), 1e9), trajectory->duration());
  expect_rest(std::numeric_limits<double>::infinity(), trajectory->duration());
}

TEST_P(EveryTrajectory, DoesNotAllocate) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
#ifndef NDEBUG
  GTEST_SKIP() << "a debug build repeats each call and keeps the first result";
#endif
  ASSERT_TRUE(trajectory);
  Reference out = trajectory->make_reference();
  bool good = true;
  const long before = allocations();
  for (const double t : {-1.0, 0.0, 0.3, 0.9, 5.0}) good &= bool(trajectory->evaluate(t, out));
  EXPECT_EQ(allocations() - before, 0);
  EXPECT_TRUE(good);
}

// Checks every real parameter of every plugin: NaN, infinite values and values just outside of the
// range are rejected with the name of the parameter and the value.
TEST(Trajectories, RejectParametersOutOfRange) {
  const auto model = plain_chain(2);
  std::set<std::string> checked;
  int parameters = 0;
  for (const TrajectoryCase& each : trajectory_cases(*model, 1)) {
    const auto trajectory = make(each.id, model, each.parameters);
    if (!checked.insert(trajectory->id()).second) continue;
    for (const torsor_param& row : parameter_rows(trajectory->descriptor())) {
      if (row.type != TORSOR_REAL) continue;
      ASSERT_LE(row.count, 1u) << "one value would be rejected for its count";
      ++parameters;
      for (const double value : values_out_of_range(row)) {
        try {
          make(each.id, model, {{row.name, value}});
          ADD_FAILURE() << each.id << " accepts " << row.name << " = " << value;
        } catch (const Error& error) {
          EXPECT_THAT(
              error.what(),
              testing::AllOf(testing::StartsWith(fmt::format("parameter '{}' of '{}' must be a ",
                                                             row.name, trajectory->id())),
                             testing::HasSubstr(fmt::format(", not {} (", value))));
        }
      }
    }
  }
  EXPECT_GT(parameters, 40);
}

// Checks that a time gives the same bits after any previous calls, with another reference object,
// and with a lower order.
TEST_P(EveryTrajectory, IsAFunctionOfTime) {
  ASSERT_TRUE(trajectory);
  Reference a = trajectory->make_reference(), b = trajectory->make_reference(),
            low = trajectory->make_reference(1);
  for (const double t : {0.2, 0.9, 0.4}) {
    EXPECT_TRUE(trajectory->evaluate(t, a));
    EXPECT_TRUE(trajectory->evaluate(1.3 * t, b));
    EXPECT_TRUE(trajectory->evaluate(t, b));
    EXPECT_TRUE(trajectory->evaluate(t, low));
    EXPECT_THAT(a.y, testing::ElementsAreArray(b.y));
    EXPECT_EQ(a.q, b.q);
    EXPECT_EQ(a.vdddot, b.vdddot);
    EXPECT_EQ(low.q, a.q);
    EXPECT_EQ(low.v, a.v);
    EXPECT_TRUE(low.vdot.empty());
    EXPECT_EQ(std::memcmp(&low.X_WF, &a.X_WF, sizeof a.X_WF), 0);
    EXPECT_EQ(std::memcmp(&low.V[0], &a.V[0], sizeof a.V[0]), 0);
  }
}

}  // namespace
}  // namespace torsor::test
