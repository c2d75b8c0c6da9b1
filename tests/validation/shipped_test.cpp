// Checks that every shipped plugin passes validation.

#include <gtest/gtest.h>

#include "support/allocation_counter.hpp"
#include "torsor/validation/validator.hpp"
#include "validation/shipped_plugins.hpp"

namespace torsor::test {
namespace {

using namespace validation;

std::vector<std::string> shipped_files() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(TORSOR_PLUGIN_DIR))
    if (entry.path().extension() == ".so") out.push_back(entry.path().stem().string());
  std::ranges::sort(out);
  return out;
}

class Shipped : public testing::TestWithParam<std::string> {};
TEST_P(Shipped, Passes) {
  Subject subject{.file = std::filesystem::path(TORSOR_PLUGIN_DIR) / (GetParam() + ".so"),
                  .load_script = {},
                  .shipped = shipped_plugins()};
  if (can_count_allocations()) subject.allocations = {allocations, live_allocations};
  const Report report = validate(subject, {.time_limit = 120});
  ASSERT_FALSE(report.plugins.empty());
  for (const PluginReport& plugin : report.plugins) {
    EXPECT_GT(plugin.lines.size(), 9u);
    for (const Line& line : plugin.lines)
      EXPECT_NE(line.outcome, Outcome::failed)
          << plugin.id << ", " << line.check << ": " << line.text;
  }
}
INSTANTIATE_TEST_SUITE_P(, Shipped, testing::ValuesIn(shipped_files()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace torsor::test
