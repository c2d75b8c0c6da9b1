#pragma once
// Reads the options of `torsor study` that select its samples.

#include "torsor/cli/study/study_options.hpp"
#include "torsor/study/sampling/plan.hpp"
#include "torsor/study/table/study_layout.hpp"

namespace torsor::cli {

// Reads --samples, --grid, --from, --design and --seed. Throws Error if more than one of the first
// three is given, or if an option has another form.
PlanRequest plan_request(const StudyOptions& options);
// Reads --shard I/N.
Shard study_shard(const std::string& text);
// Returns the path of the table: --out, or FOLDER/SCENE-study.h5.
std::filesystem::path study_path(const StudyOptions& options, const Shard& shard);

// The recordings to keep.
struct Keep {
  bool all = false;
  uint64_t worst = 0;        // number of samples with the largest values of an outcome
  std::string outcome = {};  // this outcome
};
// Reads --keep and --by. Throws Error if the outcome does not exist.
Keep study_keep(const StudyOptions& options, const std::vector<StudyColumn>& outcomes);

}  // namespace torsor::cli
