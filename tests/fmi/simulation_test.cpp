// FMUs in an importer: they give the bits of `torsor run`, saved states continue with the same
// bits, inputs and parameters act, and mistakes are messages.

#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <cmath>
#include <fstream>

#include "fmi/compared.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/run/run.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(Slaves, HaveTheBitsOfRunsOfTheDoublePendulum) {
  const ExportedFmu fmu(scene_file("double_pendulum"));
  const Recording recording = recorded(scene_file("double_pendulum"));
  ASSERT_EQ(recording.rows(), 1001u);
  ASSERT_EQ(recording.values[1000 * recording.columns.size()], 10);
  const fmi3Instance instance = fmu.started();
  expect_bits_of(fmu, instance, recording);
  EXPECT_EQ(fmu.functions().Terminate(instance), fmi3OK);
  fmu.functions().FreeInstance(instance);
}

// Scenes with controls, changes during the run, contacts, closed loops, events and robot files.
TEST(Slaves, HaveTheBitsOfRunsOfOtherScenes) {
  for (const char* name : {"computed_torque", "changed_target", "four_bar", "dropped_ball",
                           "stiction", "adaptive", "iiwa_free_swing", "t_handle"}) {
    SCOPED_TRACE(name);
    const ExportedFmu fmu(scene_file(name));
    const Recording recording = recorded(scene_file(name), "--duration 0.5");
    std::string messages;
    const fmi3Instance instance = fmu.started(&messages);
    ASSERT_TRUE(instance) << messages;
    expect_bits_of(fmu, instance, recording);
    fmu.functions().FreeInstance(instance);
  }
}

TEST(Slaves, RunWithoutTheFilesOfTheScene) {
  const ScratchFolder folder;
  fs::create_directories(folder.path() / "scenes/parts");
  fs::create_directories(folder.path() / "robots");
  std::ofstream(folder.path() / "robots/arm.urdf") << R"(<robot name="arm">
  <link name="base"/>
  <link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/>
    <axis xyz="0 1 0"/></joint>
</robot>)";
  std::ofstream(folder.path() / "scenes/parts/steps.lua") << "return { dt = 0.01 }";
  std::ofstream(folder.path() / "scenes/swing.lua") << R"(
local torsor = require "torsor"
local world = torsor.world{}
world:add(torsor.urdf("../robots/arm.urdf"))
return world:experiment{ integrator = { "rk4", dt = require("parts.steps").dt }, duration = 1,
                         record = { "arm.q", "arm.pose.rod" } }
)";
  const std::string scene = (folder.path() / "scenes/swing.lua").string();
  const ExportedFmu fmu(scene, "--allow-plugins");
  const Recording recording = recorded(scene, "--allow-plugins");
  fs::remove_all(folder.path() / "scenes");
  fs::remove_all(folder.path() / "robots");
  std::string messages;
  const fmi3Instance instance = fmu.started(&messages);
  ASSERT_TRUE(instance) << messages;
  expect_bits_of(fmu, instance, recording);
  fmu.functions().FreeInstance(instance);
}

