#include "torsor/simulation/steppers/symplectic_midpoint.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace torsor {

namespace {

// A position error of this many rounding errors is left to LoopAssembly::project(). A larger one
// is, too, if it no longer decreases.
constexpr double small_error = 100, acceptable_error = 1e5;

}  // namespace

CanonicalMotion::CanonicalMotion(Motion& motion)
    : motion_(motion),
      momentum_rate_(motion.model()),
      chart_(motion.model()),
      scale_(size_t(motion.mechanism().n_u), 1.0),
      z_(size_t(motion.layout().size())),
      pi_(scale_),
      p_(scale_),
      x_(scale_) {}

// Writes M x [n_u].
void CanonicalMotion::multiply_inertia(const double* x, double* out) const {
  const size_t n = size_t(motion_.model().n_v);
  const std::span<const double> M = motion_.inertia();
  for (size_t i = 0; i < n; ++i) {
    out[i] = 0;
    for (size_t j = 0; j < n; ++j) out[i] += M[i * n + j] * x[j];
  }
  const std::vector<double>& motors = motion_.mechanism().motor_inertia;
  for (size_t m = 0; m < motors.size(); ++m) out[n + m] = motors[m] * x[n + m];
}

// Factorises M, G of the held rows and the chart at the present state.
bool CanonicalMotion::factor(const double* d) {
  if (!motion_.factor_inertia()) return false;
  if (!held_.empty()) held_factor_.compute(motion_.inverse_inertia(), scale_.size(), held_);
  if (!chart_.is_flat()) chart_.go_to(Eigen::Map<const Eigen::VectorXd>(d, motion_.model().n_v));
  return true;
}

// Replaces u by the nearest rates, in the metric of M, at which the constant rows have their rates.
// The effect of an impulse has the rate 0 along these rows.
void CanonicalMotion::hold(double* u, bool with_rates) {
  if (held_.empty()) return;
  forces_.resize(Eigen::Index(held_.size()));
  for (size_t r = 0; r < held_.size(); ++r)
    forces_[Eigen::Index(r)] = (with_rates ? *held_[r].rate : 0) - along(*held_[r].row, u);
  held_factor_.solve(motion_.inverse_inertia(), held_, forces_, x_);
  for (size_t i = 0; i < x_.size(); ++i) u[i] += x_[i];
  if (with_rates) motion_.prescribed().write_rates(u);
}

bool CanonicalMotion::begin(double t, const double* z, double* y) {
  held_.clear();
  varying_.clear();
  for (const ConstraintRow& row : motion_.constraints().selected_rows())
    (row.varies ? varying_ : held_).push_back(row);
  if (!motion_.unpack_state(t, z) || !factor(z)) return false;
  motion_.evaluate_closures();
  const size_t n = size_t(motion_.model().n_v);
  for (size_t i = 0; i < n; ++i) {
    const double inertia = motion_.inertia()[i * n + i];
    scale_[i] = inertia > 0 ? inertia : 1;
  }
  std::ranges::copy(motion_.mechanism().motor_inertia, scale_.begin() + std::ptrdiff_t(n));
  multiply_inertia(motion_.rates().data(), p_.data());
  chart_.to_momenta(p_.data());
  std::copy_n(z, layout().size(), y);
  for (size_t i = 0; i < p_.size(); ++i)
    y[size_t(layout().first_velocity()) + i] = p_[i] / scale_[i];
  return true;
}

// Sets z_ to the state of y.
bool CanonicalMotion::take(double t, const double* y) {
  const auto first = size_t(layout().first_velocity());
  z_.assign(y, y + layout().size());
  std::fill_n(z_.begin() + std::ptrdiff_t(first), scale_.size(), 0.0);
  if (!motion_.is_finite(y) || !motion_.unpack_state(t, z_.data()) || !factor(y)) return false;
  for (size_t i = 0; i < pi_.size(); ++i) pi_[i] = scale_[i] * y[first + i];
  double* u = z_.data() + first;
  std::ranges::copy(pi_, u);
  chart_.from_momenta(u);
  motion_.inverse_inertia().solve(u);
  hold(u, true);
  return true;
}

bool CanonicalMotion::to_state(double t, const double* y, double* z) {
  if (!take(t, y)) return false;
  std::ranges::copy(z_, z);
  if (!motion_.unpack_state(t, z)) return false;
  motion_.evaluate_closures();
  return true;
}

bool CanonicalMotion::rate(double t, const double* y, double ahead, double* ydot) {
  if (!take(t, y)) return false;
  // Only the power of prescribed motion depends on the forces of constraints.
  const bool evaluated = motion_.prescribed().rows().empty()
                             ? motion_.free_rate(t, z_.data(), ahead, ydot)
                             : motion_.rate(t, z_.data(), ahead, ydot);
  if (!evaluated) return false;
  double* pidot = ydot + layout().first_velocity();
  multiply_inertia(pidot, p_.data());
  for (size_t i = 0; i < p_.size(); ++i) p_[i] -= motion_.constraint()[i];
  momentum_rate_.add(motion_.state(), p_.data());
  motion_.transmissions().add_rotor_momentum_rate(p_.data());
  chart_.subtract_momentum_rate(ydot, pi_.data(), p_.data());
  chart_.to_momenta(p_.data());
  for (size_t i = 0; i < p_.size(); ++i) pidot[i] = p_[i] / scale_[i];
  return true;
}

