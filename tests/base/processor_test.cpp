// Tests of the processor levels against those that the dynamic loader of the C library reports.

#include "torsor/base/processor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/error_of.hpp"

namespace torsor::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Returns the output of the loader's option --help, which lists the levels of this processor, or ""
// if there is no such loader.
std::string loader_help() {
  std::string out;
  FILE* pipe = popen("/lib64/ld-linux-x86-64.so.2 --help 2>/dev/null", "r");
  if (!pipe) return out;
  for (int c; (c = std::fgetc(pipe)) != EOF;) out += char(c);
  pclose(pipe);
  return out;
}

TEST(Processor, TheHighestLevelIsThatOfTheLoader) {
  const std::string help = loader_help();
  if (help.find("x86-64-v4") == help.npos) GTEST_SKIP() << "the loader lists no levels";
  const auto levels = processor_levels();
  size_t expected = 0;
  for (size_t level = 1; level < levels.size(); ++level)
    if (help.find(std::string(levels[level]) + " (supported") != help.npos) expected = level;
  unsetenv("TORSOR_PROCESSOR");
  EXPECT_EQ(processor_level(), expected);
}

TEST(Processor, TheEnvironmentChoosesALevelOfThisProcessor) {
  const auto levels = processor_levels();
  if (levels.empty()) GTEST_SKIP() << "this architecture has no levels";
  unsetenv("TORSOR_PROCESSOR");
  const size_t highest = processor_level();
  for (size_t level = 0; level < levels.size(); ++level) {
    setenv("TORSOR_PROCESSOR", std::string(levels[level]).c_str(), 1);
    if (level <= highest)
      EXPECT_EQ(processor_level(), level);
    else
      EXPECT_THAT(error_of([] { processor_level(); }),
                  AllOf(HasSubstr("TORSOR_PROCESSOR is '" + std::string(levels[level]) + "'"),
                        HasSubstr("of the level '" + std::string(levels[highest]) + "'")));
  }
  setenv("TORSOR_PROCESSOR", "avx", 1);
  EXPECT_THAT(error_of([] { processor_level(); }),
              AllOf(HasSubstr("TORSOR_PROCESSOR is 'avx'"), HasSubstr("x86-64-v3, x86-64-v4")));
  setenv("TORSOR_PROCESSOR", "", 1);
  EXPECT_EQ(processor_level(), highest);
  unsetenv("TORSOR_PROCESSOR");
}

}  // namespace
}  // namespace torsor::test
