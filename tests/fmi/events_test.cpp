// Event mode: located events and changes of the scene end a step early. The values are those of a
// run without event mode, bit by bit.

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "fmi/compared.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

// A mass falls by 1 m on a stop, which it reaches at sqrt(2 / 9.81) s = 0.4515 s. A solver changes
// at 0.2 s, and a payload is attached at 0.303 s.
constexpr const char* falling_scene = R"(
local torsor = require "torsor"
local p = torsor.params{ calm = false }
local world = torsor.world{}
local drop = torsor.robot{ name = "drop" }
drop:link{ name = "mass",
           joint = { "prismatic", name = "height", axis = {0, 0, 1},
                     limits = { lower = 0, upper = 9 }, stop = { restitution = 0.5 } },
           inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
drop:set{ q = { height = 1 } }
if not p.calm then
  drop:payload{ frame = "mass", attach = 0.303, twist = { linear = {0, 0, -0.303 * 9.81} },
                inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
end
world:add(drop)
return world:experiment{ integrator = { "rk4", dt = 0.01 }, duration = 1,
                         changes = p.calm and {} or { { at = 0.2, solver = "newton_euler" } },
                         record = { "drop.q", "drop.v" } }
)";

class Events : public testing::Test {
 protected:
  Events() {
    const std::string file = (folder_.path() / "drop.lua").string();
    std::ofstream(file) << falling_scene;
    fmu_ = std::make_unique<ExportedFmu>(file);
    recording_ = recorded(file);
  }
  struct Step {
    bool event = true, terminate = true, is_early = true;
    double last = -1;
  };
  Step step(fmi3Instance at, double t, double h) {
    Step out;
    EXPECT_EQ(f().DoStep(at, t, h, false, &out.event, &out.terminate, &out.is_early, &out.last),
              fmi3OK)
        << messages_;
    EXPECT_FALSE(out.terminate);
    return out;
  }
  // Handles an event and returns the time of the next one, or infinity.
  double update(fmi3Instance at) {
    bool again = true, terminate = true, nominals = true, states = true, is_defined = false;
    double next = -1;
    EXPECT_EQ(
        f().UpdateDiscreteStates(at, &again, &terminate, &nominals, &states, &is_defined, &next),
        fmi3OK)
        << messages_;
    EXPECT_FALSE(again || terminate || nominals || states);
    return is_defined ? next : INFINITY;
  }
  void expect_row(fmi3Instance at, double t) {
    const std::vector<uint32_t> references = references_of(*fmu_, recording_);
    std::vector<double> row(references.size());
    ASSERT_EQ(f().GetFloat64(at, references.data(), row.size(), row.data(), row.size()), fmi3OK);
    EXPECT_EQ(bits_of(row), bits_of(row_of(recording_, size_t(std::lround(t / 0.01))))) << t;
  }
  const Fmu& f() const { return fmu_->functions(); }
  ScratchFolder folder_;
  std::unique_ptr<ExportedFmu> fmu_;
  Recording recording_;
  std::string messages_;
};

TEST_F(Events, EndStepsEarlyAndKeepTheBits) {
  const fmi3Instance at = fmu_->started(&messages_, {true, true});
  EXPECT_DOUBLE_EQ(update(at), 0.2);
  ASSERT_EQ(f().EnterStepMode(at), fmi3OK);
  double t = 0;
  // The change, the payload in the step that ends at 0.31 s, and the first impact.
  for (const double expected : {0.2, 0.31, 0.46}) {
    const Step done = step(at, t, 0.6 - t);
    EXPECT_TRUE(done.event);
    EXPECT_TRUE(done.is_early);
    EXPECT_NEAR(done.last, expected, 1e-12);
    t = done.last;
    expect_row(at, t);
    ASSERT_EQ(f().EnterEventMode(at), fmi3OK);
    EXPECT_EQ(update(at), t < 0.25 ? 31 * 0.01 : INFINITY);
    ASSERT_EQ(f().EnterStepMode(at), fmi3OK);
  }
  const Step done = step(at, t, 0.6 - t);
  EXPECT_FALSE(done.event);
  EXPECT_FALSE(done.is_early);
  expect_row(at, 0.6);
  f().FreeInstance(at);
}

TEST_F(Events, AreReportedAtTheEndIfAnEarlyReturnIsNotAllowed) {
  const fmi3Instance at = fmu_->started(&messages_, {true, false});
  ASSERT_EQ(f().EnterStepMode(at), fmi3OK);
  const Step calm = step(at, 0, 0.1), eventful = step(at, 0.1, 0.5);
  EXPECT_FALSE(calm.event);
  EXPECT_TRUE(eventful.event);
  EXPECT_FALSE(eventful.is_early);
  EXPECT_DOUBLE_EQ(eventful.last, 0.6);
  expect_row(at, 0.6);
  f().FreeInstance(at);
}

TEST_F(Events, AreNotReportedWithoutEventMode) {
  const fmi3Instance at = fmu_->started(&messages_, {false, true});
  const Step done = step(at, 0, 0.6);
  EXPECT_FALSE(done.event || done.is_early);
  expect_row(at, 0.6);
  EXPECT_EQ(f().EnterEventMode(at), fmi3Error);
  EXPECT_THAT(messages_, HasSubstr("eventModeUsed was false"));
  f().FreeInstance(at);
}

TEST_F(Events, FollowTheStatesOfTheStandard) {
  const fmi3Instance at = fmu_->started(&messages_, {true, true});
  bool flag = false;
  double time = 0;
  const auto rejects = [&](fmi3Status status, const char* why) {
    EXPECT_EQ(status, fmi3Error);
    EXPECT_THAT(messages_, HasSubstr(why));
    messages_.clear();
  };
  const auto step_status = [&] {
    return f().DoStep(at, 0, 0.1, false, &flag, &flag, &flag, &time);
  };
  rejects(step_status(), "only in step mode");
  rejects(f().EnterEventMode(at), "only in step mode");
  ASSERT_EQ(f().EnterStepMode(at), fmi3OK);
  rejects(f().EnterStepMode(at), "only in event mode");
  rejects(f().UpdateDiscreteStates(at, &flag, &flag, &flag, &flag, &flag, &time),
          "only in event mode");
  // The phase is part of a state.
  fmi3FMUState state = nullptr;
  ASSERT_EQ(f().EnterEventMode(at), fmi3OK);
  ASSERT_EQ(f().GetFMUState(at, &state), fmi3OK);
  ASSERT_EQ(f().EnterStepMode(at), fmi3OK);
  ASSERT_EQ(f().SetFMUState(at, state), fmi3OK);
  ASSERT_EQ(f().EnterStepMode(at), fmi3OK);
  ASSERT_EQ(step_status(), fmi3OK);
  const fmi3Instance other = fmu_->started(&messages_);
  ASSERT_EQ(f().SetFMUState(other, state), fmi3OK);  // it has no event mode
  EXPECT_DOUBLE_EQ(step(other, 0, 0.1).last, 0.1);
  f().FreeFMUState(at, &state);
  f().FreeInstance(other);
  f().FreeInstance(at);
}

// A discrete input, the switch of a reference, changes in event mode only, if that is used.
TEST(DiscreteInputs, AreSetInEventMode) {
  const ExportedFmu fmu(scene_file("computed_torque"));
  const Fmu& f = fmu.functions();
  const uint32_t active = fmu.reference("reference.iiwa.computed_torque.active");
  std::string messages;
  const fmi3Instance at = fmu.started(&messages, {true, true});
  const bool on = true;
  EXPECT_EQ(f.SetBoolean(at, &active, 1, &on, 1), fmi3OK);
  ASSERT_EQ(f.EnterStepMode(at), fmi3OK);
  EXPECT_EQ(f.SetBoolean(at, &active, 1, &on, 1), fmi3Error);
  EXPECT_THAT(messages, HasSubstr("only in event mode"));
  f.FreeInstance(at);
}

}  // namespace
}  // namespace torsor::test
