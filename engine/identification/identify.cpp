#include "torsor/identification/identify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/base/error.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/identification/least_squares.hpp"
#include "torsor/identification/sample_equations.hpp"

namespace torsor {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Loss = SampleEquations::Loss;

// Adds the equations of one sample to those of each free dof. Counts the omitted equations in
// `out`.
void add_sample(const SampleRows& sample, std::vector<Equations>& equations, Identification& out) {
  for (size_t j = 0; j < equations.size(); ++j) {
    const Eigen::Index row = Eigen::Index(j);
    if (sample.loss[j] == Loss::none) equations[j].add(sample.W.row(row), sample.y(row));
    out.at_rest += sample.loss[j] == Loss::at_rest;
  }
  ++out.samples;
}

// Returns standard deviations [rank] that are valid even if the errors within a sample are
// correlated and depend on the state. Noise in v and vdot causes such errors, because it enters the
// equations of several joints through W. W_k and e_k are the rows and residuals of sample k,
// divided by the weights of their joints. With H_k = W_k A W_k^T:
//   cov x = A (sum_k g_k g_k^T) A,  g_k = W_k^T (1 - H_k)^-1/2 e_k
// (Liang and Zeger 1986). The factor (1 - H_k)^-1/2 removes the bias for independent errors (Bell
// and McCaffrey 2002).
Vector robust_deviation(const EverySample& each, const Fit& fit) {
  const Eigen::Index n = fit.x.size();
  Matrix sum = Matrix::Zero(n, n);  // sum of u_k u_k^T, u_k = R_inverse^T g_k
  each([&](const SampleRows& sample) {
    std::vector<Eigen::Index> used;
    for (Eigen::Index j = 0; j < sample.y.size(); ++j)
      if (sample.loss[size_t(j)] == Loss::none) used.push_back(j);
    if (used.empty()) return;
    Matrix W(Eigen::Index(used.size()), n);
    Vector e(W.rows());
    for (Eigen::Index i = 0; i < e.size(); ++i) {
      const Eigen::Index j = used[size_t(i)];
      W.row(i) = sample.W.row(j) / fit.weight[size_t(j)];
      e(i) = sample.y(j) / fit.weight[size_t(j)] - W.row(i) * fit.x;
    }
    const Matrix L = W * fit.R_inverse;
    const SymmetricEigen H = symmetric_eigen(L * L.transpose());
    // Along an eigenvector of H with eigenvalue h, the residual is 1 - h times the error. Omits
    // eigenvectors with h >= 1 - 1e-8. Their contribution would be at most 1e-4 times the error.
    const Vector factor =
        H.values.unaryExpr([](double h) { return h < 1 - 1e-8 ? 1 / std::sqrt(1 - h) : 0; });
    const Vector u = L.transpose() * (H.vectors * factor.cwiseProduct(H.vectors.transpose() * e));
    sum.selfadjointView<Eigen::Lower>().rankUpdate(u);
  });
  const Matrix full = sum.selfadjointView<Eigen::Lower>();
  return (fit.R_inverse * full).cwiseProduct(fit.R_inverse).rowwise().sum().cwiseMax(0).cwiseSqrt();
}

}  // namespace

void require_no_springs(const Model& model) {
  const auto reject_spring = [](const std::string& joint) {
    throw Error(
        fmt::format("joint '{}' has a spring, which is not identified; remove it from the model, "
                    "and its torque from the recording",
                    joint));
  };
  for (const Joint& joint : model.joints)
    if (joint.spring) reject_spring(joint.name);
  for (int c = 0; c < model.n_v; ++c) {
    const std::string& name = model.joint_of_dof(c).name;
    if (model.drives[size_t(c)].elasticity)
      throw Error(
          fmt::format("joint '{}' is elastic: a recording lacks the torque in its spring; identify "
                      "a robot with rigid joints",
                      name));
    if (model.drives[size_t(c)].spring.stiffness > 0) reject_spring(name);
  }
  if (!model.elastic_rotors.empty())
    throw Error(
        fmt::format("joint '{}' is driven by a spring: a recording lacks the torque in it; "
                    "identify a robot with rigid joints",
                    model.joint_of_dof(model.elastic_rotors[0].dof).name));
}

size_t Decimation::interval() const {
  return std::max<size_t>(1, size_t(0.4 * filter.rate() / filter.cutoff()));
}

Identification identify(const std::shared_ptr<const Model>& model, const Vec3<double>& gravity_W,
                        const ParameterChoice& choice, const MeasuredMotion& motion,
                        std::span<const int> unmeasured, std::span<const double> dead_band,
                        const Estimator& estimator) {
  require_no_springs(*model);
  Identification out;
  out.base = base_parameters(model, gravity_W, choice);
  const Eigen::Index n = Eigen::Index(out.base.rank());
  SampleEquations at(model, gravity_W, choice, out.base.grouping.independent, unmeasured,
                     dead_band);
  const EverySample each = every_sample(at, *model, motion, estimator.decimation);
  std::vector<Equations> equations(size_t(at.n_free()), Equations(n));
  each([&](const SampleRows& sample) { add_sample(sample, equations, out); });
  const std::vector<std::string> names = model->dof_names();
  for (size_t j = 0; j < equations.size(); ++j) {
    const int dof = at.dof(Eigen::Index(j));
    out.equations += equations[j].count();
    out.joints.push_back({names[size_t(dof)], std::string(model->dof(dof).tau_unit()),
                          equations[j].count(), 0, equations[j].root_mean_square()});
  }
  const Fit found = fit_parameters(equations, estimator.equal_weights, out);
  const Vector robust = robust_deviation(each, found);
  // The robust standard deviations treat each sample as one independent observation. Therefore the
  // number of samples limits the degrees of freedom of Student's t.
  set_intervals(found.deviation.cwiseMax(robust), std::min(out.equations - n, out.samples - 1),
                out);
  return out;
}

std::vector<double> rate_noise(std::span<const double> time, std::span<const double> v,
                               size_t n_v) {
  constexpr size_t least_differences = 20;
  // The median of |x| for a normal distribution of x with standard deviation 1.
  const double normal_median = 0.6744897501960817;
  std::vector<size_t> even;  // first indices of five samples at equal intervals
  for (size_t k = 0; k + 5 <= time.size(); ++k) {
    const double h = (time[k + 4] - time[k]) / 4;
    bool is_even = h > 0;
    for (size_t i = 0; i < 4; ++i)
      is_even &= std::abs(time[k + i + 1] - time[k + i] - h) <= 1e-3 * h;
    if (is_even) even.push_back(k);
  }
  std::vector<double> out(n_v, 0.0), differences(even.size());
  if (even.size() < least_differences) return out;
  for (size_t c = 0; c < n_v; ++c) {
    for (size_t i = 0; i < even.size(); ++i) {
      const auto at = [&](size_t k) { return v[(even[i] + k) * n_v + c]; };
      differences[i] = std::abs(at(0) - 4 * at(1) + 6 * at(2) - 4 * at(3) + at(4));
    }
    const auto middle = differences.begin() + std::ptrdiff_t(differences.size() / 2);
    std::nth_element(differences.begin(), middle, differences.end());
    out[c] = *middle / (normal_median * std::sqrt(70.0));
  }
  return out;
}

std::vector<double> dead_band_of(std::vector<double> rate_noise) {
  for (double& x : rate_noise) x *= 4;
  return rate_noise;
}

}  // namespace torsor
