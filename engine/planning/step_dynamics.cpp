#include "torsor/planning/step_dynamics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/base/error.hpp"
#include "torsor/integration/variation.hpp"
#include "torsor/model/transmission.hpp"
#include "torsor/planning/products.hpp"

namespace torsor {

namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

// Returns a property of the joint that plans do not support, such as "has friction". Returns null
// if there is none.
const char* unsupported(const Drive& drive) {
  const bool dry =
      drive.friction.law != Friction::Law::none || drive.motor.friction.law != Friction::Law::none;
  if (dry) return "has friction";
  if (drive.elasticity) return "is elastic";
  if (drive.spring.stiffness > 0) return "has a spring";
  if (drive.stop) return "has a stop";
  if (has_torque_limit(drive.motor)) return "has a motor with a torque limit";
  return nullptr;
}

VectorXd motors_of(const Model& model) {
  VectorXd out(model.n_v);
  for (int k = 0; k < model.n_v; ++k) out[k] = !model.drives[size_t(k)].passive;
  return out;
}

}  // namespace

void require_plain_joints(const Model& model) {
  const auto reject = [&](int dof, const char* what) {
    throw Error(fmt::format(
        "joint '{}' {}, which plans do not support: joints may only have damping and armature",
        model.joint_of_dof(dof).name, what));
  };
  for (const Mimicry& mimic : model.mimics) reject(mimic.dof, "mimics another");
  if (!model.closures.empty())
    throw Error(fmt::format(
        "the robot has the closed loop '{}', which plans do not support; plan for its tree alone",
        model.closures[0].name));
  for (const ElasticRotor& rotor : model.elastic_rotors) reject(rotor.dof, "is elastic");
  for (const Transmission& group : model.transmissions)
    reject(group.dofs.front(), "has a transmission");
  for (const Joint& joint : model.joints)
    if (joint.spring) reject(joint.v_index, "has a spring");
  for (int k = 0; k < model.n_v; ++k)
    if (const char* what = unsupported(model.drives[size_t(k)])) reject(k, what);
}

std::optional<Solver> make_damped_solver(const SolverFactory& make_solver, const Model& model,
                                         const Step& step) {
  const bool damped =
      std::any_of(model.damping.begin(), model.damping.end(), [](double d) { return d > 0; });
  if (!traits(step.method).has_implicit_damping || !damped) return std::nullopt;
  auto heavier = std::make_shared<Model>(model);
  for (size_t k = 0; k < model.damping.size(); ++k)
    heavier->armature[k] += step.dt * model.damping[k];
  return make_solver(heavier);
}

Step linearised_step(Integrator integrator, double dt) {
  Step out{.method = traits(integrator).linearised.method, .dt = dt};
  out.tolerances.rtol /= 100;
  out.tolerances.atol /= 100;
  return out;
}

StepDynamics::StepDynamics(const SolverFactory& make_solver, std::shared_ptr<const Model> model,
                           const Vec3<double>& gravity_W, const Step& step)
    : model_(model),
      step_(step),
      solver_(make_solver(model)),
      damped_(make_damped_solver(make_solver, *model, step)),
      state_(model),
      chart_(*model_),
      n_(model->n_v),
      damping_(Eigen::Map<const VectorXd>(model->damping.data(), n_)),
      driven_(motors_of(*model)),
      q0_(model->n_q),
      q_(model->n_q),
      tau_(n_),
      dvdot_dq_(n_, n_),
      dvdot_dv_(n_, n_),
      dvdot_dtau_(n_, n_),
      stepper_(make_stepper(step.method, step.tolerances, alone_)),
      pair_stepper_(make_pair_stepper(step.method, step.tolerances, alone_, pair_)) {
  if (!solver_.has_partials())
    throw Error(
        fmt::format("solver '{}' offers no partial derivatives, which a plan needs; name one that "
                    "does ('torsor plugins' lists what each offers)",
                    solver_.id()));
  require_plain_joints(*model);
  state_.set_gravity(gravity_W);
}

