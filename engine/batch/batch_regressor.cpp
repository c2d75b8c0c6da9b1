#include "torsor/batch/batch_regressor.hpp"

#include <algorithm>
#include <cassert>

#include "torsor/mechanics/regressor.hpp"

namespace torsor {

namespace {

using Lanes = Pack<native_lanes>;

// Returns the entries of Y [n_v][columns] of dof on the path from the body of a frame to the world,
// in ascending order.
std::vector<uint32_t> entries_on_paths(const Model& model, std::span<const InertialFrame> frames,
                                       size_t columns) {
  std::vector<uint32_t> out;
  for (size_t f = 0; f < frames.size(); ++f)
    for (int b = frames[f].body; b > 0; b = model.parent[size_t(b)])
      for (int k = model.v_index[size_t(b)];
           k < model.v_index[size_t(b)] + model.v_count[size_t(b)]; ++k)
        for (size_t p = 0; p < n_inertial; ++p)
          out.push_back(uint32_t(size_t(k) * columns + n_inertial * f + p));
  std::ranges::sort(out);
  return out;
}

}  // namespace

std::vector<InertialFrame> body_frames(const Model& model) {
  std::vector<InertialFrame> out;
  for (int i = 0; i < model.n_body; ++i) out.push_back({i});
  return out;
}

BatchRegressor::BatchRegressor(std::shared_ptr<const Model> model,
                               std::vector<InertialFrame> frames, size_t columns)
    : model_(std::move(model)),
      frames_(std::move(frames)),
      columns_(columns),
      nonzero_(entries_on_paths(*model_, frames_, columns)),
      block_(model_, native_lanes),
      vdot_(size_t(model_->n_v) * native_lanes),
      scratch_(regressor_scratch(*model_) * sizeof(Twist<Lanes>) / sizeof(double)),
      Y_(size_t(model_->n_v) * columns * native_lanes) {}

void BatchRegressor::evaluate(const StateBatch& states, const double* vdot, double* Y) {
  assert(&states.model() == model_.get());
  const size_t n_v = size_t(model_->n_v);
  const auto numbers = [](const double* x) { return reinterpret_cast<const Lanes*>(x); };
  RegressorKernel<Lanes> kernel(
      *model_, {reinterpret_cast<Twist<Lanes>*>(scratch_.data()), regressor_scratch(*model_)});
  auto* out = reinterpret_cast<Lanes*>(Y_.data());
  clear_other_rows(states, nonzero_, n_v * columns_, Y);
  for (size_t first = 0; first < states.size(); first += native_lanes) {
    block_.load(states, first, native_lanes);
    block_.load_rows(vdot, n_v, vdot_.data());
    const torsor_state at = block_.view(true, false);
    kernel.evaluate_motion({reinterpret_cast<const Pose<Lanes>*>(at.X_PB), numbers(at.v),
                            numbers(at.v), numbers(vdot_.data()),
                            *reinterpret_cast<const Twist<Lanes>*>(at.V_W),
                            *reinterpret_cast<const Twist<Lanes>*>(at.A_W)});
    for (size_t f = 0; f < frames_.size(); ++f) {
      const auto& [body, X_BF] = frames_[f];
      if (X_BF)
        kernel.write_columns(body, *X_BF, out + n_inertial * f, columns_);
      else
        kernel.write_columns(body, out + n_inertial * f, columns_);
    }
    block_.store_rows(Y_.data(), nonzero_, Y);
  }
}

}  // namespace torsor
