// Checks the table of the equations of the sources, and tests each of its rules.

#include "architecture/equations.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "architecture/temporary_tree.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
namespace fs = std::filesystem;

TEST(Equations, AreCitedWhereTheyAreComputed) {
  for (const std::string& what : equation_violations(TORSOR_SOURCE_DIR)) ADD_FAILURE() << what;
}

TEST(Equations, ThePageIsThatOfTheTable) {
  const fs::path root = TORSOR_SOURCE_DIR, made = fs::path(TORSOR_BINARY_DIR) / "equations.md";
  const std::string page = equation_page(read_equations(root / "docs/equations.tsv"));
  std::ofstream(made) << page;
  std::ifstream in(root / "docs/equations.md");
  EXPECT_TRUE(page == std::string(std::istreambuf_iterator<char>(in), {}))
      << "docs/equations.md is out of date; bring it up to date by\n    cp " << made << " "
      << root / "docs/equations.md";
}

std::set<std::string> numbers(const std::string& text) {
  std::set<std::string> too_long;
  return cited(text, too_long);
}

TEST(Citations, AreReadFromComments) {
  EXPECT_THAT(
      numbers("// a (KHALIL 7.5, 7.51-7.53; MR 9.5) b"),
      UnorderedElementsAre("KHALIL 7.5", "KHALIL 7.51", "KHALIL 7.52", "KHALIL 7.53", "MR 9.5"));
  EXPECT_THAT(numbers("  // from KHALIL\n  // 7.23a and 8.1"),
              UnorderedElementsAre("KHALIL 7.23a", "KHALIL 8.1"));
  EXPECT_THAT(numbers("JIN 41, MK 2"), UnorderedElementsAre("JIN 41", "MK 2"));
  EXPECT_THAT(numbers("KHALIL, Table 7.5; MR prints 9.95; KHALIL 7.5.3"), IsEmpty());
  std::set<std::string> too_long;
  EXPECT_THAT(cited("MR 9.62-9.84", too_long), IsEmpty());
  EXPECT_THAT(too_long, ElementsAre("MR 9.62-9.84"));
  EXPECT_THAT(cited_singly("KHALIL 7.5, 7.51-7.53"), ElementsAre("KHALIL 7.5"));
}

class Table : public TemporaryTree {
 protected:
  std::vector<std::string> check(const std::string& rows) {
    write("docs/equations.tsv", rows);
    write("engine/a.cpp", "// Computes torques (MR 9.1).\nvoid inverse();\n");
    write("tests/a_test.cpp", "// Equations: MR 9.1.\nTEST(Inverse, IsRight) {}\n");
    return equation_violations(root_);
  }
};

TEST_F(Table, AcceptsACompleteRow) {
  EXPECT_THAT(check("MR 9.1\ttorques\tcomputed\tengine/a.cpp:inverse\ttests/a_test.cpp:Inverse."
                    "IsRight\nMR 9.2\tsymbols\tdefinition\t\t\nMR 9.3\tx\tnot computed\tbecause\t\n"
                    "MR 9.4\ty\tstep\tMR 9.1\t\n"),
              IsEmpty());
}

TEST_F(Table, RejectsCitationsOfUnknownEquations) {
  write("plugins/b.hpp", "// MR 9.1 and MR 9.7, KHALIL 7.1-7.20\n");
  EXPECT_THAT(check("MR 9.1\ttorques\tdefinition\t\t\n"),
              ElementsAre("plugins/b.hpp: cites KHALIL 7.1-7.20; name the equations that it uses",
                          "plugins/b.hpp: cites MR 9.7, which is not in docs/equations.tsv"));
}

TEST_F(Table, RejectsRowsThatLeadNowhere) {
  const std::string test = "tests/a_test.cpp:Inverse.IsRight\n";
  EXPECT_THAT(check("MR 9.1\tx\tcomputed\tengine/b.cpp:inverse\t" + test),
              ElementsAre("docs/equations.tsv: MR 9.1 names the missing file engine/b.cpp"));
  EXPECT_THAT(
      check("MR 9.1\tx\tcomputed\tengine/a.cpp:forward\t" + test),
      ElementsAre("docs/equations.tsv: MR 9.1 names 'forward', which is not in engine/a.cpp"));
  EXPECT_THAT(
      check("MR 9.1\tx\tcomputed\tengine/a.cpp:verse\t" + test),
      ElementsAre("docs/equations.tsv: MR 9.1 names 'verse', which is not in engine/a.cpp"));
  EXPECT_THAT(
      check("MR 9.1\tx\tdefinition\t\t\nMR 9.2\tx\tcomputed\tengine/a.cpp:inverse\t" + test),
      ElementsAre(
          "docs/equations.tsv: MR 9.2 is not cited, except perhaps in a range, in engine/a.cpp",
          "docs/equations.tsv: MR 9.2 is not cited, except perhaps in a range, in "
          "tests/a_test.cpp"));
  EXPECT_THAT(
      check("MR 9.1\tx\tcomputed\tengine/a.cpp:inverse\ttests/a_test.cpp:Inverse.IsFast\n"),
      ElementsAre("docs/equations.tsv: MR 9.1 names a test that is not in tests/a_test.cpp"));
  EXPECT_THAT(
      check("MR 9.1\tx\tnot computed\t\t\n"),
      ElementsAre("docs/equations.tsv: MR 9.1 is neither computed nor a definition, and has "
                  "no reason"));
  EXPECT_THAT(
      check("MR 9.1\tx\tdefinition\t\t\nMR 9.2\tx\tstep\tMR 9.1\t\n"),
      ElementsAre("docs/equations.tsv: MR 9.2 is a step of 'MR 9.1', which is not computed"));
  EXPECT_THAT(check("MR 9.1\tx\tdefinition\t\t\nMR 9.1\tx\tdefinition\t\t\n"),
              ElementsAre("docs/equations.tsv: MR 9.1 is listed twice"));
}

TEST(Errata, HaveATestOrAReason) {
  for (const std::string& what : erratum_violations(TORSOR_SOURCE_DIR)) ADD_FAILURE() << what;
}

TEST_F(Table, RejectsErrataWithoutATest) {
  write("tests/a_test.cpp", "TEST(Inverse, IsRight) {}\n");
  write("docs/errata.md",
        "| where | tested by |\n|---|---|\n| 1 | [`Inverse.IsRight`](../tests/a_test.cpp) |\n"
        "| 2 | [`Inverse.IsFast`](../tests/a_test.cpp) |\n| 3 | no number: a name |\n| 4 | ? |\n");
  EXPECT_THAT(erratum_violations(root_),
              ElementsAre("docs/errata.md: there is no test Inverse.IsFast in tests/a_test.cpp",
                          "docs/errata.md: a row has neither a test nor 'no number: REASON': ? "));
}

}  // namespace
}  // namespace torsor::test
