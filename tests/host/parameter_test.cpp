// Tests of parameters by name: accepted and rejected values.

#include "host_fixture.hpp"

namespace torsor::host_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using List = std::vector<double>;

// Returns tau for vdot = 0 in the neutral position, where the pendulum has no torque. It is the sum
// of the torques that the parameters add.
double added(const std::vector<Parameter>& parameters) {
  Solver solver =
      Registry({plugin("pendulum")}).solver("pendulum", pendulum_model(1, 1), parameters);
  const double vdot = 0;
  double tau = -1;
  EXPECT_TRUE(solver.inverse(State(pendulum_model(1, 1)), &vdot, &tau));
  return tau;
}

std::string rejection(const Parameter& parameter) {
  return error_of([&] {
    Registry({plugin("pendulum")}).solver("pendulum", pendulum_model(1, 1), {parameter});
  });
}

TEST(Parameters, ReachThePlugin) {
  EXPECT_EQ(added({}), 0) << "the host did not set the row's initial value";
  EXPECT_EQ(added({{"gain", 2.5}}), 2.5);
  EXPECT_EQ(added({{"gain", List{-10.0}}}), -10);
  EXPECT_EQ(added({{"gain", 2.5}, {"mode", "ignored"}}), 0);
  EXPECT_EQ(added({{"gain", 2.5}, {"mode", "added"}}), 2.5);
  EXPECT_EQ(added({{"weights", List{0, 0.5, 1}},
                   {"steps", 100.0},
                   {"exact", false},
                   {"way_points", List{}}}),
            0);
}

TEST(Parameters, AnUnknownNameGetsTheNearestAndTheList) {
  EXPECT_THAT(rejection({"gian", 1.0}),
              AllOf(HasSubstr("'solver.pendulum' has no parameter 'gian'"),
                    HasSubstr("did you mean 'gain'?"),
                    HasSubstr("it has gain, mode, weights, steps, exact, way_points"),
                    HasSubstr(plugin("pendulum").string())));
  EXPECT_THAT(error_of([] {
                Registry({plugin("throwing")})
                    .solver("throws_in_inverse", pendulum_model(1, 1), {{"x", 1.0}});
              }),
              HasSubstr("(it has none)"));
}

TEST(Parameters, AreCheckedAgainstTheirRow) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto expect = [](const Parameter& parameter, const std::string& message) {
    EXPECT_THAT(rejection(parameter), HasSubstr(message));
  };
  expect({"gain", 10.5},
         "parameter 'gain' of 'solver.pendulum' must be a number in [-10, 10] N m, not 10.5");
  expect({"gain", nan}, "must be a number in [-10, 10] N m, not nan");
  expect({"gain", true}, "must be a number in [-10, 10] N m, not true");
  expect({"gain", "high"}, "must be a number in [-10, 10] N m, not 'high'");
  expect({"gain", List{1, 2}}, "must be a number in [-10, 10] N m, not [1, 2]");
  expect({"weights", List{0, 1}}, "must be a list of 3 numbers in [0, 1], not [0, 1]");
  expect({"weights", List{0, 1, 2}}, "must be a list of 3 numbers in [0, 1], not [0, 1, 2]");
  expect({"way_points", List{0, 5}}, "must be a list of numbers in [-4, 4] rad, not [0, 5]");
  expect({"steps", 2.5}, "must be a whole number in [1, 100], not 2.5");
  expect({"exact", 1.0}, "must be true or false, not 1");
  expect({"mode", 1.0}, "must be one of added, ignored, not 1");
  expect({"mode", "aded"}, "must be one of added, ignored, not 'aded'; did you mean 'added'?");
}

TEST(Parameters, APluginMayRejectWithItsReason) {
  EXPECT_THAT(
      rejection({"way_points", List{1, 2, 3}}),
      HasSubstr("'solver.pendulum' rejected its parameter 'way_points': at most two way-points"));
}

}  // namespace
}  // namespace torsor::host_test
