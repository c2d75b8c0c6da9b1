#include "torsor/batch/state_block.hpp"

#include <algorithm>
#include <cstring>

#include "torsor/spatial/pack.hpp"

namespace torsor {

std::vector<uint32_t> path_entries(const Model& model) {
  const size_t n_v = size_t(model.n_v);
  std::vector<size_t> length(size_t(model.n_body), 0);  // number of dof on the path of a body
  size_t count = 0;
  for (size_t i = 1; i < length.size(); ++i) {
    const size_t own = size_t(model.v_count[i]), before = length[size_t(model.parent[i])];
    length[i] = before + own;
    count += own * (own + 2 * before);
  }
  std::vector<uint32_t> out;
  if (count == n_v * n_v) return out;
  out.reserve(count);
  for (size_t i = 1; i < length.size(); ++i)
    for (size_t j = i; j > 0; j = size_t(model.parent[j]))
      for (int d = 0; d < model.v_count[i]; ++d)
        for (int e = 0; e < model.v_count[j]; ++e) {
          const size_t k = size_t(model.v_index[i] + d), l = size_t(model.v_index[j] + e);
          out.push_back(uint32_t(k * n_v + l));
          if (j != i) out.push_back(uint32_t(l * n_v + k));
        }
  std::ranges::sort(out);
  return out;
}

// Whole rows are adjacent in memory, so that this takes half the time of writing them block by
// block.
void clear_other_rows(const StateBatch& states, std::span<const uint32_t> used, size_t rows,
                      double* to) {
  if (states.size() == 0) return;
  const auto clear = [&](size_t begin, size_t end) {
    if (begin < end)
      std::fill_n(to + begin * states.stride(), (end - begin - 1) * states.stride() + states.size(),
                  0.0);
  };
  size_t next = 0;
  for (const size_t row : used) {
    clear(next, row);
    next = row + 1;
  }
  clear(next, rows);
}

StateBlock::StateBlock(std::shared_ptr<const Model> model, size_t lanes)
    : model_(std::move(model)),
      lanes_(lanes),
      q_(size_t(model_->n_q) * lanes),
      v_(size_t(model_->n_v) * lanes),
      X_PB_(12 * size_t(model_->n_body) * lanes),
      F_B_(6 * size_t(model_->n_body) * lanes),
      V_W_(6 * lanes),
      A_W_(6 * lanes),
      min_pivot_(size_t(model_->n_body) * lanes),
      angle_(size_t(model_->n_body) * lanes),
      sine_(angle_.size()),
      cosine_(angle_.size()),
      one_q_(size_t(model_->n_q)),
      one_X_PB_(size_t(model_->n_body)),
      pivots_(*model_) {
  if (pivots_.are_constant()) evaluate_pivots();
}

void StateBlock::load(const StateBatch& batch, size_t first, size_t count) {
  first_ = first;
  stride_ = batch.stride();
  used_ = std::min(count, batch.size() - first);
  load_rows(batch.q().data(), size_t(model_->n_q), q_.data());
  load_rows(batch.v().data(), size_t(model_->n_v), v_.data());
  wrenched_ = !batch.F_B().empty();
  if (wrenched_) load_rows(batch.F_B().data(), 6 * size_t(model_->n_body), F_B_.data());
  const Twist<double>&V = batch.V_W(), &Vdot = batch.Vdot_W(),
        A{Vdot.w, Vdot.v - batch.gravity_W()};
  for (size_t i = 0; i < 6; ++i) {
    std::fill_n(V_W_.data() + i * lanes_, lanes_, (&V.w.x)[i]);
    std::fill_n(A_W_.data() + i * lanes_, lanes_, (&A.w.x)[i]);
  }
}

namespace {

// Copies rows of `lanes` numbers. from_stride and to_stride: distance of two rows.
template <size_t lanes>
void copy_rows(const double* from, size_t from_stride, size_t rows, double* to, size_t to_stride) {
  for (size_t i = 0; i < rows; ++i)
    std::memcpy(to + i * to_stride, from + i * from_stride, lanes * sizeof(double));
}
void copy_rows(size_t lanes, const double* from, size_t from_stride, size_t rows, double* to,
               size_t to_stride) {
  if (lanes == 8) return copy_rows<8>(from, from_stride, rows, to, to_stride);
  if (lanes == 4) return copy_rows<4>(from, from_stride, rows, to, to_stride);
  copy_rows<2>(from, from_stride, rows, to, to_stride);
}

}  // namespace

void StateBlock::load_rows(const double* from, size_t rows, double* to) const {
  if (used_ == lanes_) return copy_rows(lanes_, from + first_, stride_, rows, to, lanes_);
  for (size_t i = 0; i < rows; ++i, to += lanes_) {
    std::copy_n(from + i * stride_ + first_, used_, to);
    std::fill(to + used_, to + lanes_, to[used_ - 1]);
  }
}

void StateBlock::store_rows(const double* from, size_t rows, double* to) const {
  if (used_ == lanes_) return copy_rows(lanes_, from, lanes_, rows, to + first_, stride_);
  for (size_t i = 0; i < rows; ++i)
    std::copy_n(from + i * lanes_, used_, to + i * stride_ + first_);
}

void StateBlock::store_rows(const double* from, std::span<const uint32_t> used, double* to) const {
  for (const uint32_t i : used) {
    double* row = to + i * stride_ + first_;
    if (used_ == 8)
      std::memcpy(row, from + 8 * i, 8 * sizeof(double));
    else
      std::copy_n(from + i * lanes_, used_, row);
  }
}

namespace {

// See many_finite().
template <size_t lanes>
bool are_rows_finite(const double* from, std::span<const uint32_t> used) {
  using Bits = typename LaneNumbers<int(lanes)>::Lanes;
  const Bits none{}, exponent = none + (0x7ffLL << 52), one = none + (1LL << 52);
  Bits carries = none;
  for (const uint32_t i : used) {
    Bits row;
    std::memcpy(&row, from + lanes * i, sizeof row);
    carries |= (row & exponent) + one;
  }
  for (size_t l = 0; l < lanes; ++l)
    if (carries[l] < 0) return false;
  return true;
}

}  // namespace

bool StateBlock::are_finite(const double* from, std::span<const uint32_t> used) const {
  return lanes_ == 8   ? are_rows_finite<8>(from, used)
         : lanes_ == 4 ? are_rows_finite<4>(from, used)
                       : are_rows_finite<2>(from, used);
}

torsor_state StateBlock::view(bool with_poses, bool with_pivots) {
  if (with_poses || (with_pivots && !pivots_.are_constant())) evaluate_poses();
  if (with_pivots && !pivots_.are_constant()) evaluate_pivots();
  return {.struct_size = sizeof(torsor_state),
          .time = 0,
          .q = q_.data(),
          .v = v_.data(),
          .X_PB = with_poses ? X_PB_.data() : nullptr,
          .V_W = V_W_.data(),
          .A_W = A_W_.data(),
          .F_B = wrenched_ ? F_B_.data() : nullptr,
          .min_pivot = with_pivots ? min_pivot_.data() : nullptr};
}

// The same operations as evaluate_poses() of a model, in each lane.
template <int lanes>
void StateBlock::evaluate_poses_in_lanes() {
  using Number = Pack<lanes>;
  const Model& model = *model_;
  const auto numbers = [](LentArray<double>& a) { return reinterpret_cast<Number*>(a.data()); };
  const Number *q = numbers(q_), *sine = numbers(sine_), *cosine = numbers(cosine_);
  Number* angle = numbers(angle_);
  auto* X_PB = reinterpret_cast<Pose<Number>*>(X_PB_.data());
  angle[0] = Number(0);
  for (int i = 1; i < model.n_body; ++i) angle[i] = model.turn[i] * q[model.q_index[i]];
  sines_and_cosines(model.n_body * lanes, angle_.data(), sine_.data(), cosine_.data());
  X_PB[0] = Pose<Number>::identity();
  for (int i = 1; i < model.n_body; ++i) {
    const auto* X = reinterpret_cast<const double*>(&model.X_PB0[i]);
    Pose<Number> X_PB0;
    for (int k = 0; k < 9; ++k) X_PB0.R.m[k] = Number(X[k]);
    X_PB0.p = {Number(X[9]), Number(X[10]), Number(X[11])};
    X_PB[i] = move_about_z(X_PB0, sine[i], cosine[i], Number(model.pitch[i]) * q[model.q_index[i]]);
  }
}

void StateBlock::evaluate_poses() {
  if (lanes_ == 8)
    evaluate_poses_in_lanes<8>();
  else if (lanes_ == 4)
    evaluate_poses_in_lanes<4>();
  else
    evaluate_poses_in_lanes<2>();
  for (const auto& [i, kind] : model_->mapped) {
    double* out = X_PB_.data() + 12 * size_t(i) * lanes_;
    for (size_t lane = 0; lane < lanes_; ++lane) {
      const size_t first = size_t(model_->q_index[i]);
      for (size_t k = first; k < first + size_t(kind->n_q); ++k) one_q_[k] = q_[k * lanes_ + lane];
      const Pose<double> X = model_->X_PB0[i] * kind->maps->pose(one_q_.data() + first);
      const auto* from = reinterpret_cast<const double*>(&X);
      for (size_t k = 0; k < 12; ++k) out[k * lanes_ + lane] = from[k];
    }
  }
}

void StateBlock::evaluate_pivots() {
  for (size_t lane = 0; lane < lanes_; ++lane) {
    for (size_t i = 0; i < one_X_PB_.size(); ++i) {
      const double* p = X_PB_.data() + (12 * i + 9) * lanes_ + lane;
      one_X_PB_[i].p = {p[0], p[lanes_], p[2 * lanes_]};
    }
    const std::span<const double> one = pivots_.at(one_X_PB_);
    for (size_t i = 0; i < one.size(); ++i) min_pivot_[i * lanes_ + lane] = one[i];
  }
}

}  // namespace torsor
