#pragma once
// The handles torsor_simulation and torsor_snapshot.

#include <memory>
#include <string>
#include <vector>

#include "torsor/capi/boundary.hpp"
#include "torsor/run/player.hpp"

struct torsor_snapshot {
  torsor::Snapshot state;
  std::vector<torsor::Change> changes;
  uint64_t mechanism;  // of the run
};

namespace torsor::capi {

// A simulation with the changes of its run: those of the scene, and those of the caller.
class HostedRun {
 public:
  // found: the plugins that the script of the scene may use. Throws Error if the experiment is
  // invalid or M is singular at the start.
  HostedRun(const Experiment& experiment, std::string file, std::shared_ptr<const Registry> found);
  HostedRun(const HostedRun&) = delete;

  // The use of a run by a call of the interface. The run lives at least as long, also if a function
  // of the host destroys its handle.
  class Use {
   public:
    // Throws Error within another use: functions of the host must not use the run that calls them.
    explicit Use(std::shared_ptr<HostedRun> run);
    ~Use() { run_->in_use_ = false; }
    Use(const Use&) = delete;
    HostedRun* operator->() const { return run_.get(); }

   private:
    std::shared_ptr<HostedRun> run_;
  };

  const Experiment& experiment() const { return experiment_; }
  Simulation& simulation() { return player_.simulation(); }
  const Simulation& simulation() const { return player_.simulation(); }

  // Makes one step and the changes at its end. Throws Error with the scene in the message.
  void step();
  // Makes a change at the present step.
  void change(Change::What what);
  const std::vector<Change>& changes() const { return changes_; }
  // Returns a hash of the model and of dt.
  uint64_t mechanism() const { return mechanism_; }
  // Returns to a snapshot of a run with these changes.
  void restore(const torsor_snapshot& snapshot);
  // Loads a saved state. The changes of this run up to its step are active.
  void load(std::span<const std::byte> bytes);

 private:
  std::shared_ptr<const Registry> found_;
  Experiment experiment_;
  std::string file_;
  std::vector<Change> changes_;  // ordered by step
  uint64_t mechanism_;
  Player player_;
  bool in_use_ = false;
};

}  // namespace torsor::capi

struct torsor_simulation {
  std::shared_ptr<torsor::capi::HostedRun> run;
  std::vector<std::string> signals;
};
