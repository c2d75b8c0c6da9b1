#include "torsor/planning/euler_dynamics.hpp"

#include <fmt/format.h>

#include <cmath>

#include "torsor/model/error.hpp"

namespace torsor {

namespace {

// What acts at a joint that a plan does not know; null where it is nothing.
const char* unknown(const Drive& drive) {
  const bool dry =
      drive.friction.law != Friction::Law::none || drive.motor.friction.law != Friction::Law::none;
  if (dry) return "has friction";
  if (drive.elasticity) return "is elastic";
  if (drive.spring.stiffness > 0) return "has a spring";
  if (drive.stop) return "has a stop";
  if (drive.motor.clamp || drive.motor.stall_torque > 0) return "has a motor whose torque is cut off";
  if (drive.passive) return "is passive";
  return nullptr;
}

void check(const Model& model) {
  for (const Joint& joint : model.joints)
    if (const int n = traits(joint.kind).n_v; n > 1)
      throw Error(
          fmt::format("joint '{}' has {} degrees of freedom: plans are for joints of one", joint.name, n));
  const auto refuse = [&](int column, const char* what) {
    throw Error(fmt::format("joint '{}' {}, which a plan does not know: joints may have damping and armature",
                            model.joint_of_column(column).name, what));
  };
  for (const Mimicry& mimic : model.mimics) refuse(mimic.column, "mimics another");
  for (const ElasticRotor& rotor : model.elastic_rotors) refuse(rotor.column, "is elastic");
  for (const Transmission& group : model.transmissions) refuse(group.columns.front(), "has a transmission");
  for (int k = 0; k < model.n_v; ++k)
    if (const char* what = unknown(model.drives[size_t(k)])) refuse(k, what);
}

}  // namespace

EulerDynamics::EulerDynamics(Solver& solver, std::shared_ptr<const Model> model,
                             const Vec3<double>& gravity_W, double dt)
    : solver_(solver),
      state_(model),
      n_(model->n_v),
      dt_(dt),
      damping_(Eigen::Map<const Eigen::VectorXd>(model->damping.data(), n_)),
      tau_(n_),
      vdot_(n_),
      dvdot_dq_(n_, n_),
      dvdot_dv_(n_, n_),
      dvdot_dtau_(n_, n_) {
  if (!solver.has_partials())
    throw Error(
        fmt::format("solver '{}' offers no partial derivatives, which a plan is made with; say one that "
                    "does ('torsor plugins' lists what each offers)",
                    solver.id()));
  check(*model);
  state_.set_gravity(gravity_W);
}

bool EulerDynamics::place(const Eigen::VectorXd& x, const Eigen::VectorXd& u) {
  for (int k = 0; k < n_; ++k)  // solvers take numbers for finite
    if (!std::isfinite(x[k]) || !std::isfinite(x[n_ + k]) || !std::isfinite(u[k])) {
      status_ = {TORSOR_STATUS(Status::not_finite, k)};
      return false;
    }
  state_.set_q({x.data(), size_t(n_)});
  std::copy_n(x.data() + n_, n_, state_.v.begin());
  tau_ = u - damping_.cwiseProduct(x.tail(n_));
  return true;
}

Eigen::VectorXd EulerDynamics::holding(const Eigen::VectorXd& x) {
  state_.set_q({x.data(), size_t(n_)});
  Eigen::VectorXd u(n_);
  status_ = solver_.gravity(state_, u.data());
  if (!status_) throw Error(fmt::format("nothing holds the robot where it begins: {}", failure()));
  return u;
}

bool EulerDynamics::step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) {
  if (!place(x, u)) return false;
  status_ = solver_.forward(state_, tau_.data(), vdot_.data());
  if (!status_) return false;
  next.resize(2 * n_);
  next.head(n_) = x.head(n_) + dt_ * x.tail(n_);
  next.tail(n_) = x.tail(n_) + dt_ * vdot_;
  return true;
}

bool EulerDynamics::linearise(const Eigen::VectorXd& x, const Eigen::VectorXd& u, LinearStep& out) {
  if (!place(x, u)) return false;
  status_ =
      solver_.forward_partials(state_, tau_.data(), {dvdot_dq_.data(), dvdot_dv_.data(), dvdot_dtau_.data()});
  if (!status_) return false;
  out.A.setIdentity(2 * n_, 2 * n_);
  out.A.topRightCorner(n_, n_).diagonal().setConstant(dt_);
  out.A.bottomLeftCorner(n_, n_) = dt_ * dvdot_dq_;
  out.A.bottomRightCorner(n_, n_) += dt_ * (dvdot_dv_ - dvdot_dtau_ * damping_.asDiagonal());
  out.B.setZero(2 * n_, n_);
  out.B.bottomRows(n_) = dt_ * dvdot_dtau_;
  return true;
}

}  // namespace torsor