void CanonicalMotion::respond(const Row& row, double* momentum, double* rates) {
  std::fill_n(rates, scale_.size(), 0.0);
  push(row, 1, rates);
  std::copy_n(rates, scale_.size(), momentum);
  chart_.to_momenta(momentum);
  for (size_t i = 0; i < scale_.size(); ++i) momentum[i] /= scale_[i];
  motion_.inverse_inertia().solve(rates);
  hold(rates, false);
}

SymplecticMidpoint::SymplecticMidpoint(const Tolerances& tolerances, Motion& motion)
    : OneStep(motion, 0),
      motion_(motion),
      canonical_(motion),
      rule_(make_stepper(Integrator::implicit_midpoint, tolerances, canonical_)),
      y0_(z0_),
      y_(z0_) {}

// Computes the responses to all varying rows at the present state, and factorises their Delassus
// operator.
void SymplecticMidpoint::factor_rows() {
  const std::span<const ConstraintRow> rows = canonical_.varying();
  const auto n = Eigen::Index(rows.size());
  momenta_.resize(layout_.velocities, n);
  rates_of_.resize(layout_.velocities, n);
  G_.resize(n, n);
  for (Eigen::Index c = 0; c < n; ++c) {
    canonical_.respond(*rows[size_t(c)].row, momenta_.col(c).data(), rates_of_.col(c).data());
    for (Eigen::Index r = 0; r < n; ++r)
      G_(r, c) = along(*rows[size_t(r)].row, rates_of_.col(c).data());
  }
}

// Guesses lambda from the constraint forces at the start.
bool SymplecticMidpoint::guess(double h) {
  ++rates_;
  if (!motion_.rate(t0_, z0_.data(), 0, y_.data())) return false;
  const std::span<const ConstraintRow> all = motion_.constraints().rows();
  for (size_t r = 0; r < canonical_.varying().size(); ++r)
    for (size_t k = 0; k < all.size(); ++k)
      if (all[k].row == canonical_.varying()[r].row)
        lambda_[Eigen::Index(r)] = h / 2 * motion_.constraints().multiplier(k);
  return true;
}

// Makes a step with the impulses lambda at its start. z receives its end without impulses.
bool SymplecticMidpoint::step(double h, std::span<double> z) {
  y_ = y0_;
  Eigen::Map<Eigen::VectorXd>(y_.data() + layout_.first_velocity(), layout_.velocities) +=
      momenta_ * lambda_;
  rule_->start(t0_, y_, 0);
  const long long before = rule_->rates();
  const bool done = rule_->advance(t0_ + h);
  rates_ += rule_->rates() - before;
  return done && canonical_.to_state(t0_ + h, rule_->state().data(), z.data());
}

// Sets error_ to the position errors at the end of a step. Returns the largest one, in units of
// rounding errors.
double SymplecticMidpoint::evaluate_errors() {
  const std::span<const ConstraintRow> rows = canonical_.varying();
  double largest = 0;
  for (size_t r = 0; r < rows.size(); ++r) {
    error_[Eigen::Index(r)] = *rows[r].error;
    largest = std::max(largest, std::abs(*rows[r].error) / *rows[r].rounding);
  }
  return largest;
}

bool SymplecticMidpoint::map(double h, std::span<double> z) {
  // If the errors are not small after these, LoopAssembly closes the loops, and the step is not
  // quite symplectic.
  constexpr int most_iterations = 20;
  std::ranges::copy(z0_, z.begin());
  if (h == 0) return true;
  if (!canonical_.begin(t0_, z0_.data(), y0_.data())) return false;
  const auto n = Eigen::Index(canonical_.varying().size());
  factor_rows();
  inverse_ = G_.partialPivLu().inverse() / h;
  lambda_.setZero(n);
  error_.resize(n);
  if (!guess(h)) return false;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most_iterations; ++k) {
    if (!step(h, z)) return false;
    before_ = error_;
    const double size = evaluate_errors();
    if (size <= small_error || (size <= acceptable_error && size > 0.5 * last)) break;
    last = size;
    if (k > 0) {
      const Eigen::VectorXd missed = change_ - inverse_ * (error_ - before_);
      const Eigen::RowVectorXd row = change_.transpose() * inverse_;
      const double gained = row.dot(error_ - before_);
      if (gained == 0) break;  // the errors no longer change
      inverse_ += missed * (row / gained);
    }
    change_ = -inverse_ * error_;
    lambda_ += change_;
  }
  close_rates(z);
  return true;
}

// Adds the impulses mu at the end.
void SymplecticMidpoint::close_rates(std::span<double> z) {
  factor_rows();
  const std::span<const ConstraintRow> rows = canonical_.varying();
  Eigen::Map<Eigen::VectorXd> u(z.data() + layout_.first_velocity(), layout_.velocities);
  for (size_t r = 0; r < rows.size(); ++r)
    error_[Eigen::Index(r)] = along(*rows[r].row, u.data()) - *rows[r].rate;
  u -= rates_of_ * G_.partialPivLu().solve(error_);
}

}  // namespace torsor
