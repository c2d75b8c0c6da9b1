#include "torsor/simulation/symmetric_projection.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace torsor {

namespace {

// Errors of this many rounding errors are left to LoopAssembly::project(). Larger ones are, too, if
// they no longer decrease.
constexpr double small_error = 100, acceptable_error = 1e5;

}  // namespace

Status SymmetricProjection::begin(const Snapshot& start) {
  is_active_ = true;
  x_.setZero(2 * Eigen::Index(rows().size()));
  last_ = std::numeric_limits<double>::infinity();
  start_at_ = start;
  if (Status status = motion_.factor_inertia(); !status) return status;
  evaluate_responses(Y_start_);
  return {};
}

// Writes M^-1 J^T at the state that is factorised.
void SymmetricProjection::evaluate_responses(Eigen::MatrixXd& Y) const {
  Y.setZero(u_.size(), Eigen::Index(rows().size()));
  for (size_t r = 0; r < rows().size(); ++r) {
    push(*rows()[r].row, 1, Y.col(Eigen::Index(r)).data());
    motion_.inverse_inertia().solve(Y.col(Eigen::Index(r)).data());
  }
}

void SymmetricProjection::move_start(std::span<double> z) const {
  const auto first = Eigen::Index(motion_.layout().first_velocity());
  Eigen::Map<Eigen::VectorXd> all(z.data(), Eigen::Index(z.size()));
  all.head(u_.size()) += Y_start_ * mu();
  all.segment(first, u_.size()) += Y_start_ * nu();
}

// Adds u_ to the rates of a snapshot.
void SymmetricProjection::add_rates(Snapshot& at) const {
  for (size_t i = 0; i < at.v.size(); ++i) at.v[i] += u_[Eigen::Index(i)];
  for (size_t m = 0; m < at.motor_v.size(); ++m) at.motor_v[m] += u_[Eigen::Index(at.v.size() + m)];
}

// Writes the end, moved by the multipliers, to trial_. Y at the moved end follows from Y at the end
// in two iterations, because the move is of the order of dt^3.
Status SymmetricProjection::apply(const Snapshot& end, double time) {
  const Model& model = motion_.model();
  motion_.prescribed().go_to(time);
  trial_ = end;
  for (int k = 0; k < 3; ++k) {
    motion_.set_bodies(trial_);
    if (Status status = motion_.factor_inertia(); !status) return status;
    evaluate_responses(Y_end_);
    u_.noalias() = Y_end_ * mu();
    motion_.constraints().project(u_.data());
    integrate(model, end.q.data(), u_.data(), 1, trial_.q.data());
  }
  u_.noalias() = Y_end_ * nu();
  add_rates(trial_);
  motion_.set_bodies(trial_);
  return {};
}

Status SymmetricProjection::improve(const Snapshot& end, double time, bool& done) {
  if (Status status = apply(end, time); !status) return status;
  const auto n = Eigen::Index(rows().size());
  const Eigen::VectorXd before = error_;
  error_.resize(2 * n);
  std::copy(trial_.v.begin(), trial_.v.end(), u_.begin());
  std::copy(trial_.motor_v.begin(), trial_.motor_v.end(), u_.begin() + motion_.model().n_v);
  const double speed = 1 + u_.cwiseAbs().maxCoeff();
  double size = 0;
  for (Eigen::Index r = 0; r < n; ++r) {
    const ConstraintRow& row = rows()[size_t(r)];
    error_[r] = *row.error;
    error_[n + r] = along(*row.row, u_.data()) - *row.rate;
    if (row.error == &ConstraintRow::zero) continue;
    size = std::max({size, std::abs(error_[r]) / *row.rounding,
                     std::abs(error_[n + r]) / (*row.rounding * speed)});
  }
  const bool is_first = !std::isfinite(last_);
  done = size <= small_error || (size <= acceptable_error && size > 0.5 * last_);
  last_ = size;
  if (done) return {};
  if (is_first) {
    end_.evaluate(motion_.inverse_inertia(), size_t(u_.size()), rows());
    const Eigen::MatrixXd half = 0.5 * end_.G.ldlt().solve(Eigen::MatrixXd::Identity(n, n));
    inverse_.setZero(2 * n, 2 * n);
    inverse_.topLeftCorner(n, n) = inverse_.bottomRightCorner(n, n) = half;
  } else {
    const Eigen::VectorXd missed = change_ - inverse_ * (error_ - before);
    const Eigen::RowVectorXd row = change_.transpose() * inverse_;
    const double gained = row.dot(error_ - before);
    done = gained == 0;  // the errors no longer change
    if (done) return {};
    inverse_ += missed * (row / gained);
  }
  change_ = -inverse_ * error_;
  x_ += change_;
  return {};
}

Status SymmetricProjection::move_end(Snapshot& end, double time) {
  if (!is_active_) return {};
  // The energy that the move of the start added.
  const auto energy_at = [&](const Snapshot& at) {
    motion_.set_bodies(at);
    return energy(motion_.state(), motion_.mechanism(), at, scratch_).sum();
  };
  const double start = energy_at(start_at_);
  trial_ = start_at_;
  u_.noalias() = Y_start_ * mu();
  integrate(motion_.model(), start_at_.q.data(), u_.data(), 1, trial_.q.data());
  u_.noalias() = Y_start_ * nu();
  add_rates(trial_);
  double added = energy_at(trial_) - start;
  added -= energy_at(end);
  if (Status status = apply(end, time); !status) return status;
  end.q = trial_.q;
  end.v = trial_.v;
  end.motor_v = trial_.motor_v;
  end[Work::projection] += added + energy_at(end);
  return {};
}

}  // namespace torsor
