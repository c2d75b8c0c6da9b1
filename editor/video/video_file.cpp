#include "editor/video/video_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "editor/support/process.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/memory_file.hpp"

namespace torsor::editor {

namespace {

using Words = std::vector<std::string>;

struct Ending {
  const char* name;
  Words encoder;
};

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Returns the extensions of video files, with the options that make ffmpeg encode them. Each second
// begins with a key frame, so players can seek to it. A file in fragments remains valid if ffmpeg
// is killed or the disk is full. The colour space is stated, because players otherwise assume that
// of old television.
const std::vector<Ending>& endings() {
  static const Words common{"-vf",
                            "scale=out_color_matrix=bt709",
                            "-pix_fmt",
                            "yuv420p",
                            "-colorspace",
                            "bt709",
                            "-color_primaries",
                            "bt709",
                            "-color_trc",
                            "bt709",
                            "-force_key_frames",
                            "expr:gte(t,n_forced)"};
  static const Words h264 =
      common + Words{"-c:v", "h264", "-preset", "veryfast", "-tune", "zerolatency", "-crf", "18"};
  static const Words fragments{"-movflags", "+frag_keyframe+empty_moov+default_base_moof"};
  static const Words vp9{"-c:v", "vp9",  "-deadline", "realtime", "-cpu-used",
                         "6",    "-crf", "30",        "-b:v",     "0"};
  static const Words palette{
      "-filter_complex", "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1"};
  static const std::vector<Ending> all{
      {".mp4", h264 + fragments}, {".mov", h264 + fragments}, {".mkv", h264},
      {".webm", common + vp9},    {".gif", palette},          {".png", {}}};
  return all;
}

const Ending& ending_of(const std::filesystem::path& file) {
  std::string text = file.extension().string(), known;
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  for (const Ending& ending : endings()) {
    if (text == ending.name) return ending;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", ending.name);
  }
  throw Error(
      fmt::format("'{}': the name of a video must end in one of {} (a picture for each frame)",
                  file.string(), known));
}

// A video file that ffmpeg writes. Messages of ffmpeg go to a file in memory, because a full pipe
// would block ffmpeg.
class Ffmpeg : public VideoFile {
 public:
  Ffmpeg(const VideoFormat& format, const Ending& ending, const std::atomic<bool>& given_up)
      : given_up_(given_up), words_(open_memory_file("ffmpeg", MemoryFile::data)) {
    const Pipe pipe;
    frames_ = pipe.write;
    fcntl(frames_, F_SETFL, O_NONBLOCK);
    const Words input{"ffmpeg",
                      "-hide_banner",
                      "-nostdin",
                      "-loglevel",
                      "error",
                      "-y",
                      "-f",
                      "rawvideo",
                      "-pixel_format",
                      "rgb24",
                      "-video_size",
                      fmt::format("{}x{}", format.width, format.height),
                      "-framerate",
                      fmt::format("{}", format.fps),
                      "-i",
                      "pipe:0",
                      "-an"};
    const Words output{"file:" + std::filesystem::absolute(format.file).string()};
    process_ = start_process(input + ending.encoder + output,
                             {.in = pipe.read, .out = words_, .err = words_});
    ::close(pipe.read);
  }
  ~Ffmpeg() override {
    end_frames();
    if (process_) end_process(SIGKILL);
    if (words_ >= 0) ::close(words_);
  }

  bool is_there() const { return process_.has_value(); }

  void write(const Picture& frame) override {
    size_t at = 0;
    while (at < frame.rgb.size()) {
      pollfd ready{frames_, POLLOUT, 0};
      if (poll(&ready, 1, 100) < 0 && errno != EINTR) fail(std::strerror(errno));
      if (given_up_) fail("it was cancelled");
      const ssize_t n = ::write(frames_, frame.rgb.data() + at, frame.rgb.size() - at);
      if (n > 0) at += size_t(n);
      if (n < 0 && errno != EAGAIN && errno != EINTR) fail("it ended too early");
    }
  }

