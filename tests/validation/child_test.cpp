// Checks that the parent process continues however its child process ends, and knows the cause.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "support/eventually.hpp"
#include "support/forked.hpp"
#include "torsor/validation/guarded_memory.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using namespace validation;
using How = ChildEnd::How;

struct Ends : testing::Test {
  Stage stage;
  ChildEnd run(const std::function<std::string()>& work, double seconds = 20) {
    return run_in_child(
        [&] {
          stage.set("at work");
          return work();
        },
        seconds, stage);
  }
};

TEST_F(Ends, WithTheResultOfTheWork) {
  const std::string large(3'000'000, 'x');
  const ChildEnd end = run([&] { return large; });
  EXPECT_EQ(end.how, How::finished);
  EXPECT_EQ(end.text, large);
}

TEST_F(Ends, ByASignalAnExitOrAnException) {
  EXPECT_THAT(run([]() -> std::string {
                std::fputs("first\nlast words\n", stderr);
                std::abort();
              }).text,
              HasSubstr("it crashed (aborted) at work (it printed: last words)"));
  EXPECT_THAT(run([]() -> std::string { _exit(0); }).text, HasSubstr("it called exit at work"));
  EXPECT_THAT(run([]() -> std::string { throw std::runtime_error("boom"); }).text,
              HasSubstr("it threw an exception, 'boom', at work"));
}

TEST_F(Ends, AtTheTimeLimitWithAllItsProcesses) {
  const auto start = std::chrono::steady_clock::now();
  const ChildEnd end = run(
      []() -> std::string {
        if (fork() == 0)
          while (true) pause();
        std::signal(SIGTERM, SIG_IGN);
        while (true) pause();
      },
      0.2);
  EXPECT_EQ(end.how, How::timed_out);
  EXPECT_EQ(end.text, "it did not end within 0.2 s at work");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

// Checks that the end of the work also ends a daemon that it started, and the child of this daemon.
// Both hold the pipe, which closes when they end.
TEST_F(Ends, WithItsDaemons) {
  for (const bool child_hangs : {false, true}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    (void)run(
        [&]() -> std::string {
          if (fork() == 0) {
            setsid();
            (void)fork();
            EXPECT_EQ(write(ends[1], "x", 1), 1);
            while (true) pause();
          }
          char started = 0;
          for (int k = 0; k < 2; ++k) EXPECT_EQ(read(ends[0], &started, 1), 1);
          while (child_hangs) pause();
          return "done";
        },
        0.5);
    close(ends[1]);
    // The pipe may still contain what the work had no time to read.
    for (ssize_t bytes = 1; bytes != 0;) {
      pollfd closed{.fd = ends[0], .events = POLLIN, .revents = 0};
      ASSERT_EQ(poll(&closed, 1, 5000), 1) << "they live on";
      char left = 0;
      bytes = read(ends[0], &left, 1);
      ASSERT_GE(bytes, 0);
    }
    close(ends[0]);
  }
}

// Checks that a process that another thread starts during the work does not end with it.
TEST_F(Ends, WithoutProcessesOfOtherThreads) {
  int begun[2];
  ASSERT_EQ(pipe(begun), 0);
  pid_t other = -1;
  std::thread starts([&] {
    char byte = 0;
    EXPECT_EQ(read(begun[0], &byte, 1), 1);
    other = fork();
    if (other == 0)
      while (true) pause();
  });
  (void)run(
      [&]() -> std::string {
        EXPECT_EQ(write(begun[1], "x", 1), 1);
        while (true) pause();
      },
      0.3);
  starts.join();
  for (const int end : begun) ::close(end);
  ASSERT_GT(other, 0);
  EXPECT_EQ(waitpid(other, nullptr, WNOHANG), 0) << "it has ended";
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
}

// Checks that a signal that ends the parent does not wait for the work. The temporary files are
// removed first.
TEST_F(Ends, IfTheParentIsEnded) {
  const auto start = std::chrono::steady_clock::now();
  const auto folder = std::filesystem::temp_directory_path() / "torsor_child_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const pid_t parent = forked();
  if (parent == 0) {
    setenv("TMPDIR", folder.c_str(), 1);
    (void)run([]() -> std::string {
      while (true) pause();
    });
    _exit(0);
  }
  EXPECT_TRUE(eventually([&] { return !std::filesystem::is_empty(folder); }));
  kill(parent, SIGTERM);
  int status = 0;
  waitpid(parent, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

TEST_F(Ends, AtForbiddenMemory) {
  const auto text = [&](const std::function<void(GuardedArray&)>& touch) {
    return run([&]() -> std::string {
             GuardedArray array("tau", 24);
             const FaultWatch watch(stage, {&array});
             touch(array);
             return "it got away with it";
           })
        .text;
  };
  volatile double sink = 0;
  EXPECT_THAT(text([&](GuardedArray& a) { sink = sink + a.data()[3]; }),
              HasSubstr("accesses memory beyond the end of 'tau' (24 bytes)"));
  EXPECT_THAT(text([&](GuardedArray& a) {
                a.make_read_only();
                *static_cast<volatile double*>(a.data() + 2) = 1;
              }),
              HasSubstr("its input 'tau'"));
  EXPECT_THAT(text([&](GuardedArray& a) {
                a.withdraw();
                sink = sink + a.data()[0];
              }),
              HasSubstr("keeps, its input 'tau'"));
  GuardedArray array("tau", 24);
  EXPECT_TRUE(array.is_pattern_intact());
  array.data()[-1] = 0;
  EXPECT_FALSE(array.is_pattern_intact());
}

}  // namespace
}  // namespace torsor::test
