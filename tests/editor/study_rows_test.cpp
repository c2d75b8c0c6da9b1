// Tests of the rows that the panel of studies selects, and of its diagrams.

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <random>

#include "editor/panels/studies/study_picture.hpp"
#include "editor/session_fixture.hpp"
#include "editor/study_table.hpp"
#include "support/error_of.hpp"

namespace torsor::editor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using torsor::test::error_of;

class StudyRowsTest : public SessionTest {
 protected:
  std::filesystem::path file() const { return folder_ / "arm-study.h5"; }
  // Reads a table of 12 samples, of which sample 11 has not been run.
  std::shared_ptr<const StudyData> study() const {
    write_study(file(), 12, 11, R"({"scene":"scenes/arm.lua"})");
    return read_study(file());
  }
  static std::vector<uint32_t> rows(const StudyData& data, const std::string& filter) {
    return select_rows(data, {.filter = filter}).rows;
  }
  static std::vector<uint32_t> order(const StudyData& data, const std::string& column,
                                     bool descending) {
    return select_rows(data, {.sorted = column, .descending = descending}).order;
  }
};

TEST_F(StudyRowsTest, ATableHasTextsForItsValues) {
  const auto data = study();
  const auto text = [&](const char* column, size_t row) {
    return data->text(data->require(column), row);
  };
  EXPECT_EQ(data->scene, "scenes/arm.lua");
  EXPECT_EQ(data->n_results(), 11u);
  EXPECT_EQ(data->n_failures, 1u);
  EXPECT_EQ(data->require("peak").head(), "peak [N m]");
  EXPECT_EQ(data->require("law").head(), "law");
  EXPECT_EQ(text("sample", 5), "5");
  EXPECT_EQ(text("law", 5), "adaptive");
  EXPECT_EQ(text("peak", 5), "4");
  EXPECT_EQ(text("status", 7), "failed");
  EXPECT_EQ(text("peak", 7), "-");
  EXPECT_EQ(text("failure", 7), "at t = 0.4 s: the elbow is stuck");
  EXPECT_EQ(text("failure", 6), "-");
  EXPECT_EQ(text("peak", 8), "-");
  EXPECT_EQ(text("wall_time", 6), "0.06");
  // A sample that has not been run has no values at all.
  EXPECT_EQ(text("status", 11), "not_run");
  for (const char* column : {"payload", "law", "peak", "wall_time"})
    EXPECT_EQ(text(column, 11), "-") << column;
}

TEST_F(StudyRowsTest, AShardHasTheSamplesOfItsRows) {
  StudyLayout layout = study_layout(10);
  layout.shard = {.index = 1, .count = 3};
  {
    StudyTable table = StudyTable::create(file(), layout);
    for (uint64_t row = 0; row < 3; ++row) table.write(row, study_row(1 + 3 * row));
  }
  const auto data = read_study(file());
  EXPECT_EQ(data->rows(), 3u);
  EXPECT_EQ(data->sample(2), 7u);
  EXPECT_EQ(data->row_of(7), 2u);
  EXPECT_EQ(data->row_of(8), std::nullopt);
  EXPECT_EQ(data->row_of(10), std::nullopt);
}

TEST_F(StudyRowsTest, AFilterSelectsRows) {
  const auto data = study();
  EXPECT_EQ(rows(*data, "").size(), 12u);
  EXPECT_THAT(rows(*data, "peak < 1"), ElementsAre(3));
  EXPECT_THAT(rows(*data, "peak<=1"), ElementsAre(2, 3, 4));
  EXPECT_THAT(rows(*data, "peak >= 36"), ElementsAre(9, 10));
  EXPECT_THAT(rows(*data, "peak = 1"), ElementsAre(2, 4));
  EXPECT_THAT(rows(*data, "  peak > 0 and payload < 1.5 "), ElementsAre(0, 1, 2));
  EXPECT_THAT(rows(*data, "status = failed or sample = 2"), ElementsAre(2, 7));
  EXPECT_THAT(rows(*data, "law = adaptive and sample > 5"), ElementsAre(7, 9));
  EXPECT_THAT(rows(*data, "law != pid and sample < 4"), ElementsAre(1, 3));
  EXPECT_THAT(rows(*data, "failure = ELBOW"), ElementsAre(7));
  EXPECT_THAT(rows(*data, "peak = -"), ElementsAre(7, 8, 11));
  EXPECT_THAT(rows(*data, "peak != - and sample > 6"), ElementsAre(9, 10));
  // "and" binds more strongly than "or".
  EXPECT_THAT(rows(*data, "sample = 0 or sample > 3 and sample < 6"), ElementsAre(0, 4, 5));
}

