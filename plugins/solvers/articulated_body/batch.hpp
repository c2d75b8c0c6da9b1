#pragma once
// The functions of the plugin for a block of states, one state per lane of a pack.

#include <vector>

#include "algorithm.hpp"
#include "responses.hpp"
#include "torsor/sdk/ext/solver_batch.h"
#include "torsor/spatial/pack.hpp"

namespace torsor::articulated_body {

struct Batch {
  static constexpr uint32_t lanes = native_lanes;
  using Number = Pack<native_lanes>;

  // Requests the work area of the functions below.
  void prepare(const torsor_model& model, torsor_sizes& sizes) {
    axes_ = sdk::joint_axes(model);
    responses_ = ResponseOrder(model);
    const size_t bytes = std::max(size_t(model.n_body) * sizeof(ArticulatedBody<Number>) +
                                      size_t(model.n_v) * sizeof(Column<Number>),
                                  ResponseWork<Number>::bytes(model, responses_));
    sizes.work_doubles = std::max(sizes.work_doubles, bytes / sizeof(double));
  }

  torsor_status inverse(const torsor_model& model, const torsor_state& states, const double* vdot,
                        double* work, double* tau) const {
    articulated_body::inverse(model, axes_.data(), sdk::poses<Number>(states), numbers(states.v),
                              numbers(vdot), sdk::world_twist<Number>(states),
                              sdk::world_acceleration<Number>(states),
                              sdk::wrenches<Number>(states), Work(work, model).body, numbers(tau));
    return TORSOR_OK;
  }

  torsor_status forward(const torsor_model& model, const torsor_state& states, const double* tau,
                        double* work, double* vdot) const {
    const Work at(work, model);
    articulated_body::forward(model, axes_.data(), sdk::poses<Number>(states), numbers(states.v),
                              numbers(tau), sdk::world_twist<Number>(states),
                              sdk::world_acceleration<Number>(states),
                              sdk::wrenches<Number>(states), at.body, at.column, numbers(vdot));
    return check_pivots(model, states, [&](int k) { return at.column[k].d; });
  }

  torsor_status inverse_mass_matrix(const torsor_model& model, const torsor_state& states,
                                    double* work, double* Minv) const {
    const ResponseWork<Number> at(work, model, responses_);
    response_inverse(model, axes_.data(), responses_, sdk::poses<Number>(states), at,
                     numbers(Minv));
    return check_pivots(model, states, [&](int k) { return at.d[k]; });
  }

 private:
  struct Work {
    ArticulatedBody<Number>* body;
    Column<Number>* column;
    Work(double* work, const torsor_model& model)
        : body(reinterpret_cast<ArticulatedBody<Number>*>(work)),
          column(reinterpret_cast<Column<Number>*>(body + model.n_body)) {}
  };
  static Number* numbers(double* x) { return reinterpret_cast<Number*>(x); }
  static const Number* numbers(const double* x) { return reinterpret_cast<const Number*>(x); }

  // Returns TORSOR_SINGULAR with a body whose pivot d is not above min_pivot in some lane.
  // pivot(k) returns d of dof k.
  template <class Pivot>
  static torsor_status check_pivots(const torsor_model& model, const torsor_state& states,
                                    Pivot pivot) {
    const auto* min_pivot = numbers(states.min_pivot);
    for (int i = model.n_body - 1; i > 0; --i)
      for (int k = model.v_index[i]; k < sdk::dof_end(model, i); ++k)
        if (!all_greater(pivot(k), min_pivot[i])) return TORSOR_STATUS(TORSOR_SINGULAR, i);
    return TORSOR_OK;
  }

  std::vector<JointAxis> axes_;
  ResponseOrder responses_;
};

}  // namespace torsor::articulated_body
