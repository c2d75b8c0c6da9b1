// Tests of the table of a study.

#include <gmock/gmock.h>
#include <hdf5.h>

#include <cmath>
#include <limits>
#include <thread>

#include "simulation/folder_test.hpp"
#include "support/error_of.hpp"
#include "support/file_limit.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/random.hpp"
#include "torsor/study/table/study_reader.hpp"
#include "torsor/study/table/study_table.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

StudyLayout layout(uint64_t samples, Shard shard = {}) {
  return {.parameters = {{"payload", "kg"}, {"law", "", {"pid", "adaptive"}}},
          .outcomes = {{"peak", "N m"}, {"reached", ""}},
          .samples = samples,
          .shard = shard,
          .description = R"({"seed":7})"};
}

SampleRow row(uint64_t sample) {
  const bool is_good = sample % 5 != 3;
  return {.status = is_good ? SampleStatus::done : SampleStatus::undefined,
          .parameters = {0.1 * double(sample), double(sample % 2)},
          .outcomes = {1 / (1 + double(sample)), is_good ? 1 : nan},
          .failure = 0,
          .state_hash = sample * 0x9e3779b97f4a7c15,
          .wall_time = 0};
}

std::vector<SampleRow> all_rows(const StudyReader& table) {
  std::vector<SampleRow> out;
  table.each([&](uint64_t, const SampleRow& each) { out.push_back(each); });
  return out;
}

class StudyTableTest : public FolderTest {
 protected:
  std::filesystem::path path() const { return folder_ / "study.h5"; }
  // Writes the rows of these samples.
  void fill(StudyTable& table, const std::vector<uint64_t>& rows) const {
    for (const uint64_t k : rows) table.write(k, row(table.layout().shard.sample(k)));
  }
};

TEST_F(StudyTableTest, ReadsWhatWasWritten) {
  StudyTable table = StudyTable::create(path(), layout(20));
  fill(table, {0, 3, 4, 7, 19});
  const StudyReader reader(path());  // while the table is open
  EXPECT_EQ(reader.layout().parameters, layout(20).parameters);
  EXPECT_EQ(reader.layout().outcomes, layout(20).outcomes);
  EXPECT_THAT(reader.layout().description, HasSubstr("\"seed\": 7"));
  const auto rows = all_rows(reader);
  ASSERT_EQ(rows.size(), 20u);
  EXPECT_EQ(rows[1].status, SampleStatus::not_run);
  EXPECT_EQ(rows[7].status, SampleStatus::done);
  EXPECT_EQ(rows[7].parameters, row(7).parameters);
  EXPECT_EQ(rows[7].outcomes, row(7).outcomes);
  EXPECT_EQ(rows[7].state_hash, row(7).state_hash);
  EXPECT_EQ(rows[3].status, SampleStatus::undefined);
  EXPECT_TRUE(std::isnan(rows[3].outcomes[1]));
}

TEST_F(StudyTableTest, IsRecognised) {
  { (void)StudyTable::create(path(), layout(20)); }
  EXPECT_TRUE(is_study(path()));
  const std::string whole = read(path());
  std::filesystem::copy(path(), folder_ / "study.csv");
  EXPECT_FALSE(is_study(folder_ / "study.csv"));
  EXPECT_FALSE(is_study(folder_ / "none-study.h5"));
  EXPECT_FALSE(is_study(folder_));
  write(folder_ / "text-study.h5", "no HDF5 file");
  EXPECT_FALSE(is_study(folder_ / "text-study.h5"));
  // HDF5 cannot open a file that is cut off, so that its name decides.
  write(folder_ / "cut-study.h5", whole.substr(0, whole.size() / 2));
  EXPECT_TRUE(is_study(folder_ / "cut-study.h5"));
  write(folder_ / "cut.h5", whole.substr(0, whole.size() / 2));
  EXPECT_FALSE(is_study(folder_ / "cut.h5"));
}

TEST_F(StudyTableTest, ThreadsReadAtTheSameTime) {
  constexpr uint64_t n = 20'000;
  {
    StudyTable table = StudyTable::create(path(), layout(n));
    for (uint64_t k = 0; k < n; ++k) table.write(k, row(k));
  }
  std::vector<uint64_t> hashes(4);
  {
    std::vector<std::jthread> threads;
    for (uint64_t& hash : hashes)
      threads.emplace_back([&] { hash = study_hash(StudyReader(path())); });
  }
  for (const uint64_t hash : hashes) EXPECT_EQ(hash, study_hash(StudyReader(path())));
}

TEST_F(StudyTableTest, HasTheSameBytesInAnyOrderAndWithThreads) {
  constexpr uint64_t n = 10'000;
  {
    StudyTable table = StudyTable::create(path(), layout(n));
    for (uint64_t k = n; k-- > 0;) table.write(k, row(k));
  }
  const std::string one = read(path());
  {
    StudyTable table = StudyTable::create(path(), layout(n));
    std::vector<std::jthread> threads;
    for (uint64_t t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (uint64_t k = t; k < n; k += 4) table.write(k, row(k));
      });
  }
  EXPECT_EQ(read(path()), one);
}

