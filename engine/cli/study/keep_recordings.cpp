#include "torsor/cli/study/keep_recordings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/base/print_message.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/support/interrupt.hpp"
#include "torsor/cli/support/record.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"

namespace torsor::cli {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Returns whether the simulation of a sample has ended by itself. Others might not end, or crash.
bool has_end(const SampleRow& row) {
  return row.state_hash != 0;
}

// Returns the samples with the largest values of an outcome, the largest first.
std::vector<uint64_t> worst_samples(const StudyReader& results, const Keep& keep) {
  const auto& outcomes = results.layout().outcomes;
  const size_t column =
      size_t(std::ranges::find(outcomes, keep.outcome, &StudyColumn::name) - outcomes.begin());
  std::vector<std::pair<double, uint64_t>> all;
  results.each([&](uint64_t sample, const SampleRow& row) {
    if (has_end(row) && !std::isnan(row.outcomes[column]))
      all.emplace_back(-row.outcomes[column], sample);
  });
  std::ranges::sort(all);
  std::vector<uint64_t> out;
  for (size_t k = 0; k < std::min<size_t>(all.size(), keep.worst); ++k)
    out.push_back(all[k].second);
  return out;
}

std::vector<uint64_t> kept_samples(const StudyReader& results, const Keep& keep) {
  if (!keep.all) return worst_samples(results, keep);
  std::vector<uint64_t> out;
  uint64_t without_end = 0;
  results.each([&](uint64_t sample, const SampleRow& row) {
    has_end(row) ? out.push_back(sample) : void(++without_end);
  });
  if (without_end > 0)
    fmt::print("not recorded {}, without a final state: stopped, or ended by a plugin\n",
               counted(without_end, "sample"));
  return out;
}

}  // namespace

void keep_recordings(const Keep& keep, const StudyReader& results, const StudyOptions& options,
                     const SceneStudy& study) {
  if (!keep.all && keep.worst == 0) return;
  const std::string scene = std::filesystem::path(options.scene.scene).stem().string();
  const std::vector<uint64_t> samples = kept_samples(results, keep);
  std::vector<double> values(study.plan().columns().size());
  for (const uint64_t sample : samples) {
    study.plan().values(sample, values);
    const std::filesystem::path file =
        options.table.folder / fmt::format("{}-{}.h5", scene, sample);
    try {
      RecordedRun run =
          recorded_run(study.scene()
                           .loader()
                           .load(study.plan().settings(values), infinite, &interruption())
                           .experiment,
                       options.scene.scene, file);
      Progress progress;
      if (!execute(run, options.scene.scene, progress,
                   fmt::format("recording of sample {}  ", sample)))
        throw Interrupted("interrupted; the table is complete, and some recordings are missing");
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      // The failure is a result of the study; the recording ends there.
      if (was_interrupted()) throw Interrupted(error.what());
    }
    fmt::print("recording    {}\n", file.string());
  }
}

}  // namespace torsor::cli
