#include "torsor/planning/rollouts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "torsor/base/error.hpp"

namespace torsor {

Rollouts::Rollouts(const SolverFactory& make_solver, std::shared_ptr<const Model> model,
                   const Step& step, size_t n)
    : states_(model, n),
      solver_(make_solver(model)),
      damped_(make_damped_solver(make_solver, *model, step)),
      batch_(solver_),
      dt_(step.dt),
      start_(states_.q().size()),
      u_(rows()),
      tau_(rows()),
      z_(2 * rows()),
      q0_(size_t(model->n_q)),
      q_(q0_),
      d_(size_t(model->n_v)),
      v_(d_),
      out_(d_) {
  if (traits(step.method).is_adaptive)
    throw Error(
        fmt::format("rollouts need an integrator with a fixed step, and {} selects its steps",
                    name(step.method)));
  require_plain_joints(*model);
  if (damped_) damped_batch_.emplace(*damped_);
  stepper_ = make_stepper(step.method, step.tolerances, rates_);
}

BatchStatus Rollouts::step(const double* tau) {
  const size_t stride = states_.stride();
  const Model& model = states_.model();
  for (int i = 0; i < model.n_v; ++i) {
    const size_t first = size_t(i) * stride;
    if (model.drives[size_t(i)].passive)
      std::fill_n(u_.begin() + ptrdiff_t(first), stride, 0.0);
    else
      std::copy_n(tau + first, stride, u_.begin() + ptrdiff_t(first));
  }
  std::ranges::copy(states_.q(), start_.begin());
  std::fill_n(z_.begin(), rows(), 0.0);
  std::ranges::copy(states_.v(), z_.begin() + ptrdiff_t(rows()));
  status_ = {};
  stepper_->start(0, z_, 0);
  (void)stepper_->advance(dt_);  // rate() always computes a rate
  const double* z = stepper_->state().data();
  move(z);
  std::copy_n(z + rows(), rows(), states_.v().begin());
  return status_;
}

std::string Rollouts::explain(const BatchStatus& status) const {
  return (damped_failed_ ? *damped_ : solver_).explain(status.status);
}

void Rollouts::rate(const double* z, double ahead, double* zdot) {
  const double *d = z, *v = z + rows();
  const Model& model = states_.model();
  const size_t stride = states_.stride();
  move(d);
  std::copy_n(v, rows(), states_.v().begin());
  for (size_t i = 0; i < size_t(model.n_v); ++i)
    for (size_t k = i * stride; k < (i + 1) * stride; ++k)
      tau_[k] = u_[k] - model.damping[i] * v[k];
  const bool damped = ahead > 0 && damped_batch_;
  const BatchStatus status = (damped ? *damped_batch_ : batch_)
                                 .evaluate(Quantity::forward, states_, tau_.data(), zdot + rows());
  if (!status && status_) status_ = status, damped_failed_ = damped;
  chart_rates(d, v, zdot);
}

// Sets the positions of all states to start_ (+) d.
void Rollouts::move(const double* d) {
  const Model& model = states_.model();
  const size_t stride = states_.stride();
  double* q = states_.q().data();
  if (model.mapped.empty()) {
    for (size_t i = 0; i < size_t(model.n_v); ++i) {
      const size_t row = size_t(model.coordinate[i]) * stride;
      for (size_t k = 0; k < stride; ++k) q[row + k] = start_[row + k] + d[i * stride + k];
    }
    return;
  }
  for (size_t k = 0; k < states_.size(); ++k) {
    for (size_t i = 0; i < q0_.size(); ++i) q0_[i] = start_[i * stride + k];
    for (size_t i = 0; i < d_.size(); ++i) d_[i] = d[i * stride + k];
    integrate(model, q0_.data(), d_.data(), 1, q_.data());
    for (size_t i = 0; i < q_.size(); ++i) q[i * stride + k] = q_[i];
  }
}

// Computes ddot = K(d) v of all states.
void Rollouts::chart_rates(const double* d, const double* v, double* ddot) {
  const Model& model = states_.model();
  const size_t stride = states_.stride();
  if (model.mapped.empty()) {
    std::copy_n(v, rows(), ddot);
    return;
  }
  std::fill_n(ddot, rows(), 0.0);
  for (size_t k = 0; k < states_.size(); ++k) {
    for (size_t i = 0; i < d_.size(); ++i) d_[i] = d[i * stride + k], v_[i] = v[i * stride + k];
    chart_rate(model, d_.data(), v_.data(), out_.data());
    for (size_t i = 0; i < out_.size(); ++i) ddot[i * stride + k] = out_[i];
  }
}

}  // namespace torsor
