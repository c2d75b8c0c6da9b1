#include "torsor/cli/support/interrupt.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "torsor/loading/fault_line.hpp"
#include "torsor/plugin/plugin.hpp"

namespace torsor::cli {

namespace {

// Time limits after the first signal in ms: to_answer until the program checks the flag, to_close
// until a recording is closed.
constexpr long to_answer = 300, to_close = 3000;
constexpr int caught[] = {SIGINT, SIGTERM};

std::atomic<bool> interrupted{false}, has_recording{false}, is_closing{false};
std::atomic<int> the_signal{0};
bool shows_progress = false;  // true if a progress line may be visible on the terminal
timer_t timer;
struct sigaction before[2];

// Starts the timer. Called in a signal handler.
void start_timer(long ms) {
  itimerspec span{};
  span.it_value = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1'000'000};
  timer_settime(timer, 0, &span, nullptr);
}

// Ends the process by a signal. Called in a signal handler.
[[noreturn]] void end_by(int number) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(number, &action, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(number);
  std::abort();
}

// Prints a message and ends the process at once. Called in a signal handler. how: the first words
// of the message, "interrupted" or "interrupted twice".
[[noreturn]] void give_up(const char* how) {
  FaultLine line;
  if (shows_progress) (void)!write(STDERR_FILENO, "\n", 1);
  line.add("torsor: ").add(how).add("; ");
  const PluginCall* call = plugin_call;
  if (call && call->plugin)
    line.add("plugin '")
        .add(call->plugin->descriptor().id)
        .add("' did not return from ")
        .add(call->function);
  else if (call)
    line.add("a plugin file did not return from ").add(call->function);
  else
    line.add("the command did not end");
  if (has_recording) line.add("; the recording can be read up to its last flush");
  line.end();
  line.write_to(STDERR_FILENO);
  end_by(the_signal);
}

// The handler of SIGINT and SIGTERM.
void on_signal(int number) {
  the_signal = number;
  if (interrupted.exchange(true)) give_up("interrupted twice");
  start_timer(to_answer);
}
void on_timer(int) {
  give_up("interrupted");
}

void handle(int number, void (*handler)(int), struct sigaction* old) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigaction(number, &action, old);
}

}  // namespace

Interruptible::Interruptible() {
  shows_progress = isatty(STDERR_FILENO);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;  // signal this thread, whose plugin call is reported
  event._sigev_un._tid = gettid();
  event.sigev_signo = SIGRTMIN;  // SIGRTMIN does not interfere with alarm() in the program
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
    throw Error(std::string("a timer cannot be created: ") + std::strerror(errno));
  handle(SIGRTMIN, on_timer, nullptr);
  for (int k = 0; k < 2; ++k) handle(caught[k], on_signal, &before[k]);
}

Interruptible::~Interruptible() {
  if (interrupted) return;
  for (int k = 0; k < 2; ++k) sigaction(caught[k], &before[k], nullptr);
  if (interrupted) return;
  timer_delete(timer);
}

const std::atomic<bool>& interruption() {
  return interrupted;
}

bool was_interrupted() {
  if (!interrupted.load(std::memory_order_relaxed)) return false;
  start_timer(to_answer);
  return true;
}

OpenRecording::OpenRecording() {
  has_recording = true;
}
OpenRecording::~OpenRecording() {
  has_recording = is_closing = false;
  if (interrupted) start_timer(to_answer);
}
bool OpenRecording::is_to_close() {
  if (!interrupted.load(std::memory_order_relaxed)) return false;
  if (!is_closing.exchange(true)) start_timer(to_close);
  return true;
}

void end_by_signal() {
  end_by(the_signal);
}

}  // namespace torsor::cli
