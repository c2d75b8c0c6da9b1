// Forces, controllers, trajectories and constraint solvers with one fault each.
#include <cmath>
#include <limits>
#include <vector>

#include "torsor/sdk/constraints/constraint_view.hpp"
#include "torsor/sdk/torsor_plugin.hpp"

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct LastVelocity {
  static constexpr const char *id = "controller.last_velocity", *version = "1.0",
                              *summary = "keeps what it saw";
  mutable double last = 0;
  torsor_status control(const torsor_model&, const torsor_control_input& in, double*,
                        torsor_control_output& out) const {
    out.tau[0] = in.v[0] - last;
    last = in.v[0];
    return TORSOR_OK;
  }
};

struct NotAtRest {
  static constexpr const char *id = "controller.not_at_rest", *version = "1.0",
                              *summary = "divides by its error";
  torsor_status control(const torsor_model&, const torsor_control_input& in, double*,
                        torsor_control_output& out) const {
    out.tau[0] = in.e[0] / std::abs(in.e[0]);
    return TORSOR_OK;
  }
};

// A force whose energy is v_1^2, although its torque is zero.
struct EnergyOfV {
  static constexpr const char *id = "force.energy_of_v", *version = "1.0",
                              *summary = "counts motion as its energy";
  torsor_status evaluate(const torsor_model&, const torsor_state& state, const torsor_kinematics*,
                         const double*, double*, torsor_force_out* out) const {
    out->energy = state.v[0] * state.v[0];
    return TORSOR_OK;
  }
};
struct WrongRate {
  static constexpr const char *id = "force.wrong_rate", *version = "1.0",
                              *summary = "says half the rate of its energy";
  torsor_status evaluate(const torsor_model&, const torsor_state&, const torsor_kinematics* where,
                         const double*, double*, torsor_force_out* out) const {
    // Reports the height of the first body as energy.
    const double* X = where->X_WB + 12;
    const double* V = where->V_WB_B + 6;
    out->energy = X[11];
    out->energy_rate = 0.5 * (X[6] * V[3] + X[7] * V[4] + X[8] * V[5]);
    return TORSOR_OK;
  }
};
struct StandingNan {
  static constexpr const char *id = "force.standing_nan", *version = "1.0",
                              *summary = "divides by its speed";
  torsor_status evaluate(const torsor_model&, const torsor_state& state, const torsor_kinematics*,
                         const double*, double*, torsor_force_out* out) const {
    out->tau[0] = -state.v[0] / std::abs(state.v[0]);
    return TORSOR_OK;
  }
};

enum class Slip { nan_at_end, hidden_jump, wrong_velocity };
constexpr const char* slips[] = {"trajectory.nan_at_end", "trajectory.hidden_jump",
                                 "trajectory.wrong_velocity"};

// The cubic y = 3 s^2 - 2 s^3 with s = t / 2 s, for every dof, with the fault `slip`.
template <Slip slip>
struct Cubic {
  static constexpr const char *id = slips[int(slip)], *version = "1.0",
                              *summary = "a cubic with a fault";
  int n_v = 0;
  void prepare(const torsor_model& model, torsor_sizes&) { n_v = model.n_v; }
  void describe(torsor_motion& motion) const {
    motion.duration = 2;
    motion.order = 2;
    motion.smoothness = 1;
  }
  torsor_status evaluate(double t, int order, double*, double* out) const {
    const double s = t / 2, y[] = {s * s * (3 - 2 * s), 3 * s * (1 - s), 1.5 * (1 - 2 * s)};
    for (int k = 0; k <= order; ++k)
      for (int i = 0; i < n_v; ++i) {
        out[k * n_v + i] = y[k];
        if (slip == Slip::nan_at_end && t >= 2) out[k * n_v + i] = nan;
        if (slip == Slip::hidden_jump && k == 0 && t > 0.37) out[i] += 0.5;
        if (slip == Slip::wrong_velocity && k == 1) out[n_v + i] *= 2;
      }
    return TORSOR_OK;
  }
};

enum class Flaw {
  none,
  beyond_bounds,
  false_residual,
  few_sweeps,
  allocates,
  nan_lambda,
  ignores_friction
};
constexpr const char* flaws[] = {"constraint_solver.no_flaw",    "constraint_solver.beyond_bounds",
                                 "constraint_solver.says_zero",  "constraint_solver.few_sweeps",
                                 "constraint_solver.takes_heap", "constraint_solver.nan_lambda",
                                 "constraint_solver.no_cones"};

// Projected Gauss-Seidel with the fault `flaw`.
template <Flaw flaw>
struct Sweeps {
  static constexpr const char *id = flaws[int(flaw)], *version = "1.0",
                              *summary = "sweeps with a fault";
  static constexpr bool handles_friction = flaw == Flaw::ignores_friction;
  torsor_status solve(const torsor_constraint_problem& problem, double*,
                      torsor_constraint_result& out) const {
    namespace sdk = torsor::sdk;
    if (flaw == Flaw::allocates) std::vector<double>(size_t(problem.n) + 1).swap(heap);
    for (int i = 0; i < problem.n; ++i) out.lambda[i] = sdk::unmoved_multiplier(problem, i);
    for (out.iterations = 0; out.iterations < (flaw == Flaw::few_sweeps ? 2 : 30000);
         ++out.iterations)
      for (int i = 0; i < problem.n; ++i) {
        const double g = sdk::entry(problem, i, i);
        if (g == 0) continue;
        const double wanted = out.lambda[i] - sdk::row_rate(problem, i, out.lambda).w / g;
        out.lambda[i] = flaw == Flaw::beyond_bounds ? wanted : sdk::clamped(problem, i, wanted);
      }
    if (flaw == Flaw::nan_lambda && problem.n > 3) out.lambda[2] = nan;
    out.residual = flaw == Flaw::false_residual ? 0 : sdk::residual_of(problem, out.lambda);
    return TORSOR_OK;
  }
  mutable std::vector<double> heap;
};

}  // namespace

TORSOR_PLUGINS(LastVelocity, NotAtRest, EnergyOfV, WrongRate, StandingNan, Cubic<Slip::nan_at_end>,
               Cubic<Slip::hidden_jump>, Cubic<Slip::wrong_velocity>, Sweeps<Flaw::none>,
               Sweeps<Flaw::beyond_bounds>, Sweeps<Flaw::false_residual>, Sweeps<Flaw::few_sweeps>,
               Sweeps<Flaw::allocates>, Sweeps<Flaw::nan_lambda>, Sweeps<Flaw::ignores_friction>)
