#pragma once
// The functions of the plugin for a block of states, one state per lane of a pack.

#include <algorithm>

#include "algorithm.hpp"
#include "partials.hpp"
#include "rates.hpp"
#include "torsor/sdk/ext/solver_batch.h"
#include "torsor/spatial/pack.hpp"

namespace torsor::newton_euler {

struct Batch {
  static constexpr uint32_t lanes = native_lanes;
  using Number = Pack<native_lanes>;

  // Requests the work area of the functions below.
  void prepare(const torsor_model& model, torsor_sizes& sizes) {
    axes_ = sdk::joint_axes(model);
    subtrees_ = Subtrees(model);
    partials_ = PartialsTables<Number>(model);
    const size_t bodies = size_t(model.n_body), columns = size_t(model.n_v);
    const size_t bytes = std::max({
        bodies * sizeof(BodyMotion<Number>),
        bodies * sizeof(SpatialInertia<Number>) + columns * sizeof(Wrench<Number>),
        bodies * (sizeof(AlignedBody<Number>) + sizeof(MovingBody<Number>)) +
            2 * columns * sizeof(Twist<Number>),
        size_t(partials_.n_groups()) * sizeof(PartialsGroup<Number>),
        RatesWork<Number, max_rate_order>::bytes(model),
    });
    sizes.work_doubles = std::max(sizes.work_doubles, bytes / sizeof(double));
  }

  torsor_status inverse(const torsor_model& model, const torsor_state& states, const double* vdot,
                        double* work, double* tau) const {
    newton_euler::inverse(model, axes_.data(), sdk::poses<Number>(states), numbers(states.v),
                          numbers(vdot), sdk::world_twist<Number>(states),
                          sdk::world_acceleration<Number>(states), sdk::wrenches<Number>(states),
                          reinterpret_cast<BodyMotion<Number>*>(work), numbers(tau));
    return TORSOR_OK;
  }

  torsor_status mass_matrix(const torsor_model& model, const torsor_state& states, double* work,
                            double* M) const {
    auto* composite = reinterpret_cast<SpatialInertia<Number>*>(work);
    const Wrenches<Number> F(reinterpret_cast<Number*>(composite + model.n_body), model.n_v);
    composite_body::nonzero_mass_matrix(model, axes_.data(), subtrees_, sdk::poses<Number>(states),
                                        composite, F, numbers(M));
    return TORSOR_OK;
  }

  torsor_status coriolis_matrix(const torsor_model& model, const torsor_state& states, double* work,
                                double* C) const {
    auto* body = reinterpret_cast<AlignedBody<Number>*>(work);
    auto* moving = reinterpret_cast<MovingBody<Number>*>(body + model.n_body);
    auto* S = reinterpret_cast<Twist<Number>*>(moving + model.n_body);
    newton_euler::coriolis_matrix(model, sdk::poses<Number>(states), numbers(states.v), body,
                                  moving, S, S + model.n_v, numbers(C));
    return TORSOR_OK;
  }

  torsor_status inverse_partials(const torsor_model& model, const torsor_state& states,
                                 const double* vdot, double* work, double* dtau_dq,
                                 double* dtau_dv) const {
    newton_euler::inverse_partials(
        model, partials_, sdk::poses<Number>(states), numbers(states.v), numbers(vdot),
        sdk::world_twist<Number>(states), sdk::world_acceleration<Number>(states),
        sdk::wrenches<Number>(states), reinterpret_cast<PartialsGroup<Number>*>(work),
        numbers(dtau_dq), numbers(dtau_dv));
    return TORSOR_OK;
  }

  torsor_status rates(const torsor_model& model, const torsor_state& states,
                      const torsor_motion_rates* motion, double* work, double* tau) const {
    if (motion->order == 0) return inverse(model, states, motion->vdot, work, tau);
    return rates_along<Number>(model, axes_.data(), states, *motion, work, tau);
  }

 private:
  static Number* numbers(double* x) { return reinterpret_cast<Number*>(x); }
  static const Number* numbers(const double* x) { return reinterpret_cast<const Number*>(x); }

  std::vector<JointAxis> axes_;
  Subtrees subtrees_;
  PartialsTables<Number> partials_;
};

}  // namespace torsor::newton_euler
