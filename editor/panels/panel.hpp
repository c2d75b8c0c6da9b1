#pragma once
// The interface of the panels. A panel is a folder with a class that owns the state of the panel,
// and a row of the table in table.cpp.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "editor/actions/action.hpp"
#include "editor/app/settings.hpp"

namespace torsor::editor {

struct SessionOptions;

// A panel and its state. Each class also has a static function `actions`, which returns the actions
// of the panel. It needs no window.
class Panel {
 public:
  virtual ~Panel() = default;

  // Draws the panel into the current ImGui window. If the panel's row has needs_scene, it is called
  // only with a scene.
  virtual void draw(Editor& editor) = 0;

  // Returns the names of the signals that the sampler must sample for this panel. Not called if
  // there is no scene.
  virtual std::vector<std::string> wanted_signals(const Editor&) { return {}; }

  // Updates the panel at the start of each frame, even if it is not drawn or there is no scene.
  // When another file is opened, there is at least one call without a scene.
  virtual void begin_frame(Editor&) {}

  // Returns the possible values of an argument of one of the panel's actions, given the arguments
  // before it. word is the kind of argument, such as "SIGNAL". Returns nullopt for kinds that this
  // panel does not define; actions/candidates.hpp defines the common kinds.
  virtual std::optional<std::vector<std::string>> candidates(Editor&, const Action&,
                                                             std::string_view /*word*/,
                                                             const Arguments& /*before*/) {
    return std::nullopt;
  }

  // Returns false while the panel still computes the results of its actions in the background.
  virtual bool up_to_date() const { return true; }

  // Returns whether the panel runs a task in the background. stop() stops the task; Esc calls it.
  virtual bool busy() const { return false; }
  virtual void stop() {}
};

struct PanelRow {
  const char* name;   // in actions: "panel.show dynamics"
  const char* title;  // "Dynamics"
  // Initial pane. The tabs of a pane are in the order of the table.
  Pane pane;
  char letter;  // key that shows the panel together with Alt; 0: none
  std::span<const Action> (*actions)();
  std::unique_ptr<Panel> (*make)(const SessionOptions&);
  bool needs_scene = true;  // true: a note replaces the panel if there is no scene
};

std::span<const PanelRow> panel_rows();
// Returns a row by name. Throws Error with "did you mean" if there is none.
const PanelRow& panel_row(std::string_view name);
Shortcut shortcut_of(const PanelRow& row);

// The panels of a window, one per row of the table.
class Panels {
 public:
  explicit Panels(const SessionOptions& options);

  Panel& at(const PanelRow& row) const { return *panels_[size_t(&row - panel_rows().data())]; }
  // Returns the panel of class P, which must have a row.
  template <class P>
  const P& get() const {
    return static_cast<const P&>(at(typeid(P)));
  }
  template <class P>
  P& get() {
    return static_cast<P&>(at(typeid(P)));
  }

  void begin_frame(Editor& editor);
  // Returns the signals of all panels, each once.
  std::vector<std::string> wanted_signals(const Editor& editor);
  bool up_to_date() const;
  bool busy() const;
  void stop();

 private:
  Panel& at(const std::type_info& type) const;

  std::vector<std::unique_ptr<Panel>> panels_;  // in the order of panel_rows()
};

}  // namespace torsor::editor
