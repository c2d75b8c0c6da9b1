#include "torsor/batch/state_batch.hpp"

#include <algorithm>
#include <cassert>

namespace torsor {

StateBatch::StateBatch(std::shared_ptr<const Model> model, size_t n)
    : model_(std::move(model)),
      size_(n),
      stride_(stride_of(n)),
      q_(size_t(model_->n_q) * stride_of(n)),
      v_(size_t(model_->n_v) * stride_of(n)),
      one_q_(neutral(*model_)),
      one_F_B_(size_t(model_->n_body), Wrench<double>{}) {
  for (size_t i = 0; i < one_q_.size(); ++i)
    std::fill_n(q_.data() + i * stride(), stride(), one_q_[i]);
}

void StateBatch::add_wrenches() {
  F_B_ = LentArray<double>(6 * size_t(model_->n_body) * stride());
}

void StateBatch::set_world(const State& state) {
  gravity_W_ = state.gravity_W();
  V_W_ = state.V_W();
  Vdot_W_ = state.Vdot_W();
}

void StateBatch::set(size_t k, const State& state) {
  assert(k < size_ && &state.model() == model_.get());
  set_motion(k, state.q(), state.v);
  const double* F_B = state.view(false).F_B;
  assert(!F_B || !F_B_.empty());
  for (size_t i = 0; i < F_B_.size() / stride(); ++i) F_B_[i * stride() + k] = F_B ? F_B[i] : 0;
}

void StateBatch::set_motion(size_t k, std::span<const double> q, std::span<const double> v) {
  assert(k < size_ && q.size() == one_q_.size() && v.size() == size_t(model_->n_v));
  for (size_t i = 0; i < q.size(); ++i) q_[i * stride() + k] = q[i];
  for (size_t i = 0; i < v.size(); ++i) v_[i * stride() + k] = v[i];
}

void StateBatch::get(size_t k, State& state) {
  assert(k < size_ && &state.model() == model_.get());
  for (size_t i = 0; i < one_q_.size(); ++i) one_q_[i] = q_[i * stride() + k];
  state.set_q(one_q_);
  for (size_t i = 0; i < state.v.size(); ++i) state.v[i] = v_[i * stride() + k];
  state.set_gravity(gravity_W_);
  state.set_world_motion(V_W_, Vdot_W_);
  state.clear_wrenches();
  if (F_B_.empty()) return;
  double* F_B = &one_F_B_[0].n.x;
  for (size_t i = 0; i < 6 * one_F_B_.size(); ++i) F_B[i] = F_B_[i * stride() + k];
  state.set_wrenches(one_F_B_);
}

}  // namespace torsor
