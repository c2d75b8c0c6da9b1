#include "editor/session/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "editor/edits/changes_json.hpp"
#include "editor/session/session_options.hpp"
#include "editor/support/json_words.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/hash.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/json_text.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/cli/study/study_sample.hpp"
#include "torsor/run/describe.hpp"
#include "torsor/scripting/study/study_settings.hpp"

namespace torsor::editor {

namespace {

namespace fs = std::filesystem;

// Returns a canonical path, so that different spellings of a path agree.
std::string whole(const fs::path& file) {
  std::error_code failed;
  const fs::path whole = fs::weakly_canonical(file, failed);
  return failed ? file.string() : whole.string();
}

void check_steps(const std::vector<Change>& changes, long long step, long long end,
                 long long limit) {
  for (size_t k = 0; k < changes.size(); ++k)
    if (changes[k].step < 0 || (k > 0 && changes[k].step < changes[k - 1].step))
      throw Error("its changes are out of order");
  const long long last = changes.empty() ? 0 : changes.back().step;
  if (step < 0 || end < step || end < last || limit < end)
    throw Error("its steps are out of order");
}

std::vector<JournalRun> as_runs(const nlohmann::json& json) {
  std::vector<JournalRun> out;
  for (const auto& run : json) {
    out.push_back({run.at("name"), changes_of(run.at("changes")), run.at("step"), run.at("end"),
                   run.at("limit")});
    check_steps(out.back().changes, out.back().step, out.back().end, out.back().limit);
  }
  return out;
}

}  // namespace

fs::path journal_file(const fs::path& folder, const fs::path& scene) {
  Hash hash;
  hash.add(whole(scene));
  return folder / fmt::format("{}-{:016x}.json", scene.stem().string().substr(0, 40), hash.value());
}

std::string hash_of(const std::vector<fs::path>& files, const SessionOptions& options) {
  Hash hash;
  for (const fs::path& file : files) {
    hash.add(whole(file));
    if (why_unreadable(file, InputKind::plugin).empty())  // the kind with the largest size limit
      hash.add(read_file(file, InputKind::plugin, ""));
  }
  for (const auto& [name, value] : options.overrides) hash.add(name + "=" + value + "\n");
  if (options.sample)
    for (const auto& [name, value] : study_settings(options.sample->run))
      hash.add(name + "=" + value + "\n");
  hash.add(options.floating_base);
  return fmt::format("{:016x}", hash.value());
}

void write_journal(const fs::path& file, const Journal& journal) {
  const auto by_id_alone = [](const std::string& id) { return SolverIdentity{id, "", ""}; };
  nlohmann::ordered_json json{{"scene", journal.scene},
                              {"step", journal.step},
                              {"end", journal.end},
                              {"limit", journal.limit},
                              {"changes", describe(journal.changes, by_id_alone)}};
  const auto add = [&](const char* key, const std::vector<JournalRun>& runs) {
    for (const JournalRun& run : runs)
      json[key].push_back({{"name", run.name},
                           {"changes", describe(run.changes, by_id_alone)},
                           {"step", run.step},
                           {"end", run.end},
                           {"limit", run.limit}});
  };
  add("forks", journal.forks);
  add("snapshots", journal.snapshots);
  json["fork"] = journal.fork;
  for (const std::byte byte : journal.start) json["start"].push_back(unsigned(byte));
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  write_file(file, json.dump() + "\n");
}

std::optional<Journal> read_journal(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::nullopt;
  try {
    const auto json = parse_json(
        read_file(file, InputKind::settings, "delete the file; the window makes a new one"),
        file.string());
    Journal out{json.at("scene"), {}, json.at("step"), json.at("end"), json.at("limit")};
    for (const uint8_t byte : json.value("start", std::vector<uint8_t>()))
      out.start.push_back(std::byte(byte));
    out.changes = changes_of(json.at("changes"));
    check_steps(out.changes, out.step, out.end, out.limit);
    out.forks = as_runs(json.value("forks", nlohmann::json::array()));
    out.snapshots = as_runs(json.value("snapshots", nlohmann::json::array()));
    out.fork = json.value("fork", size_t(0));
    if (out.fork >= std::max<size_t>(out.forks.size(), 1)) throw Error("its runs are out of order");
    return out;
  } catch (const std::exception& error) {
    throw Error(fmt::format("{}: the work of the last session cannot be read: {}", file.string(),
                            in_words(error)));
  }
}

JournalKeeper::JournalKeeper(const fs::path& folder, const fs::path& scene)
    : file_(journal_file(folder, scene)), aside_(file_.string() + ".old") {
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  const std::string lock = file_.string() + ".lock";
  lock_ = open(lock.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (lock_ < 0)
    throw Error(fmt::format("'{}' cannot be written ({}): edits are lost if the window is killed",
                            lock, std::strerror(errno)));
  held_ = flock(lock_, LOCK_EX | LOCK_NB) == 0;
}

JournalKeeper::~JournalKeeper() {
  std::error_code ignored;
  if (held_ && taken_ && !kept_) fs::remove(file_, ignored);
  if (held_ && restoring_) fs::rename(aside_, file_, ignored);
  close(lock_);
}

std::optional<Journal> JournalKeeper::take() {
  taken_ = true;
  std::error_code missing;
  fs::rename(file_, aside_, missing);
  if (missing) return std::nullopt;
  auto journal = read_journal(aside_);
  restoring_ = journal.has_value();
  return journal;
}

void JournalKeeper::mark_restored() {
  if (!std::exchange(restoring_, false)) return;
  std::error_code ignored;
  fs::remove(aside_, ignored);
}

}  // namespace torsor::editor
