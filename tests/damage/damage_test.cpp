// Tests of recordings after accidents: runs that are killed at random times, damaged files, and two
// runs that write the same file. No value may be wrong, no command may hang, and every loss must be
// reported. The printed counts of outcomes are for information.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <system_error>

#include "damage/child.hpp"
#include "simulation/folder_test.hpp"
#include "support/process_limit.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/random.hpp"
#include "torsor/base/sanitized.hpp"
#include "torsor/recording/recording.hpp"

namespace torsor::test {
namespace {

using std::chrono::microseconds;
using testing::HasSubstr;

// A scene with two swinging links, which records 1000 rows per simulated second.
constexpr const char* swing = R"lua(
local torsor = require "torsor"
local p = torsor.params{ duration = 0.5 }
local arm = torsor.robot{ name = "arm" }
for k, name in ipairs{ "upper", "lower" } do
  arm:link{ name = name, parent = k == 2 and "upper" or nil, origin = { xyz = { k - 1, 0, 0 } },
    joint = { "revolute", name = "joint" .. k, axis = { 0, 0, 1 } },
    inertia = { mass = 1, com = { 0.5, 0, 0 }, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = 0.1 } } }
end
arm:set{ q = { 0.5, 0.2 } }
local world = torsor.world{ gravity = { 0, -9.81, 0 } }
world:add(arm)
return world:experiment{ solver = "articulated_body", integrator = { "rk4", dt = 1e-3 }, duration = p.duration,
  record = { "arm.q", "arm.v", "arm.pose.lower", "energy" } }
)lua";

// Number of occurrences of each outcome, printed at the end of a test.
using Counts = std::map<std::string, int>;

class Damage : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    write(folder_ / "swing.lua", swing);
    ASSERT_EQ(run("truth", 60, "csv").exit_code, 0);
    undisturbed_ = read_recording(folder_ / "truth/swing.csv");
    std::ifstream lines(folder_ / "truth/swing.csv");
    for (std::string line; std::getline(lines, line);) undisturbed_lines_.push_back(line);
  }
  void TearDown() override {
    for (const auto& [what, count] : counts_) fmt::print("{:>5}  {}\n", count, what);
    FolderTest::TearDown();
  }
  static std::vector<std::string> run_arguments(const std::string& folder, double duration,
                                                const std::string& format) {
    return {"run",      "swing.lua", "--folder", folder,
            "--format", format,      "--set",    fmt::format("duration={}", duration)};
  }
  Ended run(const std::string& folder, double duration, const std::string& format) {
    return Child(run_arguments(folder, duration, format), folder_).finish();
  }
  // Returns whether the rows are the first rows of the undisturbed run, bit for bit.
  bool are_first_rows(const Recording& recording) const {
    const size_t n = std::min(recording.values.size(), undisturbed_.values.size());
    return recording.columns.size() == undisturbed_.columns.size() &&
           std::memcmp(recording.values.data(), undisturbed_.values.data(), n * sizeof(double)) ==
               0;
  }

  Recording undisturbed_;
  std::vector<std::string> undisturbed_lines_;  // the first line has the names of the columns
  Counts counts_;
  Random random_{24};
};

// Returns whether a run had created its recording before it was killed.
bool was_created(const std::filesystem::path& recording) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(recording, missing);
  if (missing || size == 0) return false;
  if (recording.extension() == ".csv") return true;
  char start[12] = {};
  std::ifstream(recording, std::ios::binary).read(start, sizeof start);
  return start[11] == 5;  // HDF5 marks a file that is open for writing
}

