#pragma once
// Toasts: messages over the panels, at the lower right. Notes and warnings vanish after some
// seconds. Errors remain until they are dismissed or solved. Screenshots and videos do not show
// toasts.

#include <string_view>
#include <vector>

#include "editor/session/moment.hpp"

namespace torsor::editor {

class Toasts {
 public:
  struct Toast {
    Problem problem;
    double until;  // time in s when it vanishes; infinite for errors
  };

  // Adds the problems since the last call. Removes old messages, and errors of a load that has
  // succeeded since. Shows only errors among the messages about a load. time is in s.
  void follow(const Moment& now, double time);
  // Draws the most recent toasts above this y coordinate of the window.
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
