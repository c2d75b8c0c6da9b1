#pragma once
// The request of a tuning: the values of parameters at which an outcome is smallest or largest.

#include <cstdint>
#include <string>
#include <vector>

namespace torsor {

struct TuningRequest {
  std::string outcome = {};
  bool maximise = false;
  std::vector<std::string> over = {};  // parameters to tune; each has a distribution

  // The objective of a point is a statistic of the outcome over its samples. The other parameters
  // with a distribution have the same values in the samples of every point. With one sample, they
  // have their nominal values.
  uint64_t samples = 1;
  std::string statistic = "mean";  // see objective.hpp
  std::string design = "random";   // of the samples; see design.hpp
  uint64_t seed = 0;               // of the samples and of the starting points

  std::string method = "nelder_mead";  // see search.hpp
  uint64_t starts = 4;         // number of searches, for each combination of choice parameters
  uint64_t evaluations = 200;  // largest number of points of a search
  // A search ends when its steps are below this part of the range of each parameter.
  double tolerance = 1e-4;
};

}  // namespace torsor
