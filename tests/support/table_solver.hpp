#pragma once
// A solver plugin inside the test program: dense closed forms behind the C tables. Each test offers
// some of the functions. The host derives the other quantities from these. A derived result must
// equal that of a plugin that offers the function.

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "support/dense_dynamics.hpp"
#include "torsor/handles/solver.hpp"
#include "torsor/sdk/ext/solver.h"

namespace torsor::test {

// Returns all functions of torsor_solver except the Christoffel symbols. A test removes the
// functions that it does not offer.
torsor_solver dense_solver_table();

class TableSolver : public Plugin {
 public:
  explicit TableSolver(const torsor_solver& table) : table_(table) {
    descriptor_.struct_size = sizeof descriptor_;
    descriptor_.id = "solver.table";
    descriptor_.version = descriptor_.summary = descriptor_.family = "";
    plugin_ = {sizeof plugin_, this, nullptr, nullptr, prepare, get_interface, nullptr};
  }
  torsor_plugin* get() const override { return &plugin_; }
  const torsor_descriptor& descriptor() const override { return descriptor_; }
  std::string report() const override { return reason; }

  torsor_status prepare_status = TORSOR_OK;
  std::string reason;
  bool has_interface = true;

 private:
  static TableSolver& of(const torsor_plugin* p) { return *static_cast<TableSolver*>(p->self); }
  static torsor_status prepare(torsor_plugin* p, const torsor_model*, torsor_sizes* out) {
    out->work_doubles = 1;
    return of(p).prepare_status;
  }
  static const void* get_interface(const torsor_plugin* p, const char* id) {
    return of(p).has_interface && std::string_view(id) == TORSOR_SOLVER ? &of(p).table_ : nullptr;
  }

  torsor_solver table_;
  torsor_descriptor descriptor_{};
  mutable torsor_plugin plugin_{};
};

inline Solver table_solver(const torsor_solver& table, std::shared_ptr<const Model> model) {
  return Solver({std::make_unique<TableSolver>(table)}, std::move(model));
}

}  // namespace torsor::test
