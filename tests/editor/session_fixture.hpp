#pragma once
// A fixture for tests of a session on a file in its own folder.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "editor/plugins.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_options.hpp"
#include "editor/session/session_state.hpp"
#include "support/eventually.hpp"

namespace torsor::editor::test {

using torsor::test::eventually;

inline std::filesystem::path source_file(const std::string& path) {
  return std::filesystem::path(TORSOR_SOURCE_DIR) / path;
}

// A scene of half a second with a damped hinge and a prismatic joint.
inline constexpr const char* pendulum_scene = R"(
local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
arm:link{ name = "rod", joint = { "revolute", name = "hinge", axis = {0, 1, 0}, damping = 0.1 },
          inertia = { mass = 1, com = {0, 0, -0.5}, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = 0.01 } } }
arm:link{ name = "tip", parent = "rod", origin = { xyz = {0, 0, -1} }, joint = { "prismatic", name = "slide", axis = {1, 0, 0} },
          inertia = { mass = 0.5, com = {0, 0, 0}, about_com = { Ixx = 0.01, Iyy = 0.01, Izz = 0.01 } } }
arm:set{ q = {2.0, 0.1} }
local world = torsor.world{}
world:add(arm)
return world:experiment{ solver = "articulated_body", integrator = { "rk4", dt = 1e-3 }, duration = 0.5,
                         record = { "arm.q", "arm.v", "energy" }, record_interval = 0.01 }
)";

inline std::string replaced(std::string text, const std::string& part, const std::string& by) {
  text.replace(text.find(part), part.size(), by);
  return text;
}

inline void expect_same(const Snapshot& a, const Snapshot& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.work, b.work);
  EXPECT_EQ(a.energy_zero, b.energy_zero);
}

class SessionTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::path(testing::TempDir()) / (std::string("torsor_session_") + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  static std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // Returns the state after all commands are done.
  static std::shared_ptr<const SessionState> settled(const Session& session) {
    EXPECT_TRUE(eventually([&] { return session.idle(); }));
    return session.now();
  }
  static std::string problems(const SessionState& now) {
    std::string all;
    for (const Problem& problem : *now.problems) all += problem.text + "\n";
    return all;
  }

  std::filesystem::path folder_;
};

}  // namespace torsor::editor::test