// Checks that the recording of a run that was killed at any time has the first rows of the run.
// Each run replaces the recording of a killed run, whose lock no longer exists.
TEST_F(Damage, KilledRunsLeaveTheirRows) {
  size_t rows = 0;
  for (int k = 0; k < KILLS; ++k) {
    const std::string format = k % 2 == 0 ? "h5" : "csv";
    const std::filesystem::path recording = folder_ / "killed" / ("swing." + format);
    {
      Child run(run_arguments("killed", 1e6, format), folder_);
      ASSERT_FALSE(run.wait(microseconds(random_.below(500000)))) << "it ended by itself";
      run.kill();
    }
    const bool created = was_created(recording);
    try {
      const Recording read = read_recording(recording);
      ASSERT_TRUE(are_first_rows(read)) << "kill " << k;
      EXPECT_THAT(read.error, HasSubstr("the program ended before the run did"));
      EXPECT_EQ(read.damage, "");
      rows += read.rows();
      ++counts_[format + ": killed and read"];
    } catch (const Error& error) {
      EXPECT_FALSE(created) << "kill " << k << ": " << error.what();
      ++counts_[format + ": killed before there was a recording"];
    }
  }
  counts_["rows read"] = int(rows);
  for (const char* format : {"h5", "csv"}) EXPECT_EQ(run("killed", 0.1, format).exit_code, 0);
  for (const auto& file : std::filesystem::directory_iterator(folder_ / "killed"))
    EXPECT_NE(file.path().extension(), ".part") << "the last run has removed it";
}

// Checks a program that cannot be started: an exception, and no signal to any process.
TEST_F(FolderTest, AFailedForkIsAnError) {
  const NoMoreProcesses none;
  EXPECT_THROW(Child({"--version"}, folder_), std::system_error);
}

// ---- damaged files ----

// Damages bytes in one of four ways. Returns a description of the damage.
std::string damage(std::string& bytes, Random& random) {
  constexpr size_t page = 4096;
  const size_t at = size_t(random.below(int(bytes.size())));
  switch (random.below(4)) {
    case 0:
      bytes[at] ^= char(1 << random.below(8));
      return "a flipped bit";
    case 1:
      bytes[size_t(random.below(int(std::min(bytes.size(), 4 * page))))] ^=
          char(1 << random.below(8));
      return "a flipped bit at the start";
    case 2:
      bytes.resize(at);
      return "cut off";
    default:
      std::fill_n(bytes.begin() + ptrdiff_t(at / page * page),
                  std::min(page, bytes.size() - at / page * page), '\0');
      return "a page of zeros";
  }
}

class DamagedFiles : public Damage {
 protected:
  struct Original {
    // Bytes of the recording, and of the JSON file next to a CSV recording (else "").
    std::string file, json;
    size_t rows;
  };
  // Reads the recording that a run has left in a folder.
  Original original(const std::string& folder, const std::string& format) {
    const std::filesystem::path file = folder_ / folder / ("swing." + format);
    return {read(file), format == "csv" ? read(folder_ / folder / "swing.json") : "",
            read_recording(file).rows()};
  }
  // Kills a run as soon as its recording is larger than this. Returns the recording.
  Original killed(size_t bytes) {
    Child run(run_arguments("killed", 1e6, "h5"), folder_);
    const std::filesystem::path file = folder_ / "killed/swing.h5";
    std::error_code missing;
    while (!run.wait(microseconds(100)) &&
           !(std::filesystem::file_size(file, missing) > bytes && !missing)) {
    }
    run.kill();
    return original("killed", "h5");
  }
  // Returns whether all lines of a CSV file are lines of the undisturbed run, in their order.
  bool are_lines_of_the_run(const std::filesystem::path& csv) {
    std::ifstream in(csv);
    auto next = undisturbed_lines_.begin();
    for (std::string line; std::getline(in, line); ++next) {
      next = std::find(next, undisturbed_lines_.end(), line);
      if (next == undisturbed_lines_.end()) return false;
    }
    return true;
  }
  // Reads the file with `torsor info` and `torsor convert`. Returns a description of the outcome.
  std::string outcome(const Original& original, const std::string& name);
};

