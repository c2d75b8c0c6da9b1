#include "torsor/loading/fault_report.hpp"

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <mutex>
#include <string>

#include "torsor/base/sanitized.hpp"
#include "torsor/loading/fault_line.hpp"
#include "torsor/plugin/plugin.hpp"

namespace torsor {

namespace {

constexpr int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int tick_signal = SIGVTALRM;  // debuggers do not stop at this signal

// An end of the process that a plugin has caused.
struct End {
  const char* verb;  // words between the name of the plugin and the function, such as "crashed in"
  const char* what = "";            // such as "segmentation fault"
  const siginfo_t* info = nullptr;  // details of the signal, if there was one
};

pid_t reporting_process = 0;
int copy_descriptor = -1;
bool is_child = false;  // true: the process reports to copy_descriptor only

// Id of the thread that reports a fault, or 0. If this thread faults again, it prints the
// incomplete line and ends the process. Other threads that fault wait until the process ends.
std::atomic<pid_t> reporter = 0;
FaultLine line;

constexpr size_t most_foreign = 8, longest_path = 256;
char foreign[most_foreign][longest_path];
std::atomic<size_t> n_foreign = 0;

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

void write_line() {
  line.end();
  if (copy_descriptor >= 0) line.write_to(copy_descriptor);
  if (!is_child) line.write_to(STDERR_FILENO);
}

[[noreturn]] void print_and_end() {
  write_line();
  _exit(plugin_fault_status);
}

// Makes this thread the reporter. Returns only in the thread of the first fault.
void claim_report() {
  pid_t nobody = 0;
  const pid_t self = gettid();
  if (reporter.compare_exchange_strong(nobody, self)) return;
  if (nobody == self) {
    line.add(" crashed and damaged the memory of the program");
    print_and_end();
  }
  for (;;) pause();
}

void add_activity() {
  line.add("torsor: ");
  if (activity.subject) line.add(activity.subject).add(": ");
  if (activity.step < 0) return;
  line.add("at t = ")
      .add_seconds(activity.time)
      .add(" s (step ")
      .add_count(activity.step)
      .add("): ");
}

void add_what(const End& end) {
  line.add(end.what);
  const siginfo_t* info = end.info;
  if (info && !is_child && info->si_code > 0 &&
      (info->si_signo == SIGSEGV || info->si_signo == SIGBUS))
    line.add(" at address ").add_address(reinterpret_cast<uintptr_t>(info->si_addr));
}

void add_advice(const char* file) {
  line.add("; check the plugin with 'torsor validate ").add(file && *file ? file : "FILE").add("'");
  if (activity.recording)
    line.add("; the recording '").add(activity.recording).add("' can be read up to its last flush");
  if (activity.note) line.add("; ").add(activity.note);
}

// Appends a name such as "solver 'solver.x'". If no plugin object exists yet, appends the name of
// the file.
void add_name(FaultLine& to, const PluginCall& call) {
  if (!call.plugin) {
    to.add("plugin file '").add(call.file).add("'");
    return;
  }
  const char* id = call.plugin->descriptor().id;
  char kind[32] = {};
  const char* dot = std::strchr(id, '.');
  std::memcpy(kind, id, std::min(sizeof kind - 1, dot ? size_t(dot - id) : 0));
  to.add(kind).add(" '").add(id).add("'");
}

// Begins the report line: the activity, the plugin, the verb and the function.
void begin_line(const PluginCall& call, const char* verb) {
  claim_report();
  add_activity();
  add_name(line, call);
  line.add(" ").add(verb).add(" ").add(call.function);
}

[[noreturn]] void end_line(const PluginCall& call) {
  const char* file = call.plugin ? call.plugin->file() : call.file;
  if (call.plugin && *file) line.add(" (").add(file).add(")");
  add_advice(file);
  print_and_end();
}

[[noreturn]] void end_in_call(const PluginCall& call, const End& end) {
  begin_line(call, end.verb);
  if (*end.what) line.add(": ");
  add_what(end);
  end_line(call);
}

// Reports a fault outside all plugin calls, which a plugin may have caused by damaging memory. Ends
// the process.
[[noreturn]] void end_by_damage(const End& end) {
  claim_report();
  add_activity();
  add_what(end);
  line.add(" outside of all plugins; one of them may have damaged the memory of the program:");
  for (size_t k = 0; k < n_foreign; ++k) line.add(k > 0 ? ", '" : " '").add(foreign[k]).add("'");
  add_advice(n_foreign == 1 ? foreign[0] : nullptr);
  print_and_end();
}

bool is_reporting() {
  return getpid() == reporting_process;
}

// Returns true if another process has sent the signal. Such a signal is not a fault of this
// process.
bool was_sent(const siginfo_t& info) {
  return info.si_code == SI_USER && info.si_pid != getpid();
}

// Reports an internal error of the engine. The caller must then trigger the default action of the
// signal.
void report_internal_error(const End& end) {
  claim_report();
  add_activity();
  line.add("internal error: ");
  add_what(end);
  line.add("; please report it, with the command and its files");
  write_line();
}

void on_fault(int signal, siginfo_t* info, void*) {
  const End end{"crashed in", name(signal, *info), info};
  if (is_reporting() && !was_sent(*info)) {
    if (plugin_call) end_in_call(*plugin_call, end);
    if (n_foreign > 0) end_by_damage(end);
    report_internal_error(end);
  }
  std::signal(signal, SIG_DFL);
  // A signal sent by kill() or raise() does not occur again by itself.
  if (info->si_code <= 0) raise(signal);
}

void on_tick(int) {
  if (!is_reporting() || !plugin_call || !first_call_is_over()) return;
  begin_line(*plugin_call, "did not return from");
  line.add(" within ")
      .add_seconds(std::chrono::duration<double>(first_call_limit()).count())
      .add(" s, which bounds the first call of each function");
  end_line(*plugin_call);
}

// Data for plugin_call_on(), which asks a thread for its active plugin call by a signal.
constexpr int question_signal = SIGUSR1;
FaultLine answer;
sem_t answered;

void on_question(int) {
  const int error = errno;
  answer.clear();
  if (plugin_call) {
    add_name(answer, *plugin_call);
    answer.add(" in ").add(plugin_call->function);
  }
  sem_post(&answered);
  errno = error;
}

[[noreturn]] void on_terminate() {
  static char text[1024];
  try {
    if (std::current_exception()) throw;
    std::strncpy(text, "std::terminate()", sizeof text - 1);
  } catch (const std::exception& error) {
    std::strncpy(text, error.what(), sizeof text - 1);
  } catch (...) {
    std::strncpy(text, "an exception of an unknown type", sizeof text - 1);
  }
  if (is_reporting()) {
    if (plugin_call) end_in_call(*plugin_call, {"threw an exception out of", text});
    report_internal_error({"", text});
  }
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

// Handler for exit(). If a plugin calls exit(), reports this as a fault. Otherwise the process
// would end with the exit status that the plugin chose.
void on_exit() {
  if (is_reporting() && plugin_call) end_in_call(*plugin_call, {"called exit() in"});
}

}  // namespace

void report_faults(std::chrono::nanoseconds first_call_limit) {
  reporting_process = getpid();
  std::set_terminate(on_terminate);
  std::atexit(on_exit);
  std::at_quick_exit(on_exit);
  struct sigaction tick {};
  tick.sa_handler = on_tick;
  tick.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(tick_signal, &tick, nullptr);
  bound_first_calls(first_call_limit, tick_signal);
  sem_init(&answered, 0, 0);
  struct sigaction question {};
  question.sa_handler = on_question;
  question.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(question_signal, &question, nullptr);
  if (TORSOR_SANITIZED) return;
  static const FaultStack stack;
  struct sigaction fault {};
  fault.sa_sigaction = on_fault;
  // SA_NODEFER: the handler can be called again if it faults itself
  fault.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : faults) sigaction(signal, &fault, nullptr);
}

void copy_fault_report_to(int descriptor) {
  copy_descriptor = descriptor;
}

void report_faults_of_child(int descriptor) {
  reporting_process = getpid();
  copy_descriptor = descriptor;
  is_child = true;
}

void note_foreign_plugin(const std::filesystem::path& file) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const std::string path = file.string().substr(0, longest_path - 1);
  for (size_t k = 0; k < n_foreign; ++k)
    if (foreign[k] == path) return;
  if (n_foreign == most_foreign) return;
  path.copy(foreign[n_foreign], path.size());
  ++n_foreign;
}

std::string plugin_call_on(std::thread::native_handle_type thread) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  while (sem_trywait(&answered) == 0) {  // discard a late answer to a previous question
  }
  timespec patience{};
  clock_gettime(CLOCK_REALTIME, &patience);
  patience.tv_sec += 1;
  if (pthread_kill(thread, question_signal) != 0) return "";
  int waited = 0;
  while ((waited = sem_timedwait(&answered, &patience)) != 0 && errno == EINTR) {
  }
  return waited == 0 ? std::string(answer.text()) : "";
}

FaultStack::FaultStack() {
  const size_t size = size_t(SIGSTKSZ) + 64 * 1024;
  memory_ = std::make_unique<std::byte[]>(size);
  const stack_t stack{.ss_sp = memory_.get(), .ss_flags = 0, .ss_size = size};
  sigaltstack(&stack, nullptr);
}

FaultStack::~FaultStack() {
  const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  sigaltstack(&none, nullptr);
}

std::jthread start_plugin_thread(std::function<void()> work) {
  return std::jthread([work = std::move(work)]() mutable {
    const FaultStack stack;
    work();
    // Destroy the captured plugins while this thread has its FaultStack, because their destructors
    // may overflow the stack.
    work = nullptr;
  });
}

}  // namespace torsor
