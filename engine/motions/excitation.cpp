#include "torsor/motions/excitation.hpp"

#include <fmt/format.h>
#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "torsor/base/error.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/base/random.hpp"
#include "torsor/handles/trajectory.hpp"
#include "torsor/mechanics/task.hpp"

namespace torsor {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
constexpr double infinite = std::numeric_limits<double>::infinity();

// The limits of one free dof. Mimic joints that follow it are included.
struct Limits {
  double lower, upper, velocity, acceleration;
};

std::vector<Limits> read_limits(const Model& model, const FreeDofs& dofs,
                                const ExcitationRequest& request) {
  std::vector<Limits> out;
  const std::vector<std::string> names = model.dof_names();
  for (int k = 0; k < dofs.size(); ++k) {
    const FreeDofs::Bounds& bounds = dofs.bounds(k);
    Limits limits{bounds.lower, bounds.upper, infinite, infinite};
    const double velocity = request.velocity.value_or(infinite),
                 acceleration = request.acceleration.value_or(infinite);
    if (std::isinf(limits.lower) && std::isinf(limits.upper)) limits.upper = request.range;
    if (std::isinf(limits.lower)) limits.lower = limits.upper - 2 * request.range;
    if (std::isinf(limits.upper)) limits.upper = limits.lower + 2 * request.range;
    for (int c = 0; c < model.n_v; ++c)
      if (const double ratio = std::abs(dofs.map()(c, k)); ratio > 0) {
        const double of_joint = std::min(velocity, model.joint_of_dof(c).velocity_limit);
        limits.velocity = std::min(limits.velocity, of_joint / ratio);
        limits.acceleration = std::min(limits.acceleration, acceleration / ratio);
      }
    if (!(limits.lower < limits.upper) || !(limits.velocity > 0) || !(limits.acceleration > 0))
      throw Error(fmt::format("the limits of '{}' leave no motion", names[size_t(dofs.dof(k))]));
    out.push_back(limits);
  }
  return out;
}

void require_motors(const Model& model) {
  for (int c = 0; c < model.n_v; ++c)
    if (model.drives[size_t(c)].passive)
      throw Error(fmt::format(
          "joint '{}' has no motor that could excite it; fix it in the model, or add a motor",
          model.joint_of_dof(c).name));
}

// A motion as numbers z: for each free dof, the first K - 1 sine and cosine coefficients up to a
// common factor, and the place of the motion between its limits, from 0 to 1.
class MotionShape {
 public:
  MotionShape(std::shared_ptr<const Model> model, const ExcitationRequest& request)
      : model_(std::move(model)),
        request_(request),
        dofs_(*model_, {}),
        limits_(read_limits(*model_, dofs_, request)) {}

  int size() const { return per_dof() * dofs_.size(); }
  std::vector<double> random(Random& random) const {
    std::vector<double> z;
    for (int i = 0; i < size(); ++i)
      z.push_back(is_place(i) ? random.uniform(0, 1) : random.uniform(-1, 1) / (1 + harmonic(i)));
    return z;
  }
  bool is_place(int i) const { return i % per_dof() == per_dof() - 1; }
  Excitation motion(const double* z) const;

 private:
  int per_dof() const { return 2 * (request_.harmonics - 1) + 1; }
  int harmonic(int i) const { return i % per_dof() % (request_.harmonics - 1); }
  struct Row {
    Vector sine, cosine;
    double center;
  };
  Row row(const double* z, const Limits& limits) const;

