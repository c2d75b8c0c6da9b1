// The Newton-Euler solver of the README in variants with one fault each, for the validator to find.
#include <fcntl.h>

#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "torsor/sdk/model_view.hpp"
#include "torsor/sdk/torsor_plugin.hpp"
#include "torsor/sdk/trace.hpp"

using namespace torsor;

namespace {

enum class Fault {
  none,
  coriolis_sign,
  no_wrenches,
  no_rotors,
  double_gravity,
  still_world,
  no_prismatic,
  asymmetric_M,
  never_singular,
  hidden_state,
  shared_scratch,
  leak,
  leaves_open,
  past_work,
  past_result,
  writes_input,
  keeps_model,
  allocates,
  throws,
  nan,
  loops,
  segfaults,
  aborts,
  exits,
  takes_everything,
};
constexpr const char* ids[] = {"solver.sound",           "solver.coriolis_sign",
                               "solver.no_wrenches",     "solver.no_rotors",
                               "solver.double_gravity",  "solver.still_world",
                               "solver.no_prismatic",    "solver.asymmetric_m",
                               "solver.never_singular",  "solver.hidden_state",
                               "solver.shared_scratch",  "solver.leak",
                               "solver.leaves_open",     "solver.past_work",
                               "solver.past_result",     "solver.writes_input",
                               "solver.keeps_model",     "solver.allocates",
                               "solver.throws",          "solver.nan",
                               "solver.loops",           "solver.segfaults",
                               "solver.aborts",          "solver.exits",
                               "solver.takes_everything"};

struct Body {
  Twist<double> V, A;
  Wrench<double> F;
};
Body shared[100];  // memory of Fault::shared_scratch
volatile bool forever = true;
int* volatile nowhere = nullptr;
void* volatile kept_memory;  // volatile, so that the compiler cannot remove the allocation

template <Fault fault>
struct Broken {
  static constexpr const char *id = ids[int(fault)], *version = "1.0",
                              *summary = "Newton-Euler with one fault";

  const torsor_model* kept = nullptr;
  mutable double calls = 0;

  void prepare(const torsor_model& model, torsor_sizes& sizes) {
    kept = &model;
    sizes.work_doubles = size_t(model.n_body) * sizeof(Body) / sizeof(double);
    if constexpr (fault == Fault::past_work) sizes.work_doubles -= 1;
    if constexpr (fault == Fault::leak) kept_memory = std::malloc(100);
    if constexpr (fault == Fault::leaves_open) (void)open("/dev/null", O_RDONLY | O_CLOEXEC);
    if constexpr (fault == Fault::takes_everything) kept_memory = new char[size_t(1) << 45];
  }

  static Twist<double> moved(const torsor_model& model, int i, const double* rates) {
    const Twist<double> s = sdk::joint_twist(model, i, rates);
    if (fault == Fault::no_prismatic && s.w.x == 0 && s.w.y == 0 && s.w.z == 0) return {};
    return s;
  }

  torsor_status inverse(const torsor_model& model, const torsor_state& state, const double* vdot,
                        double* work, double* tau) const {
    misbehave(state);
    const Pose<double>* X_PB = sdk::poses(state);
    Body* body = fault == Fault::shared_scratch ? shared : reinterpret_cast<Body*>(work);
    body[0] = {sdk::world_twist(state), sdk::world_acceleration(state), {}};
    if constexpr (fault == Fault::still_world) body[0].V = {};
    if constexpr (fault == Fault::double_gravity) body[0].A = body[0].A + body[0].A;
    for (int i = 1; i < model.n_body; ++i) {
      const Body& parent = body[model.parent[i]];
      const Twist<double> s = moved(model, i, state.v);
      const Twist<double> V = inverse_transform(X_PB[i], parent.V) + s;
      const Twist<double> A =
          inverse_transform(X_PB[i], parent.A) + ad(V, s) + moved(model, i, vdot);
      const SpatialInertia<double> M = sdk::inertia<double>(model, i);
      const Wrench<double> momentum = ad_transpose(V, M * V);
      body[i] = {V, A, fault == Fault::coriolis_sign ? M * A + momentum : M * A - momentum};
      if (fault != Fault::no_wrenches && sdk::wrenches(state))
        body[i].F = body[i].F - sdk::wrenches(state)[i];
    }
    for (int i = model.n_body - 1; i > 0; --i) {
      for (int k = model.v_index[i]; k < sdk::dof_end(model, i); ++k) {
        const double rotor = fault == Fault::keeps_model ? kept->armature[k] : model.armature[k];
        tau[k] = dot(sdk::screw<double>(model, k), body[i].F) +
                 (fault == Fault::no_rotors ? 0 : rotor * vdot[k]);
      }
      Wrench<double>& F_P = body[model.parent[i]].F;
      F_P = F_P + transform(X_PB[i], body[i].F);
    }
    if (fault == Fault::hidden_state) tau[0] += 1e-9 * ++calls;
    if (fault == Fault::nan && model.n_v > 3) tau[2] = std::numeric_limits<double>::quiet_NaN();
    if (fault == Fault::past_result) tau[model.n_v] = 0;
    return TORSOR_OK;
  }

