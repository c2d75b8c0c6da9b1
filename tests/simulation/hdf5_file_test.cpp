// HDF5 files: what is in them whatever ended the program that wrote them.

#include "torsor/simulation/hdf5_file.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <csignal>
#include <random>
#include <thread>

#include "simulation/folder_test.hpp"
#include "simulation/written.hpp"

// HDF5 leaks a little where it refuses a damaged file; the sanitizers ask this which leaks to pass over.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5";
}

namespace torsor::test {
namespace {

using testing::HasSubstr;

class Hdf5Files : public FolderTest {
 protected:
  std::unique_ptr<RecordingFile> create(const char* name, bool complete = false) const {
    return create_hdf5(folder_ / name, columns(), signals(), description(complete));
  }
  // Every row is that which was written.
  static void expect_rows(const Recording& recording, size_t at_least) {
    EXPECT_GE(recording.rows(), at_least);
    for (size_t k = 0; k < recording.rows(); ++k) {
      const auto row = std::span(recording.values).subspan(k * width, width);
      ASSERT_TRUE(std::ranges::equal(row, row_of(int(k)))) << "row " << k << " of " << recording.rows();
    }
  }
};

TEST_F(Hdf5Files, HaveTheSameBytesWheneverTheyAreFlushed) {
  const auto bytes = [&](const char* name, int interval) {
    const auto file = create(name);
    for (int k = 0; k < 2600; ++k) {
      file->write(row_of(k));
      if (k % interval == 0) file->flush();
    }
    file->close(description(true));
    return read(folder_ / name);
  };
  const std::string never = bytes("never.h5", 1000000);
  EXPECT_GT(never.size(), 2600 * width * sizeof(double));
  EXPECT_TRUE(never == bytes("often.h5", 7));
  EXPECT_TRUE(never == bytes("seldom.h5", 900));
}

TEST_F(Hdf5Files, CanBeReadWhileTheyAreWritten) {
  const auto file = create("a.h5");
  for (int k = 0; k < 10; ++k) file->write(row_of(k));
  EXPECT_EQ(read_hdf5(folder_ / "a.h5").rows(), 0u);
  file->flush();
  expect_rows(read_hdf5(folder_ / "a.h5"), 10);
  EXPECT_EQ(read_hdf5(folder_ / "a.h5").description, description(false));
}

// A writer that tells how many rows it has flushed and is killed at any moment.
TEST_F(Hdf5Files, AWriterThatIsKilledLeavesWhatItFlushed) {
  std::mt19937 random(7);
  size_t most = 0;
  for (int attempt = 0; attempt < 20; ++attempt) {
    int told[2];
    ASSERT_EQ(pipe(told), 0);
    const pid_t child = fork();
    if (child == 0) {
      const auto file = create("a.h5");
      for (int k = 0;; ++k) {
        file->write(row_of(k));
        if (k % 50 != 0) continue;
        file->flush();
        const int rows = k + 1;
        if (::write(told[1], &rows, sizeof rows) != sizeof rows) _exit(1);
      }
    }
    ::close(told[1]);
    const int reports = 1 + int(random() % 100);
    int rows = 0;
    for (int k = 0; k < reports; ++k) ASSERT_EQ(::read(told[0], &rows, sizeof rows), ssize_t(sizeof rows));
    for (long k = random() % 1000; k > 0; --k) sched_yield();
    kill(child, SIGKILL);
    while (::read(told[0], &rows, sizeof rows) == ssize_t(sizeof rows)) {
    }
    ::close(told[0]);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    expect_rows(read_hdf5(folder_ / "a.h5"), size_t(rows));
    most = std::max(most, size_t(rows));
  }
  EXPECT_GT(most, 2048u) << "no kill came after the second chunk";
}

// The text that takes the place of the first is longer or shorter; neither is ever half there. The writer is killed by its own
// timer, later and later, until it has come to its end.
TEST_F(Hdf5Files, AWriterThatIsKilledLeavesADescription) {
  for (const bool complete : {false, true}) {
    bool ended = false;
    for (suseconds_t delay = 10; !ended; delay += 10) {
      const pid_t child = fork();
      if (child == 0) {
        const auto file = create("a.h5", complete);
        const itimerval timer{{0, 0}, {0, delay}};
        setitimer(ITIMER_REAL, &timer, nullptr);
        file->close(description(!complete));
        _exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
      ended = WIFEXITED(status);
      const std::string text = read_hdf5(folder_ / "a.h5").description;
      ASSERT_TRUE(text == description(true) || text == description(false)) << delay << " us: " << text;
    }
  }
}

// As `ulimit -f`: no file may grow beyond it.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_;
  void (*handler_)(int);
};

TEST_F(Hdf5Files, ADiskThatTakesNoMoreIsSaidAndKeepsWhatWasFlushed) {
  int written = 0;
  {
    const FileLimit limit(1000000);
    const auto file = create("a.h5");
    const auto fill = [&] {
      for (;; ++written) file->write(row_of(written));
    };
    EXPECT_THAT(fill, testing::ThrowsMessage<Error>(
                          testing::AllOf(HasSubstr("cannot write"), HasSubstr("too large"))));
    file->close(description(false));
  }
  const Recording recording = read_hdf5(folder_ / "a.h5");
  expect_rows(recording, size_t(written / 1024) * 1024);
  EXPECT_GT(recording.rows(), 2000u);
  EXPECT_EQ(recording.description, description(false)) << "there was room for it";
  const FileLimit limit(1000);
  EXPECT_THAT([&] { create("b.h5"); }, testing::ThrowsMessage<Error>(HasSubstr("too large")));
}

TEST_F(Hdf5Files, WhatIsNoRecordingIsSaid) {
  const auto refused = [&](const std::string& bytes, const std::string& said) {
    write(folder_ / "a.h5", bytes);
    EXPECT_THAT([&] { read_hdf5(folder_ / "a.h5"); }, testing::ThrowsMessage<Error>(HasSubstr(said)));
  };
  refused("", "a.h5: not a recording: the file is empty; `torsor run SCENE` writes recordings");
  refused("time [s]\n0\n", "a.h5: not a recording: not an HDF5 file");
  refused(std::string(100000, '\0'), "a.h5: not a recording: not an HDF5 file");
  refused("\x89HDF\r\n\x1a\n", "a.h5: the recording is damaged: it is cut off");
  create("a.h5")->close(description(true));
  const std::string whole = read(folder_ / "a.h5");
  refused(whole.substr(0, whole.size() / 2), "a.h5: the recording is damaged: it is cut off");
}

TEST_F(Hdf5Files, ThatAreCutOrDamagedAreErrorsOrRight) {
  {
    const auto file = create("whole.h5");
    for (int k = 0; k < 30; ++k) file->write(row_of(k));
    file->close(description(true));
  }
  const std::string whole = read(folder_ / "whole.h5");
  int errors = 0;
  for (size_t size = 0; size < whole.size(); size += 997) {
    write(folder_ / "a.h5", whole.substr(0, size));
    EXPECT_THROW(read_hdf5(folder_ / "a.h5"), Error) << size << " of " << whole.size() << " bytes";
  }
  std::mt19937 random(11);
  for (int attempt = 0; attempt < 500; ++attempt) {
    std::string damaged = whole;
    damaged[random() % 8192] ^= char(1 << random() % 8);  // among the metadata
    write(folder_ / "a.h5", damaged);
    try {
      read_hdf5(folder_ / "a.h5");
    } catch (const Error&) {
      ++errors;
    }
  }
  EXPECT_GT(errors, 100);
}

// At its end the library says nothing of what a thread has tried to read.
TEST_F(Hdf5Files, ThatCannotBeReadLeaveTheLibraryInPeace) {
  write(folder_ / "cut.h5", "\x89HDF\r\n\x1a\n");  // HDF5's signature
  EXPECT_EXIT(
      {
        std::thread([&] { EXPECT_THROW((void)read_recording(folder_ / "cut.h5"), Error); }).join();
        std::exit(0);
      },
      testing::ExitedWithCode(0), testing::Eq(""));
}

}  // namespace
}  // namespace torsor::test
