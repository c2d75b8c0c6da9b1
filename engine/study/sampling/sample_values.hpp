#pragma once
// The values of the parameters of each sample of a study.

#include <cstdint>
#include <span>

namespace torsor {

class SampleValues {
 public:
  virtual ~SampleValues() = default;
  // Writes the values of sample k, one for each parameter of the table. Thread-safe.
  virtual void values(uint64_t k, std::span<double> out) const = 0;
};

}  // namespace torsor
