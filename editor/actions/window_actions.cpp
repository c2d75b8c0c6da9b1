// Actions of the window and of the run. Panels add their own actions.

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "editor/app/editor.hpp"
#include "editor/app/panes.hpp"
#include "editor/console/console.hpp"
#include "editor/edits/position.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_state.hpp"
#include "editor/video/picture.hpp"
#include "editor/video/video.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/scripting/values/read_changes.hpp"

namespace torsor::editor {

namespace {

long long step_of(const Editor& editor, double seconds) {
  const double dt = need_scene(editor).experiment.dt;
  constexpr double most_steps = 1e15;
  if (!(seconds >= 0)) throw Error(fmt::format("SECONDS is {}; it must not be negative", seconds));
  if (!(seconds / dt < most_steps))
    throw Error(fmt::format("SECONDS is {}; it must be less than {:g}", seconds, most_steps * dt));
  return std::llround(seconds / dt);
}

void play(Editor& editor, const Arguments&) {
  need_scene(editor);
  editor.session.post(command::PlayOrPause{});
}
void step(Editor& editor, const Arguments& arguments) {
  need_scene(editor);
  const double steps = arguments.size() > 0 ? arguments.number(0, "STEPS") : 1;
  if (steps != std::round(steps) || std::abs(steps) > 1e15)
    throw Error(fmt::format("STEPS is {}; it must be a whole number", steps));
  editor.session.post(command::Step{(long long)steps});
}
void go(Editor& editor, const Arguments& arguments) {
  editor.session.post(command::Go{step_of(editor, arguments.number(0, "SECONDS"))});
}
void speed(Editor& editor, const Arguments& arguments) {
  const double factor = arguments.number(0, "FACTOR");
  if (!(factor >= 1.0 / 64 && factor <= 64))
    throw Error(fmt::format("FACTOR is {:g}; it must be from 1/64 to 64", factor));
  editor.session.post(command::SetSpeed{factor});
}
// Moves along the time line, at most to the last computed step.
void turn_page(Editor& editor, int pages) {
  need_scene(editor);
  const Timeline& timeline = editor.now->timeline;
  const long long page = std::max(1LL, std::max(editor.now->limit, timeline.end()) / 20);
  editor.session.post(command::Pause{});
  editor.session.post(command::Go{
      std::clamp(editor.now->state.step + pages * page, timeline.step(0), timeline.end())});
}
// The arguments JOINT VALUE [continued]. "continued" means that the edit belongs to the same drag
// as the previous edit. A joint with several dof needs JOINT.NAME.
struct Edit {
  int column;
  double value;
  bool continued;
};
Edit edit_of(const std::vector<std::string>& columns, const Arguments& arguments) {
  const std::string& name = arguments.text(0, "JOINT");
  const auto column = std::ranges::find(columns, name);
  if (column == columns.end())
    throw Error(fmt::format("there is no joint '{}'{}", name, did_you_mean(name, columns)));
  const bool continued = arguments.has(2, "continued");
  return {int(column - columns.begin()), arguments.number(1, "VALUE"), continued};
}
void set_position(Editor& editor, const Arguments& arguments) {
  std::vector<std::string> names;
  for (const Position& each : positions(need_scene(editor).model())) names.push_back(each.name);
  const Edit edit = edit_of(names, arguments);
  editor.session.post(command::Edit{editor.now->scene,
                                    command::SetPosition{edit.column, edit.value}, edit.continued});
}
void set_velocity(Editor& editor, const Arguments& arguments) {
  const Edit edit = edit_of(need_scene(editor).model().dof_names(), arguments);
  editor.session.post(command::Edit{editor.now->scene,
                                    command::SetVelocity{edit.column, edit.value}, edit.continued});
}
void set_torque(Editor& editor, const Arguments& arguments) {
  const Edit edit = edit_of(need_scene(editor).model().dof_names(), arguments);
  editor.session.post(command::Edit{editor.now->scene, command::SetTorque{edit.column, edit.value},
                                    edit.continued});
}

// Prints the state and the problems to standard output. ", playing" and ", busy" mean that the
// state is about to change. Tests and other programs repeat the action until neither is printed.
void print_state(Editor& editor, const Arguments&) {
  const bool idle = editor.idle();  // read first, so that the state includes completed requests
  const std::shared_ptr<const SessionState> now = editor.session.now();
  if (now->scene)
    fmt::print("t = {:.9g} s, step {}, state {:016x}, solver {}, selected {}{}{}\n", now->time(),
               now->state.step, state_hash(now->state), without_kind(now->solver()),
               selection_text(editor), now->playing ? ", playing" : "", idle ? "" : ", busy");
  for (const Problem& problem : *now->problems)
    fmt::print("{}: {}\n", problem.kind == Problem::Kind::note ? "note" : "problem", problem.text);
  std::fflush(stdout);
}

void open(Editor& editor, const Arguments& arguments) {
  if (arguments.size() == 0) return show_open_dialog(editor);
  editor.open(arguments.text(0, "FILE"), arguments.has(1, "floating_base"));
}

// Stops the tasks of the console and the panels. If they have none, or the session is busy, also
// stops the session, which pauses the run if it has no task.
void stop(Editor& editor, const Arguments&) {
  const bool beside = editor.console.busy() || editor.panels.busy();
  editor.console.stop();
  editor.panels.stop();
  if (!beside || !editor.session.idle()) editor.session.stop();
}

void reopen(Editor& editor, const Arguments&) {
  if (editor.hanging_call.empty())
    throw Error("no plugin hangs; close the window in the usual way");
  editor.reopen = true;
}

void scale(Editor& editor, const Arguments& arguments) {
  const double scale = arguments.number(0, "FACTOR");
  if (!(scale >= 0.5 && scale <= 4))
    throw Error(fmt::format("FACTOR is {:g}; it must be from 0.5 to 4", scale));
  editor.settings.scale = float(scale);
}
void change_scale(Editor& editor, float step) {
  editor.settings.scale = std::clamp(scaled(1) + step, 0.5f, 4.0f);
}

void theme(Editor& editor, const Arguments& arguments) {
  const std::string& name = arguments.text(0, "NAME");
  if (name != "dark" && name != "light")
    throw Error(fmt::format("NAME is '{}'; it must be dark or light", name));
  editor.settings.dark = name == "dark";
}

void first_layout(Editor& editor, const Arguments&) {
  const Settings first;
  editor.settings.left = first.left;
  editor.settings.right = first.right;
  editor.settings.top = first.top;
  editor.settings.front = first.front;
  editor.settings.panels = first.panels;
}

void show_panel(Editor& editor, const Arguments& arguments) {
  const PanelRow& row = panel_row(arguments.text(0, "PANEL"));
  if (arguments.size() < 2 || arguments.flag(1, "on|off"))
    bring_to_front(editor.settings, row);
  else
    state_of(editor.settings, row).open = false;
}

void move_panel(Editor& editor, const Arguments& arguments) {
  const PanelRow& row = panel_row(arguments.text(0, "PANEL"));
  state_of(editor.settings, row).pane = pane(arguments.text(1, "PANE"));
  bring_to_front(editor.settings, row);
}

// Writes the edits as Lua to a file, or copies them to the clipboard if no file is given.
void export_changes(Editor& editor, const Arguments& arguments) {
  const Scene& scene = need_scene(editor);
  const auto say = [&](std::string note) {
    editor.session.post(command::Report{{Problem::Kind::note, std::move(note)}});
  };
  const std::vector<Change>& edits = editor.now->edits();
  if (edits.empty()) return say("Nothing to export: this run has no edits");
  const std::string text = changes_text(edits, scene.experiment.dt);
  if (arguments.size() == 0) {
    ImGui::SetClipboardText(text.c_str());
    return say(fmt::format("Copied {} as Lua", counted(edits.size(), "edit")));
  }
  const std::filesystem::path file = editor.output_file(arguments.text(0, "FILE"));
  write_file(file, text);
  say(fmt::format("{}: {} exported as Lua", file.string(), counted(edits.size(), "edit")));
}

// Writes a robot in a format, or shows the dialog if none is given.
void export_robot(Editor& editor, const Arguments& arguments) {
  if (arguments.size() == 0) return show_export_dialog(editor);
  const bool lossy = arguments.size() > 2 && arguments.text(2, "lossy") == "lossy";
  const size_t robot = lossy ? 3 : 2;
  export_robot_file(editor, arguments.text(0, "FORMAT"), arguments.text(1, "FILE"),
                    arguments.size() > robot ? arguments.text(robot, "ROBOT") : "", lossy);
}

constexpr Action window_action_rows[] = {
    {"time.play", "Play or pause", "", play, {GLFW_KEY_SPACE}},
    {"time.pause", "Pause", "",
     [](Editor& e, const Arguments&) { e.session.post(command::Pause{}); }},
    {"time.step", "Step forward", "[STEPS]", step, {GLFW_KEY_RIGHT}},
    {"time.step_back",
     "Step back",
     "",
     [](Editor& e, const Arguments&) {
       need_scene(e);
       e.session.post(command::Step{-1});
     },
     {GLFW_KEY_LEFT}},
    {"time.reset",
     "Reset",
     "",
     [](Editor& e, const Arguments&) {
       need_scene(e);
       e.session.post(command::Pause{});
       e.session.post(command::Go{0});
     },
     {GLFW_KEY_BACKSPACE}},
    {"time.far_step",
     "Step forward by 10",
     "",
     [](Editor& e, const Arguments&) { run_action(e, "time.step", {"10"}); },
     {GLFW_KEY_RIGHT, false, true}},
    {"time.far_step_back",
     "Step back by 10",
     "",
     [](Editor& e, const Arguments&) { run_action(e, "time.step", {"-10"}); },
     {GLFW_KEY_LEFT, false, true}},
    {"time.page",
     "Jump forward by 1/20 of the run",
     "",
     [](Editor& e, const Arguments&) { turn_page(e, 1); },
     {GLFW_KEY_PAGE_DOWN}},
    {"time.page_back",
     "Jump back by 1/20 of the run",
     "",
     [](Editor& e, const Arguments&) { turn_page(e, -1); },
     {GLFW_KEY_PAGE_UP}},
    {"time.end",
     "Go to the last step reached",
     "",
     [](Editor& e, const Arguments&) {
       need_scene(e);
       e.session.post(command::Pause{});
       e.session.post(command::Go{e.now->timeline.end()});
     },
     {GLFW_KEY_END}},
    {"time.go", "Go to a time", "SECONDS", go},
    {"time.speed", "Set the playback speed", "FACTOR", speed},
    {"time.faster",
     "Double the playback speed",
     "",
     [](Editor& e, const Arguments&) { e.session.post(command::ChangeSpeed{1}); },
     {GLFW_KEY_UP}},
    {"time.slower",
     "Halve the playback speed",
     "",
     [](Editor& e, const Arguments&) { e.session.post(command::ChangeSpeed{-1}); },
     {GLFW_KEY_DOWN}},
    {"edit.undo",
     "Undo",
     "",
     [](Editor& e, const Arguments&) { e.session.post(command::Undo{}); },
     {GLFW_KEY_Z, true}},
    {"edit.redo",
     "Redo",
     "",
     [](Editor& e, const Arguments&) { e.session.post(command::Redo{}); },
     {GLFW_KEY_Y, true}},
    {"edit.clear", "Remove all edits", "",
     [](Editor& e, const Arguments&) { e.session.post(command::ClearEdits{}); }},
    {"edit.position", "Set a joint position", "JOINT VALUE [continued]", set_position},
    {"edit.velocity", "Set a joint velocity", "JOINT VALUE [continued]", set_velocity},
    {"edit.torque", "Apply a torque at a joint", "JOINT VALUE [continued]", set_torque},
    {"scene.open",
     "Open a scene, robot or recording...",
     "FILE [floating_base]",
     open,
     {GLFW_KEY_O, true}},
    {"scene.reload",
     "Reload the scene",
     "",
     [](Editor& e, const Arguments&) { e.session.post(command::Reload{}); },
     {GLFW_KEY_R, true}},
    {"trust.answer", "Answer the question about a file", "once|file|folder|no",
     [](Editor& e, const Arguments& a) { answer_trust(e, a.text(0, "ANSWER")); }},
    {"scene.stop", "Stop the current task", "", stop, {GLFW_KEY_ESCAPE}},
    {"robot.export", "Export robot...", "[urdf|mjcf|sdf|lua FILE [lossy] [ROBOT]]", export_robot},
    {"scene.export", "Copy edits as Lua, or export them to a file", "[FILE]", export_changes},
    {"scene.record",
     "Save recording",
     "[FOLDER]",
     [](Editor& e, const Arguments& a) {
       need_scene(e);
       e.session.post(
           command::SaveRecording{a.size() > 0 ? a.text(0, "FOLDER") : "recordings", !e.attended});
     },
     {GLFW_KEY_S, true}},
    {"scene.print",
     "Print time, state, solver, selection and problems",
     "",
     print_state,
     {GLFW_KEY_I, true}},
    {"window.theme", "Set the theme", "dark|light", theme},
    {"window.theme_other", "Toggle light and dark theme", "",
     [](Editor& e, const Arguments&) { e.settings.dark = !e.settings.dark; }},
    {"window.scale", "Set the text size", "FACTOR", scale},
    {"window.larger",
     "Increase text size",
     "",
     [](Editor& e, const Arguments&) { change_scale(e, 0.125f); },
     {GLFW_KEY_EQUAL, true}},
    {"window.smaller",
     "Decrease text size",
     "",
     [](Editor& e, const Arguments&) { change_scale(e, -0.125f); },
     {GLFW_KEY_MINUS, true}},
    {"window.layout_reset", "Reset the layout", "", first_layout},
    {"window.help",
     "Show keys and actions",
     "",
     [](Editor& e, const Arguments&) {
       e.help = !e.help;
       if (e.help)
         e.palette.shown = e.open_dialog.shown = e.export_dialog.shown =
             false;  // one overlay at a time
     },
     {GLFW_KEY_F1}},
    {"window.dismiss", "Dismiss all messages", "",
     [](Editor& e, const Arguments&) { e.toasts.dismiss_all(); }},
    {"window.screenshot",
     "Save a screenshot",
     "[FILE]",
     [](Editor& e, const Arguments& a) {
       const std::filesystem::path file =
           e.output_file(a.size() > 0 ? a.text(0, "FILE") : "torsor.png");
       require_png("FILE", file);
       e.screenshot = ScreenshotRequest{file};
     },
     {GLFW_KEY_P, true, true}},
    {"video.start", "Record a video of the window while the run plays", "[FILE] [FPS] [WxH]",
     start_video},
    {"video.stop", "Stop the video", "",
     [](Editor& e, const Arguments&) { e.video.stop(e.session); }},
    {"video.switch",
     "Start or stop a video",
     "",
     [](Editor& e, const Arguments&) {
       e.video.is_recording() ? e.video.stop(e.session) : start_video(e, {});
     },
     {GLFW_KEY_V, true, true}},
    {"window.palette",
     "Find an action...",
     "",
     [](Editor& e, const Arguments&) { toggle_palette(e); },
     {GLFW_KEY_P, true}},
    {"window.reopen", "End and reopen the window while a plugin hangs", "", reopen},
    {"window.quit",
     "Quit",
     "",
     [](Editor& e, const Arguments&) { leave(e, std::nullopt); },
     {GLFW_KEY_Q, true}},
    {"panel.show", "Show or close a panel", "PANEL [on|off]", show_panel},
    {"panel.move", "Move a panel to another pane", "PANEL PANE", move_panel},
};

}  // namespace

std::span<const Action> window_actions() {
  return window_action_rows;
}

}  // namespace torsor::editor
