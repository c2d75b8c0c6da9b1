#include "torsor/base/output_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "simulation/folder_test.hpp"
#include "support/file_limit.hpp"
#include "torsor/base/error.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using OutputFile = FolderTest;

// Checks that only regular files are replaced. A rename would replace a pipe or a device by a file.
TEST_F(OutputFile, ReplacesRegularFilesOnly) {
  std::filesystem::create_directories(folder_ / "folder");
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  for (const char* name : {"pipe", "folder"})
    for (const auto& attempt : {std::function([&] { write_file(folder_ / name, "text"); }),
                                std::function([&] { require_writable(folder_ / name); })})
      EXPECT_THAT(attempt, testing::ThrowsMessage<Error>(HasSubstr("not a regular file"))) << name;
  EXPECT_TRUE(std::filesystem::is_fifo(folder_ / "pipe"));
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "folder"));
}

TEST_F(OutputFile, RequireWritableLeavesNoFile) {
  write(folder_ / "old", "text");
  require_writable(folder_ / "old");
  require_writable(folder_ / "new");
  EXPECT_EQ(read(folder_ / "old"), "text");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

// Checks that the output of two programs that write the same file is not mixed.
TEST_F(OutputFile, HasTheTextOfTheLastWriter) {
  torsor::OutputFile first(folder_ / "a.json"), second(folder_ / "a.json");
  first.write("the first text\n");
  second.write("text\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.json"));
  first.commit();
  EXPECT_EQ(read(folder_ / "a.json"), "the first text\n");
  second.commit();
  EXPECT_EQ(read(folder_ / "a.json"), "text\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(OutputFile, RemovesFilesLeftByAKilledProgram) {
  for (const char* name : {"a.json.123.0.part", "a.json.mine.part", "b.json.123.0.part"})
    write(folder_ / name, "");
  torsor::OutputFile other(folder_ / "a.json");
  write_file(folder_ / "a.json", "text");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.json.123.0.part"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "a.json.mine.part")) << "not one of ours";
  EXPECT_TRUE(std::filesystem::exists(folder_ / "b.json.123.0.part")) << "of another file";
  other.write("other");
  other.commit();
  EXPECT_EQ(read(folder_ / "a.json"), "other") << "one that is being written stays";
}

TEST_F(OutputFile, KeepsTheOldFileIfTheNewOneDoesNotFit) {
  write(folder_ / "old", "text");
  {
    const FileLimit limit(10);
    EXPECT_THAT(
        [&] { write_file(folder_ / "old", std::string(100, 'x')); },
        testing::ThrowsMessage<Error>(HasSubstr("cannot write '" + (folder_ / "old").string())));
  }
  EXPECT_EQ(read(folder_ / "old"), "text");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace torsor::test
