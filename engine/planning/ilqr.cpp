// Iterative LQR. V(x) is the minimum cost from step t + 1 on, and Q(dx, du) is the cost from step t
// on. Both are second-order models about the trajectory:
//
//   Q_x = l_x + A^T V_x,   Q_u = l_u + B^T V_x
//   Q_xx = l_xx + A^T V_xx A,   Q_ux = l_ux + B^T V_xx A,   Q_uu = l_uu + B^T V_xx B
//
// du = k + K dx minimises Q + mu/2 |A dx + B du|^2. mu >= 0 is a Levenberg parameter. It penalises
// states far from the trajectory, where the model is not valid. (A penalty on the controls would
// weaken the feedback, which must stabilise an unstable chain.)
//   k = -(Q_uu + mu B^T B)^-1 Q_u,   K = -(Q_uu + mu B^T B)^-1 (Q_ux + mu B^T A)
// This du does not minimise Q if mu > 0. V is therefore Q evaluated with this du:
//
//   V_x  = Q_x  + K^T Q_uu k + K^T Q_u  + Q_ux^T k
//   V_xx = Q_xx + K^T Q_uu K + K^T Q_ux + Q_ux^T K
//
// A fraction alpha of all k changes the predicted cost by alpha sum k^T Q_u + alpha^2/2 sum k^T
// Q_uu k. The trajectory is computed again with u_t + alpha k_t + K_t (x'_t (-) x_t), where x'_t
// are the new states. alpha is 1, 1/2, 1/4, 1/8, until the cost decreases by a sufficient fraction
// of this prediction. If it never does, mu is increased. After each success, mu is decreased.
//
// In batch form, k is the minimum over all controls at once (batch.hpp), and K is 0.

#include "torsor/planning/ilqr.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "torsor/base/error.hpp"
#include "torsor/planning/batch.hpp"
#include "torsor/planning/products.hpp"

namespace torsor {

namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

constexpr double sufficient = 1e-4;  // required fraction of the predicted reduction (Armijo)
constexpr int halvings = 3;          // maximum number of halvings of alpha in an iteration
constexpr double regularisation_factor = 10, least_regularisation = 1e-6,
                 largest_regularisation = 1e10;
// A relative reduction of the cost below this value is indistinguishable from rounding.
constexpr double rounding = 1e-14;

class Optimiser {
 public:
  Optimiser(DiscreteDynamics& dynamics, Cost& cost, const VectorXd& x_1, std::vector<VectorXd> u,
            const IlqrOptions& options, const std::function<void()>& working)
      : dynamics_(dynamics),
        cost_(cost),
        options_(options),
        working_(working),
        u_(std::move(u)),
        x_(u_.size() + 1, x_1),
        new_u_(u_),
        new_x_(x_),
        linear_(u_.size()),
        model_(u_.size() + 1),
        k_(u_.size(), VectorXd::Zero(dynamics.n_u())),
        K_(u_.size(), MatrixXd::Zero(dynamics.n_u(), dynamics.n_x())) {}

  IlqrPlan run() {
    if (!roll_out(0))
      throw Error(std::isfinite(new_total_)
                      ? fmt::format("the motion of the initial controls cannot be computed: {}",
                                    dynamics_.failure())
                      : "the cost of the initial motion is not finite: the motion is beyond a "
                        "limit, or a cost overflows");
    IlqrPlan plan{{}, {}, new_total_, {}, IlqrEnd::iterations, 0, 0};
    take();
    while (int(plan.iterations.size()) < options_.iterations) {
      expand();
      const double before = total_;
      const double step = improve();
      if (step == 0) {
        plan.end = end_without_step();
        break;
      }
      plan.iterations.push_back(
          {total_, before - total_, step, regularisation_, cost_.error(x_.back())});
      const bool little = before - total_ <= options_.tolerance * std::abs(before);
      if (little && regularisation_ == 0) {
        plan.end = IlqrEnd::converged;
        break;
      }
      regularisation_ /= regularisation_factor;
      if (regularisation_ < least_regularisation) regularisation_ = 0;
    }
    plan.cost = total_;
    plan.error = cost_.error(x_.back());
    plan.x = std::move(x_);
    plan.u = std::move(u_);
    return plan;
  }

 private:
  // Computes the trajectory for a fraction alpha of k. Returns false if it cannot be computed.
  bool roll_out(double alpha) {
    new_total_ = 0;
    for (size_t t = 0; t < u_.size(); ++t) {
      working_();
      new_u_[t] = u_[t] + alpha * k_[t];
      new_u_[t].noalias() += K_[t] * dynamics_.difference(x_[t], new_x_[t]);
      if (!dynamics_.step(new_x_[t], new_u_[t], new_x_[t + 1])) return false;
      new_total_ += cost_.running(t, new_x_[t], new_u_[t]);
    }
    new_total_ += cost_.terminal(new_x_.back());
    return std::isfinite(new_total_);
  }
  void take() {
    x_.swap(new_x_);
    u_.swap(new_u_);
    total_ = new_total_;
    new_x_.front() = x_.front();
  }

  void expand() {
    for (size_t t = 0; t < u_.size(); ++t) {
      working_();
      if (!dynamics_.linearise(x_[t], u_[t], linear_[t]))
        throw Error(fmt::format("step {} cannot be linearised: {}", t + 1, dynamics_.failure()));
      model_[t].set_zero(dynamics_.n_x(), dynamics_.n_u());
      cost_.add_running(t, x_[t], u_[t], 1, model_[t]);
    }
    model_.back().set_zero(dynamics_.n_x(), 0);
    cost_.add_terminal(x_.back(), 1, model_.back());
  }

