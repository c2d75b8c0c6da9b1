#pragma once
// Code shared by the fuzz targets.

#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "torsor/host/registry.hpp"

namespace torsor::fuzz {

// An error of the tested code: a result that must not occur.
struct Finding : std::logic_error {
  using std::logic_error::logic_error;
};

// Calls a function that reads an input. Returns false if it rejects the input with an Error of one
// line. Throws Finding for an Error without a message or with several lines. Other exceptions are
// not caught.
bool accepts(const std::function<void()>& read);

// Writes an input to a file and returns its path. A later input with the same name replaces the
// file. The files are in a folder of this process (below TMPDIR), which is removed at exit.
std::filesystem::path written(const char* name, std::string_view input);

// Returns a registry of the plugins that are linked into this program: the solvers articulated_body
// and newton_euler, the force ground, the controller pid, and point-to-point trajectories.
Registry linked_plugins();

// Computes inverse dynamics of a model at its neutral position. All velocities and accelerations
// are 1. Throws Finding if the solver fails for another reason than a result that is not finite.
void compute_inverse_dynamics(const std::shared_ptr<const Model>& model);

}  // namespace torsor::fuzz
