#pragma once
// A scene that is loaded once for each sample of a study.

#include <atomic>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "torsor/host/registry.hpp"
#include "torsor/host/trust.hpp"
#include "torsor/study/outcome.hpp"

namespace torsor {

class ScriptCache;

struct StudySceneRequest {
  std::string file;             // a Lua file that returns an experiment
  StudySettings settings = {};  // values of parameters, which do not vary then
  // Changes the experiment of each run, such as its integrator.
  std::function<Experiment(Experiment)> change = [](Experiment experiment) { return experiment; };
  const Registry* plugins = nullptr;
  Permission permission = {};
  // Receives the lines that the scene prints at the nominal load. Empty: they go to stderr.
  std::function<void(std::string_view)> print = {};
  const std::atomic<bool>* stop = nullptr;  // ends scripts when it becomes true; may be null
};

// Compiles each Lua file once: all samples use the files as they were at the first load.
class StudySceneLoader {
 public:
  // The plugins and the flag must outlive the loader.
  explicit StudySceneLoader(StudySceneRequest request);

  const StudySceneRequest& request() const { return request_; }
  // Loads the scene with its nominal values. Prints the lines of print. Stores the files that the
  // scene has read in `files`.
  StudyScene load_nominal(std::vector<std::filesystem::path>& files) const;
  // Loads the scene with the values of a sample. Thread-safe. seconds: time limit. stop: ends its
  // scripts when it becomes true; may be null. The flag of the request must not end a sample: a
  // worker would take the error for a result of the sample.
  StudyScene load(const StudySettings& values,
                  double seconds = std::numeric_limits<double>::infinity(),
                  const std::atomic<bool>* stop = nullptr) const;

 private:
  StudySceneRequest request_;
  std::filesystem::path scripts_;
  std::shared_ptr<ScriptCache> cache_;
};

}  // namespace torsor
