// The validation of forces. Their checks: the rate of the energy, and finite results at rest.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/mechanics/kinematics.hpp"
#include "torsor/plugin/plugin_table.hpp"
#include "torsor/validation/trial_kind.hpp"

namespace torsor::validation {

namespace {

constexpr uint64_t forces_tried = 10;

struct ForceAt {
  const Force& force;
  Force::Result result;
  std::vector<Pose<double>> X;
  std::vector<Twist<double>> V;

  explicit ForceAt(const Force& f)
      : force(f),
        result(f.make_result()),
        X(size_t(f.model().n_body)),
        V(size_t(f.model().n_body)) {}

  Force::Result& ask(const State& state, const std::vector<double>& x) {
    world_poses(state, X);
    body_twists(state, V);
    if (const Status status = force.evaluate(state, {X, V}, x.data(), result); !status)
      throw Failed(force.explain(status));
    return result;
  }
};

// Checks energy_rate against central differences of the energy. Takes the better one of two step
// sizes, because a step may cross a kink, such as the start of a contact.
std::string rate_of_energy(Trial& trial) {
  double worst = 0;
  int keeping = 0;
  for (uint64_t number = 0; number < forces_tried; ++number) {
    Case at = trial.one_case(number);
    const auto force =
        trial.registry().make<Force>(trial.info().id, at.model, trial.parameters(at, number));
    ForceAt there(*force);
    const std::vector<double> x = random_values(at.random, int(force->n_x()), 0.1);
    const Force::Result& now = there.ask(at.state, x);
    const std::vector<double> xdot(now.xdot.begin(), now.xdot.end());
    const double rate = now.energy_rate, kept = std::abs(now.energy);
    const double energy = now.energy;
    State faster = at.state;
    for (double& each : faster.v) each += 0.7;
    if (const double other = there.ask(faster, x).energy; other != energy)
      throw Failed(
          fmt::format("its energy is {:.6g} J, and {:.6g} J if the joints move faster: it must be "
                      "a function of q and x (seed {})",
                      energy, other, at.seed));
    if (rate == 0 && kept == 0) continue;
    ++keeping;
    double best = std::numeric_limits<double>::infinity();
    for (const double h : {1e-4, 1e-6}) {
      double energies[2];
      for (const int side : {0, 1}) {
        const double t = side ? h : -h;
        std::vector<double> x_then = x;
        for (size_t k = 0; k < x.size(); ++k) x_then[k] += t * xdot[k];
        energies[side] = there.ask(moved(at.state, t), x_then).energy;
      }
      const double scale = std::abs(rate) + kept;
      best = std::min(best, std::abs((energies[1] - energies[0]) / (2 * h) - rate) / scale);
    }
    if (!(best <= 1e-4))
      throw Failed(
          fmt::format("energy_rate = {:.4g} W differs from the rate of its energy by {:.1e} "
                      "(relative; seed {})",
                      rate, best, at.seed));
    worst = std::max(worst, best);
  }
  if (keeping == 0) throw NotApplicable("it stores no energy");
  return fmt::format("energy_rate is the rate of energy to {:.0e} in {} states", worst, keeping);
}

// Checks that the force is finite at rest with all joints at zero. Frames may coincide there, and
// lengths may be zero.
std::string standstill(Trial& trial) {
  for (uint64_t number = 0; number < forces_tried; ++number) {
    Case at = trial.one_case(number);
    const auto force =
        trial.registry().make<Force>(trial.info().id, at.model, trial.parameters(at, number));
    State state(at.model);
    (void)ForceAt(*force).ask(state, std::vector<double>(force->n_x(), 0.0));
  }
  return fmt::format("finite at rest with all joints at zero, on {} robots", forces_tried);
}

Checks force_checks() {
  return {{"rate of energy", "laws", rate_of_energy}, {"standstill", "laws", standstill}};
}

void add_force_calls(HotCalls& calls, const State& state, bool) {
  const torsor_model& model = calls.model();
  const torsor_plugin* self = calls.plugin().get();
  const size_t n_body = size_t(model.n_body), n_v = size_t(model.n_v), n_x = calls.sizes().n_x;
  const torsor_state& s = calls.guarded_copy(state, false);
  std::vector<Pose<double>> X(n_body);
  std::vector<Twist<double>> V(n_body);
  world_poses(state, X);
  body_twists(state, V);
  const double* X_WB = calls.guarded_copy("kinematics.X_WB", X[0].R.m, 12 * n_body);
  const double* V_WB_B = calls.guarded_copy("kinematics.V_WB_B", &V[0].w.x, 6 * n_body);
  const double* x = calls.guarded_random("x", n_x, 0.1);
  const auto evaluate = table_of<torsor_force>(calls.plugin(), TORSOR_FORCE).evaluate;
  calls.add("evaluate", {{"F_B", 6 * n_body}, {"tau", n_v}, {"xdot", n_x}, {"energy", 2}},
            [=, &model, &s](double* work, std::span<double* const> r) {
              std::fill_n(r[0], 6 * n_body, 0.0);
              std::fill_n(r[1], n_v, 0.0);
              std::fill_n(r[2], n_x, 0.0);
              const torsor_kinematics where{sizeof where, X_WB, V_WB_B};
              torsor_force_out given{sizeof given, r[0], r[1], r[2], 0, 0};
              const torsor_status status = evaluate(self, &model, &s, &where, x, work, &given);
              r[3][0] = given.energy;
              r[3][1] = given.energy_rate;
              return status;
            });
}

void make_force(const Trial& trial, const Case& at, const std::vector<Parameter>& parameters) {
  (void)trial.registry().make<Force>(trial.info().id, at.model, parameters);
}

}  // namespace

TrialKind force_trial() {
  return {.name = Force::kind,
          .checks = {force_checks},
          .is_timed = false,
          .is_of_motors = false,
          .make = make_force,
          .add_calls = add_force_calls};
}

}  // namespace torsor::validation
