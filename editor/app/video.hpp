#pragma once
// The recording of a video of the window.

#include <imgui.h>

#include <filesystem>
#include <optional>
#include <string>

#include "editor/app/frame_pace.hpp"
#include "editor/app/video_writer.hpp"
#include "editor/session/session.hpp"

namespace torsor::editor {

class Arguments;
class Editor;

class Video {
 public:
  // Starts a video. Throws Error if one is being recorded or written, and as VideoWriter does.
  void start(Session& session, const VideoFormat& format);
  // Stops recording; the remaining frames are still written. A second call cancels that.
  void stop(Session& session);
  bool films() const { return writer_ && !finishing_; }
  bool finishing() const { return writer_ && finishing_; }
  // Returns whether frames are taken now: time then passes as it does in the video.
  bool paces(const Moment& now) const { return films() && now.playing && !now.going; }
  double seconds() const;    // of the video, at the picture that the window shows
  std::string text() const;  // "REC 3.2 s"

  // Follows the moment of the window's frame, and reports a video that was written. shown: all data
  // of the moment is ready to be drawn.
  void follow(Session& session, const Moment& now, bool shown);
  // Returns whether the window's picture of this moment is a frame.
  bool is_due() const { return due_; }
  void take(Session& session, const Moment& now, Picture picture);
  // Writes the remaining frames as the window closes. Returns the message about it, if there was a
  // video.
  std::optional<Problem> end(Session& session);

  ImVec2 mark{};  // where it says that there is a video

 private:
  Problem outcome(const VideoWriter::Progress& progress) const;
  void wait(Session& session, const std::shared_ptr<const Scene>& scene);

  std::optional<VideoWriter> writer_;
  bool finishing_ = false, due_ = false;
  FramePace pace_;
  std::optional<long long> hold_;       // that the session was told
  std::shared_ptr<const Scene> scene_;  // then
  long taken_ = 0, shown_ = 0;          // frames; of the last that was due, those before it
};

// Starts a video. Arguments: FILE [FPS] [WxH].
void start_video(Editor& editor, const Arguments& arguments);

// The mark in the menu bar while a video is recorded; a click stops the video. It is painted after
// the picture is taken, so that no frame shows it.
void place_video_mark(Editor& editor);
void draw_video_mark(const Editor& editor, ImDrawList& list);

}  // namespace torsor::editor
