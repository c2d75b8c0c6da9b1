#include "torsor/simulation/events/mode_switch.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/mechanics/kinematics.hpp"
#include "torsor/simulation/mechanism/energy.hpp"

namespace torsor {

// Decides for each friction and stop at rest whether a force within its bounds keeps it at rest.
// Otherwise it reaches a bound and moves. Sliding friction may be smaller than static friction.
// After a friction breaks away, the decision is repeated without its row, because the other rows
// may then change.
Status ModeSwitch::choose_modes(Snapshot& at, double time, std::vector<int> at_rest) {
  std::vector<AtBound> bound;
  for (bool again = true; again;) {
    again = false;
    for (const int i : at_rest) at.modes[size_t(i)] = 0;
    if (Status status = solve_bounds(at, time, at_rest, bound); !status) return status;
    for (size_t r = at_rest.size(); r-- > 0;) {
      const size_t i = size_t(at_rest[r]);
      if (motion_.mechanism().is_stop(i)) {
        at.modes[i] = bound[r] == AtBound::none;
      } else if (bound[r] != AtBound::none) {
        at.modes[i] = -double(bound[r]);
        const FrictionElement& friction = motion_.mechanism().frictions[i];
        if (friction.kinetic_friction(0) == friction.static_friction()) continue;
        at_rest.erase(at_rest.begin() + std::ptrdiff_t(r));
        again = true;
      }
    }
  }
  return {};
}

// Determines which of the rows at rest, [at_rest], are kept at rest by a force within their bounds,
// and which reach a bound. A friction at its bound also stays at rest if other rows keep it there.
Status ModeSwitch::solve_bounds(const Snapshot& at, double time, std::span<const int> at_rest,
                                std::vector<AtBound>& bound) {
  motion_.set_state(at, time);
  std::vector<double> z(size_t(motion_.layout().size())), zdot(z);
  motion_.pack(at, z);
  if (!motion_.free_rate(time, z.data(), motion_.damped(), zdot.data())) return motion_.failure();
  motion_.evaluate_closures();
  const auto permanent = motion_.constraints().permanent();
  std::vector<ConstraintRow> rows(permanent.begin(), permanent.end());
  for (const int i : at_rest) rows.push_back(motion_.mechanism().guard_constraint(size_t(i)));
  if (Status status = motion_.factor_inertia(motion_.damped()); !status) return status;
  delassus_.evaluate(motion_.inverse_inertia(), motion_.acceleration().size(), rows);
  MultiplierSolver& solver = motion_.multiplier_solver();
  solver.clear();
  for (const ConstraintRow& row : rows)
    solver.add(*row.row, motion_.acceleration().data(), *row.acceleration, row.bounds);
  if (Status status = solver.solve(delassus_.G); !status) return motion_.fail_multipliers(status);
  const auto found = solver.bounds();
  bound.assign(found.begin(), found.end());
  // A joint that friction alone keeps from leaving its stop does not push on it: the stop is open.
  for (size_t r = permanent.size(); r < rows.size(); ++r)
    if (std::isinf(rows[r].bounds.upper) && solver.lambda()[r] == 0 && solver.free_rate(r) > 0)
      bound[r] = AtBound::lower;
  bound.erase(bound.begin(), bound.begin() + std::ptrdiff_t(permanent.size()));
  return {};
}

// Returns whether a joint is at or beyond a stop, without a tolerance.
bool ModeSwitch::is_touched(size_t guard, const Snapshot& at) const {
  const StopElement& stop = motion_.mechanism().stop(guard);
  const double p = motion_.mechanism().position(stop.index(), at.q.data(), at.motor_q.data());
  return stop.side() * (p - stop.limit) <= 0;
}

Status ModeSwitch::apply(Snapshot& at, double time, std::span<const char> fallen, double window) {
  impact_.reset_flight();
  const Mechanism& mechanism = motion_.mechanism();
  if (mechanism.n_guards() == 0) return {};
  motion_.set_state(at, time);
  const double before = energy(motion_.state(), mechanism, at).kinetic;
  std::vector<double> u(at.v);
  u.insert(u.end(), at.motor_v.begin(), at.motor_v.end());
  std::vector<int> hit, stopping, low;
  for (size_t i = 0; i < mechanism.n_guards(); ++i) {
    const double speed = along(mechanism.guard_row(i), u.data()), mode = at.modes[i];
    if (mechanism.is_stop(i)) {
      if (mode == 0 && speed < 0 && (fallen[i] || is_touched(i, at))) hit.push_back(int(i));
      // A guard detects a rebound that is too low to be resolved only at the end of the rebound.
      if (mode == 0 && speed > 0 && fallen[i] && window > 0) low.push_back(int(i));
    } else if (fallen[i] && mode != 0 && mechanism.frictions[i].can_stick()) {
      stopping.push_back(int(i));
    }
  }
  if (!low.empty()) {
    if (Status status = motion_.accelerate(at, time); !status) return status;
    for (const int i : low) {
      const Row& row = mechanism.guard_row(size_t(i));
      if (impact_.is_over(row, along(row, u.data()), window)) stopping.push_back(i);
    }
  }
  if (!hit.empty()) {
    if (Status status = impact_.apply(at, time, hit, window, u); !status) return status;
  } else if (!stopping.empty()) {
    if (Status status = impact_.stop_frictions(at, stopping, u); !status) return status;
  }
  motion_.set_bodies(at);
  const double driven = hit.empty() ? 0 : impact_.driven();
  at[Work::motors] += driven;
  at[hit.empty() && low.empty() ? Work::friction : Work::stops] +=
      energy(motion_.state(), mechanism, at).kinetic - before - driven;
  return update_modes(at, time, u, fallen, !hit.empty());
}

// Sets the modes that follow from the rates u.
Status ModeSwitch::update_modes(Snapshot& at, double time, std::span<const double> u,
                                std::span<const char> fallen, bool struck) {
  const Mechanism& mechanism = motion_.mechanism();
  std::vector<int> at_rest;
  for (size_t i = 0; i < mechanism.n_guards(); ++i) {
    const double speed = along(mechanism.guard_row(i), u.data());
    double& mode = at.modes[i];
    if (!mechanism.is_stop(i)) {
      if (!mechanism.frictions[i].can_stick()) continue;
      // Without an impact, a friction that stops or sticks has a rate that is only rounding.
      const bool stands = !struck && (mode == 0 || fallen[i]);
      if (speed == 0 || stands)
        at_rest.push_back(int(i));
      else
        mode = speed > 0 ? 1 : -1;
    } else if (speed == 0 && (mode != 0 || fallen[i] || is_touched(i, at))) {
      at_rest.push_back(int(i));
    } else {
      mode = 0;
    }
  }
  return choose_modes(at, time, std::move(at_rest));
}

// Attaches and releases payloads. M and M' are the mass matrices before and after the change. G_p
// and V_p are the inertias and twists of the payloads that are attached. Momentum is conserved in
// the unconstrained directions, and M' = M + sum J^T G_p J:
//   M' u+ = M u- + sum J^T G_p V_p + J_c^T L
//   u+ = u- + M'^-1 (sum J^T G_p (V_p - J u-) + J_c^T L)
Status ModeSwitch::change_payloads(Snapshot& at, double time) {
  impact_.reset_flight();
  const Mechanism& mechanism = motion_.mechanism();
  motion_.set_bodies(at);
  const double before = energy(motion_.state(), mechanism, at).sum();
  const size_t present = motion_.present_model();
  const double earlier = present == 0 ? 0 : motion_.changes()[present - 1];
  motion_.select_next_model();
  motion_.set_state(at, time);
  std::vector<double> u(at.v);
  u.insert(u.end(), at.motor_v.begin(), at.motor_v.end());
  Eigen::VectorXd p = Eigen::VectorXd::Zero(Eigen::Index(u.size()));
  double gained = 0;
  bool struck = false;
  for (const Payload& payload : motion_.payloads()) {
    const bool was_on = payload.is_on(earlier), is_on = payload.is_on(time);
    if (was_on == is_on) continue;
    const Frame& frame = motion_.model().frames[size_t(payload.frame)];
    const Pose<double> X_WF = frame_pose(motion_.state(), frame);
    const Twist<double> V_WF = frame_twist(motion_.state(), frame);
    const Twist<double> V = was_on ? V_WF
                                   : Twist<double>{transpose_times(X_WF.R, payload.V_WP.w),
                                                   transpose_times(X_WF.R, payload.V_WP.v)};
    const SpatialInertia<double>& G = payload.inertia_F;
    const double its_energy =
        0.5 * dot(V, G * V) - dot(motion_.state().gravity_W(), G.m * X_WF.p + X_WF.R * G.h);
    gained += was_on ? -its_energy : its_energy;
    if (was_on) continue;
    struck = true;
    const Wrench<double> jump = G * (V - V_WF);
    const Eigen::Matrix<double, 6, 1> h{jump.n.x, jump.n.y, jump.n.z, jump.f.x, jump.f.y, jump.f.z};
    p.head(motion_.model().n_v) += frame_jacobian(motion_.state(), frame).transpose() * h;
  }
  if (struck) {
    if (Status status = motion_.factor_inertia(); !status) return status;
    motion_.inverse_inertia().solve(p.data());
    Eigen::Map<Eigen::VectorXd>(u.data(), p.size()) += p;
    if (Status status = impact_.apply(at, time, {}, 0, u); !status) return status;
    motion_.set_bodies(at);
  }
  const double driven = struck ? impact_.driven() : 0;
  at[Work::motors] += driven;
  at[Work::changes] += gained;
  at[struck ? Work::stops : Work::changes] +=
      energy(motion_.state(), mechanism, at).sum() - before - gained - driven;
  return update_modes(at, time, u, std::vector<char>(mechanism.n_guards()), struck);
}

}  // namespace torsor