TEST_F(StudyTableTest, ContinuesAnInterruptedTable) {
  {
    StudyTable table = StudyTable::create(path(), layout(10));
    fill(table, {1, 5});
    SampleRow started = row(6);
    started.status = SampleStatus::started;
    table.write(6, started);
    table.add_failure(5, "at t = 0.5 s: failed");
  }
  StudyTable table = StudyTable::open(path());
  for (uint64_t k = 0; k < 10; ++k) EXPECT_EQ(table.has(k), k == 1 || k == 5);
  fill(table, {0, 2, 3});
  table.add_failure(2, "at t = 0.7 s: failed");
  table.finish();
  const StudyReader reader(path());
  EXPECT_EQ(all_rows(reader)[5].state_hash, row(5).state_hash);
  EXPECT_EQ(all_rows(reader)[3].state_hash, row(3).state_hash);
  ASSERT_EQ(reader.failures().size(), 1u);
  EXPECT_EQ(reader.failures()[0].sample, 2u);
  EXPECT_EQ(reader.message(failure_key("at t = 9 s: failed")), "at t = 0.7 s: failed");
}

// A process that is killed within a write leaves a part of a row.
TEST_F(StudyTableTest, ATornRowIsNotRun) {
  const std::string empty = (StudyTable::create(path(), layout(3)), read(path()));
  {
    StudyTable table = StudyTable::create(path(), layout(3));
    fill(table, {1});
  }
  const std::string full = read(path());
  ASSERT_EQ(full.size(), empty.size());
  size_t first = 0, last = 0;
  for (size_t k = 0; k < full.size(); ++k)
    if (full[k] != empty[k]) last = k, first = first == 0 ? k : first;
  for (size_t cut = first; cut < last; ++cut) {
    write(path(), full.substr(0, cut) + empty.substr(cut));
    EXPECT_EQ(all_rows(StudyReader(path()))[1].status, SampleStatus::not_run) << cut;
  }
  write(path(), full);
  EXPECT_EQ(all_rows(StudyReader(path()))[1].status, SampleStatus::done);
}

TEST_F(StudyTableTest, AShardHasItsOwnRows) {
  const Shard shard{.index = 2, .count = 3};
  EXPECT_EQ(shard.rows(10), 3u);
  EXPECT_EQ((Shard{0, 3}.rows(10)), 4u);
  EXPECT_EQ((Shard{4, 5}.rows(3)), 0u);
  StudyTable table = StudyTable::create(path(), layout(10, shard));
  fill(table, {0, 1, 2});
  std::vector<uint64_t> samples;
  StudyReader(path()).each([&](uint64_t sample, const SampleRow& values) {
    samples.push_back(sample);
    EXPECT_EQ(values.state_hash, row(sample).state_hash);
  });
  EXPECT_THAT(samples, ElementsAre(2, 5, 8));
}

TEST_F(StudyTableTest, TheHashIgnoresWallTimesOnly) {
  StudyTable table = StudyTable::create(path(), layout(2));
  fill(table, {0, 1});
  const uint64_t hash = study_hash(StudyReader(path()));
  SampleRow slow = row(1);
  slow.wall_time = 3;
  table.write(1, slow);
  EXPECT_EQ(study_hash(StudyReader(path())), hash);
  slow.outcomes[0] = 3;
  table.write(1, slow);
  EXPECT_NE(study_hash(StudyReader(path())), hash);
}

