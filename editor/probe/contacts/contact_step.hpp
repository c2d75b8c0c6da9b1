#pragma once
// The contacts of the step that starts at a state: the forces and the mode of each point, and how
// well the impulses satisfy the laws of contact (torsor/simulation/steppers/contact_impulses.hpp).

#include <string>
#include <vector>

#include "torsor/analysis/constraint_comparison.hpp"
#include "torsor/simulation/simulation.hpp"
#include "torsor/simulation/steppers/contact_impulses.hpp"

namespace torsor::editor {

enum class ContactMode {
  separate,      // lambda_n = 0
  stick,         // no tangential velocity after the step
  slide,         // a tangential velocity after the step
  frictionless,  // a force along the normal only: mu is 0
};
const char* name(ContactMode mode);

struct ContactStepPoint {
  ContactForce force;
  ContactMode mode;
  // Magnitudes: the normal force, the friction force, and its limit mu N, in N, and the tangential
  // velocity after the step, m/s.
  double normal = 0, friction = 0, limit = 0, slip = 0;
};

struct ContactStep {
  double time = 0;       // of the state, s
  bool possible = true;  // false: no shapes can touch, so that there are no contacts
  std::vector<ContactStepPoint> points;
  ContactProblem problem;  // of the impulses, with the same points
  ContactLawErrors laws;   // how well the impulses satisfy the laws
  // The solution of the same problem by the active constraint solver.
  std::string solver;  // its id
  int iterations = 0;
  double ns = 0;  // time of the call
  std::string failure;

  // Returns whether the integrator locates the contacts, so that there is no problem of impulses.
  bool is_located() const { return !points.empty() && problem.size() == 0; }
};

// solver: has the active constraint solver for the model of the simulation, and solves the problem
// once more.
ContactStep contact_step(Simulation& simulation, MultiplierSolver& solver);

}  // namespace torsor::editor
