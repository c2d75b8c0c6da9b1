#pragma once
// Everything a user can do has a name. Buttons, menus, keys and files of actions (--actions) all run it by that name.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace torsor::editor {

class Editor;

// What follows an action's name in a file of actions: words, those of spaces in "quotes".
class Arguments {
 public:
  Arguments() = default;
  // Throws Error where a quote is not closed.
  explicit Arguments(std::string_view text);
  Arguments(std::initializer_list<std::string> words) : words_(words) {}
  explicit Arguments(std::vector<std::string> words) : words_(std::move(words)) {}

  size_t size() const { return words_.size(); }
  // Throw Error, naming what is missing or wrong.
  const std::string& text(size_t k, const char* what) const;
  double number(size_t k, const char* what) const;  // finite
  bool flag(size_t k, const char* what) const;      // on or off
  bool has(size_t k, const char* word) const;       // whether this word stands there; no other may

 private:
  std::vector<std::string> words_;
};

// A key as GLFW numbers it, with modifiers.
struct Shortcut {
  int key = 0;  // 0: none
  bool ctrl = false, shift = false, alt = false;
  bool operator==(const Shortcut&) const = default;
};

struct Action {
  const char* name;       // "time.play"
  const char* title;      // for menus and help: "Play or pause"
  const char* arguments;  // as the help shows them: "SECONDS"; "" for none
  void (*run)(Editor&, const Arguments&);
  Shortcut shortcut{};
};

// Of the whole window; panels have theirs in their rows.
std::span<const Action> window_actions();
// All there are: the window's and the panels'.
std::vector<const Action*> all_actions();

// Runs an action. Throws Error for a name that there is not (with "did you mean"), arguments too many, and whatever the action throws.
void run_action(Editor& editor, std::string_view name, const Arguments& arguments = {});
// The same for a button: what goes wrong is a problem that the window shows.
void try_action(Editor& editor, std::string_view name, const Arguments& arguments = {}) noexcept;

std::string shortcut_text(const Shortcut& shortcut);  // "Ctrl+Z"

// Of the item before: the action's title and shortcut.
void action_tooltip(std::string_view name);

// Widgets that run an action, with that tooltip.
bool action_button(Editor& editor, const char* label, std::string_view name, const Arguments& arguments = {});
bool action_toggle(Editor& editor, const char* label, bool on, std::string_view name,
                   const Arguments& arguments = {});
// A button that is lit while what it chooses is in force, with a tooltip of its own.
bool action_choice(Editor& editor, const char* label, bool chosen, std::string_view name,
                   const Arguments& arguments, const char* hint);
bool action_item(Editor& editor, std::string_view name, bool checked = false,
                 const Arguments& arguments = {});

}  // namespace torsor::editor
