#pragma once
// Reports faults of plugins. A fault ends the process, because neither the heap nor locks survive
// it. Data that the process has written are kept.

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

// Installs handlers that report in one line on standard error why the process ends. They report
// - a fault in a plugin: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT,
// - an exception or a call of exit() in a plugin,
// - a function of a plugin that does not return from its first call within the limit.
// The line names the plugin, the function, and the activity of the thread (plugin/plugin_call.hpp).
// The process then ends with plugin_fault_status, without destructors.
// A fault that no plugin can have caused is reported as an internal error and then has its default
// action. Must be called once, by main(). Children made by fork() report nothing. Builds with
// sanitizers leave faults to the sanitizers' reports.
void report_faults(std::chrono::nanoseconds first_call_limit = std::chrono::seconds(60));

// Makes the report also go to this descriptor.
void copy_fault_report_to(int descriptor);

// Registers a loaded plugin file that is not one of Torsor's own. A fault outside of all plugin
// calls is then reported as probably caused by these files.
void note_foreign_plugin(const std::filesystem::path& file);

// A signal stack for the thread that creates it, for its lifetime, so that a stack overflow of the
// thread is reported. report_faults() creates one for the thread of main().
class FaultStack {
 public:
  FaultStack();
  ~FaultStack();
  FaultStack(const FaultStack&) = delete;
  FaultStack& operator=(const FaultStack&) = delete;

 private:
  std::unique_ptr<std::byte[]> memory_;
};

// Returns the plugin call that is active on a thread, such as "solver 'solver.x' in forward", or ""
// if there is none. Interrupts the thread with a signal that report_faults() handles.
std::string plugin_call_on(std::thread::native_handle_type thread);

// Starts a thread that calls plugins and has a FaultStack.
std::jthread start_plugin_thread(std::function<void()> work);

}  // namespace torsor
