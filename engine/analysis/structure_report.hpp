#pragma once
// What holds of the equations of motion of every robot (KHALIL 7.3.3.3, JIN 43-46), checked with
// the numbers of a solver at random states, and how large these numbers are.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "torsor/plugin/solver.hpp"

namespace torsor {

struct LawResult {
  std::string name, meaning;
  double allowed;
  double worst = 0;     // of the size of the terms; infinite where there is no number
  int state = 0;        // of the worst, from 1
  std::string failure;  // of the solver there
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
  // Of M, where its eigenvalues were found: eigenvalues mix units where joints turn and slide.
  Spread smallest_eigenvalue, largest_eigenvalue, condition;
  // The rates of joints that take the least energy, where the smallest eigenvalue was least; the
  // larger of them.
  std::string lightest;
  Factorisation factorisation = Factorisation::unknown;
  // KHALIL 7.3.3.3 g: the largest |C| / |v| and |g| of these states, in 2-norms; |M| is
  // largest_eigenvalue.
  double coriolis_bound = 0, gravity_bound = 0;
  // Joints that slide without limits and change M as they do: levers without end, so that no
  // constants bound M, C and g.
  std::vector<int> endless;  // of Model::joints

  bool broken() const;
};

// How a solver's C is made: "Christoffel's: C_ij = sum_k G_ijk v_k (JIN 45)".
const char* describe(Factorisation factorisation);

// Takes one random state after the other. Positions are within the joints' limits, else within half
// a turn or 1 m of zero either way, and mimics follow; velocities up to 2 and accelerations up
// to 5.
class StructureInspection {
 public:
  // The solver must outlive it.
  StructureInspection(Solver& solver, const Vec3<double>& gravity_W, uint64_t seed);
  ~StructureInspection();

  void look();  // at one more state
  StructureReport report() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torsor
