#include "editor/video/video_writer.hpp"

#include <csignal>
#include <utility>

#include "torsor/base/error.hpp"

namespace torsor::editor {

namespace {

constexpr size_t most_waiting = 3;
constexpr std::chrono::seconds patience(20);

// Blocks SIGPIPE in this thread. Writing to a program that has ended then returns an error.
void ignore_broken_pipes() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

VideoWriter::VideoWriter(const VideoFormat& format)
    : format_(format), video_(open_video(format, given_up_)), thread_([this] { loop(); }) {}

VideoWriter::~VideoWriter() {
  finish();
  wait_for_end();
  thread_.join();
}

bool VideoWriter::full() const {
  const std::lock_guard lock(mutex_);
  return queue_.size() >= most_waiting;
}

void VideoWriter::put(Picture picture, int times) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back({std::move(picture), times});
  }
  changed_.notify_all();
}

void VideoWriter::finish() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  changed_.notify_all();
}

void VideoWriter::give_up() {
  given_up_ = true;
}

VideoWriter::Progress VideoWriter::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

void VideoWriter::wait_for_end() {
  const auto ended = [this] { return progress_.ended; };
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, patience, ended)) return;
  given_up_ = true;
  changed_.wait(lock, ended);
}

std::optional<VideoWriter::Entry> VideoWriter::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return finished_ || !queue_.empty(); });
  if (queue_.empty()) return std::nullopt;
  Entry entry = std::move(queue_.front());
  queue_.pop_front();
  return entry;
}

void VideoWriter::write(Entry entry) {
  const Picture frame = fitted(std::move(entry.picture), format_.width, format_.height);
  for (int k = 0; k < entry.times; ++k) {
    if (given_up_) throw Error("it was cancelled");
    video_.file->write(frame);
    const std::lock_guard lock(mutex_);
    ++progress_.frames;
  }
}

void VideoWriter::loop() {
  ignore_broken_pipes();
  std::string failure;
  try {
    while (std::optional<Entry> entry = next()) write(*std::move(entry));
    progress().frames > 0 ? video_.file->close() : video_.file->discard();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  const std::lock_guard lock(mutex_);
  progress_.ended = true;
  progress_.failure = std::move(failure);
  changed_.notify_all();
}

}  // namespace torsor::editor
