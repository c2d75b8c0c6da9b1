#include "torsor/base/error.hpp"

#include <gtest/gtest.h>

namespace torsor {
namespace {

TEST(DidYouMean, NamesTheNearestWord) {
  const std::vector<std::string> solvers{"articulated_body", "lie_group", "newton_euler"};
  // One letter is missing.
  EXPECT_EQ(did_you_mean("newton_eule", solvers), "; did you mean 'newton_euler'?");
  // One letter too many.
  EXPECT_EQ(did_you_mean("newtonn_euler", solvers), "; did you mean 'newton_euler'?");
  // One letter is replaced.
  EXPECT_EQ(did_you_mean("newton-euler", solvers), "; did you mean 'newton_euler'?");
  EXPECT_EQ(did_you_mean("ariculated_bdoy", solvers), "; did you mean 'articulated_body'?");
}

TEST(DidYouMean, ExchangedNeighboursAreOneEdit) {
  EXPECT_EQ(did_you_mean("lnik", {"line", "link"}), "; did you mean 'link'?");
  // If this counted as two edits, the words would differ too much for three letters.
  EXPECT_EQ(did_you_mean("nik", {"ink"}), "; did you mean 'ink'?");
}

TEST(DidYouMean, IgnoresCase) {
  EXPECT_EQ(did_you_mean("MASS", {"mesh", "mass"}), "; did you mean 'mass'?");
}

TEST(DidYouMean, IsEmptyIfNoWordIsNear) {
  EXPECT_EQ(did_you_mean("gravity", {"mass", "link"}), "");
  EXPECT_EQ(did_you_mean("word", {}), "");
  EXPECT_EQ(did_you_mean("", {"a", "ab"}), "");
  // A word of one letter that differs in this letter is a different word.
  EXPECT_EQ(did_you_mean("a", {"", "b"}), "");
}

// Checks that a third of the letters of the longer word may differ: 2 of 8 and 2 of 6, but not 3 of
// 8.
TEST(DidYouMean, AcceptsWordsThatDifferInAThirdOfTheLetters) {
  EXPECT_EQ(did_you_mean("abcdefxy", {"abcdefgh"}), "; did you mean 'abcdefgh'?");
  EXPECT_EQ(did_you_mean("abcdexyz", {"abcdefgh"}), "");
  EXPECT_EQ(did_you_mean("abcdxy", {"abcdef"}), "; did you mean 'abcdef'?");
  EXPECT_EQ(did_you_mean("L1", {"L2"}), "; did you mean 'L2'?");
}

TEST(DidYouMean, PrefersTheFirstInAlphabeticalOrder) {
  EXPECT_EQ(did_you_mean("link_4", {"link_3", "link_2", "link_5"}), "; did you mean 'link_2'?");
  EXPECT_EQ(did_you_mean("link_4", {"link_5", "link_2", "link_3"}), "; did you mean 'link_2'?");
}

TEST(DidYouMean, IsFastForLongWords) {
  const std::string endless(1000000, 'a');
  EXPECT_EQ(did_you_mean(endless, std::vector<std::string>(100, endless + "b")), "");
  EXPECT_EQ(did_you_mean(endless, {"link"}), "");
}

}  // namespace
}  // namespace torsor
