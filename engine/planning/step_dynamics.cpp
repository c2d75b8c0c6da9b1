#include "torsor/planning/step_dynamics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/model/error.hpp"

namespace torsor {

namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

// Returns what acts at a joint that plans do not support; null if nothing does.
const char* unknown(const Drive& drive) {
  const bool dry =
      drive.friction.law != Friction::Law::none || drive.motor.friction.law != Friction::Law::none;
  if (dry) return "has friction";
  if (drive.elasticity) return "is elastic";
  if (drive.spring.stiffness > 0) return "has a spring";
  if (drive.stop) return "has a stop";
  if (drive.motor.clamp || drive.motor.stall_torque > 0) return "has a motor with a torque limit";
  return nullptr;
}

void check(const Model& model) {
  const auto refuse = [&](int column, const char* what) {
    throw Error(
        fmt::format("joint '{}' {}, which plans do not support: joints may only have damping and armature",
                    model.joint_of_column(column).name, what));
  };
  for (const Mimicry& mimic : model.mimics) refuse(mimic.column, "mimics another");
  for (const ElasticRotor& rotor : model.elastic_rotors) refuse(rotor.column, "is elastic");
  for (const Transmission& group : model.transmissions) refuse(group.columns.front(), "has a transmission");
  for (int k = 0; k < model.n_v; ++k)
    if (const char* what = unknown(model.drives[size_t(k)])) refuse(k, what);
}

VectorXd motors_of(const Model& model) {
  VectorXd out(model.n_v);
  for (int k = 0; k < model.n_v; ++k) out[k] = !model.drives[size_t(k)].passive;
  return out;
}

// Makes the solver of M + dt D; none without damping, or if the method does not damp at the new velocity.
std::optional<Solver> make_damped(const StepDynamics::SolverFactory& make_solver, const Model& model,
                                  const Step& step) {
  const bool damped = std::any_of(model.damping.begin(), model.damping.end(), [](double d) { return d > 0; });
  if (step.method != StepMethod::semi_implicit_euler || !damped) return std::nullopt;
  auto heavier = std::make_shared<Model>(model);
  for (size_t k = 0; k < model.damping.size(); ++k) heavier->armature[k] += step.dt * model.damping[k];
  return make_solver(heavier);
}

// c_i is left out: nothing depends on time. error: weights of what is left of the lower order's result.
struct Tableau {
  int stages;
  double a[7][6], b[7], error[7];
};
constexpr Tableau euler{1, {}, {1}, {}};
constexpr Tableau rk4{4, {{}, {1. / 2}, {0, 1. / 2}, {0, 0, 1}}, {1. / 6, 1. / 3, 1. / 3, 1. / 6}, {}};
constexpr Tableau dormand_prince{
    7,
    {{},
     {1. / 5},
     {3. / 40, 9. / 40},
     {44. / 45, -56. / 15, 32. / 9},
     {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
     {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
     {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84, 0},
    {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40}};

const Tableau& tableau_of(StepMethod method) {
  return method == StepMethod::euler ? euler : method == StepMethod::rk4 ? rk4 : dormand_prince;
}

}  // namespace

StepDynamics::StepDynamics(const SolverFactory& make_solver, std::shared_ptr<const Model> model,
                           const Vec3<double>& gravity_W, const Step& step)
    : model_(model),
      step_(step),
      solver_(make_solver(model)),
      damped_(make_damped(make_solver, *model, step)),
      state_(model),
      chart_(*model_),
      n_(model->n_v),
      damping_(Eigen::Map<const VectorXd>(model->damping.data(), n_)),
      driven_(motors_of(*model)),
      q0_(model->n_q),
      q_(model->n_q),
      tau_(n_),
      vdot_(n_),
      dvdot_dq_(n_, n_),
      dvdot_dv_(n_, n_),
      dvdot_dtau_(n_, n_) {
  if (!solver_.has_partials())
    throw Error(fmt::format(
        "solver '{}' offers no partial derivatives, which a plan needs; name one that does ('torsor "
        "plugins' lists what each offers)",
        solver_.id()));
  check(*model);
  state_.set_gravity(gravity_W);
}

std::string StepDynamics::failure() const {
  return gave_up_.empty() ? (damped_ ? *damped_ : solver_).explain(status_) : gave_up_;
}

VectorXd StepDynamics::difference(const VectorXd& from, const VectorXd& to) const {
  VectorXd d(2 * n_);
  torsor::difference(*model_, from.data(), to.data(), d.data());
  d.tail(n_) = to.tail(n_) - from.tail(n_);
  return d;
}

// Solvers take numbers for finite.
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

VectorXd StepDynamics::holding(const VectorXd& x) {
  state_.set_q({x.data(), size_t(q0_.size())});
  VectorXd u(n_);
  status_ = solver_.gravity(state_, u.data());
  if (!status_)
    throw Error(fmt::format("no torques hold the robot at its start: {}", solver_.explain(status_)));
  return u.cwiseProduct(driven_);
}

bool StepDynamics::step(const VectorXd& x, const VectorXd& u, VectorXd& next) {
  return advance(x, u, next, nullptr);
}
bool StepDynamics::linearise(const VectorXd& x, const VectorXd& u, LinearStep& out) {
  VectorXd next;
  return advance(x, u, next, &out);
}

bool StepDynamics::advance(const VectorXd& x, const VectorXd& u, VectorXd& next, LinearStep* out) {
  gave_up_.clear();
  if (!is_finite(x, u)) return false;
  u_ = u.cwiseProduct(driven_);
  if (step_.method == StepMethod::flow) return flow(x, next, out);
  Point at = start(x, out != nullptr);
  const bool made = step_.method == StepMethod::semi_implicit_euler ? semi_implicit_step(at)
                    : step_.method == StepMethod::implicit_midpoint ? midpoint_step(at)
                                                                    : explicit_step(step_.dt, at, nullptr);
  if (!made) return false;
  finish(at, next, out);
  return true;
}

// At d = 0, with dd = 0 of every change of x, and dv of that of v.
StepDynamics::Point StepDynamics::start(const VectorXd& x, bool linear) {
  q0_ = x.head(q0_.size());
  Point out{VectorXd::Zero(2 * n_), MatrixXd::Zero(2 * n_, linear ? 3 * n_ : 0)};
  out.z.tail(n_) = x.tail(n_);
  if (linear) out.Z.block(n_, n_, n_, n_).setIdentity();
  return out;
}

void StepDynamics::finish(const Point& end, VectorXd& next, LinearStep* out) {
  next.resize(q0_.size() + n_);
  integrate(*model_, q0_.data(), end.z.data(), 1, next.data());
  next.tail(n_) = end.z.tail(n_);
  if (!out) return;
  MatrixXd dq_0 = MatrixXd::Zero(n_, 3 * n_);
  dq_0.leftCols(n_).setIdentity();
  chart_.go_to(end.z.head(n_));
  MatrixXd all(2 * n_, 3 * n_);
  all << chart_.displacements(dq_0, end.Z.topRows(n_)), end.Z.bottomRows(n_);
  out->A = all.leftCols(2 * n_);
  out->B = all.rightCols(n_);
}

// zdot and, where Z is asked for, Zdot.
bool StepDynamics::rate(const Point& at, Point& out) {
  const VectorXd v = at.z.tail(n_);
  if (!at.z.allFinite()) {
    gave_up_ = "the state is not finite within a step; try a smaller dt";
    return false;
  }
  integrate(*model_, q0_.data(), at.z.data(), 1, q_.data());
  state_.set_q({q_.data(), size_t(q_.size())});
  std::copy_n(v.data(), n_, state_.v.begin());
  tau_ = u_ - damping_.cwiseProduct(v);
  status_ = solver().forward(state_, tau_.data(), vdot_.data());
  if (!status_) return false;
  out.z.resize(2 * n_);
  chart_rate(*model_, at.z.data(), v.data(), out.z.data());
  out.z.tail(n_) = vdot_;
  out.Z.resize(2 * n_, at.Z.cols());
  if (at.Z.cols() == 0) return true;
  chart_.go_to(at.z.head(n_));
  status_ = solver().forward_partials(state_, tau_.data(),
                                      {dvdot_dq_.data(), dvdot_dv_.data(), dvdot_dtau_.data()});
  if (!status_) return false;
  dvdot_dv_.noalias() -= dvdot_dtau_ * damping_.asDiagonal();
  out.Z = variation(v, at.Z);
  return true;
}

// F_z Z + F_0
MatrixXd StepDynamics::variation(const VectorXd& v, const MatrixXd& Z) const {
  MatrixXd out(2 * n_, Z.cols()), dq_0 = MatrixXd::Zero(n_, Z.cols());
  dq_0.leftCols(n_).setIdentity();
  out.topRows(n_) = chart_.rates(Z.bottomRows(n_)) + chart_.rate_slopes(v, Z.topRows(n_));
  out.bottomRows(n_).noalias() = dvdot_dq_ * chart_.displacements(dq_0, Z.topRows(n_));
  out.bottomRows(n_).noalias() += dvdot_dv_ * Z.bottomRows(n_);
  out.bottomRightCorner(n_, n_) += dvdot_dtau_ * driven_.asDiagonal();
  return out;
}

bool StepDynamics::explicit_step(double h, Point& at, Point* error) {
  const Tableau& method = tableau_of(step_.method);
  Point k[7], end = at;
  if (error) *error = {VectorXd::Zero(at.z.size()), MatrixXd::Zero(at.Z.rows(), at.Z.cols())};
  for (int i = 0; i < method.stages; ++i) {
    Point stage = at;
    for (int j = 0; j < i; ++j)
      if (method.a[i][j] != 0) {
        stage.z += h * method.a[i][j] * k[j].z;
        stage.Z += h * method.a[i][j] * k[j].Z;
      }
    if (!rate(stage, k[i])) return false;
    end.z += h * method.b[i] * k[i].z;
    end.Z += h * method.b[i] * k[i].Z;
    if (!error) continue;
    error->z += h * method.error[i] * k[i].z;
    error->Z += h * method.error[i] * k[i].Z;
  }
  at = std::move(end);
  return true;
}

bool StepDynamics::semi_implicit_step(Point& at) {
  Point k;
  if (!rate(at, k)) return false;
  at.z.tail(n_) += step_.dt * k.z.tail(n_);
  at.z.head(n_) = step_.dt * at.z.tail(n_);
  at.Z.bottomRows(n_) += step_.dt * k.Z.bottomRows(n_);
  at.Z.topRows(n_) = step_.dt * at.Z.bottomRows(n_);
  return true;
}

// z_m = z + h/2 F(z_m), z+ = 2 z_m - z, and so Z_m = Z + h/2 (F_z Z_m + F_0). F_0 is the variation of Z = 0, F_z what 1 adds to it.
bool StepDynamics::midpoint_step(Point& at) {
  const double h = step_.dt;
  MatrixXd one = MatrixXd::Zero(2 * n_, 3 * n_);
  one.leftCols(2 * n_).setIdentity();
  Point middle{at.z, MatrixXd::Zero(2 * n_, 3 * n_)}, k;
  Eigen::PartialPivLU<MatrixXd> factor;
  const auto evaluate = [&] {
    if (!rate(middle, k)) return false;
    const MatrixXd F_z = (variation(middle.z.tail(n_), one) - k.Z).leftCols(2 * n_);
    factor.compute(one.leftCols(2 * n_) - h / 2 * F_z);
    return true;
  };
  constexpr int most = 50;
  constexpr double small = 1e-9;  // of a change: the next would be of its square
  for (int iteration = 0;; ++iteration) {
    if (!evaluate()) return false;
    const VectorXd change = factor.solve(at.z + h / 2 * k.z - middle.z);
    middle.z += change;
    if (change.norm() < small * (1 + middle.z.norm())) break;
    if (iteration < most) continue;
    gave_up_ = "implicit_midpoint does not converge; try a smaller dt";
    return false;
  }
  if (at.Z.cols() > 0) {
    if (!evaluate()) return false;
    at.Z = (2 * factor.solve(at.Z + h / 2 * k.Z) - at.Z).eval();
  }
  at.z = (2 * middle.z - at.z).eval();
  return true;
}

// Below 1 where it is as small as the tolerances ask for.
double StepDynamics::size_of(const Point& error, const Point& at) const {
  double most = 0;
  for (Eigen::Index i = 0; i < 2 * n_; ++i) {
    const double scale = step_.rtol * (i < n_ ? 1 : std::abs(at.z[i])) + step_.atol;
    most = std::max(most, std::abs(error.z[i]) / scale);
  }
  if (error.Z.cols() == 0) return most;
  const double scale = step_.rtol * at.Z.lpNorm<Eigen::Infinity>() + step_.atol;
  return std::max(most, error.Z.lpNorm<Eigen::Infinity>() / scale);
}

// From one of its own steps to the next the chart begins anew, and the linearisations follow one another.
bool StepDynamics::flow(const VectorXd& x, VectorXd& next, LinearStep* out) {
  constexpr int most = 10'000;
  next = x;
  if (out) *out = {MatrixXd::Identity(2 * n_, 2 * n_), MatrixXd::Zero(2 * n_, n_)};
  double left = step_.dt, h = left;
  for (int steps = 0; left > 0; ++steps) {
    h = std::min(h, left);
    Point at = start(next, out != nullptr), error;
    const bool made = explicit_step(h, at, &error);  // else it may have gone too far
    const double size = made ? size_of(error, at) : std::numeric_limits<double>::infinity();
    if (size <= 1) {
      LinearStep part;
      finish(at, next, out ? &part : nullptr);
      if (out) *out = {part.A * out->A, part.A * out->B + part.B};
      left -= h;
    }
    if (left > 0 && steps >= most) {
      if (made)
        gave_up_ = fmt::format(
            "{} steps of the adaptive integrator do not reach the end of dt; try a smaller dt", most);
      return false;
    }
    h *= std::clamp(0.9 * std::pow(size, -0.2), 0.2, 5.0);
  }
  gave_up_.clear();
  return true;
}

}  // namespace torsor
