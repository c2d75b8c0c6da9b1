// Impacts and mode changes between two intervals of smooth motion (motion.hpp).

#include <algorithm>
#include <cmath>

#include "torsor/mechanics/kinematics.hpp"
#include "torsor/simulation/mechanism/energy.hpp"
#include "torsor/simulation/motion.hpp"

namespace torsor {

namespace {

constexpr double no_bound = std::numeric_limits<double>::infinity();

// Relative margin by which a force must exceed the static friction F_s before the friction breaks
// away. The margin covers the rounding differences between two ways of computing the force. Without
// it, a guard could reverse a mode decision immediately.
constexpr double margin = 1e-12;

}  // namespace

Status Motion::accelerate(const Snapshot& at, double time) {
  set_state(at, time);
  pack(at, z_);
  return rate(time, z_.data(), 0, zdot_.data()) ? Status{} : failure_;
}

bool Motion::guard_values(double t, const double* z, std::span<double> g) {
  if (held_guards_.empty() ? !unpack_state(t, z) : !rate(t, z, damped_, zdot_.data())) return false;
  const double *theta = z + mechanism_.n_v, *u = u_.data();
  const size_t n = mechanism_.frictions.size();
  const double shared = redundant_ && !held_guards_.empty() ? shared_margin() : 0;
  for (size_t i = 0; i < g.size(); ++i) {
    if (i >= n) {
      const StopElement& stop = mechanism_.stops[i - n];
      const double p = mechanism_.position(stop.index, q_.data(), theta);
      g[i] = modes_[i] != 0 ? guard_lambda_[i] : stop.side * (p - stop.limit);
    } else if (!mechanism_.frictions[i].can_stick()) {
      g[i] = 1;
    } else if (modes_[i] != 0) {
      g[i] = modes_[i] * along(mechanism_.frictions[i].row, u);
    } else if (redundant_) {
      g[i] = shared;
    } else {
      g[i] = mechanism_.frictions[i].static_friction() * (1 + margin) - std::abs(guard_lambda_[i]);
    }
  }
  return true;
}

// Returns a common guard of redundant constraints. The guard is above zero if some forces within
// all bounds satisfy the constraints. The result is the smallest remaining margin, relative to F_s,
// of the forces of solve_constraints(). If this margin is negative but another distribution of the
// forces is valid, returns its magnitude.
double Motion::shared_margin() {
  const size_t first = always_.size();
  std::vector<double> lower(held_.size(), -no_bound), upper(held_.size(), no_bound);
  double least = 1;
  for (size_t r = first; r < held_.size(); ++r) {
    const size_t i = size_t(held_guards_[r - first]);
    const bool friction = i < mechanism_.frictions.size();
    const double most =
        friction ? mechanism_.frictions[i].static_friction() * (1 + margin) : no_bound;
    lower[r] = friction ? -most : 0, upper[r] = most;
    if (friction) least = std::min(least, 1 - std::abs(guard_lambda_[i]) / most);
  }
  if (least >= 0) return least;
  if (solved_.size() < held_.size()) {
    // Forces of all rows have the effect of lambda_: G force + free_ = 0.
    Eigen::VectorXd solved = Eigen::VectorXd::Zero(Eigen::Index(held_.size()));
    for (size_t r = 0; r < solved_.size(); ++r) solved[solved_[r]] = lambda_[Eigen::Index(r)];
    multiply_rows(held_);
    free_ = -G_ * solved;
  }
  Eigen::VectorXd force;
  std::vector<Bound> bound(held_.size());
  return solve_box_lcp(G_, free_, lower, upper, force, bound) && all_at_rest(G_, free_, force)
             ? -least
             : least;
}

// Writes the rates of change of the distances to the stops, [stops].
void Motion::approach(const double* z, std::span<double> rates) const {
  for (size_t i = 0; i < rates.size(); ++i)
    rates[i] = along(stop_rows_[i], z + layout_.first_velocity());
}

// Returns whether a joint that leaves a stop at this rate returns to the stop within the window.
// Uses the accelerations of the last evaluation.
bool Motion::is_over(const Row& row, double leaving, double window) const {
  return 2 * leaving < -window * along(row, udot_.data());
}

// Applies Newton's impact law to the stops that are hit or closed: rate+ >= -e rate-, with equality
// if an impulse acts. Mimic and prescribed joints keep their relations.
//   u+ = u- + M^-1 J^T L,   0 <= L  complementary to  J u+ + e J u- >= 0
// A joint does not leave a stop that it would reach again within the window. Such a rebound gets e
// = 0. A closed stop that another impact would open is kept closed by J u+ = 0.
Status Motion::impact(Snapshot& at, double time, std::span<const int> hit, double window,
                      std::vector<double>& u) {
  const size_t n_friction = mechanism_.frictions.size();
  std::vector<const Row*> rows = always_;
  std::vector<double> restitution(rows.size(), 0.0);
  const size_t first = rows.size();
  std::vector<int> touched(hit.begin(), hit.end());
  for (int i = int(n_friction); i < guards(); ++i)
    if (at.modes[size_t(i)] != 0) touched.push_back(i);
  for (const int i : touched) {
    rows.push_back(&row_of(i));
    restitution.push_back(
        at.modes[size_t(i)] != 0 ? 0 : mechanism_.stops[size_t(i) - n_friction].restitution);
  }
  if (Status status = assemble_delassus(rows); !status) return status;
  std::vector<double> lower(rows.size(), 0.0), upper(rows.size(), no_bound);
  std::fill_n(lower.begin(), first, -no_bound);
  const std::vector<double> before = u;
  const Eigen::MatrixXd Y = Y_, G = G_;
  for (bool again = true; again;) {
    again = false;
    Eigen::VectorXd c(Eigen::Index(rows.size())), impulse;
    std::vector<Bound> bound(rows.size());
    for (size_t r = 0; r < rows.size(); ++r)
      c[Eigen::Index(r)] =
          (1 + restitution[r]) * along(*rows[r], before.data()) - (r < first ? held_rate(r) : 0);
    if (!solve_box_lcp(G, c, lower, upper, impulse, bound)) return {Status::undecided};
    Eigen::Map<Eigen::VectorXd>(u.data(), Eigen::Index(u.size())) =
        Eigen::Map<const Eigen::VectorXd>(before.data(), Eigen::Index(u.size())) + Y * impulse;
    for (size_t r = first; r < rows.size(); ++r)
      if (restitution[r] == 0 && (impulse[Eigen::Index(r)] > 0 || lower[r] < 0))
        u[size_t((*rows[r])[0].index)] = 0;
    set_velocities(at, u);
    prescribed_impact_ = 0;
    for (size_t r = 0; r < first; ++r)
      prescribed_impact_ += impulse[Eigen::Index(r)] * held_rate(r);
    // After the impact, frictions slip in the direction of their rates.
    for (size_t i = 0; i < n_friction; ++i)
      if (const double speed = along(row_of(int(i)), u.data());
          mechanism_.frictions[i].can_stick() && speed != 0)
        at.modes[i] = speed > 0 ? 1 : -1;
    flight_ = no_bound;
    Snapshot after = at;
    for (const int i : touched) after.modes[size_t(i)] = along(row_of(i), u.data()) == 0;
    for (size_t r = first; r < rows.size(); ++r) {
      const double leaving = along(*rows[r], u.data());
      if (leaving <= 0) continue;
      if (Status status = accelerate(after, time); !status) return status;
      if (!is_over(*rows[r], leaving, window)) {
        const double back = -along(*rows[r], udot_.data());
        if (back > 0) flight_ = std::min(flight_, 2 * leaving / back);
        continue;
      }
      again = true;
      if (restitution[r] == 0) lower[r] = -no_bound;
      restitution[r] = 0;
    }
  }
  return {};
}

// Sets the rates of frictions that come to rest to exactly 0, together with the rates of the active
// constraints. The required impulse is small, because these rates are almost zero.
Status Motion::stop_frictions(Snapshot& at, std::span<const int> stopping, std::vector<double>& u) {
  std::vector<const Row*> rows = held_;
  for (const int i : stopping) rows.push_back(&row_of(i));
  if (Status status = assemble_delassus(rows); !status) return status;
  const auto n = Eigen::Index(rows.size());
  Eigen::VectorXd c(n), impulse;
  for (Eigen::Index r = 0; r < n; ++r)
    c[r] =
        along(*rows[size_t(r)], u.data()) - (size_t(r) < always_.size() ? held_rate(size_t(r)) : 0);
  const std::vector<double> lower(rows.size(), -no_bound), upper(rows.size(), no_bound);
  std::vector<Bound> bound(rows.size());
  if (!solve_box_lcp(G_, c, lower, upper, impulse, bound)) return {Status::undecided};
  Eigen::Map<Eigen::VectorXd>(u.data(), Eigen::Index(u.size())) += Y_ * impulse;
  ActiveRows still;
  still.set(without_closures(rows), given_);
  still.project(u.data());
  set_velocities(at, u);
  return {};
}

void Motion::set_velocities(Snapshot& at, std::span<const double> u) const {
  std::copy_n(u.begin(), mechanism_.n_v, at.v.begin());
  prescribed_.write_rates(at.v.data());
  std::copy(u.begin() + mechanism_.n_v, u.end(), at.motor_v.begin());
}

// Decides for each friction and stop at rest whether a force within its bounds keeps it at rest.
// Otherwise it reaches a bound and moves. Sliding friction may be smaller than static friction.
// After a friction breaks away, the decision is repeated without its row, because the other rows
// may then change.
Status Motion::choose_modes(Snapshot& at, double time, std::vector<int> at_rest) {
  std::vector<Bound> bound;
  for (bool again = true; again;) {
    again = false;
    for (const int i : at_rest) at.modes[size_t(i)] = 0;
    if (Status status = solve_bounds(at, time, at_rest, bound); !status) return status;
    for (size_t r = at_rest.size(); r-- > 0;) {
      const size_t i = size_t(at_rest[r]);
      if (i >= mechanism_.frictions.size()) {
        at.modes[i] = bound[r] == Bound::none;
      } else if (bound[r] != Bound::none) {
        at.modes[i] = -double(bound[r]);
        const FrictionElement& friction = mechanism_.frictions[i];
        if (friction.kinetic_friction(0) == friction.static_friction()) continue;
        at_rest.erase(at_rest.begin() + std::ptrdiff_t(r));
        again = true;
      }
    }
  }
  return {};
}

// Determines which of the rows at rest, [at_rest], are kept at rest by a force within their bounds,
// and which reach a bound.
Status Motion::solve_bounds(const Snapshot& at, double time, std::span<const int> at_rest,
                            std::vector<Bound>& bound) {
  set_state(at, time);
  held_.clear();
  held_guards_.clear();
  solved_.clear();
  solved_rows_.clear();
  pack(at, z_);
  if (!rate(time, z_.data(), damped_, zdot_.data())) return failure_;
  std::vector<const Row*> rows = always_;
  const size_t first = rows.size();
  std::vector<double> lower(first, -no_bound), upper(first, no_bound);
  for (const int i : at_rest) {
    const bool friction = size_t(i) < mechanism_.frictions.size();
    const double most = friction ? mechanism_.frictions[size_t(i)].static_friction() : no_bound;
    rows.push_back(&row_of(i)), lower.push_back(friction ? -most : 0), upper.push_back(most);
  }
  if (Status status = assemble_delassus(rows, damped_); !status) return status;
  Eigen::VectorXd c(Eigen::Index(rows.size())), force;
  for (size_t r = 0; r < rows.size(); ++r)
    c[Eigen::Index(r)] = along(*rows[r], udot_.data()) - (r < first ? held_acceleration(r) : 0);
  bound.resize(rows.size());
  if (!solve_box_lcp(G_, c, lower, upper, force, bound)) return {Status::undecided};
  keep_spanned(rows, lower, bound);
  bound.erase(bound.begin(), bound.begin() + std::ptrdiff_t(first));
  return {};
}

// A friction at its bound stays at rest if the rows without a bound keep it there: sets its bound
// to none. Rows of closures depend on the state, so that G_ decides. The decision for other rows is
// exact.
void Motion::keep_spanned(std::span<const Row* const> rows, std::span<const double> lower,
                          std::span<Bound> bound) const {
  std::vector<int> inner;
  std::vector<const Row*> inner_rows;
  for (size_t r = 0; r < rows.size(); ++r)
    if (bound[r] == Bound::none) inner.push_back(int(r)), inner_rows.push_back(rows[r]);
  ActiveRows others;
  if (closures_.size() == 0) others.set(inner_rows, given_);
  const auto is_spanned = [&](size_t row) {
    if (closures_.size() == 0) return others.spans(*rows[row], given_);
    std::vector<int> all = inner;
    all.push_back(int(row));
    Eigen::MatrixXd G = G_(all, all);
    IndependentRows independent;
    independent.select(G, inner.size());
    return independent.rows().empty() || independent.rows().back() != int(inner.size());
  };
  for (size_t r = always_.size(); r < rows.size(); ++r)
    if (lower[r] < 0 && bound[r] != Bound::none && is_spanned(r)) bound[r] = Bound::none;
}

// Returns whether a joint is at or beyond a stop, without a tolerance.
bool Motion::is_touched(int guard, const Snapshot& at) const {
  const StopElement& stop = mechanism_.stops[size_t(guard) - mechanism_.frictions.size()];
  return stop.side *
             (mechanism_.position(stop.index, at.q.data(), at.motor_q.data()) - stop.limit) <=
         0;
}

Status Motion::transition(Snapshot& at, double time, std::span<const char> fallen, double window) {
  flight_ = no_bound;
  if (guards() == 0) return {};
  set_state(at, time);
  const double before = energy(state(), mechanism_, at).kinetic;
  std::vector<double> u(at.v);
  u.insert(u.end(), at.motor_v.begin(), at.motor_v.end());
  std::vector<int> hit, stopping, low;
  for (int i = 0; i < guards(); ++i) {
    const double speed = along(row_of(i), u.data()), mode = at.modes[size_t(i)];
    if (size_t(i) >= mechanism_.frictions.size()) {
      if (mode == 0 && speed < 0 && (fallen[size_t(i)] || is_touched(i, at))) hit.push_back(i);
      // A guard detects a rebound that is too low to be resolved only at the end of the rebound.
      if (mode == 0 && speed > 0 && fallen[size_t(i)] && window > 0) low.push_back(i);
    } else if (fallen[size_t(i)] && mode != 0 && mechanism_.frictions[size_t(i)].can_stick()) {
      stopping.push_back(i);
    }
  }
  if (!low.empty()) {
    if (Status status = accelerate(at, time); !status) return status;
    for (const int i : low)
      if (is_over(row_of(i), along(row_of(i), u.data()), window)) stopping.push_back(i);
  }
  if (!hit.empty()) {
    if (Status status = impact(at, time, hit, window, u); !status) return status;
  } else if (!stopping.empty()) {
    if (Status status = stop_frictions(at, stopping, u); !status) return status;
  }
  now().v = at.v;
  const double driven = hit.empty() ? 0 : prescribed_impact_;
  at[Work::motors] += driven;
  at[hit.empty() && low.empty() ? Work::friction : Work::stops] +=
      energy(state(), mechanism_, at).kinetic - before - driven;
  return update_modes(at, time, u, fallen, !hit.empty());
}

// Sets the modes that follow from the rates u.
Status Motion::update_modes(Snapshot& at, double time, std::span<const double> u,
                            std::span<const char> fallen, bool struck) {
  std::vector<int> at_rest;
  for (int i = 0; i < guards(); ++i) {
    const double speed = along(row_of(i), u.data());
    double& mode = at.modes[size_t(i)];
    if (size_t(i) < mechanism_.frictions.size()) {
      if (!mechanism_.frictions[size_t(i)].can_stick()) continue;
      // Without an impact, a friction that stops or sticks has a rate that is only rounding.
      const bool stands = !struck && (mode == 0 || fallen[size_t(i)]);
      if (speed == 0 || stands)
        at_rest.push_back(i);
      else
        mode = speed > 0 ? 1 : -1;
    } else if (speed == 0 && (mode != 0 || fallen[size_t(i)] || is_touched(i, at))) {
      at_rest.push_back(i);
    } else {
      mode = 0;
    }
  }
  if (Status status = choose_modes(at, time, std::move(at_rest)); !status) return status;
  assemble_rows(at.modes.data());
  return {};
}

// Attaches and releases payloads. M and M' are the mass matrices before and after the change. G_p
// and V_p are the inertias and twists of the payloads that are attached. Momentum is conserved in
// the unconstrained directions:
//   M' u+ = M u- + sum J^T G_p V_p + J_c^T L
// With M' = M + sum J^T G_p J:
//   u+ = u- + M'^-1 (sum J^T G_p (V_p - J u-) + J_c^T L)
Status Motion::change_payloads(Snapshot& at, double time) {
  flight_ = no_bound;
  State& old = now();
  old.set_q(at.q);
  old.v = at.v;
  const double before = energy(old, mechanism_, at).sum();
  const double earlier = plant_ == 0 ? 0 : changes_[plant_ - 1];
  ++plant_;
  set_state(at, time);
  std::vector<double> u(at.v);
  u.insert(u.end(), at.motor_v.begin(), at.motor_v.end());
  Eigen::VectorXd p = Eigen::VectorXd::Zero(model().n_v);
  double gained = 0;
  bool struck = false;
  for (const Payload& payload : payloads_) {
    const bool was_on = payload.is_on(earlier), is_on = payload.is_on(time);
    if (was_on == is_on) continue;
    const Frame& frame = model().frames[size_t(payload.frame)];
    const Pose<double> X_WF = frame_pose(state(), frame);
    const Twist<double> V_WF = frame_twist(state(), frame);
    const Twist<double> V = was_on ? V_WF
                                   : Twist<double>{transpose_times(X_WF.R, payload.V_WP.w),
                                                   transpose_times(X_WF.R, payload.V_WP.v)};
    const SpatialInertia<double>& G = payload.inertia_F;
    const double its_energy =
        0.5 * dot(V, G * V) - dot(state().gravity_W(), G.m * X_WF.p + X_WF.R * G.h);
    gained += was_on ? -its_energy : its_energy;
    if (was_on) continue;
    struck = true;
    const Wrench<double> jump = G * (V - V_WF);
    const Eigen::Matrix<double, 6, 1> h{jump.n.x, jump.n.y, jump.n.z, jump.f.x, jump.f.y, jump.f.z};
    p += frame_jacobian(state(), frame).transpose() * h;
  }
  if (struck) {
    if (fails(invert_mass_matrix(solver()))) return failure_;
    const Eigen::Index n = model().n_v;
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>
        inverse(M_inverse_.data(), n, n);
    Eigen::Map<Eigen::VectorXd>(u.data(), n) += inverse * p;
    if (Status status = impact(at, time, {}, 0, u); !status) return status;
    now().v = at.v;
  }
  const double driven = struck ? prescribed_impact_ : 0;
  at[Work::motors] += driven;
  at[Work::changes] += gained;
  at[struck ? Work::stops : Work::changes] +=
      energy(state(), mechanism_, at).sum() - before - gained - driven;
  return update_modes(at, time, u, std::vector<char>(size_t(guards())), struck);
}

}  // namespace torsor
