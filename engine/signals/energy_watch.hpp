#pragma once
// Monitors the energy ledger of a run and reports whether the result of the run can be trusted.
//
// The error of the ledger (energy.hpp) is zero for the exact motion, regardless of what acts on the
// mechanism. It can have three causes:
// - the integrator's error
// - a solver with wrong accelerations
// - a force whose wrenches do not match its energy and power

namespace torsor {

struct Energy;
class Simulation;

class EnergyWatch {
 public:
  // tolerance: maximum error of a trustworthy result, relative to largest().
  explicit EnergyWatch(double tolerance) : tolerance_(tolerance) {}

  // Evaluates the energy ledger at the present state. now: the energies of this state.
  void look(const Simulation& simulation, const Energy& now);

  double tolerance() const { return tolerance_; }
  // Return the error with the largest absolute value so far, J, and its time, s.
  double error() const { return error_; }
  double time() const { return time_; }
  // Returns the largest absolute value of an energy or work so far, J. Potential energy is measured
  // from the first state, because its zero at the world's origin is arbitrary.
  double largest() const { return largest_; }
  // Returns |error| / largest, or 0 if the error is within rounding.
  double relative_error() const;
  bool is_exceeded() const;
  // Returns a bound of the rounding error of the ledger so far, J.
  double rounding() const;

 private:
  double tolerance_;
  double error_ = 0, time_ = 0, largest_ = 0;
  // first_potential_: potential energy of the first state, J. magnitude_: the largest absolute
  // value of any term of the ledger, including the potential energy relative to the world's origin,
  // J.
  double first_potential_ = 0, magnitude_ = 0;
  long long additions_ = 0;  // upper bound of the number of terms in each work
};

}  // namespace torsor
