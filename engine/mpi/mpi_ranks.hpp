#pragma once
// A study on several processes (ranks) under MPI.
//
// Rank 0 writes the table and hands out samples. Every rank runs samples in its own threads. Only
// the main thread of a rank calls MPI. A rank other than 0 sends a report, and waits for the answer
// before it sends the next one. The messages are:
//
//   report  rank -> 0: the number of samples that the rank wants, and the results since the last
//           report. It is sent when the rank has few samples left, when results wait for 0.25 s,
//           and at least every second.
//   samples 0 -> rank: the answer, a list of samples, which may be empty.
//   layout  0 -> rank: the layout of the table, before the first report.
//   end     0 -> rank: the study is over. Also sent without a report.
//   leave   rank -> 0: the rank does not work any more: after the end, or with the reason why it
//           cannot, such as another version of the scene.
//   close   0 -> rank: the answer to the last message: whether all ranks have left. Only then do
//           they end MPI, because this waits for all ranks.
//
// A rank asks for as many samples as it runs in about a second. Near the end, rank 0 hands out
// smaller lists, so that all ranks end at about the same time. Rank 0 regards a rank as lost if it
// has sent nothing for 10 s, and hands its samples out again. (MPI itself does not report the loss
// of a process: `mpirun` ends the job, or with --enable-recovery does nothing.)

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "torsor/cli/study/study_ranks.hpp"
#include "torsor/mpi/rank_queue.hpp"

namespace torsor::mpi {

using Clock = std::chrono::steady_clock;

class MpiRanks final : public cli::StudyRanks {
 public:
  // Starts MPI.
  MpiRanks(int& argc, char**& argv);
  // Ends MPI, unless a rank is lost.
  ~MpiRanks() override;
  MpiRanks(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int count() const override { return count_; }
  void start(const StudyLayout& layout) override;
  void serve(TableQueue& queue) override;
  void finish() noexcept override;
  void work(const std::function<SceneStudy()>& load, unsigned jobs) override;

  // Waits for the layout on a rank other than 0. Returns false if rank 0 has ended instead.
  bool wait_for_start();

 private:
  // A rank as rank 0 knows it.
  struct Member {
    std::set<uint64_t> samples;              // samples that the rank has not finished
    Clock::time_point heard = Clock::now();  // time of the last message
    bool is_lost = false, has_left = false;
  };
  void handle(const Message& message, TableQueue& queue);
  void drop(Member& member, int rank, const std::string& why, TableQueue& queue);

  // Exchanges the last messages of a rank other than 0. Returns whether all ranks have left.
  bool close();
  void exchange(RankQueue& queue);
  void run(const SceneStudy& study, unsigned jobs);

  int rank_ = 0, count_ = 1;
  std::optional<Mailbox> mailbox_{std::in_place};
  StudyLayout layout_;
  std::map<int, Member> members_;  // the other ranks; used by rank 0 only
  bool is_over_ = false;           // rank 0 has ended the study, or never begins it
  bool have_all_left_ = false;
  // Used by the other ranks: whether the last report is answered, whether they have left with a
  // reason, whether rank 0 is lost, and the time of its last message
  bool is_answered_ = true, has_left_ = false, is_first_lost_ = false;
  Clock::time_point heard_;
};

}  // namespace torsor::mpi
