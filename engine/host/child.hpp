#pragma once
// Work that may crash, hang or end its program, in a process of its own.

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

  // Cut where it is too long; safe in a signal handler.
  void set(std::string_view text);
  void add(std::string_view text);  // behind what is there
  std::string get() const;

 private:
  static constexpr size_t size_ = 1024;
  char* text_;
};

struct ChildEnd {
  enum class How { finished, crashed, timed_out, interrupted } how;
  std::string
      text;  // what the work returned; else how it ended, as "it crashed: segmentation fault (reads beyond 'tau')"
};

// Where a child has its temporary files: in a folder of its own, which is removed when it ends, or where its parent has them.
enum class ChildFolder { own, shared };

// What the work returns, at most some megabytes. What it prints goes nowhere; the last line of it
// is said where it crashes. The processes that it starts end with it. SIGINT, SIGTERM and SIGHUP
// break it off and are heard afterwards. Throws Error where the system has no room for a process.
ChildEnd run_in_child(const std::function<std::string()>& work, double seconds, Stage& stage,
                      ChildFolder folder = ChildFolder::own);

}  // namespace torsor
