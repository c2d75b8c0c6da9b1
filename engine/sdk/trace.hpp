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

constexpr bool is_trace_kind(int32_t kind) {
  return kind >= 0 && kind <= TORSOR_TRACE_JOINT_SYMBOLS;
}
// Returns how many numbers a quantity has per body or dof.
constexpr size_t trace_numbers(int32_t kind, int32_t n_v) {
  const size_t n = size_t(n_v);
  const size_t numbers[] = {3, 3, 3, 6, 6, 6, 36, 3, 6 * n, 6 * n, 1, 1, 1, 1, 6, n, n, n * n};
  return numbers[kind];
}
// Returns true if a quantity of this kind has one entry per dof, and false if it has one per body.
constexpr bool traced_by_column(int32_t kind) {
  return kind >= TORSOR_TRACE_JOINT_VELOCITY;
}
// Returns how many numbers a quantity has for all bodies or dof.
constexpr size_t trace_size(int32_t kind, const torsor_model& model) {
  return trace_numbers(kind, model.n_v) * size_t(traced_by_column(kind) ? model.n_v : model.n_body);
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

// True if the calls of a trace have an effect. Quantities that only a trace needs are computed
// only then.
template <class Tracing>
inline constexpr bool is_tracing = !std::is_same_v<Tracing, NoTrace>;

// Writes quantities to the array `out` of torsor_solver_trace.
class Trace {
 public:
  Trace(const torsor_model& model, std::span<const torsor_trace_pass> passes, double* out)
      : model_(model), passes_(passes), out_(out) {}

  // Writes a value. `number` is the index of the quantity among those of all passes. `row` is the
  // body or the dof. For its own types, a solver defines write_traced(double*, value).
  template <class Value>
  void operator()(int number, int row, const Value& value) const {
    const Place at = place(number);
    write(at.x + size_t(row) * trace_numbers(at.kind, model_.n_v), value);
  }
  // Returns the numbers of a quantity for all bodies or dof. The rows of a matrix are the matrix.
  double* array(int number) const { return place(number).x; }

 private:
  struct Place {
    double* x;
    int32_t kind;
  };
  Place place(int number) const {
    double* at = out_;
    for (const torsor_trace_pass& pass : passes_)
      for (const torsor_trace_quantity& quantity : std::span(pass.quantity, pass.n_quantity)) {
        if (number-- == 0) return {at, quantity.kind};
        at += trace_size(quantity.kind, model_);
      }
    return {};
  }
  static void write(double* out, double x) { *out = x; }
  static void write(double* out, const Vec3<double>& x) {
    out[0] = x.x, out[1] = x.y, out[2] = x.z;
  }
  static void write(double* out, const Twist<double>& x) { write(out, x.w), write(out + 3, x.v); }
  static void write(double* out, const Wrench<double>& x) { write(out, x.n), write(out + 3, x.f); }
  // The 6 x 6 matrix, by rows.
  static void write(double* out, const SpatialInertia<double>& M) {
    for (int k = 0; k < 6; ++k) {
      double e[6] = {};
      e[k] = 1;
      write(out + 6 * k, M * Twist<double>{{e[0], e[1], e[2]}, {e[3], e[4], e[5]}});
    }
  }
  template <class Own>
  static void write(double* out, const Own& x) {
    write_traced(out, x);
  }

  const torsor_model& model_;
  std::span<const torsor_trace_pass> passes_;
  double* out_;
};

}  // namespace torsor::sdk
