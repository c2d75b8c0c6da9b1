#include "torsor/simulation/output_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "simulation/folder_test.hpp"
#include "torsor/model/error.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using OutputFile = FolderTest;

// Anything but a file keeps its place: the renaming would put a file there.
TEST_F(OutputFile, TakesThePlaceOfFilesAlone) {
  std::filesystem::create_directories(folder_ / "folder");
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  for (const char* name : {"pipe", "folder"})
    for (const auto& attempt : {std::function([&] { write_file(folder_ / name, "text"); }),
                                std::function([&] { require_writable(folder_ / name); })})
      EXPECT_THAT(attempt, testing::ThrowsMessage<Error>(HasSubstr("not a regular file"))) << name;
  EXPECT_TRUE(std::filesystem::is_fifo(folder_ / "pipe"));
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "folder"));
}

TEST_F(OutputFile, IsTriedWithoutATrace) {
  write(folder_ / "old", "text");
  require_writable(folder_ / "old");
  require_writable(folder_ / "new");
  EXPECT_EQ(read(folder_ / "old"), "text");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace torsor::test