TEST_F(StudyRowsTest, AnInvalidFilterIsExplained) {
  const auto data = study();
  const auto why = [&](const std::string& text) {
    return error_of([&] { (void)RowFilter(*data, text); });
  };
  EXPECT_THAT(why("peek > 2"), HasSubstr("no column 'peek'; did you mean 'peak'?"));
  EXPECT_THAT(why("peak"), HasSubstr("'peak' is not a condition; write COLUMN > VALUE"));
  EXPECT_THAT(why("peak > 2 and"), HasSubstr("'2 and' is not a number"));
  EXPECT_THAT(why("> 2"), HasSubstr("is not a condition"));
  EXPECT_THAT(why("peak >"), HasSubstr("the value is missing after 'peak >'"));
  EXPECT_THAT(why("peak > two"), HasSubstr("'two' is not a number"));
  EXPECT_THAT(why("peak ! 2"), HasSubstr("'!' is not an operator"));
  EXPECT_THAT(why("status = fialed"), HasSubstr("no value 'fialed'; did you mean 'failed'?"));
  EXPECT_THAT(why("law > pid"), HasSubstr("'law' has no order; use = or !="));
}

TEST_F(StudyRowsTest, RowsAreSortedWithMissingValuesLast) {
  const auto data = study();
  EXPECT_THAT(order(*data, "peak", false), ElementsAre(3, 2, 4, 1, 5, 0, 6, 9, 10, 7, 8, 11));
  EXPECT_THAT(order(*data, "peak", true), ElementsAre(10, 9, 0, 6, 1, 5, 2, 4, 3, 7, 8, 11));
  EXPECT_THAT(order(*data, "sample", true), ElementsAre(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
  EXPECT_THAT(order(*data, "status", false), ElementsAre(11, 0, 1, 2, 3, 4, 5, 6, 9, 10, 8, 7));
  // A column of another study.
  EXPECT_EQ(order(*data, "no_such", false)[0], 0u);
  RowRequest request{.filter = "sample > 5", .sorted = "payload", .descending = true};
  request.statuses[size_t(SampleStatus::undefined)] = false;
  EXPECT_THAT(select_rows(*data, request).order, ElementsAre(10, 9, 7, 6, 11));
}

TEST_F(StudyRowsTest, AHistogramHasTheSelectedRowsWithAValue) {
  const auto data = study();
  const auto selection =
      std::make_shared<const RowSelection>(select_rows(*data, {.filter = "sample < 9"}));
  const StudyPicture picture =
      study_picture({data, selection, StudyDiagram::histogram, "payload", "peak"});
  EXPECT_EQ(picture.points, 7u);
  const auto& counts = picture.histogram.counts;
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), uint64_t(0)), 7u);
  EXPECT_EQ(picture.y.low, 0);
  EXPECT_EQ(picture.y.high, 9);
  EXPECT_EQ(study_picture({data, selection, StudyDiagram::histogram, "", "gone"}).points, 0u);
  // A column with labels has a bar for each of them.
  EXPECT_THAT(study_picture({data, selection, StudyDiagram::histogram, "", "law"}).histogram.counts,
              ElementsAre(5, 4));
}

// The squares of a scatter diagram have all points within the axes, and there are at most as many
// squares as the diagram has room for.
TEST_F(StudyRowsTest, CellsHaveEachPointOnce) {
  constexpr uint64_t n = 20'000;
  {
    StudyTable table = StudyTable::create(file(), study_layout(n));
    std::mt19937_64 random(3);
    std::normal_distribution<double> law;
    for (uint64_t k = 0; k < n; ++k) {
      SampleRow row = study_row(0);
      row.parameters[0] = law(random);
      row.outcomes[0] = law(random);
      table.write(k, row);
    }
  }
  const auto data = read_study(file());
  const auto selection = std::make_shared<const RowSelection>(select_rows(*data, {}));
  const auto picture = std::make_shared<const StudyPicture>(
      study_picture({data, selection, StudyDiagram::scatter, "payload", "peak"}));
  const Axis x{{-1, 2}, 100, 400}, y{{-2, 1}, 300, 50};
  ScatterCells cells;
  update_cells(cells, picture, x, y, 2);
  size_t inside = 0, counted = 0;
  for (size_t row = 0; row < n; ++row) {
    const double px = data->columns.parameters[0][row], py = data->columns.outcomes[0][row];
    inside += px >= -1 && px < 2 && py > -2 && py <= 1;
  }
  for (const ScatterCell& cell : cells.cells) {
    counted += cell.count;
    EXPECT_EQ(cell.x, x.pixel(data->columns.parameters[0][cell.row]));
    EXPECT_EQ(cell.y, y.pixel(data->columns.outcomes[0][cell.row]));
  }
  // Single precision decides about points at the edges.
  EXPECT_NEAR(double(counted), double(inside), 2);
  EXPECT_LE(cells.cells.size(), 150u * 125u);
  // Other axes give other cells.
  update_cells(cells, picture, {{-0.1, 0.1}, 100, 400}, y, 2);
  size_t zoomed = 0;
  for (const ScatterCell& cell : cells.cells) zoomed += cell.count;
  EXPECT_LT(zoomed, counted / 4);
}

TEST_F(StudyRowsTest, PointsOfALabelAreSpread) {
  const auto data = study();
  const StudyField& law = data->require("law");
  for (const size_t row : {1, 3, 5}) {
    EXPECT_NEAR(scatter_position(*data, law, row), 1, 0.25);
    EXPECT_NE(scatter_position(*data, law, row), scatter_position(*data, law, row + 2));
  }
  EXPECT_EQ(scatter_position(*data, data->require("peak"), 5), 4);
}

}  // namespace
}  // namespace torsor::editor::test
