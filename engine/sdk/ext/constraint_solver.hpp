#pragma once
// Builds the table torsor_constraint_solver from the members of a plugin struct P
// ("constraint_solver.name"). constraint_view.hpp has tools for its functions.
//   solve                  const, (problem, work, torsor_constraint_result&); returns torsor_status
//   work_size              const, (const torsor_constraint_size&); returns size_t, throws errors;
//                          optional
//   handles_friction       static constexpr bool; optional, false without it

#include "torsor/sdk/adapter.hpp"
#include "torsor/sdk/ext/constraint_solver.h"

TORSOR_MINIMAL_SIZE(torsor_constraint_factor, n_values);
TORSOR_MINIMAL_SIZE(torsor_constraint_problem, factor);
TORSOR_MINIMAL_SIZE(torsor_constraint_size, n_factor);
TORSOR_MINIMAL_SIZE(torsor_constraint_result, residual);
TORSOR_MINIMAL_SIZE(torsor_constraint_solver, solve);

namespace torsor::sdk::detail {

TORSOR_SDK_MEMBER(solve)
TORSOR_SDK_MEMBER(work_size)

template <class P>
torsor_status constraint_work_size(const torsor_plugin* p, const torsor_constraint_size* size,
                                   size_t* doubles) {
  const Adapter<P>& adapter = Adapter<P>::of(p);
  return guarded(adapter.host, [&]() -> torsor_status {
    *doubles = adapter.plugin.work_size(*size);
    return TORSOR_OK;
  });
}
template <class P>
torsor_status solve_constraints(const torsor_plugin* p, const torsor_constraint_problem* problem,
                                double* work, torsor_constraint_result* out) {
  const Adapter<P>& adapter = Adapter<P>::of(p);
  return guarded(adapter.host, [&] {
    return write_covered(out, [&](torsor_constraint_result& result) {
      return adapter.plugin.solve(*problem, work, result);
    });
  });
}
template <class P>
constexpr bool offers_solve =
    has_member<const P, Call_solve, torsor_status, const torsor_constraint_problem&, double*,
               torsor_constraint_result&>();
template <class P>
constexpr torsor_constraint_solver make_constraint_solver() {
  torsor_constraint_solver table{};
  table.struct_size = sizeof(torsor_constraint_solver);
  if constexpr (requires { P::handles_friction; }) table.handles_friction = P::handles_friction;
  if constexpr (offers_solve<P>) table.solve = &solve_constraints<P>;
  if constexpr (has_member<const P, Call_work_size, size_t, const torsor_constraint_size&>())
    table.work_size = &constraint_work_size<P>;
  return table;
}

struct ConstraintSolverInterface {
  static constexpr std::string_view kind = "constraint_solver";
  static constexpr const char* id = TORSOR_CONSTRAINT_SOLVER;
  template <class P>
  static constexpr torsor_constraint_solver table = make_constraint_solver<P>();
  template <class P>
  static constexpr bool is_offered() {
    static_assert(offers_solve<P>, "a constraint solver offers solve");
    return true;
  }
};

}  // namespace torsor::sdk::detail
