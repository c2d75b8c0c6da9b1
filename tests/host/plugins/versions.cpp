// Plugins of each kind on the C++ layer, for one hinge about z: tau = J vdot. The solver has the
// interfaces for partial derivatives, rates and traces.
//
// If LATER is defined, they are built with the headers of a later minor version, whose structs have
// one more member, later_member. The solver `careful` sets this member only if the struct of the
// host contains it. The plugins `careless` and `careless_rates`, and `push` for q > 10, always set
// it. The layer must then protect an older host.
#include <iterator>

#include "torsor/sdk/torsor_plugin.hpp"

namespace {

namespace sdk = torsor::sdk;

double inertia(const torsor_model& model) {
  return model.inertia_B[16] + model.armature[0];
}

struct Careful {
  static constexpr const char* id = "solver.careful";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "one hinge without gravity";
  static constexpr torsor_param params[] = {sdk::real("gain", "1", "a factor of tau", 0, 10, 1),
                                            sdk::flag("exact", "unused", true)};
  double gain = 0;

  void set_param(uint32_t index, std::span<const double> values) {
    if (index == 0) gain = values[0];
  }
  void prepare(const torsor_model&, torsor_sizes& sizes) {
    sizes.work_doubles = 3;
#ifdef LATER
    if (TORSOR_COVERS(&sizes, later_member)) sizes.later_member = this;
#endif
  }
  torsor_status inverse(const torsor_model& model, const torsor_state&, const double* vdot,
                        double* work, double* tau) const {
    for (int k = 0; k < 3; ++k) work[k] = k;
    tau[0] = gain * inertia(model) * vdot[0];
    return TORSOR_OK;
  }
  torsor_status christoffel_symbols(const torsor_model&, const torsor_state&, double*,
                                    double* G) const {
    G[0] = 0;
    return TORSOR_OK;
  }
  torsor_status inverse_partials(const torsor_model&, const torsor_state&, const double*, double*,
                                 double* dtau_dq, double* dtau_dv) const {
    dtau_dq[0] = dtau_dv[0] = 0;
    return TORSOR_OK;
  }
  torsor_status second_partials(const torsor_model&, const torsor_state&, const double*, double*,
                                double* dqdq, double* dvdq, double* dvdv, double* dM_dq) const {
    dqdq[0] = dvdq[0] = dvdv[0] = dM_dq[0] = 0;
    return TORSOR_OK;
  }
  static constexpr int32_t max_rate_order = 3;
  torsor_status rates(const torsor_model& model, const torsor_state&,
                      const torsor_motion_rates* motion, double*, double* tau) const {
    for (int k = 0; k <= motion->order; ++k) tau[k] = gain * inertia(model) * motion->vdot[k];
    return TORSOR_OK;
  }
  static constexpr const char* inputs[] = {"J_i", "vdot_i", nullptr};
  static constexpr torsor_trace_quantity quantities[] = {{TORSOR_TRACE_JOINT_FORCE, 0, "t",
                                                          "torque", "t_i = J_i vdot_i",
                                                          "t_i = J_i vdot_i", "", inputs}};
  static constexpr torsor_trace_pass trace_passes[] = {{"torques", 1, 1, quantities}};
  static constexpr bool trace_of_forward = false;
  torsor_status trace(const torsor_model& model, const torsor_state&, const double* vdot, double*,
                      double* out) const {
    out[0] = gain * inertia(model) * vdot[0];
    return TORSOR_OK;
  }
};

struct Push {
  static constexpr const char* id = "force.push";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "a torque with an energy";

  torsor_status evaluate(const torsor_model&, const torsor_state& state, const torsor_kinematics*,
                         const double*, double*, torsor_force_out* out) const {
    out->tau[0] = -state.q[0];
    out->energy = state.q[0] * state.q[0] / 2;
    out->energy_rate = state.q[0] * state.v[0];
#ifdef LATER
    if (state.q[0] > 10) out->later_member = out;
#endif
    return TORSOR_OK;
  }
};

struct Ramp {
  static constexpr const char* id = "trajectory.ramp";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "a constant rate";
  static constexpr double breaks[] = {1};

  void describe(torsor_motion& motion) const {
    motion.duration = 2;
    motion.order = 1;
    motion.n_break = 1;
    motion.breaks = breaks;
  }
  torsor_status evaluate(double t, int order, double*, double* out) const {
    out[0] = t;
    if (order > 0) out[1] = 1;
    return TORSOR_OK;
  }
};

struct Damp {
  static constexpr const char* id = "controller.damp";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "a damper with two signals";
  static constexpr torsor_signal signals[] = {sdk::signal("rate", "rad/s", 1),
                                              sdk::signal("twice", "rad/s", 2)};
  static constexpr int32_t reference = TORSOR_REFERENCE_NONE;

  torsor_status control(const torsor_model&, const torsor_control_input& in, double*,
                        torsor_control_output& out) const {
    out.tau[0] = -in.v[0];
    for (int k = 0; k < 3; ++k) out.signal[k] = (k + 1) * in.v[0];
    return TORSOR_OK;
  }
};

struct Diagonal {
  static constexpr const char* id = "constraint_solver.diagonal";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "rows that do not act on one another";

  size_t work_size(const torsor_constraint_size& size) const {
    if (size.n > 100) throw sdk::unsupported("it supports at most 100 rows");
    return size_t(size.n);
  }
  torsor_status solve(const torsor_constraint_problem& problem, double* work,
                      torsor_constraint_result& out) const {
    for (int i = 0; i < problem.n; ++i) {
      work[i] = problem.G[i * (problem.n + 1)];
      out.lambda[i] = -problem.c[i] / work[i];
    }
    out.iterations = 7;
    out.residual = 1e-9;
    return TORSOR_OK;
  }
};

#ifdef LATER
struct CarelessDiagonal : Diagonal {
  static constexpr const char* id = "constraint_solver.careless";
  torsor_status solve(const torsor_constraint_problem& problem, double* work,
                      torsor_constraint_result& out) const {
    out.later_member = &out;
    return Diagonal::solve(problem, work, out);
  }
};
struct Careless : Careful {
  static constexpr const char* id = "solver.careless";
  void prepare(const torsor_model&, torsor_sizes& sizes) { sizes.later_member = this; }
};
struct CarelessRamp : Ramp {
  static constexpr const char* id = "trajectory.careless";
  void describe(torsor_motion& motion) const {
    Ramp::describe(motion);
    motion.later_member = &motion;
  }
};
struct CarelessRates : Careful {
  static constexpr const char* id = "solver.careless_rates";
  torsor_status equation_rates(const torsor_model&, const torsor_state&, const torsor_motion_rates*,
                               double*, torsor_equation_rates* out) const {
    out->M[0] = out->C[0] = out->g[0] = out->Q[0] = 0;
    out->tau[0] = 5;
    out->later_member = out;
    return TORSOR_OK;
  }
};
struct CarelessDamp : Damp {
  static constexpr const char* id = "controller.careless";
  torsor_status control(const torsor_model& model, const torsor_control_input& in, double* work,
                        torsor_control_output& out) const {
    out.later_member = &out;
    return Damp::control(model, in, work, out);
  }
};
#endif

}  // namespace

#ifdef LATER
TORSOR_PLUGINS(Careful, Push, Ramp, Damp, Diagonal, Careless, CarelessRamp, CarelessRates,
               CarelessDamp, CarelessDiagonal)
#else
TORSOR_PLUGINS(Careful, Push, Ramp, Damp, Diagonal)
#endif
