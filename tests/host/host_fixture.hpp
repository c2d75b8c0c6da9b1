#pragma once
// Helpers for tests of the host: paths of test plugins, a pendulum, temporary folders.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "support/error_of.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/model/builder.hpp"

namespace torsor::host_test {

using torsor::test::error_of;

inline std::filesystem::path plugin(const std::string& name) {
  return std::filesystem::path(TEST_PLUGINS) / (name + ".so");
}

// Returns a point mass at a distance l below a hinge about y: m l^2 vdot + m g l sin q = tau. With
// several links, each of them has such a mass.
inline std::shared_ptr<const Model> pendulum_model(double m, double l, int links = 1) {
  RobotDescription robot;
  robot.name = "pendulum";
  for (int k = 0; k < links; ++k) {
    LinkDescription rod;
    rod.name = "rod" + std::to_string(k);
    rod.parent = k == 0 ? "" : "rod" + std::to_string(k - 1);
    rod.joint.name = "hinge" + std::to_string(k);
    rod.joint.kind = JointKind::revolute;
    rod.joint.placement = ScrewPlacement{.axis = {0, 1, 0}};
    rod.inertia = inertia_about_com(m, {0, 0, -l}, {0, 0, 0, 0, 0, 0});
    robot.links.push_back(rod);
  }
  return build(robot);
}

// A temporary folder. The destructor removes it with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "torsor_host_test_XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace torsor::host_test