  // Computes M column by column, as the host does. The entry M_12 is wrong.
  torsor_status mass_matrix(const torsor_model& model, const torsor_state& state, double* work,
                            double* M) const requires(fault == Fault::asymmetric_M) {
    constexpr double nothing[6] = {};
    double unit[64] = {}, column[64];
    torsor_state still = state;
    still.v = unit;
    still.V_W = still.A_W = nothing;
    still.F_B = nullptr;
    for (int j = 0; j < model.n_v; ++j) {
      double vdot[64] = {};
      vdot[j] = 1;
      inverse(model, still, vdot, work, column);
      for (int i = 0; i < model.n_v; ++i) M[i * model.n_v + j] = column[i];
    }
    if (model.n_v > 1) M[1] *= 1.001;
    return TORSOR_OK;
  }

  torsor_status forward(const torsor_model& model, const torsor_state&, const double* tau, double*,
                        double* vdot) const requires(fault == Fault::never_singular) {
    for (int k = 0; k < model.n_v; ++k) vdot[k] = tau[k];
    return TORSOR_OK;
  }

 private:
  static void misbehave(const torsor_state& state) {
    if constexpr (fault == Fault::writes_input)
      *const_cast<double* volatile>(const_cast<double*>(state.v)) = 1;
    if constexpr (fault == Fault::allocates) {
      kept_memory = std::malloc(100);
      std::free(kept_memory);
    }
    if constexpr (fault == Fault::throws) throw std::runtime_error("boom");
    if constexpr (fault == Fault::loops)
      while (forever) {
      }
    if constexpr (fault == Fault::segfaults) *nowhere = 1;
    if constexpr (fault == Fault::aborts) std::abort();
    if constexpr (fault == Fault::exits) std::exit(0);
  }
};

// A solver whose trace ends with a wrong result.
struct WrongTrace : Broken<Fault::none> {
  static constexpr const char* id = "solver.wrong_trace";
  static constexpr const char* inputs[] = {"S_i", nullptr};
  static constexpr torsor_trace_quantity rows[] = {
      {TORSOR_TRACE_JOINT_FORCE, 0, "tau", "torque", "tau_i = S_i f", "tau_i = S_i f", "", inputs}};
  static constexpr torsor_trace_pass trace_passes[] = {sdk::inward_pass("torques", rows)};
  static constexpr bool trace_of_forward = false;
  torsor_status trace(const torsor_model& model, const torsor_state& state, const double* vdot,
                      double* work, double* out) const {
    const torsor_status status = inverse(model, state, vdot, work, out);
    out[0] *= 1.001;
    return status;
  }
};

}  // namespace

TORSOR_PLUGINS(Broken<Fault::none>, Broken<Fault::coriolis_sign>, Broken<Fault::no_wrenches>,
               Broken<Fault::no_rotors>, Broken<Fault::double_gravity>, Broken<Fault::still_world>,
               Broken<Fault::no_prismatic>, Broken<Fault::asymmetric_M>,
               Broken<Fault::never_singular>, Broken<Fault::hidden_state>,
               Broken<Fault::shared_scratch>, Broken<Fault::leak>, Broken<Fault::leaves_open>,
               Broken<Fault::past_work>, Broken<Fault::past_result>, Broken<Fault::writes_input>,
               Broken<Fault::keeps_model>, Broken<Fault::allocates>, Broken<Fault::throws>,
               Broken<Fault::nan>, Broken<Fault::loops>, Broken<Fault::segfaults>,
               Broken<Fault::aborts>, Broken<Fault::exits>, Broken<Fault::takes_everything>,
               WrongTrace)
