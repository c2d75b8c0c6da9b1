#include "torsor/identification/physical.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/base/linear_algebra.hpp"
#include "torsor/mechanics/regressor.hpp"

namespace torsor {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Pseudo = Eigen::Matrix4d;

// x: [10] inertial parameters.
Pseudo pseudo_inertia(const double* x) {
  const double half = (x[4] + x[5] + x[6]) / 2;
  Pseudo P;
  P << half - x[4], -x[7], -x[8], x[1], -x[7], half - x[5], -x[9], x[2], -x[8], -x[9], half - x[6],
      x[3], x[1], x[2], x[3], x[0];
  return P;
}
// Writes the inertial parameters x [10] of a pseudo-inertia.
void set_inertia(const Pseudo& P, double* x) {
  const double trace = P(0, 0) + P(1, 1) + P(2, 2);
  const double numbers[n_inertial] = {P(3, 3),         P(0, 3),         P(1, 3),         P(2, 3),
                                      trace - P(0, 0), trace - P(1, 1), trace - P(2, 2), -P(0, 1),
                                      -P(0, 2),        -P(1, 2)};
  std::copy_n(numbers, n_inertial, x);
}

// Returns the radius of gyration of a link about its origin, or 0.1 m if it is zero or not defined.
// It is the unit of length of the link.
double length_of(const double* x) {
  const Pseudo P = pseudo_inertia(x);
  const double square = (P(0, 0) + P(1, 1) + P(2, 2)) / P(3, 3);
  return std::isfinite(square) && square > 1e-8 ? std::sqrt(square) : 0.1;
}

// A link or a single parameter whose matrix P(pi) must be positive definite.
struct Block {
  Eigen::Index first, size;  // parameters
  Matrix nominal_inverse;    // P_0^-1
};

Matrix block_matrix(const Block& block, const double* x) {
  if (block.size == 1) return Matrix::Constant(1, 1, *x);
  return pseudo_inertia(x);
}

// Returns the pseudo-inertia nearest to that of the model whose eigenvalues, in units of the link's
// length, are at least a ten-thousandth of its trace and of least_mass.
Matrix possible_link(const double* x, double least_mass) {
  const double length = length_of(x);
  const Eigen::Vector4d unit(length, length, length, 1), inverse = unit.cwiseInverse();
  const SymmetricEigen eigen =
      symmetric_eigen(Matrix(inverse.asDiagonal() * pseudo_inertia(x) * inverse.asDiagonal()));
  const double least = 1e-4 * std::max(eigen.values.cwiseAbs().sum(), least_mass);
  const Matrix P =
      eigen.vectors * eigen.values.cwiseMax(least).asDiagonal() * eigen.vectors.transpose();
  return unit.asDiagonal() * P * unit.asDiagonal();
}

// The nominal robot: the model, with its impossible and zero parameters replaced by possible ones.
struct Nominal {
  std::vector<Block> blocks;
  Vector pi;
};
Nominal nominal(const Identification& found) {
  using Kind = DynamicParameter::Kind;
  const std::vector<DynamicParameter>& parameters = found.base.standard;
  Nominal out{{}, Vector(Eigen::Index(parameters.size()))};
  double mass = 0, links = 0;
  for (const DynamicParameter& parameter : parameters) {
    const bool is_mass = parameter.kind == Kind::inertial && parameter.entry == 0;
    if (is_mass) mass += std::max(0.0, parameter.value), ++links;
  }
  const double least_mass = mass > 0 ? mass / links : 1;
  for (size_t p = 0; p < parameters.size();) {
    const Eigen::Index first = Eigen::Index(p);
    if (parameters[p].kind != Kind::inertial) {
      // A tenth of the base parameters that contain it, if the model does not have the parameter.
      double size = 1e-6;
      for (Eigen::Index i = 0; i < found.base.grouping.B.rows(); ++i)
        if (found.base.grouping.B(i, first) != 0)
          size = std::max(size, 0.1 * std::abs(found.estimate[size_t(i)]));
      out.pi(first) = parameters[p].value > 0 ? parameters[p].value : size;
      out.blocks.push_back({first, 1, Matrix::Constant(1, 1, 1 / out.pi(first))});
      ++p;
      continue;
    }
    double own[n_inertial];
    for (size_t k = 0; k < n_inertial; ++k) own[k] = parameters[p + k].value;
    const Matrix P = possible_link(own, least_mass);
    set_inertia(P, out.pi.data() + first);
    out.blocks.push_back({first, n_inertial, *inverse(P)});
    p += n_inertial;
  }
  return out;
}

// Returns the sum of D over all blocks, or infinity if a block is not positive definite.
double divergence(const std::vector<Block>& blocks, const Vector& pi) {
  double sum = 0;
  for (const Block& block : blocks) {
    const Matrix P = block_matrix(block, pi.data() + block.first);
    const auto L = cholesky(P);
    if (!L) return std::numeric_limits<double>::infinity();
    sum += (block.nominal_inverse * P).trace() - 2 * L->diagonal().array().log().sum();
  }
  return sum;
}

// The problem for one gamma, with A = R B and a = R x.
struct Problem {
  const Matrix& A;
  const Vector& a;
  const std::vector<Block>& blocks;
  double gamma;
  double value(const Vector& pi) const {
    return 0.5 * (A * pi - a).squaredNorm() + gamma * divergence(blocks, pi);
  }
};

// The Newton step d. With P = L L^T and E_k = dP / dpi_k, the gradient and the Hessian of D are
//   gradient_k = tr(P_0^-1 E_k) - tr(P^-1 E_k) = <V_k, L^T P_0^-1 L - 1>,   V_k = L^-1 E_k L^-T
//   Hessian_kl = tr(P^-1 E_k P^-1 E_l) = <V_k, V_l>
// so d solves the linear least squares problem
//   min |A d + A pi - a|^2 + gamma sum_l |sum_k V_k d_k + L^T P_0^-1 L - 1|^2
// A QR decomposition solves it. Its condition number is the square root of that of the Hessian.
struct Step {
  Vector d;
  double decrement;  // d^T Hessian d
};

// Writes the rows of a block: its columns V_k, and the negative right side.
void set_block_rows(const Block& block, const Vector& pi, double root_gamma, Eigen::Index first,
                    Matrix& rows) {
  const Matrix P = block_matrix(block, pi.data() + block.first);
  const Matrix L = *cholesky(P);
  const auto lower = L.triangularView<Eigen::Lower>();
  const Eigen::Index entries = P.size();
  for (Eigen::Index k = 0; k < block.size; ++k) {
    const Vector unit = Vector::Unit(block.size, k);
    const Matrix half = lower.solve(block_matrix(block, unit.data()));
    const Matrix V = lower.solve(half.transpose());
    rows.col(block.first + k).segment(first, entries) = root_gamma * V.reshaped();
  }
  const Matrix rest =
      L.transpose() * block.nominal_inverse * L - Matrix::Identity(P.rows(), P.cols());
  rows.rightCols(1).middleRows(first, entries) = -root_gamma * rest.reshaped();
}

// Returns nothing if the step is not finite. pi must be positive definite.
std::optional<Step> newton_step(const Problem& problem, const Vector& pi) {
  const Eigen::Index n = pi.size();
  Eigen::Index height = problem.A.rows();
  for (const Block& block : problem.blocks) height += block.nominal_inverse.size();
  Matrix rows = Matrix::Zero(height, n + 1);
  rows.topLeftCorner(problem.A.rows(), n) = problem.A;
  rows.topRightCorner(problem.A.rows(), 1) = problem.a - problem.A * pi;
  Eigen::Index first = problem.A.rows();
  for (const Block& block : problem.blocks) {
    set_block_rows(block, pi, std::sqrt(problem.gamma), first, rows);
    first += block.nominal_inverse.size();
  }
  // Equal column norms improve the accuracy of the decomposition.
  const Vector scale = rows.leftCols(n).colwise().norm();
  rows.leftCols(n) *= scale.cwiseInverse().asDiagonal();
  const Matrix R = qr_triangle(rows);
  const Vector scaled =
      R.topLeftCorner(n, n).triangularView<Eigen::Upper>().solve(R.col(n).head(n));
  const Vector d = scaled.cwiseQuotient(scale);
  if (!d.allFinite()) return std::nullopt;
  return Step{d, (rows.leftCols(n) * scaled).squaredNorm()};
}

// Minimises by Newton's method with a line search. Returns false if it does not converge. pi is
// then the best point so far.
bool minimise(const Problem& problem, Vector& pi) {
  constexpr int most_steps = 100;
  double value = problem.value(pi);
  for (int i = 0; i < most_steps; ++i) {
    const auto step = newton_step(problem, pi);
    if (!step) return false;
    if (step->decrement <= 1e-6 * problem.gamma) return true;
    double length = 1, next = 0;
    for (; length > 1e-10; length /= 2) {
      next = problem.value(pi + length * step->d);
      if (next <= value - 0.1 * length * step->decrement) break;
    }
    // The decrease is below the rounding errors of the value.
    if (length <= 1e-10) return true;
    pi += length * step->d;
    value = next;
  }
  return false;
}

}  // namespace

