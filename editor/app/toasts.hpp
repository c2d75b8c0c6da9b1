#pragma once
// Toasts: messages that appear over the panels, at the lower right. Notes and warnings vanish after
// some seconds, errors stay until they are dismissed or solved. Pictures and videos of the window
// do not show them.

#include <string_view>
#include <vector>

#include "editor/session/moment.hpp"

namespace torsor::editor {

class Toasts {
 public:
  struct Toast {
    Problem problem;
    double until;  // s, when it vanishes; infinite for errors
  };

  // Adds what was reported since the last call, and drops what is too old and errors of a load that
  // was repaired. Of messages about a load only errors are shown. time: s.
  void follow(const Moment& now, double time);
  // Draws the last ones above this y of the window.
  void draw(float bottom);
  void dismiss(long number);
  void dismiss_all() { toasts_.clear(); }
  const std::vector<Toast>& all() const { return toasts_; }

 private:
  bool draw_toast(Toast& toast, float& bottom);

  std::vector<Toast> toasts_;
  long seen_ = 0;
};

// Returns whether a window of ImGui is a toast.
bool is_toast(std::string_view window);

}  // namespace torsor::editor
