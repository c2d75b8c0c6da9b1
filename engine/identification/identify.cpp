#include "torsor/identification/identify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/base/error.hpp"
#include "torsor/base/linear_algebra.hpp"

namespace torsor {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr long least_freedom = 10;  // minimum excess of equations over unknowns

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Returns the square factor R of a QR decomposition of the rows.
Matrix triangular(const Matrix& rows) {
  const Eigen::Index n = rows.cols();
  Matrix R = Matrix::Zero(n, n);
  const Eigen::Index filled = std::min(rows.rows(), n);
  R.topRows(filled) = qr_triangle(rows);
  return R;
}

// The equations y = W x of one free dof. Stores only the factor R of a QR decomposition of (W | y),
// whose size does not depend on the number of equations: |y - W x|^2 = |R (-x, 1)|^2.
class Equations {
 public:
  explicit Equations(Eigen::Index unknowns) : rows_(0, unknowns + 1), filled_(0) {
    rows_.setZero(std::max<Eigen::Index>(512, 2 * (unknowns + 1)), unknowns + 1);
  }
  template <class Row>
  void add(const Row& w, double y) {
    if (filled_ == rows_.rows()) compress();
    rows_.row(filled_).head(w.size()) = w;
    rows_(filled_++, rows_.cols() - 1) = y;
    square_sum_ += y * y;
    ++count_;
  }
  Matrix finish() {
    compress();
    return rows_.topRows(rows_.cols());
  }
  long count() const { return count_; }
  double root_mean_square() const {
    return count_ == 0 ? 0 : std::sqrt(square_sum_ / double(count_));
  }

 private:
  void compress() {
    const Matrix R = triangular(rows_.topRows(filled_));
    rows_.setZero();
    rows_.topRows(R.rows()) = R;
    filled_ = R.rows();
  }
  Matrix rows_;
  Eigen::Index filled_;
  long count_ = 0;
  double square_sum_ = 0;
};

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

void reject_springs(const Model& model) {
  for (int c = 0; c < model.n_v; ++c) {
    const std::string& name = model.joint_of_dof(c).name;
    if (model.drives[size_t(c)].elasticity)
      throw Error(
          fmt::format("joint '{}' is elastic: a recording lacks the torque in its spring; identify "
                      "a robot with rigid joints",
                      name));
    if (model.drives[size_t(c)].spring.stiffness > 0)
      throw Error(
          fmt::format("joint '{}' has a spring, which is not identified; remove it from the model, "
                      "and its torque from the recording",
                      name));
  }
  if (!model.elastic_rotors.empty())
    throw Error(
        fmt::format("joint '{}' is driven by a spring: a recording lacks the torque in it; "
                    "identify a robot with rigid joints",
                    model.joint_of_dof(model.elastic_rotors[0].dof).name));
}

// Evaluates the equations of one sample, one row for each free dof.
class Observer {
 public:
  Observer(const std::shared_ptr<const Model>& model, const Vec3<double>& gravity_W,
           const ParameterChoice& choice, const std::vector<int>& independent,
           std::span<const int> unmeasured, std::span<const double> dead_band)
      : model_(*model),
        linear_(model, choice),
        state_(model),
        independent_(independent),
        G_(free_rows(*model)),
        lost_(size_t(model->n_v)),
        Y_(model->n_v, Eigen::Index(linear_.parameters().size())),
        W_(G_.cols(), Eigen::Index(independent.size())),
        unmeasured_(unmeasured.begin(), unmeasured.end()),
        dead_band_(dead_band.begin(), dead_band.end()) {
    dead_band_.resize(size_t(model->n_v));
    state_.set_gravity(gravity_W);
  }

  const Matrix& G() const { return G_; }
  const Rows& W() const { return W_; }
  Vector y(const double* tau) const {
    return G_.transpose() * Eigen::Map<const Vector>(tau, model_.n_v);
  }

