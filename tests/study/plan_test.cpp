// Tests of plans: grids, tables and designs of parameters.

#include "torsor/study/sampling/plan.hpp"

#include <gmock/gmock.h>

#include "simulation/folder_test.hpp"
#include "support/error_of.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::vector<StudyParameter> three() {
  return {{"gain", "", nullptr, 10.0},
          {"law", "", choice({std::string("pid"), std::string("adaptive")}), std::string("pid")},
          {"payload", "kg", uniform(0, 4), 2.0}};
}

std::vector<std::vector<double>> all_values(const Plan& plan) {
  std::vector<std::vector<double>> out;
  for (uint64_t k = 0; k < plan.samples(); ++k)
    plan.values(k, out.emplace_back(std::vector<double>(plan.columns().size())));
  return out;
}

class PlanTest : public FolderTest {
 protected:
  TextTable table_of(const std::string& text) const {
    write(folder_ / "table.csv", text);
    return read_text_table(folder_ / "table.csv", "table.csv");
  }
};

TEST_F(PlanTest, AGridHasEveryCombination) {
  const Plan plan(three(), {.grid = {{"gain", {"1", "2:4:3"}}, {"law", {"adaptive", "pid"}}}});
  EXPECT_EQ(plan.samples(), 8u);
  ASSERT_EQ(plan.columns().size(), 3u);
  EXPECT_EQ(plan.columns()[2].unit, "kg");
  EXPECT_THAT(all_values(plan),
              ElementsAre(ElementsAre(1, 1, 2), ElementsAre(1, 0, 2), ElementsAre(2, 1, 2),
                          ElementsAre(2, 0, 2), ElementsAre(3, 1, 2), ElementsAre(3, 0, 2),
                          ElementsAre(4, 1, 2), ElementsAre(4, 0, 2)));
  EXPECT_THAT(plan.settings(all_values(plan)[2]),
              ElementsAre(Pair("gain", "2"), Pair("law", "adaptive"), Pair("payload", "2")));
}

TEST_F(PlanTest, AGridVariesTextAndFlagsWithoutDistributions) {
  const Plan plan({{"flag", "", nullptr, true}, {"name", "", nullptr, std::string("a")}},
                  {.grid = {{"flag", {"true", "false"}}, {"name", {"b", "a"}}}});
  EXPECT_THAT(plan.settings(all_values(plan)[0]),
              ElementsAre(Pair("flag", "true"), Pair("name", "b")));
  EXPECT_THAT(plan.settings(all_values(plan)[3]),
              ElementsAre(Pair("flag", "false"), Pair("name", "a")));
}

TEST_F(PlanTest, ListsAreAGridByDefault) {
  const Plan plan({{"law", "", choice({std::string("pid"), std::string("adaptive")}), {}},
                   {"n", "", integer(2, 4), {}}},
                  {});
  EXPECT_EQ(plan.samples(), 6u);
  EXPECT_THAT(all_values(plan)[4], ElementsAre(1, 3));
}

TEST_F(PlanTest, ARangeOfIntegersIsExact) {
  for (const int n : {20, 50, 100}) {
    const Plan plan({{"seed", "", integer(1, 1000), {}}},
                    {.grid = {{"seed", {"1:" + std::to_string(n) + ":" + std::to_string(n)}}}});
    const auto all = all_values(plan);
    ASSERT_EQ(all.size(), size_t(n));
    for (int k = 0; k < n; ++k) EXPECT_EQ(all[size_t(k)][0], k + 1);
  }
  const Plan plan(three(), {.grid = {{"gain", {"0.1:0.7:7"}}}});
  EXPECT_EQ(all_values(plan).front()[0], 0.1);
  EXPECT_EQ(all_values(plan).back()[0], 0.7);
}

TEST_F(PlanTest, ADesignTakesQuantiles) {
  const Plan plan(three(), {.samples = 100, .design = "latin", .seed = 3});
  EXPECT_EQ(plan.samples(), 100u);
  const auto design = make_design("latin", 2, 100, 3);
  std::vector<double> u(2);
  const auto all = all_values(plan);
  for (uint64_t k = 0; k < 100; ++k) {
    design->point(k, u);
    EXPECT_THAT(all[k], ElementsAre(u[0] < 0.5 ? 0 : 1, 4 * u[1]));
  }
}

TEST_F(PlanTest, SettingsHaveEveryDigit) {
  const Plan plan(three(), {.samples = 10, .seed = 3});
  for (const auto& values : all_values(plan))
    EXPECT_EQ(std::stod(plan.settings(values)["payload"]), values[1]);
}

