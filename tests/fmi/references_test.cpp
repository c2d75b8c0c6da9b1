// References of controls as inputs: a control that follows them has the bits of a control in a
// scene with this reference.

#include <gmock/gmock.h>

#include <fstream>

#include "fmi/compared.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using Values = std::map<std::string, double>;

// Two joints that follow a motion, or the constant positions of `rest`.
constexpr const char* arm_scene = R"(
local torsor = require "torsor"
local p = torsor.params{ law = "plugin", rate = 0, rest = false, kp = 25 }
local world = torsor.world{}
local arm = require("robots.double_pendulum").build{ name = "arm" }
arm:set{ q = { joint1 = 0.2, joint2 = -0.1 } }
local reference = { q = { 0.5, -0.8 } }
if not p.rest then
  reference = arm:trajectory("quintic", { from = { 0.1, -0.3 }, to = { 1, 1 }, duration = 1 })
end
local options = { reference = reference, name = "law" }
if p.rate > 0 then options.rate = p.rate end
if p.law == "plugin" then
  options.frequency = 8
  arm:control("computed_torque", options)
else
  arm:control(function(t, state, ref)
    local v = ref.v or { 0, 0 }
    local tau = {}
    for k = 1, 2 do tau[k] = p.kp * (ref.q[k] - state.q[k]) + 3 * (v[k] - state.v[k]) end
    return tau
  end, options)
end
world:add(arm)
return world:experiment{
  integrator = { "rk4", dt = 0.002 }, duration = 0.5, record_interval = 0.01,
  record = { "arm.q", "arm.v", "arm.tau", "arm.law.q_ref", "arm.law.error" } }
)";

class References : public testing::Test {
 protected:
  References() { std::ofstream(file()) << arm_scene; }
  std::string file() const { return (folder_.path() / "arm.lua").string(); }

  static void set(const ExportedFmu& fmu, fmi3Instance at, const Values& values) {
    for (const auto& [name, value] : values) {
      const uint32_t reference = fmu.reference(name);
      EXPECT_EQ(fmu.functions().SetFloat64(at, &reference, 1, &value, 1), fmi3OK) << name;
    }
  }
  static void follow(const ExportedFmu& fmu, fmi3Instance at, const std::string& name, bool on) {
    const uint32_t reference = fmu.reference(name + ".active");
    EXPECT_EQ(fmu.functions().SetBoolean(at, &reference, 1, &on, 1), fmi3OK);
  }
  // Returns the bits of n rows of all outputs after steps of 0.01 s from t on.
  static std::vector<uint64_t> run(const ExportedFmu& fmu, fmi3Instance at, double t, size_t n) {
    std::vector<uint32_t> outputs;
    for (const auto& [name, variable] : fmu.variables())
      if (variable.causality == "output") outputs.push_back(variable.reference);
    std::vector<double> rows(n * outputs.size());
    EXPECT_EQ(
        run_fmu(&fmu.functions(), at, t, 0.01, n, outputs.data(), outputs.size(), rows.data()),
        fmi3OK);
    return bits_of(rows);
  }
  ScratchFolder folder_;
};

const Values at_rest = {{"reference.arm.law.q.joint1", 0.5},  {"reference.arm.law.q.joint2", -0.8},
                        {"reference.arm.law.v.joint1", 0},    {"reference.arm.law.v.joint2", 0},
                        {"reference.arm.law.vdot.joint1", 0}, {"reference.arm.law.vdot.joint2", 0}};

TEST_F(References, HaveTheBitsOfTheSceneUntilTheyAreActive) {
  const ExportedFmu fmu(file());
  EXPECT_EQ(fmu.variables().at("reference.arm.law.q.joint2").start, "-0.3");
  EXPECT_EQ(fmu.variables().at("reference.arm.law.q.joint2").unit, "rad");
  EXPECT_EQ(fmu.variables().at("reference.arm.law.vdot.joint2").unit, "rad/s^2");
  EXPECT_EQ(fmu.variables().at("reference.arm.law.active").type, "Boolean");
  EXPECT_EQ(fmu.variables().at("reference.arm.law.active").start, "false");
  EXPECT_EQ(fmu.variables().at("reference.arm.law.active").variability, "discrete");
  const fmi3Instance at = fmu.started();
  set(fmu, at, at_rest);
  expect_bits_of(fmu, at, recorded(file()));
  fmu.functions().FreeInstance(at);
}

// Controls that are continuous-time and sampled, of plugins and of functions. The references are
// set during the initialization, or before the first step.
TEST_F(References, HaveTheBitsOfASceneWithTheSameReference) {
  for (const char* options : {"--set law=plugin", "--set law=plugin --set rate=100",
                              "--set law=lua", "--set law=lua --set rate=250"})
    for (const bool early : {true, false}) {
      SCOPED_TRACE(options);
      const ExportedFmu fmu(file(), options);
      const Fmu& f = fmu.functions();
      const fmi3Instance at = fmu.instantiate();
      const auto set_all = [&] {
        set(fmu, at, at_rest);
        follow(fmu, at, "reference.arm.law", true);
      };
      ASSERT_EQ(f.EnterInitializationMode(at, false, 0, 0, false, 0), fmi3OK);
      if (early) set_all();
      ASSERT_EQ(f.ExitInitializationMode(at), fmi3OK);
      if (!early) set_all();
      expect_bits_of(fmu, at, recorded(file(), std::string(options) + " --set rest=true"));
      f.FreeInstance(at);
    }
}

