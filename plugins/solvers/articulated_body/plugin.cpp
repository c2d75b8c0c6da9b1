// The plugin of Featherstone's articulated-body algorithm. Offers forward dynamics, M^-1, and
// inverse dynamics.

#include "algorithm.hpp"
#include "batch.hpp"
#include "inverse_mass_matrix.hpp"
#include "levels.hpp"
#include "responses.hpp"
#include "torsor/sdk/torsor_plugin.hpp"
#include "trace.hpp"

namespace {

using namespace torsor;
namespace algorithm = torsor::articulated_body;

struct ArticulatedBodySolver {
  static constexpr const char* id = "solver.articulated_body";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "articulated-body algorithm (Featherstone): O(n) forward dynamics, inverse mass matrix, "
      "hybrid inverse dynamics";

  using Body = algorithm::ArticulatedBody<double>;
  using Column = algorithm::Column<double>;

  // The work area: body [n_body], column [n_v] and response [n_v].
  struct Work {
    Body* body;
    Column* column;
    double* response;
    Work(double* work, const torsor_model& model)
        : body(reinterpret_cast<Body*>(work)),
          column(reinterpret_cast<Column*>(body + model.n_body)),
          response(reinterpret_cast<double*>(column + model.n_v)) {}
    static size_t doubles(const torsor_model& model) {
      return (model.n_body * sizeof(Body) + model.n_v * sizeof(Column)) / sizeof(double) +
             size_t(model.n_v);
    }
  };

  using ForwardLanes = algorithm::ForwardLanes<sdk::level_lanes>;

  std::vector<sdk::JointAxis> axes;
  sdk::Subtrees subtrees;
  // M^-1 is computed by responses if paths are long, otherwise by factors.
  sdk::FactorPattern pattern;
  algorithm::ResponseOrder responses;
  algorithm::Batch batch;
  // Bodies in lanes. forward() uses them if enough bodies share a group. Otherwise the kernel for
  // one body at a time is faster.
  sdk::Levels<sdk::level_lanes> levels;
  bool forward_in_lanes = false;

  void prepare(const torsor_model& model, torsor_sizes& sizes) {
    axes = sdk::joint_axes(model);
    subtrees = sdk::Subtrees(model);
    responses = algorithm::ResponseOrder(model);
    if (!responses.has_long_paths()) pattern = sdk::FactorPattern(model);
    levels = sdk::Levels<sdk::level_lanes>(model, axes);
    forward_in_lanes = levels.bodies_per_group() >= 2;
    const size_t inverse_bytes = responses.has_long_paths()
                                     ? algorithm::ResponseWork<double>::bytes(model, responses)
                                     : algorithm::InverseWork<double>::bytes(model, pattern);
    sizes.work_doubles = std::max(
        {Work::doubles(model), inverse_bytes / sizeof(double), ForwardLanes::doubles(levels)});
    batch.prepare(model, sizes);
  }

  // Returns TORSOR_SINGULAR with the first body whose pivot d is not above min_pivot, or TORSOR_OK.
  // Checks the bodies in the order of the elimination, from the leaves to the world.
  // pivot(k) returns d of dof k.
  template <class Pivot>
  static torsor_status check_pivots(const torsor_model& model, const torsor_state& state,
                                    Pivot pivot) {
    for (int i = model.n_body - 1; i > 0; --i)
      for (int k = model.v_index[i]; k < sdk::dof_end(model, i); ++k)
        if (!(pivot(k) > state.min_pivot[i])) return TORSOR_STATUS(TORSOR_SINGULAR, i);
    return TORSOR_OK;
  }

  // Checks the pivots of bodies in lanes. Calculates those of single dof only if one of them is too
  // small.
  torsor_status check_pivots(const torsor_model& model, const torsor_state& state,
                             const ForwardLanes& at) const {
    if (levels.are_above([&](int slot) { return at.column[slot].d; }, state.min_pivot))
      return TORSOR_OK;
    for (int slot = 0; slot < levels.n_slot(); ++slot) at.v[slot] = at.column[slot].d;
    double* d = reinterpret_cast<double*>(at.tau);
    levels.from_slots(at.v, d);
    return check_pivots(model, state, [&](int k) { return d[k]; });
  }

  torsor_status forward(const torsor_model& model, const torsor_state& state, const double* tau,
                        double* work, double* vdot) const {
    if (forward_in_lanes) {
      const ForwardLanes at(work, levels);
      algorithm::forward(levels, sdk::poses(state), state.v, tau, sdk::world_twist(state),
                         sdk::world_acceleration(state), sdk::wrenches(state), at, vdot);
      return check_pivots(model, state, at);
    }
    const Work at(work, model);
    algorithm::forward(model, axes.data(), sdk::poses(state), state.v, tau, sdk::world_twist(state),
                       sdk::world_acceleration(state), sdk::wrenches(state), at.body, at.column,
                       vdot);
    return check_pivots(model, state, [&](int k) { return at.column[k].d; });
  }

  static constexpr auto& trace_passes = algorithm::trace_passes;
  static constexpr bool trace_of_forward = true;
  torsor_status trace(const torsor_model& model, const torsor_state& state, const double* tau,
                      double* work, double* out) const {
    const Work at(work, model);
    algorithm::forward(model, axes.data(), sdk::poses(state), state.v, tau, sdk::world_twist(state),
                       sdk::world_acceleration(state), sdk::wrenches(state), at.body, at.column,
                       at.response, sdk::Trace(model, trace_passes, out));
    return check_pivots(model, state, [&](int k) { return at.column[k].d; });
  }

  torsor_status inverse(const torsor_model& model, const torsor_state& state, const double* vdot,
                        double* work, double* tau) const {
    algorithm::inverse(model, axes.data(), sdk::poses(state), state.v, vdot,
                       sdk::world_twist(state), sdk::world_acceleration(state),
                       sdk::wrenches(state), Work(work, model).body, tau);
    return TORSOR_OK;
  }

  torsor_status inverse_mass_matrix(const torsor_model& model, const torsor_state& state,
                                    double* work, double* Minv) const {
    if (responses.has_long_paths()) {
      const algorithm::ResponseWork<double> at(work, model, responses);
      algorithm::response_inverse(model, axes.data(), responses, sdk::poses(state), at, Minv);
      return check_pivots(model, state, [&](int k) { return at.d[k]; });
    }
    const algorithm::InverseWork<double> at(work, pattern);
    algorithm::inverse_mass_matrix(model, axes.data(), subtrees, pattern, sdk::poses(state), at,
                                   Minv);
    return check_pivots(model, state, [&](int k) { return at.d[pattern.pivot(k)]; });
  }
};

}  // namespace

TORSOR_PLUGINS(ArticulatedBodySolver)
