// Calls of an importer in unusual order: states between new parameters and the initialization,
// stop times, the end of a simulation, sums of steps, log categories, and instances in threads.

#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "fmi/compared.hpp"
#include "torsor/base/sanitized.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

// Two pendulums. The start of the first one depends on a parameter. `body` adds a free body, which
// is not recorded, and `slides` changes the unit of a joint.
constexpr const char* pendulum_scene = R"(
local torsor = require "torsor"
local p = torsor.params{ angle = 0.5, body = false, slides = false }
print("angle #1", p.angle)
local world = torsor.world{}
for _, name in ipairs{ "arm", "other" } do
  local arm = torsor.robot{ name = name }
  arm:link{ name = "link", joint = { p.slides and "prismatic" or "revolute", name = "joint",
                                     axis = {0, 1, 0} },
            inertia = { mass = 1, com = {0, 0, -1}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
  arm:set{ q = { p.angle } }
  world:add(arm)
end
if p.body then
  local body = torsor.robot{ name = "body" }
  body:link{ name = "brick", joint = { "floating", name = "free" },
             inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
  world:add(body)
end
return world:experiment{ integrator = { "semi_implicit_euler", dt = 1e-3 }, duration = 1,
                         record = { "arm.q", "arm.v" } }
)";

class CallOrder : public testing::Test {
 protected:
  static std::unique_ptr<ExportedFmu> exported() {
    const ScratchFolder folder;
    const std::string file = (folder.path() / "pendulum.lua").string();
    std::ofstream(file) << pendulum_scene;
    return std::make_unique<ExportedFmu>(file);
  }
  void set(fmi3Instance at, const char* name, double value) {
    const uint32_t reference = fmu_->reference(name);
    EXPECT_EQ(f_.SetFloat64(at, &reference, 1, &value, 1), fmi3OK) << messages_;
  }
  double number(fmi3Instance at, const char* name) {
    const uint32_t reference = fmu_->reference(name);
    double out = -1;
    EXPECT_EQ(f_.GetFloat64(at, &reference, 1, &out, 1), fmi3OK) << messages_;
    return out;
  }
  void initialize(fmi3Instance at) {
    ASSERT_EQ(f_.EnterInitializationMode(at, false, 0, 0, false, 0), fmi3OK) << messages_;
    ASSERT_EQ(f_.ExitInitializationMode(at), fmi3OK) << messages_;
  }
  struct Done {
    fmi3Status status;
    bool is_early;
    double last;
  };
  Done step(fmi3Instance at, double t, double h) {
    bool event = false, end = false;
    Done out{};
    out.status = f_.DoStep(at, t, h, false, &event, &end, &out.is_early, &out.last);
    return out;
  }
  void expect_error(fmi3Status status, const char* message) {
    EXPECT_EQ(status, fmi3Error) << message;
    EXPECT_THAT(messages_, HasSubstr(message));
    messages_.clear();
  }
  std::unique_ptr<ExportedFmu> fmu_ = exported();
  const Fmu& f_ = fmu_->functions();
  std::string messages_;
};

// Outputs are read before a new parameter, so that there is a simulation of the old parameter.
TEST_F(CallOrder, AStateBeforeTheInitializationKeepsNewParameters) {
  const fmi3Instance at = fmu_->instantiate(&messages_);
  EXPECT_EQ(number(at, "arm.q.joint"), 0.5);
  set(at, "parameters.angle", 0.25);
  fmi3FMUState state = nullptr;
  ASSERT_EQ(f_.GetFMUState(at, &state), fmi3OK);
  for (const bool is_changed : {false, true}) {
    if (is_changed) {
      initialize(at);
      EXPECT_EQ(step(at, 0, 0.5).status, fmi3OK);
    }
    ASSERT_EQ(f_.SetFMUState(at, state), fmi3OK);
    EXPECT_EQ(number(at, "parameters.angle"), 0.25);
    EXPECT_EQ(number(at, "arm.q.joint"), 0.25);
  }
  initialize(at);
  EXPECT_EQ(number(at, "arm.q.joint"), 0.25);
  f_.FreeFMUState(at, &state);
  f_.FreeInstance(at);
}

TEST_F(CallOrder, ParametersThatChangeTheJointsAreErrors) {
  for (const char* name : {"parameters.body", "parameters.slides"}) {
    const uint32_t reference = fmu_->reference(name);
    const fmi3Instance at = fmu_->instantiate(&messages_);
    const bool yes = true, no = false;
    ASSERT_EQ(f_.SetBoolean(at, &reference, 1, &yes, 1), fmi3OK);
    set(at, "torque.arm.joint", 1);
    expect_error(f_.EnterInitializationMode(at, false, 0, 0, false, 0), "change the joints");
    ASSERT_EQ(f_.SetBoolean(at, &reference, 1, &no, 1), fmi3OK);
    initialize(at);
    EXPECT_EQ(step(at, 0, 0.01).status, fmi3OK);
    f_.FreeInstance(at);
  }
}

TEST_F(CallOrder, TheStopTimeIsPartOfStates) {
  const fmi3Instance at = fmu_->instantiate(&messages_), other = fmu_->instantiate(&messages_);
  expect_error(f_.EnterInitializationMode(at, false, 0, 0, true, std::nan("")), "stopTime is nan");
  expect_error(f_.EnterInitializationMode(at, false, 0, 0, true, -1), "stopTime is -1 s");
  ASSERT_EQ(f_.EnterInitializationMode(at, false, 0, 0, true, 0.02), fmi3OK);
  ASSERT_EQ(f_.ExitInitializationMode(at), fmi3OK);
  fmi3FMUState state = nullptr;
  size_t size = 0;
  ASSERT_EQ(f_.GetFMUState(at, &state), fmi3OK);
  ASSERT_EQ(f_.SerializedFMUStateSize(at, state, &size), fmi3OK);
  std::vector<fmi3Byte> bytes(size);
  ASSERT_EQ(f_.SerializeFMUState(at, state, bytes.data(), size), fmi3OK);
  ASSERT_EQ(f_.DeserializeFMUState(other, bytes.data(), size, &state), fmi3OK);
  ASSERT_EQ(f_.Reset(at), fmi3OK);
  for (const fmi3Instance each : {at, other}) {
    ASSERT_EQ(f_.SetFMUState(each, state), fmi3OK);
    expect_error(step(each, 0, 0.021).status, "after stopTime");
    EXPECT_EQ(step(each, 0, 0.02).status, fmi3OK);
  }
  f_.FreeFMUState(at, &state);
  // An infinite time is none.
  ASSERT_EQ(f_.Reset(at), fmi3OK);
  ASSERT_EQ(f_.EnterInitializationMode(at, false, 0, 0, true, INFINITY), fmi3OK);
  ASSERT_EQ(f_.ExitInitializationMode(at), fmi3OK);
  EXPECT_EQ(step(at, 0, 5).status, fmi3OK);
  f_.FreeInstance(at);
  f_.FreeInstance(other);
}

TEST_F(CallOrder, OnlyARunningSimulationIsTerminated) {
  const char* why = "only after the initialization, and once";
  const fmi3Instance at = fmu_->instantiate(&messages_);
  expect_error(f_.Terminate(at), why);
  ASSERT_EQ(f_.EnterInitializationMode(at, false, 0, 0, false, 0), fmi3OK);
  expect_error(f_.Terminate(at), why);
  ASSERT_EQ(f_.ExitInitializationMode(at), fmi3OK);
  ASSERT_EQ(step(at, 0, 0.1).status, fmi3OK);
  const double q = number(at, "arm.q.joint");
  ASSERT_EQ(f_.Terminate(at), fmi3OK);
  EXPECT_EQ(number(at, "arm.q.joint"), q);
  expect_error(f_.Terminate(at), why);
  expect_error(step(at, 0.1, 0.1).status, "only in step mode");
  const uint32_t torque = fmu_->reference("torque.arm.joint");
  const double one = 1;
  expect_error(f_.SetFloat64(at, &torque, 1, &one, 1), "has been terminated");
  expect_error(f_.EnterInitializationMode(at, false, 0, 0, false, 0), "creation or a reset");
  ASSERT_EQ(f_.Reset(at), fmi3OK);
  initialize(at);
  EXPECT_EQ(step(at, 0, 0.1).status, fmi3OK);
  EXPECT_EQ(number(at, "arm.q.joint"), q);
  f_.FreeInstance(at);
  // Event mode is part of the running simulation if there are events.
  const fmi3Instance in_events = fmu_->started(&messages_, {true, true});
  EXPECT_EQ(f_.Terminate(in_events), fmi3OK);
  f_.FreeInstance(in_events);
}

// Instances are freed in every state.
TEST_F(CallOrder, InstancesAreFreedInEveryState) {
  for (int n_calls = 0; n_calls < 5; ++n_calls) {
    const fmi3Instance at = fmu_->instantiate(&messages_);
    if (n_calls > 0) {
      EXPECT_EQ(f_.EnterInitializationMode(at, false, 0, 0, false, 0), fmi3OK);
    }
    if (n_calls > 1) {
      EXPECT_EQ(f_.ExitInitializationMode(at), fmi3OK);
    }
    if (n_calls > 2) {
      EXPECT_EQ(step(at, 0, 0.1).status, fmi3OK);
    }
    if (n_calls > 3) {
      EXPECT_EQ(f_.Terminate(at), fmi3OK);
    }
    f_.FreeInstance(at);
  }
  f_.FreeInstance(nullptr);
}

// The errors of the communication point and of the step may add up to more than a thousandth of dt.
TEST_F(CallOrder, RoundingIsNoEarlyReturn) {
  const fmi3Instance at = fmu_->started(&messages_);
  const Done done = step(at, 0.9e-6, 0.01 + 0.9e-6);
  EXPECT_EQ(done.status, fmi3OK);
  EXPECT_FALSE(done.is_early);
  EXPECT_EQ(done.last, 0.01);
  f_.FreeInstance(at);
}

// The rounding of a sum of many steps exceeds a thousandth of dt.
TEST_F(CallOrder, ASumOfManyStepsIsACommunicationPoint) {
  if (TORSOR_SANITIZED) GTEST_SKIP() << "eight million steps take minutes with sanitizers";
  const fmi3Instance at = fmu_->started(&messages_);
  constexpr int n = 8'000'000;
  double t = 0;
  for (int k = 0; k < n; ++k) t += 1e-3;
  EXPECT_GT(std::abs(t - n * 1e-3), 1e-6);
  ASSERT_EQ(step(at, 0, n * 1e-3).status, fmi3OK);
  EXPECT_EQ(step(at, t, 1e-3).status, fmi3OK) << messages_;
  expect_error(step(at, t + 0.3e-3, 1e-3).status, "the communication point is");
  f_.FreeInstance(at);
}

TEST_F(CallOrder, CategoriesAreSwitched) {
  const fmi3Instance at = fmu_->instantiate(&messages_);
  const auto logged = [&](double angle) {
    messages_.clear();
    set(at, "parameters.angle", angle);
    number(at, "arm.q.joint");
    return messages_;
  };
  const fmi3String scene = "scene", errors = "logStatusError", unknown = "other", none = nullptr;
  EXPECT_EQ(logged(0.1), "");
  ASSERT_EQ(f_.SetDebugLogging(at, true, 1, &errors), fmi3OK);
  EXPECT_EQ(logged(0.2), "");
  ASSERT_EQ(f_.SetDebugLogging(at, true, 1, &scene), fmi3OK);
  // A # of a text is written as ##, because # begins the reference of a variable.
  EXPECT_EQ(logged(0.3), "scene: angle ##1\t0.3\n");
  ASSERT_EQ(f_.SetDebugLogging(at, false, 1, &scene), fmi3OK);
  EXPECT_EQ(logged(0.4), "");
  ASSERT_EQ(f_.SetDebugLogging(at, true, 0, nullptr), fmi3OK);
  EXPECT_EQ(logged(0.6), "scene: angle ##1\t0.6\n");
  expect_error(f_.SetDebugLogging(at, true, 1, &unknown), "there is no category 'other'");
  expect_error(f_.SetDebugLogging(at, true, 1, nullptr), "categories is NULL");
  expect_error(f_.SetDebugLogging(at, true, 1, &none), "a category is NULL");
  f_.FreeInstance(at);
}

// The variables of an instance have the values of modelDescription.xml.
TEST(StartValues, AreThoseOfTheDescription) {
  for (const char* name : {"double_pendulum", "computed_torque", "task_space", "stiction"}) {
    const ExportedFmu fmu(scene_file(name));
    const fmi3Instance at = fmu.instantiate();
    for (const auto& [variable_name, variable] : fmu.variables()) {
      SCOPED_TRACE(variable_name);
      if (variable.start.empty() || variable.type == "String") continue;
      double x = -1;
      bool flag = true;
      if (variable.type == "Boolean") {
        ASSERT_EQ(fmu.functions().GetBoolean(at, &variable.reference, 1, &flag, 1), fmi3OK);
        EXPECT_EQ(variable.start, flag ? "true" : "false");
      } else {
        ASSERT_EQ(fmu.functions().GetFloat64(at, &variable.reference, 1, &x, 1), fmi3OK);
        EXPECT_EQ(std::stod(variable.start), x);
      }
    }
    fmu.functions().FreeInstance(at);
  }
}

TEST(Instances, InThreadsHaveTheSameBits) {
  const ExportedFmu fmu(scene_file("lua_computed_torque"));
  std::vector<uint32_t> outputs;
  for (const auto& [name, variable] : fmu.variables())
    if (variable.causality == "output") outputs.push_back(variable.reference);
  std::vector<std::vector<double>> rows(3);
  std::vector<std::thread> threads;
  for (auto& own : rows)
    threads.emplace_back([&] {
      own.resize(20 * outputs.size());
      const fmi3Instance at = fmu.started();
      EXPECT_EQ(
          run_fmu(&fmu.functions(), at, 0, 0.01, 20, outputs.data(), outputs.size(), own.data()),
          fmi3OK);
      fmu.functions().FreeInstance(at);
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& own : rows) EXPECT_EQ(bits_of(own), bits_of(rows[0]));
}

}  // namespace
}  // namespace torsor::test
