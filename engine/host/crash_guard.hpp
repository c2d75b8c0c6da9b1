#pragma once
// What makes a plugin's crash the end of that call, and not of the program.

#include <csignal>
#include <cstddef>
#include <memory>

namespace torsor {

// From here on a fault (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) or std::terminate() in a plugin's call breaks off the call, on any
// thread (dynamics/plugin_call.hpp); elsewhere it does what it did, but that the fault after such a break is told as what it likely
// is, memory that the plugin damaged. For main(), once. Nothing in a build with sanitizers, whose own reports say more.
void guard_plugin_calls();

// After that, this signal to a thread breaks off the plugin's call that is under way there, where it was when the signal came last.
inline constexpr int breaking_signal = SIGUSR1;
bool can_break_off();  // whether the signal means that in this program

// For who stands in for functions that end the program (cli/exit_guard.cpp): breaks off a plugin's call on this thread that made this
// one, where there is any.
void break_off_ending_call(const char* function);

// A stack for these handlers on the thread that makes it, as long as it is there: a plugin that overflows the thread's own
// has crashed, too. guard_plugin_calls() gives main()'s thread one.
class HandlerStack {
 public:
  HandlerStack();
  ~HandlerStack();
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;

 private:
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace torsor
