#include "torsor/identification/drive_gains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/base/linear_algebra.hpp"
#include "torsor/identification/least_squares.hpp"
#include "torsor/identification/sample_equations.hpp"
#include "torsor/mechanics/regressor.hpp"

namespace torsor {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Returns B pi_load [rank].
Vector base_of_load(const Model& model, const BaseParameters& base, const CarriedLoad& load) {
  Vector pi = Vector::Zero(Eigen::Index(base.standard.size()));
  const auto numbers = inertial_numbers(load.inertia_L);
  bool found = false;
  for (size_t p = 0; p < base.standard.size(); ++p) {
    const DynamicParameter& parameter = base.standard[p];
    if (parameter.link < 0 || model.links[size_t(parameter.link)].name != load.link) continue;
    pi(Eigen::Index(p)) = numbers[size_t(parameter.entry)];
    found = true;
  }
  if (!found)
    throw Error(
        fmt::format("no moving link is named '{}', so it cannot carry the load", load.link));
  return base.grouping.B * pi;
}

// The equations of one joint in one motion: u = g W (x + load), as the factor R of (W | u).
struct Group {
  size_t joint;
  long count;
  Matrix R;
  const Vector* load;  // [rank]
};

struct Gains {
  Vector x, g;  // [rank], and [joints] 1 / K
};

Vector residual(const Group& group, const Gains& at) {
  const Eigen::Index rank = at.x.size();
  return group.R.col(rank) -
         at.g(Eigen::Index(group.joint)) * (group.R.leftCols(rank) * (at.x + *group.load));
}

// Rows of the derivatives of the model's signals by (x, g), and of the residuals, divided by the
// standard deviations of the joints. A last row keeps a known gain from changing.
Matrix linearised(const std::vector<Group>& groups, const Gains& at,
                  const std::vector<double>& deviation, int known) {
  const Eigen::Index rank = at.x.size(), n = rank + at.g.size();
  Matrix rows = Matrix::Zero(Eigen::Index(groups.size()) * (rank + 1) + 1, n + 1);
  if (known >= 0) rows(rows.rows() - 1, rank + known) = 1;
  for (size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    auto own = rows.middleRows(Eigen::Index(i) * (rank + 1), rank + 1);
    const Eigen::Index j = Eigen::Index(group.joint);
    own.leftCols(rank) = at.g(j) * group.R.leftCols(rank);
    if (int(j) != known) own.col(rank + j) = group.R.leftCols(rank) * (at.x + *group.load);
    own.col(n) = residual(group, at);
    own /= deviation[group.joint];
  }
  return rows;
}

// Returns the start of the iteration: x and K that minimise |K u - W (x + load)|, a linear problem.
Gains linear_start(const std::vector<Group>& groups, Eigen::Index rank, Eigen::Index joints,
                   const std::optional<std::pair<int, double>>& known) {
  const Eigen::Index n = rank + joints;
  Matrix rows = Matrix::Zero(Eigen::Index(groups.size()) * (rank + 1) + 1, n + 1);
  for (size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    auto own = rows.middleRows(Eigen::Index(i) * (rank + 1), rank + 1);
    const Eigen::Index j = Eigen::Index(group.joint);
    own.leftCols(rank) = group.R.leftCols(rank);
    own.col(n) = -group.R.leftCols(rank) * *group.load;
    if (known && known->first == int(j))
      own.col(n) += known->second * group.R.col(rank);
    else
      own.col(rank + j) = -group.R.col(rank);
  }
  // Keeps the column of the known gain from being zero.
  if (known) rows(rows.rows() - 1, rank + known->first) = 1;
  Vector scale = rows.leftCols(n).colwise().norm();
  rows.leftCols(n) *= scale.cwiseInverse().asDiagonal();
  const Matrix R = qr_triangle(rows);
  const Vector s = singular_values(R.topLeftCorner(n, n));
  if (!(s(n - 1) > 1e-10 * s(0)))
    throw Error(
        "the motions do not determine the scale of the gains; add a motion with a known load, "
        "or give one gain");
  const Vector z = R.topLeftCorner(n, n)
                       .triangularView<Eigen::Upper>()
                       .solve(R.col(n).head(n))
                       .cwiseQuotient(scale);
  Gains out{z.head(rank), z.tail(joints).cwiseInverse()};
  if (known) out.g(known->first) = 1 / known->second;
  return out;
}

// Returns the standard deviation of the residuals of each joint.
std::vector<double> deviations(const std::vector<Group>& groups, const Gains& at) {
  std::vector<double> sum(size_t(at.g.size()), 0.0), count = sum;
  double largest = 0;
  for (const Group& group : groups) {
    sum[group.joint] += residual(group, at).squaredNorm();
    count[group.joint] += double(group.count);
    largest = std::max(largest, group.R.col(at.x.size()).norm());
  }
  const double unknowns = double(at.x.size() + at.g.size()) / double(at.g.size());
  for (size_t j = 0; j < sum.size(); ++j)
    sum[j] = std::max(std::sqrt(sum[j] / std::max(1.0, count[j] - unknowns)),
                      std::numeric_limits<double>::epsilon() * largest);
  return sum;
}

}  // namespace

