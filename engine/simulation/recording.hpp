#pragma once
// A recording on disk: NAME.csv with the rows and NAME.json with what made them. No wall time is in either,
// so that the same experiment gives the same bytes.

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "torsor/simulation/experiment.hpp"

namespace torsor {

// The CSV grows row by row: a header line of "name [unit]", then the shortest decimals that read back to the
// same doubles. Whatever stops a run, what was written stays.
class CsvFile {
 public:
  // Makes the folder where it is missing. Throws Error where the file cannot be written.
  CsvFile(const std::filesystem::path& path, const std::vector<Column>& columns);
  // Throws Error where the disk takes no more.
  void write(std::span<const double> row);
  void close();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void put(const std::string& text);
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
};

// What was a solver: the plugin under an id.
struct SolverIdentity {
  std::string id, version, sha256;
};
using SolverIdentifier = std::function<SolverIdentity(const std::string& id)>;

nlohmann::ordered_json describe(const SolverIdentity& solver);
// What the JSON side file says of a model: its robots, joints with units and limits, links, and warnings.
nlohmann::ordered_json describe(const Model& model);
// ... of an experiment, as it was run.
nlohmann::ordered_json describe(const Experiment& experiment);
nlohmann::ordered_json describe(const std::vector<Column>& columns);
// ... of the changes made during a run.
nlohmann::ordered_json describe(const std::vector<Change>& changes, const SolverIdentifier& identify);
// ... of a comparison: the worst over the rows for each compared solver and quantity.
nlohmann::ordered_json describe(const RunComparison& comparison);

// Writes the text beside its final name, then renames it. Throws Error where it cannot be written.
void write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace torsor
