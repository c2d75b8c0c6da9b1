#pragma once
// Settings that outlive the window: theme, scale, layout and recent files.

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace torsor::editor {

// Locations of panels.
enum class Pane { left_top, left_bottom, center_top, center_bottom, right_top, right_bottom };
inline constexpr std::array all_panes{Pane::left_top,      Pane::left_bottom, Pane::center_top,
                                      Pane::center_bottom, Pane::right_top,   Pane::right_bottom};
const char* name(Pane pane);   // in actions: "left_top"
const char* title(Pane pane);  // "top left"
// Returns a pane by name. Throws Error with "did you mean" if there is none.
Pane pane(std::string_view name);

struct Settings {
  bool dark = true;
  // Scale of text and widgets; 0: the scale of the display.
  float scale = 0;
  // Widths of the side columns as fractions of the window width.
  float left = 0.22f, right = 0.27f;
  // Heights of the upper panes as fractions of their columns.
  std::array<float, 3> top = {0.45f, 0.66f, 0.56f};
  // Name of the front panel of each pane; "": the first open panel.
  std::array<std::string, all_panes.size()> front;
  struct Panel {
    bool open;
    Pane pane;
    bool operator==(const Panel&) const = default;
  };
  // Panels by name. A missing panel has the state of its row.
  std::map<std::string, Panel> panels;
  std::vector<std::string> recent;  // opened files, most recent first
  bool operator==(const Settings&) const = default;
};

// Returns $XDG_CONFIG_HOME/torsor/editor.json, or the file below ~/.config; "" if there is no home.
std::filesystem::path settings_file();
// Returns $XDG_STATE_HOME/torsor/editor, or the folder below ~/.local/state; "" if there is no
// home.
std::filesystem::path state_folder();

// Loads the settings from a file; returns the defaults if there is none. If the file cannot be
// read, renames it to NAME.old and throws Error, "file: what".
Settings read_settings(const std::filesystem::path& file);
void write_settings(const std::filesystem::path& file, const Settings& settings);

}  // namespace torsor::editor
