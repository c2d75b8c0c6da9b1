#pragma once
// Functions that load scenes from text and run them, with the plugins of this build.

#include <iterator>
#include <memory>
#include <sstream>
#include <string>

#include "scripting/script_file.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/run/run.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"
#include "torsor/symbolic/generated_solver.hpp"

namespace torsor::test {

// Returns the plugins of this build.
inline const Registry& registry() {
  static const Registry found = [] {
    Registry plugins({TORSOR_PLUGIN_DIR});
    symbolic::add_generated_solver(plugins);
    return plugins;
  }();
  return found;
}
inline Experiment load_with_plugins(const std::string& text) {
  const ScriptFolder folder;
  return load_scene(folder.write("scene.lua", text), {}, &registry());
}
// Returns a run of the experiment, executed to its end. Uses the plugins with which the experiment
// was loaded, or those of this build.
inline std::unique_ptr<Run> finished(const Experiment& experiment) {
  Experiment made = experiment;
  if (!made.plugins) set_plugins(made, std::make_shared<const Registry>(registry()));
  auto run = std::make_unique<Run>(made);
  run->execute([](std::span<const double>) {}, [](const Simulation&) { return true; });
  return run;
}
// Returns the numbers of a printed line.
inline std::vector<double> numbers(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<double>(in), {}};
}

}  // namespace torsor::test
