#pragma once
// A solver's recursion at work: what it computes at each body on the way to its result, by the
// plugin itself (torsor_solver_trace).

#include <memory>
#include <span>

#include "torsor/mechanics/state.hpp"
#include "torsor/mechanics/tree_factor.hpp"
#include "torsor/plugin/plugin.hpp"
#include "torsor/plugin/trace_table.hpp"

namespace torsor {

// What a quantity is computed of at a body.
struct TraceStep {
  int body, quantity;
};

// Numbers with what they mean.
struct TracedValue {
  std::string symbol;  // with its index, "f_c"
  std::string of;      // the link, or the joint's column, that it belongs to; "world"
  std::string frame;   // the link in whose axes, about whose origin it is; "" of a number
  // Of the angular and the linear part, separated by a comma, where it has both.
  std::string unit;
  int rows, columns;  // of x
  std::vector<double> x;
};

class Tracer {
 public:
  // The frames that the plugin computes in: those of the links that the joints carry, as a user
  // knows them, or the engine's own, in which a Solver asks it.
  enum class Frames { of_links, of_bodies };

  // Throws Error where the plugin offers no trace that is known here, and as prepare().
  Tracer(std::unique_ptr<Plugin> plugin, std::shared_ptr<const Model> model,
         Frames frames = Frames::of_links);

  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  const Model& model() const { return *model_; }
  std::string id() const { return plugin_->descriptor().id; }
  bool of_forward() const { return api_.of_forward != 0; }
  const TraceTable& table() const { return table_; }
  const std::vector<TraceStep>& steps() const { return steps_; }  // in the order of the recursion
  // The link, by its index, that the joint of a body carries; -1 of the world.
  int link(int body) const { return link_[size_t(body)]; }
  const std::string& link_name(int body) const;
  // Of the frame computed in.
  const Pose<double>& X_BL(int body) const { return X_BL_[size_t(body)]; }
  // In whose frame the quantity of a step is: the step's body, or its parent.
  int frame_body(const TraceStep& step) const;

  // The recursion in this state. given [n_v]: vdot, or tau where it is of forward dynamics. No
  // allocation. What follows is about the last one.
  [[nodiscard]] Status trace(const State& state, std::span<const double> given);
  std::string explain(Status status) const;
  std::span<const double> values() const { return values_; }  // all, as table() says
  // Those of a quantity at a body or column.
  std::span<const double> at(int quantity, int row) const;
  std::span<const double> result() const;  // [n_v] tau, or vdot

  // What a step gives, one for each column of the joint where it is of columns; and what goes in.
  std::vector<TracedValue> outputs(const TraceStep& step) const;
  std::vector<TracedValue> inputs(const TraceStep& step) const;

 private:
  void take_frames(Frames frames);
  void add(std::vector<TracedValue>& out, const std::string& symbol, char index, int body) const;
  void add_traced(std::vector<TracedValue>& out, int quantity, char index, int body) const;
  void add_given(std::vector<TracedValue>& out, const std::string& symbol, char index,
                 int body) const;

  std::unique_ptr<Plugin> plugin_;
  std::shared_ptr<const Model> model_;
  MinPivots min_pivots_;
  std::vector<int> link_;                          // [n_body]
  std::vector<Pose<double>> X_BL_;                 // [n_body]
  std::vector<Twist<double>> S_L_;                 // [n_v]
  std::vector<SpatialInertia<double>> inertia_L_;  // [n_body]
  std::vector<Pose<double>> X_PL0_, X_PL_;         // [n_body] in the frame of the parent
  std::vector<Wrench<double>> F_L_;                // [n_body]
  std::vector<double> v_, given_;                  // [n_v]
  std::vector<std::string> column_names_;
  torsor_model view_;
  torsor_solver_trace api_;
  TraceTable table_;
  std::vector<TraceStep> steps_;
  WorkArea work_;
  LentArray<double> values_;
};

}  // namespace torsor
