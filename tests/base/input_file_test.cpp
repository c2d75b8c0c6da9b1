#include "torsor/base/input_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "torsor/base/error.hpp"

namespace torsor {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class InputFiles : public testing::Test {
 protected:
  InputFiles() : folder_(testing::TempDir() + "torsor_input_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~InputFiles() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path write(const std::string& text) const {
    std::ofstream(folder_ / "file", std::ios::binary) << text;
    return folder_ / "file";
  }
  std::filesystem::path folder_;
};

TEST(InputFile, NonRegularFilesAreNamed) {
  EXPECT_EQ(why_no_file("/proc/self/exe"), "") << "a link to the program";
  EXPECT_EQ(why_no_file("/"), "this is a folder");
  EXPECT_EQ(why_no_file("/dev/null"), "this is not a regular file");
  EXPECT_EQ(why_no_file("/nowhere/a.lua"), "there is no such file");
  EXPECT_EQ(why_no_file("/proc/self/exe/a.lua"), "there is no such file");
  EXPECT_EQ(why_no_file(""), "there is no such file");
  EXPECT_EQ(why_no_file(std::string(5000, 'x')), "it cannot be read: File name too long");
}

TEST_F(InputFiles, AreReadCompletely) {
  std::string text(300'000, 'a');
  text += std::string("\0b", 2);
  EXPECT_EQ(read_file(write(text), InputKind::script, ""), text);
  EXPECT_EQ(read_file(write(""), InputKind::script, ""), "");
}

TEST_F(InputFiles, OfAnotherKindAreRejectedAtOnce) {
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(why_unreadable(pipe, InputKind::table), "this is not a regular file");
  for (const char* path : {"/dev/zero", "/dev/tty", "/dev/null"})
    EXPECT_THAT(
        [&] { read_file(path, InputKind::table, "give a table"); },
        ThrowsMessage<Error>(std::string(path) + ": this is not a regular file; give a table"));
  EXPECT_THAT([&] { read_file(folder_, InputKind::robot, "give a robot"); },
              ThrowsMessage<Error>(HasSubstr("this is a folder; give a robot")));
}

TEST_F(InputFiles, AreBounded) {
  const std::filesystem::path file = write("");
  const std::uintmax_t most = limit_of(InputKind::script).bytes;
  std::filesystem::resize_file(file, most);
  EXPECT_EQ(read_file(file, InputKind::script, "").size(), most);
  std::filesystem::resize_file(file, most + 1);
  EXPECT_THAT(
      [&] { read_file(file, InputKind::script, "advice"); },
      ThrowsMessage<Error>(file.string() +
                           ": the file is larger than 16 MiB, the limit for scripts; split it"));
}

TEST_F(InputFiles, MayGrowOnlyToTheirLimit) {
  const std::filesystem::path file = write("a");
  InputFile open(file, InputKind::script, "");
  std::filesystem::resize_file(file, limit_of(InputKind::script).bytes + 1);
  EXPECT_THAT([&] { open.read_all(); }, ThrowsMessage<Error>(HasSubstr("larger than 16 MiB")));
}

TEST_F(InputFiles, MayBePipesIfTheUserNamesThem) {
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << "text"; });
  EXPECT_EQ(InputFile(pipe, InputKind::states, "", InputFile::Pipes::taken).read_all(), "text");
  writer.join();
}

TEST_F(InputFiles, HaveLines) {
  InputLines lines(write("a\r\n\nb" + std::string(100'000, 'c') + "\nd"), InputKind::table, "");
  std::string line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "a");
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "");
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line.size(), 100'001u);
  EXPECT_TRUE(lines.is_complete());
  EXPECT_FALSE(lines.at_end());
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "d");
  EXPECT_FALSE(lines.is_complete());
  EXPECT_TRUE(lines.at_end());
  EXPECT_FALSE(lines.next(line));
}

TEST_F(InputFiles, HaveLinesOfBoundedLength) {
  const std::filesystem::path file = write("a\n");
  std::filesystem::resize_file(file, 20 << 20);
  InputLines lines(file, InputKind::table, "");
  std::string line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_THAT([&] { lines.next(line); },
              ThrowsMessage<Error>(HasSubstr(":2: the line is longer than 16 MiB")));
}

}  // namespace
}  // namespace torsor
