#include "torsor/constraints/loops/constrained_dynamics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/constraints/independent_rows.hpp"

namespace torsor {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// An error of closed loops, m or rad (require_closed()).
constexpr double largest_opening = 1e-7;

void expect(Status status, const Solver& solver) {
  if (!status) throw Error(solver.explain(status));
}

Eigen::Map<const Eigen::VectorXd> vector_of(const std::vector<double>& x) {
  return {x.data(), Eigen::Index(x.size())};
}

std::string listed(const Model& model, std::span<const int> dofs) {
  const std::vector<std::string> names = model.dof_names();
  std::string out;
  for (const int dof : dofs)
    out += fmt::format("{}'{}'", out.empty() ? "" : ", ", names[size_t(dof)]);
  return out;
}

}  // namespace

std::vector<int> dofs_named(const Model& model, std::span<const std::string> names,
                            const char* what) {
  const std::vector<std::string> dofs = model.dof_names();
  std::vector<std::string> known = dofs;
  std::vector<int> out;
  for (const Joint& joint : model.joints)
    if (traits(joint.kind).n_v > 1) known.push_back(joint.name);
  for (const std::string& name : names) {
    std::vector<int> found;
    for (int dof = 0; dof < model.n_v; ++dof)
      if (dofs[size_t(dof)] == name || model.joint_of_dof(dof).name == name) found.push_back(dof);
    if (found.empty())
      throw Error(fmt::format("{}: there is no joint or degree of freedom '{}'{}", what, name,
                              did_you_mean(name, known)));
    for (const int dof : found) {
      if (std::ranges::count(out, dof) > 0)
        throw Error(
            fmt::format("{}: '{}' is named twice; remove one of them", what, dofs[size_t(dof)]));
      out.push_back(dof);
    }
  }
  return out;
}

std::vector<int> actuated_dofs(const Model& model) {
  std::vector<int> out;
  for (int dof = 0; dof < model.n_v; ++dof)
    if (!model.drives[size_t(dof)].passive &&
        std::ranges::count(model.mimics, dof, &Mimicry::dof) == 0)
      out.push_back(dof);
  return out;
}

ConstrainedDynamics::ConstrainedDynamics(const Model& model, ConstrainedChoice choice)
    : model_(&model), choice_(std::move(choice)), rows_(model) {
  if (choice_.actuated.empty()) choice_.actuated = actuated_dofs(model);
}

Status ConstrainedDynamics::evaluate_motions(Solver& solver, const State& state) {
  const Eigen::Index n = model_->n_v;
  state_ = &state;
  rows_.evaluate(state);
  RowMajor M(n, n);
  // The inverse is computed for its check of M, which names the joint at which M is singular.
  if (const Status status = solver.inverse_mass_matrix(state, M.data()); !status) return status;
  if (const Status status = solver.mass_matrix(state, M.data()); !status) return status;
  M_ = M;
  b_.resize(n);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(n);
  if (const Status status = solver.inverse(state, none.data(), b_.data()); !status) return status;
  if (!motions_.decompose(rows_, M_)) return {TORSOR_SINGULAR};
  x_ = motions_.solve(-rows_.bias());
  return {};
}

void ConstrainedDynamics::evaluate(Solver& solver, const State& state) {
  expect(evaluate_motions(solver, state), solver);
  select_independent();
  T_ = motions_.transfer(independent_);
  gamma_ = x_;
  for (size_t k = 0; k < independent_.size(); ++k)
    gamma_ -= x_[independent_[k]] * T_.col(Eigen::Index(k));
  for (const int dof : independent_) gamma_[dof] = 0;
}

void ConstrainedDynamics::add_bias(std::span<const double> f) {
  b_ += Eigen::Map<const Eigen::VectorXd>(f.data(), Eigen::Index(f.size()));
}

