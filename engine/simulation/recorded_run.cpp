#include "torsor/simulation/recorded_run.hpp"

#include <fmt/format.h>

namespace torsor {

RecordingFiles::RecordingFiles(const std::filesystem::path& folder, const std::filesystem::path& scene) {
  csv = folder / scene.stem();
  json = csv;
  csv += ".csv";
  json += ".json";
  std::error_code ignored;
  for (const std::filesystem::path& file : {csv, json})
    if (std::filesystem::equivalent(file, scene, ignored))
      throw Error(fmt::format("the recording would replace the scene '{}'; give another folder with --out",
                              scene.string()));
}

RecordedRun::RecordedRun(Experiment experiment, const SolverSource& make_solver, SolverIdentifier identify,
                         const std::filesystem::path& scene, const std::filesystem::path& folder,
                         std::vector<Change> changes)
    : experiment_(std::move(experiment)),
      identify_(std::move(identify)),
      scene_(scene.string()),
      changes_(std::move(changes)),
      run_(experiment_, make_solver, changes_),
      files_(folder, scene) {
  write_side_file("the program ended before the run did");
  try {
    csv_.emplace(files_.csv, run_.columns());
  } catch (const Error&) {
    std::error_code ignored;
    std::filesystem::remove(files_.json, ignored);
    throw;
  }
}

void RecordedRun::write_side_file(const std::string& error) {
  Simulation& simulation = run_.simulation();
  nlohmann::ordered_json json{{"scene", scene_},
                              {"torsor", TORSOR_VERSION},
                              {"csv", files_.csv.filename().string()},
                              {"complete", error.empty()},
                              {"solver", describe(identify_(experiment_.solver))}};
  if (!error.empty()) json["error"] = error;
  json["steps"] = simulation.steps();
  json["state_hash"] = fmt::format("{:016x}", simulation.state_hash());
  json["experiment"] = describe(experiment_);
  if (!changes_.empty()) json["edits"] = describe(changes_, identify_);
  json["columns"] = describe(run_.columns());
  if (run_.comparison()) json["comparison"] = describe(*run_.comparison());
  write_file(files_.json, json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

bool RecordedRun::execute(const std::function<bool(const Simulation&)>& progress) {
  try {
    run_.execute([&](std::span<const double> row) { csv_->write(row); }, progress);
  } catch (const Error& error) {
    csv_->close();
    write_side_file(error.what());
    throw;
  }
  const bool whole = run_.simulation().steps() == run_.steps();
  csv_->close();
  write_side_file(whole ? "" : "interrupted");
  return whole;
}

}  // namespace torsor
