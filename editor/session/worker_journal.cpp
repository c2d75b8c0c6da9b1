// Reads and writes the journal of a session, which outlives the window.

#include <fmt/format.h>

#include "editor/session/viewed_recording.hpp"
#include "editor/session/worker.hpp"
#include "torsor/recording/recording.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"

namespace torsor::editor {

using namespace std::chrono_literals;

void Session::Worker::open_journal() {
  if (options_.journal_folder.empty() || is_recording(options_.file)) return;
  try {
    journal_.emplace(options_.journal_folder, options_.file);
  } catch (const Error& error) {
    report({Problem::Kind::warning, error.what()});
  }
  if (!journal_ || journal_->held()) return;
  journal_.reset();
  report({Problem::Kind::note,
          fmt::format(
              "{}: another window has this scene open: the edits of this window cannot be kept for "
              "the next time",
              options_.file.string())});
}

void Session::Worker::restore() {
  if (!journal_) return;
  std::optional<Journal> journal;
  try {
    journal = journal_->take();
  } catch (const Error& error) {
    report({Problem::Kind::warning, error.what()});
  }
  if (!journal) return;
  const UnsavedWork work{int(journal->changes.size()),
                         journal->forks.empty() ? 0 : int(journal->forks.size()) - 1,
                         int(journal->snapshots.size())};
  if (journal->scene != loaded_) {
    journal_->leave_aside();
    report(
        {Problem::Kind::warning,
         fmt::format(
             "{}: the scene or its parameters have changed since the last session: its work ({}) "
             "is not restored; it is in '{}'",
             options_.file.string(), text(work), journal_->aside().string())});
    return;
  }
  if (!guard([&] { begin_at(std::move(journal->start)); })) return journal_->leave_aside();
  restore_kept(*journal);
  limit_ = std::max(limit_, journal->limit);
  remake({journal->changes.begin(), journal->changes.end()}, journal->step, journal->end);
  report({Problem::Kind::note, fmt::format("{}: restored from the last session: {}",
                                           options_.file.string(), text(work))});
}

// Makes the run start at a state that was saved when plugins were rebuilt. Does nothing if state is
// empty.
void Session::Worker::begin_at(std::vector<std::byte> state) {
  if (state.empty()) return;
  auto scene = std::make_shared<Scene>(*scene_);
  scene->experiment.state = std::move(state);
  auto player = std::make_unique<Player>(scene->experiment);
  install_scene(std::move(scene), std::move(player));
}

// Writes the journal if it is due, at most every 0.5 s. Does not write it while the run computes up
// to a step, for example while edits are being restored.
void Session::Worker::keep_journal() {
  if (!journal_ || !scene_ || goal_) return;
  if (playing_) journal_due_ = true;
  if (!journal_due_ || Clock::now() < next_journal_) return;
  journal_due_ = false;
  next_journal_ = Clock::now() + 500ms;
  if (!guard([this] { write_journal(); })) journal_.reset();
}

void Session::Worker::write_journal() {
  journal_->write({loaded_, timeline_->changes(), present(), timeline_->end(), limit_,
                   scene_->experiment.state, journal_of(forks_), journal_of(snapshots_), fork_});
}

void Session::Worker::execute(const command::KeepWork&) {
  need_scene();
  if (!journal_)
    throw Error("the work of this window cannot be kept: there is no journal; save a recording");
  if (journal_->restoring()) return;  // the old journal remains
  require_idle();
  write_journal();
  journal_->keep();
}

std::vector<JournalRun> Session::Worker::journal_of(const std::vector<Kept>& all) const {
  std::vector<JournalRun> out;
  for (const Kept& each : all)
    out.push_back({each.run.name, each.is_made ? each.run.timeline.changes() : each.changes,
                   each.run.step, each.run.end, std::max(each.limit, each.run.end)});
  return out;
}

void Session::Worker::restore_kept(const Journal& journal) {
  const auto unmade = [&](const std::vector<JournalRun>& runs) {
    std::vector<Kept> out;
    for (const auto& [name, changes, step, end, limit] : runs)
      out.push_back({.run = {name, Timeline(start_), step, end},
                     .changes = changes,
                     .is_made = false,
                     .limit = limit});
    return out;
  };
  if (!journal.forks.empty()) {
    forks_ = unmade(journal.forks);
    fork_ = journal.fork;
    forks_[fork_].is_made = true;
  }
  snapshots_ = unmade(journal.snapshots);
  publish_kept();
}

}  // namespace torsor::editor
