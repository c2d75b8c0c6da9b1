#pragma once
// The points of a tuning: the unit cube of the parameters that are tuned, the combinations of those
// whose values have no order, and the samples of each point.
//
// A coordinate u in [0, 1] of the cube is a probability: the value of the parameter is the quantile
// u of its distribution. The distribution thus gives the range and the scale. Tails of infinite
// length are cut off at a probability of 0.0005.
//
// The values of torsor.choice have no order, so that steps between them have no meaning. They are
// not coordinates. Each combination of them has searches of its own.

#include "torsor/study/sampling/plan.hpp"
#include "torsor/study/table/study_layout.hpp"
#include "torsor/study/tuning/search.hpp"
#include "torsor/study/tuning/tuning_request.hpp"

namespace torsor {

class TuningSpace {
 public:
  static constexpr uint64_t most_searches = 256;

  // parameters: of the scene. Throws Error in these cases:
  // - A name is unknown, is repeated, or has no distribution.
  // - The method, the statistic or the design is unknown.
  // - There is more than one sample, and no other parameter has a distribution.
  // - There are too many searches or samples.
  TuningSpace(const std::vector<StudyParameter>& parameters, TuningRequest request);

  // Returns the request, with one start and one evaluation if all parameters are choices.
  const TuningRequest& request() const { return request_; }
  // The parameters with a distribution.
  const std::vector<StudyColumn>& columns() const { return columns_; }
  // Returns the columns of the parameters that are tuned, in the order of the request.
  const std::vector<size_t>& tuned() const { return tuned_; }

  size_t dimensions() const { return axes_.size(); }
  uint64_t searches() const { return combinations_ * request_.starts; }
  uint64_t points() const { return searches() * request_.evaluations; }
  uint64_t samples() const { return points() * request_.samples; }
  // Returns the index of point k of a search. Sample m of a point is the sample
  // point * request().samples + m of the table.
  uint64_t point(uint64_t search, uint64_t k) const { return search * request_.evaluations + k; }

  // Returns a search. The first search of each combination starts at the nominal values, the others
  // at points of Sobol's sequence.
  SearchRequest search(uint64_t search) const;
  // Writes the values of all parameters, [columns().size()], in sample m of a point. u: the
  // coordinates of the point, [dimensions()].
  void values(uint64_t search, std::span<const double> u, uint64_t m, std::span<double> out) const;

  // Returns a warning for each parameter that is within `distance` of an end of its range, such as
  // "'kp' is at the upper end of its range, uniform(0, 5)".
  std::vector<std::string> ends_of_ranges(std::span<const double> u, double distance) const;

  // Returns everything that determines the points as a JSON object, for describe_study().
  std::string describe() const;

 private:
  struct Axis {
    size_t column;
    DistributionPtr distribution;
    double lower = 0, upper = 1;  // bounds of the coordinate
    double start = 0.5;           // the coordinate of the nominal value
    double step = 0, tolerance = 0;
  };
  struct Choice {
    size_t column;
    DistributionPtr distribution;
  };
  void add_tuned(const std::vector<StudyParameter>& parameters, const std::string& name);
  void add_samples(const std::vector<StudyParameter>& parameters);
  void require_size() const;

  TuningRequest request_;
  std::vector<StudyColumn> columns_;
  std::vector<double> nominal_;  // [columns]
  std::vector<size_t> tuned_;
  std::vector<Axis> axes_;
  std::vector<Choice> choices_;
  uint64_t combinations_ = 1;
  std::unique_ptr<Design> starts_;            // null if there are no axes
  std::vector<std::vector<double>> samples_;  // [samples][columns]
};

}  // namespace torsor
