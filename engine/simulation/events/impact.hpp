#pragma once
// Impacts: changes of velocity in an instant.

#include "torsor/simulation/events/contact_modes.hpp"
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
  //
  // struck: contact points that approach each other. All points that touch take part, those that
  // touched before with e = 0, and all with impulses of friction in their cones. Newton's law can
  // increase the energy of several contacts (Kane's paradox); all e are then halved until it does
  // not. Afterwards, the modes of points that leave each other are 0. Others stick or slide by
  // their velocities, and their small normal rates are left to ContactProjection.
  Status apply(Snapshot& at, double time, std::span<const int> hit, std::span<const int> struck,
               double window, std::vector<double>& u);
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
  // The rows of contact points in an impact, copied because each evaluation of the motion changes
  // those of ContactModes.
  struct ContactRowsInImpact {
    std::vector<int> points;
    std::vector<ContactRow> at;
    std::vector<Row> rows;
    std::vector<double> restitution;  // [points]
    std::vector<char> is_kept;        // [points] true: does not leave, whatever its rate
    std::vector<torsor_friction> frictions;
    std::vector<double> bias;  // [points] of the normal accelerations
  };
  ContactRowsInImpact contact_rows(const Snapshot& at, std::span<const int> struck);
  size_t point_of_row(const ContactRowsInImpact& contacts, int row) const;
  void set_contact_modes(Snapshot& at, const ContactRowsInImpact& contacts,
                         std::span<const double> u, double rounding) const;
  void set_velocities(Snapshot& at, std::span<const double> u) const;

  Motion& motion_;
  Delassus delassus_;
  double driven_ = 0, flight_ = 0;
};

}  // namespace torsor