std::string StepDynamics::failure() const {
  return failure_.empty() ? (damped_ ? *damped_ : solver_).explain(status_) : failure_;
}

VectorXd StepDynamics::difference(const VectorXd& from, const VectorXd& to) const {
  VectorXd d(2 * n_);
  torsor::difference(*model_, from.data(), to.data(), d.data());
  d.tail(n_) = to.tail(n_) - from.tail(n_);
  return d;
}

// Checks the input, because solvers assume finite numbers.
bool StepDynamics::is_finite(const VectorXd& x, const VectorXd& u) {
  for (const Joint& joint : model_->joints) {
    const JointTraits& kind = traits(joint.kind);
    if (x.segment(joint.q_index, kind.n_q).allFinite() &&
        x.segment(q0_.size() + joint.v_index, kind.n_v).allFinite() &&
        u.segment(joint.v_index, kind.n_v).allFinite())
      continue;
    status_ = {TORSOR_STATUS(Status::not_finite, joint.v_index)};
    return false;
  }
  return true;
}

VectorXd StepDynamics::equilibrium_torques(const VectorXd& x) {
  state_.set_q({x.data(), size_t(q0_.size())});
  VectorXd u(n_);
  status_ = solver_.gravity(state_, u.data());
  if (!status_)
    throw Error(fmt::format("no torques keep the robot at rest at its start: {}",
                            solver_.explain(status_)));
  return u.cwiseProduct(driven_);
}

// Equations: RCFS 111.
bool StepDynamics::step(const VectorXd& x, const VectorXd& u, VectorXd& next) {
  return advance(x, u, next, nullptr);
}
bool StepDynamics::linearise(const VectorXd& x, const VectorXd& u, LinearStep& out) {
  VectorXd next;
  return advance(x, u, next, &out);
}

bool StepDynamics::advance(const VectorXd& x, const VectorXd& u, VectorXd& next, LinearStep* out) {
  failure_.clear();
  if (!is_finite(x, u)) return false;
  u_ = u.cwiseProduct(driven_);
  next = x;
  try {
    return follow(out ? *pair_stepper_ : *stepper_, next, out);
  } catch (const Error& error) {  // the integrator failed
    failure_ = error.what();
    return false;
  }
}

// Advances the integrator up to dt. A method of fixed step size makes one step. When the chart is
// near its limit, the next step starts in a new chart. By the chain rule, the linearisation of the
// new chart is multiplied by that of the earlier charts.
bool StepDynamics::follow(Stepper& stepper, VectorXd& x, LinearStep* out) {
  constexpr int most = 10'000;
  if (out) out->A.resize(0, 0);
  // A trial step over more than 1 rad or 1 m could leave the chart.
  start(stepper, 0, x, step_.dt / std::max(1.0, step_.dt * x.tail(n_).lpNorm<Eigen::Infinity>()));
  for (int steps = 0; steps < most; ++steps) {
    if (!stepper.advance(step_.dt)) return false;
    const bool done = stepper.time() >= step_.dt;
    if (!done && !chart_needs_restart(*model_, stepper.state().data())) continue;
    finish(stepper.state().data(), x, out);
    failure_.clear();
    if (done) return true;
    start(stepper, stepper.time(), x, stepper.next_step());
  }
  failure_ = fmt::format(
      "{} steps of the adaptive integrator do not reach the end of dt; try a smaller dt", most);
  return false;
}

// Starts a chart at x, with d = 0. The derivatives with respect to (q, v, u) start at Z_d = 0 and
// Z_v = [0, 1, 0].
void StepDynamics::start(Stepper& stepper, double t, const VectorXd& x, double first) {
  q0_ = x.head(q0_.size());
  const Eigen::Index columns = Eigen::Index(stepper.state().size()) / (2 * n_);
  MatrixXd z = MatrixXd::Zero(n_, 2 * columns);  // [d, Z_d, v, Z_v]
  z.col(columns) = x.tail(n_);
  if (columns > 1) z.middleCols(columns + 1 + n_, n_).setIdentity();
  stepper.start(t, {z.data(), size_t(z.size())}, first);
}

