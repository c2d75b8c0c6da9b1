#pragma once
// One sample of a study, for `torsor run SCENE --sample STUDY.h5:K` and for the editor.

#include <filesystem>
#include <string>
#include <vector>

#include "torsor/cli/options/run_settings.hpp"
#include "torsor/study/table/study_layout.hpp"

namespace torsor {
class Registry;
}  // namespace torsor

namespace torsor::cli {

struct StudySample {
  std::string name;                   // "STUDY.h5:K"
  std::vector<std::string> settings;  // NAME=VALUE, as for --set
  RunSettings run;
  SampleStatus status;
  uint64_t state_hash;
  std::string description;  // of the study
};

// Reads a sample. Throws Error if `name` has another form, if the file is not a study, or if the
// sample has not been run.
StudySample read_study_sample(const std::string& name);

// Returns a warning "STUDY.h5:K: ..." if the scene or its plugins have changed since the study,
// otherwise "".
std::string sample_warning(const StudySample& sample, const std::filesystem::path& scene,
                           const std::vector<std::filesystem::path>& files,
                           const Registry& plugins);

// Returns a line that says whether a run that ends in a state with this hash has the final state of
// the sample.
std::string sample_comparison(const StudySample& sample, uint64_t state_hash);

}  // namespace torsor::cli
