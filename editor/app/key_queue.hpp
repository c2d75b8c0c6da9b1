#pragma once
// A queue of keys between the window system and ImGui. ImGui looks at keys once per frame and would
// miss a key that is pressed and released between two looks (from 1.87 on it has a queue of its
// own). Text comes as characters.

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

namespace torsor::editor {

struct KeyEvent {
  enum class What { press, repeat, release, character } what;
  int key = 0, scancode = 0, mods = 0;  // as GLFW numbers them
  unsigned character = 0;
};

class KeyQueue {
 public:
  void push(const KeyEvent& event) { events_.push_back(event); }
  bool empty() const { return events_.empty(); }
  void begin_frame() {
    pressed_.clear();
    acted_ = false;
  }
  // Returns the next event of this frame: up to the release of a key that was pressed in it, and up
  // to what follows a key that acts.
  std::optional<KeyEvent> next() {
    if (events_.empty()) return std::nullopt;
    const KeyEvent event = events_.front();
    const bool presses = event.what == KeyEvent::What::press;
    if (acted_ && (presses || event.what == KeyEvent::What::character)) return std::nullopt;
    if (event.what == KeyEvent::What::release &&
        std::ranges::find(pressed_, event.key) != pressed_.end())
      return std::nullopt;
    const bool writes = events_.size() > 1 && events_[1].what == KeyEvent::What::character;
    if (presses && !writes) {
      pressed_.push_back(event.key);
      acted_ = event.key < first_modifier || event.key > last_modifier;
    }
    events_.pop_front();
    return event;
  }

 private:
  // GLFW_KEY_LEFT_SHIFT, .._RIGHT_SUPER.
  static constexpr int first_modifier = 340, last_modifier = 347;

  std::deque<KeyEvent> events_;
  std::vector<int> pressed_;  // in this frame, without those that write
  bool acted_ = false;
};

}  // namespace torsor::editor
