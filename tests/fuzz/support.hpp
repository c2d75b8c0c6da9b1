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

// A result that must not occur.
struct Finding : std::logic_error {
  using std::logic_error::logic_error;
};

// Calls a function. Returns false if it rejects its input with an Error of one line. Throws Finding
// for an Error without a message or with several lines; lets other exceptions through.
bool accepts(const std::function<void()>& read);

// Writes an input into a file of this process, which the next input with this name replaces.
// Returns the path. The files are in the folder for temporary files (TMPDIR) and are removed at
// exit.
std::filesystem::path written(const char* name, std::string_view input);

// Returns a registry with plugins that are linked into this program: the solvers
// articulated_body and newton_euler, the force ground, the controller pid, and point-to-point
// trajectories.
Registry linked_plugins();

// Computes inverse dynamics of a model at its neutral position, with all velocities and
// accelerations 1. Throws Finding if the solver fails other than by a result that is not finite.
void compute_inverse_dynamics(const std::shared_ptr<const Model>& model);

}  // namespace torsor::fuzz
