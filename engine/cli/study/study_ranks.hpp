#pragma once
// The other processes (ranks) of a study that runs with MPI. The program torsor_mpi implements them
// (engine/mpi); in the program torsor there are none.

#include "torsor/scripting/study/scene_study.hpp"

namespace torsor::cli {

class StudyRanks {
 public:
  virtual ~StudyRanks() = default;
  // The rank of this process. Rank 0 writes the table.
  virtual int rank() const = 0;
  virtual int count() const = 0;

  // Functions of rank 0. start() sends the layout to the other ranks, serve() handles their
  // messages, and finish() ends them. serve() must be called about once per millisecond between
  // start() and finish().
  virtual void start(const StudyLayout& layout) = 0;
  virtual void serve(TableQueue& queue) = 0;
  virtual void finish() noexcept = 0;

  // Runs samples for rank 0 on this rank, until rank 0 has no more. load: loads the study. If this
  // fails or the study of rank 0 is another one, this rank leaves the study, and rank 0 reports the
  // reason.
  virtual void work(const std::function<SceneStudy()>& load, unsigned jobs) = 0;
};

}  // namespace torsor::cli
