#pragma once
// The rows of joints in the problem of contact_impulses.hpp: dry frictions, then stops.

#include <span>
#include <vector>

#include "torsor/contact/contact_rows.hpp"
#include "torsor/simulation/motion.hpp"

namespace torsor {

class JointRows {
 public:
  explicit JointRows(const Motion& motion) : motion_(motion) {}

  // Selects the stops that are closed, or that are reached in a step h from the present position.
  // u, free: [n_u] the rates at the start of the step, and those at its end without impulses.
  void select_stops(double h, std::span<const double> u, std::span<const double> free);
  // Adds the stops that joints pass by more than `overlap` at the rates `after` [n_u] of the end of
  // the step. Returns whether there are any.
  bool add_passed_stops(double h, std::span<const double> after, double overlap);
  // Appends the rows of all frictions that can stick, and those of the selected stops.
  void append(double h, std::span<const double> u, ContactRows& rows);

  // Row first_friction() + k is that of frictions()[k], and row first_stop() + k that of
  // stops()[k]. These are indices in Mechanism::frictions and Mechanism::stops.
  size_t first_friction() const { return first_friction_; }
  size_t first_stop() const { return first_friction_ + frictions_.size(); }
  std::span<const size_t> frictions() const { return frictions_; }
  std::span<const size_t> stops() const { return stops_; }
  // Returns the largest impulse of each friction, [frictions()], N s or N m s.
  std::span<const double> limits() const { return limits_; }
  // A stop without a row, with its distance at the end of the step.
  struct OpenStop {
    const Row* row;
    double gap;
  };
  // Returns the stops that are not selected. after: [n_u] the rates at the end of the step.
  std::vector<OpenStop> open_stops(double h, std::span<const double> after) const;
  // Returns the distance to a stop of Mechanism::stops at the present position, m or rad.
  double gap(size_t stop) const;
  // Writes the modes (Snapshot::modes) that follow from the impulses and the rates of all rows.
  void write_modes(std::span<const double> impulses, std::span<const double> rates,
                   std::span<double> modes) const;
  // Returns words that name a row: "the stop of joint 'elbow'".
  std::string describe(size_t row) const;

 private:
  const Motion& motion_;
  size_t first_friction_ = 0;
  std::vector<size_t> frictions_, stops_;
  std::vector<double> limits_;
  std::vector<char> is_selected_;  // [Mechanism::stops]
};

}  // namespace torsor
