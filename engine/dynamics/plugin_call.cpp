#include "torsor/dynamics/plugin.hpp"

#include <fmt/format.h>

#include <cstring>
#include <exception>

namespace torsor {

constinit thread_local PluginCall* plugin_call = nullptr;

namespace {

constinit thread_local Breakdown last{};

// fault, address: of Breakdown.
[[noreturn]] void break_off(PluginCall& call, const char* fault, std::optional<uintptr_t> address) {
  std::strncpy(last.plugin, call.plugin ? call.plugin->descriptor().id : "", sizeof last.plugin - 1);
  last.function = call.function;
  last.fault = fault;
  last.address = address;
  plugin_call = call.outer;
  __builtin_longjmp(call.jump, 1);
}

// Of the exception at hand.
void describe_exception(char* out, size_t size) {
  out[0] = 0;
  try {
    if (std::current_exception()) throw;
  } catch (const std::exception& error) {
    std::strncpy(out, error.what(), size - 1);
  } catch (...) {
    std::strncpy(out, "of no known type", size - 1);
  }
}

}  // namespace

const Breakdown& last_breakdown() {
  return last;
}

std::string breakdown() {
  if (last.fault)
    return fmt::format("crashed in {}: {}{}", last.function, last.fault,
                       last.address ? fmt::format(" at address {:#x}", *last.address) : "");
  if (last.exception[0])
    return fmt::format("threw an exception out of {}: {}", last.function, last.exception);
  return fmt::format("did not return from {} and was aborted", last.function);
}

void break_off_faulty_call(const char* fault, std::optional<uintptr_t> address) {
  if (plugin_call) break_off(*plugin_call, fault, address);
}

void break_off_throwing_call() {
  if (!plugin_call) return;
  describe_exception(last.exception, sizeof last.exception);
  break_off(*plugin_call, last.exception[0] ? nullptr : "std::terminate()", {});
}

void break_off_awaited_call() {
  for (PluginCall* call = plugin_call; call; call = call->outer)
    if (call->is_awaited) {
      last.exception[0] = 0;
      break_off(*call, nullptr, {});
    }
}

void await_plugin_calls() {
  for (PluginCall* call = plugin_call; call; call = call->outer) call->is_awaited = true;
}

}  // namespace torsor
