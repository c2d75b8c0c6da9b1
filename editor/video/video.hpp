#pragma once
// Records a video of the window.

#include <imgui.h>

#include <filesystem>
#include <optional>
#include <string>

#include "editor/session/problem.hpp"
#include "editor/video/frame_pace.hpp"
#include "editor/video/video_writer.hpp"

namespace torsor::editor {

class Arguments;
class Editor;
class Session;
struct Scene;
struct SessionState;

class Video {
 public:
  // Starts a video. Throws Error if a video is being recorded or written. Also throws the errors of
  // VideoWriter.
  void start(Session& session, const VideoFormat& format);
  // Stops recording. The remaining frames are still written. A second call discards them. Throws
  // Error if there is no video.
  void stop(Session& session);
  bool is_recording() const { return writer_ && !finishing_; }
  bool finishing() const { return writer_ && finishing_; }
  // Returns whether frames are taken in this state. Action files then use the time of the video.
  bool takes_frames(const SessionState& now) const;
  // Duration of the video in s, up to the picture that the window shows.
  double seconds() const;
  std::string text() const;  // "REC 3.2 s"

  // Updates the recording for the state `now`, which the window shows. Reports a completed or
  // failed video. shown: true if all data of this state is ready to be drawn.
  void follow(Session& session, const SessionState& now, bool shown);
  // Returns whether the picture that the window shows must be taken as a frame of the video.
  bool is_due() const { return due_; }
  void take(Session& session, const SessionState& now, Picture picture);
  // Writes the remaining frames when the window closes. Returns a message about the video, or
  // nullopt if there is none.
  std::optional<Problem> end(Session& session);

  ImVec2 mark{};  // position of the indicator in the menu bar

 private:
  Problem outcome(const VideoWriter::Progress& progress) const;
  void wait(Session& session, const std::shared_ptr<const Scene>& scene);

  std::optional<VideoWriter> writer_;
  bool finishing_ = false, due_ = false;
  FramePace pace_;
  std::optional<long long> hold_;       // the step of the last command HoldAt
  std::shared_ptr<const Scene> scene_;  // the scene of that command
  // Number of frames taken, and this number when the last frame was due.
  long taken_ = 0, shown_ = 0;
};

// Starts a video. Arguments: [FILE] [FPS] [WxH].
void start_video(Editor& editor, const Arguments& arguments);

// place_video_mark() and draw_video_mark() show an indicator in the menu bar while a video is
// recorded. A click on it stops the video. It is painted after the picture is taken, so no frame
// shows it.
void place_video_mark(Editor& editor);
void draw_video_mark(const Editor& editor, ImDrawList& list);

}  // namespace torsor::editor