  void look(std::span<const double> q, std::span<const double> v, const double* vdot) {
    state_.set_q(q);
    state_.v.assign(v.begin(), v.end());
    linear_.regressor(state_, vdot, Y_.data());
    for (Eigen::Index i = 0; i < W_.cols(); ++i)
      W_.col(i) = G_.transpose() * Y_.col(independent_[size_t(i)]);
    std::fill(lost_.begin(), lost_.end(), Loss::none);
    for (size_t p = 0; p < linear_.parameters().size(); ++p)
      if (linear_.parameters()[p].kind == DynamicParameter::Kind::coulomb &&
          std::abs(linear_.rate(p, state_.v.data())) <= linear_.rate_bound(p, dead_band_))
        for (const int column : linear_.columns_of(p)) lost_[size_t(column)] = Loss::at_rest;
    for (const Joint& joint : model_.joints)
      for (int c = joint.v_index; c < joint.v_index + traits(joint.kind).n_v; ++c) {
        if (!model_.drives[size_t(c)].stop) continue;
        const double at = q[size_t(model_.coordinate[size_t(c)])];
        if (at <= joint.lower || at >= joint.upper) lost_[size_t(c)] = Loss::other;
      }
    for (const int column : unmeasured_) lost_[size_t(column)] = Loss::other;
  }

  enum class Loss { none, at_rest, other };
  // Returns why the equation of a free dof is omitted, or Loss::none. The reason may be the joint
  // of this dof, or a joint that mimics it.
  Loss loss(Eigen::Index row) const {
    Loss worst = Loss::none;
    for (Eigen::Index c = 0; c < G_.rows(); ++c)
      if (G_(c, row) != 0) worst = std::max(worst, lost_[size_t(c)]);
    return worst;
  }

