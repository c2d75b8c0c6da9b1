#include "torsor/mechanics/bounded_least_squares.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <vector>

#include "torsor/base/linear_algebra.hpp"

namespace torsor {

namespace {

// Returns V diag(s / (s^2 + lambda^2)) U^T e, where J = U diag(s) V^T. Unlike the normal equations,
// this does not square cond(J). Accepts any rank of J and any lambda > 0.
Eigen::VectorXd damped_solution(const Eigen::MatrixXd& J, const Eigen::VectorXd& e, double lambda) {
  const Svd svd = thin_svd(J);
  const Eigen::ArrayXd s = svd.s.array();
  return svd.V * ((s / (s * s + lambda * lambda)) * (svd.U.transpose() * e).array()).matrix();
}

// An active-set method (Stark and Parker, Bounded-variable least squares). Some entries are fixed
// at a bound. The free entries move towards their optimum until one of them reaches a bound and is
// fixed there. When all free entries are at their optimum, the fixed entry with the steepest
// descent away from its bound is freed. The cost decreases with each set of free entries, so no set
// occurs twice.
class ActiveSet {
 public:
  ActiveSet(const Eigen::MatrixXd& J, const Eigen::VectorXd& e, double lambda,
            const Eigen::VectorXd& lower, const Eigen::VectorXd& upper)
      : J_(J),
        e_(e),
        lambda_(lambda),
        lower_(lower),
        upper_(upper),
        d_(Eigen::VectorXd::Zero(J.cols())),
        free_(size_t(J.cols()), true) {}

  Eigen::VectorXd solve() {
    // The cost decreases strictly, except in steps of length zero. In practice, a few sets per
    // entry are enough.
    for (Eigen::Index left = 10 * (1 + J_.cols()); left > 0; --left)
      if (!move_to_best() && !release_one()) break;
    return d_;
  }

 private:
  // Moves the free entries towards their optimum. Returns whether one of them reached a bound
  // before the optimum.
  bool move_to_best() {
    std::vector<Eigen::Index> index;
    for (Eigen::Index k = 0; k < d_.size(); ++k)
      if (free_[size_t(k)]) index.push_back(k);
    if (index.empty()) return false;
    Eigen::VectorXd fixed = d_;
    fixed(index).setZero();
    const Eigen::VectorXd best = damped_solution(J_(Eigen::all, index), e_ - J_ * fixed, lambda_);
    double part = 1;
    Eigen::Index blocking = -1;
    for (size_t i = 0; i < index.size(); ++i) {
      const Eigen::Index k = index[i];
      const double wanted = best[Eigen::Index(i)], step = wanted - d_[k];
      if (wanted >= lower_[k] && wanted <= upper_[k]) continue;
      const double reach = ((step < 0 ? lower_ : upper_)[k] - d_[k]) / step;
      if (blocking < 0 || reach < part) part = reach, blocking = k;
    }
    if (blocking < 0) {
      d_(index) = best;
      return false;
    }
    const bool down =
        best[std::find(index.begin(), index.end(), blocking) - index.begin()] < d_[blocking];
    for (size_t i = 0; i < index.size(); ++i) {
      const Eigen::Index k = index[i];
      d_[k] = std::clamp(d_[k] + part * (best[Eigen::Index(i)] - d_[k]), lower_[k], upper_[k]);
    }
    d_[blocking] = (down ? lower_ : upper_)[blocking];
    free_[size_t(blocking)] = false;
    return true;
  }

  // Frees the fixed entry with the steepest descent away from its bound. Returns whether there is
  // one. The slope of the cost is a sum of terms as large as |J| |e|. A slope below the rounding
  // error of these terms counts as zero.
  bool release_one() {
    const Eigen::VectorXd pull = J_.transpose() * (e_ - J_ * d_) - lambda_ * lambda_ * d_;
    double largest = 16 * std::numeric_limits<double>::epsilon() * J_.norm() * e_.norm();
    Eigen::Index chosen = -1;
    for (Eigen::Index k = 0; k < d_.size(); ++k) {
      if (free_[size_t(k)] || lower_[k] == upper_[k]) continue;
      const double inwards = d_[k] == lower_[k] ? pull[k] : -pull[k];
      if (inwards > largest) largest = inwards, chosen = k;
    }
    if (chosen >= 0) free_[size_t(chosen)] = true;
    return chosen >= 0;
  }

  const Eigen::MatrixXd& J_;
  const Eigen::VectorXd& e_;
  const double lambda_;
  const Eigen::VectorXd &lower_, &upper_;
  Eigen::VectorXd d_;
  std::vector<bool> free_;
};

}  // namespace

Eigen::VectorXd bounded_least_squares(const Eigen::MatrixXd& J, const Eigen::VectorXd& e,
                                      double lambda, const Eigen::VectorXd& lower,
                                      const Eigen::VectorXd& upper) {
  assert(lambda > 0 && (lower.array() <= 0).all() && (upper.array() >= 0).all());
  return ActiveSet(J, e, lambda, lower, upper).solve();
}

}  // namespace torsor
