// Tests of the file of a new recording: its place if its name is a link, leftover files of the same
// name, and the time at which it replaces an older recording.

#include "torsor/recording/recording_lock.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "simulation/folder_test.hpp"
#include "simulation/written.hpp"
#include "torsor/recording/recording.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
namespace fs = std::filesystem;

class NewRecordings : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    fs::create_directories(folder_);
  }
  std::unique_ptr<RecordingFile> create(const std::string& name,
                                        Replaces when = Replaces::at_once) const {
    return create_recording(folder_ / name, columns(), signals(), description(false), when);
  }
  void write_rows(const std::string& name, int rows) const {
    const auto file = create(name);
    for (int k = 0; k < rows; ++k) file->write(row_of(k));
    file->close(description(true));
  }
  void expect_rejected(const std::string& name, const std::string& message) const {
    EXPECT_THAT([&] { create(name); }, ThrowsMessage<Error>(HasSubstr(message)));
  }
};

TEST_F(NewRecordings, KeepTheOlderOneIfTheNextStepFails) {
  write(folder_ / "a.h5", "older");
  {
    NewRecording recording(folder_ / "a.h5");
    write(recording.part(), "newer");
    EXPECT_THROW(recording.take_place([&] {
      EXPECT_EQ(read(folder_ / "a.h5"), "newer");
      throw Error("no description");
    }),
                 Error);
    EXPECT_FALSE(recording.has_place());
    recording.lock().require_in_place(0);
  }
  EXPECT_EQ(files(), (std::map<std::string, std::string>{{"a.h5", "older"}}));
}

TEST_F(NewRecordings, LeaveNoFileIfTheNextStepFails) {
  {
    NewRecording recording(folder_ / "a.h5");
    EXPECT_THROW(recording.take_place([] { throw Error("no description"); }), Error);
  }
  EXPECT_EQ(files(), (std::map<std::string, std::string>{}));
}

TEST_F(NewRecordings, ThatCannotRestoreTheNameKeepTheOlderOne) {
  write(folder_ / "a.h5", "older");
  {
    NewRecording recording(folder_ / "a.h5");
    EXPECT_THAT(
        [&] {
          recording.take_place([&] {
            fs::rename(folder_ / "a.h5", folder_ / "moved");
            throw Error("no description");
          });
        },
        ThrowsMessage<Error>("no description; the older recording is '" +
                             (folder_ / "a.h5.part").string() + "' now"));
  }
  EXPECT_EQ(read(folder_ / "a.h5.part"), "older");
}

TEST_F(NewRecordings, ReplaceTheOlderOneAndLeaveNoOtherFile) {
  write(folder_ / "a.h5", "older");
  {
    NewRecording recording(folder_ / "a.h5");
    write(recording.part(), "newer");
    recording.take_place();
    EXPECT_TRUE(recording.has_place());
    recording.lock().require_in_place(0);
  }
  EXPECT_EQ(files(), (std::map<std::string, std::string>{{"a.h5", "newer"}}));
}

// Checks that the description of a CSV recording is not replaced if the new rows cannot replace the
// old ones.
TEST_F(NewRecordings, InCsvReplaceRowsAndDescriptionTogether) {
  write_rows("a.csv", 3);
  const std::string older = read(folder_ / "a.json");
  const auto file = create("a.csv", Replaces::when_closed);
  file->write(row_of(0));
  EXPECT_EQ(read(folder_ / "a.json"), older);
  fs::rename(folder_ / "a.csv", folder_ / "b.csv");
  fs::create_directories(folder_ / "a.csv" / "folder");
  EXPECT_THROW(file->close(description(true)), Error);
  EXPECT_EQ(read(folder_ / "a.json"), older);
}

