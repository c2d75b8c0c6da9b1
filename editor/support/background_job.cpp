#include "editor/support/background_job.hpp"

namespace torsor::editor {

void BackgroundJob::start(std::function<void()> work) {
  busy_ = true;
  thread_ = start_plugin_thread([this, work = std::move(work)] {
    constexpr int rests = 3;
    constexpr std::chrono::milliseconds least_rest(30);
    const auto begin = Clock::now();
    work();
    const auto end = Clock::now();
    next_ = end + std::max<Clock::duration>(rests * (end - begin), least_rest);
    busy_ = false;
  });
}

bool BackgroundJob::rested() const {
  return !busy_ && Clock::now() >= next_;
}

}  // namespace torsor::editor
