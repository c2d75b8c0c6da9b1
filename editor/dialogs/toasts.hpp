#pragma once
// Toasts: messages over the panels, at the lower right. Notes and warnings vanish after some
// seconds. Errors remain until they are dismissed; errors of a failed load also vanish after the
// next load. Screenshots and videos do not show toasts.

#include <string_view>
#include <vector>

#include "editor/session/problem.hpp"

namespace torsor::editor {

struct SessionState;

class Toasts {
 public:
  struct Toast {
    Problem problem;
    double until;  // time in s when it vanishes; infinite for errors
  };

  // Adds the problems since the last call: all errors, and the warnings and notes about the run.
  // Leaves out warnings and notes about a load. Removes expired toasts. Also removes errors of a
  // failed load that the session no longer lists. time is in s.
  void follow(const SessionState& now, double time);
  // Draws the most recent toasts, at most four, above this y coordinate of the window.
  void draw(float bottom);
  void dismiss(long number);
  void dismiss_all() { toasts_.clear(); }
  const std::vector<Toast>& all() const { return toasts_; }

 private:
  bool draw_toast(Toast& toast, float& bottom);

  std::vector<Toast> toasts_;
  long seen_ = 0;
};

// Returns whether an ImGui window is a toast.
bool is_toast(std::string_view window);

}  // namespace torsor::editor
