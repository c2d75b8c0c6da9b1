#pragma once
// Accelerations, torques and contact forces of a robot, from a quadratic program:
//   minimise    sum_i w_i (a_i^T vdot - wanted_i)^2 + w_f sum_p |f_p|^2
//   subject to  M vdot + h = tau + sum_p J_p^T f_p
//               tau_k = 0 without a motor,   |tau_k| <= max_torque_k
//               f_p in the friction pyramid of the point p
// The unknowns are vdot [n] and f_p = (f_1, f_2, f_n) along two tangents and the normal of each
// point. tau follows from the equations of motion. Those of dof without a motor are equations of
// the program, and the others its limits of torque.
//
// The pyramid of s sides is inside of the cone |(f_1, f_2)| <= mu f_n and touches it at its edges:
//   f_n >= 0,   cos(2 pi k/s) f_1 + sin(2 pi k/s) f_2 <= mu cos(pi/s) f_n,   k = 0 .. s-1
//
// f = 0 and tau = 0 satisfy all constraints, so that the program always has a solution.

#include <array>
#include <numbers>
#include <numeric>
#include <span>

#include "torsor/sdk/quadratic_program.hpp"

namespace torsor::sdk {

class ContactProgram {
 public:
  // n: number of dof; points: the largest number of points; sides: of the pyramid, at least 3.
  static size_t work_doubles(size_t n, size_t points, int sides) {
    const auto sizes = sizes_of_parts(n, points, sides);
    return std::accumulate(sizes.begin(), sizes.end(), size_t(0));
  }
  // work: [work_doubles(n, points, sides)].
  ContactProgram(size_t n, size_t points, int sides, double* work) : n_(n), sides_(sides) {
    double** const parts[] = {&M_, &h_, &J_, &mu_, &H_, &c_, &A_, &b_, &x_, &u_, &program_};
    const auto sizes = sizes_of_parts(n, points, sides);
    for (size_t i = 0; i < sizes.size(); ++i) *parts[i] = std::exchange(work, work + sizes[i]);
    std::fill_n(H_, n * n, 0.0);
    std::fill_n(c_, n, 0.0);
    for (size_t k = 0; k < n; ++k) H_[k * n + k] = least_weight;
  }

  // The caller writes M [n][n] and the other terms h [n] of the equations of motion.
  double* mass_matrix() { return M_; }
  double* bias() { return h_; }
  // Adds the task a^T vdot = wanted, a [n].
  void add_task(const double* a, double wanted, double weight) {
    for (size_t i = 0; i < n_; ++i) {
      if (a[i] == 0) continue;
      for (size_t j = 0; j <= i; ++j) H_[i * n_ + j] += weight * a[i] * a[j];
      c_[i] -= weight * a[i] * wanted;
    }
  }
  // Adds the task vdot_k = wanted.
  void add_dof_task(size_t k, double wanted, double weight) {
    H_[k * n_ + k] += weight;
    c_[k] -= weight * wanted;
  }
  // Adds a point in contact. The caller writes its Jacobian [3][n] to the result: the velocities
  // along both tangents and the normal, which points away from the environment.
  double* add_point(double mu) {
    mu_[points_] = mu;
    return J_ + 3 * n_ * points_++;
  }

  // Solves the program. max_torque [n] is 0 without a motor, and 1e300 or more without a limit.
  // force_weight: positive. Call it once.
  QuadraticProgram::Outcome solve(std::span<const double> max_torque, double force_weight) {
    const size_t N = n_ + 3 * points_;
    spread_tasks(N, force_weight);
    size_t m = 0;
    const auto next = [&](double bound) {
      b_[m] = bound;
      return A_ + N * m++;
    };
    for (size_t k = 0; k < n_; ++k)
      if (max_torque[k] == 0) write_row(k, 1, next(-h_[k]));
    const size_t equalities = m;
    for (size_t k = 0; k < n_; ++k) {
      const double most = max_torque[k];
      if (most == 0 || most >= 1e300) continue;
      write_row(k, 1, next(-most - h_[k]));
      write_row(k, -1, next(h_[k] - most));
    }
    for (size_t point = 0; point < points_; ++point)
      for (int side = -1; side < sides_; ++side) write_side(N, point, side, next(0));
    QuadraticProgram program(N, m, program_);
    return program.solve(
        {.n = N, .m = m, .equalities = equalities, .H = H_, .c = c_, .A = A_, .b = b_}, x_, u_);
  }

  // The solution: vdot [n], the force on the robot at a point [3], the torque of a dof, and its
  // part of sum_p J_p^T f_p.
  std::span<const double> vdot() const { return {x_, n_}; }
  size_t points() const { return points_; }
  std::span<const double> force(size_t point) const { return {x_ + n_ + 3 * point, 3}; }
  double torque(size_t k) const {
    double sum = h_[k] - contact_torque(k);
    for (size_t j = 0; j < n_; ++j) sum += M_[k * n_ + j] * x_[j];
    return sum;
  }
  double contact_torque(size_t k) const {
    double sum = 0;
    for (size_t i = 0; i < 3 * points_; ++i) sum += J_[i * n_ + k] * x_[n_ + i];
    return sum;
  }

 private:
  // The weight of |vdot|^2. It makes the program strictly convex for accelerations that no task
  // determines.
  static constexpr double least_weight = 1e-8;

  static std::array<size_t, 11> sizes_of_parts(size_t n, size_t points, int sides) {
    const size_t N = n + 3 * points, m = 2 * n + points * (size_t(sides) + 1);
    return {n * n,
            n,
            3 * points * n,
            points,
            N * N,
            N,
            m * N,
            m,
            N,
            m,
            QuadraticProgram::work_doubles(N, m)};
  }

  // Changes the rows of H from n to N numbers, and adds those of the forces.
  void spread_tasks(size_t N, double force_weight) {
    for (size_t i = n_; i-- > 1;)
      std::copy_backward(H_ + i * n_, H_ + i * n_ + i + 1, H_ + i * N + i + 1);
    for (size_t i = n_; i < N; ++i) {
      std::fill_n(H_ + i * N, i, 0.0);
      H_[i * N + i] = force_weight;
      c_[i] = 0;
    }
  }
  // Writes the row of dof k of M vdot - sum_p J_p^T f_p, times `sign`.
  void write_row(size_t k, double sign, double* row) const {
    for (size_t j = 0; j < n_; ++j) row[j] = sign * M_[k * n_ + j];
    for (size_t i = 0; i < 3 * points_; ++i) row[n_ + i] = -sign * J_[i * n_ + k];
  }
  // Writes the row of a side of the pyramid, or of f_n for side -1.
  void write_side(size_t N, size_t point, int side, double* row) const {
    std::fill_n(row, N, 0.0);
    double* f = row + n_ + 3 * point;
    f[2] = 1;
    if (side < 0) return;
    const double angle = 2 * std::numbers::pi * side / sides_;
    f[0] = -std::cos(angle), f[1] = -std::sin(angle);
    f[2] = mu_[point] * std::cos(std::numbers::pi / sides_);
  }

  size_t n_, points_ = 0;
  int sides_;
  double *M_, *h_, *J_, *mu_, *H_, *c_, *A_, *b_, *x_, *u_, *program_;
};

}  // namespace torsor::sdk
