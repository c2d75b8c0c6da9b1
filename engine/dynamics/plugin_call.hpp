#pragma once
// Calls of a plugin's functions from which the host comes back even where the plugin does not: a crash, an exception that leaves it or
// a call that never ends breaks off the call, and its caller goes on with that. Only frames of the plugin, and of what it called in
// the host, are skipped. The signals behind it are those of host/crash_guard.hpp; without them nothing is broken off.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

namespace torsor {

class Plugin;

// One that is under way.
struct PluginCall {
  void* jump[5];         // of __builtin_setjmp, which costs 1 ns where setjmp costs 3
  const Plugin* plugin;  // null: of a file as a whole
  const char* function;
  PluginCall* outer;  // whose plugin asked the host for this one; null: none
  bool is_awaited;    // under way since await_plugin_calls()
};
extern constinit thread_local PluginCall* plugin_call;  // the innermost on this thread, or null

// function(in...), which is a plugin's; or what instead(plugin) gives, where the call was broken off: breakdown() then says how.
template <auto instead, class Function, class... In>
[[gnu::noinline]] auto call_plugin(const Plugin* plugin, const char* name, Function function,
                                   In... in) noexcept {
  PluginCall frame;
  frame.plugin = plugin;
  frame.function = name;
  frame.outer = plugin_call;
  frame.is_awaited = false;
  if (__builtin_setjmp(frame.jump)) return instead(plugin);
  std::atomic_signal_fence(std::memory_order_seq_cst);  // a signal finds it whole
  plugin_call = &frame;
  const auto result = function(in...);
  plugin_call = frame.outer;
  return result;
}

// How a call ended that did not return.
struct Breakdown {
  const char* function;  // null: none has been
  char plugin[100];
  const char* fault;  // what crashed it, or null: it was awaited in vain, or threw what follows
  std::optional<uintptr_t> address;  // of the fault
  char exception[200];
};
// Of the last one on this thread.
const Breakdown& last_breakdown();
// "crashed in forward: segmentation fault at address 0x0", of that one.
std::string breakdown();

// For handlers of signals and of std::terminate. Each breaks off a call on this thread where there is one, and else returns: the
// innermost, for a fault in it, with a name for that; for the exception that is leaving it; and the innermost of those that have
// been under way since await_plugin_calls().
void break_off_faulty_call(const char* fault, std::optional<uintptr_t> address);
void break_off_throwing_call();
void break_off_awaited_call();
void await_plugin_calls();

}  // namespace torsor
