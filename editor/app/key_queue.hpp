#pragma once
// A queue of keys between the window system and ImGui. ImGui reads keys once per frame and would
// miss a key that is pressed and released within a frame. (ImGui 1.87 and later have their own
// queue.) Text arrives as characters.

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
  // Returns the next event for this frame, or nullopt if there is none or it must wait for the next
  // frame. Two kinds of events wait:
  // - the release of a key that was pressed in this frame and produces no text
  // - a press or a character after this frame's press of a key that produces no text, except a
  //   modifier key
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
  // The range from GLFW_KEY_LEFT_SHIFT to GLFW_KEY_RIGHT_SUPER.
  static constexpr int first_modifier = 340, last_modifier = 347;

  std::deque<KeyEvent> events_;
  std::vector<int> pressed_;  // keys pressed in this frame that produce no text
  bool acted_ = false;
};

}  // namespace torsor::editor
