#pragma once
// Impacts: changes of velocity in an instant.

#include "torsor/simulation/motion.hpp"

namespace torsor {

class Impact {
 public:
  explicit Impact(Motion& motion) : motion_(motion) {}

  // Applies Newton's impact law to the stops that are hit or closed: rate+ >= -e rate-, with
  // equality if an impulse acts. Permanent constraints keep their rates.
  //   u+ = u- + M^-1 J^T L,   0 <= L  complementary to  J u+ + e J u- >= 0
  // A joint does not leave a stop that it would reach again within the window, s. Such a rebound
  // gets e = 0. A closed stop that another impact would open is kept closed by J u+ = 0.
  // hit: guards of the stops that are hit. u [n_u]: rates before and after. The velocities and the
  // modes of frictions of the snapshot become those after the impact.
  Status apply(Snapshot& at, double time, std::span<const int> hit, double window,
               std::vector<double>& u);
  // Sets the rates of frictions that come to rest to exactly 0, together with the rates of the
  // active constraints. The required impulse is small, because these rates are almost zero.
  Status stop_frictions(Snapshot& at, std::span<const int> stopping, std::vector<double>& u);
  // Returns whether a joint that leaves a stop at this rate returns to the stop within the window,
  // at the accelerations of the last evaluation.
  bool is_over(const Row& row, double leaving, double window) const;

  // Return values of the last impact: the work of the drives of prescribed joints, J, and the
  // shortest time from leaving a stop to returning to it, s, infinite if nothing left a stop.
  double driven() const { return driven_; }
  double flight() const { return flight_; }
  void reset_flight() { flight_ = std::numeric_limits<double>::infinity(); }

 private:
  void set_velocities(Snapshot& at, std::span<const double> u) const;

  Motion& motion_;
  Delassus delassus_;
  double driven_ = 0, flight_ = 0;
};

}  // namespace torsor
