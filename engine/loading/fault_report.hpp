#pragma once
// Reports faults of plugins. After a fault the process ends, because the heap and the locks may be
// damaged. Data that the process has already written are not lost.

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

// Installs handlers for the following events. Each prints one line to standard error that says why
// the process ends.
// - A fault in a plugin: SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGABRT.
// - An exception or a call of exit() in a plugin.
// - A plugin function that does not return from its first call within first_call_limit.
//
// The line contains the plugin, the function, and the activity of the thread
// (plugin/plugin_call.hpp). The process then ends with plugin_fault_status. Destructors do not run.
// A fault that no plugin can have caused is reported as an internal error, and then the default
// action of the signal follows.
//
// main() must call this function once. Child processes created by fork() do not report, unless they
// call report_faults_of_child(). In builds
// with sanitizers, the sanitizers report the signals instead.
void report_faults(std::chrono::nanoseconds first_call_limit = std::chrono::seconds(60));

// Writes later fault reports to this descriptor as well as to standard error.
void copy_fault_report_to(int descriptor);

// Continues fault reports in a child process created by fork(). They are written to this descriptor
// only, and without addresses, so that equal faults have equal reports.
void report_faults_of_child(int descriptor);

// Registers a loaded plugin file that is not part of Torsor. If a fault occurs outside all plugin
// calls, the report names these files as the probable cause.
void note_foreign_plugin(const std::filesystem::path& file);

// An alternative signal stack for the thread that creates this object, as long as the object
// exists. A stack overflow of the thread can then be reported. report_faults() creates one for the
// main thread.
class FaultStack {
 public:
  FaultStack();
  ~FaultStack();
  FaultStack(const FaultStack&) = delete;
  FaultStack& operator=(const FaultStack&) = delete;

 private:
  std::unique_ptr<std::byte[]> memory_;
};

// Returns the plugin call that is active on a thread, such as "solver 'solver.x' in forward".
// Returns "" if there is none. Interrupts the thread by a signal for which report_faults() has
// installed a handler.
std::string plugin_call_on(std::thread::native_handle_type thread);

// Starts a thread that has a FaultStack, for work that calls plugins.
std::jthread start_plugin_thread(std::function<void()> work);

}  // namespace torsor
