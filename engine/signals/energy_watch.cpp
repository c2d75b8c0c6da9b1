#include "torsor/signals/energy_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/simulation/simulation.hpp"

namespace torsor {

void EnergyWatch::look(const Simulation& simulation, const Energy& now) {
  if (additions_ == 0) first_potential_ = now.potential;
  additions_ = std::max(additions_ + 1, simulation.steps());
  largest_ =
      std::max({largest_, now.kinetic, std::abs(now.potential - first_potential_), now.elastic});
  for (const double work : simulation.snapshot().work)
    largest_ = std::max(largest_, std::abs(work));
  magnitude_ = std::max({magnitude_, largest_, std::abs(now.potential)});
  const double error = ledger_error(now, simulation.snapshot());
  if (std::abs(error) <= std::abs(error_)) return;
  error_ = error;
  time_ = simulation.time();
}

// The work of each step is added to a sum with n terms. The rounding error of such a sum is at most
// n eps E, where E is the size of the terms.
double EnergyWatch::rounding() const {
  return 4 * double(additions_) * std::numeric_limits<double>::epsilon() * magnitude_;
}

double EnergyWatch::relative_error() const {
  return std::abs(error_) <= rounding() ? 0 : std::abs(error_) / largest_;
}

bool EnergyWatch::is_exceeded() const {
  return !(relative_error() <= tolerance_);
}

}  // namespace torsor
