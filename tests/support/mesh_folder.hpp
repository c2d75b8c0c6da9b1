#pragma once
// A temporary folder with mesh files, for tests of a robot in robots/arm.urdf that refers to them.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "support/scratch_folder.hpp"

namespace torsor::test {

class MeshFolder : public testing::Test {
 protected:
  ScratchFolder scratch;
  std::filesystem::path folder = scratch.path();

  std::filesystem::path write(const std::filesystem::path& name, std::string_view text) const {
    return scratch.write(name, text);
  }
  // The place in the robot file that refers to a mesh.
  std::string source() const { return (folder / "robots/arm.urdf").string() + ":7"; }
};

}  // namespace torsor::test
