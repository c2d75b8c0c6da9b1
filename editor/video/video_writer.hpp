#pragma once
// Writes a video on its own thread. Its queue is short. The caller must wait while it is full.

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
  ~VideoWriter();  // finishes as wait_for_end() does
  VideoWriter(const VideoWriter&) = delete;

  const VideoFormat& format() const { return format_; }
  const std::filesystem::path& target() const { return video_.target; }
  bool has_ffmpeg() const { return video_.has_ffmpeg; }

  bool full() const;
  void put(Picture picture, int times);  // adds this number of equal frames
  void finish();                         // no more frames follow
  void give_up();                        // discards frames that are not yet written
  struct Progress {
    long frames = 0;  // frames written
    bool ended = false;
    std::string failure;  // reason why writing has ended early, or ""
  };
  Progress progress() const;
  void wait_for_end();  // discards frames after 20 s

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