  std::shared_ptr<const Model> model_;
  ExcitationRequest request_;
  FreeDofs dofs_;
  std::vector<Limits> limits_;
};

// Scales one dof to its limits, and places it between them.
MotionShape::Row MotionShape::row(const double* z, const Limits& limits) const {
  const int K = request_.harmonics, N = 16 * K;
  Row out{Vector(K), Vector(K), 0};
  double rate = 0, curvature = 0;
  for (int k = 0; k < K - 1; ++k) {
    out.sine(k) = z[k];
    out.cosine(k) = z[K - 1 + k];
    rate += (k + 1) * out.sine(k);
    curvature += (k + 1) * (k + 1) * out.cosine(k);
  }
  out.sine(K - 1) = -rate / K;
  out.cosine(K - 1) = -curvature / (K * K);
  double low = infinite, high = -infinite, velocity = 0, acceleration = 0;
  for (int i = 0; i < N; ++i) {
    double y = 0, y_dot = 0, y_ddot = 0;
    for (int k = 0; k < K; ++k) {
      const double w = 2 * M_PI * request_.frequency * (k + 1), angle = 2 * M_PI * (k + 1) * i / N,
                   s = std::sin(angle), c = std::cos(angle);
      y += out.sine(k) * s + out.cosine(k) * c;
      y_dot += w * (out.sine(k) * c - out.cosine(k) * s);
      y_ddot -= w * w * (out.sine(k) * s + out.cosine(k) * c);
    }
    low = std::min(low, y);
    high = std::max(high, y);
    velocity = std::max(velocity, std::abs(y_dot));
    acceleration = std::max(acceleration, std::abs(y_ddot));
  }
  const double between = 1 / std::cos(M_PI * K / N), middle = (low + high) / 2,
               half = between * (high - low) / 2;
  const double room = (limits.upper - limits.lower) / 2;
  const double scale = std::min({room / half, limits.velocity / (between * velocity),
                                 limits.acceleration / (between * acceleration)});
  out.sine *= scale;
  out.cosine *= scale;
  const double slack = std::max(0.0, room - scale * half),
               place = std::clamp(z[2 * K - 2], 0.0, 1.0);
  out.center = (limits.lower + limits.upper) / 2 - scale * middle + (2 * place - 1) * slack;
  return out;
}

Excitation MotionShape::motion(const double* z) const {
  const Model& model = *model_;
  const int K = request_.harmonics, n = dofs_.size();
  Matrix sine(n, K), cosine(n, K);
  std::vector<double> y(size_t(model.n_v), 0.0), rates(size_t(model.n_v), 0.0);
  for (int k = 0; k < n; ++k) {
    const Row own = row(z + k * per_dof(), limits_[size_t(k)]);
    sine.row(k) = own.sine.transpose();
    cosine.row(k) = own.cosine.transpose();
    y[size_t(dofs_.dof(k))] = own.center;
  }
  Excitation out{request_.frequency, std::vector<double>(size_t(model.n_q)),
                 dofs_.map() * sine, dofs_.map() * cosine,
                 infinite,           infinite};
  integrate(model, neutral(model).data(), y.data(), 1, out.center.data());
  follow_mimics(model, out.center, rates);
  return out;
}

// The condition number and the use of the torque limits of motions. Both are infinite for motions
// whose torques are not finite.
class Quality {
 public:
  Quality(const std::shared_ptr<const Model>& model, const Vec3<double>& gravity_W,
          const ParameterChoice& choice, int samples)
      : model_(*model),
        linear_(model, choice),
        base_(base_parameters(model, gravity_W, choice)),
        states_(model, size_t(samples)),
        vdot_(size_t(model->n_v) * states_.stride()),
        Y_(vdot_.size() * linear_.parameters().size()),
        G_(free_rows(*model)),
        samples_(samples) {
    State world(model);
    world.set_gravity(gravity_W);
    states_.set_world(world);
  }

  void evaluate(Excitation& motion) {
    evaluate_regressors(sample(model_, motion, samples_));
    const size_t n_v = size_t(model_.n_v), row = linear_.parameters().size();
    const Eigen::Index n_free = G_.cols(), rank = Eigen::Index(base_.rank());
    Matrix tau = Matrix::Zero(samples_, model_.n_v);
    W_.setZero(samples_ * n_free, rank);
    for (Eigen::Index i = 0; i < rank; ++i)
      for (size_t c = 0; c < n_v; ++c) {
        const size_t entry = c * row + size_t(base_.grouping.independent[size_t(i)]);
        const Eigen::Map<const Vector> column(&Y_[entry * states_.stride()], samples_);
        const Eigen::Index dof = Eigen::Index(c);
        tau.col(dof) += base_.values[size_t(i)] * column;
        for (Eigen::Index j = 0; j < n_free; ++j)
          if (G_(dof, j) != 0) W_(Eigen::seqN(j, samples_, n_free), i) += G_(dof, j) * column;
      }
    motion.torque_use = 0;
    motion.torque_dof = -1;
    for (int k = 0; k < samples_; ++k) add_torques(tau.row(k), motion);
    motion.condition = condition(W_);
  }

