#include "editor/session/session.hpp"

#include "editor/session/session_options.hpp"
#include "editor/session/worker.hpp"
#include "torsor/cli/options/settings.hpp"
#include "torsor/cli/study/study_sample.hpp"

namespace torsor::editor {

Session::Session(Registry plugins, SessionOptions options)
    : options_(std::make_unique<SessionOptions>(options)),
      worker_(std::make_unique<Worker>(std::move(plugins), std::move(options), SessionState())) {}
Session::~Session() = default;

std::shared_ptr<const SessionState> Session::now() const {
  const std::shared_lock lock(opening_);
  return worker_->now();
}
bool Session::idle() const {
  const std::shared_lock lock(opening_);
  return worker_->idle();
}

const std::map<std::string, std::filesystem::path>& Session::packages() const {
  return options_->packages;
}
Permission Session::permission() const {
  return options_->permission();
}

std::string Session::hanging_call() {
  using namespace std::chrono_literals;
  const std::shared_lock lock(opening_);
  if (worker_->silence() < 5s) return hanging_call_ = "";
  if (const auto now = std::chrono::steady_clock::now(); now >= next_question_) {
    next_question_ = now + 1s;
    hanging_call_ = worker_->call_under_way();
  }
  return hanging_call_;
}

void Session::post(Command command) {
  worker_->post(std::move(command));
}
void Session::open(std::filesystem::path file, bool floating_base,
                   std::shared_ptr<const cli::StudySample> sample) {
  Overrides overrides = sample ? cli::read_settings(sample->settings) : Overrides();
  const std::shared_ptr<const SessionState> last = now();
  const std::unique_lock lock(opening_);
  worker_.reset();  // first, because the old worker may hold the journal of this file
  worker_ = std::make_unique<Worker>(*last->plugins,
                                     SessionOptions{.file = std::move(file),
                                                    .overrides = std::move(overrides),
                                                    .journal_folder = options_->journal_folder,
                                                    .model = {},
                                                    .floating_base = floating_base,
                                                    .packages = options_->packages,
                                                    .allow_plugins = options_->allow_plugins,
                                                    .trust = options_->trust,
                                                    .sample = std::move(sample)},
                                     *last);
}
void Session::stop() {
  worker_->request_stop();
}

}  // namespace torsor::editor
