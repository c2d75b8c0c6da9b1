#include "torsor/integration/integrator.hpp"

#include "torsor/integration/one_step_methods.hpp"
#include "torsor/integration/sundials_methods.hpp"
#include "torsor/integration/variation.hpp"

namespace torsor {

namespace {

using enum Integrator;

struct Method {
  Integrator integrator;
  IntegratorTraits traits;
  std::unique_ptr<Stepper> (*make)(const Tolerances&, System&);
  // Makes the stepper of a pair (variation.hpp). If null, `make` does so, with the pair as system.
  std::unique_ptr<Stepper> (*make_pair)(System& state, System& pair) = nullptr;
};
template <std::unique_ptr<Stepper> (*make)(System&)>
std::unique_ptr<Stepper> fixed(const Tolerances&, System& system) {
  return make(system);
}
// The methods in the order of Integrator. dirk and bdf would solve a linear system of all
// derivatives, so plans replace them by an explicit method with the same tolerances.
constexpr Method methods[] = {
    {euler,
     {.name = "euler",
      .order = 1,
      .stability_limit = 2,
      .amplifies_oscillations = true,
      .linearised = {euler, 1, 40}},
     fixed<make_euler>},
    {semi_implicit_euler,
     {.name = "semi_implicit_euler",
      .order = 1,
      .stability_limit = 2,
      .has_implicit_damping = true,
      .linearised = {semi_implicit_euler, 1, 60}},
     fixed<make_semi_implicit_euler>},
    {time_stepping,
     {.name = "time_stepping",
      .order = 1,
      .stability_limit = 2,
      .has_implicit_damping = true,
      .linearised = {semi_implicit_euler, 1, 60}},
     fixed<make_semi_implicit_euler>},  // only for systems other than a Motion
    {rk4,
     {.name = "rk4", .order = 4, .stability_limit = 2.78, .linearised = {rk4, 4, 65}},
     fixed<make_rk4>},
    {implicit_midpoint,
     {.name = "implicit_midpoint",
      .order = 2,
      .balances_any_work = true,
      .linearised = {implicit_midpoint, 6, 90}},
     fixed<make_implicit_midpoint>,
     make_midpoint_pair},
    {dormand_prince,
     {.name = "dormand_prince",
      .order = 5,
      .is_adaptive = true,
      .linearised = {dormand_prince, 14, 130}},
     make_dormand_prince},
    {fehlberg,
     {.name = "fehlberg", .order = 8, .is_adaptive = true, .linearised = {fehlberg, 14, 170}},
     make_fehlberg},
    {dirk,
     {.name = "dirk", .order = 5, .is_adaptive = true, .linearised = {dormand_prince, 14, 130}},
     make_dirk},
    {bdf,
     {.name = "bdf", .order = 0, .is_adaptive = true, .linearised = {dormand_prince, 14, 130}},
     make_bdf},
};
static_assert(
    [] {
      for (size_t k = 0; k < std::size(methods); ++k)
        if (size_t(methods[k].integrator) != k) return false;
      return std::size(methods) == size_t(bdf) + 1;
    }(),
    "each integrator has a row, at its place");

const Method& row_of(Integrator integrator) {
  return methods[size_t(integrator)];
}

}  // namespace

const IntegratorTraits& traits(Integrator integrator) {
  return row_of(integrator).traits;
}
const char* name(Integrator integrator) {
  return traits(integrator).name;
}
std::vector<std::string> integrator_names() {
  std::vector<std::string> names;
  for (const Method& method : methods) names.emplace_back(method.traits.name);
  return names;
}
std::optional<Integrator> integrator(std::string_view name) {
  for (const Method& method : methods)
    if (method.traits.name == name) return method.integrator;
  return std::nullopt;
}

std::unique_ptr<Stepper> make_stepper(Integrator integrator, const Tolerances& tolerances,
                                      System& system) {
  return row_of(integrator).make(tolerances, system);
}
std::unique_ptr<Stepper> make_pair_stepper(Integrator integrator, const Tolerances& tolerances,
                                           System& state, System& pair) {
  const Method& method = row_of(integrator);
  return method.make_pair ? method.make_pair(state, pair) : method.make(tolerances, pair);
}

}  // namespace torsor
