#include <cstring>

#include "fuzz/support.hpp"
#include "fuzz/targets.hpp"
#include "torsor/base/hash.hpp"
#include "torsor/run/run.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::fuzz {

namespace {

using Bytes = std::vector<std::byte>;

constexpr int n_steps = 3;

// A scene whose snapshot has every part: motors of elastic joints, bristles of friction, stops, a
// sampled controller with memory, and a force.
constexpr std::string_view scene_text = R"lua(
local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
arm:link{
  name = "upper",
  joint = { "revolute", name = "shoulder", axis = {0, 1, 0},
            friction = { "lugre", coulomb = 1, static = 1.5, viscous = 0.1, decay = 10, bristle_stiffness = 100 } },
  inertia = { mass = 2, com = {0.4, 0, 0}, about_com = { Ixx = 0.01, Iyy = 0.05, Izz = 0.05 } },
}
arm:link{
  name = "lower", parent = "upper", origin = { xyz = {0.8, 0, 0} },
  joint = { "revolute", name = "elbow", axis = {0, 1, 0},
            elastic = { stiffness = 2000, damping = 0.5 },
            motor = { rotor_inertia = 2e-5, gear_ratio = 50, friction = { "coulomb", coulomb = 0.1 } } },
  inertia = { mass = 1, com = {0.3, 0, 0}, about_com = { Ixx = 0.01, Iyy = 0.03, Izz = 0.03 } },
}
arm:link{
  name = "slide", parent = "lower", origin = { xyz = {0.6, 0, 0} },
  joint = { "prismatic", name = "slide", axis = {1, 0, 0},
            limits = { lower = -0.1, upper = 0.1 }, stop = { restitution = 0.5 } },
  inertia = { mass = 0.5, com = {0, 0, 0}, about_com = { Ixx = 0.001, Iyy = 0.001, Izz = 0.001 } },
}
local goal = arm:trajectory("quintic", { from = {0, 0.3, 0}, to = {0.5, 0.9, 0}, duration = 1 })
arm:control("pid", { reference = goal, resonance = 20, rate = 500 })
local world = torsor.world()
world:add(arm)
world:force("ground", { plane = "world", frames = "arm.slide", radius = {0.1}, stiffness = 1e3 })
return world:experiment{ integrator = { "rk4", dt = 1e-3 }, duration = 1, record = { "arm.q" } }
)lua";

// Loads the scene once. Its plugins exist until the process ends.
const Experiment& scene() {
  static const Registry plugins = linked_plugins();
  static const Experiment experiment = [] {
    Script script({.scripts = TORSOR_SOURCE_DIR "/scripts", .plugins = &plugins});
    return script.load_scene(written("saved_state.lua", scene_text));
  }();
  return experiment;
}

// Runs some steps of the scene from a saved state. Returns the state at the end. Throws Error if
// the state is rejected.
Bytes run_from(const Bytes& state) {
  Experiment experiment = scene();
  experiment.state = state;
  Run run(experiment);
  const auto discard = [](std::span<const double>) {};
  run.begin(discard);
  for (int k = 0; k < n_steps && !run.is_over(); ++k) run.advance(discard);
  return run.simulation().save();
}

// The head of a saved state, as in engine/simulation/snapshot.cpp. The hash, its last field, covers
// `step`, the fields after it, and the bytes after the head.
struct Head {
  char magic[16];
  Origin origin;
  uint64_t count;
  int64_t step;
  double energy_zero, next_step;
  uint64_t hash;
};

void seal(Bytes& state) {
  Head head;
  std::memcpy(&head, state.data(), sizeof head);
  Hash hash;
  hash.add(head.step);
  hash.add(head.energy_zero);
  hash.add(head.next_step);
  hash.add(state.data() + sizeof head, state.size() - sizeof head);
  head.hash = hash.value();
  std::memcpy(state.data(), &head, sizeof head);
}

// Returns a saved state of the scene. The bytes from `step` on are replaced by the input,
// up to the length of the shorter one. The hash is corrected.
Bytes forged(std::string_view input) {
  static const Bytes sound = run_from({});
  Bytes state = sound;
  seal(state);
  if (state != sound) throw Finding("saved states have another layout than this target");
  constexpr size_t first = offsetof(Head, step);
  std::memcpy(state.data() + first, input.data(), std::min(input.size(), state.size() - first));
  seal(state);
  return state;
}

// Runs some steps from a state. Throws Finding if the saved state at the end is rejected.
void continue_from(const Bytes& state) {
  Bytes end;
  if (accepts([&] { end = run_from(state); }) && !accepts([&] { require_state(end); }))
    throw Finding("a state that was just saved is rejected");
}

}  // namespace

void saved_state(std::string_view input) {
  const auto* first = reinterpret_cast<const std::byte*>(input.data());
  const Bytes raw(first, first + input.size());
  if (accepts([&] { require_state(raw); })) continue_from(raw);
  continue_from(forged(input));
}

}  // namespace torsor::fuzz
