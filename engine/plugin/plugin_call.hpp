#pragma once
// The calls of plugins that are under way on each thread, and what the program does there: for the
// message about a plugin that crashes, hangs or ends the program (loading/fault_report.hpp).

#include <atomic>
#include <chrono>

namespace torsor {

class Plugin;

// A call of a plugin's function, under way on this thread as long as the object lives. Costs a few
// stores.
class PluginCall {
 public:
  // function: its name in the ABI.
  PluginCall(const Plugin* its_plugin, const char* its_function);
  // A call into a plugin file outside of its plugins. function: the part of the file, for messages.
  PluginCall(const char* its_file, const char* its_function);
  ~PluginCall();
  PluginCall(const PluginCall&) = delete;
  PluginCall& operator=(const PluginCall&) = delete;

  const Plugin* plugin = nullptr;  // null: a call into a file
  const char* file = nullptr;      // null: a call of a plugin
  const char* function;
  const PluginCall* outer;  // in which a plugin asked the host for this one, or null
};
// The innermost call on this thread, or null.
extern constinit thread_local const PluginCall* plugin_call;

// The work of the program on this thread. The owner of each text keeps it alive while it is here.
struct Activity {
  const char* subject = nullptr;    // the scene or robot file
  const char* recording = nullptr;  // the file that is being written
  double time = 0;                  // s, of the run
  long long step = -1;              // of the run; -1: none is under way
  const char* note = nullptr;       // what becomes of results so far
};
extern constinit thread_local Activity activity;

// Sets the activity of this thread; the destructor restores the one before.
class ActivityScope {
 public:
  explicit ActivityScope(const Activity& now) : before_(activity) { activity = now; }
  ~ActivityScope() { activity = before_; }
  ActivityScope(const ActivityScope&) = delete;
  ActivityScope& operator=(const ActivityScope&) = delete;

 private:
  Activity before_;
};

// Bounds the first call of each function of a plugin: while a FirstCall lives, the thread gets the
// signal every limit/first_call_ticks. Later calls have no bound and no cost. A limit of 0, the
// default, bounds nothing. The time in which the process is stopped does not count.
inline constexpr int first_call_ticks = 60;
void bound_first_calls(std::chrono::nanoseconds limit, int signal);
std::chrono::nanoseconds first_call_limit();

class FirstCall {
 public:
  FirstCall();
  ~FirstCall();
  FirstCall(const FirstCall&) = delete;
  FirstCall& operator=(const FirstCall&) = delete;
};
// Counts a signal of the timer. Returns true if the limit of the first call on this thread is over.
// Async-signal-safe.
bool first_call_is_over();

inline PluginCall::PluginCall(const Plugin* its_plugin, const char* its_function)
    : plugin(its_plugin), function(its_function), outer(plugin_call) {
  // A signal's handler finds the call complete.
  std::atomic_signal_fence(std::memory_order_release);
  plugin_call = this;
}
inline PluginCall::PluginCall(const char* its_file, const char* its_function)
    : file(its_file), function(its_function), outer(plugin_call) {
  std::atomic_signal_fence(std::memory_order_release);
  plugin_call = this;
}
inline PluginCall::~PluginCall() {
  plugin_call = outer;
}

}  // namespace torsor
