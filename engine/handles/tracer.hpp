#pragma once
// Tracer: runs the recursion of a solver and returns the quantities that the plugin computes at
// each body (torsor_solver_trace).

#include <memory>
#include <span>

#include "torsor/mechanics/state.hpp"
#include "torsor/mechanics/tree_factor.hpp"
#include "torsor/plugin/plugin.hpp"
#include "torsor/plugin/trace_table.hpp"

namespace torsor {

// A step of the recursion: the computation of one quantity at one body.
struct TraceStep {
  int body, quantity;
};

// A value of the trace: its numbers x with their symbol, owner, frame and unit.
struct TracedValue {
  std::string symbol;  // symbol with its index, "f_c"
  // Link or dof to which the value belongs, or "world". Several of them are separated by commas.
  std::string of;
  std::string frame;  // link in whose axes and about whose origin it is; "" for a scalar
  // Unit, or the units of the angular and the linear part separated by a comma.
  std::string unit;
  int rows, columns;  // shape of x
  std::vector<double> x;
};

class Tracer {
 public:
  // The frames in which the plugin computes. of_links: the frames of the links that the joints
  // move, which the user knows. of_bodies: the engine's body frames, which Solver uses.
  enum class Frames { of_links, of_bodies };

  // Prepares the plugin. Throws Error if the plugin offers no trace, or if its trace is malformed
  // or has a quantity of an unknown kind. Also throws UnsupportedModel and Error like prepare().
  Tracer(std::unique_ptr<Plugin> plugin, std::shared_ptr<const Model> model,
         Frames frames = Frames::of_links);

  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  const Model& model() const { return *model_; }
  std::string id() const { return plugin_->descriptor().id; }
  bool of_forward() const { return api_.of_forward != 0; }
  const TraceTable& table() const { return table_; }
  const std::vector<TraceStep>& steps() const { return steps_; }  // in the order of the recursion
  // Returns the index of the link that the joint of a body moves, or -1 for the world.
  int link(int body) const { return link_[size_t(body)]; }
  const std::string& link_name(int body) const;
  // Returns the pose X_BL of the frame L in which the plugin computes, in the body frame B.
  const Pose<double>& X_BL(int body) const { return X_BL_[size_t(body)]; }
  // Returns the body in whose frame the quantity of a step is expressed: the body of the step, its
  // parent, or the first body on its path from the world.
  int frame_body(const TraceStep& step) const;

  // Runs the recursion for a state. given [n_v]: vdot for inverse dynamics, tau for forward
  // dynamics. Does not allocate. The functions below return values of the last call.
  [[nodiscard]] Status trace(const State& state, std::span<const double> given);
  std::string explain(Status status) const;
  // Returns all values, in the layout of table().
  std::span<const double> values() const { return values_; }
  // Returns the values of a quantity. row: the body or the dof.
  std::span<const double> at(int quantity, int row) const;
  // [n_v] tau of inverse dynamics, or vdot of forward dynamics.
  std::span<const double> result() const;

  // Returns the values that a step computes. If the quantity belongs to dof, there is one value for
  // each dof of the joint. Jacobians have one value for each dof on the path of the body. Rows of
  // matrices have one value for each dof on one path with the dof of the row. Christoffel symbols
  // that are zero are left out.
  std::vector<TracedValue> outputs(const TraceStep& step) const;
  // Returns the values that a step uses as inputs.
  std::vector<TracedValue> inputs(const TraceStep& step) const;

 private:
  void take_frames(Frames frames);
  void add(std::vector<TracedValue>& out, const std::string& symbol, char index, int body) const;
  void add_traced(std::vector<TracedValue>& out, int quantity, char index, int body) const;
  void add_columns(std::vector<TracedValue>& out, TracedValue form, int quantity, int body) const;
  void add_row(std::vector<TracedValue>& out, TracedValue form, int quantity, int k) const;
  void add_symbols(std::vector<TracedValue>& out, TracedValue form, int quantity, int k) const;
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
