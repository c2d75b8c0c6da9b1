// Tests of random mechanisms with every integrator and every solver. They check laws that hold
// after each step, for any robot.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mechanisms/random_mechanism.hpp"
#include "simulation/robots.hpp"
#include "simulation/snapshots.hpp"
#include "support/random_robot.hpp"

namespace torsor::test {
namespace {

constexpr uint64_t n_seeds = 60;
constexpr double duration = 0.3;

// Returns the largest absolute energy or work of the current state, J.
double size_of(const Simulation& s) {
  const Energy energy = s.energy();
  double size = std::max({std::abs(s.snapshot().energy_zero), energy.kinetic,
                          std::abs(energy.potential), energy.elastic});
  for (const double work : s.snapshot().work) size = std::max(size, std::abs(work));
  return size;
}

class Watch {
 public:
  Watch(const Simulation& s, Integrator integrator)
      : s_(s), integrator_(integrator), before_(s.snapshot()), size_(size_of(s)) {}

  void look() {
    size_ = std::max(size_, size_of(s_));
    expect_within_stops();
    expect_mimicry();
    expect_held_at_rest();
    expect_losses();
    before_ = s_.snapshot();
  }
  double size() const { return size_; }

 private:
  double position(int index) const {
    return s_.mechanism().position(index, s_.snapshot().q.data(), s_.snapshot().motor_q.data());
  }
  std::vector<double> rates() const {
    std::vector<double> u = s_.snapshot().v;
    u.insert(u.end(), s_.motor_v().begin(), s_.motor_v().end());
    return u;
  }

  void expect_within_stops() const {
    for (const StopElement& stop : s_.mechanism().stops)
      EXPECT_GE(stop.side() * (position(stop.index()) - stop.limit), -1e-9)
          << "column " << stop.index();
  }
  void expect_mimicry() const {
    const std::vector<double> u = rates();
    for (const MimicElement& mimic : s_.mechanism().mimics) {
      EXPECT_NEAR(
          s_.mechanism().position(mimic.row, s_.snapshot().q.data(), s_.snapshot().motor_q.data()),
          mimic.offset, 1e-9 * std::max(1.0, std::abs(position(mimic.row[0].index))));
      EXPECT_NEAR(along(mimic.row, u.data()), 0,
                  1e-9 * std::max(1.0, std::abs(u[size_t(mimic.row[0].index)])));
    }
  }
  // Checks that sticking frictions are at rest. The rate of a single coordinate is exactly zero.
  // The rate of a motor that moves several coordinates is zero to the rounding of its sum.
  void expect_held_at_rest() const {
    const std::vector<double> u = rates();
    for (size_t i = 0; i < s_.mechanism().frictions.size(); ++i) {
      const FrictionElement& friction = s_.mechanism().frictions[i];
      if (!friction.can_stick() || s_.snapshot().modes[i] != 0) continue;
      double rounding = 0;
      if (friction.row.size() > 1)
        for (const auto& [index, factor] : friction.row)
          rounding += 4e-16 * std::abs(factor * u[size_t(index)]);
      EXPECT_LE(std::abs(along(friction.row, u.data())), rounding) << "friction " << i;
    }
  }
  // Checks that friction and stops never add energy. Bristles store energy and return at most the
  // stored amount, so for them the work from the start counts.
  //
  // Bristles of stiffness a_0 that move by dz in a step of order 1 do the work -a_0 z dz. The
  // stored energy a_0 z^2 / 2 changes by a_0 z dz + a_0 dz^2 / 2. Such a step can therefore return
  // up to a_0 dz^2 / 2 more than was stored, and the law does not hold for bristles.
  void expect_losses() const {
    const Snapshot &now = s_.snapshot(), start{};
    EXPECT_LE(now[Work::stops] - before_[Work::stops], 1e-9 * size_);
    const bool bristles = s_.mechanism().n_memory > 0;
    if (bristles && traits(integrator_).order == 1) return;
    const Snapshot& friction_from = bristles ? start : before_;
    EXPECT_LE(now[Work::friction] - friction_from[Work::friction], 1e-9 * size_);
  }

