#include "torsor/identification/least_squares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/base/linear_algebra.hpp"

namespace torsor {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Returns the square factor R of a QR decomposition of the rows.
Matrix triangular(const Matrix& rows) {
  const Eigen::Index n = rows.cols();
  Matrix R = Matrix::Zero(n, n);
  const Eigen::Index filled = std::min(rows.rows(), n);
  R.topRows(filled) = qr_triangle(rows);
  return R;
}

struct Solution {
  Vector x;
  Matrix R_inverse;  // cov x = R_inverse R_inverse^T
};
// Solves the equations of all free dof by weighted least squares. The equations of each dof are
// divided by its standard deviation.
Solution solve(const std::vector<Matrix>& joints, const std::vector<double>& deviation) {
  const Eigen::Index n = joints[0].cols();
  Matrix all(n * Eigen::Index(joints.size()), n);
  for (size_t j = 0; j < joints.size(); ++j)
    all.middleRows(n * Eigen::Index(j), n) = joints[j] / deviation[j];
  const Matrix R = triangular(all);
  const auto upper = R.topLeftCorner(n - 1, n - 1).triangularView<Eigen::Upper>();
  return {upper.solve(R.col(n - 1).head(n - 1)), upper.solve(Matrix::Identity(n - 1, n - 1))};
}

// Throws Error if the columns are nearly dependent. In this case, the rounding errors of exact
// torques alone would cause relative errors of the parameters above 1e-8.
void require_excitation(const Matrix& R, const BaseParameters& base) {
  std::vector<std::string> units;
  for (const int p : base.grouping.independent) units.push_back(base.standard[size_t(p)].unit);
  const Svd svd = full_svd(R * column_scales(R, units).cwiseInverse().asDiagonal());
  const Vector& s = svd.s;
  const double least = s(0) * eps / 1e-8;
  std::vector<std::string> names;
  for (Eigen::Index i = 0; i < R.cols(); ++i) {
    double part = 0;
    for (Eigen::Index k = 0; k < s.size(); ++k)
      if (!(s(k) > least)) part = std::max(part, std::abs(svd.V(i, k)));
    if (part > 0.05) names.push_back(base.names[size_t(i)]);
  }
  if (!names.empty())
    throw Error(
        fmt::format("the motion does not determine {} parameter{}: {}; move the joints further, "
                    "faster and with several frequencies, or leave out rotors or friction",
                    names.size(), names.size() == 1 ? "" : "s", fmt::join(names, ", ")));
}

// Solves with weights. Sets residual[j] to the standard deviation of the residuals of joint j, but
// at least `rounding`.
Fit fit_once(const std::vector<Matrix>& joints, const std::vector<long>& counts,
             const std::vector<double>& weight, double rounding) {
  const Solution solution = solve(joints, weight);
  Fit out{solution.x, solution.R_inverse.rowwise().norm(), solution.R_inverse, weight, {}};
  const Eigen::Index n = solution.x.size();
  Vector extended(n + 1);
  extended << -solution.x, 1;
  for (size_t j = 0; j < joints.size(); ++j) {
    const double leverage =
        (joints[j].leftCols(n) * solution.R_inverse).squaredNorm() / (weight[j] * weight[j]);
    const double freedom = double(counts[j]) - leverage;
    const double variance = freedom > 0.5 ? (joints[j] * extended).squaredNorm() / freedom : 0;
    out.residual.push_back(std::max(std::sqrt(variance), rounding));
  }
  return out;
}

// Repeats the fit with the standard deviations of the previous residuals, until they change by less
// than one percent.
Fit fit_weighted(const std::vector<Matrix>& joints, const std::vector<long>& counts,
                 double rounding) {
  constexpr int most_passes = 20;
  Fit out = fit_once(joints, counts, std::vector<double>(joints.size(), 1.0), rounding);
  for (int pass = 0; pass < most_passes; ++pass) {
    out = fit_once(joints, counts, out.residual, rounding);
    double change = 0;
    for (size_t j = 0; j < joints.size(); ++j)
      change = std::max(change, std::abs(out.residual[j] / out.weight[j] - 1));
    if (pass > 0 && change < 0.01) break;
  }
  return out;
}

// Ordinary least squares: one standard deviation for all equations, that of all residuals.
Fit fit_equally(const std::vector<Matrix>& joints, const std::vector<long>& counts,
                double rounding) {
  const std::vector<double> ones(joints.size(), 1.0);
  const Fit first = fit_once(joints, counts, ones, rounding);
  double sum = 0, equations = 0;
  for (size_t j = 0; j < joints.size(); ++j) {
    sum += double(counts[j]) * first.residual[j] * first.residual[j];
    equations += double(counts[j]);
  }
  return fit_once(joints, counts, std::vector<double>(joints.size(), std::sqrt(sum / equations)),
                  rounding);
}

}  // namespace

