// Tests of writing and reading recordings, in each format.

#include "torsor/recording/recording.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "simulation/folder_test.hpp"
#include "simulation/written.hpp"
#include "torsor/recording/csv_file.hpp"
#include "torsor/recording/recording_lock.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using Recordings = FolderTest;

std::unique_ptr<RecordingFile> create(const std::filesystem::path& path,
                                      const std::string& text = description(true)) {
  return create_recording(path, columns(), signals(), text);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST_F(Recordings, ComeBackBitForBit) {
  std::vector<double> values;
  for (int k = 0; k < 3000; ++k) {  // more than one chunk
    const std::vector<double> row = row_of(k);
    values.insert(values.end(), row.begin(), row.end());
  }
  values[12] = 5e-324;
  values[13] = -0.0;
  values[14] = std::numeric_limits<double>::infinity();
  for (const char* name : {"a.h5", "a.csv"}) {
    const auto file = create(folder_ / "deep" / name);
    for (size_t k = 0; k < values.size(); k += columns().size())
      file->write(std::span(values).subspan(k, columns().size()));
    file->close(description(true));
    const Recording read = read_recording(folder_ / "deep" / name);
    EXPECT_TRUE(same_bits(read.values, values)) << name;
    EXPECT_EQ(read.rows(), 3000u);
    EXPECT_EQ(read.description, description(true));
    EXPECT_EQ(read.signals, signals());
    EXPECT_EQ(read.error, "");
    ASSERT_EQ(read.columns.size(), columns().size());
    for (size_t k = 0; k < columns().size(); ++k) {
      EXPECT_EQ(read.columns[k].name, columns()[k].name);
      EXPECT_EQ(read.columns[k].unit, columns()[k].unit);
      EXPECT_EQ(read.columns[k].frame, columns()[k].frame);
    }
  }
}

TEST_F(Recordings, WithoutRowsAreRecordings) {
  for (const char* name : {"a.h5", "a.csv"}) {
    create(folder_ / name)->close(description(true));
    EXPECT_EQ(read_recording(folder_ / name).rows(), 0u);
  }
}

// Checks a recording with too many names for an object header of HDF5 (64 KiB).
TEST_F(Recordings, OfManyColumnsComeBack) {
  std::vector<Column> columns{{"time", "s", ""}};
  for (int k = 0; k < 3000; ++k)
    columns.push_back({fmt::format("arm.q.a_joint_with_a_long_name_{}", k), "rad", ""});
  const auto file = create_recording(folder_ / "a.h5", columns, {"arm.q"}, description(true));
  const std::vector<double> row(columns.size(), 0.5);
  for (int k = 0; k < 20; ++k) file->write(row);
  file->close(description(true));
  const Recording read = read_recording(folder_ / "a.h5");
  EXPECT_EQ(read.rows(), 20u);
  EXPECT_EQ(read.columns.back().name, columns.back().name);
}

TEST_F(Recordings, StateWhyTheyAreNotComplete) {
  for (const char* name : {"a.h5", "a.csv"}) {
    create(folder_ / name)->close(description(false));
    EXPECT_EQ(read_recording(folder_ / name).error, "it stopped");
  }
}

// Checks that the last row of an incomplete recording is left out if it has no line end: "0.25" cut
// to "0.2" would still look like a number.
TEST_F(Recordings, ALineThatWasCutIsLeftOut) {
  for (const bool whole : {false, true}) {
    const auto file = create(folder_ / "a.csv");
    for (int k = 0; k < 3; ++k) file->write(row_of(k));
    file->close(description(whole));
    const std::string text = read(folder_ / "a.csv");
    write(folder_ / "a.csv", text.substr(0, text.size() - 1));
    EXPECT_EQ(read_recording(folder_ / "a.csv").rows(), whole ? 3 : 2);
    write(folder_ / "a.csv", text.substr(0, text.size() - 30));
    if (whole) {
      EXPECT_THAT([&] { read_recording(folder_ / "a.csv"); },
                  testing::ThrowsMessage<Error>(HasSubstr("a.csv:4:")));
    } else {
      EXPECT_EQ(read_recording(folder_ / "a.csv").rows(), 2);
    }
  }
}

TEST_F(Recordings, AnotherExtensionIsRejected) {
  EXPECT_THAT([&] { create(folder_ / "a.mat"); },
              testing::ThrowsMessage<Error>(HasSubstr("ends in .h5 or .csv")));
  EXPECT_THAT(
      [&] { read_recording(folder_ / "a.h5"); },
      testing::ThrowsMessage<Error>(HasSubstr("a.h5: there is no such file; give a recording")));
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

// Checks the messages about a damaged description: they do not contain messages of the JSON
// library.
TEST_F(Recordings, ADescriptionThatIsDamagedIsRejected) {
  const auto expect_rejected = [&](const std::string& text, const std::string& said) {
    create(folder_ / "a.h5")->close(text);
    EXPECT_THAT([&] { read_recording(folder_ / "a.h5"); },
                testing::ThrowsMessage<Error>(
                    testing::AllOf(HasSubstr(said), testing::Not(HasSubstr("json.exception")))))
        << text;
  };
  expect_rejected("", "a.h5/description:1:1: the text is empty");
  expect_rejected("{\n \"complete\"; true}", "a.h5/description:2:12: not JSON: unexpected ';'");
  expect_rejected("{\"complete\": \"\xff\"}",
                  "a.h5/description:1:15: not JSON: unexpected byte 0xff");
  for (const char* text : {"[]", "{}", "3", R"({"complete": "yes"})", R"({"complete": false})"})
    expect_rejected(
        text,
        "a.h5/description: this is not the description of a recording: 'complete' or 'error'");
}

TEST_F(Recordings, AFolderIsNamedAsOne) {
  std::filesystem::create_directories(folder_ / "a.h5");
  EXPECT_THAT([&] { read_recording(folder_ / "a.h5"); },
              testing::ThrowsMessage<Error>(HasSubstr("a.h5: this is a folder; give a recording")));
  EXPECT_THAT([] { read_recording("/dev/null"); },
              testing::ThrowsMessage<Error>(HasSubstr("/dev/null: this is not a regular file")));
}

TEST_F(Recordings, ThatCannotBeWrittenAreReported) {
  write(folder_ / "file", "");
  for (const char* name : {"a.h5", "a.csv"}) {
    EXPECT_THAT([&] { create(folder_ / "file" / name); },
                testing::ThrowsMessage<Error>(HasSubstr("cannot write")));
    std::filesystem::create_directories(folder_ / name);
    EXPECT_THAT([&] { create(folder_ / name); },
                testing::ThrowsMessage<Error>(HasSubstr("this is a folder; remove it")));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.json")) << "a side file without its table";
}

// Checks that a CSV file that was changed is read as it is, with a warning. Users may edit such a
// file.
TEST_F(Recordings, AChangedCsvFileIsReported) {
  const auto write_rows = [&] {
    const auto file = create(folder_ / "a.csv");
    for (int k = 0; k < 3; ++k) file->write(row_of(k));
    file->close(description(true));
    return read(folder_ / "a.csv");
  };
  const std::string text = write_rows(), row = "0.001,";
  ASSERT_NE(text.find(row), text.npos);
  const auto damage_of = [&](const std::string& changed) {
    write(folder_ / "a.csv", changed);
    return read_recording(folder_ / "a.csv").damage;
  };
  const auto replaced = [&](const std::string& by) {
    std::string out = text;
    return out.replace(out.find("\n" + row) + 1, row.size(), by);
  };
  EXPECT_EQ(damage_of(text), "");
  EXPECT_EQ(damage_of(replaced("1e-3,")), "") << "the same value in other digits";
  EXPECT_EQ(damage_of(replaced("0.003,")), "its numbers were changed after the run");
  const size_t last = text.rfind('\n', text.size() - 2) + 1;
  EXPECT_EQ(damage_of(text.substr(0, last)), "it has 2 rows where the run wrote 3");
  EXPECT_EQ(damage_of(text + text.substr(last)), "it has 4 rows where the run wrote 3");
  const Recording changed = read_recording(folder_ / "a.csv");
  EXPECT_EQ(changed.error, "the file is damaged: it has 4 rows where the run wrote 3");
  EXPECT_THAT(changed.description,
              testing::AllOf(HasSubstr("\"complete\": false"), HasSubstr("4 rows where")));
  std::string side = read(folder_ / "a.json");
  const size_t member = side.find(",\n \"csv\"");
  write(folder_ / "a.json", side.substr(0, member) + "\n}\n");
  EXPECT_EQ(read_recording(folder_ / "a.csv").damage, "")
      << "without the checksum nothing is compared";
}

TEST_F(Recordings, InCsvHaveOneWriter) {
  const auto file = create(folder_ / "a.csv", "{\"scene\": \"arm.lua\"}");
  file->write(row_of(0));
  EXPECT_THAT(
      [&] { create(folder_ / "a.csv"); },
      testing::ThrowsMessage<RecordingInUse>(testing::AllOf(
          HasSubstr("process " + std::to_string(getpid())), HasSubstr(", scene 'arm.lua'; wait"))));
  file->flush();
  EXPECT_EQ(read(folder_ / "a.json"), "{\"scene\": \"arm.lua\"}");
  EXPECT_EQ(read_csv(folder_ / "a.csv").values.size(), size_t(width));
}

// Checks a file that an office suite has locked. Office suites lock open tables with fcntl, not
// with flock.
TEST_F(Recordings, ThatAnotherProgramLocksAreRejected) {
  write(folder_ / "a.csv", "text");
  const int other = open((folder_ / "a.csv").c_str(), O_RDWR | O_CLOEXEC);
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  ASSERT_EQ(fcntl(other, F_SETLK, &whole), 0);
  EXPECT_THAT([&] { create(folder_ / "a.csv"); },
              testing::ThrowsMessage<Error>(HasSubstr(
                  fmt::format("the program with process id {} has locked it", getpid()))));
  ::close(other);
  EXPECT_EQ(read(folder_ / "a.csv"), "text");
}

TEST_F(Recordings, InCsvThatOtherProgramsChangeAreReported) {
  const auto expect_lost = [&](const std::function<void()>& change, const std::string& what) {
    const auto file = create(folder_ / "a.csv", description(false));
    for (int k = 0; k < 30; ++k) file->write(row_of(k));
    file->flush();
    change();
    EXPECT_THAT(
        [&] {
          file->write(row_of(30));
          file->close(description(true));
        },
        testing::ThrowsMessage<RecordingLost>(HasSubstr(what)));
    EXPECT_EQ(read(folder_ / "a.json"), description(false)) << "it does not look complete";
  };
  expect_lost([&] { std::filesystem::resize_file(folder_ / "a.csv", 100); },
              "another program changed '" + (folder_ / "a.csv").string() +
                  "' while it was written: its 31 rows are damaged");
  expect_lost([&] { write(folder_ / "a.csv", "text"); }, "another program changed");
  expect_lost([&] { std::filesystem::remove(folder_ / "a.csv"); },
              "a.csv' was deleted while it was written: its 31 rows are lost");
}

TEST_F(Recordings, ASideFileOfAnotherRunIsRejected) {
  create(folder_ / "a.csv")->close(description(true));
  const auto expect_rejected = [&](const std::string& side, const std::string& said) {
    write(folder_ / "a.json", side);
    EXPECT_THAT([&] { read_recording(folder_ / "a.csv"); },
                testing::ThrowsMessage<Error>(HasSubstr(said)))
        << side;
  };
  std::string other = description(true);
  other.replace(other.find("arm.q.a"), 7, "arm.q.b");
  expect_rejected(other, "the two are from different runs");
  expect_rejected("{", "a.json:1:2: not JSON: the text ends too early");
  expect_rejected("", "a.json:1:1: the text is empty");
  expect_rejected("[]", "a.json: this is not the description of a recording");
  expect_rejected(R"({"columns": []})", "a.json: this is not the description of a recording");
  expect_rejected(R"({"complete": 1, "experiment": {"record": 2}, "columns": 3})",
                  "remove it to read the rows alone");
  std::filesystem::remove(folder_ / "a.json");
  EXPECT_EQ(read_recording(folder_ / "a.csv").description, "");
}

}  // namespace
}  // namespace torsor::test
