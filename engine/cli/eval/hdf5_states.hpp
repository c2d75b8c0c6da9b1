#pragma once
// The HDF5 files of `torsor eval --states FILE.h5 --out FILE.h5`: states, and results of states.
// All datasets contain double-precision numbers, one row per state.

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "torsor/batch/state_batch.hpp"

namespace torsor::cli {

// Returns whether a regular file begins as an HDF5 file; false for a pipe. Throws Error if the file
// cannot be read.
bool is_hdf5_file(const std::filesystem::path& file);

// A file with the datasets q [n][n_q] and, if they are not zero, v, vdot and tau [n][n_v]. The
// columns are in the order of the model. Several threads may use an object.
class StatesTable {
 public:
  // Throws Error if the file is not such a file, or its shape is not that of the model.
  StatesTable(const std::filesystem::path& file, const Model& model);
  ~StatesTable();

  uint64_t size() const;
  bool has(const char* dataset) const;
  // Reads the states [first, first + count), count <= batch.size(). Normalises their quaternions.
  // vdot and tau: [n_v][stride], in the layout of the batch. Throws Error with the index of the
  // state if a number is not finite, or a quaternion is far from unit length.
  void read(uint64_t first, size_t count, StateBatch& batch, std::span<double> vdot,
            std::span<double> tau);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The description of a dataset of results: [n] times its dimensions.
struct ResultColumn {
  std::string name;
  std::vector<size_t> dimensions;
  std::vector<std::string> units;  // one per entry
};

// A file of results that is being written. It gets its name when it is complete. Several threads
// may use an object.
class ResultsTable {
 public:
  // columns: the names of the dof, and attributes: (name, text), for readers of the file. Throws
  // Error if the file cannot be written or the disk has too little space.
  ResultsTable(const std::filesystem::path& file, uint64_t states,
               const std::vector<ResultColumn>& results, const std::vector<std::string>& columns,
               const std::vector<std::pair<std::string, std::string>>& attributes);
  ~ResultsTable();

  // Writes the rows [first, first + count) of a result: [count][entries].
  void write(size_t result, uint64_t first, size_t count, const double* rows);
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torsor::cli
