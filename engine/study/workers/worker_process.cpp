#include "torsor/study/workers/worker_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#include "torsor/base/error.hpp"
#include "torsor/loading/fault_report.hpp"
#include "torsor/loading/shared_text.hpp"
#include "torsor/study/table/failure_kinds.hpp"

namespace torsor {

namespace {

// Time after the limit of a sample in which the child may still end the sample itself, s.
constexpr double grace = 1;
// Larger messages are not those of a sample: a plugin has damaged the memory of the child.
constexpr uint32_t most_message_bytes = 64 << 20;

// Send and receive all bytes. Return false if the other process has ended.
bool send_all(int socket, const void* data, size_t size) {
  const char* from = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = send(socket, from, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    from += n, size -= size_t(n);
  }
  return true;
}
bool receive_all(int socket, void* data, size_t size) {
  char* to = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = recv(socket, to, size, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n, size -= size_t(n);
  }
  return true;
}

// A message has its size before it.
bool send_message(int socket, const std::vector<std::byte>& bytes) {
  const auto size = uint32_t(bytes.size());
  return send_all(socket, &size, sizeof size) && send_all(socket, bytes.data(), size);
}
bool receive_message(int socket, std::vector<std::byte>& bytes) {
  uint32_t size = 0;
  if (!receive_all(socket, &size, sizeof size) || size > most_message_bytes) return false;
  bytes.resize(size);
  return receive_all(socket, bytes.data(), size);
}

// Runs the samples that the parent sends, until it closes the socket or ends.
[[noreturn]] void serve(int socket, const std::function<RunSample()>& make_worker,
                        const SampleBytes& format) {
  const RunSample run = make_worker();
  std::vector<std::byte> bytes;
  while (receive_message(socket, bytes)) {
    std::span<const std::byte> message = bytes;
    const auto finished = run(format.take(message));
    bytes.clear();
    if (finished) format.append(*finished, bytes);
    if (!send_message(socket, bytes)) break;
  }
  _exit(0);
}

}  // namespace

class WorkerProcess::Child {
 public:
  Child(const std::function<RunSample()>& make_worker, const SampleBytes& format) {
    // A child that another thread creates at the same time must not inherit both ends of the
    // socket: the end of this child would then not be noticed.
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail();
    std::fflush(nullptr);  // otherwise the child would print the buffered output again
    const pid_t parent = getpid();
    id_ = fork();
    if (id_ == 0) {
      close(ends[0]);
      begin_child(parent);
      try {
        serve(ends[1], make_worker, format);
      } catch (const std::exception& error) {
        report_.write(error.what());
      }
      _exit(1);
    }
    close(ends[1]);
    socket_ = ends[0];
    if (id_ < 0) {
      close(socket_);
      fail();
    }
  }
  ~Child() {
    if (id_ > 0) kill(id_, SIGKILL);
    end();
  }
  Child(const Child&) = delete;

  int socket() const { return socket_; }
  // Waits up to a second for the end of a child that has closed its socket, and ends it otherwise.
  // Returns its status as from waitpid().
  int end() {
    if (id_ <= 0) return 0;
    close(socket_);
    int status = 0;
    for (int k = 0; k < 1000; ++k) {
      const pid_t ended = waitpid(id_, &status, WNOHANG);
      if (ended == id_) return id_ = 0, status;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    kill(id_, SIGKILL);
    while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
    return status;
  }
  std::string report() const { return report_.read(); }

 private:
  [[noreturn]] static void fail() {
    throw Error(fmt::format("a process for samples cannot be created: {}", std::strerror(errno)));
  }
  void begin_child(pid_t parent) const {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    // The parent ends the child. Ctrl+C also reaches the child, because it has the same terminal.
    for (const int request : {SIGINT, SIGTERM}) std::signal(request, SIG_IGN);
    report_faults_of_child(report_.descriptor());
  }

  SharedText report_;
  pid_t id_ = 0;
  int socket_ = -1;
};

WorkerProcess::WorkerProcess(const StudyLayout& layout, std::function<RunSample()> make_worker,
                             const SampleLimits& limits)
    : make_worker_(std::move(make_worker)), limits_(limits), bytes_(layout) {}

WorkerProcess::~WorkerProcess() = default;

WorkerProcess::Wait WorkerProcess::wait(std::chrono::steady_clock::time_point start) const {
  using Seconds = std::chrono::duration<double>;
  for (;;) {
    pollfd answer{.fd = child_->socket(), .events = POLLIN, .revents = 0};
    if (poll(&answer, 1, 50) > 0) return answer.revents & POLLIN ? Wait::answered : Wait::ended;
    if (limits_.stop && *limits_.stop) return Wait::stopped;
    if (Seconds(std::chrono::steady_clock::now() - start).count() > limits_.seconds + grace)
      return Wait::over_limit;
  }
}

FinishedSample WorkerProcess::without_result(const FinishedSample& begun, SampleStatus status,
                                             std::string message,
                                             std::chrono::steady_clock::time_point start) {
  FinishedSample out = begun;
  out.row.status = status;
  out.row.failure = failure_key(message);
  out.row.wall_time =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  out.message = std::move(message);
  return out;
}

namespace {

// Returns why a child ended: the report of a fault, or the signal.
std::string reason_of(int status, std::string report) {
  constexpr std::string_view prefix = "torsor: ";
  if (report.starts_with(prefix)) report.erase(0, prefix.size());
  report.erase(report.find_last_not_of('\n') + 1);
  if (!report.empty()) return report;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    return "the process of the sample was killed twice; there may be too little memory";
  if (WIFSIGNALED(status))
    return fmt::format("the process of the sample ended with signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  return fmt::format("the process of the sample ended with status {}", WEXITSTATUS(status));
}

}  // namespace

std::optional<FinishedSample> WorkerProcess::result_of(std::span<const std::byte> answer,
                                                       const FinishedSample& begun) const {
  try {
    FinishedSample out = bytes_.take(answer);
    if (out.sample == begun.sample && out.row.parameters == begun.row.parameters) return out;
  } catch (const Error&) {  // the message is shorter than a result
  }
  return std::nullopt;
}

std::optional<FinishedSample> WorkerProcess::run(const FinishedSample& begun) {
  std::vector<std::byte> message;
  bytes_.append(begun, message);
  for (bool is_repeated = false;; is_repeated = true) {
    if (!child_) child_ = std::make_unique<Child>(make_worker_, bytes_);
    const auto start = std::chrono::steady_clock::now();
    const bool is_sent = send_message(child_->socket(), message);
    const Wait end = is_sent ? wait(start) : Wait::ended;
    if (end == Wait::stopped || end == Wait::over_limit) {
      child_.reset();
      if (end == Wait::stopped) return std::nullopt;
      return without_result(begun, SampleStatus::over_limit, over_limit_message(limits_.seconds),
                            start);
    }
    std::vector<std::byte> answer;
    if (end == Wait::answered && receive_message(child_->socket(), answer)) {
      if (answer.empty()) return std::nullopt;
      if (auto finished = result_of(answer, begun)) return finished;
      child_.reset();
      return without_result(begun, SampleStatus::failed,
                            "the process of the sample has returned a damaged result", start);
    }
    const int status = child_->end();
    const std::string report = child_->report();
    child_.reset();
    const bool was_killed = report.empty() && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (!was_killed || is_repeated)
      return without_result(begun, SampleStatus::failed, reason_of(status, report), start);
  }
}

}  // namespace torsor
