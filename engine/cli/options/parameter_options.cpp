#include "torsor/cli/options/parameter_options.hpp"

#include <CLI/CLI.hpp>

#include "torsor/cli/options/arguments.hpp"

namespace torsor::cli {

namespace {

Included included(const std::string& name) {
  return name == "all" ? Included::all : name == "none" ? Included::none : Included::own;
}

}  // namespace

ParameterChoice ParameterOptions::choice() const {
  return {included(rotor), included(friction)};
}

void add_parameter_options(CLI::App& command, ParameterOptions& options) {
  const auto add_choice = [&](const char* name, std::string& value, const char* help) {
    command.add_option(name, value, help)
        ->check(one_of({"own", "all", "none"}))
        ->type_name("WHICH")
        ->capture_default_str();
  };
  add_choice(
      "--rotor", options.rotor,
      "joints whose rotor inertia to estimate: own (those whose model has some), all or none");
  add_choice("--friction", options.friction,
             "joints whose viscous and Coulomb friction to estimate: own, all or none");
}

}  // namespace torsor::cli
