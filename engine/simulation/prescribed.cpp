#include "torsor/simulation/prescribed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/model/error.hpp"

namespace torsor {

namespace {

// Whether column c moves as another does: because it is that one, or mimics it.
bool follows(const Model& model, int c, int other) {
  if (c == other) return true;
  return std::any_of(model.mimics.begin(), model.mimics.end(), [&](const Mimicry& mimic) {
    return mimic.column == c && follows(model, mimic.of_column, other);
  });
}

// What else has a say in how a column moves; "" where nothing has.
std::string hindrance(const Model& model, const Mechanism& mechanism, int column) {
  if (model.drives[size_t(column)].elasticity) return "is elastic; prescribe one that is rigid";
  for (const FrictionElement& friction : mechanism.frictions)
    if (friction.holds() && follows(model, friction.column, column))
      return "has static friction, or what mimics it has; take piecewise_linear or lugre there";
  for (const StopElement& stop : mechanism.stops)
    if (stop.index < model.n_v && follows(model, stop.index, column))
      return "has a stop, or what mimics it has; leave that out";
  for (const Mimicry& mimic : model.mimics)
    if (mimic.column == column) return "mimics another; prescribe that one";
  for (const Transmission& group : model.transmissions)
    if (std::count(group.columns.begin(), group.columns.end(), column) > 0)
      return "is driven by a transmission; prescribe one that is not";
  return "";
}

}  // namespace

Prescribed::Prescribed(const Model& model, std::vector<Prescription> prescriptions)
    : prescriptions_(std::move(prescriptions)) {
  const Mechanism mechanism(model);
  first_.push_back(0);
  for (const Prescription& prescription : prescriptions_) {
    const Joint& joint = model.joints.at(size_t(prescription.joint));
    names_.push_back(joint.name);
    for (int k = 0; k < traits(joint.kind).n_v; ++k) {
      const int column = joint.v_index + k;
      if (moves(column)) throw Error(fmt::format("the motion of joint '{}' is prescribed twice", joint.name));
      if (const std::string why = hindrance(model, mechanism, column); !why.empty())
        throw Error(fmt::format("the motion of joint '{}' is prescribed, but it {}", joint.name, why));
      rows_.push_back({{column, 1.0}});
    }
    first_.push_back(rows_.size());
  }
  v_.resize(rows_.size());
  vdot_.resize(rows_.size());
}

bool Prescribed::moves(int column) const {
  return std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) { return row[0].index == column; });
}

void Prescribed::check_torque(std::span<const double> tau) const {
  for (size_t i = 0; i < prescriptions_.size(); ++i)
    for (size_t k = first_[i]; k < first_[i + 1]; ++k)
      if (tau[size_t(rows_[k][0].index)] != 0)
        throw Error(
            fmt::format("the motion of joint '{}' is prescribed: no torque can be applied to it", names_[i]));
}

void Prescribed::go_to(double t) {
  for (size_t i = 0; i < prescriptions_.size(); ++i) {
    const size_t first = first_[i], n = first_[i + 1] - first;
    prescriptions_[i].motion(t, std::span(v_).subspan(first, n), std::span(vdot_).subspan(first, n));
    for (size_t k = first; k < first + n; ++k)
      if (!std::isfinite(v_[k]) || !std::isfinite(vdot_[k]))
        throw Error(
            fmt::format("the prescribed motion of joint '{}' is not finite at t = {:.9g} s", names_[i], t));
  }
}

// Whether vdot(t) is the central difference of v over 2 h, up to its error: a part in a thousand of the larger of both, which
// holds where the motion is resolved by h, and the rounding of v. Leaves the row that is not, and its quotient.
bool Prescribed::derives(double t, double h, size_t& row, double& quotient) {
  go_to(t - h);
  const std::vector<double> before = v_;
  go_to(t + h);
  const std::vector<double> after = v_;
  go_to(t);
  double largest = 0;
  for (size_t k = 0; k < rows_.size(); ++k)
    largest = std::max({largest, std::abs(vdot_[k]), std::abs(after[k] - before[k]) / (2 * h)});
  for (row = 0; row < rows_.size(); ++row) {
    quotient = (after[row] - before[row]) / (2 * h);
    const double rounding =
        8 * std::numeric_limits<double>::epsilon() * (std::abs(before[row]) + std::abs(after[row])) / h;
    if (!(std::abs(quotient - vdot_[row]) <= 1e-3 * largest + rounding)) return false;
  }
  return true;
}

// A motion may have corners: two places within a step are not both beside one.
void Prescribed::check_derivative(double t, double dt) {
  size_t row = 0;
  double quotient = 0;
  const double h = 1e-3 * dt;
  if (rows_.empty() || derives(t + 0.3 * dt, h, row, quotient)) return;
  if (derives(t + 0.7 * dt, h, row, quotient)) return;
  const auto joint = std::upper_bound(first_.begin(), first_.end(), row) - first_.begin() - 1;
  throw Error(fmt::format(
      "the prescribed motion of joint '{}' contradicts itself: at t = {:.9g} s its acceleration is "
      "{:.9g}, but its velocity changes by {:.9g} a second",
      names_[size_t(joint)], t + 0.7 * dt, vdot_[row], quotient));
}

}  // namespace torsor