void ConstrainedDynamics::select_independent() {
  independent_ = choice_.independent;
  if (independent_.empty()) {
    independent_ = motions_.select_independent(choice_.actuated);
    return;
  }
  if (motions_.are_independent(independent_)) return;
  const std::vector<int> possible = motions_.select_independent(independent_);
  if (Eigen::Index(independent_.size()) != motions_.mobility())
    throw Error(fmt::format(
        "independent: {} given, and the mechanism has the mobility {} here; use for example {}",
        counted(independent_.size(), "joint coordinate"), motions_.mobility(),
        listed(*model_, possible)));
  throw Error(
      fmt::format("independent: {} depend on each other or cannot move here; use for example {}",
                  listed(*model_, independent_), listed(*model_, possible)));
}

bool ConstrainedDynamics::is_closed() const {
  return rows_.size() == 0 || rows_.error().cwiseAbs().maxCoeff() <= largest_opening;
}

void ConstrainedDynamics::require_closed() const {
  if (rows_.size() == 0) return;
  if (!is_closed())
    throw Error(fmt::format("{} at the given position; assemble the position first",
                            rows_.describe_error(*rows_.worst_group())));
  const Eigen::VectorXd v = vector_of(state_->v);
  for (Eigen::Index row = 0; row < rows_.size(); ++row) {
    const double rate = rows_.jacobian().row(row).dot(v);
    if (!(std::abs(rate) <=
          largest_opening * (1 + rows_.jacobian().row(row).cwiseAbs() * v.cwiseAbs())))
      throw Error(fmt::format(
          "the given velocities move '{}' apart by {:.3g} {}; assemble the velocities first",
          rows_.group_of(row).name, std::abs(rate), rows_.is_distance(row) ? "m/s" : "rad/s"));
  }
}

ConstrainedDynamics::Motion ConstrainedDynamics::motion_of(Eigen::VectorXd vdot) const {
  return {std::move(vdot), Eigen::VectorXd::Zero(model_->n_v), {}};
}

ConstrainedDynamics::Motion ConstrainedDynamics::forward(const Eigen::VectorXd& tau) const {
  const Eigen::MatrixXd& Z = motions_.basis();
  Motion out = motion_of(x_ + Z * (Z.transpose() * (tau - b_)));
  out.tau = tau;
  out.multipliers = motions_.multipliers(M_ * out.vdot + b_ - tau);
  return out;
}

// Returns Z_A^T [mobility x actuated]: the effect of the torques on the motions.
Eigen::MatrixXd ConstrainedDynamics::actuation() const {
  Eigen::MatrixXd out(motions_.mobility(), Eigen::Index(choice_.actuated.size()));
  for (size_t k = 0; k < choice_.actuated.size(); ++k)
    out.col(Eigen::Index(k)) = motions_.basis().row(choice_.actuated[k]).transpose();
  return out;
}

// The torques u of the actuated dof satisfy Z_A^T u = Z^T (M vdot + b). They are the solution of
// least norm.
ConstrainedDynamics::Motion ConstrainedDynamics::torques_for(const Eigen::VectorXd& vdot,
                                                             bool required) const {
  Motion out = motion_of(vdot);
  const Eigen::VectorXd force = M_ * vdot + b_;
  const Eigen::MatrixXd effect = actuation();
  const Eigen::VectorXd needed = motions_.basis().transpose() * force;
  Eigen::VectorXd left = needed;
  if (effect.size() > 0) {
    Eigen::JacobiSVD<Eigen::MatrixXd> svd(effect, Eigen::ComputeThinU | Eigen::ComputeThinV);
    svd.setThreshold(least_independent_part);
    const Eigen::VectorXd u = svd.solve(needed);
    left -= effect * u;
    for (size_t k = 0; k < choice_.actuated.size(); ++k)
      out.tau[choice_.actuated[k]] = u[Eigen::Index(k)];
  }
  // The bound is ten times the agreement of solvers, relative to the terms of the force.
  constexpr double rounding = 1e-9;
  const Eigen::VectorXd terms =
      motions_.basis().cwiseAbs().transpose() * (M_.cwiseAbs() * vdot.cwiseAbs() + b_.cwiseAbs());
  if (required && left.size() > 0 && left.norm() > rounding * terms.norm())
    throw Error(
        fmt::format("the motion needs a force that no actuator has: {}; actuate one of "
                    "these joints, or give the acceleration that this motion has freely",
                    unactuated_motion()));
  out.multipliers = motions_.multipliers(force - out.tau);
  return out;
}

