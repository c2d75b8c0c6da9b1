#pragma once
// Locates the first event within a step of the integrator: the first zero of the lowest guard.

#include "torsor/integration/integrator.hpp"
#include "torsor/simulation/events/guards.hpp"

namespace torsor {

// Thrown if the motion cannot be evaluated. Motion::failure() contains the reason.
struct MotionFailed {};

struct EventTimes {
  double before, after;  // times on both sides of the first zero of a guard, s
};

class EventLocator {
 public:
  explicit EventLocator(Motion& motion);

  // The functions throw MotionFailed. modes [guards]: the modes during the step.
  //
  // Stores the guards at the start of a step.
  void begin(const Stepper& stepper);
  // Returns the first event between t0, the start of the step, and the stepper's time.
  std::optional<EventTimes> find(Stepper& stepper, double t0, std::span<const double> modes);
  // Flags the guards [guards] that are below zero after the event. strikes() then returns whether
  // one of them is that of an open stop or of a separate contact point.
  std::span<const char> fallen(Stepper& stepper, const EventTimes& event,
                               std::span<const double> modes);
  bool strikes() const { return strikes_; }

 private:
  double lowest(std::span<const double> guards) const;
  double lowest_guard(Stepper& stepper, double t);
  std::optional<double> grazing(Stepper& stepper, double t0, std::span<const double> modes);
  EventTimes search(Stepper& stepper, double t0, double t);

  Guards guards_;
  size_t first_stop_;
  std::vector<double> z_;
  // Guards, and rates of stops and gaps at both ends of a step.
  std::vector<double> g0_, g1_, approach0_, approach1_;
  std::vector<char> fallen_, idle_;
  bool strikes_ = false;
};

}  // namespace torsor
