#pragma once
// What is kept from one window to the next: theme, scale and layout.

#include <filesystem>
#include <map>
#include <string>

namespace torsor::editor {

struct Settings {
  bool dark = true;
  float scale = 0;                    // of texts and widgets; 0: as the display says
  float left = 0.22f, right = 0.27f;  // widths of the side columns, parts of the window's
  struct Pane {
    bool open;
    float weight;  // of the height in its column
    bool operator==(const Pane&) const = default;
  };
  std::map<std::string, Pane> panes;  // by panel name; what is not there is as the panel's row says
  bool operator==(const Settings&) const = default;
};

// $XDG_CONFIG_HOME/torsor/editor.json, or below ~/.config; "" where there is no home.
std::filesystem::path settings_file();
// $XDG_STATE_HOME/torsor/editor, or below ~/.local/state; "" where there is no home.
std::filesystem::path state_folder();

// Those of a file, or the first ones where there is no file. Throws Error, "file: what", where it does not hold settings,
// which is set aside.
Settings read_settings(const std::filesystem::path& file);
void write_settings(const std::filesystem::path& file, const Settings& settings);

}  // namespace torsor::editor
