#pragma once
// The scenes of the repository.

#include <algorithm>
#include <filesystem>
#include <vector>

namespace torsor::test {

// Returns the files of scenes/ that are scenes in Lua, sorted. experiments.lua is a script for
// `torsor lua`.
inline std::vector<std::filesystem::path> scene_files() {
  std::vector<std::filesystem::path> out;
  const std::filesystem::path folder = std::filesystem::path(TORSOR_SOURCE_DIR) / "scenes";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".lua" && entry.path().stem() != "experiments")
      out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

}  // namespace torsor::test
