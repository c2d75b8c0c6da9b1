#pragma once
// The result of a sample, as workers return it: a row of the table, and the message of a failure.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "torsor/study/table/study_layout.hpp"

namespace torsor {

struct FinishedSample {
  uint64_t sample = 0;
  SampleRow row;
  std::string message = {};  // the reason of the status or a warning, or ""
};

// A function that runs a sample. It returns nullopt if the study was interrupted. begun: the sample
// with its parameters and the status `started`.
using RunSample = std::function<std::optional<FinishedSample>(const FinishedSample& begun)>;

// The bytes of results, with which processes exchange them. Every double keeps its bits.
class SampleBytes {
 public:
  explicit SampleBytes(const StudyLayout& layout);
  void append(const FinishedSample& sample, std::vector<std::byte>& out) const;
  // Reads a result, and removes its bytes from the front. Throws Error if they are not those of a
  // result of this study.
  FinishedSample take(std::span<const std::byte>& bytes) const;

 private:
  size_t n_parameters_, n_outcomes_;
};

}  // namespace torsor