ConstrainedDynamics::Motion ConstrainedDynamics::inverse(const Eigen::VectorXd& vdot) const {
  Eigen::VectorXd full = gamma_;
  for (size_t k = 0; k < independent_.size(); ++k)
    full += vdot[independent_[k]] * T_.col(Eigen::Index(k));
  return torques_for(full, true);
}

// The accelerations are x + Z y, and y + Z^T b = Z_A^T u. With the scaled rows D Z_A = U S V^T of
// the actuated dof, the part of y in the span of V follows from the wanted accelerations w, and the
// rest has no force:
//   y = V S^-1 U^T D (w - x)_A - (1 - V V^T) Z^T b
ConstrainedDynamics::Motion ConstrainedDynamics::follow(const Eigen::VectorXd& vdot) const {
  const Eigen::Index actuated = Eigen::Index(choice_.actuated.size());
  const Eigen::MatrixXd& Z = motions_.basis();
  Eigen::VectorXd y = -(Z.transpose() * b_);
  if (actuated > 0 && motions_.mobility() > 0) {
    Eigen::MatrixXd own(actuated, motions_.mobility());
    Eigen::VectorXd wanted(actuated);
    for (Eigen::Index k = 0; k < actuated; ++k) {
      const int dof = choice_.actuated[size_t(k)];
      own.row(k) = motions_.participation(dof);
      wanted[k] = (vdot[dof] - x_[dof]) / motions_.unit(dof);
    }
    Eigen::JacobiSVD<Eigen::MatrixXd> svd(own, Eigen::ComputeThinU | Eigen::ComputeThinV);
    svd.setThreshold(least_independent_part);
    const Eigen::MatrixXd V = svd.matrixV().leftCols(svd.rank());
    y += svd.solve(wanted) - V * (V.transpose() * y);
  }
  return torques_for(x_ + Z * y, false);
}

// A motion Z y with Z_A y = 0. The names are those of the dof with the largest parts of one such
// motion.
std::string ConstrainedDynamics::unactuated_motion() const {
  const Eigen::Index k = motions_.mobility();
  const Eigen::Index actuated = Eigen::Index(choice_.actuated.size());
  if (k == 0) return "";
  Eigen::MatrixXd own = Eigen::MatrixXd::Zero(std::max(actuated, k), k);
  for (Eigen::Index r = 0; r < actuated; ++r)
    own.row(r) = motions_.participation(choice_.actuated[size_t(r)]);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(own, Eigen::ComputeFullV);
  if (svd.singularValues()[k - 1] > least_independent_part) return "";
  const Eigen::VectorXd y = svd.matrixV().col(k - 1);
  Eigen::VectorXd parts(model_->n_v);
  for (int dof = 0; dof < model_->n_v; ++dof)
    parts[dof] = std::abs(motions_.participation(dof) * y);
  std::vector<int> moving;
  for (int dof = 0; dof < model_->n_v; ++dof)
    if (parts[dof] > 0.1 * parts.maxCoeff()) moving.push_back(dof);
  return fmt::format("no actuated joint moves the motion of {}", listed(*model_, moving));
}

void ConstrainedDynamics::assemble(Solver& solver, State& state, std::span<const char> held) {
  assemble_position(state, held, solver);
  assemble_velocity(state, held, solver);
}

}  // namespace torsor
