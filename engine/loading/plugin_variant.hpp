#pragma once
// Plugin files that are built several times, for levels of the instruction set
// (base/processor.hpp). Each file is complete. The host loads the best one for the processor:
//   FOLDER/NAME.so              for every processor
//   FOLDER/x86-64-v3/NAME.so    for processors with AVX2 and FMA
//   FOLDER/x86-64-v4/NAME.so    for processors with AVX-512

#include <filesystem>
#include <string>
#include <vector>

namespace torsor {

// Returns the existing file of the highest level that is used, for a plugin file FOLDER/NAME.so.
// Throws Error under the same conditions as processor_level().
std::filesystem::path best_variant(const std::filesystem::path& file);

// Returns the level for which a file is built: the name of its folder. Returns "" if the folder is
// not named after a level.
std::string level_of_file(const std::filesystem::path& file);

// Returns whether a folder is named after a level and therefore contains variants of the plugin
// files in its parent folder.
bool contains_variants(const std::filesystem::path& folder);

// Returns the files *.so in a folder of variants that are variants of no file in its parent folder.
// Returns [] for other folders.
std::vector<std::filesystem::path> variants_alone(const std::filesystem::path& folder);

}  // namespace torsor
