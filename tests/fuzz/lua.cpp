#include "fuzz/support.hpp"
#include "fuzz/targets.hpp"
#include "torsor/run/run.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::fuzz {

namespace {

constexpr int n_steps = 3;

void start(const Experiment& experiment) {
  Run run(experiment);
  const auto discard = [](std::span<const double>) {};
  run.begin(discard);
  for (int k = 0; k < n_steps && !run.is_over(); ++k) run.advance(discard);
}

}  // namespace

void lua(std::string_view input) {
  if (input.find(".so") != input.npos) return;  // a scene may name machine code to load
  const auto file = written("scene.lua", input);
  const Registry plugins = linked_plugins();
  Script script({.scripts = TORSOR_SOURCE_DIR "/scripts",
                 .limits = {.steps = 300'000, .memory = size_t(32) << 20, .seconds = 5},
                 .print = [](std::string_view) {},
                 .plugins = &plugins});
  accepts([&] {
    const auto loaded = script.load(file);
    if (const auto* experiment = std::get_if<Experiment>(&loaded))
      start(*experiment);
    else
      compute_inverse_dynamics(build(std::get<RobotDescription>(loaded)));
  });
}

}  // namespace torsor::fuzz
