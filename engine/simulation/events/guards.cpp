#include "torsor/simulation/events/guards.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/constraints/box_lcp.hpp"

namespace torsor {

bool Guards::evaluate(double t, const double* z, std::span<double> g) {
  const auto active = motion_.active_guards();
  zdot_.resize(size_t(motion_.layout().size()));
  if (active.empty() ? !motion_.unpack_state(t, z)
                     : !motion_.rate(t, z, motion_.damped(), zdot_.data()))
    return false;
  const Mechanism& mechanism = motion_.mechanism();
  const ActiveConstraints& constraints = motion_.constraints();
  const double *q = motion_.positions().data(), *theta = z + mechanism.n_v,
               *u = motion_.rates().data();
  const double shared = constraints.redundant() && !active.empty() ? shared_margin() : 0;
  size_t next = 0;  // first active guard that is not before i
  for (size_t i = 0; i < g.size(); ++i) {
    const bool is_active = next < active.size() && active[next] == int(i);
    const double force = is_active ? constraints.multiplier(constraints.n_permanent() + next++) : 0;
    const double mode = motion_.modes()[i];
    if (mechanism.is_stop(i)) {
      const StopElement& stop = mechanism.stop(i);
      g[i] = is_active ? force
                       : stop.side() * (mechanism.position(stop.index(), q, theta) - stop.limit);
    } else if (!mechanism.frictions[i].can_stick()) {
      g[i] = 1;
    } else if (mode != 0) {
      g[i] = mode * along(mechanism.frictions[i].row, u);
    } else if (constraints.redundant()) {
      g[i] = shared;
    } else {
      g[i] =
          mechanism.frictions[i].static_friction() * (1 + static_friction_margin) - std::abs(force);
    }
  }
  return true;
}

// Returns a common guard of redundant constraints. The guard is above zero if some forces within
// all bounds satisfy the constraints. The result is the smallest remaining margin, relative to F_s,
// of the present forces. If this margin is negative but another distribution of the forces is
// valid, returns its magnitude.
double Guards::shared_margin() {
  const ActiveConstraints& constraints = motion_.constraints();
  const auto rows = constraints.rows();
  std::vector<double> lower, upper;
  double least = 1;
  for (size_t r = 0; r < rows.size(); ++r) {
    double most = rows[r].bounds.upper;
    if (std::isfinite(most)) {
      most *= 1 + static_friction_margin;
      least = std::min(least, 1 - std::abs(constraints.multiplier(r)) / most);
      lower.push_back(-most);
    } else {
      lower.push_back(rows[r].bounds.lower);
    }
    upper.push_back(most);
  }
  if (least >= 0) return least;
  // The forces of all rows have the effect of the present ones: G force = G multipliers.
  Delassus delassus;
  delassus.evaluate(motion_.inverse_inertia(), motion_.rates().size(), rows);
  const Eigen::VectorXd c = -delassus.G * constraints.multipliers();
  Eigen::VectorXd force;
  std::vector<Bound> bound(rows.size());
  return solve_box_lcp(delassus.G, c, lower, upper, force, bound) &&
                 all_at_rest(delassus.G, c, force)
             ? -least
             : least;
}

void Guards::approach(const double* z, std::span<double> rates) const {
  for (size_t i = 0; i < rates.size(); ++i)
    rates[i] = along(motion_.mechanism().stops[i].row, z + motion_.layout().first_velocity());
}

}  // namespace torsor
