#pragma once
// A temporary folder with mesh files, for tests of a robot in robots/arm.urdf that refers to them.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace torsor::test {

class MeshFolder : public testing::Test {
 protected:
  std::filesystem::path folder = [] {
    std::string name = std::filesystem::temp_directory_path() / "torsor-mesh-XXXXXX";
    return std::filesystem::path(mkdtemp(name.data()));
  }();
  ~MeshFolder() override { std::filesystem::remove_all(folder); }

  std::filesystem::path write(const std::filesystem::path& name, std::string_view text) const {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
    return folder / name;
  }
  // The place in the robot file that refers to a mesh.
  std::string source() const { return (folder / "robots/arm.urdf").string() + ":7"; }
};

}  // namespace torsor::test
