#pragma once
// Named actions. Buttons, menus, keys and files of actions (--actions) all run actions by name.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace torsor::editor {

class Editor;

// The arguments of an action: words separated by spaces. Words with spaces are in "quotes".
class Arguments {
 public:
  Arguments() = default;
  // Splits a text into words. Throws Error if a quote is not closed.
  explicit Arguments(std::string_view text);
  Arguments(std::initializer_list<std::string> words) : words_(words) {}
  explicit Arguments(std::vector<std::string> words) : words_(std::move(words)) {}

  size_t size() const { return words_.size(); }
  // text(), number() and flag() return argument k. They throw Error if it is missing or wrong.
  // what: the name of the argument in this error.
  const std::string& text(size_t k, const char* what) const;
  double number(size_t k, const char* what) const;  // finite
  bool flag(size_t k, const char* what) const;      // on or off
  // Returns whether argument k exists. Throws Error if it exists but is not this word.
  bool has(size_t k, const char* word) const;

 private:
  std::vector<std::string> words_;
};

// A key, by its GLFW number, with modifiers.
struct Shortcut {
  int key = 0;  // 0: none
  bool ctrl = false, shift = false, alt = false;
  bool operator==(const Shortcut&) const = default;
};

struct Action {
  const char* name;   // "time.play"
  const char* title;  // for menus and help: "Play or pause"
  // Names of the arguments for the help, such as "JOINT VALUE [continued]", or "" for none.
  const char* arguments;
  void (*run)(Editor&, const Arguments&);
  Shortcut shortcut{};
};

// Returns the actions of the window. Panels have their own actions.
std::span<const Action> window_actions();
// Returns all actions: those of the window and of the panels.
std::vector<const Action*> all_actions();

// Runs an action. Throws Error for an unknown name (with "did you mean") and for too many
// arguments. Also throws the errors of the action.
void run_action(Editor& editor, std::string_view name, const Arguments& arguments = {});
// Runs an action and reports its errors as a problem.
void try_action(Editor& editor, std::string_view name, const Arguments& arguments = {}) noexcept;

std::string shortcut_text(const Shortcut& shortcut);  // "Ctrl+Z"

// Shows the title and shortcut of an action as the tooltip of the last ImGui item.
void action_tooltip(std::string_view name);

// action_button(), action_toggle() and action_item() draw a widget that runs an action. Its tooltip
// is action_tooltip(). They return whether the widget was clicked.
bool action_button(Editor& editor, const char* label, std::string_view name,
                   const Arguments& arguments = {});
bool action_toggle(Editor& editor, const char* label, bool on, std::string_view name,
                   const Arguments& arguments = {});
// Draws a button that runs an action. chosen: true highlights the button. hint: its tooltip.
bool action_choice(Editor& editor, const char* label, bool chosen, std::string_view name,
                   const Arguments& arguments, const char* hint);
bool action_item(Editor& editor, std::string_view name, bool checked = false,
                 const Arguments& arguments = {});

}  // namespace torsor::editor
