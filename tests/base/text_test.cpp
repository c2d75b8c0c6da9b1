#include "torsor/base/text.hpp"

#include <gtest/gtest.h>

namespace torsor {
namespace {

TEST(OneLine, ControlCharactersBecomeBlanks) {
  EXPECT_EQ(one_line("a\nb\tc\rd\x7f"), "a b c d ");
  EXPECT_EQ(one_line(std::string("a\0b", 3)), "a b");
  EXPECT_EQ(one_line("a b\xc3\xa9"), "a b\xc3\xa9");
  EXPECT_EQ(one_line(""), "");
}

TEST(Quotable, ShowsControlCharactersAndOddBytes) {
  EXPECT_EQ(quotable(std::string("a\0b\n", 4)), "a\\x00b\\x0a");
  EXPECT_EQ(quotable("\xff \xc3\xa9 \x7f"), "\\xff \xc3\xa9 \\x7f");
  EXPECT_EQ(quotable(""), "");
}

TEST(Quotable, CutsOffAfterSixtyCharacters) {
  EXPECT_EQ(quotable(std::string(60, 'a')), std::string(60, 'a'));
  EXPECT_EQ(quotable(std::string(61, 'a')), std::string(60, 'a') + "...");
}

TEST(PlainText, IsUtf8OnOneLine) {
  EXPECT_TRUE(is_plain_text("Gelenk 1, \xc3\xa9"));
  for (const char* bad : {"a\nb", "\x7f", "\xc3", "\xff", "\xc0\x80", "\xed\xa0\x80"})
    EXPECT_FALSE(is_plain_text(bad)) << bad;
}

}  // namespace
}  // namespace torsor