 private:
  void evaluate_regressors(const ExcitationSamples& at) {
    const size_t n_v = size_t(model_.n_v), n_q = size_t(model_.n_q);
    for (size_t k = 0; k < states_.size(); ++k) {
      states_.set_motion(k, std::span(at.q).subspan(k * n_q, n_q),
                         std::span(at.v).subspan(k * n_v, n_v));
      for (size_t c = 0; c < n_v; ++c) vdot_[c * states_.stride() + k] = at.vdot[k * n_v + c];
    }
    linear_.regressor(states_, vdot_.data(), Y_.data());
  }
  void add_torques(const Vector& tau, Excitation& motion) const {
    for (int c = 0; c < model_.n_v; ++c) {
      const double use =
          std::isfinite(tau(c)) ? std::abs(tau(c)) / model_.joint_of_dof(c).effort_limit : infinite;
      if (use <= motion.torque_use) continue;
      motion.torque_use = use;
      motion.torque_dof = c;
    }
  }
  // Scales the columns of W to norm 1. Returns the square root of the condition number of W^T W,
  // which suffices for condition numbers below 1e7.
  static double condition(Matrix& W) {
    const Vector norms = W.colwise().norm();
    if (!norms.allFinite()) return infinite;
    if (norms.minCoeff() <= 1e-9 * norms.maxCoeff()) return infinite;
    W *= norms.cwiseInverse().asDiagonal();
    const Vector values = symmetric_eigen(W.transpose() * W).values;
    return values(0) <= 1e-14 * values(values.size() - 1)
               ? infinite
               : std::sqrt(values(values.size() - 1) / values(0));
  }

  const Model& model_;
  LinearModel linear_;
  BaseParameters base_;
  StateBatch states_;
  std::vector<double> vdot_, Y_;  // [n_v][stride], [n_v][parameters][stride]
  Matrix G_, W_;
  int samples_;
};

// The search. Its objective is the logarithm of the condition number, plus a penalty for torques
// above their limits.
class Search {
 public:
  Search(const MotionShape& shape, Quality& quality, int evaluations,
         const std::function<void()>& check)
      : shape_(shape), quality_(quality), left_(evaluations), check_(check) {}

  double evaluate(const double* z) {
    if (check_) check_();
    --left_;
    Excitation motion = shape_.motion(z);
    quality_.evaluate(motion);
    const double excess = std::max(0.0, motion.torque_use - 1);
    const double value =
        std::log(std::min(motion.condition, 1e8)) + 10 * excess + 100 * excess * excess;
    if (value < best_) {
      best_ = value;
      best_z_.assign(z, z + shape_.size());
    }
    return value;
  }
  bool is_over() const { return left_ <= 0; }
  const std::vector<double>& best() const { return best_z_; }

  // Descends from the best motion so far, with gradients by differences (NLopt, L-BFGS or SLSQP).
  void descend();

 private:
  void differentiate(const double* z, double value, double* gradient);

  const MotionShape& shape_;
  Quality& quality_;
  int left_;
  const std::function<void()>& check_;
  double best_ = infinite;
  std::vector<double> best_z_;
  std::exception_ptr error_;
  friend double objective(unsigned, const double*, double*, void*);
};

void Search::differentiate(const double* z, double value, double* gradient) {
  constexpr double step = 1e-5;
  std::vector<double> moved(z, z + shape_.size());
  for (size_t i = 0; i < moved.size(); ++i) {
    const bool at_end = shape_.is_place(int(i)) && z[i] > 0.5;
    const double h = at_end ? -step : step;
    moved[i] = z[i] + h;
    gradient[i] = (evaluate(moved.data()) - value) / h;
    moved[i] = z[i];
  }
}

struct CloseNlopt {
  void operator()(nlopt_opt optimiser) const { nlopt_destroy(optimiser); }
};
using Nlopt = std::unique_ptr<nlopt_opt_s, CloseNlopt>;

// Called by NLopt, which is a library in C. An exception must not pass through it.
double objective(unsigned, const double* z, double* gradient, void* data) {
  Search& search = *static_cast<Search*>(data);
  try {
    const double value = search.evaluate(z);
    if (gradient) search.differentiate(z, value, gradient);
    return value;
  } catch (...) {
    search.error_ = std::current_exception();
    return -infinite;
  }
}

void Search::descend() {
  const size_t n = size_t(shape_.size());
  const Nlopt optimiser(nlopt_create(NLOPT_LD_LBFGS, unsigned(n)));
  std::vector<double> lower(n, -10.0), upper(n, 10.0), z = best_z_;
  for (size_t i = 0; i < n; ++i) {
    if (!shape_.is_place(int(i))) continue;
    lower[i] = 0;
    upper[i] = 1;
  }
  nlopt_set_min_objective(optimiser.get(), objective, this);
  nlopt_set_lower_bounds(optimiser.get(), lower.data());
  nlopt_set_upper_bounds(optimiser.get(), upper.data());
  nlopt_set_ftol_abs(optimiser.get(), 1e-3);
  nlopt_set_stopval(optimiser.get(), -1e9);
  nlopt_set_maxeval(optimiser.get(), std::max(1, left_ / int(n + 1)));
  double value = 0;
  nlopt_optimize(optimiser.get(), z.data(), &value);
  if (error_) std::rethrow_exception(error_);
}

}  // namespace

