#pragma once
// Reports faults of plugins. A fault ends the process: neither the heap nor locks survive one. What
// the process has written stays.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace torsor {

// The exit status after a fault of a plugin.
inline constexpr int plugin_fault_status = 3;

// Makes one line on standard error report what ends the process: a fault (SIGSEGV, SIGBUS, SIGFPE,
// SIGILL, SIGABRT), an exception or a call of exit() in a plugin, and a function of a plugin that
// does not return from its first call within the limit. The line names the plugin, the
// function, and the activity of the thread (plugin/plugin_call.hpp). The process then ends with
// plugin_fault_status, without destructors. A fault without a plugin in sight keeps its default
// action. For main(), once; children made by fork() report nothing. In a build with sanitizers the
// faults are left to their reports.
void report_faults(std::chrono::nanoseconds first_call_limit = std::chrono::seconds(60));

// Also writes the line to this descriptor.
void copy_fault_report_to(int descriptor);

// Notes that a plugin file was loaded that is not one of Torsor's own. A fault outside of all calls
// of plugins is then reported as their likely damage.
void note_foreign_plugin(const std::filesystem::path& file);

// A stack for the handlers on the thread that makes it, as long as it lives, so that the overflow
// of the thread's own stack is reported. report_faults() gives one to the thread of main().
class FaultStack {
 public:
  FaultStack();
  ~FaultStack();
  FaultStack(const FaultStack&) = delete;
  FaultStack& operator=(const FaultStack&) = delete;

 private:
  std::unique_ptr<std::byte[]> memory_;
};

// Returns the call of a plugin that is under way on a thread, as "solver 'solver.x' in forward", or
// "" if there is none. Interrupts the thread with a signal, for which report_faults() has a
// handler.
std::string plugin_call_on(std::thread::native_handle_type thread);

// Starts a thread that calls plugins: it has a FaultStack.
std::jthread start_plugin_thread(std::function<void()> work);

}  // namespace torsor