TEST_F(References, AreFollowedFromTheNextStepAndArePartOfStates) {
  const ExportedFmu fmu(file());
  const Fmu& f = fmu.functions();
  const fmi3Instance at = fmu.started();
  run(fmu, at, 0, 10);
  follow(fmu, at, "reference.arm.law", true);
  set(fmu, at, at_rest);
  const uint32_t q_ref = fmu.reference("arm.law.q_ref.joint2");
  double value = 0;
  ASSERT_EQ(f.GetFloat64(at, &q_ref, 1, &value, 1), fmi3OK);
  EXPECT_EQ(value, -0.8);
  run(fmu, at, 0.1, 5);
  fmi3FMUState state = nullptr;
  ASSERT_EQ(f.GetFMUState(at, &state), fmi3OK);
  const auto held = run(fmu, at, 0.15, 20);
  // The scene's motion again, from the same state.
  ASSERT_EQ(f.SetFMUState(at, state), fmi3OK);
  follow(fmu, at, "reference.arm.law", false);
  const auto own = run(fmu, at, 0.15, 20);
  EXPECT_NE(own, held);
  ASSERT_EQ(f.SetFMUState(at, state), fmi3OK);
  EXPECT_EQ(run(fmu, at, 0.15, 20), held);
  // Another instance, which has never followed the inputs.
  size_t size = 0;
  ASSERT_EQ(f.SerializedFMUStateSize(at, state, &size), fmi3OK);
  std::vector<fmi3Byte> bytes(size);
  ASSERT_EQ(f.SerializeFMUState(at, state, bytes.data(), size), fmi3OK);
  f.FreeFMUState(at, &state);
  f.FreeInstance(at);
  const fmi3Instance other = fmu.started();
  ASSERT_EQ(f.DeserializeFMUState(other, bytes.data(), size, &state), fmi3OK);
  ASSERT_EQ(f.SetFMUState(other, state), fmi3OK);
  EXPECT_EQ(run(fmu, other, 0.15, 20), held);
  ASSERT_EQ(f.SetFMUState(other, state), fmi3OK);
  follow(fmu, other, "reference.arm.law", false);
  EXPECT_EQ(run(fmu, other, 0.15, 20), own);
  ASSERT_EQ(f.Reset(other), fmi3OK);
  ASSERT_EQ(f.EnterInitializationMode(other, false, 0, 0, false, 0), fmi3OK);
  ASSERT_EQ(f.ExitInitializationMode(other), fmi3OK);
  expect_bits_of(fmu, other, recorded(file()));
  f.FreeFMUState(other, &state);
  f.FreeInstance(other);
}

// The flange follows a pose. A start pose that is followed from the start, without velocity, is
// that of a scene whose motion has no length.
TEST_F(References, OfFramesArePoses) {
  const std::string file = (folder_.path() / "flange.lua").string();
  std::ofstream(file) << R"(
local torsor = require "torsor"
local p = torsor.params{ rest = false }
local world = torsor.world{}
local arm = require("robots.iiwa").build{}
arm:set{ q = { 0.1, 0.5, 0.2, -1.4, 0.1, 0.8, 0 } }
local from = { xyz = {0.5, 0.1, 0.6}, rpy_deg = {160, 0, 0} }
local reference = { pose = from }
if not p.rest then
  reference = arm:trajectory("straight_line", { from = from,
    to = { xyz = {0.5, -0.3, 0.5}, rpy_deg = {160, 0, 30} }, duration = 1, law = "quintic" })
end
arm:control("task_pid", { name = "law", frame = "link7", reference = reference, rate = 1000,
                          kp = 2000, kd = 120, kp_rotation = 60, kd_rotation = 4, damping = 2 })
world:add(arm)
return world:experiment{ integrator = { "rk4", dt = 0.001 }, duration = 0.2, record_interval = 0.01,
                         record = { "iiwa.q", "iiwa.law.error", "iiwa.law.pose_ref" } }
)";
  const ExportedFmu fmu(file);
  EXPECT_EQ(fmu.variables().at("reference.iiwa.law.Vdot.wz").unit, "rad/s^2");
  std::string messages;
  const fmi3Instance at = fmu.started(&messages);
  follow(fmu, at, "reference.iiwa.law", true);
  const Recording rest = recorded(file, "--set rest=true");
  const std::vector<uint32_t> outputs = references_of(fmu, rest);
  std::vector<double> row(outputs.size());
  for (size_t k = 0; k < 20; ++k) {
    ASSERT_EQ(run_fmu(&fmu.functions(), at, double(k) * 0.01, 0.01, 1, outputs.data(), row.size(),
                      row.data()),
              fmi3OK);
    // The pose of the inputs has passed through a quaternion, so it differs by rounding.
    EXPECT_THAT(row, testing::Pointwise(testing::DoubleNear(1e-12), row_of(rest, k + 1)));
  }
  set(fmu, at, {{"reference.iiwa.law.pose.qw", 3}});
  const uint32_t first = outputs[0];
  EXPECT_EQ(fmu.functions().GetFloat64(at, &first, 1, row.data(), 1), fmi3Error);
  EXPECT_THAT(messages, HasSubstr("reference.iiwa.law: the quaternion of the pose has norm"));
  fmu.functions().FreeInstance(at);
}

// The law of an elastic joint needs the third derivative of its reference.
TEST_F(References, OfElasticJointsAreNoInputs) {
  const ExportedFmu fmu(scene_file("elastic_feed_forward"));
  for (const auto& [name, variable] : fmu.variables())
    EXPECT_FALSE(name.starts_with("reference.")) << name;
}

}  // namespace
}  // namespace torsor::test
