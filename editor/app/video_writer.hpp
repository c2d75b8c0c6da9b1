#pragma once
// Writes a video on a thread of its own. Its queue is short: the caller waits while it is full.

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "editor/app/video_file.hpp"

namespace torsor::editor {

class VideoWriter {
 public:
  // Throws Error as open_video().
  explicit VideoWriter(const VideoFormat& format);
  ~VideoWriter();  // finishes, as wait_for_end() does
  VideoWriter(const VideoWriter&) = delete;

  const VideoFormat& format() const { return format_; }
  const std::filesystem::path& target() const { return video_.target; }
  bool has_ffmpeg() const { return video_.has_ffmpeg; }

  bool full() const;
  void put(Picture picture, int times);  // so many frames of it
  void finish();                         // there are no more
  void give_up();                        // what is not written yet
  struct Progress {
    long frames = 0;  // written
    bool ended = false;
    std::string failure;  // why there are no more, or ""
  };
  Progress progress() const;
  void wait_for_end();  // gives up what takes more than 20 s

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