TEST(Slaves, ContinueFromStatesWithTheSameBits) {
  const ExportedFmu fmu(scene_file("stiction"));
  const Fmu& f = fmu.functions();
  std::vector<uint32_t> outputs, inputs;
  for (const auto& [name, variable] : fmu.variables()) {
    if (variable.causality == "output") outputs.push_back(variable.reference);
    if (variable.causality == "input") inputs.push_back(variable.reference);
  }
  const fmi3Instance instance = fmu.started();
  const auto run = [&](fmi3Instance at, double t, size_t n) {
    std::vector<double> rows(n * outputs.size());
    EXPECT_EQ(run_fmu(&f, at, t, 0.01, n, outputs.data(), outputs.size(), rows.data()), fmi3OK);
    return bits_of(rows);
  };
  const auto push = [&](fmi3Instance at, double tau) {
    const std::vector<double> torques(inputs.size(), tau);
    EXPECT_EQ(f.SetFloat64(at, inputs.data(), inputs.size(), torques.data(), inputs.size()),
              fmi3OK);
  };
  push(instance, 0.2);
  run(instance, 0, 20);
  fmi3FMUState state = nullptr;
  ASSERT_EQ(f.GetFMUState(instance, &state), fmi3OK);
  const auto first = run(instance, 0.2, 30);
  ASSERT_EQ(f.SetFMUState(instance, state), fmi3OK);
  EXPECT_EQ(run(instance, 0.2, 30), first);
  push(instance, -0.3);
  EXPECT_NE(run(instance, 0.5, 30), first);
  ASSERT_EQ(f.SetFMUState(instance, state), fmi3OK);
  EXPECT_EQ(run(instance, 0.2, 30), first);

  size_t size = 0;
  ASSERT_EQ(f.SerializedFMUStateSize(instance, state, &size), fmi3OK);
  std::vector<fmi3Byte> bytes(size);
  ASSERT_EQ(f.SerializeFMUState(instance, state, bytes.data(), size), fmi3OK);
  ASSERT_EQ(f.FreeFMUState(instance, &state), fmi3OK);
  EXPECT_EQ(state, nullptr);
  f.FreeInstance(instance);

  const fmi3Instance other = fmu.started();
  ASSERT_EQ(f.DeserializeFMUState(other, bytes.data(), size, &state), fmi3OK);
  ASSERT_EQ(f.SetFMUState(other, state), fmi3OK);
  EXPECT_EQ(run(other, 0.2, 30), first);
  ASSERT_EQ(f.FreeFMUState(other, &state), fmi3OK);
  f.FreeInstance(other);
}

// The torques of a run of the engine that changes them at the same times.
TEST(Slaves, ApplyTheirInputs) {
  const ExportedFmu fmu(scene_file("double_pendulum"));
  const Fmu& f = fmu.functions();
  const std::array references{fmu.reference("torque.first.joint1"),
                              fmu.reference("torque.second.joint2")};
  const std::array outputs{fmu.reference("first.q.joint1"), fmu.reference("second.q.joint2")};
  const fmi3Instance instance = fmu.started();
  std::array<double, 2> q{};
  for (const double tau : {1.5, -0.5}) {
    const std::array torques{tau, 2 * tau};
    ASSERT_EQ(f.SetFloat64(instance, references.data(), 2, torques.data(), 2), fmi3OK);
    ASSERT_EQ(run_fmu(&f, instance, tau > 0 ? 0 : 0.1, 0.1, 1, outputs.data(), 2, q.data()),
              fmi3OK);
  }
  f.FreeInstance(instance);

  const Registry plugins({TORSOR_PLUGIN_DIR});
  Experiment experiment = load_scene(scene_file("double_pendulum"), {}, &plugins);
  experiment.changes = {{0, TorqueChange{{1.5, 0, 0, 3}}}, {100, TorqueChange{{-0.5, 0, 0, -1}}}};
  torsor::Run run(experiment);
  const auto ignore = [](std::span<const double>) {};
  run.begin(ignore);
  for (int k = 0; k < 200; ++k) run.advance(ignore);
  const Snapshot& end = run.simulation().snapshot();
  EXPECT_EQ(bits_of(q), bits_of(std::array{end.q[0], end.q[3]}));
}

TEST(Slaves, HaveTheParametersOfTheScene) {
  const ExportedFmu fmu(scene_file("double_pendulum"));
  const Fmu& f = fmu.functions();
  const uint32_t gap = fmu.reference("parameters.gap");
  const fmi3Instance instance = fmu.instantiate();
  const double value = 0.25;
  ASSERT_EQ(f.SetFloat64(instance, &gap, 1, &value, 1), fmi3OK);
  ASSERT_EQ(f.EnterInitializationMode(instance, false, 0, 0, true, 10), fmi3OK);
  ASSERT_EQ(f.ExitInitializationMode(instance), fmi3OK);
  const std::string options = "--duration 0.5 ";
  expect_bits_of(fmu, instance,
                 recorded(scene_file("double_pendulum"), options + "--set gap=0.25"));
  ASSERT_EQ(f.Reset(instance), fmi3OK);
  double read = 0;
  ASSERT_EQ(f.GetFloat64(instance, &gap, 1, &read, 1), fmi3OK);
  EXPECT_EQ(read, 1e-6);
  ASSERT_EQ(f.EnterInitializationMode(instance, false, 0, 0, false, 0), fmi3OK);
  ASSERT_EQ(f.ExitInitializationMode(instance), fmi3OK);
  expect_bits_of(fmu, instance, recorded(scene_file("double_pendulum"), options));
  f.FreeInstance(instance);
}

