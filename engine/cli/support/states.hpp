#pragma once
// Reads the file of `torsor eval --states`, a JSON object:
//   {"joints": [names], "gravity": [3], "states": [{"q": [], "v": [], "vdot": [], "tau": [],
//     "wrenches": {"link": [6]}, "base_twist": [6], "base_acceleration": [6],
//     "jerk": [], "snap": [], "crackle": [], "pop": [], "wrenches_dot": {}, "wrenches_ddot": {},
//     "base_jerk": [6], "base_snap": [6]}]}
//
// The keys joints and gravity are optional. "joints" defines the order of the entries in all lists
// and contains every moving joint once. Missing entries of a state are zero. A missing quaternion
// is the identity. `torsor eval --help` describes all entries.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor::cli {

struct StateEntry {
  // q [n_q], v, vdot and tau [n_v], in the order of the model's dof
  std::vector<double> q, v, vdot, tau;
  // Frame index, and the wrench (moment; force) applied BY the environment, at the origin and in
  // the axes of the frame
  std::vector<std::pair<int, Wrench<double>>> wrenches;
  // Twist and acceleration of the world frame, see State::set_world_motion()
  Twist<double> V_W{}, Vdot_W{};
  // Time derivatives:
  // - vdot_rates: of vdot, jerk first, as many as the file contains.
  // - wrench_rates: first and second, of the wrenches, by component in the axes of the frames.
  // - Vdot_W_rates: first and second, of Vdot_W.
  std::vector<std::vector<double>> vdot_rates;
  std::vector<std::vector<std::pair<int, Wrench<double>>>> wrench_rates;
  std::vector<Twist<double>> Vdot_W_rates;
};

struct StatesFile {
  std::vector<int> joints;  // model joints in the order of "joints" in the file
  std::optional<Vec3<double>> gravity_W;
  std::vector<StateEntry> states;
};

// Reads a states file, or standard input if file is "-". Throws Error with the file, the state and
// the key in the message.
StatesFile read_states(const std::filesystem::path& file, const Model& model);

}  // namespace torsor::cli
