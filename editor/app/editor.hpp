#pragma once
// The state of the window: the selection, and what is displayed and how. Engine data is never
// copied here.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "editor/actions/action.hpp"
#include "editor/actions/palette.hpp"
#include "editor/app/selection.hpp"
#include "editor/app/settings.hpp"
#include "editor/dialogs/export_dialog.hpp"
#include "editor/dialogs/leave_dialog.hpp"
#include "editor/dialogs/open_dialog.hpp"
#include "editor/dialogs/toasts.hpp"
#include "editor/dialogs/trust_dialog.hpp"
#include "editor/panels/panel.hpp"

namespace torsor {
class Registry;
class Trust;
struct Model;
}  // namespace torsor

namespace torsor::editor {

class Console;
class Probe;
class Sampler;
class Session;
class Video;
struct Scene;
struct SessionOptions;
struct SessionState;

// A request to save a picture: a rectangle of the window in pixels, or the complete window if width
// is 0.
struct ScreenshotRequest {
  std::filesystem::path file;
  float x = 0, y = 0, width = 0, height = 0;
};

class Editor {
 private:
  // The parts with large headers. A file that uses one of them includes its header.
  struct Parts;
  std::unique_ptr<Parts> parts_;

 public:
  Editor(Registry plugins, const SessionOptions& options, const Settings& settings);
  ~Editor();

  // Opens another file at the next frame, after asking about unsaved work. The table of a study
  // opens in its panel, and the scene stays. Throws Error for a file that cannot be opened.
  void open(const std::filesystem::path& file, bool floating_base);
  // Opens a file without asking.
  void open_at_next_frame(const OpenRequest& request) { opening_ = request; }
  void report_when_open(std::string note) { note_ = std::move(note); }
  void remember(const std::filesystem::path& file);  // adds a file to the recent files
  // Starts a frame. Reads the published state of the session (now), which all panels show in this
  // frame.
  void begin_frame();
  // Tells the sampler which signals the panels draw.
  void request_samples();
  bool has_scene() const;
  // scene(), model() and dt() need a scene.
  const Scene& scene() const;
  const Model& model() const;
  double dt() const;  // s
  // Returns the plugins of the scene, or all plugins if there is no scene.
  const Registry& plugins() const;
  // panel<P>() returns the panel of class P.
  template <class P>
  const P& panel() const {
    return panels.get<P>();
  }
  template <class P>
  P& panel() {
    return panels.get<P>();
  }
  // Returns whether all requests are complete. Playback does not count as a request.
  bool idle() const;
  // Returns whether Esc can stop a task: a load, a recording, a computation, or a call that hangs.
  bool working() const;
  // Returns the name of a file to write. Adds a number if the file exists and a user is present.
  std::filesystem::path output_file(const std::filesystem::path& file) const;

  // True if a user is present: the window then asks about unsaved work and overwrites no files.
  // False if other programs use the results (WindowOptions::for_others).
  bool attended = false;
  Session& session;
  std::shared_ptr<const SessionState> now;
  Probe& probe;
  Sampler& sampler;
  Console& console;  // begin_frame() runs the actions of its chunks
  Video& video;

  Settings settings;
  Selection selection;
  Panels panels;
  // Keys pressed since the last frame, even if they were already released.
  std::vector<Shortcut> keys;
  std::vector<std::string> dropped;  // files dropped on the window since the last frame
  OpenDialog open_dialog;
  ExportDialog export_dialog;
  LeaveDialog leave_dialog;
  TrustDialog trust_dialog;
  std::shared_ptr<Trust> trust;  // trust settings of the session; null: nothing can be allowed
  CommandPalette palette;
  Toasts toasts;
  bool help = false;  // the overlay of shortcuts
  bool quit = false;
  bool reopen = false;       // true: start a new process and end this one
  std::string hanging_call;  // the plugin call that has blocked the run for more than 5 s, or ""
  std::optional<ScreenshotRequest> screenshot;
  // Moving average of the time of the UI code per frame in ms, without rendering.
  double frame_ms = 0;

 private:
  void reselect(const std::string& selected);

  void open_now();

  std::optional<OpenRequest> opening_;
  std::string note_;
  long errors_seen_ = 0;
  double idle_at_ = 0;  // time in s at which the session was last idle
};

// Returns the scene. Throws Error if none is loaded.
const Scene& need_scene(const Editor& editor);

}  // namespace torsor::editor
