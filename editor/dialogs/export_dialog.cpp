#include "editor/dialogs/export_dialog.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
// This header must follow the headers of ImGui.
#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "editor/app/editor.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_options.hpp"
#include "editor/session/session_state.hpp"
#include "editor/support/background_job.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/exchange/robot_writing.hpp"

namespace torsor::editor {

namespace fs = std::filesystem;

struct ExportDialog::Preview {
  std::shared_ptr<const Scene> scene;
  std::string target, robot, file;
  std::shared_ptr<const cli::ReadRobot> read;  // may be set before: the same robot
  ExportedRobot exported;
  std::string error;  // why the robot cannot be written in this format
};

ExportDialog::ExportDialog() : job_(std::make_unique<BackgroundJob>()) {}
ExportDialog::~ExportDialog() = default;

namespace {

using Preview = ExportDialog::Preview;

cli::RobotSource source_of(const Scene& scene, const std::string& robot) {
  const SessionOptions& options = *scene.source;
  return {.file = options.file,
          .overrides = options.overrides,
          .robot = robot,
          .floating_base = options.floating_base,
          .packages = options.packages,
          .permission = options.permission(),
          .plugins = scene.experiment.plugins.get(),
          .run_programs = options.is_named_by_user};
}

const RobotTarget& target_of(const std::string& name) {
  if (const RobotTarget* target = robot_target(name)) return *target;
  std::vector<std::string> names;
  for (const RobotTarget& each : robot_targets()) names.emplace_back(each.name);
  throw Error(fmt::format("'{}' is not a format; it can be {}{}", name, fmt::join(names, ", "),
                          did_you_mean(name, names)));
}

// Reads the robot of a scene, and converts it.
void compute(Preview& preview) {
  try {
    const cli::RobotSource source = source_of(*preview.scene, preview.robot);
    if (!preview.read)
      preview.read = std::make_shared<const cli::ReadRobot>(cli::read_whole_robot(source));
    preview.exported =
        cli::converted(*preview.read, source.plugins, target_of(preview.target), preview.file,
                       fmt::format("Robot '{}', which the window of Torsor has read from {}",
                                   preview.read->robot.name, source.file.filename().string()));
  } catch (const Error& error) {
    preview.error = error.what();
  }
}

std::vector<std::string> robots_of(const Scene& scene) {
  std::vector<std::string> out;
  for (const auto& robot : scene.model().robots) out.push_back(robot.name);
  return out;
}

// Returns the files that a preview would replace.
std::vector<fs::path> existing_files(const Preview& preview) {
  if (!preview.error.empty()) throw Error(preview.error);
  return cli::existing(cli::output_paths(preview.exported, *preview.read, preview.file));
}

// Writes the files of a preview, and reports them and the differences.
void write(Editor& editor, const Preview& preview) {
  if (!preview.error.empty()) throw Error(preview.error);
  const RobotTarget& format = target_of(preview.target);
  const std::vector<fs::path> files =
      cli::write_robot(preview.exported, *preview.read, preview.file);
  editor.session.post(command::Report{
      {Problem::Kind::note,
       fmt::format("{}: robot '{}' exported as {}, {}", files.at(0).string(),
                   preview.read->robot.name, format.title, cli::report_text(preview.exported))}});
}

std::string default_file(const Editor& editor, const RobotTarget& target, const std::string& robot,
                         size_t n_robots) {
  const std::string stem = n_robots > 1 ? robot : editor.scene().source->file.stem().string();
  return editor.output_file(stem + std::string(target.extension)).string();
}

void choose_target(Editor& editor, const std::string& name) {
  ExportDialog& dialog = editor.export_dialog;
  const size_t n_robots = robots_of(editor.scene()).size();
  dialog.target = name;
  dialog.file = default_file(editor, target_of(name), dialog.robot, n_robots);
  dialog.lossy = false;
  dialog.error.clear();
  dialog.existing.clear();
}

// Draws the choice of the format, of the robot and of the file. Returns whether Enter was pressed.
bool draw_choices(Editor& editor) {
  ExportDialog& dialog = editor.export_dialog;
  for (const RobotTarget& target : robot_targets()) {
    if (&target != robot_targets().data()) ImGui::SameLine();
    if (ImGui::RadioButton(std::string(target.title).c_str(), dialog.target == target.name))
      choose_target(editor, std::string(target.name));
    tooltip(fmt::format("Write a {} file", target.extension));
  }
  const std::vector<std::string> robots = robots_of(editor.scene());
  if (robots.size() > 1 && ImGui::BeginCombo("Robot", dialog.robot.c_str())) {
    for (const std::string& robot : robots)
      if (ImGui::Selectable(robot.c_str(), robot == dialog.robot)) {
        dialog.robot = robot;
        choose_target(editor, dialog.target);
      }
    ImGui::EndCombo();
  }
  const std::string before = dialog.file;
  const bool entered = ImGui::InputText("File", &dialog.file, ImGuiInputTextFlags_EnterReturnsTrue);
  if (dialog.file != before) dialog.existing.clear();
  return entered;
}

// Returns the question whether files may be replaced.
std::string question_about(const std::vector<fs::path>& files) {
  if (files.size() == 1) return fmt::format("'{}' exists. Replace it?", files[0].string());
  return fmt::format("'{}' and {} exist. Replace them?", files.at(0).string(),
                     counted(files.size() - 1, "other file"));
}

// Draws the buttons, and an error or a question next to them. Returns whether the robot is to be
// written. Enter does not replace a file.
bool draw_buttons(ExportDialog& dialog, bool possible, bool entered) {
  const bool asks = !dialog.existing.empty();
  ImGui::BeginDisabled(!possible);
  const bool pressed = ImGui::Button(asks ? "Replace" : "Export");
  ImGui::EndDisabled();
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) dialog.shown = false;
  if (asks || !dialog.error.empty()) {
    ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text, color(asks ? Shade::warning : Shade::error));
    draw_wrapped_text(asks ? question_about(dialog.existing) : dialog.error);
    ImGui::PopStyleColor();
  }
  return possible && (pressed || (entered && !asks));
}

