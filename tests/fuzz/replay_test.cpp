// Runs every fuzz target on its corpus and on inputs that were findings in the past. Does not need
// libFuzzer.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/targets.hpp"

namespace torsor::fuzz {

namespace {

namespace fs = std::filesystem;

struct Target {
  const char* name;
  void (*run)(std::string_view input);
};
constexpr Target targets[] = {
#define TARGET(name) {#name, name},
    TORSOR_FUZZ_TARGETS
#undef TARGET
};

std::vector<fs::path> inputs_in(const fs::path& folder) {
  std::vector<fs::path> out;
  if (!fs::exists(folder)) return out;
  for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Replay : public testing::TestWithParam<Target> {};
TEST_P(Replay, Passes) {
  const fs::path here = TORSOR_SOURCE_DIR "/tests/fuzz";
  std::vector<fs::path> inputs = inputs_in(here / "corpus" / GetParam().name);
  EXPECT_FALSE(inputs.empty());
  std::ranges::copy(inputs_in(here / "regressions" / GetParam().name), std::back_inserter(inputs));
  for (const fs::path& input : inputs) {
    SCOPED_TRACE(input.lexically_relative(here).string());
    const std::string text = content(input);
    EXPECT_NO_THROW(GetParam().run(text));
    // A truncated input is like the file of a killed program.
    EXPECT_NO_THROW(GetParam().run(std::string_view(text).substr(0, text.size() / 2)));
  }
  EXPECT_NO_THROW(GetParam().run(""));
}
INSTANTIATE_TEST_SUITE_P(Targets, Replay, testing::ValuesIn(targets),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

}  // namespace
}  // namespace torsor::fuzz
