#pragma once
// Levels of the x86-64 instruction set, as its ABI defines them. A portable build contains the code
// that computes most once for each level.

#include <span>
#include <string_view>

namespace torsor {

// Returns the levels in ascending order: "x86-64", "x86-64-v3" (AVX2 and FMA) and "x86-64-v4"
// (AVX-512). Returns [] for other architectures.
std::span<const std::string_view> processor_levels();

// Returns the index in processor_levels() of the level to use: the highest one of this processor,
// or the lower one in the environment variable TORSOR_PROCESSOR. Throws Error if this variable is
// not a level, or one that this processor does not have. Returns 0 for other architectures.
size_t processor_level();

}  // namespace torsor
