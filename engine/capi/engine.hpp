#pragma once
// The handle torsor_engine, and the options for loading files.

#include <memory>
#include <string>

#include "torsor/capi/boundary.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/host/trust.hpp"
#include "torsor/run/run_settings.hpp"
#include "torsor/scripting/scene/script.hpp"

struct torsor_engine {
  std::shared_ptr<const torsor::Registry> plugins;
  torsor::Permission permission;
  std::string scripts;
  void (*print)(void* user, const char* line);
  void* user;
  std::string warnings;

  // Returns the options of a script. The engine must outlive their use.
  torsor::ScriptOptions script_options() const;
};

namespace torsor::capi {

Overrides overrides_of(const torsor_setting* settings, size_t n);
// Returns settings of a run. `options` is a torsor_load_options or torsor_study_options.
template <class Options>
RunSettings run_settings_of(const Options& options) {
  RunSettings out;
  if (options.solver) out.solver = options.solver;
  if (options.constraint_solver) out.constraint_solver = options.constraint_solver;
  if (options.integrator) out.integrator = options.integrator;
  if (options.dt != 0) out.dt = options.dt;
  if (options.duration != 0) out.duration = options.duration;
  return out;
}
// Joins lines with newlines.
std::string joined(const std::vector<std::string>& lines);

}  // namespace torsor::capi