// Computes x at the end of a chart. Multiplies the linearisation of the chart's steps by that of
// the earlier charts in `out`, which is empty in the first chart.
void StepDynamics::finish(const double* z, VectorXd& x, LinearStep* out) {
  const Eigen::Index columns = out ? 1 + 3 * n_ : 1;
  const Columns d(z, n_, columns), v(z + d.size(), n_, columns);
  integrate(*model_, q0_.data(), z, 1, x.data());
  x.tail(n_) = v.col(0);
  if (!out) return;
  MatrixXd dq_0 = MatrixXd::Zero(n_, 3 * n_);
  dq_0.leftCols(n_).setIdentity();
  chart_.go_to(d.col(0));
  MatrixXd all(2 * n_, 3 * n_);
  all << chart_.displacements(dq_0, d.rightCols(3 * n_)), v.rightCols(3 * n_);
  const auto A = all.leftCols(2 * n_), B = all.rightCols(n_);
  if (out->A.size() == 0)
    *out = {A, B};
  else
    *out = {A * out->A, A * out->B + B};
}

bool StepDynamics::rate(const double* z, Eigen::Index columns, double ahead, double* zdot) {
  const Columns d(z, n_, columns), v(z + d.size(), n_, columns);
  Eigen::Map<MatrixXd> ddot(zdot, n_, columns), vdot(zdot + d.size(), n_, columns);
  if (!d.col(0).allFinite() || !v.col(0).allFinite()) {
    failure_ = "the state is not finite within a step; try a smaller dt";
    return false;
  }
  failure_.clear();
  Solver& solver = ahead > 0 && damped_ ? *damped_ : solver_;
  integrate(*model_, q0_.data(), z, 1, q_.data());
  state_.set_q({q_.data(), size_t(q_.size())});
  std::copy_n(v.data(), n_, state_.v.begin());
  tau_ = u_ - damping_.cwiseProduct(v.col(0));
  status_ = solver.forward(state_, tau_.data(), vdot.data());
  if (!status_) return false;
  chart_rate(*model_, d.data(), v.data(), ddot.data());
  if (columns == 1) return true;
  status_ = solver.forward_partials(state_, tau_.data(),
                                    {dvdot_dq_.data(), dvdot_dv_.data(), dvdot_dtau_.data()});
  if (!status_) return false;
  dvdot_dv_.noalias() -= dvdot_dtau_ * damping_.asDiagonal();
  vary(d, v, ddot, vdot);
  return true;
}

// Computes Z' = f_z Z + f_s, which are the columns after the first.
void StepDynamics::vary(const Columns& d, const Columns& v, Eigen::Map<MatrixXd>& ddot,
                        Eigen::Map<MatrixXd>& vdot) {
  const auto dd = d.rightCols(3 * n_), dv = v.rightCols(3 * n_);
  dq_.setZero(n_, 3 * n_);
  dq_.leftCols(n_).setIdentity();
  if (chart_.is_flat()) {
    dq_ += dd;
    ddot.rightCols(3 * n_) = dv;
  } else {
    chart_.go_to(d.col(0));
    dq_ = chart_.displacements(dq_, dd);
    ddot.rightCols(3 * n_) = chart_.rates(dv) + chart_.rate_slopes(v.col(0), dd);
  }
  auto dvdot = vdot.rightCols(3 * n_);
  dvdot.leftCols(2 * n_).setZero();
  dvdot.rightCols(n_) = dvdot_dtau_ * driven_.asDiagonal();
  by_columns_ = dvdot_dq_;
  add_product(by_columns_, dq_, dvdot);
  by_columns_ = dvdot_dv_;
  add_product(by_columns_, dv, dvdot);
}

}  // namespace torsor
