#include "torsor/loading/child.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "torsor/base/error.hpp"
#include "torsor/loading/shared_text.hpp"
#include "torsor/plugin/plugin_call.hpp"

namespace torsor {

namespace {

Error no_room(const char* what) {
  return Error(fmt::format("{} cannot be created: {}", what, std::strerror(errno)));
}

// Blocks the signals that would end this process. They are delivered after the child has ended and
// its files are removed.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigemptyset(&held_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held_, number);
    pthread_sigmask(SIG_BLOCK, &held_, &others_);
  }
  ~SignalsHeld() { restore(); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

  void restore() const { pthread_sigmask(SIG_SETMASK, &others_, nullptr); }
  bool any() const {
    sigset_t pending;
    sigpending(&pending);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction action {};
      sigaction(number, nullptr, &action);
      if (sigismember(&pending, number) && action.sa_handler != SIG_IGN) return true;
    }
    return false;
  }

 private:
  sigset_t held_, others_;
};

// A folder for temporary files of a child. The parent removes it, because the child may end without
// doing so. If the folder cannot be created, the child uses the folder of the parent.
class OwnFolder {
 public:
  OwnFolder() {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    std::string name = (folder / "torsor_child_XXXXXX").string();
    if (!error && mkdtemp(name.data())) path_ = name;
  }
  ~OwnFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

  void use() const {
    if (!path_.empty()) setenv("TMPDIR", path_.c_str(), 1);
  }

 private:
  std::filesystem::path path_;
};

constexpr int finished_code = 0, threw_code = 101;

// The stage of the child. The signal handler below appends the name of the plugin function that is
// being called. Then it ends the child, even if the parent has another handler for the signal.
Stage* fault_stage = nullptr;
void report_call_and_exit(int number) {
  if (plugin_call) {
    fault_stage->add(" in ");
    fault_stage->add(plugin_call->function);
  }
  std::signal(number, SIG_DFL);
  std::raise(number);
}
void watch_faults(Stage& stage) {
  fault_stage = &stage;
  struct sigaction action {};
  action.sa_handler = report_call_and_exit;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigaction(fault, &action, nullptr);
  for (const int request : {SIGINT, SIGTERM}) std::signal(request, SIG_DFL);
  std::set_terminate(std::abort);
}

// Runs the work in the child process and ends the child. parent: the process id of the parent.
[[noreturn]] void work_and_end(pid_t parent, const std::function<std::string()>& work, Stage& stage,
                               const SharedText& result, const SharedText& printed) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  setpgid(0, 0);                     // own process group, so that its own children can be ended too
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // kill the child if the parent ends
  if (getppid() != parent) _exit(threw_code);
  watch_faults(stage);
  dup2(printed.descriptor(), STDOUT_FILENO);
  dup2(printed.descriptor(), STDERR_FILENO);
  int code = threw_code;
  try {
    result.write(work());
    code = finished_code;
  } catch (const std::exception& error) {
    result.write(error.what());
  } catch (...) {
    result.write("not a std::exception");
  }
  _exit(code);
}

// Returns the ids of all child processes of this process.
std::set<pid_t> children() {
  std::set<pid_t> out;
  std::error_code none;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", none)) {
    std::ifstream list(thread.path() / "children");
    out.insert(std::istream_iterator<pid_t>(list), {});
  }
  return out;
}