DriveGains identify_gains(const std::shared_ptr<const Model>& model, const Vec3<double>& gravity_W,
                          const ParameterChoice& choice, std::span<const SignalMotion> motions,
                          const std::optional<KnownGain>& known, const Estimator& estimator) {
  constexpr int most_passes = 50;
  require_no_springs(*model);
  if (!model->mimics.empty())
    throw Error("gains of robots with mimic joints are not identified; fix the mimic joints");
  DriveGains out;
  out.base = base_parameters(model, gravity_W, choice);
  const Eigen::Index rank = Eigen::Index(out.base.rank()), joints = model->n_v;
  SampleEquations at(model, gravity_W, choice, out.base.grouping.independent, {}, {});
  std::vector<Vector> loads;
  for (const SignalMotion& each : motions) {
    loads.push_back(each.load ? base_of_load(*model, out.base, *each.load) : Vector::Zero(rank));
  }
  // With the same load in all motions, scaled gains fit to scaled parameters of robot and load.
  const bool loads_differ =
      std::ranges::any_of(loads, [&](const Vector& load) { return load != loads[0]; });
  if (!loads_differ && !known)
    throw Error(
        "gains and parameters are determined only up to a common factor; give motions with and "
        "without a known load, or one gain");
  std::vector<Group> groups;
  long count = 0;
  for (size_t r = 0; r < motions.size(); ++r) {
    std::vector<Equations> equations(size_t(model->n_v), Equations(rank));
    every_sample(at, *model, motions[r].motion,
                 estimator.decimation)([&](const SampleRows& sample) {
      for (size_t j = 0; j < equations.size(); ++j)
        if (sample.loss[j] == SampleEquations::Loss::none)
          equations[j].add(sample.W.row(Eigen::Index(j)), sample.y(Eigen::Index(j)));
    });
    for (size_t j = 0; j < equations.size(); ++j) {
      count += equations[j].count();
      groups.push_back({j, equations[j].count(), equations[j].finish(), &loads[r]});
    }
  }
  if (count < rank + joints + least_freedom)
    throw TooFewEquations(
        fmt::format("{} equations are too few for {} parameters and {} gains; at "
                    "least {} are needed; record longer motions",
                    count, rank, joints, rank + joints + least_freedom));
  std::optional<std::pair<int, double>> fixed;
  if (known) fixed = {known->dof, known->gain};
  Gains found = linear_start(groups, rank, joints, fixed);
  const Eigen::Index n = rank + joints;
  Matrix covariance_root;
  std::vector<double> s = deviations(groups, found);
  for (int pass = 0; pass < most_passes; ++pass) {
    Matrix rows = linearised(groups, found, s, known ? known->dof : -1);
    const Vector scale = rows.leftCols(n).colwise().norm();
    rows.leftCols(n) *= scale.cwiseInverse().asDiagonal();
    const Matrix R = qr_triangle(rows);
    const auto upper = R.topLeftCorner(n, n).triangularView<Eigen::Upper>();
    const Vector step = upper.solve(R.col(n).head(n)).cwiseQuotient(scale);
    covariance_root =
        scale.cwiseInverse().asDiagonal() * Matrix(upper.solve(Matrix::Identity(n, n)));
    found.x += step.head(rank);
    found.g += step.tail(joints);
    s = deviations(groups, found);
    if ((rows.leftCols(n) * step.cwiseProduct(scale)).norm() < 1e-6) break;
  }
  const Vector sigma = covariance_root.rowwise().norm();
  if (!found.x.allFinite() || !found.g.allFinite() || !sigma.allFinite())
    throw Error(
        "the gains or parameters are not finite numbers; the signals, or the known gain, are too "
        "large or too small");
  out.estimate.assign(found.x.begin(), found.x.end());
  out.deviation.assign(sigma.begin(), sigma.begin() + rank);
  const std::vector<std::string> names = model->dof_names();
  for (Eigen::Index j = 0; j < joints; ++j) {
    const bool given = known && j == known->dof;
    const double gain = given ? known->gain : 1 / found.g(j);
    out.joints.push_back(
        {names[size_t(j)], gain, given ? 0 : gain * gain * sigma(rank + j), s[size_t(j)]});
  }
  return out;
}

}  // namespace torsor
