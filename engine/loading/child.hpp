#pragma once
// Runs work that may crash, hang or exit in a child process.

#include <functional>
#include <string>
#include <string_view>

namespace torsor {

// The current activity of a child, in memory shared with its parent, which reads it after the child
// has ended.
class Stage {
 public:
  Stage();
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // set() and add() cut text that is too long. They are safe in a signal handler.
  void set(std::string_view text);
  // Appends to the present text.
  void add(std::string_view text);
  std::string get() const;

 private:
  static constexpr size_t size_ = 1024;
  char* text_;
};

struct ChildEnd {
  enum class How { finished, crashed, timed_out, interrupted } how;
  // The result of the work, or how it ended, such as "it crashed: segmentation fault (reads beyond
  // 'tau')"
  std::string text;
};

// The folder for temporary files of a child: a folder of its own, which is removed when the child
// ends, or that of its parent.
enum class ChildFolder { own, shared };

// Runs work() in a child process and returns its result, at most some megabytes. Discards the
// child's output. If the child crashes, the last line of its output is part of the message.
// Processes that the child starts end with it. SIGINT, SIGTERM and SIGHUP end the child and reach
// this process afterwards. Throws Error if no process can be created.
ChildEnd run_in_child(const std::function<std::string()>& work, double seconds, Stage& stage,
                      ChildFolder folder = ChildFolder::own);

}  // namespace torsor
