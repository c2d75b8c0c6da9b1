#pragma once
// The inverse dynamics of the plugin newton_euler, linked into this program.

#include <memory>

#include "torsor/sdk/torsor_plugin.h"

namespace torsor::bench {

class LinkedSolver {
 public:
  explicit LinkedSolver(const torsor_model& model);
  ~LinkedSolver();

  // [hot] Computes tau [n_v] from vdot [n_v]. `model` must be the model of the constructor.
  void inverse(const torsor_model& model, const torsor_state& state, const double* vdot,
               double* tau) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torsor::bench
