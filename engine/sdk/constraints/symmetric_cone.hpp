#pragma once
// The algebra of the second-order cone x_0 >= |(x_1, x_2)|, of dimension 1 to 3, for interior point
// methods (Alizadeh and Goldfarb, *Second-order cone programming*, 2003; Vandenberghe, *The CVXOPT
// linear and quadratic cone program solvers*, 2010). With J = diag(1, -1, -1):
//   det x = x^T J x,   x o y = (x^T y, x_0 y_t + y_0 x_t),   the identity e = (1, 0, 0)

#include <algorithm>
#include <cmath>
#include <limits>

namespace torsor::sdk {

class SymmetricCone {
 public:
  static constexpr int most = 3;

  // Returns det x without cancellation of squares.
  static double determinant(const double* x, int dim) {
    const double t = tail(x, dim);
    return (x[0] - t) * (x[0] + t);
  }
  // Returns |(x_1, x_2)|.
  static double tail(const double* x, int dim) {
    return dim == 1 ? 0 : dim == 2 ? std::abs(x[1]) : std::sqrt(x[1] * x[1] + x[2] * x[2]);
  }
  // Writes x o y.
  static void multiply(const double* x, const double* y, int dim, double* out) {
    double sum = 0;
    for (int i = 0; i < dim; ++i) sum += x[i] * y[i];
    for (int i = 1; i < dim; ++i) out[i] = x[0] * y[i] + y[0] * x[i];
    out[0] = sum;
  }
  // Writes y with x o y = r.
  static void divide(const double* r, const double* x, int dim, double* out) {
    double sum = x[0] * r[0];
    for (int i = 1; i < dim; ++i) sum -= x[i] * r[i];
    out[0] = dim == 1 ? r[0] / x[0] : sum / determinant(x, dim);
    for (int i = 1; i < dim; ++i) out[i] = (r[i] - out[0] * x[i]) / x[0];
  }
  // Returns the largest step a for which x + a dx is in the cone. x is in its interior.
  static double largest_step(const double* x, const double* dx, int dim) {
    constexpr double none = std::numeric_limits<double>::max();
    double step = dx[0] < 0 ? -x[0] / dx[0] : none;
    if (dim == 1) return step;
    double a = dx[0] * dx[0], b = x[0] * dx[0];
    for (int i = 1; i < dim; ++i) a -= dx[i] * dx[i], b -= x[i] * dx[i];
    const double c = std::max(determinant(x, dim), 0.0), square = b * b - a * c;
    if (square < 0) return step;
    const double q = -(b + std::copysign(std::sqrt(square), b));
    if (q * a > 0) step = std::min(step, q / a);
    if (q > 0) step = std::min(step, c / q);
    return step;
  }

  // The scaling point of Nesterov and Todd: Q x = w for x and w in the interior. W = Q^1/2.
  //   Q = beta^2 (2 q q^T - J),   W = beta (2 p p^T - J)
  class Scaling {
   public:
    Scaling() = default;
    Scaling(const double* x, const double* w, int dim) : dim_(dim) {
      constexpr double least = std::numeric_limits<double>::min();
      const double size_x = std::sqrt(std::max(determinant(x, dim), least)),
                   size_w = std::sqrt(std::max(determinant(w, dim), least));
      beta_ = std::sqrt(size_w / size_x);
      if (dim == 1) return;
      double product = 0;
      for (int i = 0; i < dim; ++i) product += (x[i] / size_x) * (w[i] / size_w);
      const double factor = 1 / std::sqrt(2 * (1 + product));
      double square = 1;
      for (int i = 1; i < dim; ++i) {
        q_[i] = factor * (w[i] / size_w - x[i] / size_x);
        square += q_[i] * q_[i];
      }
      q_[0] = std::sqrt(square);
      const double root = 1 / std::sqrt(2 * (q_[0] + 1));
      for (int i = 0; i < dim; ++i) p_[i] = root * (q_[i] + (i == 0 ? 1 : 0));
    }
    // Writes W x or W^-1 x.
    void apply(const double* x, double* out) const { reflect(p_, 1, beta_, x, out); }
    void apply_inverse(const double* x, double* out) const { reflect(p_, -1, 1 / beta_, x, out); }
    // Returns Q_ij or (Q^-1)_ij.
    double entry(int i, int j) const { return element(i, j, 1, beta_ * beta_); }
    double inverse_entry(int i, int j) const { return element(i, j, -1, 1 / (beta_ * beta_)); }

   private:
    double element(int i, int j, double sign, double scale) const {
      if (dim_ == 1) return scale;
      const double q_i = i > 0 ? sign * q_[i] : q_[i], q_j = j > 0 ? sign * q_[j] : q_[j];
      return scale * (2 * q_i * q_j - (i != j ? 0 : i > 0 ? -1 : 1));
    }
    void reflect(const double* p, double sign, double scale, const double* x, double* out) const {
      if (dim_ == 1) {
        out[0] = scale * x[0];
        return;
      }
      double product = p[0] * x[0];
      for (int i = 1; i < dim_; ++i) product += sign * p[i] * x[i];
      out[0] = scale * (2 * product * p[0] - x[0]);
      for (int i = 1; i < dim_; ++i) out[i] = scale * (2 * product * sign * p[i] + x[i]);
    }

    int dim_ = 1;
    double beta_ = 1, q_[most] = {}, p_[most] = {};
  };
};

}  // namespace torsor::sdk