TEST_F(StudyTableTest, OtherProgramsReadItsColumnsByName) {
  StudyTable table = StudyTable::create(path(), layout(5));
  fill(table, {2});
  const hid_t file = H5Fopen(path().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
              samples = H5Dopen2(file, "samples", H5P_DEFAULT),
              field = H5Tcreate(H5T_COMPOUND, sizeof(double));
  H5Tinsert(field, "payload", 0, H5T_NATIVE_DOUBLE);
  double payload[5];
  ASSERT_GE(H5Dread(samples, field, H5S_ALL, H5S_ALL, H5P_DEFAULT, payload), 0);
  EXPECT_THAT(payload, ElementsAre(0, 0, 0.2, 0, 0));
  EXPECT_GT(H5Aexists(samples, "units"), 0);
  H5Tclose(field), H5Dclose(samples), H5Fclose(file);
}

TEST_F(StudyTableTest, OneProgramWritesIt) {
  const StudyTable table = StudyTable::create(path(), layout(5));
  EXPECT_THAT(error_of([&] { StudyTable::open(path()); }), HasSubstr("has been writing it since"));
  EXPECT_THAT(error_of([&] { StudyTable::create(path(), layout(5)); }),
              HasSubstr("has been writing it since"));
}

TEST_F(StudyTableTest, ADiskThatIsTooSmallIsReportedAtTheStart) {
  const FileLimit limit(1 << 20);
  EXPECT_THAT(error_of([&] { StudyTable::create(path(), layout(100'000)); }),
              HasSubstr("cannot write '" + path().string() + "': File too large"));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(StudyTableTest, InvalidColumnsAreReported) {
  StudyLayout twice = layout(3);
  twice.outcomes[0].name = "payload";
  EXPECT_EQ(error_of([&] { StudyTable::create(path(), twice); }),
            "two columns of the study have the name 'payload'; rename the outcome");
  twice.outcomes[0].name = "state_hash";
  EXPECT_THAT(error_of([&] { StudyTable::create(path(), twice); }), HasSubstr("'state_hash'"));
  StudyLayout wide = layout(3);
  for (int k = 0; k < 600; ++k) wide.outcomes.push_back({std::to_string(k), ""});
  EXPECT_THAT(error_of([&] { StudyTable::create(path(), wide); }),
              HasSubstr("at most 500 columns, not 610"));
  wide.outcomes.resize(490);
  for (StudyColumn& column : wide.outcomes)
    if (column.unit.empty()) column.name = std::string(60 - column.name.size(), 'x') + column.name;
  StudyTable::create(path(), wide);  // the most that a table can have
  EXPECT_EQ(StudyReader(path()).layout().outcomes.size(), 490u);
}

TEST_F(StudyTableTest, OtherFilesAreReported) {
  write(path(), "text");
  EXPECT_THAT(error_of([&] { StudyReader{path()}; }), HasSubstr("not a study: not an HDF5 file"));
  EXPECT_THAT(error_of([&] { StudyTable::open(folder_ / "none.h5"); }), HasSubstr("no such file"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none.h5"));
  const std::string whole = (StudyTable::create(path(), layout(3)), read(path()));
  for (size_t cut = 0; cut < whole.size(); cut += 997) {
    write(path(), whole.substr(0, cut));
    EXPECT_THAT(error_of([&] { StudyReader{path()}; }), HasSubstr("not a study: "));
  }
}

TEST(FailureKinds, IgnoreNumbersButNotNamesAndLines) {
  EXPECT_EQ(without_numbers("at t = 0.123 s (step 4711): 'joint1' is -1.5e-07"),
            "at t = # s (step #): 'joint1' is #");
  EXPECT_EQ(without_numbers("cart.lua:7: law is 3."), "cart.lua:7: law is #.");
  EXPECT_EQ(failure_key("at 1 s"), failure_key("at 2.5 s"));
  EXPECT_NE(failure_key("a"), failure_key("b"));
}

TEST(FailureKinds, DoNotDependOnTheOrderOfAdditions) {
  FailureKinds up, down;
  for (uint64_t k = 0; k < 1000; ++k) up.add(k, "kind x" + std::to_string(k % 300));
  for (uint64_t k = 1000; k-- > 0;) down.add(k, "kind x" + std::to_string(k % 300));
  ASSERT_EQ(up.sorted().size(), FailureKinds::most);
  for (size_t k = 0; k < FailureKinds::most; ++k) {
    EXPECT_EQ(up.sorted()[k].sample, k);
    EXPECT_EQ(down.sorted()[k].sample, k);
    EXPECT_EQ(up.sorted()[k].message, down.sorted()[k].message);
  }
}

TEST(FailureKinds, CutLongMessagesBetweenCharacters) {
  FailureKinds kinds;
  std::string message(511, 'a');
  kinds.add(0, message + "\xc3\xbc tail");
  EXPECT_EQ(kinds.sorted()[0].message, message);
}

// A file with wrong bytes, or without its end, is read or rejected with one line.
TEST_F(StudyTableTest, DamagedFilesAreReadOrReported) {
  {
    StudyTable table = StudyTable::create(path(), layout(20));
    fill(table, {0, 3, 4, 7, 19});
    table.add_failure(3, "diverged");
  }
  const std::string sound = read(path());
  Random random(30);
  int rejected = 0;
  for (int k = 0; k < 600; ++k) {
    std::string damaged = sound;
    if (k % 4 == 0) damaged.resize(size_t(random.uniform(0, double(sound.size()))));
    // Most of the bytes are those of failures. The others describe the file.
    for (int n = 0; n < 1 + k % 3 && !damaged.empty(); ++n) {
      const double reach =
          k % 2 == 0 ? double(damaged.size()) : std::min(6000.0, double(damaged.size()));
      damaged[size_t(random.uniform(0, reach))] = char(random.uniform(0, 256));
    }
    write(path(), damaged);
    try {
      const StudyReader reader(path());
      all_rows(reader);
      study_hash(reader);
    } catch (const Error& error) {
      ++rejected;
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(rejected, 100);
}

}  // namespace
}  // namespace torsor::test
