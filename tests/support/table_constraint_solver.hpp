#pragma once
// A constraint solver inside the test program.

#include <functional>
#include <utility>

#include "torsor/plugin/plugin.hpp"
#include "torsor/sdk/ext/constraint_solver.h"

namespace torsor::test {

// A plugin that returns a given result. It supports up to 50 rows.
class TableConstraintSolver : public Plugin {
 public:
  using Law =
      std::function<torsor_status(const torsor_constraint_problem&, torsor_constraint_result&)>;

  explicit TableConstraintSolver(Law law) : law_(std::move(law)) {
    descriptor_.struct_size = sizeof descriptor_;
    descriptor_.id = "constraint_solver.table";
    descriptor_.version = "1.0";
    descriptor_.summary = descriptor_.family = "";
    plugin_ = {sizeof plugin_, this, nullptr, nullptr, prepare, get_interface, nullptr};
  }
  torsor_plugin* get() const override { return &plugin_; }
  const torsor_descriptor& descriptor() const override { return descriptor_; }
  std::string report() const override { return ""; }

 private:
  static torsor_status prepare(torsor_plugin*, const torsor_model*, torsor_sizes*) {
    return TORSOR_OK;
  }
  static torsor_status work_size(const torsor_plugin*, const torsor_constraint_size* size,
                                 size_t*) {
    return size->n > 50 ? TORSOR_UNSUPPORTED : TORSOR_OK;
  }
  static torsor_status solve(const torsor_plugin* p, const torsor_constraint_problem* problem,
                             double*, torsor_constraint_result* out) {
    return static_cast<TableConstraintSolver*>(p->self)->law_(*problem, *out);
  }
  static const void* get_interface(const torsor_plugin*, const char*) {
    static constexpr torsor_constraint_solver table{sizeof(torsor_constraint_solver), 1, work_size,
                                                    solve};
    return &table;
  }

  Law law_;
  torsor_descriptor descriptor_{};
  mutable torsor_plugin plugin_{};
};

}  // namespace torsor::test
