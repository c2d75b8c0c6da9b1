#pragma once
// Measures how many samples of a study run per second with several workers, next to a loop in C++
// and to other libraries.

#include <string>
#include <vector>

#include "torsor/host/registry.hpp"
#include "torsor/host/trust.hpp"

namespace torsor::bench {

struct StudyRates {
  struct Row {
    std::string name;           // "study", "loop" or a library
    std::vector<double> rates;  // samples per second, for each number of threads
    double difference = 0;      // of the final q from that of the loop
  };
  std::string scene;
  std::vector<unsigned> threads;  // 1, and the number of cores
  std::vector<Row> rows;
};

// Runs n samples with nominal values by each method and number of threads, in turn, three times.
// The rates are the largest. Throws Error if the scene cannot be loaded.
StudyRates measure_rates(const std::string& scene, int n, const Registry& plugins,
                         const Permission& permission);

std::string rates_table(const std::vector<StudyRates>& all);

}  // namespace torsor::bench