ExcitationSamples sample(const Model& model, const Excitation& motion, int N) {
  const Eigen::Index n_v = model.n_v, K = motion.sine.cols();
  const std::vector<double> base = chart_base(model, motion.center);
  // The coordinates y of the center: zero for joints whose q_0 is the center.
  std::vector<double> start(size_t(n_v), 0.0);
  difference(model, base.data(), motion.center.data(), start.data());
  ExcitationSamples out;
  std::vector<double> q(size_t(model.n_q));
  for (int i = 0; i < N; ++i) {
    std::vector<double> y(size_t(3 * n_v), 0.0);
    std::copy(start.begin(), start.end(), y.begin());
    for (Eigen::Index c = 0; c < n_v; ++c)
      for (Eigen::Index k = 0; k < K; ++k) {
        const double w = 2 * M_PI * motion.frequency * double(k + 1),
                     angle = 2 * M_PI * double((k + 1) * i) / N, s = std::sin(angle),
                     cosine = std::cos(angle), a = motion.sine(c, k), b = motion.cosine(c, k);
        y[size_t(c)] += a * s + b * cosine;
        y[size_t(n_v + c)] += w * (a * cosine - b * s);
        y[size_t(2 * n_v + c)] -= w * w * (a * s + b * cosine);
      }
    integrate(model, base.data(), y.data(), 1, q.data());
    chart_motion(model, 2, y.data());
    out.q.insert(out.q.end(), q.begin(), q.end());
    out.v.insert(out.v.end(), y.begin() + n_v, y.begin() + 2 * n_v);
    out.vdot.insert(out.vdot.end(), y.begin() + 2 * n_v, y.end());
  }
  return out;
}

Excitation find_excitation(const std::shared_ptr<const Model>& model, const Vec3<double>& gravity_W,
                           const ParameterChoice& choice, const ExcitationRequest& request,
                           const std::function<void()>& check) {
  constexpr int random_motions = 20;
  require_motors(*model);
  const MotionShape shape(model, request);
  Quality quality(model, gravity_W, choice, 8 * request.harmonics);
  Search search(shape, quality, request.evaluations, check);
  Random random(request.seed);
  std::vector<double> conditions;
  for (int i = 0; i < random_motions; ++i) {
    const std::vector<double> z = shape.random(random);
    search.evaluate(z.data());
    Excitation motion = shape.motion(z.data());
    quality.evaluate(motion);
    conditions.push_back(motion.condition);
  }
  if (search.best().empty())
    throw Error(
        "no motion was found whose torques are finite numbers; lower the frequency, the range, the "
        "velocity or the acceleration");
  search.descend();
  // More samples for the result than during the search.
  Quality fine(model, gravity_W, choice, 40 * request.harmonics);
  Excitation out = shape.motion(search.best().data());
  fine.evaluate(out);
  std::ranges::sort(conditions);
  out.random_condition = conditions[conditions.size() / 2];
  if (std::isinf(out.condition))
    throw Error(
        "no motion was found that determines all base parameters; allow more harmonics or a "
        "larger range, or leave out rotors or friction");
  if (out.torque_use > 1)
    throw Error(fmt::format(
        "no motion was found within the limits of effort: '{}' needs {:.3g} times its limit; lower "
        "the frequency, the velocity or the acceleration",
        model->dof_names()[size_t(out.torque_dof)], out.torque_use));
  return out;
}

}  // namespace torsor
