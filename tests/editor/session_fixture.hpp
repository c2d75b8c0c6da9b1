#pragma once
// A session on a file of the test's own folder, waited for.

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "editor/plugins.hpp"
#include "editor/session/session.hpp"

namespace torsor::test {

inline std::filesystem::path source_file(const std::string& path) {
  return std::filesystem::path(TORSOR_SOURCE_DIR) / path;
}

class SessionTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / (std::string("torsor_session_") + test->name());
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

  // Until a condition holds; a minute is for ever.
  template <class F>
  static testing::AssertionResult eventually(const F& condition) {
    for (int k = 0; k < 12000; ++k) {
      if (condition()) return testing::AssertionSuccess();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return testing::AssertionFailure() << "waited in vain";
  }
  // The moment when all that was asked for has been done.
  static std::shared_ptr<const editor::Moment> settled(const editor::Session& session) {
    EXPECT_TRUE(eventually([&] { return session.idle(); }));
    return session.now();
  }
  static std::string problems(const editor::Moment& moment) {
    std::string all;
    for (const editor::Problem& problem : moment.problems) all += problem.text + "\n";
    return all;
  }

  std::filesystem::path folder_;
};

}  // namespace torsor::test
