#pragma once
// The hot functions of plugins of every kind, as calls with the same signature. Their inputs are in
// read-only memory that ends at an inaccessible page.

#include <algorithm>
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
  size_t alignment = alignof(double);
};
struct HotCall {
  std::string name;  // name of the function: "inverse"
  std::vector<HotResult> results;
  // Calls the function. Writes only to work [work_doubles] and to the results. May run on any
  // thread.
  using Function = std::function<torsor_status(double* work, std::span<double* const> results)>;
  Function call;
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
  bool uses_dynamics_service() const { return dynamics_ != nullptr; }

  // The plugin, and its inputs, for the functions that add the calls (TrialKind::add_calls).
  const Plugin& plugin() const { return *plugin_; }
  const torsor_model& model() const { return model_; }
  const torsor_sizes& sizes() const { return sizes_; }
  Random& random() { return at_.random; }
  std::vector<double> drawn(size_t count, double size);

  // Return a copy of an input in read-only memory between guard pages. name: the name of the input
  // in messages. A null pointer is not copied.
  template <class T>
  const T* guarded_copy(const std::string& name, const T* values, size_t count) {
    if (!values) return nullptr;
    return reinterpret_cast<const T*>(guarded_bytes(name, values, count * sizeof(T), alignof(T)));
  }
  const double* guarded_random(const std::string& name, size_t count, double size);
  // Enlarges the work area of the calls to at least this size.
  void need_work(size_t doubles) { sizes_.work_doubles = std::max(sizes_.work_doubles, doubles); }

  // is_loaded: whether the copy has wrenches and pivots.
  const torsor_state& guarded_copy(const State& state, bool is_loaded);

  // Adds a hot function at the current state.
  void add(std::string name, std::vector<HotResult> results, HotCall::Function call);

 private:
  const std::byte* guarded_bytes(const std::string& name, const void* values, size_t bytes,
                                 size_t alignment);
  const torsor_model& guarded_copy(const torsor_model& model);

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
  size_t state_ = 0;  // index of the state whose calls are added
};

}  // namespace torsor::validation
