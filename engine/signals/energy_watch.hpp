#pragma once
// Watches the energy ledger of a run, and says whether its result can be trusted.
//
// The error of the ledger (energy.hpp) is zero for the exact motion, whatever acts on the
// mechanism. Three things make it grow: the integrator's error, a solver whose accelerations are
// wrong, and a force whose wrenches do not fit its energy and power.

#include "torsor/simulation/simulation.hpp"

namespace torsor {

class EnergyWatch {
 public:
  // tolerance: the largest error that is trusted, as a share of largest().
  explicit EnergyWatch(double tolerance) : tolerance_(tolerance) {}

  // Looks at the present state.
  void look(const Simulation& simulation);

  double tolerance() const { return tolerance_; }
  // Return the error of the largest absolute value so far, J, and the time at which it was reached,
  // s.
  double error() const { return error_; }
  double time() const { return time_; }
  // Returns the largest energy or work so far, J. Potential energy is counted from the first state:
  // its zero, the origin of the world, has no meaning for the motion.
  double largest() const { return largest_; }
  // Returns |error| / largest; 0 where both are zero to rounding.
  double relative_error() const;
  bool is_exceeded() const;
  // Returns a bound of the rounding error of the ledger so far, J.
  double rounding() const;

 private:
  double tolerance_;
  double error_ = 0, time_ = 0, largest_ = 0;
  double first_potential_ = 0,
         magnitude_ =
             0;  // J; magnitude: of all terms of the ledger, potential energy itself among them
  long long additions_ = 0;  // upper bound of the number of terms in each work
};

}  // namespace torsor
