// Checks that the trace of a solver ends with the same result as the solver's call without a trace.

#include "torsor/analysis/comparison.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/handles/tracer.hpp"
#include "torsor/validation/checks.hpp"
#include "torsor/validation/robot_laws.hpp"

namespace torsor::validation {

namespace {

// Compares the results up to rounding errors, with the engine's body frames and with the link
// frames.
std::string trace(Trial& trial) {
  return worst_on_robots(trial, [&](Case& at, Solver& solver) {
    if (!solver.has_trace()) throw NotApplicable("it reports no recursion");
    add_random_wrenches(at.random, at.state);
    const std::vector<double> given = at.values(4);
    std::vector<double> out(given.size());
    double worst = 0;
    for (const auto frames : {Tracer::Frames::of_bodies, Tracer::Frames::of_links}) {
      Tracer tracer(trial.registry().object(trial.info().id, at.model), at.model, frames);
      const Quantity quantity = tracer.of_forward() ? Quantity::forward : Quantity::inverse;
      require(solver, solver.evaluate(quantity, at.state, given.data(), out.data()),
              name(quantity));
      if (const Status status = tracer.trace(at.state, given); !status)
        throw Failed(tracer.explain(status));
      const Matrix M = mass_matrix(solver, at.state);
      const double cond = symmetric_condition(M);
      const Disagreement off = tracer.of_forward()
                                   ? compare_accelerations(tracer.result(), out, cond)
                                   : compare_entries(tracer.result(), out);
      require_below(
          off.value, off.allowed,
          fmt::format("the result of its trace differs from that of {}", name(quantity)).c_str());
      worst = std::max(worst, off.value);
    }
    return worst;
  });
}

}  // namespace

Checks trace_checks() {
  return {{"trace", "offers", trace}};
}

}  // namespace torsor::validation
