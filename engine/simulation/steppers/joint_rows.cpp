#include "torsor/simulation/steppers/joint_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace torsor {

double JointRows::gap(size_t stop) const {
  // Stops are at joints, never at the motors of elastic joints.
  return motion_.mechanism().distance(motion_.mechanism().stops[stop], motion_.positions().data(),
                                      nullptr);
}

void JointRows::select_stops(double h, std::span<const double> u, std::span<const double> free) {
  const Mechanism& mechanism = motion_.mechanism();
  is_selected_.assign(mechanism.stops.size(), 0);
  for (size_t k = 0; k < is_selected_.size(); ++k) {
    const Row& row = mechanism.stops[k].row;
    const double slowest = std::min(along(row, u.data()), along(row, free.data()));
    is_selected_[k] = motion_.modes()[mechanism.frictions.size() + k] != 0 ||
                      gap(k) + h * std::min(slowest, 0.0) <= 0;
  }
}

bool JointRows::add_passed_stops(double h, std::span<const double> after, double overlap) {
  bool any = false;
  for (size_t k = 0; k < is_selected_.size(); ++k) {
    if (is_selected_[k]) continue;
    const double rate = along(motion_.mechanism().stops[k].row, after.data());
    if (!(gap(k) + h / 2 * rate < -overlap)) continue;
    is_selected_[k] = 1;
    any = true;
  }
  return any;
}

std::vector<JointRows::OpenStop> JointRows::open_stops(double h,
                                                       std::span<const double> after) const {
  std::vector<OpenStop> out;
  for (size_t k = 0; k < is_selected_.size(); ++k) {
    const Row& row = motion_.mechanism().stops[k].row;
    if (!is_selected_[k]) out.push_back({&row, gap(k) + h / 2 * along(row, after.data())});
  }
  return out;
}

void JointRows::append(double h, std::span<const double> u, ContactRows& rows) {
  first_friction_ = rows.size();
  frictions_.clear();
  limits_.clear();
  stops_.clear();
  const Mechanism& mechanism = motion_.mechanism();
  for (size_t i = 0; i < mechanism.frictions.size(); ++i) {
    const FrictionElement& friction = mechanism.frictions[i];
    if (!friction.can_stick()) continue;
    rows.append(friction.row);
    frictions_.push_back(i);
    limits_.push_back(h * (motion_.modes()[i] == 0 ? friction.static_friction()
                                                   : friction.kinetic_friction(
                                                         std::abs(along(friction.row, u.data())))));
  }
  for (size_t k = 0; k < is_selected_.size(); ++k) {
    if (!is_selected_[k]) continue;
    rows.append(mechanism.stops[k].row);
    stops_.push_back(k);
  }
}

void JointRows::write_modes(std::span<const double> impulses, std::span<const double> rates,
                            std::span<double> modes) const {
  for (size_t k = 0; k < frictions_.size(); ++k) {
    const double impulse = impulses[first_friction_ + k], w = rates[first_friction_ + k];
    const bool sticks = std::abs(impulse) < limits_[k] || w == 0;
    modes[frictions_[k]] = sticks ? 0 : w > 0 ? 1 : -1;
  }
  const std::span<double> of_stops =
      modes.subspan(motion_.mechanism().frictions.size(), is_selected_.size());
  std::ranges::fill(of_stops, 0.0);
  for (size_t k = 0; k < stops_.size(); ++k)
    of_stops[stops_[k]] = impulses[first_stop() + k] > 0 ? 1 : 0;
}

std::string JointRows::describe(size_t row) const {
  const Mechanism& mechanism = motion_.mechanism();
  const bool is_stop = row >= first_stop();
  const int dof = is_stop ? mechanism.stops[stops_[row - first_stop()]].index()
                          : mechanism.frictions[frictions_[row - first_friction_]].dof;
  return fmt::format("the {} of joint '{}'", is_stop ? "stop" : "friction",
                     motion_.model().joint_of_dof(dof).name);
}

}  // namespace torsor
