#include "torsor/simulation/prescribed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/base/error.hpp"

namespace torsor {

namespace {

// Returns whether dof c moves together with dof `other`: it is the same dof or mimics it, directly
// or through other mimic joints.
bool follows(const Model& model, int c, int other) {
  if (c == other) return true;
  return std::any_of(model.mimics.begin(), model.mimics.end(), [&](const Mimicry& mimic) {
    return mimic.dof == c && follows(model, mimic.of_dof, other);
  });
}

// Returns the reason why a dof cannot be prescribed, or "" if it can.
std::string hindrance(const Model& model, const Mechanism& mechanism, int dof) {
  if (model.drives[size_t(dof)].elasticity) return "is elastic; prescribe a rigid joint";
  for (const FrictionElement& friction : mechanism.frictions)
    if (friction.can_stick() && follows(model, friction.dof, dof))
      return "has static friction, or a joint that mimics it has; use piecewise_linear or lugre "
             "there";
  for (const StopElement& stop : mechanism.stops)
    if (stop.index() < model.n_v && follows(model, stop.index(), dof))
      return "has a stop, or a joint that mimics it has; remove the stop";
  for (const Mimicry& mimic : model.mimics)
    if (mimic.dof == dof) return "mimics another joint; prescribe that one";
  for (const Transmission& group : model.transmissions)
    if (std::count(group.dofs.begin(), group.dofs.end(), dof) > 0)
      return "is driven by a transmission; prescribe another joint";
  return "";
}

}  // namespace

Prescribed::Prescribed(const Model& model, std::vector<Prescription> prescriptions)
    : prescriptions_(std::move(prescriptions)) {
  const Mechanism mechanism(model);
  first_.push_back(0);
  for (size_t i = 0; i < prescriptions_.size(); ++i) {
    const Joint& joint = model.joints.at(size_t(prescriptions_[i].joint));
    names_.push_back(joint.name);
    follow_.emplace_back();
    for (int k = 0; k < traits(joint.kind).n_v; ++k) {
      const int dof = joint.v_index + k;
      if (moves(dof)) fail(i, "is prescribed twice");
      if (const std::string why = hindrance(model, mechanism, dof); !why.empty())
        fail(i, "is prescribed, but it " + why);
      rows_.push_back({{dof, 1.0}});
      for (int c = 0; c < model.n_v; ++c)
        if (follows(model, c, dof)) follow_.back().push_back(c);
    }
    first_.push_back(rows_.size());
  }
  v_.resize(rows_.size());
  vdot_.resize(rows_.size());
}

std::vector<ConstraintRow> Prescribed::constraint_rows() const {
  std::vector<ConstraintRow> out;
  for (size_t k = 0; k < rows_.size(); ++k)
    out.push_back({.row = &rows_[k], .rate = &v_[k], .acceleration = &vdot_[k]});
  return out;
}

void Prescribed::fail(size_t prescription, const std::string& what) const {
  const std::string& source = prescriptions_[prescription].source;
  throw Error(fmt::format("{}{}the motion of joint '{}' {}", source, source.empty() ? "" : ": ",
                          names_[prescription], what));
}

size_t Prescribed::prescription_of(size_t row) const {
  return size_t(std::upper_bound(first_.begin(), first_.end(), row) - first_.begin()) - 1;
}

bool Prescribed::moves(int dof) const {
  return std::any_of(rows_.begin(), rows_.end(),
                     [&](const Row& row) { return row[0].index == dof; });
}

void Prescribed::check_torque(std::span<const double> tau, int first) const {
  for (size_t i = 0; i < prescriptions_.size(); ++i)
    for (const int dof : follow_[i])
      if (dof >= first && dof < first + int(tau.size()) && tau[size_t(dof - first)] != 0)
        fail(i, "is prescribed: no torque can be applied to it, or to a joint that mimics it");
}

void Prescribed::check_rates(double t, std::span<const double> v, double rounding) {
  go_to(t);
  for (size_t k = 0; k < rows_.size(); ++k) {
    const double given = v[size_t(rows_[k][0].index)];
    if (std::abs(given - v_[k]) > rounding * std::max(1.0, std::abs(v_[k])))
      fail(prescription_of(k),
           fmt::format(
               "is prescribed: its rate is {:.9g} at t = {:.9g} s and cannot be set to {:.9g}",
               v_[k], t, given));
  }
}

void Prescribed::go_to(double t) {
  for (size_t i = 0; i < prescriptions_.size(); ++i) {
    const size_t first = first_[i], n = first_[i + 1] - first;
    prescriptions_[i].motion(t, std::span(v_).subspan(first, n),
                             std::span(vdot_).subspan(first, n));
    for (size_t k = first; k < first + n; ++k)
      if (!std::isfinite(v_[k]) || !std::isfinite(vdot_[k]))
        fail(i, fmt::format("is prescribed, but is not finite at t = {:.9g} s", t));
  }
}

Prescribed::Sample Prescribed::sample(double t) {
  go_to(t);
  return {v_, vdot_};
}

// Checks each dof with a tolerance relative to its own largest acceleration in the step. vdot must
// be equal to the central difference of v over 2 h, within a thousandth plus the rounding of v. The
// check tries two times and several h, and one match is enough. A motion may have a corner or
// oscillate within a step. v must not change over the step by more than twice what the largest vdot
// allows.
void Prescribed::check_derivative(double t, double dt) {
  if (rows_.empty()) return;
  const Sample start = sample(t), middle = sample(t + dt / 2), end = sample(t + dt);
  for (size_t row = 0; row < rows_.size(); ++row) {
    const double a[] = {start.vdot[row], middle.vdot[row], end.vdot[row]};
    const double largest = std::max({std::abs(a[0]), std::abs(a[1]), std::abs(a[2])});
    double wrong = 0, found = 0;
    bool right = false;
    for (const double h : {1e-3 * dt, 1e-5 * dt, 1e-6 * dt})
      for (const double place : {0.3, 0.7}) {
        if (right) continue;
        const double at = t + place * dt;
        const double before = sample(at - h).v[row], after = sample(at + h).v[row],
                     stated = sample(at).vdot[row];
        // at + h and at - h are rounded, so their actual difference is used instead of 2 h.
        const double taken = (at + h) - (at - h), quotient = (after - before) / taken;
        const double rounding =
            8 * std::numeric_limits<double>::epsilon() * (std::abs(before) + std::abs(after)) / h;
        const double scale = std::max({largest, std::abs(stated), std::abs(quotient)});
        right = std::abs(quotient - stated) <= 1e-3 * scale + rounding;
        wrong = stated, found = quotient;
      }
    if (!right)
      fail(prescription_of(row),
           fmt::format("is prescribed, but is inconsistent: near t = {:.9g} s its acceleration is "
                       "{:.9g}, but its velocity changes by {:.9g} per second",
                       t + 0.7 * dt, wrong, found));
    const double change = end.v[row] - start.v[row];
    if (std::abs(change) > 2 * dt * largest + 1e-9 * (1 + std::abs(end.v[row])))
      fail(prescription_of(row),
           fmt::format(
               "is prescribed, but jumps: from t = {:.9g} s to {:.9g} s its velocity changes "
               "from {:.9g} to {:.9g}, more than its largest acceleration of {:.9g} allows; make "
               "it continuous",
               t, t + dt, start.v[row], end.v[row], largest));
  }
}

}  // namespace torsor
