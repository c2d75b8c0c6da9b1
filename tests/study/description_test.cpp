// Tests of the differences between descriptions of studies.

#include "torsor/study/study_description.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace torsor::test {
namespace {

using Json = nlohmann::ordered_json;

// Returns the description of a study with one solver. level: the processor level of its file, or
// "".
std::string description(const std::string& sha256, const std::string& level) {
  Json plugin{{"id", "solver.newton_euler"}, {"version", "1.0"}, {"sha256", sha256}};
  if (!level.empty()) plugin["processor_level"] = level;
  return Json{{"torsor", "0.1"},
              {"files", Json::array()},
              {"plugins", Json::array({plugin})},
              {"settings", Json::object()},
              {"plan", Json::object()},
              {"parameters", Json::array()}}
      .dump();
}

TEST(StudyDescription, PluginsForDifferentProcessorsAreNamedWithTheLowerLevel) {
  const auto difference = [](const std::string& before, const std::string& now) {
    return study_difference(description(before + "-hash", before), description(now + "-hash", now));
  };
  EXPECT_EQ(difference("x86-64-v4", "x86-64-v4"), "");
  EXPECT_EQ(difference("x86-64-v4", "x86-64-v3"),
            "the plugin 'solver.newton_euler' was built for processors x86-64-v4, and here it is "
            "built for x86-64-v3; set TORSOR_PROCESSOR=x86-64-v3 for both");
  EXPECT_EQ(difference("", "x86-64-v3"),
            "the plugin 'solver.newton_euler' was built for processors x86-64, and here it is "
            "built for x86-64-v3; set TORSOR_PROCESSOR=x86-64 for both");
  EXPECT_EQ(study_difference(description("a", ""), description("b", "")),
            "the plugin 'solver.newton_euler' has changed since");
  EXPECT_EQ(study_difference(description("a", "x86-64-v3"), description("b", "x86-64-v3")),
            "the plugin 'solver.newton_euler' has changed since");
}

}  // namespace
}  // namespace torsor::test
