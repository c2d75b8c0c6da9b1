// Tests of math.random: against the definition of its generator, and of its state, which can be
// saved.

#include <array>
#include <cmath>
#include <utility>

#include "scripting/script_file.hpp"
#include "torsor/base/random.hpp"

namespace torsor::test {
namespace {

// Returns the next output of the generator, by the definition of its authors: a linear map of 256
// bits with the output rotl(5 s1, 7) * 9. Written without the code of the engine.
uint64_t next_by_definition(std::array<uint64_t, 4>& s) {
  const auto rotate = [](uint64_t x, int k) { return (x << k) | (x >> (64 - k)); };
  const uint64_t out = rotate(s[1] * 5, 7) * 9;
  const std::array<uint64_t, 4> old = s;
  s[0] = old[0] ^ old[3] ^ old[1];
  s[1] = old[1] ^ old[2] ^ old[0];
  s[2] = old[2] ^ old[0] ^ (old[1] << 17);
  s[3] = rotate(old[3] ^ old[1], 45);
  return out;
}

TEST(Random, FollowsTheDefinition) {
  Random random(42);
  std::array<uint64_t, 4> state = random.state();
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(random.bits(), next_by_definition(state)) << i;
  EXPECT_EQ(random.state(), state);
}

// Checks the first outputs of SplitMix64 from seed 0, as published by its author.
TEST(Random, IsSeededBySplitMix) {
  EXPECT_EQ(Random(0).state()[0], 0xe220a8397b1dcdafull);
  EXPECT_EQ(Random(0).state()[1], 0x6e789e6aa1b965f4ull);
}

TEST(Random, IsUniform) {
  Random random(1);
  double sum = 0, squares = 0;
  constexpr int n = 200'000;
  for (int i = 0; i < n; ++i) {
    const double x = random.uniform();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    sum += x;
    squares += x * x;
  }
  // The tolerance is five standard deviations of the means: sqrt(1/12/n) and sqrt(4/45/n).
  EXPECT_NEAR(sum / n, 0.5, 5 * 0.289 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1.0 / 3, 5 * 0.298 / std::sqrt(n));
  std::array<int, 6> count{};
  for (int i = 0; i < 60'000; ++i) ++count[random.up_to(5)];
  for (const int c : count) EXPECT_NEAR(c, 10'000, 5 * 91.3);  // sqrt(60000 / 6 * 5 / 6)
  EXPECT_EQ(random.up_to(0), 0u);
}

constexpr const char* draw =
    "print(math.random()) print(math.random(6), math.random(-3, 3), math.random(0))";

TEST(Random, IsTheSameInEveryRun) {
  const Outcome a = run(draw), b = run(draw);
  EXPECT_EQ(a.error, "");
  EXPECT_EQ(a.printed, b.printed);
  EXPECT_EQ(run(std::string("math.randomseed(0) ") + draw).printed, a.printed);
  EXPECT_NE(run(std::string("math.randomseed(1) ") + draw).printed, a.printed);
}

TEST(Random, StartsAgainWithEachLoad) {
  std::vector<std::string> printed;
  const ScriptFolder folder;
  const auto file = folder.write(
      "scene.lua", std::string(draw) + " return require('torsor').robot{ name = 'r' }");
  Script script({.scripts = {}, .limits = {}, .print = [&](std::string_view line) {
                   printed.emplace_back(line);
                 }});
  script.load_robot(file);
  const std::vector<std::string> first = std::exchange(printed, {});
  EXPECT_FALSE(first.empty());
  script.load_robot(file);
  EXPECT_EQ(printed, first);
}

TEST(Random, RangesAreLuas) {
  EXPECT_EQ(
      error_of(
          "for i = 1, 1000 do local x = math.random(6) assert(x >= 1 and x <= 6 and math.type(x) "
          "== 'integer') end"),
      "");
  EXPECT_EQ(error_of("assert(math.random(5, 5) == 5) assert(math.type(math.random(math.mininteger, "
                     "math.maxinteger)) == 'integer')"),
            "");
  EXPECT_THAT(error_of("math.random(0, -1)"), testing::HasSubstr("interval is empty"));
  EXPECT_THAT(error_of("math.random(-1)"), testing::HasSubstr("interval is empty"));
  EXPECT_THAT(error_of("math.random(1, 2, 3)"), testing::HasSubstr("at most two"));
  EXPECT_THAT(error_of("math.randomseed()"), testing::HasSubstr("takes one integer"));
}

}  // namespace
}  // namespace torsor::test
