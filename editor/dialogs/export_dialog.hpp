#pragma once
// The dialog that writes a robot of the scene in a format of other programs. It shows what the file
// will not have, or will have differently, with the code of `torsor export`.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace torsor::editor {

class BackgroundJob;
class Editor;
struct Scene;

struct ExportDialog {
  // A robot as the files of a format, or the reason why it cannot be written.
  struct Preview;

  ExportDialog();
  ~ExportDialog();
  ExportDialog(const ExportDialog&) = delete;

  bool shown = false;
  std::string target = "urdf";  // the format
  std::string robot;            // name of the robot; "" until the dialog is shown
  std::string file;             // the file to write
  bool lossy = false;           // write the file although the mechanism changes
  std::string error;            // why the last attempt failed
  // Files that exist. The user is asked whether the robot may replace them.
  std::vector<std::filesystem::path> existing;
  // The preview of the chosen format and robot, or null while it is computed.
  std::shared_ptr<const Preview> preview;

 private:
  friend void draw_export_dialog(Editor& editor);
  friend void follow_preview(Editor& editor, ExportDialog& dialog);
  std::shared_ptr<Preview> next_;  // written by the job
  std::unique_ptr<BackgroundJob> job_;
};

// Shows the dialog for the robot of the scene. Throws Error if there is no scene.
void show_export_dialog(Editor& editor);
void draw_export_dialog(Editor& editor);

// Writes a robot without the dialog, and reports the files and the differences in Problems. format:
// the name of a format. robot: its name, "" for the only robot of the scene. Throws Error if the
// mechanism would change, unless `lossy` is true, and if the file cannot be written.
void export_robot_file(Editor& editor, const std::string& format, const std::filesystem::path& file,
                       const std::string& robot, bool lossy);
// Writes what the dialog shows. If this would replace files and a user is present, asks first: the
// second call replaces them. An error stays in the dialog.
void export_as_shown(Editor& editor);

}  // namespace torsor::editor
