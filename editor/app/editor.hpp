#pragma once
// What the window knows beside the run: what is selected, shown and how. Engine data is never copied here.

#include <memory>
#include <optional>

#include "editor/app/action.hpp"
#include "editor/app/open_dialog.hpp"
#include "editor/app/palette.hpp"
#include "editor/app/settings.hpp"
#include "editor/app/video.hpp"
#include "editor/panels/console.hpp"
#include "editor/panels/controllers.hpp"
#include "editor/panels/dynamics.hpp"
#include "editor/panels/energy.hpp"
#include "editor/panels/explain.hpp"
#include "editor/panels/inspector.hpp"
#include "editor/panels/plots.hpp"
#include "editor/panels/plugins.hpp"
#include "editor/panels/problems.hpp"
#include "editor/panels/runs.hpp"
#include "editor/panels/scene.hpp"
#include "editor/panels/solvers.hpp"
#include "editor/session/probe.hpp"
#include "editor/session/sampler.hpp"
#include "editor/session/session.hpp"
#include "editor/view/view.hpp"

namespace torsor::editor {

// One thing of the model, by its index there.
struct Selection {
  enum class Kind { none, robot, link, joint, frame, plugin } kind = Kind::none;
  int index = 0;
  bool operator==(const Selection&) const = default;
};

// What the window does after the frame in which it was asked for.
struct ScreenshotRequest {
  std::filesystem::path file;
  float x = 0, y = 0, width = 0, height = 0;  // of the window; no width: all of it
};

class Editor {
 public:
  Editor(Registry plugins, const SessionOptions& options, const Settings& settings);

  // Another file in the window, from the next frame on.
  void open(const std::filesystem::path& file, bool floating_base);
  void say_when_open(std::string note) { note_ = std::move(note); }
  // At the start of a frame: the moment that all panels show.
  void begin_frame();
  // Has the sampler follow the moment with every signal that is drawn.
  void want_samples();
  bool has_scene() const { return now->scene != nullptr; }
  const Scene& scene() const { return *now->scene; }
  const Model& model() const { return scene().model(); }
  // The scene's, or all that there are while there is none.
  const Registry& plugins() const { return has_scene() ? scene().plugins() : *now->plugins; }
  double dt() const { return scene().experiment.dt; }
  // All that was asked for has been done. Playing does not count.
  bool idle() const { return session.idle() && !console.busy() && !video.finishing(); }

  Session session;
  std::shared_ptr<const Moment> now;
  Probe probe;
  Sampler sampler;
  Console console;  // what its chunks ask for is done in begin_frame()

  Settings settings;
  Selection selection;
  ViewState view;
  ScenePanel scene_panel;
  InspectorPanel inspector;
  RunsPanel runs;
  SolversPanel solvers;
  DynamicsPanel dynamics;
  ExplainPanel explain;
  PlotsPanel plots;
  EnergyPanel energy;
  PluginsPanel plugins_panel;
  ConsolePanel console_panel;
  ControllersPanel controllers;
  ProblemsPanel problems;
  std::vector<Shortcut> keys;        // pressed since the last frame: one that is let go within a frame counts
  std::vector<std::string> dropped;  // files, on the window since the last frame
  OpenDialog open_dialog;
  CommandPalette palette;
  bool help = false;  // the overlay of shortcuts
  bool quit = false;
  std::optional<ScreenshotRequest> screenshot;
  Video video;
  double frame_ms = 0;  // UI work of the last frames, without drawing

 private:
  void reselect(const std::string& selected);

  void open_now();
  void remember(const std::filesystem::path& file);

  struct Opening {
    std::filesystem::path file;
    bool floating_base;
  };
  std::optional<Opening> opening_;
  std::string note_;
  long errors_seen_ = 0;
};

// The scene that is loaded. Throws Error where none is.
const Scene& need_scene(const Editor& editor);

}  // namespace torsor::editor
