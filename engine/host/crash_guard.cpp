#include "torsor/host/crash_guard.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "torsor/dynamics/plugin_call.hpp"
#include "torsor/host/plugin_file.hpp"

namespace torsor {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

constexpr int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

const char* name(int signal, const siginfo_t& info) {
  switch (signal) {
    case SIGSEGV:
      return "segmentation fault";
    case SIGBUS:
      return "bus error";
    case SIGFPE:
      return info.si_code == FPE_INTDIV ? "division of an integer by zero" : "arithmetic exception";
    case SIGILL:
      return "illegal instruction";
    default:
      return "abort()";
  }
}

// [signal handler]
void print(const char* text) {
  (void)!write(STDERR_FILENO, text, std::strlen(text));
}

// [signal handler] Past what stands in for _exit().
[[noreturn]] void end_now() {
  syscall(SYS_exit_group, 2);
  __builtin_unreachable();
}

// [signal handler] Ends the program if the loader was at work, from which there is no way back.
void end_where_loading(const char* fault) {
  const char* file = FileAtWork::on_this_thread();
  if (!file) return;
  print("torsor: the plugin file '");
  print(file);
  print("' crashed while it was loaded or unloaded (");
  print(fault);
  print("): remove it; 'torsor plugins doctor' checks each file in its own process\n");
  end_now();
}

// [signal handler]
void on_fault(int signal, siginfo_t* info, void*) {
  const bool has_address = info->si_code > 0 && (signal == SIGSEGV || signal == SIGBUS);
  std::optional<uintptr_t> address;
  if (has_address) address = reinterpret_cast<uintptr_t>(info->si_addr);
  break_off_faulty_call(name(signal, *info), address);
  end_where_loading(name(signal, *info));
  if (const Breakdown& before = last_breakdown(); before.function) {
    print("torsor: plugin '");
    print(before.plugin);
    print("' crashed in ");
    print(before.function);
    print(" and damaged the memory of the program, which ends here\n");
    end_now();
  }
  std::signal(signal, SIG_DFL);
  if (info->si_code <= 0) raise(signal);  // it was sent: it would not come again by itself
}

// [signal handler]
void on_breaking(int) {
  break_off_awaited_call();
  await_plugin_calls();
}

[[noreturn]] void on_terminate() {
  break_off_throwing_call();
  std::abort();
}

}  // namespace

HandlerStack::HandlerStack() {
  const size_t size = size_t(SIGSTKSZ) + 64 * 1024;
  memory_ = std::make_unique<std::byte[]>(size);
  const stack_t stack{.ss_sp = memory_.get(), .ss_flags = 0, .ss_size = size};
  sigaltstack(&stack, nullptr);
}

HandlerStack::~HandlerStack() {
  const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  sigaltstack(&none, nullptr);
}

void break_off_ending_call(const char* function) {
  break_off_faulty_call(function, {});
  end_where_loading(function);
}

void guard_plugin_calls() {
  if (is_sanitized) return;
  static const HandlerStack stack;
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags =
      SA_SIGINFO | SA_ONSTACK | SA_NODEFER;  // the handler is left by a jump: nothing may stay blocked
  for (const int fault : faults) sigaction(fault, &action, nullptr);
  struct sigaction breaking {};
  breaking.sa_handler = on_breaking;
  breaking.sa_flags = SA_ONSTACK | SA_NODEFER | SA_RESTART;
  sigaction(breaking_signal, &breaking, nullptr);
  std::set_terminate(on_terminate);
}

bool can_break_off() {
  struct sigaction now {};
  return sigaction(breaking_signal, nullptr, &now) == 0 && now.sa_handler == on_breaking;
}

}  // namespace torsor
