// Tests of complete states saved as bytes. A simulation that loads a state continues with the same
// bits. States of a different simulation are rejected.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handles/table_force.hpp"
#include "simulation/forces.hpp"
#include "simulation/snapshots.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/run/run.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

Simulation sprung_swing(Integrator integrator, double dt = 1e-2, double stiffness = 500) {
  Simulation s(sticking_arm(stiffness), solver_factory(), integrator,
               traits(integrator).is_adaptive ? dt : dt / 10);
  s.set_gravity({0, -g, 0});
  s.set_state(std::vector<double>{0.4, 0.1}, std::vector<double>{0, 3});
  return s;
}

TEST(SavedState, ContinuesToTheSameBits) {
  for (const Integrator integrator : every_integrator()) {
    Simulation whole = sprung_swing(integrator), fork = sprung_swing(integrator);
    int changes = 0;
    for (int k = 0; whole.time() < 0.6; ++k) {
      const std::vector<std::byte> bytes = whole.save();
      const std::vector<double> modes = whole.snapshot().modes;
      whole.step();
      fork.load(bytes);
      fork.step();
      ASSERT_EQ(bits(fork.snapshot()), bits(whole.snapshot())) << name(integrator) << " step " << k;
      changes += modes != whole.snapshot().modes;
    }
    EXPECT_GT(changes, 0) << "nothing stuck, struck or let go: " << name(integrator);
  }
}

std::string loading_error(Simulation& simulation, const std::vector<std::byte>& bytes) {
  const auto before = bits(simulation.snapshot());
  try {
    simulation.load(bytes);
  } catch (const torsor::Error& error) {
    EXPECT_EQ(bits(simulation.snapshot()), before);
    return error.what();
  }
  return "";
}

TEST(SavedState, OfAnotherSimulationIsRejected) {
  Simulation s = sprung_swing(Integrator::rk4);
  s.step();
  std::vector<std::byte> bytes = s.save();
  Simulation other_model = sprung_swing(Integrator::rk4, 1e-2, 501),
             other_dt = sprung_swing(Integrator::rk4, 2e-2);
  EXPECT_THAT(loading_error(other_model, bytes), HasSubstr("another model"));
  EXPECT_THAT(loading_error(other_dt, bytes), HasSubstr("another dt"));
  for (size_t size = 0; size < bytes.size(); size += 7)
    EXPECT_NE(loading_error(s, {bytes.begin(), bytes.begin() + long(size)}), "");
  for (size_t k = 0; k < bytes.size(); ++k) {
    std::vector<std::byte> damaged = bytes;
    damaged[k] ^= std::byte{1};
    EXPECT_NE(loading_error(s, damaged), "") << "byte " << k;
  }
  bytes.push_back(std::byte{});
  EXPECT_THAT(loading_error(s, bytes), HasSubstr("too short or too long"));
  EXPECT_THAT(loading_error(s, std::vector<std::byte>(1000)), HasSubstr("not a saved state"));
}

// Returns a swing of sticking_arm() under the given force plugins.
Simulation pulled(const std::vector<std::pair<std::string, std::vector<Parameter>>>& by) {
  const auto model = sticking_arm();
  std::vector<std::shared_ptr<const Force>> forces;
  for (const auto& [id, parameters] : by) forces.push_back(force(id, model, parameters));
  Simulation s = with_forces(model, forces);
  s.set_state(std::vector<double>{0.4, 0.1}, std::vector<double>{0, 3});
  return s;
}

TEST(SavedState, OfOtherForcesIsRejected) {
  using Parameters = std::vector<Parameter>;
  const auto at = [](double x) {
    return std::vector<FramePlace>{{"link2", translation<double>({x, 0, 0})}};
  };
  const auto spring = [&](double k, double x) {
    return Parameters{{"from", "world"}, {"to", at(x)}, {"stiffness", k}};
  };
  const Parameters drag{{"frames", "link2"}, {"linear", std::vector<double>{0.1}}};
  Simulation s = pulled({{"spring_damper", spring(30, 0.5)}, {"fluid_drag", drag}});
  s.step();
  const std::vector<std::byte> bytes = s.save();

  // The same forces, with their parameters written differently.
  Simulation same = pulled({{"spring_damper",
                             {{"stiffness", 1.0},
                              {"to", at(0.5)},
                              {"from", std::vector<FramePlace>{{"world"}}},
                              {"stiffness", std::vector<double>{30}},
                              {"damping", 0.0}}},
                            {"fluid_drag", drag}});
  EXPECT_EQ(loading_error(same, bytes), "");
  s.step();
  same.step();
  EXPECT_EQ(bits(same.snapshot()), bits(s.snapshot()));

  const Parameters wind{{"frames", "link2"},
                        {"linear", std::vector<double>{0.1}},
                        {"velocity", std::vector<double>{0, 0, 1}}};
  Simulation others[] = {
      pulled({}),
      pulled({{"spring_damper", spring(30, 0.5)}}),
      pulled({{"fluid_drag", drag}, {"spring_damper", spring(30, 0.5)}}),
      pulled({{"spring_damper", spring(31, 0.5)}, {"fluid_drag", drag}}),
      pulled({{"spring_damper", spring(30, 0.6)}, {"fluid_drag", drag}}),
      pulled({{"spring_damper", spring(30, 0.5)}, {"fluid_drag", wind}}),
  };
  for (Simulation& other : others)
    EXPECT_EQ(
        loading_error(other, bytes),
        "the saved state is of other forces or controls; continue it with the same ones (versions, "
        "parameters, frames and rates included)");
  EXPECT_THAT(loading_error(s, pulled({}).save()), HasSubstr("is of other forces"));
}

