#pragma once
// The active plugin calls and the current activity of each thread. If a plugin crashes, hangs or
// ends the program, the fault report contains them (loading/fault_report.hpp).

#include <atomic>
#include <chrono>

namespace torsor {

class Plugin;

// Marks a call of a plugin's function as active on this thread while the object exists. The cost is
// a few store instructions.
class PluginCall {
 public:
  // Records a call of a plugin's function. function: the name of the function in the ABI.
  PluginCall(const Plugin* its_plugin, const char* its_function);
  // Records a call into a plugin file that is not a function of a plugin object. function: a name
  // for messages.
  PluginCall(const char* its_file, const char* its_function);
  ~PluginCall();
  PluginCall(const PluginCall&) = delete;
  PluginCall& operator=(const PluginCall&) = delete;

  const Plugin* plugin = nullptr;  // null for a call into a file
  const char* file = nullptr;      // null for a call of a plugin
  const char* function;
  // The enclosing plugin call on this thread, or null. A plugin may call a host service, which may
  // call another plugin.
  const PluginCall* outer;
};
// The innermost active call on this thread, or null.
extern constinit thread_local const PluginCall* plugin_call;

// The current task of this thread, for fault reports. The strings must exist as long as they are
// set.
struct Activity {
  const char* subject = nullptr;    // path of the scene or robot file
  const char* recording = nullptr;  // path of the file being written
  double time = 0;                  // simulated time, s
  long long step = -1;              // step of the run, or -1 if none is active
  const char* note = nullptr;       // a sentence about the results so far
};
extern constinit thread_local Activity activity;

// Sets the activity of this thread. The destructor restores the previous activity.
class ActivityScope {
 public:
  explicit ActivityScope(const Activity& now) : before_(activity) { activity = now; }
  ~ActivityScope() { activity = before_; }
  ActivityScope(const ActivityScope&) = delete;
  ActivityScope& operator=(const ActivityScope&) = delete;

 private:
  Activity before_;
};

// A time limit for the first call of each function of a plugin. bound_first_calls() sets the limit
// and a signal; 0, the default, means no limit. While a FirstCall exists, the thread receives the
// signal first_call_ticks times within the limit. Time during which the process is stopped does not
// count. Later calls have no limit and no cost.
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
// Counts a tick; called by the handler of the signal. Returns whether the first call on this thread
// has exceeded its limit. Async-signal-safe.
bool first_call_is_over();

inline PluginCall::PluginCall(const Plugin* its_plugin, const char* its_function)
    : plugin(its_plugin), function(its_function), outer(plugin_call) {
  // Completes the object before plugin_call points to it, because a signal handler may read it.
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
