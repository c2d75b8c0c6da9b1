#pragma once
// Calls a solver plugin through its C tables, without the host, to check which memory it writes.

#include <memory>
#include <string>
#include <vector>

#include "support/agreement.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/sdk/ext/solver.h"
#include "torsor/sdk/ext/solver_partials.h"
#include "torsor/sdk/ext/solver_rates.h"
#include "torsor/sdk/ext/solver_trace.h"

namespace torsor::test {

// A work area as the ABI requires: aligned to 64 bytes, with any contents.
class WorkArea {
 public:
  explicit WorkArea(size_t doubles, double filling = 0) : storage_(doubles + 8, filling) {
    void* at = storage_.data();
    size_t space = storage_.size() * sizeof(double);
    data_ = static_cast<double*>(std::align(64, doubles * sizeof(double), at, space));
  }
  double* data() { return data_; }

 private:
  std::vector<double> storage_;
  double* data_;
};

class RawSolver {
 public:
  // Loads the file, creates the plugin and prepares it for the model. The arrays of the model must
  // outlive this object. Throws std::runtime_error.
  RawSolver(const PluginInfo& info, const torsor_model& model);
  ~RawSolver();
  RawSolver(const RawSolver&) = delete;
  RawSolver& operator=(const RawSolver&) = delete;

  long allocations_of_setup() const { return allocations_of_setup_; }

  // Returns whether the plugin offers the hot function of a quantity.
  bool offers(Quantity quantity) const;
  // Calls the hot function of a quantity, with min_pivot zero. Any thread may call it. `in` [n_v]
  // is the argument of inverse and forward. `work` has work_doubles() numbers, `out` has
  // out_size(quantity).
  torsor_status call(Quantity quantity, const torsor_state& state, const double* in, double* work,
                     double* out) const;
  // The tables of derivatives (null if the plugin does not offer them) and the arguments of their
  // functions.
  const torsor_solver_partials* partials() const { return partials_; }
  const torsor_solver_rates* rates() const { return rates_; }
  const torsor_plugin* plugin() const { return plugin_; }
  const torsor_model* model() const { return &model_; }
  const double* min_pivot() const { return min_pivot_.data(); }
  size_t work_doubles() const { return sizes_.work_doubles; }
  size_t out_size(Quantity quantity) const;

 private:
  void* file_ = nullptr;
  torsor_host host_{};
  torsor_plugin* plugin_ = nullptr;
  const torsor_solver* table_ = nullptr;
  const torsor_solver_partials* partials_ = nullptr;
  const torsor_solver_rates* rates_ = nullptr;
  torsor_model model_;
  // Zeros [n_v]. Then a pivot counts as singular only if it is not positive.
  std::vector<double> min_pivot_;
  torsor_sizes sizes_{sizeof(torsor_sizes), 0, 0, 0};
  long allocations_of_setup_ = 0;
};

// Returns a quantity as the plugin computes it: a column [n_v], a matrix [n_v][n_v], or symbols as
// n_v rows of n_v^2 numbers. Returns an empty matrix if the plugin does not offer the quantity. A
// call that fails is a test failure.
Matrix ask_plugin(const PluginInfo& info, const torsor_model& model, const torsor_state& state,
                  Quantity quantity, const Vector& in);

}  // namespace torsor::test