// Checks forces whose states differ in size, and forces that differ only in their version.
TEST(SavedState, OfAForceWithStatesOrOfAnotherVersionIsRejected) {
  const auto model = build(slider());
  const auto under = [&](size_t n_x, const char* version) {
    const auto nothing = [](const auto&, const auto&, const double*, torsor_force_out&) {
      return TORSOR_OK;
    };
    return with_forces(model, {table_force(model, nothing, n_x, version)});
  };
  Simulation with_states = under(1, "1.0"), newer = under(1, "1.1"), none = with_forces(model, {});
  const std::vector<std::byte> bytes = with_states.save();
  EXPECT_EQ(loading_error(with_states, bytes), "");
  EXPECT_THAT(loading_error(newer, bytes), HasSubstr("is of other forces"));
  EXPECT_THAT(loading_error(none, bytes), HasSubstr("is of other forces"));
}

// Returns a control that counts its samples in its memory. Its torque is proportional to this
// number.
Control pushing(double gain) {
  Control out{.name = "law", .robot = 0, .law = nullptr, .period = 2e-3};
  out.law = std::make_shared<FunctionLaw>(
      [=](const Measured&, double, std::span<const double>, const ControlLaw::Answer& answer) {
        answer.tau[0] = gain * answer.memory[0]++;
      },
      0, std::vector<double>(1));
  return out;
}

// Checks a run with changes that is interrupted after each of its steps. The second part must
// continue under the earlier changes.
TEST(SavedState, ContinuesUnderTheEarlierChanges) {
  Experiment experiment;
  experiment.model = sticking_arm();
  experiment.q = {0.4, 0.1};
  experiment.v = {0, 3};
  experiment.duration = 0.024;
  experiment.load.controls = {pushing(0.1)};
  experiment.load.controls[0].with = [](const ControlParameters& given) {
    return pushing(std::get<double>(given.law[0].value)).law;
  };
  const std::string law = full_name(*experiment.model, experiment.load.controls[0]);
  const Pull pull{"link2", {0.1, 0.2, 0}, {1, 1, 0}, 300, 2};
  experiment.changes = {{0, TorqueChange{{0.2, 0.1}}},
                        {4, SolverChange{"newton_euler"}},
                        {6, PullChange{pull}},
                        {8, TorqueChange{{2, -1}}},
                        {10, StateChange{{0.3, 0.2}, {-1, 2}}},
                        {10, ParameterChange{{{law, {{"gain", 3.0}}, {}}}}},
                        {14, PullChange{}},
                        {16, ParameterChange{}}};
  const auto no_row = [](std::span<const double>) {};
  const auto go_on = [](const Simulation&) { return true; };
  torsor::Run whole(with_solvers(experiment));
  whole.execute(no_row, go_on);
  for (int step = 1; step < 24; ++step) {
    Experiment first = experiment, second = experiment;
    first.duration = step * first.dt;
    torsor::Run begun(with_solvers(first));
    begun.execute(no_row, go_on);
    second.state = begun.simulation().save();
    torsor::Run rest(with_solvers(second));
    EXPECT_EQ(bits(rest.simulation().snapshot()), bits(begun.simulation().snapshot())) << step;
    EXPECT_EQ(rest.simulation().load().pull, begun.simulation().load().pull) << step;
    rest.execute(no_row, go_on);
    EXPECT_EQ(bits(rest.simulation().snapshot()), bits(whole.simulation().snapshot())) << step;
  }
}

}  // namespace
}  // namespace torsor::test