  // Computes k and K. Returns false if the matrix of the controls is not positive definite.
  bool find_change() { return options_.form == IlqrForm::batch ? solve_batch() : sweep_back(); }
  bool solve_batch() {
    const std::optional<BatchStep> step =
        minimise_in_batch(linear_, model_, regularisation_, working_);
    if (!step) return false;
    for (size_t t = 0; t < k_.size(); ++t)
      k_[t] = step->du.segment(dynamics_.n_u() * Eigen::Index(t), dynamics_.n_u());
    slope_ = step->slope, curvature_ = step->curvature;
    return true;
  }
  // Computes the gains k and K backwards in time. Returns false if Q_uu + mu B^T B is not positive
  // definite.
  bool sweep_back() {
    VectorXd V_x = model_.back().l_x, Q_x, Q_u;
    MatrixXd V_xx = model_.back().l_xx, Q_xx, Q_ux, Q_uu, VA, VB, A_T, B_T, M;
    slope_ = curvature_ = 0;
    for (size_t t = u_.size(); t-- > 0;) {
      working_();
      const auto& [A, B] = linear_[t];
      const CostModel& l = model_[t];
      Q_x = l.l_x + A.transpose() * V_x;
      Q_u = l.l_u + B.transpose() * V_x;
      A_T = A.transpose();
      B_T = B.transpose();
      VA.setZero(A.rows(), A.cols());
      VB.setZero(B.rows(), B.cols());
      add_product(V_xx, A, VA);
      add_product(V_xx, B, VB);
      Q_xx = l.l_xx;
      Q_ux = l.l_ux;
      Q_uu = l.l_uu;
      add_product(A_T, VA, Q_xx);
      add_product(B_T, VA, Q_ux);
      add_product(B_T, VB, Q_uu);
      M = Q_uu;
      if (regularisation_ > 0) add_product(regularisation_ * B_T, B, M);
      factor_.compute(M);
      if (factor_.info() != Eigen::Success) return false;
      M = Q_ux;
      if (regularisation_ > 0) add_product(regularisation_ * B_T, A, M);
      factor_.solveInPlace(M);
      k_[t] = -factor_.solve(Q_u);
      K_[t] = -M;
      slope_ += k_[t].dot(Q_u);
      curvature_ += k_[t].dot(Q_uu * k_[t]);
      V_x = Q_x + K_[t].transpose() * (Q_uu * k_[t] + Q_u) + Q_ux.transpose() * k_[t];
      M = Q_ux;
      add_product(Q_uu, K_[t], M);
      add_product(K_[t].transpose(), M, Q_xx);
      add_product(Q_ux.transpose(), K_[t], Q_xx);
      V_xx = 0.5 * (Q_xx + Q_xx.transpose());
    }
    return true;
  }
  // Returns the reduction of the cost that the model predicts for a fraction alpha.
  double predicted(double alpha) const {
    return -(alpha * slope_ + alpha * alpha / 2 * curvature_);
  }
  bool little_to_gain() const { return predicted(1) <= rounding * std::abs(total_); }

  IlqrEnd end_without_step() const {
    if (!has_change_)
      throw Error(
          "the cost does not determine the controls: its second derivative with respect to them is "
          "not positive definite; add a cost of effort");
    return little_to_gain() ? IlqrEnd::converged : IlqrEnd::stuck;
  }

  // Searches for a trajectory with a lower cost, by k and K and a line search over alpha.
  // Repeats both with a larger mu if they fail. Accepts the trajectory and returns its alpha.
  // Returns 0 if there is no such trajectory.
  double improve() {
    has_change_ = false;
    for (;; regularisation_ =
                std::max(least_regularisation, regularisation_factor * regularisation_)) {
      if (regularisation_ > largest_regularisation) return 0;
      if (!find_change()) continue;
      has_change_ = true;
      if (little_to_gain()) return 0;
      for (int halved = 0; halved <= halvings; ++halved) {
        const double alpha = std::ldexp(1.0, -halved);
        if (!roll_out(alpha) || !(total_ - new_total_ > sufficient * predicted(alpha))) continue;
        take();
        return alpha;
      }
    }
  }

  DiscreteDynamics& dynamics_;
  Cost& cost_;
  const IlqrOptions& options_;
  const std::function<void()>& working_;
  std::vector<VectorXd> u_, x_, new_u_, new_x_;
  std::vector<LinearStep> linear_;
  std::vector<CostModel> model_;
  std::vector<VectorXd> k_;
  std::vector<MatrixXd> K_;
  Eigen::LLT<MatrixXd> factor_;
  double regularisation_ = 0, total_ = 0, new_total_ = 0;
  bool has_change_ = false;           // k and K could be computed in this iteration
  double slope_ = 0, curvature_ = 0;  // sums of k^T Q_u and of k^T Q_uu k
};

}  // namespace

IlqrPlan ilqr(DiscreteDynamics& dynamics, Cost& cost, const VectorXd& x_1, std::vector<VectorXd> u,
              const IlqrOptions& options, const std::function<void()>& working) {
  return Optimiser(dynamics, cost, x_1, std::move(u), options, working).run();
}

}  // namespace torsor