TEST_F(PlanTest, RowsOfOneFileStayTogether) {
  const TextTable table =
      table_of("mass [kg], friction ,law\n1,0.1,pid\n2,0.2,\"a,b\"\n\n3,0.3,pid\n");
  EXPECT_EQ(table.columns[0].unit, "kg");
  EXPECT_EQ(table.columns[1].name, "friction");
  std::vector<StudyParameter> parameters;
  for (const auto& column : table.columns)
    parameters.push_back({column.name, "", rows("table.csv", column.name, column.values), {}});
  EXPECT_EQ(Plan(parameters, {}).samples(), 3u);
  for (const auto& values : all_values(Plan(parameters, {.samples = 20}))) {
    EXPECT_NEAR(values[0], 10 * values[1], 1e-12);
    EXPECT_EQ(values[2], values[0] == 2 ? 1 : 0);
  }
}

TEST_F(PlanTest, ATableGivesTheSamples) {
  const Plan plan(three(), {.table = table_of("law,gain\npid,1\nadaptive,2.5\n")});
  EXPECT_THAT(all_values(plan), ElementsAre(ElementsAre(1, 0, 2), ElementsAre(2.5, 1, 2)));
}

TEST_F(PlanTest, InvalidRequestsAreReported) {
  const auto error = [](const PlanRequest& request) {
    return error_of([&] { Plan(three(), request); });
  };
  EXPECT_EQ(error({.grid = {{"gian", {"1"}}}}),
            "--grid gian: the scene has no parameter of this name; there are: gain, law, payload; "
            "did you mean 'gain'?");
  EXPECT_THAT(error({.grid = {{"gain", {"1", "x"}}}}),
              HasSubstr("--grid gain=1,x: 'x' is not a number"));
  EXPECT_THAT(error({.grid = {{"gain", {"1", "1"}}}}), HasSubstr("1 is given twice"));
  EXPECT_THAT(error({.grid = {{"gain", {"1", ""}}}}), HasSubstr("a value is empty"));
  EXPECT_THAT(error({.grid = {{"gain", {"1:2:1"}}}}), HasSubstr("'1:2:1' is not a range"));
  EXPECT_THAT(error({.grid = {{"gain", {"1"}}, {"gain", {"2"}}}}),
              HasSubstr("'gain' is given twice"));
  EXPECT_THAT(
      error({.grid = {{"law", {"pid2"}}}}),
      HasSubstr(
          "'pid2' is not a value of the parameter; it has: pid, adaptive; did you mean 'pid'?"));
  EXPECT_EQ(error({}), "'payload' has infinitely many values: use --samples N");
  EXPECT_THAT(error({.samples = 5, .design = "grid"}), HasSubstr("there is no design 'grid'"));
  EXPECT_THAT(error({.table = table_of("lwa\npid\n")}),
              HasSubstr("--from: column 'lwa': the scene has no"));
  EXPECT_THAT(error({.table = table_of("gain\npid\n")}), HasSubstr("'pid' is not a number"));
  const std::vector<StudyParameter> fixed = {{"gain", "", nullptr, 10.0}};
  EXPECT_THAT(error_of([&] { Plan(fixed, {}); }), HasSubstr("no parameter varies"));
  EXPECT_THAT(error_of([&] { Plan(fixed, {.samples = 3}); }),
              HasSubstr("no parameter has a distribution"));
}

TEST_F(PlanTest, InvalidTablesAreReported) {
  EXPECT_EQ(error_of([&] { table_of("a,b\n1,2\n3\n"); }),
            "table.csv:3: this row has 1 value, and the first line has 2 names");
  EXPECT_EQ(error_of([&] { table_of("a,a\n1,2\n"); }), "table.csv:1: the name 'a' is repeated");
  EXPECT_EQ(error_of([&] { table_of("a,\n1,2\n"); }),
            "table.csv:1: a name in the first line is empty");
  EXPECT_EQ(error_of([&] { table_of("a,b\n1,\n"); }), "table.csv:2: the value of 'b' is empty");
  EXPECT_THAT(error_of([&] { table_of("a,b\n"); }), HasSubstr("the table has no rows"));
  EXPECT_EQ(error_of([&] { column_of(table_of("mass\n1\n"), "mas", "t.csv"); }),
            "t.csv has no column 'mas'; its columns are: mass; did you mean 'mass'?");
}

}  // namespace
}  // namespace torsor::test
