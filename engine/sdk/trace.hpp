#pragma once
// Records the quantities that an algorithm computes (torsor_solver_trace). The algorithm has an
// additional argument `trace` and calls it for each quantity. The default, NoTrace, does nothing:
//
//   template <class T, class Tracing = sdk::NoTrace>
//   void inverse(..., T* tau, const Tracing& trace = {}) {
//     ... trace(twist, i, body[i].V); ...  // number of the quantity, body or dof, value
//
// The struct of the plugin contains the table of the quantities and one function:
//
//   static constexpr torsor_trace_quantity outward[] = {{TORSOR_TRACE_TWIST, 0, "V", ..}};
//   static constexpr torsor_trace_pass trace_passes[] = {sdk::outward_pass("velocities", outward)};
//   static constexpr bool trace_of_forward = false;
//   torsor_status trace(const torsor_model& model, const torsor_state& state, const double* vdot,
//                       double* work, double* out) const {
//     algorithm::inverse(..., sdk::Trace(model, trace_passes, out));

#include <span>

#include "torsor/sdk/ext/solver_trace.h"
#include "torsor/sdk/model_view.hpp"

namespace torsor::sdk {

// Returns how many numbers a quantity has per body or dof, or 0 for an unknown kind.
constexpr size_t trace_numbers(int32_t kind) {
  constexpr size_t numbers[] = {3, 3, 3, 6, 6, 6, 36, 1, 1, 1, 6};
  return kind >= 0 && size_t(kind) < std::size(numbers) ? numbers[kind] : 0;
}
// Returns true if a quantity of this kind has one entry per dof, and false if it has one per body.
constexpr bool traced_by_column(int32_t kind) {
  return kind >= TORSOR_TRACE_JOINT_ACCELERATION;
}
constexpr size_t trace_numbers(int32_t kind, const torsor_model& model) {
  return trace_numbers(kind) * size_t(traced_by_column(kind) ? model.n_v : model.n_body);
}

template <size_t N>
constexpr torsor_trace_pass outward_pass(const char* name,
                                         const torsor_trace_quantity (&quantities)[N]) {
  return {name, 0, N, quantities};
}
template <size_t N>
constexpr torsor_trace_pass inward_pass(const char* name,
                                        const torsor_trace_quantity (&quantities)[N]) {
  return {name, 1, N, quantities};
}

struct NoTrace {
  template <class... Any>
  void operator()(Any&&...) const {}
};

// Writes quantities to the array `out` of torsor_solver_trace.
class Trace {
 public:
  Trace(const torsor_model& model, std::span<const torsor_trace_pass> passes, double* out)
      : model_(model), passes_(passes), out_(out) {}

  // Writes a value. `number` is the index of the quantity among those of all passes. `row` is the
  // body or the dof. For its own types, a solver defines write_traced(double*, value).
  template <class Value>
  void operator()(int number, int row, const Value& value) const {
    double* at = out_;
    for (const torsor_trace_pass& pass : passes_)
      for (const torsor_trace_quantity& quantity : std::span(pass.quantity, pass.n_quantity)) {
        if (number-- == 0) return write(at + size_t(row) * trace_numbers(quantity.kind), value);
        at += trace_numbers(quantity.kind, model_);
      }
  }

 private:
  static void write(double* out, double x) { *out = x; }
  static void write(double* out, const Vec3<double>& x) {
    out[0] = x.x, out[1] = x.y, out[2] = x.z;
  }
  static void write(double* out, const Twist<double>& x) { write(out, x.w), write(out + 3, x.v); }
  static void write(double* out, const Wrench<double>& x) { write(out, x.n), write(out + 3, x.f); }
  template <class Own>
  static void write(double* out, const Own& x) {
    write_traced(out, x);
  }

  const torsor_model& model_;
  std::span<const torsor_trace_pass> passes_;
  double* out_;
};

}  // namespace torsor::sdk
