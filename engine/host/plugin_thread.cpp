#include "torsor/host/plugin_thread.hpp"

#include <chrono>
#include <csignal>

#include "torsor/host/crash_guard.hpp"

namespace torsor {

PluginThread::PluginThread(std::function<void()> work) {
  std::promise<void> end;
  ended_ = end.get_future();
  thread_ = std::thread([work = std::move(work), end = std::move(end)]() mutable {
    const HandlerStack stack;
    work();
    work = nullptr;  // what it holds may be plugins
    end.set_value();
  });
}

PluginThread& PluginThread::operator=(PluginThread&& other) {
  join();
  thread_ = std::move(other.thread_);
  ended_ = std::move(other.ended_);
  return *this;
}

void PluginThread::join() {
  if (!joinable()) return;
  while (ended_.wait_for(std::chrono::seconds(1)) != std::future_status::ready) break_off();
  thread_.join();
}

void PluginThread::break_off() {
  if (joinable() && can_break_off()) pthread_kill(thread_.native_handle(), breaking_signal);
}

}  // namespace torsor
