#pragma once
// Outputs for the frames of a video: a pipe to an ffmpeg process, or a folder with one PNG file per
// frame.

#include <atomic>
#include <filesystem>
#include <memory>

#include "editor/app/picture.hpp"

namespace torsor::editor {

struct VideoFormat {
  // Its ending says what it is; .png: a folder of that name without the ending.
  std::filesystem::path file;
  double fps = 30;
  int width = 0, height = 0;  // even, as H.264 has it
};

class VideoFile {
 public:
  virtual ~VideoFile() = default;
  // All functions throw Error. A frame has the size of the format.
  virtual void write(const Picture& frame) = 0;
  virtual void close() = 0;    // what was written is whole then
  virtual void discard() = 0;  // nothing was written: leaves no file
};

struct OpenedVideo {
  std::filesystem::path target;  // the file or the folder
  bool has_ffmpeg;               // else the frames go to a folder, for want of it
  std::unique_ptr<VideoFile> file;
};

// Starts a video and creates its folder. given_up, set by another thread, ends a wait for ffmpeg.
// Throws Error for an unknown extension, a folder that cannot be created, and a folder of frames
// that is not empty.
OpenedVideo open_video(const VideoFormat& format, const std::atomic<bool>& given_up);

}  // namespace torsor::editor
