#include "torsor/integration/integrator.hpp"

#include "torsor/integration/one_step_methods.hpp"
#include "torsor/integration/sundials_methods.hpp"

namespace torsor {

namespace {

struct Method {
  IntegratorTraits traits;
  std::unique_ptr<Stepper> (*make)(const Tolerances&, System&);
};
template <std::unique_ptr<Stepper> (*make)(System&)>
std::unique_ptr<Stepper> fixed(const Tolerances&, System& system) {
  return make(system);
}
using enum Integrator;
// The methods in the order of Integrator. dirk and bdf would solve a linear system of all
// derivatives, so plans replace them by an explicit method with the same tolerances.
constexpr Method methods[] = {
    {{.name = "euler",
      .stability_limit = 2,
      .amplifies_oscillations = true,
      .linearised = {euler, 1, 40}},
     fixed<make_euler>},
    {{.name = "semi_implicit_euler",
      .stability_limit = 2,
      .has_implicit_damping = true,
      .linearised = {semi_implicit_euler, 1, 60}},
     fixed<make_semi_implicit_euler>},
    {{.name = "rk4", .stability_limit = 2.78, .linearised = {rk4, 4, 65}}, fixed<make_rk4>},
    {{.name = "implicit_midpoint",
      .balances_any_work = true,
      .linearised = {implicit_midpoint, 6, 90}},
     make_implicit_midpoint},
    {{.name = "dormand_prince", .is_adaptive = true, .linearised = {dormand_prince, 14, 130}},
     make_dormand_prince},
    {{.name = "fehlberg", .is_adaptive = true, .linearised = {fehlberg, 14, 170}}, make_fehlberg},
    {{.name = "dirk", .is_adaptive = true, .linearised = {dormand_prince, 14, 130}}, make_dirk},
    {{.name = "bdf", .is_adaptive = true, .linearised = {dormand_prince, 14, 130}}, make_bdf},
};
static_assert(std::size(methods) == size_t(bdf) + 1);

}  // namespace

const IntegratorTraits& traits(Integrator integrator) {
  return methods[int(integrator)].traits;
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
  for (int k = 0; k < int(std::size(methods)); ++k)
    if (methods[k].traits.name == name) return Integrator(k);
  return std::nullopt;
}

std::unique_ptr<Stepper> make_stepper(Integrator integrator, const Tolerances& tolerances,
                                      System& system) {
  return methods[int(integrator)].make(tolerances, system);
}

}  // namespace torsor
