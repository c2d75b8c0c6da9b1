#pragma once
// Output of the frames of a video: a pipe to an ffmpeg process, or a folder with one PNG file per
// frame.

#include <atomic>
#include <filesystem>
#include <memory>

#include "editor/video/picture.hpp"

namespace torsor::editor {

struct VideoFormat {
  // The extension selects the format. For .png, the frames go to a folder with this name without
  // the extension.
  std::filesystem::path file;
  double fps = 30;
  int width = 0, height = 0;  // even, as H.264 requires
};

class VideoFile {
 public:
  virtual ~VideoFile() = default;
  // All functions throw Error if they fail. Every frame must have the size of the format.
  virtual void write(const Picture& frame) = 0;
  virtual void close() = 0;  // completes the video
  // Ends a video without frames. Removes the folder of the frames if open_video() has created it.
  virtual void discard() = 0;
};

struct OpenedVideo {
  std::filesystem::path target;  // the file or the folder
  // False if ffmpeg is missing; the frames then go to a folder.
  bool has_ffmpeg;
  std::unique_ptr<VideoFile> file;
};

// Starts a video and creates its folder. Another thread can set given_up to end a wait for ffmpeg.
// Throws Error for an unknown extension, for a folder that cannot be created, and for a frame
// folder that is not empty.
OpenedVideo open_video(const VideoFormat& format, const std::atomic<bool>& given_up);

}  // namespace torsor::editor
