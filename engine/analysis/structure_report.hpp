#pragma once
// Checks the results of a solver at random states against laws that are true for every robot
// (KHALIL 7.3.3.3, JIN 43-46). Also reports the sizes of M, C and g.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "torsor/handles/solver.hpp"

namespace torsor {

struct LawResult {
  std::string name, meaning;
  double allowed;
  double worst = 0;     // largest error relative to its terms; infinite if it cannot be computed
  int state = 0;        // 1-based number of the state with the largest error
  std::string failure;  // message of the solver if it failed in that state, or ""
  bool skipped = false;

  bool broken() const { return !skipped && !(worst <= allowed); }
};

struct Spread {
  double least, median, largest;
  int least_state, largest_state;  // 1-based numbers of the states
};

enum class Factorisation { christoffel, bodies, other, unknown };

struct StructureReport {
  std::vector<LawResult> laws;
  // Eigenvalues and condition number of M over all states. Their units are mixed if some joints
  // rotate and others translate.
  Spread smallest_eigenvalue, largest_eigenvalue, condition;
  // The joint velocities of unit norm with the minimum kinetic energy, as a string. Small entries
  // are omitted. The velocities are those of the state with the smallest eigenvalue.
  std::string lightest;
  Factorisation factorisation = Factorisation::unknown;
  // The largest |C| / |v| and |g| over all states, in 2-norms (KHALIL 7.3.3.3 g). The corresponding
  // bound of |M| is largest_eigenvalue.
  double coriolis_bound = 0, gravity_bound = 0;
  // Joints that translate without limits and change M. The lengths of lever arms then have no
  // bound, so M, C and g have no constant bounds either.
  std::vector<int> endless;  // indices of Model::joints

  bool broken() const;
};

// Returns a description of the factorisation of C, such as "Christoffel's: C_ij = sum_k G_ijk v_k
// (JIN 45)".
const char* describe(Factorisation factorisation);

// Inspects the equations of motion of a solver at random states. Positions are within the limits of
// the joints. Without limits, they are within half a turn or 1 m of zero. Mimic joints follow the
// joints that they mimic. Velocities are within +-2 rad/s or m/s, accelerations within +-5 rad/s^2
// or m/s^2.
class StructureInspection {
 public:
  using MakeSolver = std::function<Solver(std::shared_ptr<const Model>)>;
  // The solver must outlive this object. make: prepares the same solver for models with other
  // inertias. Laws about inertias are skipped without it, or if it throws UnsupportedModel.
  StructureInspection(Solver& solver, const Vec3<double>& gravity_W, uint64_t seed,
                      const MakeSolver& make = {});
  ~StructureInspection();

  void check_state();  // inspects one more random state
  StructureReport report() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torsor
