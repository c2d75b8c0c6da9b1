#pragma once
// Comparisons of an FMU in an importer with recordings of `torsor run`, bit by bit.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fmi/exported.hpp"
#include "torsor/recording/recording.hpp"

namespace torsor::test {

// Returns the file of a scene of the source tree.
std::string scene_file(const std::string& name);
std::vector<uint64_t> bits_of(std::span<const double> values);

// Records a scene with `torsor run`.
Recording recorded(const std::string& scene, const std::string& options = "");

// Returns the value references of the columns of a recording after the first one, which is time.
std::vector<uint32_t> references_of(const ExportedFmu& fmu, const Recording& recording);

// Returns the values of a row of a recording without the time.
std::span<const double> row_of(const Recording& recording, size_t row);

// Checks that an instance in an importer has the values of a recording, from row `first` on.
void expect_bits_of(const ExportedFmu& fmu, fmi3Instance instance, const Recording& recording,
                    size_t first = 0);

}  // namespace torsor::test
