#pragma once

#include <functional>
#include <future>
#include <thread>

namespace torsor {

// A thread that calls plugins, which may crash or never come back (dynamics/plugin_call.hpp): where guard_plugin_calls() has been called,
// neither ends the program.
class PluginThread {
 public:
  PluginThread() = default;
  explicit PluginThread(std::function<void()> work);
  PluginThread(PluginThread&&) = default;
  PluginThread& operator=(PluginThread&& other);  // joins what was there before
  ~PluginThread() { join(); }

  bool joinable() const { return thread_.joinable(); }
  // Waits for a work that has been told to end. Calls that keep it longer than a second are broken off.
  void join();
  // Breaks off the call that is under way, where it was under way already when this was last asked. Not while another thread joins.
  void break_off();

 private:
  std::thread thread_;
  std::future<void> ended_;
};

}  // namespace torsor
