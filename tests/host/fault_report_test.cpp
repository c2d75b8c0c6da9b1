// Tests of reports of faults. Each fault occurs in a child process, which it ends.

#include "torsor/loading/fault_report.hpp"

#include <csignal>

#include "host_fixture.hpp"
#include "support/sanitized.hpp"
#include "torsor/handles/quantity.hpp"
#include "torsor/plugin/plugin.hpp"

namespace torsor::host_test {
namespace {

using namespace std::chrono_literals;
using testing::ExitedWithCode;
using testing::KilledBySignal;

// A plugin for calls of functions that the test defines.
class TestPlugin final : public Plugin {
 public:
  torsor_plugin* get() const override { return nullptr; }
  const torsor_descriptor& descriptor() const override { return *descriptor_; }
  std::string report() const override { return ""; }
  const char* file() const override { return "test.so"; }
  // Makes the descriptor unreadable, like damage to the memory.
  void damage() { descriptor_ = reinterpret_cast<const torsor_descriptor*>(size_t(1)); }

 private:
  static constexpr torsor_descriptor sound_{.struct_size = sizeof(torsor_descriptor),
                                            .id = "solver.test",
                                            .version = "1.0",
                                            .summary = "",
                                            .family = "",
                                            .n_param = 0,
                                            .param = nullptr,
                                            .create = nullptr};
  const torsor_descriptor* descriptor_ = &sound_;
};

volatile int* volatile nowhere = nullptr;
torsor_status crash() {
  *nowhere = 1;
  return TORSOR_OK;
}
volatile bool endless = true;
torsor_status hang() {
  while (endless) {
  }
  return TORSOR_OK;
}
int overflow(int depth) {
  volatile char page[4096];
  page[depth % 4096] = char(depth);
  return depth < 0 ? 0 : overflow(depth + 1) + page[0];
}

class FaultReport : public testing::Test {
 protected:
  void SetUp() override {
    TORSOR_NEEDS_OWN_FAULT_REPORTS();
    // Each death test runs in a new process.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
  TestPlugin plugin_;
};

TEST_F(FaultReport, NamesTheInnermostCallAndTheActivity) {
  EXPECT_EXIT(
      {
        report_faults();
        const ActivityScope runs(
            {.subject = "a.lua", .recording = "a.h5", .time = 0.25, .step = 250, .note = "a note"});
        const PluginCall outer(&plugin_, "forward");
        plugin_.ask("trace", crash);
      },
      ExitedWithCode(plugin_fault_status),
      "^torsor: a\\.lua: at t = 0\\.25 s \\(step 250\\): solver 'solver\\.test' crashed in trace: "
      "segmentation fault at address 0x0 \\(test\\.so\\); check the plugin with 'torsor validate "
      "test\\.so'; the recording 'a\\.h5' can be read up to its last flush; a note\n$");
}

TEST_F(FaultReport, ReportsTheException) {
  EXPECT_EXIT(
      {
        report_faults();
        // This handler must not catch the exception, because the host reports it before.
        try {
          plugin_.ask(function_of(Quantity::bias),
                      []() -> torsor_status { throw std::runtime_error("two\nlines"); });
        } catch (...) {
        }
      },
      ExitedWithCode(plugin_fault_status),
      "'solver.test' threw an exception out of bias: two lines \\(test");
}

TEST_F(FaultReport, OfAStackOverflowOnAnotherThread) {
  EXPECT_EXIT(
      {
        report_faults();
        start_plugin_thread([this] {
          plugin_.ask(function_of(Quantity::bias), []() -> torsor_status { return overflow(0); });
        }).join();
      },
      ExitedWithCode(plugin_fault_status),
      "'solver.test' crashed in bias: segmentation fault at address");
}

TEST_F(FaultReport, AFaultDuringTheReportEndsTheProcess) {
  EXPECT_EXIT(
      {
        report_faults();
        plugin_.damage();
        const ActivityScope runs({.subject = "a.lua"});
        plugin_.ask(function_of(Quantity::bias), crash);
      },
      ExitedWithCode(plugin_fault_status),
      "torsor: a.lua:  crashed and damaged the memory of the program\n");
}

TEST_F(FaultReport, TheActiveCallOfAThreadIsKnown) {
  report_faults();
  std::atomic<bool> started = false, ends = false;
  std::jthread thread = start_plugin_thread([&] {
    plugin_.ask(function_of(Quantity::bias), [&]() -> torsor_status {
      started = true;
      started.notify_all();
      ends.wait(false);
      return TORSOR_OK;
    });
    started = false;
    started.notify_all();
    ends.wait(true);
  });
  started.wait(false);
  EXPECT_EQ(plugin_call_on(thread.native_handle()), "solver 'solver.test' in bias");
  ends = true;
  ends.notify_all();
  started.wait(true);
  EXPECT_EQ(plugin_call_on(thread.native_handle()), "");
  ends = false;
  ends.notify_all();
}

TEST_F(FaultReport, AFirstCallIsBoundedAndLaterOnesAreNot) {
  EXPECT_EXIT(
      {
        report_faults(60ms);
        const auto rest = []() -> torsor_status {
          const auto end = std::chrono::steady_clock::now() + 150ms;
          while (std::chrono::steady_clock::now() < end) {
          }
          return TORSOR_OK;
        };
        plugin_.ask(function_of(Quantity::inverse), [] { return torsor_status(TORSOR_OK); });
        plugin_.ask(function_of(Quantity::inverse), rest);  // a later call
        std::fprintf(stderr, "returned\n");
        plugin_.ask(function_of(Quantity::forward), hang);
      },
      ExitedWithCode(plugin_fault_status),
      "returned\ntorsor: solver 'solver.test' did not return from forward within 0.06 s");
}

TEST_F(FaultReport, AFirstCallOnAnotherThreadIsBounded) {
  EXPECT_EXIT(
      {
        report_faults(60ms);
        start_plugin_thread([this] { plugin_.ask(function_of(Quantity::forward), hang); }).join();
      },
      ExitedWithCode(plugin_fault_status), "did not return from forward within 0.06 s");
}

// Checks that the time of inner calls does not count for the outer call.
TEST_F(FaultReport, AFirstCallMayCallOthersForLonger) {
  EXPECT_EXIT(
      {
        report_faults(100ms);
        TestPlugin inner[4];
        plugin_.ask(function_of(Quantity::forward), [&] {
          for (const TestPlugin& each : inner)
            each.ask(function_of(Quantity::inverse), [] {
              const auto end = std::chrono::steady_clock::now() + 50ms;
              while (std::chrono::steady_clock::now() < end) {
              }
              return torsor_status(TORSOR_OK);
            });
          return torsor_status(TORSOR_OK);
        });
        std::fprintf(stderr, "returned\n");
        std::_Exit(0);
      },
      ExitedWithCode(0), "^returned\n$");
}

TEST_F(FaultReport, AFaultWithoutPluginsKeepsItsAction) {
  EXPECT_EXIT(
      {
        report_faults();
        crash();
      },
      KilledBySignal(SIGSEGV),
      "^torsor: internal error: segmentation fault at address 0x0; please report it, with the "
      "command");
}

TEST_F(FaultReport, AFaultAfterAForeignPluginNamesItsFile) {
  EXPECT_EXIT(
      {
        report_faults();
        const auto loaded = Registry({plugin("pendulum")});
        crash();
      },
      ExitedWithCode(plugin_fault_status),
      "^torsor: segmentation fault at address 0x0 outside of all plugins; one of them may have "
      "damaged the memory of the program: '[^']*pendulum.so'; check the plugin with 'torsor "
      "validate [^']*pendulum.so'\n$");
}

TEST_F(FaultReport, ASignalOfAnotherProcessKeepsItsAction) {
  EXPECT_EXIT(
      {
        report_faults();
        const pid_t target = getpid();
        if (fork() == 0) {
          kill(target, SIGSEGV);
          std::_Exit(0);
        }
        for (;;) pause();
      },
      KilledBySignal(SIGSEGV), "^$");
}

}  // namespace
}  // namespace torsor::host_test
