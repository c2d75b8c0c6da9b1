// Tests of CSV files, and of reading and writing complete text files.

#include "torsor/recording/csv_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulation/folder_test.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/output_file.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

using CsvFiles = FolderTest;

TEST_F(CsvFiles, NumbersReadBackToTheSameBits) {
  const double values[] = {0.1, 1.0 / 3, 5e-324, -1.7976931348623157e308, 123456789.0};
  CsvFile file(folder_ / "deep" / "a.csv",
               {{"time", "s", ""}, {"b", "m", ""}, {"c", "", ""}, {"d", "1", ""}, {"e", "J", ""}});
  file.write(values);
  file.close();
  std::ifstream in(folder_ / "deep" / "a.csv");
  std::string header, cell;
  std::getline(in, header);
  EXPECT_EQ(header, "time [s],b [m],c [],d [1],e [J]");
  for (const double value : values) {
    std::getline(in, cell, value == values[4] ? '\n' : ',');
    EXPECT_EQ(std::strtod(cell.c_str(), nullptr), value) << cell;
  }
  EXPECT_EQ(read_csv(folder_ / "deep" / "a.csv").values,
            std::vector(std::begin(values), std::end(values)));
}

TEST_F(CsvFiles, ANameWithACommaIsQuoted) {
  CsvFile file(folder_ / "a.csv", {{"left, \"main\"", "rad", ""}, {"b [1]", "", ""}});
  file.close();
  EXPECT_EQ(read(folder_ / "a.csv"), "\"left, \"\"main\"\" [rad]\",b [1] []\n");
  const CsvTable table = read_csv(folder_ / "a.csv");
  ASSERT_EQ(table.columns.size(), 2u);
  EXPECT_EQ(table.columns[0].name, "left, \"main\"");
  EXPECT_EQ(table.columns[0].unit, "rad");
  EXPECT_EQ(table.columns[1].name, "b [1]");
  EXPECT_EQ(table.columns[1].unit, "");
}

TEST_F(CsvFiles, FlushedRowsCanBeRead) {
  CsvFile file(folder_ / "a.csv", {{"time", "s", ""}});
  file.write(std::vector<double>{0.5});
  file.flush();
  EXPECT_EQ(read_csv(folder_ / "a.csv").values, std::vector<double>{0.5});
}

TEST_F(CsvFiles, LinesMayEndAsOnWindows) {
  // Spreadsheet programs on Windows write a byte order mark and CRLF line ends.
  write(folder_ / "a.csv", "\xef\xbb\xbftime [s],q [rad]\r\n0,1\r\n0.5,2\r\n");
  const CsvTable table = read_csv(folder_ / "a.csv");
  EXPECT_EQ(table.columns[0].name, "time");
  EXPECT_EQ(table.columns[1].unit, "rad");
  EXPECT_EQ(table.values, (std::vector<double>{0, 1, 0.5, 2}));
}

TEST_F(CsvFiles, InvalidTablesAreReportedWithTheLine) {
  const auto expect_rejected = [&](const std::string& text, const std::string& said) {
    write(folder_ / "a.csv", text);
    EXPECT_THAT([&] { read_csv(folder_ / "a.csv"); },
                testing::ThrowsMessage<Error>(HasSubstr(said)))
        << text;
  };
  expect_rejected("", "the file is empty");
  expect_rejected("\n", "a.csv:1: the header field ''");
  expect_rejected("time\n0\n", "a.csv:1: the header field 'time' is not 'name [unit]'");
  expect_rejected(std::string("ti\0me\n0\n", 8),
                  "a.csv:1: the header field 'ti\\x00me' is not 'name [unit]'");
  expect_rejected(
      "time [s],q\x01 [rad]\n0,1\n",
      "a.csv:1: the header field 'q\\x01 [rad]' has characters that a name cannot have");
  expect_rejected("time [s],\xff [rad]\n0,1\n",
                  "'\\xff [rad]' has characters that a name cannot have");
  expect_rejected("time [s]\r\r\n0\n", "the header field 'time [s]\\x0d' is not 'name [unit]'");
  expect_rejected(std::string(100000, 'x'),
                  "'" + std::string(60, 'x') + "...' is not 'name [unit]'");
  expect_rejected("time [s];q [rad]\n0;1\n",
                  "a.csv:1: the header has semicolons; separate the columns with commas");
  expect_rejected("time;q\n0;1\n",
                  "'time;q' is not 'name [unit]'; separate the columns with commas");
  expect_rejected(
      "time [s],q [rad]\n0,1\n1\n",
      "a.csv:3: this is not a row of 2 numbers separated by commas; if it is the last line");
  write(folder_ / "a.csv", "time [s]\nx\n0\n");
  EXPECT_THAT([&] { read_csv(folder_ / "a.csv"); },
              testing::ThrowsMessage<Error>(testing::EndsWith("not a row of 1 number")));
  expect_rejected("time [s],q [rad]\n0,1,2\n", "a.csv:2:");
  expect_rejected("time [s],q [rad]\n0,\n", "a.csv:2:");
  expect_rejected("time [s],q [rad]\n0,1x\n", "a.csv:2:");
  expect_rejected("time [s],q [rad]\n0,1\n\n", "a.csv:3:");
}

