#pragma once
// The table of the quantities of the C interface. Quantities of solvers follow from
// handles/quantity.hpp.

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "torsor/handles/solver.hpp"
#include "torsor/mechanics/centroidal.hpp"
#include "torsor/mechanics/joint_wrenches.hpp"

namespace torsor::capi {

// Memory of the quantities that the engine computes without a solver.
struct EvaluationScratch {
  explicit EvaluationScratch(const Model& model);
  std::vector<Twist<double>> twists;     // [n_body] or more, for the regressor
  std::vector<Pose<double>> poses;       // [n_body]
  std::vector<BodyMotion> motions;       // [n_body]
  std::vector<Wrench<double>> wrenches;  // [n_body]
  CentroidalScratch centroidal;
  Centroidal whole;
};

// The arguments of an evaluation, and its memory.
struct Evaluation {
  Solver& solver;
  State& state;
  const double* x;                // vdot or tau [n_v]; null if the quantity needs neither
  std::span<const Frame> frames;  // frames of the quantities that have a result for each
  EvaluationScratch& scratch;
};

// A result. dims: one letter or digit for each index. v: dof, f: frames, j: joints, p: inertial
// parameters of all bodies. A digit is a constant.
struct ResultRow {
  std::string_view name = {};
  std::string_view dims = {};
};

struct QuantityEntry {
  std::string_view name;
  QuantityInput input;
  std::array<ResultRow, 7> results;  // those without a name are unused
  // Writes the results, one after the other. Throws Error if the quantity is not defined.
  void (*compute)(const Evaluation& evaluation, double* out);
  std::optional<Quantity> solved = {};  // the quantity of a solver, for batches in lanes
  // true: the solver must offer partial derivatives, as BatchSolver computes them
  bool has_inverse_partials = false, has_forward_partials = false;
  size_t n_results() const;
  bool has_frames() const { return results[0].dims.starts_with('f'); }
};

std::span<const QuantityEntry> quantity_entries();

// A quantity by its name in the interface: NAME, or NAME:FRAME.
struct NamedQuantity {
  const QuantityEntry* entry;
  std::span<const Frame> frames;  // all frames of the model, or one
};
// Throws Error if there is no such quantity or frame. Does not allocate.
NamedQuantity find_quantity(const Model& model, std::string_view name);

// Returns the length of an index.
size_t length(char dim, const Model& model, size_t n_frames);
size_t entries(const ResultRow& row, const Model& model, size_t n_frames);
size_t entries(const NamedQuantity& quantity, const Model& model);

}  // namespace torsor::capi
