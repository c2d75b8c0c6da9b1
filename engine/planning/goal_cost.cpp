#include "torsor/planning/goal_cost.hpp"

#include "torsor/mechanics/kinematics.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor {

using Eigen::MatrixXd, Eigen::VectorXd;

namespace {

Eigen::Vector3d to_eigen(const Vec3<double>& v) {
  return {v.x, v.y, v.z};
}

Vec3<double> orientation_error(const Goal& goal, const Mat3<double>& R_WF) {
  return log_so3(transpose(*goal.R_WF) * R_WF);
}

}  // namespace

GoalCost::GoalCost(std::shared_ptr<const Model> model, std::map<size_t, Goal> goals, double scale)
    : state_(model),
      chart_(state_.model()),
      goals_(std::move(goals)),
      scale_(scale),
      n_(model->n_v) {}

const Goal* GoalCost::goal_at(size_t step) const {
  const auto found = goals_.find(step);
  return found == goals_.end() ? nullptr : &found->second;
}

VectorXd GoalCost::deviation(const Goal& goal, const VectorXd& x) {
  const Model& model = state_.model();
  VectorXd r(0);
  const auto append = [&r](const VectorXd& more) {
    r.conservativeResize(r.size() + more.size());
    r.tail(more.size()) = more;
  };
  if (goal.q) {
    VectorXd d(n_);
    difference(model, goal.q->data(), x.data(), d.data());
    append(d);
  }
  if (goal.v) append(x.tail(n_) - *goal.v);
  if (!goal.frame) return r;
  state_.set_q({x.data(), size_t(model.n_q)});
  const Pose<double> X_WF = frame_pose(state_, *goal.frame);
  if (goal.position_W) append(to_eigen(X_WF.p - *goal.position_W));
  if (goal.R_WF) append(to_eigen(orientation_error(goal, X_WF.R)));
  return r;
}

// d = q_d^-1 q changes at K(d) v (integration/chart.hpp). log(R_d^T R) = e changes at the inverse
// of the left Jacobian of -e, times the body-fixed angular velocity.
MatrixXd GoalCost::slope(const Goal& goal, const VectorXd& x) {
  MatrixXd J(0, 2 * n_);
  const auto append = [&](const MatrixXd& dq, const MatrixXd& dv) {
    J.conservativeResize(J.rows() + dq.rows(), Eigen::NoChange);
    J.bottomRows(dq.rows()) << dq, dv;
  };
  const MatrixXd one = MatrixXd::Identity(n_, n_), zero = MatrixXd::Zero(n_, n_);
  if (goal.q) {
    chart_.go_to(deviation({.q = goal.q, .v = {}, .frame = {}}, x));
    append(chart_.rates(one), zero);
  }
  if (goal.v) append(zero, one);
  if (!goal.frame) return J;
  state_.set_q({x.data(), size_t(state_.model().n_q)});
  const MatrixXd J_F = frame_jacobian(state_, *goal.frame), none = MatrixXd::Zero(3, n_);
  const Mat3<double> R_WF = frame_pose(state_, *goal.frame).R;
  if (goal.position_W)
    append(
        Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R_WF.m) * J_F.bottomRows(3),
        none);
  if (goal.R_WF) {
    const Vec3<double> e = orientation_error(goal, R_WF);
    MatrixXd rates(3, n_);
    for (Eigen::Index k = 0; k < n_; ++k)
      rates.col(k) =
          to_eigen(left_jacobian_inverse(-e, Vec3<double>{J_F(0, k), J_F(1, k), J_F(2, k)}));
    append(rates, none);
  }
  return J;
}

void GoalCost::add(size_t step, const VectorXd& x, double weight, CostModel& out) {
  const Goal* const goal = goal_at(step);
  if (!goal) return;
  const MatrixXd J = slope(*goal, x);
  out.l_x.noalias() += weight * scale_ * J.transpose() * deviation(*goal, x);
  out.l_xx.noalias() += weight * scale_ * J.transpose() * J;
}

double GoalCost::running(size_t step, const VectorXd& x, const VectorXd&) {
  const Goal* const goal = goal_at(step);
  return goal ? scale_ / 2 * deviation(*goal, x).squaredNorm() : 0;
}
void GoalCost::add_running(size_t step, const VectorXd& x, const VectorXd&, double weight,
                           CostModel& out) {
  add(step, x, weight, out);
}
double GoalCost::terminal(const VectorXd& x) {
  return running(at_end, x, {});
}
void GoalCost::add_terminal(const VectorXd& x, double weight, CostModel& out) {
  add(at_end, x, weight, out);
}

double GoalCost::error(const VectorXd& x) {
  const Goal* const goal = goal_at(at_end);
  return goal ? deviation(*goal, x).norm() : Cost::error(x);
}

}  // namespace torsor