TEST_F(CsvFiles, RowsOfOtherProgramsAreRead) {
  const auto rows = [&](const std::string& text) {
    write_file(folder_ / "rows.csv", text);
    return read_csv_rows(folder_ / "rows.csv");
  };
  const std::vector<std::vector<double>> expected{{0, 1.5}, {1, -2e-3}};
  EXPECT_EQ(rows("0,1.5\n1,-2e-3\n"), expected);
  EXPECT_EQ(rows("time [s],\"q, of the arm\"\r\n0, 1.5\r\n 1 ,-2e-3\r\n"), expected);
  EXPECT_EQ(rows("0,1.5\n1,-2e-3"), expected);
  EXPECT_EQ(rows("t\n"), (std::vector<std::vector<double>>{}));
  const auto expect_rejected = [&](const std::string& text, const std::string& said) {
    EXPECT_THAT([&] { rows(text); }, testing::ThrowsMessage<Error>(HasSubstr(said))) << text;
  };
  expect_rejected("t,q\n0,1\n1\n", "rows.csv:3: this row has 1 number, the first has 2");
  expect_rejected("t,q\n0,1\n\n",
                  "rows.csv:3: this is not a row of finite numbers separated by commas");
  expect_rejected("0,1\n1,x\n", "rows.csv:2: this is not");
  expect_rejected("0,1\n1,nan\n", "rows.csv:2: this is not");
  expect_rejected("0,1\n1,2,\n", "rows.csv:2: this is not");
  expect_rejected("0;1\n1;2\n", "rows.csv:2: this is not");
  EXPECT_THAT([&] { read_csv_rows(folder_ / "none.csv"); },
              testing::ThrowsMessage<Error>(HasSubstr("none.csv: there is no such file")));
}

TEST_F(CsvFiles, AFolderThatCannotBeWrittenIsReported) {
  std::ofstream(folder_) << "a file where the folder should be";
  EXPECT_THAT([&] { CsvFile(folder_ / "a.csv", {}); },
              testing::ThrowsMessage<Error>(HasSubstr("cannot write")));
  EXPECT_THAT([&] { write_file(folder_ / "a.json", ""); },
              testing::ThrowsMessage<Error>(HasSubstr("cannot write")));
  std::filesystem::remove(folder_);
}

TEST_F(CsvFiles, AFullDiskIsReported) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "/dev/full does not exist";
  CsvFile file("/dev/full", {{"time", "s", ""}});
  EXPECT_THAT(
      [&] {
        for (int k = 0; k < 100000; ++k) file.write(std::vector<double>{1.0 / 3});
        file.close();
      },
      testing::ThrowsMessage<Error>(HasSubstr("No space left")));
}

TEST_F(CsvFiles, AWrittenFileIsCompleteOrAbsent) {
  write_file(folder_ / "a.json", "{}\n");
  EXPECT_EQ(read(folder_ / "a.json"), "{}\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1)
      << "no .part file is left";
}

}  // namespace
}  // namespace torsor::test