TEST(Slaves, HaveTheSettingsOfTheExport) {
  const std::string options = "--solver newton_euler --dt 0.002 --duration 0.2 --set gap=0.5";
  const ExportedFmu fmu(scene_file("double_pendulum"), options);
  const fmi3Instance instance = fmu.started();
  expect_bits_of(fmu, instance, recorded(scene_file("double_pendulum"), options));
  fmu.functions().FreeInstance(instance);
}

class Mistakes : public testing::Test {
 protected:
  // Checks that a call has failed with a message.
  void expect(fmi3Status status, const char* message) {
    EXPECT_EQ(status, fmi3Error) << message;
    EXPECT_THAT(messages_, HasSubstr("logStatusError"));
    EXPECT_THAT(messages_, HasSubstr(message));
    messages_.clear();
  }
  ExportedFmu fmu_{scene_file("double_pendulum")};
  const Fmu& f_ = fmu_.functions();
  std::string messages_;
};

TEST_F(Mistakes, InStepsAreMessages) {
  const fmi3Instance at = fmu_.instantiate(&messages_);
  bool event = false, end = false, early = false;
  double last = -1;
  const auto step = [&](double t, double h) {
    return f_.DoStep(at, t, h, false, &event, &end, &early, &last);
  };
  expect(step(0, 0.01), "it may be called only in step mode, after the initialization");
  expect(f_.EnterInitializationMode(at, false, 0, 1, false, 0), "startTime is 1 s");
  ASSERT_EQ(f_.EnterInitializationMode(at, false, 0, 0, true, 0.03), fmi3OK);
  ASSERT_EQ(f_.ExitInitializationMode(at), fmi3OK);
  ASSERT_EQ(step(0, 0.01), fmi3OK);
  EXPECT_EQ(last, 0.01);
  expect(step(0.01, 0.0105), "it must be a multiple of the scene's dt, 0.001 s");
  expect(step(0.01, 0), "it must be a multiple");
  expect(step(0.01, -0.001), "it must be a multiple");
  expect(step(0.01, std::nan("")), "it must be a multiple");
  expect(step(0.02, 0.01), "the communication point is 0.02 s, but the simulation is at 0.01 s");
  expect(step(0.01, 0.03), "after stopTime");
  EXPECT_EQ(last, 0.01);
  ASSERT_EQ(step(0.01, 0.01), fmi3OK);
  expect(f_.EnterEventMode(at), "eventModeUsed was false");
  // Rounding of the importer's sums: a thousandth of dt, and no more.
  ASSERT_EQ(step(0.02 + 0.9e-6, 0.005 - 0.9e-6), fmi3OK);
  EXPECT_DOUBLE_EQ(last, 0.025);
  expect(step(0.025 - 1.1e-6, 0.001), "they may differ by 1e-06 s");
  expect(step(0.025, 0.001 + 1.1e-6), "it must be a multiple");
  f_.FreeInstance(at);
  EXPECT_EQ(f_.DoStep(nullptr, 0, 0.1, false, &event, &end, &early, &last), fmi3Error);
}

TEST_F(Mistakes, InValuesAreMessages) {
  const fmi3Instance at = fmu_.started(&messages_);
  const uint32_t unknown = 1000, gap = fmu_.reference("parameters.gap"),
                 torque = fmu_.reference("torque.first.joint1"),
                 q = fmu_.reference("first.q.joint1");
  double x = 1;
  bool flag = false;
  int32_t integer = 0;
  fmi3String text = nullptr;
  expect(f_.GetFloat64(at, &unknown, 1, &x, 1), "there is no value reference 1000");
  expect(f_.SetFloat64(at, &unknown, 1, &x, 1), "there is no value reference 1000");
  expect(f_.SetFloat64(at, &gap, 1, &x, 1), "a fixed parameter");
  expect(f_.SetFloat64(at, &q, 1, &x, 1), "'first.q.joint1' cannot be set");
  expect(f_.GetFloat64(at, &q, 1, &x, 2), "nValues is 2");
  expect(f_.GetFloat64(at, nullptr, 1, &x, 1), "valueReferences is NULL");
  expect(f_.GetBoolean(at, &gap, 1, &flag, 1), "'parameters.gap' is a number, not a Boolean");
  expect(f_.GetString(at, &gap, 1, &text, 1), "'parameters.gap' is a number, not a string");
  expect(f_.GetInt32(at, &gap, 1, &integer, 1), "no variables of this type");
  x = INFINITY;
  expect(f_.SetFloat64(at, &torque, 1, &x, 1), "not a finite number");
  expect(f_.SetFMUState(at, nullptr), "FMUState is NULL");
  f_.FreeInstance(at);
}

