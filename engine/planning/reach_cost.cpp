#include "torsor/planning/reach_cost.hpp"

#include <cmath>

#include "torsor/mechanics/kinematics.hpp"

namespace torsor {

ReachCost::ReachCost(std::shared_ptr<const Model> model, const Frame& frame,
                     const Vec3<double>& target_W, ReachWeights weights, double dt)
    : state_(model),
      frame_(frame),
      target_W_(target_W),
      weights_(std::move(weights)),
      dt_(dt),
      n_(model->n_v) {}

Vec3<double> ReachCost::offset(const Eigen::VectorXd& x) {
  state_.set_q({x.data(), size_t(state_.model().n_q)});
  return frame_pose(state_, frame_).p - target_W_;
}

double ReachCost::excess(Eigen::Index k, double u) const {
  if (weights_.limit.empty()) return 0;
  return std::copysign(std::max(0.0, std::abs(u) - weights_.limit[size_t(k)]), u);
}

double ReachCost::running(const Eigen::VectorXd& x, const Eigen::VectorXd& u) {
  double beyond = 0;
  for (Eigen::Index k = 0; k < n_; ++k) beyond += std::pow(excess(k, u[k]), 2);
  return dt_ / 2 *
         (weights_.effort * u.squaredNorm() + weights_.motion * x.tail(n_).squaredNorm() +
          weights_.limits * beyond);
}

void ReachCost::expand_running(const Eigen::VectorXd& x, const Eigen::VectorXd& u, CostModel& out) {
  out.l_x.setZero(2 * n_);
  out.l_x.tail(n_) = dt_ * weights_.motion * x.tail(n_);
  out.l_xx.setZero(2 * n_, 2 * n_);
  out.l_xx.bottomRightCorner(n_, n_).diagonal().setConstant(dt_ * weights_.motion);
  out.l_ux.setZero(n_, 2 * n_);
  out.l_u = dt_ * weights_.effort * u;
  out.l_uu.setZero(n_, n_);
  for (Eigen::Index k = 0; k < n_; ++k) {
    const double beyond = excess(k, u[k]);
    out.l_u[k] += dt_ * weights_.limits * beyond;
    out.l_uu(k, k) = dt_ * (weights_.effort + (beyond != 0 ? weights_.limits : 0));
  }
}

double ReachCost::terminal(const Eigen::VectorXd& x) {
  const Vec3<double> e = offset(x);
  return 0.5 * (weights_.position * dot(e, e) + weights_.velocity * x.tail(n_).squaredNorm());
}

void ReachCost::expand_terminal(const Eigen::VectorXd& x, CostModel& out) {
  const Vec3<double> e = offset(x);
  const Mat3<double> R = frame_pose(state_, frame_).R;
  Eigen::Matrix3Xd J(3, n_);  // Jacobian of the frame's origin, in the axes of the world
  J.noalias() = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R.m) *
                frame_jacobian(state_, frame_).bottomRows(3);
  out.l_x.resize(2 * n_);
  out.l_x.head(n_) = weights_.position * J.transpose() * Eigen::Vector3d(e.x, e.y, e.z);
  out.l_x.tail(n_) = weights_.velocity * x.tail(n_);
  out.l_xx.setZero(2 * n_, 2 * n_);
  out.l_xx.topLeftCorner(n_, n_) = weights_.position * J.transpose() * J;
  out.l_xx.bottomRightCorner(n_, n_).diagonal().setConstant(weights_.velocity);
}

double ReachCost::error(const Eigen::VectorXd& x) {
  return norm(offset(x));
}

}  // namespace torsor
