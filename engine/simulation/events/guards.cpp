#include "torsor/simulation/events/guards.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/simulation/events/contact_forces.hpp"

namespace torsor {

bool Guards::evaluate(double t, const double* z, std::span<double> g) {
  const auto active = motion_.active_guards();
  zdot_.resize(size_t(motion_.layout().size()));
  ContactModes* const contacts = motion_.contacts();
  const bool needs_forces = !active.empty() || (contacts && contacts->any_touching());
  if (!needs_forces ? !motion_.unpack_state(t, z)
                    : !motion_.rate(t, z, motion_.damped(), zdot_.data()))
    return false;
  const Mechanism& mechanism = motion_.mechanism();
  const ActiveConstraints& constraints = motion_.constraints();
  const double *q = motion_.positions().data(), *theta = z + mechanism.n_v,
               *u = motion_.rates().data();
  const double shared = constraints.redundant() && !active.empty() ? shared_margin() : 0;
  size_t next = 0;  // first active guard that is not before i
  for (size_t i = 0; i < mechanism.n_guards(); ++i) {
    const bool is_active = next < active.size() && active[next] == int(i);
    const double force = is_active ? constraints.multiplier(constraints.n_permanent() + next++) : 0;
    const double mode = motion_.modes()[i];
    if (!motion_.has_modes(i)) {
      g[i] = 1;
    } else if (mechanism.is_stop(i)) {
      g[i] = is_active ? force : mechanism.distance(mechanism.stop(i), q, theta);
    } else if (mode != 0) {
      g[i] = mode * along(mechanism.frictions[i].row, u);
    } else if (constraints.redundant()) {
      g[i] = shared;
    } else {
      g[i] =
          mechanism.frictions[i].static_friction() * (1 + static_friction_margin) - std::abs(force);
    }
  }
  if (contacts) evaluate_contacts(g.subspan(mechanism.n_guards()));
  return true;
}

void Guards::evaluate_contacts(std::span<double> g) {
  ContactModes& contacts = *motion_.contacts();
  contacts.evaluate(motion_.state());
  for (size_t k = 0; k < g.size(); ++k) {
    const FeatureContact& at = contacts.pairs()[k];
    constexpr double far = 1;  // m; of features that are not opposite to each other
    g[k] = at.is_in_range ? at.at.gap + gap_margin : far;
  }
  double least = std::numeric_limits<double>::infinity();
  for (size_t k = 0; k < contacts.touching().size(); ++k) {
    double& guard = g[size_t(contacts.touching()[k])];
    guard = std::min(contacts.normal_margin(k), contacts.tangential_margin(k, motion_.rates()));
    const FeatureContact& at = contacts.pairs()[size_t(contacts.touching()[k])];
    guard = std::min(guard, at.range);
    least = std::min(least, guard);
  }
  if (!contacts.redundant() || least >= 0) return;
  if (!ContactForces(motion_).are_possible()) return;
  // Slip velocities and ranges do not depend on the forces.
  for (size_t k = 0; k < contacts.touching().size(); ++k) {
    const size_t point = size_t(contacts.touching()[k]);
    double guard = std::min(-least, contacts.pairs()[point].range);
    if (contacts.mode(point) == ContactMode::slides)
      guard = std::min(guard, contacts.tangential_margin(k, motion_.rates()));
    g[point] = guard;
  }
}

// Returns a common guard of redundant constraints. The guard is above zero if some forces within
// all bounds satisfy the constraints. The result is the smallest remaining margin, relative to F_s,
// of the present forces. If this margin is negative but another distribution of the forces is
// valid, returns its magnitude.
double Guards::shared_margin() {
  const ActiveConstraints& constraints = motion_.constraints();
  const auto rows = constraints.rows();
  std::vector<Bounds> bounds;
  double least = 1;
  for (size_t r = 0; r < rows.size(); ++r) {
    bounds.push_back(rows[r].bounds);
    if (!std::isfinite(rows[r].bounds.upper)) continue;
    const double most = rows[r].bounds.upper * (1 + static_friction_margin);
    bounds.back() = {-most, most};
    least = std::min(least, 1 - std::abs(constraints.multiplier(r)) / most);
  }
  if (least >= 0) return least;
  const auto udot = motion_.acceleration();
  Delassus delassus;
  delassus.evaluate(motion_.inverse_inertia(), udot.size(), rows);
  std::vector<double> free(udot.size());  // the acceleration without the forces
  accelerate(motion_.inverse_inertia(), rows, {constraints.multipliers().data(), rows.size()},
             free);
  for (size_t i = 0; i < free.size(); ++i) free[i] = udot[i] - free[i];
  MultiplierSolver& solver = motion_.multiplier_solver();
  solver.clear();
  for (size_t r = 0; r < rows.size(); ++r)
    solver.add(*rows[r].row, free.data(), *rows[r].acceleration, bounds[r]);
  return solver.solve(delassus.G) && solver.all_at_rest() ? -least : least;
}

void Guards::approach(const double* z, std::span<double> rates) const {
  const size_t n_stop = motion_.mechanism().stops.size();
  for (size_t i = 0; i < n_stop; ++i)
    rates[i] = along(motion_.mechanism().stops[i].row, z + motion_.layout().first_velocity());
  for (size_t i = n_stop; i < rates.size(); ++i)
    rates[i] = motion_.contacts()->pairs()[i - n_stop].normal_rate();
}

}  // namespace torsor