 private:
  const Model& model_;
  LinearModel linear_;
  State state_;
  const std::vector<int>& independent_;
  Matrix G_;
  std::vector<Loss> lost_;
  Rows Y_, W_;
  std::vector<int> unmeasured_;
  std::vector<double> dead_band_;  // [n_v]
};

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

// Returns the dof of row j of G^T that mimics no other dof. The other dof of the row mimic it.
int free_column(const Model& model, const Matrix& G, Eigen::Index j) {
  for (int c = 0; c < model.n_v; ++c)
    if (G(c, j) == 1 && std::none_of(model.mimics.begin(), model.mimics.end(),
                                     [&](const Mimicry& mimic) { return mimic.dof == c; }))
      return c;
  return -1;
}

struct Fit {
  Vector x, deviation;
  // A = R_inverse R_inverse^T is the covariance of x for independent errors.
  Matrix R_inverse;
  std::vector<double> weight;    // standard deviations by which the equations were divided
  std::vector<double> residual;  // standard deviations of the residuals, per free dof
};

// Solves three times. The first pass uses standard deviations of 1. The others use the standard
// deviations of the residuals of the previous pass.
Fit fit(const std::vector<Matrix>& joints, const std::vector<long>& counts, double rounding) {
  std::vector<double> deviation(joints.size(), 1.0);
  Fit out;
  for (int pass = 0; pass < 3; ++pass) {
    const Solution solution = solve(joints, deviation);
    const std::vector<double> weight = deviation;
    const Eigen::Index n = solution.x.size();
    Vector extended(n + 1);
    extended << -solution.x, 1;
    for (size_t j = 0; j < joints.size(); ++j) {
      const double leverage = (joints[j].leftCols(n) * solution.R_inverse).squaredNorm() /
                              (deviation[j] * deviation[j]);
      const double freedom = double(counts[j]) - leverage;
      const double variance = freedom > 0.5 ? (joints[j] * extended).squaredNorm() / freedom : 0;
      deviation[j] = std::max(std::sqrt(variance), rounding);
    }
    if (pass < 2) continue;
    out = {solution.x, solution.R_inverse.rowwise().norm(), solution.R_inverse, weight, deviation};
  }
  return out;
}

// Evaluates the observer at every sample k, then calls use(k).
template <class Use>
void for_each_sample(Observer& observer, const Model& model, const MeasuredMotion& motion,
                     const Use& use) {
  const size_t n_v = size_t(model.n_v), n_q = size_t(model.n_q);
  for (size_t k = 0; k < motion.v.size() / n_v; ++k) {
    observer.look(std::span(motion.q).subspan(k * n_q, n_q),
                  std::span(motion.v).subspan(k * n_v, n_v), motion.vdot.data() + k * n_v);
    use(k);
  }
}

// Returns the equations of the complete motion for each free dof. Counts the omitted equations in
// `out`.
std::vector<Equations> observe(Observer& observer, const Model& model, const MeasuredMotion& motion,
                               Identification& out) {
  std::vector<Equations> equations(size_t(observer.G().cols()), Equations(observer.W().cols()));
  for_each_sample(observer, model, motion, [&](size_t k) {
    const Vector y = observer.y(motion.tau.data() + k * size_t(model.n_v));
    for (Eigen::Index j = 0; j < y.size(); ++j) {
      const Observer::Loss loss = observer.loss(j);
      if (loss == Observer::Loss::none) equations[size_t(j)].add(observer.W().row(j), y(j));
      out.at_rest += loss == Observer::Loss::at_rest;
    }
    ++out.samples;
  });
  const std::vector<std::string> columns = model.dof_names();
  for (size_t j = 0; j < equations.size(); ++j) {
    const int column = free_column(model, observer.G(), Eigen::Index(j));
    out.equations += equations[j].count();
    out.joints.push_back({columns[size_t(column)], std::string(model.dof(column).tau_unit()),
                          equations[j].count(), 0, equations[j].root_mean_square()});
  }
  return equations;
}

// Returns standard deviations [rank] that are valid even if the errors within a sample are
// correlated and depend on the state. Noise in v and vdot causes such errors, because it enters the
// equations of several joints through W. W_k and e_k are the rows and residuals of sample k,
// divided by the weights of their joints. With H_k = W_k A W_k^T:
//   cov x = A (sum_k g_k g_k^T) A,  g_k = W_k^T (1 - H_k)^-1/2 e_k
// (Liang and Zeger 1986). The factor (1 - H_k)^-1/2 removes the bias for independent errors (Bell
// and McCaffrey 2002).
Vector robust_deviation(Observer& observer, const Model& model, const MeasuredMotion& motion,
                        const Fit& fit) {
  const Eigen::Index n = fit.x.size();
  Matrix sum = Matrix::Zero(n, n);  // sum of u_k u_k^T, u_k = R_inverse^T g_k
  for_each_sample(observer, model, motion, [&](size_t k) {
    const Vector y = observer.y(motion.tau.data() + k * size_t(model.n_v));
    std::vector<Eigen::Index> used;
    for (Eigen::Index j = 0; j < y.size(); ++j)
      if (observer.loss(j) == Observer::Loss::none) used.push_back(j);
    if (used.empty()) return;
    Matrix W(Eigen::Index(used.size()), n);
    Vector e(W.rows());
    for (Eigen::Index i = 0; i < e.size(); ++i) {
      const Eigen::Index j = used[size_t(i)];
      W.row(i) = observer.W().row(j) / fit.weight[size_t(j)];
      e(i) = y(j) / fit.weight[size_t(j)] - W.row(i) * fit.x;
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

double student_95(double n) {
  constexpr double z = 1.959963984540054;
  const double z2 = z * z;
  const double g1 = z * (z2 + 1) / 4, g2 = z * ((5 * z2 + 16) * z2 + 3) / 96,
               g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384,
               g4 = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
  return z + (g1 + (g2 + (g3 + g4 / n) / n) / n) / n;
}

Identification identify(const std::shared_ptr<const Model>& model, const Vec3<double>& gravity_W,
                        const ParameterChoice& choice, const MeasuredMotion& motion,
                        std::span<const int> unmeasured, std::span<const double> dead_band) {
  reject_springs(*model);
  Identification out;
  out.base = base_parameters(model, gravity_W, choice);
  const Eigen::Index n = Eigen::Index(out.base.rank());
  Observer observer(model, gravity_W, choice, out.base.grouping.independent, unmeasured, dead_band);
  std::vector<Equations> equations = observe(observer, *model, motion, out);
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
  Fit found = fit(rows, counts, eps * (largest > 0 ? largest : 1));
  found.deviation = found.deviation.cwiseMax(robust_deviation(observer, *model, motion, found));
  // The robust standard deviations treat each sample as one independent observation. Therefore the
  // number of samples limits the degrees of freedom of Student's t.
  const double t =
      student_95(double(std::max(least_freedom, std::min(out.equations - n, out.samples - 1))));
  for (Eigen::Index i = 0; i < n; ++i) {
    out.estimate.push_back(found.x(i));
    out.deviation.push_back(found.deviation(i));
    out.half_width.push_back(t * found.deviation(i));
  }
  for (size_t j = 0; j < rows.size(); ++j) out.joints[j].residual = found.residual[j];
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
