#pragma once
// Checks laws that are true for the equations of motion of every robot (KHALIL 7.3.3.3, JIN 43-46),
// with the results of a solver at random states. Also reports how large these results are.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "torsor/handles/solver.hpp"

namespace torsor {

struct LawResult {
  std::string name, meaning;
  double allowed;
  double worst = 0;     // relative to the size of the terms; infinite if there is no number
  int state = 0;        // number of the worst state, from 1
  std::string failure;  // failure of the solver in that state
  bool skipped = false;

  bool broken() const { return !skipped && !(worst <= allowed); }
};

struct Spread {
  double least, median, largest;
  int least_state, largest_state;  // from 1
};

enum class Factorisation { christoffel, bodies, other, unknown };

struct StructureReport {
  std::vector<LawResult> laws;
  // Eigenvalues of M in the states in which they were found. They mix units if some joints turn and
  // others slide.
  Spread smallest_eigenvalue, largest_eigenvalue, condition;
  // Joint velocities of unit norm with the least kinetic energy, as text without the small entries.
  // They belong to the state with the smallest eigenvalue.
  std::string lightest;
  Factorisation factorisation = Factorisation::unknown;
  // KHALIL 7.3.3.3 g: the largest |C| / |v| and |g| in these states, in 2-norms. The bound of |M|
  // is largest_eigenvalue.
  double coriolis_bound = 0, gravity_bound = 0;
  // Joints that slide without limits and change M when they do. They are levers of unlimited
  // length, so no constants bound M, C and g.
  std::vector<int> endless;  // indices of Model::joints

  bool broken() const;
};

// Returns how a solver's C is factorised: "Christoffel's: C_ij = sum_k G_ijk v_k (JIN 45)".
const char* describe(Factorisation factorisation);

// Inspects the equations of motion of a solver at random states. Positions are within the limits of
// the joints, otherwise within half a turn or 1 m of zero. A joint that mimics another one follows
// it. Velocities are within +-2 rad/s or m/s, accelerations within +-5 rad/s^2 or m/s^2.
class StructureInspection {
 public:
  // Inspects a solver, which must outlive this object.
  StructureInspection(Solver& solver, const Vec3<double>& gravity_W, uint64_t seed);
  ~StructureInspection();

  void look();  // inspects one more state
  StructureReport report() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torsor
