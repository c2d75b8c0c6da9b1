#pragma once
// The files of an FMU.

#include <string>
#include <vector>

#include "torsor/cli/fmu/archive.hpp"
#include "torsor/cli/fmu/model_description.hpp"
#include "torsor/fmi/package.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::cli {

// A loaded scene, as it is exported.
struct ExportedScene {
  FmiVersion version;
  std::filesystem::path file;
  Overrides parameters;
  RunSettings settings;
  Experiment experiment;
  std::vector<std::filesystem::path> files;  // that the script has read
};

// Returns all files of the FMU: modelDescription.xml, the machine code, and resources/. Throws
// Error if a file cannot be read, or if two variables have the same name.
std::vector<ArchiveFile> fmu_files(const ExportedScene& scene);

// Loads the scene from copies of its files, as the FMU will. Throws Error if it needs other files.
void require_complete(const std::vector<ArchiveFile>& files);

}  // namespace torsor::cli
