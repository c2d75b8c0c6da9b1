#pragma once
// Writes a video on its own thread. The queue of frames is short: put() must not be called while
// full().

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "editor/video/video_file.hpp"

namespace torsor::editor {

class VideoWriter {
 public:
  // Throws the errors of open_video().
  explicit VideoWriter(const VideoFormat& format);
  ~VideoWriter();  // calls finish() and wait_for_end()
  VideoWriter(const VideoWriter&) = delete;

  const VideoFormat& format() const { return format_; }
  const std::filesystem::path& target() const { return video_.target; }
  bool has_ffmpeg() const { return video_.has_ffmpeg; }

  bool full() const;
  void put(Picture picture, int times);  // adds the picture as this number of frames
  void finish();                         // announces that no more frames follow
  void give_up();                        // discards frames that are not yet written
  struct Progress {
    long frames = 0;  // frames written
    bool ended = false;
    std::string failure;  // reason why writing has ended early, or ""
  };
  Progress progress() const;
  // Waits until the video is written. After 20 s, discards the frames that are not yet written.
  void wait_for_end();

 private:
  struct Entry {
    Picture picture;
    int times;
  };

  void loop();
  std::optional<Entry> next();
  void write(Entry entry);

  const VideoFormat format_;
  std::atomic<bool> given_up_ = false;
  OpenedVideo video_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> queue_;
  bool finished_ = false;
  Progress progress_;
  std::thread thread_;
};

}  // namespace torsor::editor
