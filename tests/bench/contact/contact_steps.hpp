#pragma once
// Measures simulations of scenes with contacts: the time of a step, and errors that a rigid contact
// does not have. The measures are computed from q and v after each step, in the same way for all
// subjects.

#include <string>
#include <vector>

#include "bench/contact/scenes.hpp"

namespace torsor::bench {

// A simulation of one scene, by Torsor or by a library.
struct ContactResult {
  std::string name;    // "Torsor" or the library
  std::string method;  // constraint solver, or the method of the library
  double ns = 0;       // processor time of a step, ns
  // The largest overlap of two shapes in all steps, and in the last one, m
  double largest_penetration = 0, last_penetration = 0;
  // The largest displacement of the centre of a moving shape in the last quarter of the run,
  // divided by the duration of this quarter, m/s
  double creep = 0;
  // The largest rise of the energy above an earlier value, J. The energy is that of bodies,
  // gravity, springs and constant forces, which dampers and contacts without restitution never
  // increase.
  double energy_gain = 0;
  // The largest absolute difference, at the end of a step, between the change of the energy of
  // bodies, gravity and springs since the start and the work of everything else, J
  double energy_error = 0;
  int points = 0;         // contact points that are nearer than 0.1 mm at the end
  std::vector<double> q;  // position at the end, [n_q]
  // false: the simulation is too slow. The time is the mean of the first steps, and there is
  // nothing else.
  bool is_complete = true;
  std::string reason = "";  // why there is no measurement; or ""
};

// Simulates n steps of a scene by time_stepping with each constraint solver for contacts, and by
// each method of the libraries. Repeats this up to `repetitions` times, at most for a few seconds
// each. Times are the shortest ones.
std::vector<ContactResult> measure_contacts(const Experiment& experiment, long long n,
                                            int repetitions);

}  // namespace torsor::bench
