#pragma once
// A video of the window, as it is recorded.

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
  // Throws Error where one is under way, and as VideoWriter.
  void start(Session& session, const VideoFormat& format);
  // Ends it; what was taken is still to be written, which the second time gives up.
  void stop(Session& session);
  bool films() const { return writer_ && !finishing_; }
  bool finishing() const { return writer_ && finishing_; }
  // Frames are taken of the run as it plays: time passes as it does in the video.
  bool paces(const Moment& now) const { return films() && now.playing && !now.going; }
  double seconds() const;    // of the video, at the picture that the window shows
  std::string text() const;  // "REC 3.2 s"

  // At the start of a frame of the window, of the moment that it shows; reports what has been written. shown: all of the moment is
  // there to be drawn.
  void follow(Session& session, const Moment& now, bool shown);
  // Whether the window's picture of this moment is a frame.
  bool is_due() const { return due_; }
  void take(Session& session, const Moment& now, Picture picture);
  // As the window closes: waits for what was taken, and returns what is to be said of it, or nothing.
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

// FILE [FPS] [WxH]
void start_video(Editor& editor, const Arguments& arguments);

// Where it says in the menu bar that there is a video, which a click ends. It is drawn over the window's picture when that has been
// taken, so that it is on no frame.
void place_video_mark(Editor& editor);
void draw_video_mark(const Editor& editor, ImDrawList& list);

}  // namespace torsor::editor
