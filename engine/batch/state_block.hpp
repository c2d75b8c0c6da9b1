#pragma once
// A few states of a batch, one in each lane of a register, as plugins receive them (see
// ext/solver_batch.h).

#include <cstdint>
#include <vector>

#include "torsor/batch/state_batch.hpp"
#include "torsor/mechanics/tree_factor.hpp"

namespace torsor {

// Returns the numbers of the entries of M [n_v][n_v] of dof on the same path to the world, in
// ascending order. The other entries are zero. Returns an empty list if the tree has no branches.
std::vector<uint32_t> path_entries(const Model& model);

// Writes zeros to a result [rows][stride] of all states of a batch, except for the rows `used`,
// which are in ascending order.
void clear_other_rows(const StateBatch& states, std::span<const uint32_t> used, size_t rows,
                      double* to);

class StateBlock {
 public:
  // lanes: 2, 4 or 8
  StateBlock(std::shared_ptr<const Model> model, size_t lanes);

  // Copies the states [first, first + count) of a batch, up to its end; count is at most lanes().
  // The other lanes get the last of these states. Does not allocate.
  void load(const StateBatch& batch, size_t first, size_t count);
  // Copies the same states of an array [rows][stride], in the layout of the last load(), to
  // [rows][lanes].
  void load_rows(const double* from, size_t rows, double* to) const;
  // Writes the lanes of a result [rows][lanes] to [rows][stride], without those that repeat a
  // state.
  void store_rows(const double* from, size_t rows, double* to) const;
  // Writes the rows `used` of a result only.
  void store_rows(const double* from, std::span<const uint32_t> used, double* to) const;
  // Returns whether all numbers in the rows `used` of a result are finite.
  bool are_finite(const double* from, std::span<const uint32_t> used) const;
  size_t lanes() const { return lanes_; }

  // Returns the states in the form that plugins receive. The view is valid until the next load().
  torsor_state view(bool with_poses, bool with_pivots);

 private:
  void evaluate_poses();
  template <int lanes>
  void evaluate_poses_in_lanes();
  void evaluate_pivots();

  std::shared_ptr<const Model> model_;
  size_t lanes_, first_ = 0, used_ = 0, stride_ = 0;
  LentArray<double> q_, v_, X_PB_, F_B_, V_W_, A_W_, min_pivot_;  // [..][lanes]
  LentArray<double> angle_, sine_, cosine_;                       // [n_body][lanes]
  std::vector<double> one_q_;                                     // [n_q]
  std::vector<Pose<double>> one_X_PB_;                            // [n_body]
  MinPivots pivots_;
  bool wrenched_ = false;
};

}  // namespace torsor
