#pragma once
// The active calls of plugins on each thread, and the current activity of the program there. A
// fault report about a plugin that crashes, hangs or ends the program uses them
// (loading/fault_report.hpp).

#include <atomic>
#include <chrono>

namespace torsor {

class Plugin;

// A call of a plugin's function, active on this thread while the object exists. It costs a few
// stores.
class PluginCall {
 public:
  // Records a call of a plugin's function. function: its name in the ABI.
  PluginCall(const Plugin* its_plugin, const char* its_function);
  // Records a call into a plugin file outside of its plugin objects. function: the part of the
  // file, for messages.
  PluginCall(const char* its_file, const char* its_function);
  ~PluginCall();
  PluginCall(const PluginCall&) = delete;
  PluginCall& operator=(const PluginCall&) = delete;

  const Plugin* plugin = nullptr;  // null for a call into a file
  const char* file = nullptr;      // null for a call of a plugin
  const char* function;
  // The call during which a plugin called the host, which then made this call. Null if there is
  // none.
  const PluginCall* outer;
};
// The innermost call on this thread, or null.
extern constinit thread_local const PluginCall* plugin_call;

// The current task of this thread, for fault reports. The owner of each string keeps it alive while
// it is set.
struct Activity {
  const char* subject = nullptr;    // the scene or robot file
  const char* recording = nullptr;  // the file that is being written
  double time = 0;                  // s, time of the run
  long long step = -1;              // step of the run, or -1 if none is active
  const char* note = nullptr;       // what happens to the results so far
};
extern constinit thread_local Activity activity;

// Sets the activity of this thread. The destructor restores the previous one.
class ActivityScope {
 public:
  explicit ActivityScope(const Activity& now) : before_(activity) { activity = now; }
  ~ActivityScope() { activity = before_; }
  ActivityScope(const ActivityScope&) = delete;
  ActivityScope& operator=(const ActivityScope&) = delete;

 private:
  Activity before_;
};

// Limits the duration of the first call of each function of a plugin. While a FirstCall exists, the
// thread receives the signal every limit / first_call_ticks. Later calls have no limit and no cost.
// A limit of 0, the default, means no limit. Time during which the process is stopped does not
// count.
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
// Counts a signal of the timer. Returns whether the first call on this thread has exceeded its
// limit. Async-signal-safe.
bool first_call_is_over();

inline PluginCall::PluginCall(const Plugin* its_plugin, const char* its_function)
    : plugin(its_plugin), function(its_function), outer(plugin_call) {
  // A signal handler must see a complete object.
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
