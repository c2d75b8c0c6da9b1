#pragma once
// Reads the table of a study (study_table.hpp), also while another program writes it.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "torsor/study/table/failure_kinds.hpp"
#include "torsor/study/table/study_layout.hpp"

namespace torsor {

// Returns whether a file is an HDF5 file with the parts of a table of a study. The table may still
// be damaged. A file that HDF5 cannot open counts as a study if its name ends in "-study.h5".
bool is_study(const std::filesystem::path& path);

// Different threads may use different readers.
class StudyReader {
 public:
  // Throws Error if the file is not a table of a study, or is damaged.
  explicit StudyReader(const std::filesystem::path& path);
  StudyReader(StudyReader&&) noexcept;
  ~StudyReader();

  const StudyLayout& layout() const;
  const std::vector<FailureKind>& failures() const;
  // Returns the message of a kind of failure: that of its first sample, or "" for the key 0.
  std::string message(uint32_t failure) const;

  // Reads `count` rows from row `first` on. A damaged row has the status not_run.
  std::vector<SampleRow> read(uint64_t first, uint64_t count) const;
  // Calls visit(sample, row) for each row, in order.
  template <class Visit>
  void each(const Visit& visit) const {
    constexpr uint64_t block = 4096;
    const uint64_t rows = layout().rows();
    for (uint64_t first = 0; first < rows; first += block) {
      uint64_t row = first;
      for (const SampleRow& values : read(first, std::min(block, rows - first)))
        visit(layout().shard.sample(row++), values);
    }
  }

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

// Returns a hash of the results without wall times: the parameters, outcomes, statuses, kinds of
// failures and state hashes of all samples that have a result, in order. It is the same for any
// number of workers.
uint64_t study_hash(const StudyReader& table);

}  // namespace torsor