double student_95(double n) {
  constexpr double z = 1.959963984540054;
  const double z2 = z * z;
  const double g1 = z * (z2 + 1) / 4, g2 = z * ((5 * z2 + 16) * z2 + 3) / 96,
               g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384,
               g4 = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
  return z + (g1 + (g2 + (g3 + g4 / n) / n) / n) / n;
}

Equations::Equations(Eigen::Index unknowns) : rows_(0, unknowns + 1), filled_(0) {
  rows_.setZero(std::max<Eigen::Index>(512, 2 * (unknowns + 1)), unknowns + 1);
}

Matrix Equations::finish() {
  compress();
  return rows_.topRows(rows_.cols());
}

double Equations::root_mean_square() const {
  return count_ == 0 ? 0 : std::sqrt(square_sum_ / double(count_));
}

void Equations::compress() {
  const Matrix R = triangular(rows_.topRows(filled_));
  rows_.setZero();
  rows_.topRows(R.rows()) = R;
  filled_ = R.rows();
}

Fit fit_parameters(std::vector<Equations>& equations, bool equal_weights, Identification& out) {
  const Eigen::Index n = Eigen::Index(out.base.rank());
  if (out.equations < n + least_freedom)
    throw TooFewEquations(fmt::format(
        "{} samples give {} equations for {} parameters; at least {} are needed; {}", out.samples,
        out.equations, n, n + least_freedom,
        out.at_rest > 0
            ? fmt::format("the dead band left out {} equations of joints with dry friction: give a "
                          "smaller --dead-band, or record a longer motion",
                          out.at_rest)
            : "record a longer motion"));
  std::vector<Matrix> rows;
  std::vector<long> counts;
  double largest = 0;
  Matrix all((n + 1) * Eigen::Index(equations.size()), n);
  for (size_t j = 0; j < equations.size(); ++j) {
    rows.push_back(equations[j].finish());
    counts.push_back(equations[j].count());
    largest = std::max(largest, equations[j].root_mean_square());
    all.middleRows((n + 1) * Eigen::Index(j), n + 1) = rows[j].leftCols(n);
  }
  const Matrix R = triangular(all);
  require_excitation(R, out.base);
  out.condition = scaled_condition(R);
  const double rounding = eps * (largest > 0 ? largest : 1);
  const Fit found =
      equal_weights ? fit_equally(rows, counts, rounding) : fit_weighted(rows, counts, rounding);
  out.estimate.assign(found.x.begin(), found.x.end());
  out.covariance_root = found.R_inverse;
  for (size_t j = 0; j < rows.size(); ++j) out.joints[j].residual = found.residual[j];
  return found;
}

void set_intervals(const Vector& deviation, long freedom, Identification& out) {
  const double t = student_95(double(std::max(least_freedom, freedom)));
  for (const double s : deviation) {
    out.deviation.push_back(s);
    out.half_width.push_back(t * s);
  }
}

}  // namespace torsor
