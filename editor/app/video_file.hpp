#pragma once
// Where the frames of a video go: to ffmpeg, a process of its own, by a pipe; or to a folder, one PNG each.

#include <atomic>
#include <filesystem>
#include <memory>

#include "editor/app/picture.hpp"

namespace torsor::editor {

struct VideoFormat {
  std::filesystem::path file;  // its ending says what it is; .png: a folder of that name without the ending
  double fps = 30;
  int width = 0, height = 0;  // even, as H.264 has it
};

class VideoFile {
 public:
  virtual ~VideoFile() = default;
  // All throw Error. A frame has the size of the format.
  virtual void write(const Picture& frame) = 0;
  virtual void close() = 0;    // what was written is whole then
  virtual void discard() = 0;  // nothing was written: leaves no file
};

struct OpenedVideo {
  std::filesystem::path target;  // the file or the folder
  bool has_ffmpeg;               // else the frames go to a folder, for want of it
  std::unique_ptr<VideoFile> file;
};

// Begins a video; its folder is made where it is missing. given_up, set by another thread, ends what waits for ffmpeg.
// Throws Error for an ending that it does not know, a folder that cannot be made or that has files where frames are to go.
OpenedVideo open_video(const VideoFormat& format, const std::atomic<bool>& given_up);

}  // namespace torsor::editor
