#pragma once
// Decides, at an event, which frictions stick or slip, which stops are open or closed, and which
// contact points separate, stick or slide.

#include "torsor/simulation/events/contact_forces.hpp"
#include "torsor/simulation/events/impact.hpp"

namespace torsor {

class ModeSwitch {
 public:
  explicit ModeSwitch(Motion& motion) : motion_(motion), impact_(motion), projection_(motion) {}

  // Applies the impacts and mode changes at a snapshot. fallen [guards] flags the guards that have
  // fallen below zero. If none is set, only decides again which frictions stick and which stops
  // stay closed. window: a rebound that would be over within this time, s, is suppressed. Energy
  // lost in impacts counts as Work::stops. The energy that keeps prescribed joints at their rates
  // during impacts counts as Work::motors. That of contact points counts as Work::contact.
  Status apply(Snapshot& at, double time, std::span<const char> fallen, double window);
  // Changes to the next model, at the time of a payload change, and updates the snapshot. Kinetic
  // energy lost when payloads are attached counts as Work::stops. All other energy of payloads
  // counts as Work::changes.
  Status change_payloads(Snapshot& at, double time);
  // Returns the shortest flight after the last call, s (Impact::flight()).
  double flight() const { return impact_.flight(); }

 private:
  bool is_touched(size_t guard, const Snapshot& at) const;
  std::vector<int> find_struck(std::span<const char> fallen) const;
  Status switch_contacts(Snapshot& at, double time, std::span<const char> fallen, double window,
                         std::vector<double>& u);
  void choose_contact_modes(Snapshot& at, size_t first_row, double scale,
                            std::span<const double> of_sticking);
  Status update_modes(Snapshot& at, double time, std::span<const double> u,
                      std::span<const char> fallen, bool struck);
  Status choose_modes(Snapshot& at, double time, std::vector<int> at_rest);
  Status solve_bounds(Snapshot& at, double time, std::span<const int> at_rest,
                      std::vector<AtBound>& bound);

  Motion& motion_;
  Impact impact_;
  ContactProjection projection_;
  Delassus delassus_;
};

}  // namespace torsor
