#include "editor/probe/plugin_uses.hpp"

#include <fmt/format.h>

#include "editor/session/scene.hpp"
#include "torsor/control/controller_law.hpp"
#include "torsor/handles/trajectory.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::editor {

namespace {

std::string place(const std::string& source) {
  return source.empty() ? "" : fmt::format(" ({})", source);
}

}  // namespace

std::map<std::string, std::vector<std::string>> plugin_uses(const Scene& scene,
                                                            const std::string& solver) {
  std::map<std::string, std::vector<std::string>> out;
  const Experiment& experiment = scene.experiment;
  const Registry& plugins = scene.plugins();
  out[plugins.find<Solver>(solver).id].push_back("solver of the run");
  if (plugins.find<Solver>(experiment.solver).id != plugins.find<Solver>(solver).id)
    out[plugins.find<Solver>(experiment.solver).id].push_back("solver at the start of the run");
  for (const std::string& compared : experiment.compare)
    out[plugins.find<Solver>(compared).id].push_back("compared in the scene");
  for (const Control& control : experiment.load.controls) {
    const std::string name = fmt::format("control '{}' of '{}'", control.name,
                                         scene.model().robots[size_t(control.robot)].name);
    if (const auto* law = dynamic_cast<const ControllerLaw*>(control.law.get())) {
      out[law->controller().id()].push_back(name + place(control.source));
      out[law->controller().dynamics().solver_id()].push_back(fmt::format("model of {}", name));
    }
    const ReferenceLaw* reference = control.law->reference();
    if (reference && reference->trajectory())
      out[reference->trajectory()->id()].push_back(
          fmt::format("reference of {}{}", name, place(control.source)));
  }
  for (const auto& force : experiment.load.forces) out[force->id()].push_back("force in the scene");
  return out;
}

}  // namespace torsor::editor