// Ends orphans: processes that a child has started and left behind. An orphan may have its own
// session, and is then not in the process group of the child. While this object exists, the present
// process becomes the parent of every orphan, so that end() can find it. Children of other threads
// are in the process group of the present process and are not ended.
class Orphans {
 public:
  Orphans() : others_(children()) {
    prctl(PR_GET_CHILD_SUBREAPER, &adopts_);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  ~Orphans() { prctl(PR_SET_CHILD_SUBREAPER, adopts_); }
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  // Ends the orphaned processes. Repeats the search, because when an orphan ends, its children
  // become orphans.
  void end() const {
    // Limits the number of repetitions: a process that keeps starting others could make the loop
    // endless.
    constexpr int most_generations = 100;
    for (int k = 0; k < most_generations; ++k) {
      std::set<pid_t> left = children();
      for (const pid_t other : others_) left.erase(other);
      std::erase_if(left, [](pid_t each) { return getpgid(each) == getpgrp(); });
      if (left.empty()) return;
      for (const pid_t orphan : left) kill(orphan, SIGKILL);
      for (const pid_t orphan : left) waitpid(orphan, nullptr, 0);
    }
  }

 private:
  std::set<pid_t> others_;
  int adopts_ = 0;
};

std::string last_line(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text.substr(text.find_last_of('\n') + 1);
}

std::string with_stage(const std::string& what, const std::string& stage,
                       const std::string& printed) {
  const std::string line = last_line(printed);
  return fmt::format("{}{}{}", what, stage.empty() ? "" : " " + stage,
                     line.empty() ? "" : fmt::format(" (it printed: {})", line));
}

std::string threw(const std::string& what) {
  return what.empty() ? "it threw an exception" : fmt::format("it threw an exception, '{}',", what);
}

ChildEnd end_of(int status, const SharedText& result, const std::string& stage,
                const std::string& printed) {
  using How = ChildEnd::How;
  if (WIFEXITED(status) && WEXITSTATUS(status) == finished_code && result.read().size() > 0)
    return {How::finished, result.read()};
  if (WIFEXITED(status) && WEXITSTATUS(status) == threw_code)
    return {How::crashed, with_stage(threw(result.read()), stage, "")};
  if (WIFSIGNALED(status)) {
    std::string name = strsignal(WTERMSIG(status));
    if (!name.empty()) name[0] = char(std::tolower(static_cast<unsigned char>(name[0])));
    return {How::crashed, with_stage(fmt::format("it crashed ({})", name), stage, printed)};
  }
  return {How::crashed, with_stage("it called exit", stage, printed)};
}

}  // namespace

Stage::Stage()
    : text_(static_cast<char*>(
          mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
  if (text_ == MAP_FAILED) throw no_room("memory that processes share");
}
Stage::~Stage() {
  munmap(text_, size_);
}
void Stage::set(std::string_view text) {
  text_[0] = '\0';
  add(text);
}
void Stage::add(std::string_view text) {
  const size_t begin = std::strlen(text_), n = std::min(text.size(), size_ - 1 - begin);
  std::memcpy(text_ + begin, text.data(), n);
  text_[begin + n] = '\0';
}
std::string Stage::get() const {
  return text_;
}

ChildEnd run_in_child(const std::function<std::string()>& work, double seconds, Stage& stage,
                      ChildFolder where) {
  // Only one call runs at a time, because each call ends all children that were started after its
  // own start.
  static std::mutex one_at_a_time;
  std::unique_lock lock(one_at_a_time);
  const SignalsHeld signals;  // declared first, so that it is destroyed last
  const SharedText result, printed;
  std::optional<OwnFolder> folder;
  if (where == ChildFolder::own) folder.emplace();
  stage.set("");
  std::fflush(nullptr);  // otherwise the child would print the buffered output again
  const Orphans orphans;
  const pid_t parent = getpid(), child = fork();
  if (child < 0) throw no_room("a process");
  if (child == 0) {
    lock.unlock();  // the child may call run_in_child() itself
    signals.restore();
    if (folder) folder->use();
    work_and_end(parent, work, stage, result, printed);
  }
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    const bool late = Clock::now() > deadline;
    if (late || signals.any()) {
      kill(-child, SIGKILL);
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      orphans.end();
      if (!late) return {ChildEnd::How::interrupted, "it was interrupted"};
      return {ChildEnd::How::timed_out,
              with_stage(fmt::format("it did not end within {:g} s", seconds), stage.get(), "")};
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  kill(-child, SIGKILL);
  orphans.end();
  return end_of(status, result, stage.get(), printed.read());
}

}  // namespace torsor
