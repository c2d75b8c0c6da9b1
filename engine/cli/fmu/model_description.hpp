#pragma once
// The file modelDescription.xml of an FMU.

#include <string>
#include <vector>

#include "torsor/fmi/variables.hpp"

namespace torsor::cli {

// The version of the standard.
enum class FmiVersion { two = 2, three = 3 };

struct ModelDescription {
  FmiVersion version = FmiVersion::three;
  std::string model_name;  // name of the scene
  std::string identifier;  // name of the binary, without its extension
  std::string token;
};

// Returns a name in which only letters, digits and underscores remain, and which begins with a
// letter.
std::string identifier_of(const std::string& name);

// Returns the XML text. Throws Error for texts with control characters.
std::string model_description(const ModelDescription& description, const Experiment& experiment,
                              const std::vector<fmi::Variable>& variables);

}  // namespace torsor::cli
