#pragma once
// A cone of the central path (interior_point.hpp), x^ = S x + o in K, with its dual variables w^.

#include "torsor/sdk/constraints/symmetric_cone.hpp"

namespace torsor::sdk {

// x^_0 = factor (x[normal] - offset). The other components are those of the rows from `tangent`.
struct PathCone {
  static constexpr int most = SymmetricCone::most;

  int normal, tangent, dim;
  double factor, offset;
  double w[most] = {};                                  // w^
  double dx[most] = {}, dw[most] = {}, rho[most] = {};  // dx^, dw^
  SymmetricCone::Scaling scaling = {};

  // Writes x^.
  void read(const double* x, double* out) const {
    map(x, out);
    out[0] = factor * (x[normal] - offset);
  }
  // Writes S d.
  void map(const double* d, double* out) const {
    out[0] = factor * d[normal];
    for (int i = 1; i < dim; ++i) out[i] = d[tangent + i - 1];
  }
  // Adds S^T f.
  void add(const double* f, double* to) const {
    for (int i = 0; i < dim; ++i) to[row(i)] += scale(i) * f[i];
  }
  int row(int i) const { return i == 0 ? normal : tangent + i - 1; }
  double scale(int i) const { return i == 0 ? factor : 1; }

  // Returns the part of s_n of a friction group, m |w_t|, for other values of w^.
  double shift(const double* values) const { return factor * SymmetricCone::tail(values, dim); }
  // Returns what the linearisation of this part leaves out after a step dw^, times `part`.
  // is_constant: the linearisation is 0.
  double shift_curvature(double part, bool is_constant) const {
    double at[most], along = 0;
    const double size = SymmetricCone::tail(w, dim);
    for (int i = 0; i < dim; ++i) {
      at[i] = w[i] + part * dw[i];
      if (i > 0 && size > 0 && !is_constant) along += part * dw[i] * w[i] / size;
    }
    return factor * (SymmetricCone::tail(at, dim) - size - along);
  }
  // Returns the change of this part for a change dy of the rates of the rows.
  double shift_change(const double* dy) const {
    const double size = SymmetricCone::tail(w, dim);
    double sum = 0;
    for (int i = 1; i < dim && size > 0; ++i) sum += factor * w[i] / size * dy[row(i)];
    return sum;
  }
  // Writes the derivative a of this part to the entries of its rows, from the row `first`.
  void shift_slope(int first, double* a) const {
    const double size = SymmetricCone::tail(w, dim);
    for (int i = 1; i < dim && size > 0; ++i) a[row(i) - first] = factor * w[i] / size;
  }

  // Sets the scaling for x.
  void set_scaling(const double* x) {
    double at[most];
    read(x, at);
    scaling = SymmetricCone::Scaling(at, w, dim);
  }
  // Sets rho = l \ (mu e - l o l), without the terms of second order of dx^ and dw^ if these count.
  void set_target(double mu, bool second_order) {
    double l[most], target[most], a[most], b[most];
    scaling.apply_inverse(w, l);
    SymmetricCone::multiply(l, l, dim, target);
    for (int i = 0; i < dim; ++i) target[i] = (i == 0 ? mu : 0) - target[i];
    if (second_order) {
      double product[most];
      scaling.apply(dx, a);
      scaling.apply_inverse(dw, b);
      SymmetricCone::multiply(a, b, dim, product);
      for (int i = 0; i < dim; ++i) target[i] -= product[i];
    }
    SymmetricCone::divide(target, l, dim, rho);
  }
  // Sets dw^ for the change dw of the only cone of a block, dx^ = W^-1 rho - Q^-1 dw^, and dx of
  // its rows.
  void respond_alone(const double* change, double* out) {
    for (int i = 0; i < dim; ++i) dw[i] = change[row(i)] / scale(i);
    scaling.apply_inverse(rho, dx);
    for (int i = 0; i < dim; ++i)
      for (int j = 0; j < dim; ++j) dx[i] -= scaling.inverse_entry(i, j) * dw[j];
    for (int i = 0; i < dim; ++i) out[row(i)] = dx[i] / scale(i);
  }
  // Sets dx^ = S dx and dw^ = W rho - Q dx^.
  void respond(const double* d) {
    map(d, dx);
    scaling.apply(rho, dw);
    for (int i = 0; i < dim; ++i)
      for (int j = 0; j < dim; ++j) dw[i] -= scaling.entry(i, j) * dx[j];
  }
  // Returns the largest part of the step for which x^ and w^ are in the cone.
  double largest_step(const double* x) const {
    double at[most];
    read(x, at);
    return std::min(SymmetricCone::largest_step(at, dx, dim),
                    SymmetricCone::largest_step(w, dw, dim));
  }
};

}  // namespace torsor::sdk
