#pragma once
// Runs work that may crash, hang or exit in a child process.

#include <functional>
#include <string>
#include <string_view>

namespace torsor {

// A description of what a child is doing. It is in memory shared with the parent, which can read it
// after the child has ended.
class Stage {
 public:
  Stage();
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // set() and add() truncate a text that is too long. Both are async-signal-safe.
  void set(std::string_view text);
  // Appends to the current text.
  void add(std::string_view text);
  std::string get() const;

 private:
  static constexpr size_t size_ = 1024;
  char* text_;
};

struct ChildEnd {
  enum class How { finished, crashed, timed_out, interrupted } how;
  // The result of the work if it finished. Otherwise a description of how the child ended, such as
  // "it crashed: segmentation fault (reads beyond 'tau')".
  std::string text;
};

// The folder for temporary files of a child. own: a new folder, which is removed when the child
// ends. shared: the folder of the parent.
enum class ChildFolder { own, shared };

// Runs work() in a child process and returns its result, which may have some megabytes. seconds:
// time limit. The output of the child is discarded. If the child crashes, the last line of its
// output is part of the returned text. Processes started by the child are ended with it. SIGINT,
// SIGTERM and SIGHUP end the child and are then delivered to this process. Throws Error if no
// process can be created.
ChildEnd run_in_child(const std::function<std::string()>& work, double seconds, Stage& stage,
                      ChildFolder folder = ChildFolder::own);

}  // namespace torsor
