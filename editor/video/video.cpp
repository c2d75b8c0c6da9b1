#include "editor/video/video.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "editor/app/editor.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_state.hpp"
#include "editor/support/unused_name.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/base/error.hpp"

namespace torsor::editor {

void Video::start(Session& session, const VideoFormat& format) {
  if (writer_)
    throw Error(fmt::format("a video is still being {} to '{}': stop it first",
                            finishing_ ? "written" : "recorded", writer_->target().string()));
  writer_.emplace(format);
  finishing_ = due_ = false;
  pace_ = FramePace(format.fps);
  hold_.reset();
  taken_ = shown_ = 0;
  if (!writer_->has_ffmpeg())
    session.post(command::Report{
        {Problem::Kind::warning,
         fmt::format(
             "ffmpeg is not installed: the frames of the video are saved as pictures in the folder "
             "'{}'; install it with: apt-get install ffmpeg",
             writer_->target().string())}});
}

void Video::stop(Session& session) {
  if (!writer_) throw Error("no video is being recorded");
  if (finishing_) return writer_->give_up();
  finishing_ = true;
  due_ = false;
  writer_->finish();
  session.post(command::HoldAt{std::nullopt});
}

bool Video::takes_frames(const SessionState& now) const {
  return is_recording() && now.playing && !now.seeking;
}

double Video::seconds() const {
  return writer_ ? double(shown_) / writer_->format().fps : 0;
}

std::string Video::text() const {
  if (!writer_) return "";
  const double recorded = double(taken_) / writer_->format().fps;
  return fmt::format("{} {:.1f} s", finishing_ ? "writing" : "REC", recorded);
}

void Video::follow(Session& session, const SessionState& now, bool shown) {
  due_ = false;
  if (!writer_) return;
  const VideoWriter::Progress progress = writer_->progress();
  if (progress.ended) {
    session.post(command::Report{outcome(progress)});
    if (!finishing_) session.post(command::HoldAt{std::nullopt});
    writer_.reset();
    return;
  }
  if (finishing_) return;
  due_ = pace_.follow(now);
  if (due_) shown_ = taken_;
  due_ = due_ && shown && !writer_->full();
  if (now.scene && (pace_.hold() != hold_ || now.scene != scene_)) wait(session, now.scene);
}

void Video::take(Session& session, const SessionState& now, Picture picture) {
  const int times = pace_.take(now);
  taken_ += times;
  due_ = false;
  writer_->put(std::move(picture), times);
  wait(session, now.scene);
}

// Makes the run wait at the step of the next frame.
void Video::wait(Session& session, const std::shared_ptr<const Scene>& scene) {
  hold_ = pace_.hold();
  scene_ = scene;
  session.post(command::HoldAt{hold_});
}

Problem Video::outcome(const VideoWriter::Progress& progress) const {
  const std::string target = writer_->target().string();
  const double seconds = double(progress.frames) / writer_->format().fps;
  if (!progress.failure.empty())
    return {Problem::Kind::error, fmt::format("{}: the video ended after {:.2f} s: {}", target,
                                              seconds, progress.failure)};
  if (progress.frames == 0)
    return {Problem::Kind::warning,
            fmt::format("{}: no video was saved, because nothing was played", target)};
  return {Problem::Kind::note,
          fmt::format("{}: video saved, {:.2f} s, {} frames", target, seconds, progress.frames)};
}

std::optional<Problem> Video::end(Session& session) {
  if (!writer_) return std::nullopt;
  if (!finishing_) stop(session);
  writer_->wait_for_end();
  const Problem said = outcome(writer_->progress());
  writer_.reset();
  return said;
}

namespace {

constexpr int least = 16, most = 8192;  // width and height of a video, in pixels

void read_video_size(const std::string& text, VideoFormat& format) {
  char more = 0;
  const auto fits = [](int length) { return length >= least && length <= most && length % 2 == 0; };
  if (std::sscanf(text.c_str(), "%dx%d%c", &format.width, &format.height, &more) != 2 ||
      !fits(format.width) || !fits(format.height))
    throw Error(
        fmt::format("WxH is '{}'; it must be even numbers of pixels from {} to {}, as in 1280x720",
                    text, least, most));
}

}  // namespace

void start_video(Editor& editor, const Arguments& arguments) {
  VideoFormat format;
  // Without ffmpeg, the frames go to a folder with this name and no extension. That name must be
  // free, too.
  const std::filesystem::path file =
      arguments.size() > 0 ? arguments.text(0, "FILE") : "torsor.mp4";
  format.file = editor.attended || arguments.size() == 0 ? unused_name(file, {""}) : file;
  if (arguments.size() > 1) format.fps = arguments.number(1, "FPS");
  if (!(format.fps >= 1 && format.fps <= 240))
    throw Error(fmt::format("FPS is {:g}; it must be from 1 to 240", format.fps));
  const ImGuiIO& io = ImGui::GetIO();
  format.width = int(io.DisplaySize.x * io.DisplayFramebufferScale.x) / 2 * 2;
  format.height = int(io.DisplaySize.y * io.DisplayFramebufferScale.y) / 2 * 2;
  if (arguments.size() > 2) read_video_size(arguments.text(2, "WxH"), format);
  if (std::min(format.width, format.height) < least)
    throw Error("the window is too small for a video");
  editor.video.start(editor.session, format);
}

void place_video_mark(Editor& editor) {
  Video& video = editor.video;
  const std::string text = video.text();
  if (text.empty()) return;
  const float height = ImGui::GetFrameHeight();
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + scaled(14));
  video.mark = ImGui::GetCursorScreenPos();
  if (ImGui::InvisibleButton("video",
                             {height * 0.8f + ImGui::CalcTextSize(text.c_str()).x, height}))
    try_action(editor, "video.stop");
  action_tooltip("video.stop");
}

// Draws a disc while frames are taken, and a ring otherwise, for example while the run is paused.
void draw_video_mark(const Editor& editor, ImDrawList& list) {
  const Video& video = editor.video;
  const std::string text = video.text();
  if (text.empty()) return;
  const float height = ImGui::GetFrameHeight(), radius = height * 0.22f;
  const ImVec2 center{video.mark.x + height * 0.35f, video.mark.y + height / 2};
  const ImU32 red = color_u32(Shade::error);
  if (video.takes_frames(*editor.now))
    list.AddCircleFilled(center, radius, red);
  else
    list.AddCircle(center, radius, red, 0, scaled(1.5f));
  list.AddText({video.mark.x + height * 0.8f, center.y - ImGui::GetFontSize() / 2},
               ImGui::GetColorU32(ImGuiCol_Text), text.c_str());
}

}  // namespace torsor::editor
