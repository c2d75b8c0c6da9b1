// Checks that the documentation obeys the rules for its English, and tests each rule.

#include "architecture/prose.hpp"

#include <gmock/gmock.h>

#include "architecture/temporary_tree.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Docs, AreInPlainEnglish) {
  EXPECT_GT(documentation(TORSOR_SOURCE_DIR).size(), 50u) << "the test no longer reads the tree";
  for (const std::string& what : prose_violations(TORSOR_SOURCE_DIR)) ADD_FAILURE() << what;
}

class Prose : public TemporaryTree {
 protected:
  std::vector<std::string> read(const std::string& file, const std::string& text) {
    write(file, text);
    return prose_violations(root_);
  }
};

TEST_F(Prose, AllowsPlainEnglish) {
  EXPECT_THAT(
      read("README.md",
           "# Torsor\n\nA plugin. It works.\n\n## What is it?\n\nIt solves what others cannot.\n"),
      IsEmpty());
}

TEST_F(Prose, RejectsHalfSentences) {
  EXPECT_THAT(read("README.md",
                   "Where it is.\n\nIt runs. Of it\nalone.\n\n- With a list\n\n| a | What |\n"),
              ElementsAre("README.md:1: a sentence begins with 'Where'; begin with the subject",
                          "README.md:3: a sentence begins with 'Of'; begin with the subject",
                          "README.md:6: a sentence begins with 'With'; begin with the subject",
                          "README.md:8: a sentence begins with 'What'; begin with the subject"));
}

TEST_F(Prose, RejectsHalfSentencesInCommentsOfLua) {
  EXPECT_THAT(
      read("scenes/a.lua",
           "-- A scene.\nlocal x = '-- Of'  -- Whether it is\n\n--   With = example\n"),
      ElementsAre("scenes/a.lua:2: a sentence begins with 'Whether'; begin with the subject"));
}

TEST_F(Prose, RejectsWordsThatAreNotPlain) {
  EXPECT_THAT(read("README.md", "It runs anew. The law\nin force stays.\n"),
              ElementsAre("README.md:1: 'anew' is not plain English; write 'again'",
                          "README.md:2: 'in force' is not plain English; write 'active'"));
}

TEST_F(Prose, RejectsLongLines) {
  const std::string word(99, 'x'), umlaut = "\xc3\xbc";
  EXPECT_THAT(read("README.md", word + umlaut + "\n"), IsEmpty()) << "100 columns";
  EXPECT_THAT(read("README.md", word + " y\n"),
              ElementsAre("README.md:1: 101 columns; wrap it at 100"));
  EXPECT_THAT(read("README.md", "-- " + word + "\n"),
              ElementsAre("README.md:1: 102 columns; wrap it at 100"));
}

TEST_F(Prose, DoesNotReadCode) {
  const std::string wide(120, 'x');
  EXPECT_THAT(read("README.md",
                   "Run:\n\n    Of anew " + wide + "\n\n```\nWhat " + wide + "\n```\n\n`anew`\n"),
              IsEmpty());
  EXPECT_THAT(read("README.md", "- item\n\n      Of " + wide + "\n"), testing::SizeIs(2))
      << "a list is text";
}

TEST_F(Prose, DoesNotWrapTablesAndLinks) {
  const std::string wide(120, 'x');
  EXPECT_THAT(
      read("README.md", "| " + wide + " |\n\n![" + wide + "](a.png)\n\n[x](" + wide + ")\n"),
      IsEmpty());
}

TEST_F(Prose, ReadsNoBuildFolder) {
  write("build/release/a.md", "Of it.\n");
  write(".git/a.md", "Of it.\n");
  EXPECT_THAT(prose_violations(root_), IsEmpty());
}

}  // namespace
}  // namespace torsor::test