  void close() override {
    end_frames();
    if (const std::string failure = end_process(0); !failure.empty()) throw Error(failure);
  }

  void discard() override {
    kill(*process_, SIGKILL);
    end_frames();
    end_process(0);
  }

 private:
  [[noreturn]] void fail(const std::string& otherwise) {
    end_frames();
    const std::string said = end_process(0);
    throw Error(said.empty() ? "ffmpeg: " + otherwise : said);
  }

  void end_frames() {
    if (frames_ >= 0) ::close(frames_);
    frames_ = -1;
  }

  // Sends a signal to ffmpeg unless it is 0, then waits until ffmpeg ends. Kills ffmpeg if
  // given_up_ is set. Returns an error message, or "".
  std::string end_process(int signal) {
    using namespace std::chrono_literals;
    int status = 0;
    if (signal) kill(*process_, signal);
    while (waitpid(*process_, &status, WNOHANG) == 0) {
      if (given_up_) kill(*process_, SIGKILL);
      std::this_thread::sleep_for(5ms);
    }
    process_.reset();
    if (given_up_) return "ffmpeg did not end and was killed";
    if (WIFSIGNALED(status))
      return fmt::format("ffmpeg was killed: {}", strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) == 0) return "";
    return fmt::format("ffmpeg: {}", first_word(status));
  }

  // Returns the first line of ffmpeg's messages without a prefix such as "[libx264 @ 0x55...] ".
  std::string first_word(int status) const {
    char text[1024];
    const ssize_t n = pread(words_, text, sizeof text, 0);
    std::string line(text, size_t(std::max<ssize_t>(n, 0)));
    line = line.substr(0, line.find('\n'));
    if (line.starts_with('[') && line.find("] ") != std::string::npos)
      line = line.substr(line.find("] ") + 2);
    return line.empty() ? fmt::format("it ended with status {}", WEXITSTATUS(status)) : line;
  }

  const std::atomic<bool>& given_up_;
  int words_, frames_ = -1;
  std::optional<pid_t> process_;
};

class Pictures : public VideoFile {
 public:
  explicit Pictures(std::filesystem::path folder) : folder_(std::move(folder)) {
    std::error_code failure;
    if (std::filesystem::exists(folder_) && !std::filesystem::is_empty(folder_, failure))
      throw Error(
          fmt::format("'{}' is not empty: the pictures of a video need a new or empty folder",
                      folder_.string()));
    created_ = std::filesystem::create_directories(folder_, failure);
    if (!std::filesystem::is_directory(folder_))
      throw Error(fmt::format("the folder '{}' cannot be created", folder_.string()));
  }
  void write(const Picture& frame) override {
    write_png(folder_ / fmt::format("{:06}.png", ++frames_), frame);
  }
  void close() override {}
  void discard() override {
    std::error_code ignored;
    if (created_) std::filesystem::remove(folder_, ignored);
  }

 private:
  std::filesystem::path folder_;
  bool created_ = false;  // false: the folder existed before
  long frames_ = 0;
};

}  // namespace

OpenedVideo open_video(const VideoFormat& format, const std::atomic<bool>& given_up) {
  const Ending& ending = ending_of(format.file);
  const std::filesystem::path folder = std::filesystem::path(format.file).replace_extension();
  if (ending.encoder.empty()) return {folder, true, std::make_unique<Pictures>(folder)};
  std::error_code failure;
  if (format.file.has_parent_path())
    std::filesystem::create_directories(format.file.parent_path(), failure);
  if (failure)
    throw Error(
        fmt::format("the folder '{}' cannot be created", format.file.parent_path().string()));
  auto ffmpeg = std::make_unique<Ffmpeg>(format, ending, given_up);
  if (!ffmpeg->is_there()) return {folder, false, std::make_unique<Pictures>(folder)};
  return {format.file, true, std::move(ffmpeg)};
}

}  // namespace torsor::editor