// Returns whether the preview is that of what the dialog shows.
bool fits(const Editor& editor, const ExportDialog& dialog) {
  const Preview* preview = dialog.preview.get();
  return preview && preview->scene == editor.now->scene && preview->target == dialog.target &&
         preview->robot == dialog.robot && preview->file == dialog.file;
}

void draw_report(const ExportDialog& dialog, float height) {
  ImGui::BeginChild("report", {0, height}, true);
  const Preview* preview = dialog.preview.get();
  if (!preview || preview->target != dialog.target || preview->robot != dialog.robot)
    dim_text("reading the robot ...");
  else
    draw_wrapped_text(preview->error.empty() ? cli::report_text(preview->exported)
                                             : preview->error);
  ImGui::EndChild();
}

}  // namespace

// Starts the computation of a preview for what the dialog shows, and takes its result.
void follow_preview(Editor& editor, ExportDialog& dialog) {
  if (dialog.job_->busy()) return;
  if (dialog.next_) dialog.preview = std::exchange(dialog.next_, nullptr);
  if (fits(editor, dialog)) return;
  const bool same_robot = dialog.preview && dialog.preview->scene == editor.now->scene &&
                          dialog.preview->robot == dialog.robot;
  dialog.next_ = std::make_shared<Preview>(Preview{editor.now->scene,
                                                   dialog.target,
                                                   dialog.robot,
                                                   dialog.file,
                                                   same_robot ? dialog.preview->read : nullptr,
                                                   {},
                                                   ""});
  dialog.preview = nullptr;
  dialog.job_->start([preview = dialog.next_] { compute(*preview); });
}

void show_export_dialog(Editor& editor) {
  const Scene& scene = need_scene(editor);
  ExportDialog& dialog = editor.export_dialog;
  editor.help = editor.palette.shown = editor.open_dialog.shown = false;  // one overlay at a time
  dialog.shown = true;
  const std::vector<std::string> robots = robots_of(scene);
  if (std::ranges::find(robots, dialog.robot) == robots.end()) dialog.robot = robots.at(0);
  choose_target(editor, dialog.target);
}

void draw_export_dialog(Editor& editor) {
  ExportDialog& dialog = editor.export_dialog;
  if (dialog.shown && !editor.has_scene()) dialog.shown = false;
  if (!begin_overlay("Export robot", dialog.shown, 760, 520)) return;
  follow_preview(editor, dialog);
  const bool entered = draw_choices(editor);
  const float below = 3 * ImGui::GetFrameHeightWithSpacing();
  draw_report(dialog, std::max(ImGui::GetContentRegionAvail().y - below, scaled(40)));
  const Preview* preview = dialog.preview.get();
  const bool changes = preview && preview->exported.changes_mechanism();
  if (changes) ImGui::Checkbox("Write the file although the mechanism changes", &dialog.lossy);
  const bool possible =
      fits(editor, dialog) && preview->error.empty() && (!changes || dialog.lossy);
  const bool confirmed = draw_buttons(dialog, possible, entered);
  ImGui::EndPopup();
  if (confirmed) export_as_shown(editor);
}

void export_as_shown(Editor& editor) {
  ExportDialog& dialog = editor.export_dialog;
  try {
    if (!fits(editor, dialog)) throw Error("the robot is still being read; wait for the report");
    if (dialog.preview->exported.changes_mechanism() && !dialog.lossy)
      throw Error("the file would describe another mechanism; allow it, or choose another format");
    dialog.error.clear();
    const std::vector<fs::path> asked =
        std::exchange(dialog.existing, existing_files(*dialog.preview));
    if (editor.attended && dialog.existing != asked) return;
    dialog.existing.clear();
    write(editor, *dialog.preview);
    dialog.shown = false;
  } catch (const Error& error) {
    dialog.existing.clear();
    dialog.error = error.what();
  }
}

void export_robot_file(Editor& editor, const std::string& format, const fs::path& file,
                       const std::string& robot, bool lossy) {
  need_scene(editor);
  Preview preview{editor.now->scene, format, robot, editor.output_file(file).string(), {}, {}, ""};
  const RobotTarget& target = target_of(format);
  const cli::RobotSource source = source_of(*preview.scene, robot);
  compute(preview);
  if (preview.error.empty() && !lossy)
    cli::require_same_mechanism(preview.exported, target, source.file, "the argument lossy");
  // The name of the file is not in use, but those of meshes may be.
  if (const auto existing = existing_files(preview); editor.attended && !existing.empty())
    throw Error(fmt::format("'{}' exists; choose another name", existing.front().string()));
  write(editor, preview);
}

}  // namespace torsor::editor
