#pragma once
// Reads the states file of `torsor eval`, a JSON object:
//   {"joints": [names], "gravity": [3], "states": [{"q": [], "v": [], "vdot": [], "tau": [],
//     "wrenches": {"link": [6]}, "base_twist": [6], "base_acceleration": [6],
//     "jerk": [], "snap": [], "crackle": [], "pop": [], "wrenches_dot": {}, "wrenches_ddot": {},
//     "base_jerk": [6], "base_snap": [6]}]}
// joints and gravity are optional. joints is the order of all lists and contains every moving joint
// once. Missing entries of a state are zero, and a missing quaternion is the identity.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor::cli {

struct StateEntry {
  // In the order of the model's degrees of freedom
  std::vector<double> q, v, vdot, tau;
  // Frame index, and wrench (moment; force) applied BY the environment
  std::vector<std::pair<int, Wrench<double>>> wrenches;
  // Motion of the world frame (State::set_world_motion)
  Twist<double> V_W{}, Vdot_W{};
  // Time derivatives: of vdot (jerk first, as many as the file has); of the wrenches, by component
  // in the frames' axes, two; of Vdot_W, two
  std::vector<std::vector<double>> vdot_rates;
  std::vector<std::vector<std::pair<int, Wrench<double>>>> wrench_rates;
  std::vector<Twist<double>> Vdot_W_rates;
};

struct StatesFile {
  std::vector<int> joints;  // joint of the model for each position in the file's order
  std::optional<Vec3<double>> gravity_W;
  std::vector<StateEntry> states;
};

// Reads a file; "-" is standard input. Throws Error naming the file, the state and the key.
StatesFile read_states(const std::filesystem::path& file, const Model& model);

}  // namespace torsor::cli
