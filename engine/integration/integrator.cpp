#include "torsor/integration/integrator.hpp"

#include "torsor/integration/one_step_methods.hpp"
#include "torsor/integration/sundials_methods.hpp"

namespace torsor {

namespace {

struct Method {
  const char* name;
  bool adaptive;
  std::unique_ptr<Stepper> (*make)(Integrator, const Tolerances&, System&);
};
template <std::unique_ptr<Stepper> (*make)(System&)>
std::unique_ptr<Stepper> fixed(Integrator, const Tolerances&, System& system) {
  return make(system);
}
// The methods in the order of Integrator.
constexpr Method methods[] = {
    {"euler", false, fixed<make_euler>},
    {"semi_implicit_euler", false, fixed<make_semi_implicit_euler>},
    {"rk4", false, fixed<make_rk4>},
    {"implicit_midpoint", false, make_runge_kutta},
    {"dormand_prince", true, make_runge_kutta},
    {"fehlberg", true, make_runge_kutta},
    {"dirk", true, make_runge_kutta},
    {"bdf", true,
     [](Integrator, const Tolerances& tolerances, System& system) {
       return make_bdf(tolerances, system);
     }},
};
static_assert(std::size(methods) == size_t(Integrator::bdf) + 1);

}  // namespace

const char* name(Integrator integrator) {
  return methods[int(integrator)].name;
}
bool is_adaptive(Integrator integrator) {
  return methods[int(integrator)].adaptive;
}
std::vector<std::string> integrator_names() {
  std::vector<std::string> names;
  for (const Method& method : methods) names.emplace_back(method.name);
  return names;
}
std::optional<Integrator> integrator(std::string_view name) {
  for (int k = 0; k < int(std::size(methods)); ++k)
    if (methods[k].name == name) return Integrator(k);
  return std::nullopt;
}

std::unique_ptr<Stepper> make_stepper(Integrator integrator, const Tolerances& tolerances,
                                      System& system) {
  return methods[int(integrator)].make(integrator, tolerances, system);
}

}  // namespace torsor
