// Tests of recordings on a full disk, simulated by a limit on the size of files.

#include <gmock/gmock.h>

#include <set>

#include "simulation/folder_test.hpp"
#include "simulation/written.hpp"
#include "support/file_limit.hpp"
#include "torsor/recording/recording.hpp"
#include "torsor/recording/recording_lock.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

class FullDisk : public FolderTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    std::filesystem::create_directories(folder_);
  }
  std::filesystem::path path(const std::string& name) const {
    return folder_ / (name + GetParam());
  }
  static std::unique_ptr<RecordingFile> create(const std::filesystem::path& file,
                                               Replaces when = Replaces::at_once) {
    return create_recording(file, columns(), signals(), description(false), when);
  }
  static void write_rows(const std::filesystem::path& file, int rows) {
    const auto recording = create(file);
    for (int k = 0; k < rows; ++k) recording->write(row_of(k));
    recording->close(description(true));
  }
};

// Checks that a recording on a full disk has every row that was written before the error, flushed
// or not, and its last description. The reserved space is always sufficient to finish the file.
TEST_P(FullDisk, LosesNoRow) {
  size_t most = 0;
  for (rlim_t limit = 100'000; limit < 1'000'000; limit += 66'666) {
    SCOPED_TRACE(limit);
    size_t written = 0;
    try {
      const FileLimit full(limit);
      const auto file = create(path("a"));
      try {
        for (;; ++written) file->write(row_of(int(written)));
      } catch (const RecordingCut& error) {
        EXPECT_THAT(
            error.what(),
            HasSubstr(fmt::format("{}': File too large; it has {} rows up to t = {:.6g} s, and all "
                                  "later ones are missing; free space on the disk",
                                  path("a").string(), written, 1e-3 * double(written - 1))));
      }
      file->close(description(false));
    } catch (const Error& error) {
      EXPECT_EQ(written, 0u) << error.what();
      EXPECT_TRUE(files().empty());
      continue;
    }
    const Recording recording = read_recording(path("a"));
    EXPECT_EQ(recording.damage, "");
    EXPECT_EQ(recording.description, description(false));
    ASSERT_EQ(recording.rows(), written);
    for (size_t k = 0; k < written; ++k)
      ASSERT_TRUE(std::ranges::equal(std::span(recording.values).subspan(k * width, width),
                                     row_of(int(k))));
    most = std::max(most, written);
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  EXPECT_GT(most, 2500u);
}

// Checks a file system without reservation, where other files can take the space before rows are
// written. Flushed rows remain, and the message states their number.
TEST_P(FullDisk, KeepsTheRowsThatWereFlushed) {
  const auto file = create(path("a"));
  for (int k = 0; k < 100; ++k) file->write(row_of(k));
  file->flush();
  {
    const FileLimit full(std::filesystem::file_size(path("a")) / 2);
    EXPECT_THAT(
        [&] {
          for (int k = 100; k < 200; ++k) file->write(row_of(k));
          file->flush();
        },
        testing::ThrowsMessage<RecordingCut>(
            HasSubstr("it has 100 rows up to t = 0.099 s, and all later ones are missing")));
    file->close(description(false));
  }
  const Recording recording = read_recording(path("a"));
  EXPECT_GE(recording.rows(), 100u);
  for (size_t k = 0; k < recording.rows(); ++k)
    ASSERT_TRUE(
        std::ranges::equal(std::span(recording.values).subspan(k * width, width), row_of(int(k))))
        << k;
}

// Checks that the older recording remains until the new one has its description and space for its
// first rows.
TEST_P(FullDisk, LeavesTheOlderRecording) {
  write_rows(path("a"), 30);
  std::filesystem::create_symlink(path("a").filename(), path("link"));
  const auto older = files();
  for (rlim_t limit = 0; limit <= 32'000; limit += 4'000) {
    for (const char* name : {"a", "link", "new"}) {
      const FileLimit full(limit);
      EXPECT_THROW(create(path(name)), Error) << limit;
    }
    ASSERT_TRUE(files() == older) << limit;
  }
  const FileLimit full(32'000);
  const std::string why =
      "cannot write '{}': File too large; free space on the disk, or choose another folder";
  EXPECT_THAT([&] { create(path("new")); },
              testing::ThrowsMessage<Error>(fmt::format(fmt::runtime(why), path("new").string())));
  EXPECT_THAT([&] { create(path("a")); },
              testing::ThrowsMessage<Error>(fmt::format(fmt::runtime(why), path("a").string()) +
                                            "; the older recording of this name is unchanged"));
}

TEST_P(FullDisk, LeavesTheOlderRecordingUntilTheNewOneIsClosed) {
  write_rows(path("a"), 30);
  const auto older = files();
  {
    const FileLimit full(400'000);
    const auto file = create(path("a"), Replaces::when_closed);
    EXPECT_THAT(
        [&] {
          for (int k = 0; k < 10'000; ++k) file->write(row_of(k));
        },
        testing::ThrowsMessage<Error>(
            testing::EndsWith("the older recording of this name is unchanged")));
  }
  EXPECT_TRUE(files() == older);
  const auto file = create(path("a"), Replaces::when_closed);
  for (int k = 0; k < 40; ++k) file->write(row_of(k));
  file->flush();
  EXPECT_EQ(read_recording(path("a")).rows(), 30u);
  EXPECT_THROW(create(path("a")), RecordingInUse);
  file->close(description(true));
  EXPECT_EQ(read_recording(path("a")).rows(), 40u);
  EXPECT_EQ(files().size(), older.size());
}

TEST_P(FullDisk, ANewFileThatAKilledProgramLeftIsReplaced) {
  write_rows(path("a"), 30);
  std::filesystem::create_symlink(path("a").filename(), path("link"));
  const auto names = [&] {
    std::set<std::string> out;
    for (const auto& [name, content] : files()) out.insert(name);
    return out;
  };
  const std::set<std::string> before = names();
  write(path("a").string() + ".part", "of a program that was killed");
  write_rows(path("link"), 40);
  EXPECT_EQ(read_recording(path("a")).rows(), 40u);
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(names(), before);
}

INSTANTIATE_TEST_SUITE_P(Formats, FullDisk, testing::Values(".h5", ".csv"),
                         [](const auto& format) { return std::string(format.param).substr(1); });

}  // namespace
}  // namespace torsor::test
