#pragma once
// Tuning: searches for the values of parameters at which an outcome of a scene is smallest. The
// points of the searches are samples of a study, and workers run them as those of a study.
//
// Each search runs in a thread of its own, and waits for the result of its point before it chooses
// the next one. A search depends on no other search. The points are therefore the same for any
// number of workers. A tuning that was interrupted is continued by the same searches. Points whose
// results are in the table are not run again.

#include <exception>
#include <map>

#include "torsor/study/table/study_reader.hpp"
#include "torsor/study/tuning/objective.hpp"
#include "torsor/study/tuning/point_queue.hpp"
#include "torsor/study/tuning/tuning_space.hpp"
#include "torsor/study/workers/workers.hpp"

namespace torsor {

struct TuningPoint {
  uint64_t sample = 0;              // the first sample of the point in the table
  std::vector<double> u = {};       // coordinates (tuning_space.hpp)
  std::vector<double> values = {};  // [columns] of all parameters in this sample
  std::vector<double> outcomes =
      {};                // [samples] NaN if a run is not complete; empty until it has run
  double objective = 0;  // NaN if an outcome is NaN: the point is invalid
};

struct TuningSearch {
  std::vector<TuningPoint> points;
  std::optional<size_t> best;  // the first point with the best objective
  TuningEnd end = TuningEnd::not_started;
  // Returns the best point, or null if all points are invalid.
  const TuningPoint* best_point() const { return best ? &points[*best] : nullptr; }
};

struct TuningResult {
  std::vector<TuningSearch> searches;
  std::optional<size_t> best;  // the search that has found the best point
  bool was_interrupted = false;
  const TuningPoint* best_point() const { return best ? searches[*best].best_point() : nullptr; }
};

struct TuningProgress {
  uint64_t points = 0;         // number of points with a result
  uint64_t samples = 0;        // number of samples that were run since the start
  uint64_t failed = 0;         // number of incomplete samples
  std::optional<double> best;  // objective
};

// The values of a sample are those of its point, which must have been chosen.
class Tuning final : public SampleValues {
 public:
  // table: has the columns of the space. rows: its rows; those that have a result are not run
  // again. Throws Error if the table does not have the outcome. The space and the table must
  // outlive the tuning.
  Tuning(const TuningSpace& space, StudyTable& table, const StudyReader& rows);

  void values(uint64_t sample, std::span<double> out) const override;
  // Runs all searches and the workers. `samples` has the values of this object. Throws the errors
  // of workers, and Error if the points in the table are not those of the searches.
  TuningResult run(const StudySamples& samples, const WorkersRequest& request);
  // Called in WorkersRequest::watch, or after run().
  TuningProgress progress() const;

 private:
  struct Stored {
    std::vector<double> parameters;
    double outcome;
  };
  void run_search(uint64_t index);
  std::optional<double> evaluate(uint64_t index, std::span<const double> u,
                                 std::vector<double> values);
  std::optional<double> stored_outcome(uint64_t sample) const;
  bool is_better(double objective, double other) const;
  void finish_result();

  const TuningSpace& space_;
  StudyTable& table_;
  size_t outcome_;
  Statistic statistic_;
  std::map<uint64_t, Stored> stored_;  // by sample
  std::unique_ptr<PointQueue> queue_;  // of the last run
  TuningResult result_;
  mutable std::mutex mutex_;  // guards the members below
  uint64_t n_points_ = 0;
  std::optional<double> best_;
  std::exception_ptr failure_;
};

// Returns the index of the outcome that is tuned. Throws Error "the scene has no outcome ...; did
// you mean".
size_t tuned_outcome(const TuningRequest& request, const std::vector<StudyColumn>& outcomes);

}  // namespace torsor
