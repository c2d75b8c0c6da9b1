#include "torsor/simulation/events/mode_switch.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "torsor/mechanics/kinematics.hpp"
#include "torsor/simulation/mechanism/energy.hpp"

namespace torsor {

namespace {

// Gaps below this length, m, are rounding errors of poses.
constexpr double gap_rounding = 1e-10;
// Returns the size of rounding errors of relative velocities, m/s: a part of the velocities of both
// surfaces, or that of bodies at rest.
double speed_rounding(const FeatureContact& at) {
  constexpr double relative = 1e-9, at_rest = 1e-12;
  return relative * at.terms + at_rest;
}
constexpr const char* no_contact_forces =
    "no forces obey the laws of contact and friction where shapes touch (Painleve's paradox, or a "
    "prescribed motion that contradicts a contact); reduce mu, change the motion, or choose the "
    "integrator time_stepping";

void set_direction(Snapshot& at, size_t point, const Vec3<double>& d) {
  std::ranges::copy(std::array{d.x, d.y, d.z}, at.contacts.begin() + std::ptrdiff_t(3 * point));
}

}  // namespace

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
Status ModeSwitch::solve_bounds(Snapshot& at, double time, std::span<const int> at_rest,
                                std::vector<AtBound>& bound) {
  std::vector<double> of_sticking;  // multipliers of contacts with the present modes
  if (ContactModes* const contacts = motion_.contacts(); contacts && contacts->any_touching())
    if (motion_.accelerate(at, time))
      of_sticking.assign(contacts->multipliers().begin(), contacts->multipliers().end());
  motion_.set_state(at, time);
  std::vector<double> z(size_t(motion_.layout().size())), zdot(z);
  motion_.pack(at, z);
  if (!motion_.free_rate(time, z.data(), motion_.damped(), zdot.data())) return motion_.failure();
  motion_.evaluate_closures();
  const auto permanent = motion_.constraints().permanent();
  std::vector<ConstraintRow> rows(permanent.begin(), permanent.end());
  for (const int i : at_rest) rows.push_back(motion_.mechanism().guard_constraint(size_t(i)));
  const size_t first_contact = rows.size();
  std::vector<torsor_friction> frictions;
  double scale = 0;
  if (ContactModes* const contacts = motion_.contacts()) {
    contacts->evaluate(motion_.state());
    contacts->select(contacts->touching());
    scale = contacts->append(motion_.acceleration(), rows, frictions);
  }
  if (Status status = motion_.factor_inertia(motion_.damped()); !status) return status;
  delassus_.evaluate(motion_.inverse_inertia(), motion_.acceleration().size(), rows);
  MultiplierSolver& solver = motion_.multiplier_solver();
  solver.clear();
  for (const ConstraintRow& row : rows)
    solver.add(*row.row, motion_.acceleration().data(), *row.acceleration, row.bounds);
  if (Status status = solver.solve(delassus_.G, frictions); !status)
    return frictions.empty() ? motion_.fail_multipliers(status) : motion_.fail(no_contact_forces);
  const auto found = solver.bounds();
  bound.assign(found.begin(), found.end());
  // A joint that friction alone keeps from leaving its stop does not push on it: the stop is open.
  for (size_t r = permanent.size(); r < first_contact; ++r)
    if (std::isinf(rows[r].bounds.upper) && solver.lambda()[r] == 0 && solver.free_rate(r) > 0)
      bound[r] = AtBound::lower;
  bound.resize(first_contact);
  bound.erase(bound.begin(), bound.begin() + std::ptrdiff_t(permanent.size()));
  if (scale > 0) choose_contact_modes(at, first_contact, scale, of_sticking);
  return {};
}

// Returns whether a joint is at or beyond a stop, without a tolerance.
bool ModeSwitch::is_touched(size_t guard, const Snapshot& at) const {
  const Mechanism& mechanism = motion_.mechanism();
  return mechanism.distance(mechanism.stop(guard), at.q.data(), at.motor_q.data()) <= 0;
}

Status ModeSwitch::apply(Snapshot& at, double time, std::span<const char> fallen, double window) {
  impact_.reset_flight();
  const Mechanism& mechanism = motion_.mechanism();
  if (!motion_.has_events()) return {};
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
  const std::vector<int> struck = find_struck(fallen);
  const bool strikes = !hit.empty() || !struck.empty();
  if (strikes) {
    if (Status status = impact_.apply(at, time, hit, struck, window, u); !status) return status;
  } else if (!stopping.empty()) {
    if (Status status = impact_.stop_frictions(at, stopping, u); !status) return status;
  }
  motion_.set_bodies(at);
  const double driven = strikes ? impact_.driven() : 0;
  at[Work::motors] += driven;
  at[!struck.empty()              ? Work::contact
     : hit.empty() && low.empty() ? Work::friction
                                  : Work::stops] +=
      energy(motion_.state(), mechanism, at).kinetic - before - driven;
  if (motion_.contacts())
    if (Status status =
            switch_contacts(at, time, strikes ? std::span<const char>{} : fallen, window, u);
        !status)
      return status;
  return update_modes(at, time, u, fallen, strikes);
}

// Returns the separate contact points that touch and approach each other, ascending. All points
// whose gap is zero up to rounding are struck at once.
std::vector<int> ModeSwitch::find_struck(std::span<const char> fallen) const {
  std::vector<int> out;
  ContactModes* const contacts = motion_.contacts();
  if (!contacts) return out;
  contacts->evaluate(motion_.state());
  bool any = false;
  for (size_t k = 0; k < contacts->size(); ++k) {
    const FeatureContact& at = contacts->pairs()[k];
    const bool touches = fallen[motion_.mechanism().n_guards() + k] || at.at.gap <= gap_rounding;
    if (contacts->mode(k) != ContactMode::separate || !at.is_in_range || !touches) continue;
    any = any || at.normal_rate() < -speed_rounding(at);
    if (at.normal_rate() <= speed_rounding(at)) out.push_back(int(k));
  }
  if (!any) out.clear();
  return out;
}

// Applies the events of contact points that touch, and adds those that touch without an impact:
//   sticks   the friction exceeds its cone: slides along the last friction
//   slides   the slip velocity is zero: sticks, until choose_modes() decides
//   either   the normal force is zero, or the features are no longer opposite: separates
// If the forces are undetermined, choose_modes() decides about them.
Status ModeSwitch::switch_contacts(Snapshot& at, double time, std::span<const char> fallen,
                                   double window, std::vector<double>& u) {
  ContactModes& contacts = *motion_.contacts();
  const size_t first = motion_.mechanism().n_guards();
  if (!fallen.empty()) {
    if (contacts.any_touching())
      if (Status status = motion_.accelerate(at, time); !status) return status;
    // Points whose slip ends within a thousandth of the window stop together.
    bool any_stops = false;
    std::vector<char> is_slow(contacts.touching().size(), 0);
    for (size_t k = 0; k < is_slow.size(); ++k) {
      const size_t point = size_t(contacts.touching()[k]);
      const ContactRow& row = contacts.rows().points()[k];
      const FeatureContact& state = contacts.pairs()[point];
      if (contacts.mode(point) != ContactMode::slides || row.sliding < 0) continue;
      const auto change = [&](int r, const Vec3<double>& t) {
        return along(contacts.rows().rows()[size_t(r)], motion_.acceleration().data()) +
               dot(t, state.a);
      };
      const double slowing =
          std::hypot(change(row.sliding, row.t_W), change(row.sliding + 1, row.s_W));
      is_slow[k] = norm(state.slip()) <= 1e-3 * window * slowing;
      any_stops = any_stops || (is_slow[k] && contacts.tangential_margin(k, motion_.rates()) <= 0);
    }
    for (size_t k = 0; k < contacts.touching().size(); ++k) {
      const size_t point = size_t(contacts.touching()[k]);
      const FeatureContact& state = contacts.pairs()[point];
      double& mode = at.modes[first + point];
      const ContactRow& row = contacts.rows().points()[k];
      const bool slides = contacts.mode(point) == ContactMode::slides;
      if (state.range < 0 || (!contacts.redundant() && contacts.normal_margin(k) <= 0)) {
        mode = double(ContactMode::separate);
      } else if (slides && row.sliding >= 0) {
        const double speed = norm(state.slip());
        if (any_stops && is_slow[k])
          mode = double(ContactMode::sticks);
        else if (speed > 0 && contacts.tangential_margin(k, motion_.rates()) <= 0)
          set_direction(at, point, (1 / speed) * state.slip());
      } else if (!slides && !contacts.redundant() &&
                 contacts.tangential_margin(k, motion_.rates()) <= 0) {
        const double t = contacts.multipliers()[size_t(row.sliding)],
                     s = contacts.multipliers()[size_t(row.sliding) + 1], size = std::hypot(t, s);
        if (!(size > 0)) continue;
        mode = double(ContactMode::slides);
        set_direction(at, point, (-t / size) * row.t_W + (-s / size) * row.s_W);
      }
    }
    for (size_t k = 0; k < contacts.size(); ++k) {
      const FeatureContact& state = contacts.pairs()[k];
      if (contacts.mode(k) != ContactMode::separate || !state.is_in_range) continue;
      // Between events, a point without a normal force has separated, although its gap is zero.
      if (!fallen[first + k] && (window > 0 || state.at.gap > gap_rounding)) continue;
      const double rounding = speed_rounding(state), speed = norm(state.slip());
      if (std::abs(state.normal_rate()) > rounding) continue;
      const bool is_still = contacts.material(k).mu > 0 && speed <= rounding;
      at.modes[first + k] = double(is_still ? ContactMode::sticks : ContactMode::slides);
      if (!is_still && speed > 0) set_direction(at, k, (1 / speed) * state.slip());
    }
  }
  motion_.set_state(at, time);
  if (Status status = projection_.project(at, time); !status) return status;
  std::copy(at.motor_v.begin(), at.motor_v.end(), std::copy(at.v.begin(), at.v.end(), u.begin()));
  motion_.set_state(at, time);
  return {};
}

// Sets the modes of the points that touched, from the multipliers and accelerations of their rows.
// scale: of the accelerations, m/s^2. of_sticking: multipliers of the rows if all points that are
// at rest stick, or [].
void ModeSwitch::choose_contact_modes(Snapshot& at, size_t first_row, double scale,
                                      std::span<const double> of_sticking) {
  const ContactModes& contacts = *motion_.contacts();
  const MultiplierSolver& solver = motion_.multiplier_solver();
  const size_t first = motion_.mechanism().n_guards();
  // Less than the limit of ContactForces::are_possible(), which the decision must not reverse.
  const double rounding = 0.5 * acceleration_rounding * scale;
  for (size_t k = 0; k < contacts.touching().size(); ++k) {
    const size_t point = size_t(contacts.touching()[k]);
    const ContactRow& row = contacts.rows().points()[k];
    double& mode = at.modes[first + point];
    if (solver.rate(first_row + size_t(row.row)) > rounding) {
      mode = double(ContactMode::separate);
    } else if (row.sliding >= 0 && contacts.mode(point) == ContactMode::sticks) {
      const size_t r = first_row + size_t(row.sliding);
      const double rate = std::hypot(solver.rate(r), solver.rate(r + 1));
      if (rate <= rounding) continue;
      mode = double(ContactMode::slides);
      // A small acceleration has few digits. The slip then begins against the friction that would
      // prevent it, which is only slightly too large, or else against the present one.
      constexpr double small = 1e-2;
      double t = solver.rate(r), s = solver.rate(r + 1);
      if (const size_t c = size_t(row.sliding); rate < small * scale) {
        const bool is_known = c + 1 < of_sticking.size();
        const double f = is_known ? of_sticking[c] : solver.lambda()[r],
                     g = is_known ? of_sticking[c + 1] : solver.lambda()[r + 1];
        if (f != 0 || g != 0) t = -f, s = -g;
      }
      const double size = std::hypot(t, s);
      set_direction(at, point, (t / size) * row.t_W + (s / size) * row.s_W);
    }
  }
}

// Sets the modes that follow from the rates u.
Status ModeSwitch::update_modes(Snapshot& at, double time, std::span<const double> u,
                                std::span<const char> fallen, bool struck) {
  const Mechanism& mechanism = motion_.mechanism();
  std::vector<int> at_rest;
  for (size_t i = 0; i < mechanism.n_guards(); ++i) {
    const double speed = along(mechanism.guard_row(i), u.data());
    double& mode = at.modes[i];
    if (!motion_.has_modes(i)) continue;
    if (!mechanism.is_stop(i)) {
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
    if (Status status = impact_.apply(at, time, {}, {}, 0, u); !status) return status;
    motion_.set_bodies(at);
  }
  const double driven = struck ? impact_.driven() : 0;
  at[Work::motors] += driven;
  at[Work::changes] += gained;
  at[struck ? Work::stops : Work::changes] +=
      energy(motion_.state(), mechanism, at).sum() - before - gained - driven;
  if (motion_.contacts())
    if (Status status = switch_contacts(at, time, {}, 0, u); !status) return status;
  return update_modes(at, time, u, std::vector<char>(motion_.n_guards()), struck);
}

}  // namespace torsor
