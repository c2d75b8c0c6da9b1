#pragma once
// The hot functions of plugins of every kind, as calls with the same signature. Their inputs are in
// read-only memory that ends at an inaccessible page.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "torsor/validation/guarded_memory.hpp"
#include "torsor/validation/trial.hpp"

namespace torsor::validation {

struct HotResult {
  std::string name;  // name of the result: "tau"
  size_t doubles;
};
struct HotCall {
  std::string name;  // name of the function: "inverse"
  std::vector<HotResult> results;
  // Calls the function. Writes only to work [work_doubles] and to the results. May run on any
  // thread.
  std::function<torsor_status(double* work, std::span<double* const> results)> call;
};

// A plugin prepared for one robot, with calls of its hot functions at two states.
class HotCalls {
 public:
  // number: selects the robot and the parameter values. Throws Failed if the plugin cannot be
  // prepared, and Rejected if it accepts none of the parameter values.
  HotCalls(Trial& trial, uint64_t number);
  ~HotCalls();

  const std::vector<HotCall>& here() const { return calls_[0]; }
  // Returns the same functions in the same order, at the other state.
  const std::vector<HotCall>& elsewhere() const { return calls_[1]; }
  size_t work_doubles() const { return sizes_.work_doubles; }
  std::vector<const GuardedArray*> inputs() const;
  std::string explain(torsor_status status) const;
  // Returns whether the calls use the dynamics service of the host, which handles one call at a
  // time.
  bool asks_the_host() const { return dynamics_ != nullptr; }

  // Append the calls of a plugin of one kind at a state (TrialKind::add_calls).
  void add_solver(std::vector<HotCall>& out, const State& state, bool is_at_goal);
  void add_force(std::vector<HotCall>& out, const State& state, bool is_at_goal);
  void add_controller(std::vector<HotCall>& out, const State& state, bool is_at_goal);
  void add_trajectory(std::vector<HotCall>& out, const State& state, bool is_at_goal);

 private:
  template <class T>
  const T* give(const std::string& name, const T* values, size_t count);
  const torsor_model& give_model(const torsor_model& model);
  const torsor_state& give_state(const State& state, bool loaded);
  void add_derivatives(std::vector<HotCall>& out, const torsor_state& s, const double* vdot);
  std::vector<double> drawn(size_t count, double size);

  Case at_;
  // The dynamics service for a controller. Must be declared before plugin_, because calls of the
  // plugin use it.
  std::unique_ptr<DynamicsService> dynamics_;
  std::unique_ptr<Plugin> plugin_;
  torsor_sizes sizes_{};
  std::vector<std::unique_ptr<GuardedArray>> arrays_;
  torsor_model model_{};
  std::vector<std::unique_ptr<torsor_state>> states_;
  std::vector<HotCall> calls_[2];
};

}  // namespace torsor::validation
