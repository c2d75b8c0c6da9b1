// Checks that each kind of plugin has a row in the host, a row in the validator, and a folder of
// templates.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "torsor/plugin/plugin_kind.hpp"
#include "torsor/validation/trial_kind.hpp"

namespace torsor::validation {
namespace {

TEST(Kinds, TheValidatorHasARowForEach) {
  std::vector<std::string_view> of_validator;
  for (const TrialKind& kind : trial_kinds()) of_validator.push_back(kind.name);
  EXPECT_THAT(of_validator, ::testing::UnorderedElementsAreArray(plugin_kind_names()));
}

TEST(Kinds, EachHasATemplate) {
  const std::filesystem::path folder = TORSOR_SOURCE_DIR "/plugins/templates";
  std::vector<std::string> templates;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    templates.push_back(entry.path().filename());
  EXPECT_THAT(templates, ::testing::UnorderedElementsAreArray(plugin_kind_names()));
}

TEST(Kinds, AnIdBelongsToTheKindBeforeItsDot) {
  EXPECT_EQ(kind_of("force.ground")->name, "force");
  EXPECT_EQ(kind_of("forces.ground"), nullptr);
  EXPECT_EQ(kind_of(""), nullptr);
  EXPECT_EQ(trial_kind("trajectory.x").name, "trajectory");
}

}  // namespace
}  // namespace torsor::validation
