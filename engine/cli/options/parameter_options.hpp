#pragma once
// The options --rotor and --friction, which select the parameters to identify.

#include <string>

#include "torsor/identification/linear_model.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace torsor::cli {

struct ParameterOptions {
  std::string rotor = "own", friction = "own";
  ParameterChoice choice() const;
};

// Adds both options. `options` must exist until the command line has been parsed.
void add_parameter_options(CLI::App& command, ParameterOptions& options);

}  // namespace torsor::cli