std::string DamagedFiles::outcome(const Original& original, const std::string& name) {
  constexpr std::chrono::seconds limit{5};
  std::filesystem::remove(folder_ / "out.csv");
  const Ended info = Child({"info", name}, folder_).finish(limit);
  const Ended convert = Child({"convert", name, "out.csv"}, folder_).finish(limit);
  if (info.hung || convert.hung) return "hung";
  for (const Ended* each : {&info, &convert}) {
    EXPECT_THAT(each->exit_code, testing::AnyOf(0, 2)) << each->err;
    EXPECT_LE(std::ranges::count(each->err, '\n'), 1) << each->err;
    if (!TORSOR_SANITIZED) {  // it needs memory of its own
      EXPECT_LT(each->peak_kib, 200000);
    }
  }
  EXPECT_EQ(info.err, convert.err);
  if (convert.exit_code == 2) return convert.err.empty() ? "rejected without a reason" : "rejected";
  const bool is_reported = convert.err.find("the file is damaged: ") != convert.err.npos;
  if (!are_lines_of_the_run(folder_ / "out.csv"))
    return is_reported ? "changed, and reported" : "WRONG: a value differs, and nothing was said";
  const size_t rows = read_recording(folder_ / "out.csv").rows();
  if (rows == original.rows)
    return is_reported ? "read whole, without its description" : "read whole";
  const bool with_row = convert.err.find(" row ") != convert.err.npos ||
                        convert.err.find(" rows ") != convert.err.npos;
  return is_reported && with_row ? "read in part, and the lost rows told"
                                 : "WRONG: rows are lost, and nothing was said";
}

TEST_F(DamagedFiles, GiveCorrectRowsOrAnError) {
  ASSERT_EQ(run("h5", 5, "h5").exit_code, 0);
  ASSERT_EQ(run("csv", 5, "csv").exit_code, 0);
  const std::pair<const char*, Original> originals[] = {{"finished .h5", original("h5", "h5")},
                                                        {"killed .h5", killed(2000000)},
                                                        {"finished .csv", original("csv", "csv")}};
  for (int k = 0; k < DAMAGED_FILES; ++k) {
    // Two of five files are copies of the first original, two of the second, and one of the third.
    const auto& [kind, original] = originals[std::min(k % 5 / 2, 2)];
    std::string bytes = original.file;
    const std::string how = damage(bytes, random_);
    const std::string name = original.json.empty() ? "damaged.h5" : "damaged.csv";
    write(folder_ / name, bytes);
    if (!original.json.empty()) write(folder_ / "damaged.json", original.json);
    const std::string what = outcome(original, name);
    EXPECT_THAT(what, testing::Not(testing::AnyOf("hung", testing::StartsWith("WRONG"),
                                                  "rejected without a reason")))
        << kind << ", " << how << ", number " << k;
    ++counts_[fmt::format("{}: {}", kind, what)];
  }
}

// ---- two runs of one recording ----

// Checks two runs that start at the same time. Either one of them is rejected in one line that
// names the process of the other, or they ran one after the other.
TEST_F(Damage, OneRunOfTwoWritesTheRecording) {
  for (int k = 0; k < PAIRS; ++k) {
    const std::string format = k % 2 == 0 ? "h5" : "csv";
    const std::filesystem::path recording = folder_ / "pair" / ("swing." + format);
    std::filesystem::remove_all(folder_ / "pair");
    Child a(run_arguments("pair", 4, format), folder_, "a"),
        b(run_arguments("pair", 4, format), folder_, "b");
    const Ended of_a = a.finish(), of_b = b.finish();
    ASSERT_FALSE(of_a.hung || of_b.hung);
    ASSERT_TRUE(of_a.exit_code == 0 || of_b.exit_code == 0) << of_a.err << of_b.err;
    for (const auto& [rejected, other] :
         {std::pair{&of_a, b.process()}, std::pair{&of_b, a.process()}}) {
      if (rejected->exit_code == 0) continue;
      EXPECT_EQ(rejected->exit_code, 2);
      EXPECT_EQ(std::ranges::count(rejected->err, '\n'), 1);
      EXPECT_THAT(rejected->err,
                  HasSubstr(fmt::format("process {} has been writing it since", other)));
      ++counts_[format + ": rejected, the other named"];
    }
    if (of_a.exit_code == 0 && of_b.exit_code == 0) ++counts_[format + ": one after the other"];
    const Recording read = read_recording(recording);
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.rows(), 4001u);
    ASSERT_TRUE(are_first_rows(read)) << "pair " << k;
    ++counts_[format + ": whole and true afterwards"];
  }
}

}  // namespace
}  // namespace torsor::test