// gamma falls from a value at which the model prevails. Each solution starts the next one. All
// points are physically possible, so that the last one is a result even if rounding errors end the
// iteration.
PhysicalFit fit_physical(const Identification& found) {
  constexpr double final_gamma = 1e-3;
  // The largest sum of squares of the torques, divided by their standard deviations. Exact data
  // would have weights that exceed the accuracy of the decomposition.
  constexpr double largest_sum = 1e12;
  const Matrix& B = found.base.grouping.B;
  const Eigen::Index rank = B.rows();
  const Eigen::Map<const Vector> x(found.estimate.data(), rank);
  const auto R_of = found.covariance_root.triangularView<Eigen::Upper>();
  Matrix A = R_of.solve(B);
  Vector a = R_of.solve(x);
  const double weight = std::min(1.0, std::sqrt(largest_sum) / a.norm());
  A *= weight;
  a *= weight;
  auto [blocks, pi] = nominal(found);
  const double size = (A * pi - a).squaredNorm() + 1;
  for (double gamma = std::max(final_gamma, size);; gamma = std::max(final_gamma, gamma / 10))
    if (!minimise({A, a, blocks, gamma}, pi) || gamma == final_gamma) break;
  const Vector base = B * pi;
  const Eigen::Map<const Vector> half_width(found.half_width.data(), rank);
  Eigen::Index of = 0;
  const double farthest = weight * (base - x).cwiseAbs().cwiseQuotient(half_width).maxCoeff(&of);
  return {{pi.begin(), pi.end()},
          {base.begin(), base.end()},
          weight * R_of.solve(base - x).norm() / std::sqrt(double(rank)),
          farthest,
          int(of)};
}

}  // namespace torsor
