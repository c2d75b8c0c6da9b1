#include "editor/console/console.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "editor/probe/probe.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_state.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/scripting/prompt/prompt.hpp"
#include "torsor/study/workers/workers.hpp"

namespace torsor::editor {

namespace {

using namespace std::chrono_literals;
constexpr size_t most_lines = 5000;
constexpr auto service = 3ms;  // maximum time per frame

}  // namespace

// The interface through which chunks read and control the run.
class Console::Live final : public LiveRun {
 public:
  explicit Live(Console& console) : console_(console) { look(); }

  // Reads the current state of the session.
  void look() {
    now_ = console_.session_.now();
    looked_ = false;
  }
  // Releases the previous scene. If the new scene has another file or other plugins, also clears
  // the prompt with all variables that the user defined.
  void follow_scene() {
    look();
    probe_.emplace();
    if (prompt_ && !same_surroundings()) {
      prompt_.reset();
      console_.say(Line::Kind::note,
                   "variables were cleared: another file was opened, or plugins were reloaded");
    }
    if (!prompt_) plugins_.reset();
  }
  Prompt& prompt() {
    if (!prompt_) {
      plugins_ = present_plugins();
      file_ = file();
      ScriptOptions options;
      options.plugins = plugins_.get();
      options.permission = console_.session_.permission();
      options.studies = &studies_;
      prompt_.emplace(options, file_, *this, console_.stop_);
    }
    return *prompt_;
  }
  const SessionState& now() const { return *now_; }

  const Experiment* experiment() override {
    return now_->scene ? &now_->scene->experiment : nullptr;
  }
  std::shared_ptr<const Model> model() override { return probe().state().model_ptr(); }
  std::string solver() override { return now_->solver(); }
  double time() override { return now_->time(); }
  long long step() override { return now_->state.step; }
  bool playing() override { return now_->playing; }
  std::vector<double> joint_values(std::string_view quantity) override;
  void act(const std::string& action, const std::vector<std::string>& arguments) override {
    console_.act(action, arguments);
    look();
  }
  void print(std::string_view text) override {
    console_.say(Line::Kind::output, std::string(text));
  }

 private:
  // Returns a function that prints the progress of a study every two seconds.
  std::function<void(uint64_t)> study_progress(uint64_t rows) {
    using Clock = std::chrono::steady_clock;
    return [this, rows, next = Clock::now()](uint64_t results) mutable {
      if (Clock::now() < next) return;
      next = Clock::now() + 2s;
      console_.say(Line::Kind::note, fmt::format("{} of {} samples", results, rows));
    };
  }
  Probe& probe() {
    if (!std::exchange(looked_, true)) probe_->look_at(now_);
    return *probe_;
  }
  std::shared_ptr<const Registry> present_plugins() const {
    return now_->scene ? now_->scene->experiment.plugins : now_->plugins;
  }
  bool same_surroundings() const {
    return file() == file_ && present_plugins()->sources() == plugins_->sources();
  }
  std::filesystem::path file() const {
    return now_->scene ? now_->scene->file : std::filesystem::path();
  }

  Console& console_;
  std::shared_ptr<const SessionState> now_;
  bool looked_ = false;  // true if the probe has the state
  std::optional<Probe> probe_{std::in_place};
  std::shared_ptr<const Registry> plugins_;  // plugins with which prompt_ was made
  std::filesystem::path file_;               // scene file for which prompt_ was made
  StudyAccess studies_{.folder = "recordings",
                       .jobs = default_jobs(),
                       .progress = [this](uint64_t rows, uint64_t) { return study_progress(rows); },
                       .draw = {}};
  std::optional<Prompt> prompt_;
};

std::vector<double> Console::Live::joint_values(std::string_view quantity) {
  if (quantity == "q") return now_->state.q;
  if (quantity == "v") return now_->state.v;
  const auto known = [](const auto& answer, const std::vector<double>& values) {
    if (!answer.failure.empty()) throw Error(answer.failure);
    return values;
  };
  if (quantity == "vdot") {
    const Answer& vdot = probe().acceleration();
    return known(vdot, vdot.x);
  }
  const JointForces& forces = probe().joint_forces();
  return known(forces, quantity == "tau"        ? forces.torque
                       : quantity == "friction" ? forces.friction
                                                : forces.constraint);
}

Console::Console(const Session& session, std::function<void(const std::string&)> print)
    : session_(session),
      print_(std::move(print)),
      thread_(start_plugin_thread([this] { loop(); })) {}

Console::~Console() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = stop_ = true;
  }
  wake_.notify_all();
  served_.notify_all();
  thread_.join();
}

void Console::run(const std::string& chunk) {
  {
    const std::lock_guard lock(mutex_);
    chunks_.push_back(chunk);
  }
  wake_.notify_all();
}