TEST_F(Mistakes, OfTheCreationAreMessages) {
  const auto log = [](fmi3InstanceEnvironment environment, fmi3Status, fmi3String,
                      fmi3String message) { *static_cast<std::string*>(environment) = message; };
  const auto create = [&](const char* token, const char* resources) {
    return f_.InstantiateCoSimulation("a", token, resources, false, false, false, false, nullptr, 0,
                                      &messages_, log, nullptr);
  };
  const fs::path resources = fmu_.root() / "resources";
  EXPECT_EQ(create("other", resources.c_str()), nullptr);
  EXPECT_THAT(messages_, HasSubstr("the token is 'other'"));
  EXPECT_EQ(create(fmu_.token().c_str(), nullptr), nullptr);
  EXPECT_THAT(messages_, HasSubstr("the resources are NULL"));
  EXPECT_EQ(create(fmu_.token().c_str(), "/nowhere"), nullptr);
  EXPECT_THAT(messages_, HasSubstr("/nowhere/torsor.txt"));
  fs::remove(resources / "files/double_pendulum.lua");
  EXPECT_EQ(create(fmu_.token().c_str(), resources.c_str()), nullptr);
  EXPECT_THAT(messages_, HasSubstr("double_pendulum.lua"));
}

// Parameters of every type, and one that changes the recorded signals.
TEST(Parameters, HaveTheTypesOfTheScene) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "typed.lua") << R"(
local torsor = require "torsor"
local p = torsor.params{ label = "near", high = false, both = true }
local world = torsor.world{}
local arm = require("robots.double_pendulum").build{ name = "arm" }
arm:set{ q = { joint1 = p.high and 2 or (p.label == "far" and 1 or 0.5), joint2 = 0 } }
world:add(arm)
return world:experiment{ integrator = { "rk4", dt = 0.01 }, duration = 1,
                         record = { p.both and "arm.q" or "arm.v" } }
)";
  const ExportedFmu fmu((folder.path() / "typed.lua").string());
  const Fmu& f = fmu.functions();
  const uint32_t label = fmu.reference("parameters.label"), high = fmu.reference("parameters.high"),
                 both = fmu.reference("parameters.both"), q = fmu.reference("arm.q.joint1");
  std::string messages;
  const fmi3Instance at = fmu.instantiate(&messages);
  ASSERT_TRUE(at) << messages;
  fmi3String text = "far";
  double x = 0;
  ASSERT_EQ(f.SetString(at, &label, 1, &text, 1), fmi3OK);
  ASSERT_EQ(f.EnterInitializationMode(at, false, 0, 0, false, 0), fmi3OK);
  ASSERT_EQ(f.GetFloat64(at, &q, 1, &x, 1), fmi3OK);
  EXPECT_EQ(x, 1);
  bool flag = true;
  ASSERT_EQ(f.SetBoolean(at, &high, 1, &flag, 1), fmi3OK);
  ASSERT_EQ(f.GetFloat64(at, &q, 1, &x, 1), fmi3OK);
  EXPECT_EQ(x, 2);
  text = nullptr;
  ASSERT_EQ(f.GetString(at, &label, 1, &text, 1), fmi3OK);
  EXPECT_STREQ(text, "far");
  EXPECT_EQ(f.SetFloat64(at, &high, 1, &x, 1), fmi3Error);
  EXPECT_THAT(messages, HasSubstr("'parameters.high' is a Boolean"));
  flag = false;
  ASSERT_EQ(f.SetBoolean(at, &both, 1, &flag, 1), fmi3OK);
  EXPECT_EQ(f.ExitInitializationMode(at), fmi3Error);
  EXPECT_THAT(messages, HasSubstr("change the joints, the references or the recorded signals"));
  f.FreeInstance(at);
}

}  // namespace
}  // namespace torsor::test
