#include "torsor/base/error.hpp"

#include <gtest/gtest.h>

namespace torsor {
namespace {

TEST(DidYouMean, NamesTheNearestWord) {
  const std::vector<std::string> solvers{"articulated_body", "lie_group", "newton_euler"};
  // one letter missing
  EXPECT_EQ(did_you_mean("newton_eule", solvers), "; did you mean 'newton_euler'?");
  // one letter too many
  EXPECT_EQ(did_you_mean("newtonn_euler", solvers), "; did you mean 'newton_euler'?");
  // one letter replaced
  EXPECT_EQ(did_you_mean("newton-euler", solvers), "; did you mean 'newton_euler'?");
  EXPECT_EQ(did_you_mean("ariculated_bdoy", solvers), "; did you mean 'articulated_body'?");
}

TEST(DidYouMean, ExchangedNeighboursAreOneEdit) {
  EXPECT_EQ(did_you_mean("lnik", {"line", "link"}), "; did you mean 'link'?");
  // Two edits would be too far for three letters.
  EXPECT_EQ(did_you_mean("nik", {"ink"}), "; did you mean 'ink'?");
}

TEST(DidYouMean, UpperAndLowerCaseAreAlike) {
  EXPECT_EQ(did_you_mean("MASS", {"mesh", "mass"}), "; did you mean 'mass'?");
}

TEST(DidYouMean, IsSilentWhereNothingIsNear) {
  EXPECT_EQ(did_you_mean("gravity", {"mass", "link"}), "");
  EXPECT_EQ(did_you_mean("word", {}), "");
  EXPECT_EQ(did_you_mean("", {"a", "ab"}), "");
  // A replaced single letter is a different word.
  EXPECT_EQ(did_you_mean("a", {"", "b"}), "");
}

// Checks that a third of the longer word may differ: 2 letters of 8 and of 6, but not 3 of 8.
TEST(DidYouMean, AThirdOfTheWordMayDiffer) {
  EXPECT_EQ(did_you_mean("abcdefxy", {"abcdefgh"}), "; did you mean 'abcdefgh'?");
  EXPECT_EQ(did_you_mean("abcdexyz", {"abcdefgh"}), "");
  EXPECT_EQ(did_you_mean("abcdxy", {"abcdef"}), "; did you mean 'abcdef'?");
  EXPECT_EQ(did_you_mean("L1", {"L2"}), "; did you mean 'L2'?");
}

TEST(DidYouMean, OfEquallyNearOnesTheFirstByTheAlphabet) {
  EXPECT_EQ(did_you_mean("link_4", {"link_3", "link_2", "link_5"}), "; did you mean 'link_2'?");
  EXPECT_EQ(did_you_mean("link_4", {"link_5", "link_2", "link_3"}), "; did you mean 'link_2'?");
}

TEST(DidYouMean, WordsOfAnyLengthEndAtOnce) {
  const std::string endless(1000000, 'a');
  EXPECT_EQ(did_you_mean(endless, std::vector<std::string>(100, endless + "b")), "");
  EXPECT_EQ(did_you_mean(endless, {"link"}), "");
}

}  // namespace
}  // namespace torsor