void Console::complete(const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    to_complete_ = text;
  }
  wake_.notify_all();
}

void Console::stop() {
  {
    const std::lock_guard lock(mutex_);
    chunks_.clear();
    if (!running_) return;
    stop_ = true;
  }
  served_.notify_all();
}

void Console::clear() {
  const std::lock_guard lock(mutex_);
  lines_.clear();
  ++revision_;
}

bool Console::busy() const {
  const std::lock_guard lock(mutex_);
  return running_ || !chunks_.empty();
}

std::vector<Console::Line> Console::lines() const {
  const std::lock_guard lock(mutex_);
  return {lines_.begin(), lines_.end()};
}

std::optional<Console::Completions> Console::take_completions() {
  const std::lock_guard lock(mutex_);
  return std::exchange(completions_, std::nullopt);
}

std::optional<std::string> Console::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, std::nullopt);
}

void Console::say(Line::Kind kind, const std::string& text) {
  const std::lock_guard lock(mutex_);
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines_.push_back({kind, text.substr(begin, end - begin)});
    if (print_ && kind != Line::Kind::input) print_(lines_.back().text);
    begin = end + 1;
  }
  while (lines_.size() > most_lines) lines_.pop_front();
  ++revision_;
}

// --- the window's thread -------------------------------------------------------------------------

// Executes the requested action, then waits a few milliseconds for further ones, so that they are
// executed in the same frame.
void Console::serve(const Action& action) {
  const auto deadline = std::chrono::steady_clock::now() + service;
  const auto scene = session_.now()->scene;
  std::unique_lock lock(mutex_);
  if (scene_ != scene.get()) {
    scene_ = scene.get();
    scene_changed_ = true;
    wake_.notify_all();
  }
  while (asked_ && !asked_->done) {
    const Asked asked = *asked_;
    lock.unlock();
    std::string error;
    try {
      action(asked.name, asked.arguments);
    } catch (const std::exception& failure) {
      error = failure.what();
    }
    lock.lock();
    asked_->error = error;
    asked_->done = true;
    served_.notify_all();
    served_.wait_until(lock, deadline, [this] { return !running_ || (asked_ && !asked_->done); });
  }
}

// --- the console's thread ------------------------------------------------------------------------

namespace {

// Returns the first error in `now` after the problems that `before` already contains.
std::optional<std::string> first_error(const std::vector<Problem>& before,
                                       const std::vector<Problem>& now) {
  for (size_t k = std::min(before.size(), now.size()); k < now.size(); ++k)
    if (now[k].kind == Problem::Kind::error) return now[k].text;
  return std::nullopt;
}

}  // namespace

void Console::require_going() const {
  if (stop_) throw Error("stopped");
}

void Console::act(const std::string& name, const std::vector<std::string>& arguments) {
  require_going();
  const auto before = session_.now()->problems;
  std::string error;
  {
    std::unique_lock lock(mutex_);
    asked_ = Asked{name, arguments};
    served_.notify_all();
    served_.wait(lock, [this] { return asked_->done || quit_; });
    error = asked_->error;
    asked_.reset();
  }
  if (!error.empty()) throw Error(error);
  while (!session_.idle()) {
    require_going();
    std::this_thread::sleep_for(200us);
  }
  if (const auto failed = first_error(*before, *session_.now()->problems)) throw Error(*failed);
}

void Console::run_chunk(const std::string& chunk) {
  say(Line::Kind::input, chunk);
  try {
    live_->look();
    live_->prompt().run(chunk);
  } catch (const std::exception& error) {
    say(Line::Kind::error, error.what());
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = error.what();
  }
  const std::lock_guard lock(mutex_);
  running_ = false;
  served_.notify_all();
}

void Console::loop() {
  live_ = std::make_unique<Live>(*this);
  for (;;) {
    std::optional<std::string> chunk, text;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock,
                 [this] { return quit_ || scene_changed_ || to_complete_ || !chunks_.empty(); });
      if (quit_) break;
      if (std::exchange(scene_changed_, false)) {
        lock.unlock();
        live_->follow_scene();
        continue;
      }
      text = std::exchange(to_complete_, std::nullopt);
      if (!text) {
        chunk = std::move(chunks_.front());
        chunks_.pop_front();
        running_ = true;
      }
      stop_ = false;
    }
    if (chunk) {
      run_chunk(*chunk);
      continue;
    }
    live_->look();
    Completions found{*text, live_->prompt().completions(*text)};
    const std::lock_guard lock(mutex_);
    completions_ = std::move(found);
  }
  live_.reset();  // destroyed in this thread, where plugin calls are guarded
}

}  // namespace torsor::editor
