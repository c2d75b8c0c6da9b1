#include "torsor/batch/batch_quantity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"

namespace torsor {

namespace {

// Returns the unit of a derivative of `numerator`, the unit of an entry, along q or v.
std::function<std::string(bool, bool)> along(UnitRule* numerator, const char* of_angle,
                                             const char* of_length) {
  return [=](bool i, bool j) {
    return fmt::format("({})/({})", numerator(std::span(&i, 1)), j ? of_angle : of_length);
  };
}
std::function<std::string(bool, bool)> of_entry(UnitRule* rule) {
  return [rule](bool i, bool j) {
    const std::array turns{i, j};
    return rule(turns);
  };
}

}  // namespace

std::vector<BatchQuantity> batch_quantities() {
  std::vector<BatchQuantity> all;
  for (const QuantityRow& row : quantities) {
    const Quantity q = row.quantity;
    if (row.indices > 2) continue;
    all.push_back({row.key,
                   {{row.key, row.indices == 2, of_entry(row.unit)}},
                   [q](BatchSolver& solver, StateBatch& states, const double* vdot,
                       const double* tau, double* const* out) {
                     return solver.evaluate(q, states, given_of(q, vdot, tau), out[0]);
                   },
                   [q](const BatchSolver& solver) { return solver.is_in_lanes(q); }});
  }
  all.push_back({"inverse_dynamics_partials",
                 {{"dtau_dq", true, along(unit_of_torque, "rad", "m")},
                  {"dtau_dv", true, along(unit_of_torque, "rad/s", "m/s")}},
                 [](BatchSolver& solver, StateBatch& states, const double* vdot, const double*,
                    double* const* out) {
                   return solver.inverse_partials(states, vdot, {out[0], out[1]});
                 },
                 [](const BatchSolver& solver) { return solver.has_inverse_partials_in_lanes(); }});
  all.push_back({"forward_dynamics_partials",
                 {{"dvdot_dq", true, along(unit_of_acceleration, "rad", "m")},
                  {"dvdot_dv", true, along(unit_of_acceleration, "rad/s", "m/s")},
                  {"dvdot_dtau", true, of_entry(unit_of_inverse_inertia)}},
                 [](BatchSolver& solver, StateBatch& states, const double*, const double* tau,
                    double* const* out) {
                   return solver.forward_partials(states, tau, {out[0], out[1], out[2]});
                 },
                 [](const BatchSolver& solver) { return solver.has_forward_partials_in_lanes(); }});
  return all;
}

std::vector<BatchQuantity> batch_quantities(const std::vector<std::string>& names,
                                            const Solver& solver, const std::string& what) {
  const std::vector<BatchQuantity> all = batch_quantities();
  std::vector<std::string> known;
  for (const BatchQuantity& quantity : all) known.push_back(quantity.name);
  if (names.empty())
    throw Error(fmt::format("{}: choose quantities: {}", what, fmt::join(known, ", ")));
  std::vector<BatchQuantity> chosen;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(all, name, &BatchQuantity::name);
    if (found == all.end())
      throw Error(fmt::format("{}: '{}' is not a quantity of many states{}; there are {}", what,
                              name, did_you_mean(name, known), fmt::join(known, ", ")));
    if (std::ranges::count(names, name) > 1)
      throw Error(fmt::format("{}: '{}' is listed twice", what, name));
    if (found->results.size() > 1 && !solver.has_partials())
      throw Error(fmt::format("{}: {}", what, solver.explain({Status::no_partials})));
    chosen.push_back(*found);
  }
  return chosen;
}

}  // namespace torsor