  const Simulation& s_;
  Integrator integrator_;
  Snapshot before_;
  double size_;
};

struct Case {
  Integrator integrator;
  std::string solver;
};

class MechanismLaws : public testing::TestWithParam<Case> {
 protected:
  static Simulation start(const RandomMechanism& mechanism, double dt) {
    Simulation s(mechanism.model, solver_factory(GetParam().solver), GetParam().integrator, dt, {},
                 mechanism.payloads);
    s.set_gravity(mechanism.gravity_W);
    s.set_load(mechanism.load);
    s.set_state(mechanism.q, mechanism.v);
    return s;
  }
  // Makes a step. Repeats it from a restored snapshot and from a loaded state, and checks that all
  // results have the same bits.
  static void step_three_times(Simulation& s) {
    const Snapshot before = s.snapshot();
    const std::vector<std::byte> saved = s.save();
    s.step();
    const std::vector<uint64_t> once = bits(s.snapshot());
    s.restore(before);
    s.step();
    EXPECT_EQ(bits(s.snapshot()), once);
    s.load(saved);
    s.step();
    EXPECT_EQ(bits(s.snapshot()), once);
  }
  static int failures() {
    return testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
  }
  struct End {
    double error;  // error of the ledger, relative to the largest energy or work
    long long rates;
  };
  static End run(const RandomMechanism& mechanism, double dt) {
    Simulation s = start(mechanism, dt);
    Watch watch(s, GetParam().integrator);
    const int known = failures();
    for (int k = 0; s.time() < duration - dt / 2 && failures() == known; ++k) {
      k % 7 == 3 ? step_three_times(s) : s.step();
      watch.look();
      EXPECT_LT(s.rates(), 5'000'000) << "it hardly moves on";
    }
    return {std::abs(s.ledger_error()) / watch.size(), s.rates()};
  }
  static void run(uint64_t seed) {
    const RandomMechanism mechanism = random_mechanism(seed);
    const double dt = std::vector{1e-3, 2e-3, 5e-3, 1e-2}[seed % 4];
    const End end = run(mechanism, dt);
    // The error of a step is of the order of rtol times the energies. Each step evaluates the rates
    // at least once, so end.rates is an upper bound of the number of steps.
    if (GetParam().integrator == Integrator::dormand_prince) {
      EXPECT_LE(end.error, double(end.rates) * Tolerances().rtol);
    }
    // A smooth motion has order 4. Steps across the kinks of friction have order 1.
    if (GetParam().integrator == Integrator::rk4) {
      EXPECT_LE(run(mechanism, dt / 8).error, std::max(end.error / 4, 1e-6));
    }
  }
};

// Checks the message of a failed run. A fixed step may be too long for light, damped bodies.
// Methods with adaptive steps must not fail.
void expect_clear(const Error& error, Integrator integrator) {
  const std::string said = error.what();
  EXPECT_EQ(std::ranges::count(said, '\n'), 0) << said;
  EXPECT_THAT(said, testing::AnyOf(testing::HasSubstr("try a smaller dt"),
                                   testing::HasSubstr("try the integrator")));
  EXPECT_FALSE(traits(integrator).is_adaptive) << said;
}

TEST_P(MechanismLaws, HoldAfterEachStep) {
  for (uint64_t seed = 1; seed <= n_seeds; ++seed) {
    TORSOR_TRACE_SEED(seed);
    try {
      run(seed);
    } catch (const Error& error) {
      expect_clear(error, GetParam().integrator);
    }
  }
}

std::vector<Case> every_case() {
  std::vector<Case> all;
  for (const Integrator integrator : every_integrator())
    for (const char* solver :
         {"articulated_body", "newton_euler", "lie_group", "lagrange_christoffel"})
      all.push_back({integrator, solver});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Random, MechanismLaws, testing::ValuesIn(every_case()),
                         [](const auto& parameter) {
                           return std::string(name(parameter.param.integrator)) + "_" +
                                  parameter.param.solver;
                         });

}  // namespace
}  // namespace torsor::test
