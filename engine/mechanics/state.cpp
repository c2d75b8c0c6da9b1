#include "torsor/mechanics/state.hpp"

#include <algorithm>
#include <cassert>

namespace torsor {

State::State(std::shared_ptr<const Model> model)
    : v(model->n_v, 0.0),
      model_(std::move(model)),
      q_(neutral(*model_)),
      scratch_(pose_scratch(*model_)),
      X_PB_(model_->n_body),
      F_B_(model_->n_body, Wrench<double>{}) {}

void State::set_q(std::span<const double> q) {
  assert(int(q.size()) == model_->n_q);
  std::copy(q.begin(), q.end(), q_.begin());
  posed_ = false;
}

void State::evaluate_poses() const {
  torsor::evaluate_poses(*model_, q_.data(), scratch_.data(), X_PB_.data());
  posed_ = true;
}

// Equations: KHALIL 7.47.
void State::set_gravity(const Vec3<double>& gravity_W) {
  gravity_W_ = gravity_W;
  A_W_ = {Vdot_W_.w, Vdot_W_.v - gravity_W};
}

void State::set_world_motion(const Twist<double>& V_W, const Twist<double>& Vdot_W) {
  V_W_ = V_W;
  Vdot_W_ = Vdot_W;
  set_gravity(gravity_W_);
}

void State::add_wrench(const Frame& frame, const Wrench<double>& F_F) {
  F_B_[frame.body] = F_B_[frame.body] + transform(frame.X_BF, F_F);
  wrenched_ = true;
}

void State::clear_wrenches() {
  std::fill(F_B_.begin(), F_B_.end(), Wrench<double>{});
  wrenched_ = false;
}

void State::set_wrenches(std::span<const Wrench<double>> F_B) {
  assert(F_B.size() == F_B_.size());
  std::copy(F_B.begin(), F_B.end(), F_B_.begin());
  wrenched_ = true;
}

torsor_state State::view(bool with_poses) const {
  return {.struct_size = sizeof(torsor_state),
          .time = time,
          .q = q_.data(),
          .v = v.data(),
          .X_PB = with_poses ? reinterpret_cast<const double*>(X_PB().data()) : nullptr,
          .V_W = &V_W_.w.x,
          .A_W = &A_W_.w.x,
          .F_B = wrenched_ ? reinterpret_cast<const double*>(F_B_.data()) : nullptr,
          .min_pivot = nullptr};
}

}  // namespace torsor
