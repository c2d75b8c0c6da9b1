#pragma once
// A scene that is loaded once for each sample of a study, and the settings of its runs as text.

#include <limits>
#include <memory>

#include "torsor/cli/options/run_settings.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/host/trust.hpp"
#include "torsor/study/outcome.hpp"

namespace torsor {
class ScriptCache;
}

namespace torsor::cli {

// The values of --set and of the options of RunSettings, as stored in the description of a study:
// "--set payload" = "2", "--dt" = "0.001".
StudySettings study_settings(const StudySettings& set, const RunSettings& run);
// Returns the settings of a description. given_set: receives the values of --set.
RunSettings run_settings(const StudySettings& settings, StudySettings& given_set);

// Compiles each Lua file once: all samples use the files as they were at the first load.
class StudySceneLoader {
 public:
  // set: the values of --set.
  StudySceneLoader(std::string scene, StudySettings set, RunSettings run, const Registry& plugins,
                   Permission permission);

  // Loads the scene with its nominal values. Prints the lines of print. Stores the files that the
  // scene has read in `files`.
  StudyScene load_nominal(std::vector<std::filesystem::path>& files) const;
  // Loads the scene with the values of a sample. Thread-safe. seconds: time limit.
  StudyScene load(const StudySettings& values,
                  double seconds = std::numeric_limits<double>::infinity()) const;

 private:
  std::string scene_;
  StudySettings set_;
  RunSettings run_;
  const Registry& plugins_;
  Permission permission_;
  std::filesystem::path scripts_;
  std::shared_ptr<ScriptCache> cache_;
};

}  // namespace torsor::cli