TEST_F(NewRecordings, AreWrittenThroughALink) {
  fs::create_directories(folder_ / "deep");
  for (const char* name : {"a.csv", "a.h5"}) {
    SCOPED_TRACE(name);
    fs::create_symlink(fs::path("deep") / name, folder_ / name);
    // In the first pass, the link points to no file.
    for (const int rows : {3, 4}) {
      write_rows(name, rows);
      EXPECT_TRUE(fs::is_symlink(folder_ / name));
      const Recording through = read_recording(folder_ / name);
      EXPECT_EQ(through.rows(), size_t(rows));
      EXPECT_EQ(through.description, description(true));
      EXPECT_EQ(read_recording(folder_ / "deep" / name).description, description(true));
    }
  }
  EXPECT_FALSE(fs::exists(folder_ / "a.json")) << "it is next to the rows";
}

TEST_F(NewRecordings, ReplaceNoFileOfAnotherKindBehindALink) {
  write(folder_ / "thesis.txt", "precious");
  fs::create_symlink("thesis.txt", folder_ / "a.h5");
  expect_rejected("a.h5", "a.h5': it is a symbolic link to '" + (folder_ / "thesis.txt").string() +
                              "', which is not named as a recording of this format; remove it");
  EXPECT_EQ(read(folder_ / "thesis.txt"), "precious");
  fs::create_symlink("loop.h5", folder_ / "loop.h5");
  expect_rejected("loop.h5", "loop.h5' is a loop of symbolic links; remove it");
  EXPECT_TRUE(fs::is_symlink(folder_ / "loop.h5"));
}

TEST_F(NewRecordings, NameALeftoverFile) {
  const fs::path part = folder_ / "a.h5.part";
  const auto rejected = [&](const std::string& kind) {
    expect_rejected("a.h5", "a.h5': its file until it has rows is 'a.h5.part': this is " + kind +
                                "; remove it, or write to another folder");
    fs::remove(part);
  };
  fs::create_directory(part);
  rejected("a folder");
  ASSERT_EQ(mkfifo(part.c_str(), 0600), 0);
  rejected("not a regular file");
  fs::create_symlink("elsewhere", part);
  rejected("a symbolic link");
  EXPECT_FALSE(fs::exists(folder_ / "elsewhere"));
}

TEST_F(NewRecordings, ReportTheLongestName) {
  for (const char* extension : {".h5", ".csv"}) {
    const std::string longest(235 - strlen(extension), 'a');
    write_rows(longest + extension, 3);
    EXPECT_EQ(read_recording(folder_ / (longest + extension)).rows(), 3u);
    expect_rejected(longest + std::string(20, 'a') + extension,
                    "File name too long; give it a name of at most 235 bytes");
  }
}

// Checks that a CSV recording can be read if another program has replaced its two files by links
// into a store.
TEST_F(NewRecordings, InCsvWithALinkForEachFileAreRead) {
  write_rows("a.csv", 3);
  fs::create_directories(folder_ / "store");
  fs::rename(folder_ / "a.csv", folder_ / "store/1.csv");
  fs::rename(folder_ / "a.json", folder_ / "store/2.json");
  fs::create_symlink("store/1.csv", folder_ / "a.csv");
  fs::create_symlink("store/2.json", folder_ / "a.json");
  EXPECT_EQ(read_recording(folder_ / "a.csv").description, description(true));
}

// Checks the message about a conversion in progress: it does not name the scene of the older
// recording.
TEST_F(NewRecordings, InUseByAConversionNameNoScene) {
  const std::string text = "{\"scene\": \"arm.lua\"}";
  for (const char* name : {"a.csv", "a.h5"}) {
    SCOPED_TRACE(name);
    create_recording(folder_ / name, columns(), signals(), text)->close(text);
    const auto conversion = create(name, Replaces::when_closed);
    EXPECT_THAT([&] { create(name); },
                ThrowsMessage<RecordingInUse>(testing::AllOf(HasSubstr("has been writing it since"),
                                                             testing::Not(HasSubstr("arm.lua")))));
  }
}

}  // namespace
}  // namespace torsor::test
