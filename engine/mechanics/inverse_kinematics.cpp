#include "torsor/mechanics/inverse_kinematics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "torsor/base/error.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/base/random.hpp"
#include "torsor/mechanics/bounded_least_squares.hpp"

namespace torsor {

namespace {

const double half_of_the_digits = std::sqrt(std::numeric_limits<double>::epsilon());

// The residual e = (u, d) and its derivative. E = exp(u) = R_target R_WF^T is the remaining
// rotation, and u is its rotation vector in the axes of the world. From Edot = -E [w] follows udot
// = -J_r(u)^-1 w, with J_r(u)^-1 = left_jacobian_inverse(-u, .). The remaining translation d =
// p_target - p has ddot = -pdot. Together, de = -J dx, where derivative() returns J. This J is
// exact at any distance from the target. J^T e is therefore minus the gradient of |e|^2 / 2 for any
// choice of components.
class Residual {
 public:
  Residual(const PoseTarget& target, const FreeDofs& free) : target_(target), free_(free) {}

  std::array<double, 6> all(const State& state) const {
    const auto [u, d] = left(state);
    std::array<double, 6> out{u.x, u.y, u.z, d.x, d.y, d.z};
    for (size_t k = 0; k < 6; ++k)
      if (!target_.components[k]) out[k] = 0;
    return out;
  }
  Eigen::VectorXd chosen(const State& state) const {
    const std::array<double, 6> e = all(state);
    return chosen_rows(Eigen::Map<const Eigen::Matrix<double, 6, 1>>(e.data()), target_.components);
  }
  Eigen::MatrixXd derivative(const State& state) const {
    Eigen::MatrixXd J = frame_jacobian(state, target_.frame, Axes::world) * free_.map();
    const Vec3<double> u = left(state).w;
    for (Eigen::Index k = 0; k < J.cols(); ++k) {
      const Vec3<double> w = left_jacobian_inverse(-u, {J(0, k), J(1, k), J(2, k)});
      J.col(k).head<3>() << w.x, w.y, w.z;
    }
    return chosen_rows(J, target_.components);
  }

 private:
  Twist<double> left(const State& state) const {
    const Pose<double> X = frame_pose(state, target_.frame);
    return {log_so3(target_.X_WF.R * transpose(X.R)), target_.X_WF.p - X.p};
  }
  const PoseTarget& target_;
  const FreeDofs& free_;
};

// The method of Levenberg and Marquardt within bounds. Each step is the d that minimises
//   |J d - e|^2 + lambda^2 |d|^2,   lambda^2 = mu |e|^2,   lower - x <= d <= upper - x.
// The gain of a step is the decrease of |e|^2, divided by the decrease that J d predicts. Only
// steps with a gain above 1e-4 are accepted. mu decreases after a large gain and increases after a
// small one. Because lambda is proportional to |e|, convergence is quadratic even if J does not
// have full rank, as for redundant arms. The lower bound mu >= 1e-8 is that of the source (Fan and
// Yuan, On the quadratic convergence of the Levenberg-Marquardt method without nonsingularity
// assumption, 2005).
class Search {
 public:
  Search(std::shared_ptr<const Model> model, const PoseTarget& target,
         std::span<const double> start, const SearchSettings& settings)
      : model_(*model),
        settings_(settings),
        free_(model_, settings.locked),
        residual_(target, free_),
        state_(model),
        trial_(model),
        zero_(size_t(model->n_v), 0.0) {
    std::vector<double> q(start.begin(), start.end());
    normalise(model_, q);
    follow_mimics(model_, q, zero_);
    check_limits(q);
    state_.set_q(q);
    e_ = residual_.chosen(state_);
  }

  SearchResult run() {
    SearchResult out;
    out.end = SearchEnd::no_progress;
    double mu = 1e-2;
    Eigen::MatrixXd J = residual_.derivative(state_);
    for (; out.iterations <= settings_.max_iterations; ++out.iterations) {
      if (e_.norm() <= settings_.tolerance) {
        out.end = SearchEnd::found;
        break;
      }
      if (is_stationary(J)) {
        find_reason(J, out);
        break;
      }
      if (out.iterations == settings_.max_iterations) break;
      const double gain = try_step(J, mu);
      if (!(gain > -HUGE_VAL)) break;
      if (gain > 1e-4) {
        std::swap(state_, trial_);
        e_ = residual_.chosen(state_);
        J = residual_.derivative(state_);
      }
      if (gain < 0.25) mu *= 4;
      if (gain > 0.75) mu = std::max(mu / 4, 1e-8);
    }
    out.q.assign(state_.q().begin(), state_.q().end());
    out.residual = residual_.all(state_);
    return out;
  }

 private:
  void work() const {
    if (settings_.working) settings_.working();
  }
  double coordinate(const State& state, int k) const {
    return state.q()[size_t(free_.coordinate(k))];
  }
  bool has_bounds(int k) const {
    return free_.bounds(k).lower_joint >= 0 || free_.bounds(k).upper_joint >= 0;
  }

  void check_limits(std::span<const double> q) const {
    const auto reject = [&](int joint, const char* which, double value, double limit) {
      throw Error(
          fmt::format("the start is outside the limits of joint '{}': {} is {} the {} limit {}",
                      model_.joints[size_t(joint)].name, value, which[0] == 'l' ? "below" : "above",
                      which, limit));
    };
    for (int k = 0; k < free_.size(); ++k) {
      if (!has_bounds(k)) continue;
      const FreeDofs::Bounds& b = free_.bounds(k);
      const double x = q[size_t(free_.coordinate(k))];
      if (x < b.lower) reject(b.lower_joint, "lower", x, b.lower);
      if (x > b.upper) reject(b.upper_joint, "upper", x, b.upper);
    }
    for (const int j : settings_.locked) {
      const Joint& joint = model_.joints[size_t(j)];
      if (traits(joint.kind).n_v != 1) continue;
      const double x = q[size_t(joint.q_index)];
      if (x < joint.lower) reject(j, "lower", x, joint.lower);
      if (x > joint.upper) reject(j, "upper", x, joint.upper);
    }
  }

  // Sets trial_ to state_ moved by the step x. A coordinate that would pass its bound is set
  // exactly to the bound.
  void move(const Eigen::VectorXd& x) {
    const Eigen::VectorXd d = free_.map() * x;
    std::vector<double> q(state_.q().begin(), state_.q().end());
    integrate(model_, q.data(), d.data(), 1, q.data());
    for (int k = 0; k < free_.size(); ++k)
      if (has_bounds(k)) {
        double& value = q[size_t(free_.coordinate(k))];
        value = std::clamp(value, free_.bounds(k).lower, free_.bounds(k).upper);
      }
    follow_mimics(model_, q, zero_);
    trial_.set_q(q);
  }

  // Sets trial_ to state_ after the optimal step. Returns the ratio of the actual to the predicted
  // decrease of |e|^2. Returns minus infinity if the step does not change q.
  double try_step(const Eigen::MatrixXd& J, double mu) {
    const int n = free_.size();
    work();
    Eigen::VectorXd lower(n), upper(n);
    for (int k = 0; k < n; ++k) {
      const double x = has_bounds(k) ? coordinate(state_, k) : 0;
      lower[k] = free_.bounds(k).lower - x;
      upper[k] = free_.bounds(k).upper - x;
    }
    const Eigen::VectorXd d = bounded_least_squares(J, e_, std::sqrt(mu) * e_.norm(), lower, upper);
    move(d);
    if (std::equal(state_.q().begin(), state_.q().end(), trial_.q().begin())) return -HUGE_VAL;
    const double now = e_.squaredNorm();
    return (now - residual_.chosen(trial_).squaredNorm()) / (now - (e_ - J * d).squaredNorm());
  }

  // Returns whether free dof k is at a bound that prevents a further reduction of |e|.
  bool is_held_back(const Eigen::VectorXd& pull, double least, int k) const {
    if (!has_bounds(k)) return false;
    const double x = coordinate(state_, k);
    return (x == free_.bounds(k).lower && pull[k] < -least) ||
           (x == free_.bounds(k).upper && pull[k] > least);
  }

  // Returns whether J^T e is zero up to sqrt(eps) |J| |e|, except for dof that bounds block.
  // |e| is then within eps of its minimum.
  bool is_stationary(const Eigen::MatrixXd& J) const {
    const Eigen::VectorXd pull = J.transpose() * e_;
    const double least = half_of_the_digits * J.norm() * e_.norm();
    for (int k = 0; k < free_.size(); ++k)
      if (std::abs(pull[k]) > least && !is_held_back(pull, least, k)) return false;
    return true;
  }

  // Returns the second derivatives of |e|^2 / 2 by central differences. Only the signs of the
  // eigenvalues are used, so the relative error of 1e-8 with steps of 1e-4 is acceptable.
  Eigen::MatrixXd curvature() {
    const int n = free_.size();
    const double h = 1e-4;
    const auto cost = [&](const Eigen::VectorXd& x) {
      work();
      const Eigen::VectorXd d = free_.map() * x;
      std::vector<double> q(size_t(model_.n_q));
      integrate(model_, state_.q().data(), d.data(), h, q.data());
      trial_.set_q(q);
      return residual_.chosen(trial_).squaredNorm() / 2;
    };
    const double here = e_.squaredNorm() / 2;
    const auto along = [&](const Eigen::VectorXd& x) {
      return (cost(x) - 2 * here + cost(-x)) / (h * h);
    };
    Eigen::MatrixXd H(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        const Eigen::VectorXd a = Eigen::VectorXd::Unit(n, i), b = Eigen::VectorXd::Unit(n, j);
        H(i, j) = H(j, i) = i == j ? along(a) : (along(a + b) - along(a - b)) / 4;
      }
    return H;
  }

  // Determines why a stationary point is not a solution. Either bounds block some dof (at_limits),
  // or J^T e = 0. If J^T e = 0, |e| has a local minimum (out_of_reach) or a saddle point
  // (singular).
  void find_reason(const Eigen::MatrixXd& J, SearchResult& out) {
    const Eigen::VectorXd pull = J.transpose() * e_;
    const double least = half_of_the_digits * J.norm() * e_.norm();
    for (int k = 0; k < free_.size(); ++k) {
      if (!is_held_back(pull, least, k)) continue;
      const bool upper = pull[k] > 0;
      const FreeDofs::Bounds& b = free_.bounds(k);
      out.limits.push_back({upper ? b.upper_joint : b.lower_joint, upper});
    }
    out.end = SearchEnd::at_limits;
    if (!out.limits.empty()) return;
    out.end = SearchEnd::out_of_reach;
    const std::array<double, 6> e = residual_.all(state_);
    for (size_t k = 0; k < 6; ++k) out.task_direction[k] = e[k] / e_.norm();
    if (free_.size() == 0) return;
    const SymmetricEigen eigen = symmetric_eigen(curvature());
    if (eigen.values[0] > -1e-6 * eigen.values.cwiseAbs().maxCoeff()) return;
    out.end = SearchEnd::singular;
    const Eigen::VectorXd v = (free_.map() * eigen.vectors.col(0)).normalized();
    out.joint_direction.assign(v.begin(), v.end());
  }

  const Model& model_;
  const SearchSettings& settings_;
  const FreeDofs free_;
  const Residual residual_;
  State state_, trial_;
  Eigen::VectorXd e_;
  std::vector<double> zero_;  // [n_v] zero rates for follow_mimics
};

}  // namespace

const char* name(SearchEnd end) {
  static constexpr const char* names[] = {"found", "out_of_reach", "at_limits", "singular",
                                          "no_progress"};
  return names[int(end)];
}

double SearchResult::error() const {
  return Eigen::Map<const Eigen::Matrix<double, 6, 1>>(residual.data()).norm();
}

std::vector<double> start_within_limits(const Model& model) {
  std::vector<double> q = neutral(model);
  for (const Joint& joint : model.joints) {
    if (traits(joint.kind).n_v != 1) continue;
    double& x = q[size_t(joint.q_index)];
    if (x >= joint.lower && x <= joint.upper) continue;
    x = !std::isfinite(joint.lower)   ? joint.upper
        : !std::isfinite(joint.upper) ? joint.lower
                                      : (joint.lower + joint.upper) / 2;
  }
  return q;
}

// Equations: KHALIL 9.18.
SearchResult solve_inverse_kinematics(std::shared_ptr<const Model> model, const PoseTarget& target,
                                      std::span<const double> start,
                                      const SearchSettings& settings) {
  return Search(std::move(model), target, start, settings).run();
}

namespace {

// Returns a random position with each free coordinate within its bounds. A coordinate without
// bounds differs from the start by at most half a turn or 1 m.
std::vector<double> random_start(const Model& model, const FreeDofs& free,
                                 std::span<const double> start, Random& random) {
  std::vector<double> q(start.begin(), start.end()), move(size_t(model.n_v), 0.0);
  for (int k = 0; k < free.size(); ++k) {
    const double size = model.dof(free.dof(k)).turns() ? std::numbers::pi : 1;
    auto [lower, upper, lower_joint, upper_joint] = free.bounds(k);
    if (free.coordinate(k) < 0 || (lower_joint < 0 && upper_joint < 0)) {
      move[size_t(free.dof(k))] = random.uniform(-size, size);
      continue;
    }
    if (lower_joint < 0) lower = upper - 2 * size;
    if (upper_joint < 0) upper = lower + 2 * size;
    q[size_t(free.coordinate(k))] = random.uniform(lower, upper);
  }
  integrate(model, q.data(), move.data(), 1, q.data());
  return q;
}

}  // namespace

SearchFromStarts solve_from_several_starts(std::shared_ptr<const Model> model,
                                           const PoseTarget& target, std::span<const double> start,
                                           int starts, const SearchSettings& settings) {
  Random random(1);
  const FreeDofs free(*model, settings.locked);
  SearchFromStarts out{solve_inverse_kinematics(model, target, start, settings)};
  while (out.result.end != SearchEnd::found && out.searches < starts) {
    const std::vector<double> next = random_start(*model, free, start, random);
    SearchResult result = solve_inverse_kinematics(model, target, next, settings);
    ++out.searches;
    // The decrease must exceed rounding error, so that the first of several equally good results is
    // kept.
    if (result.end == SearchEnd::found || result.error() < (1 - 1e-6) * out.result.error())
      out.result = std::move(result);
  }
  return out;
}

namespace {

// Returns a text such as "0.3 rad and 0.01 m". Omits the angle or the length if no component of
// this kind is selected.
std::string distance(const Components& components, const SearchResult& result) {
  const auto part = [&](int first, const char* unit) {
    double sum = 0;
    bool counts = false;
    for (int k = first; k < first + 3; ++k) {
      sum = std::hypot(sum, result.residual[size_t(k)]);
      counts = counts || components[size_t(k)];
    }
    return counts ? fmt::format("{:.3g} {}", sum, unit) : "";
  };
  const std::string angle = part(0, "rad"), way = part(3, "m");
  return angle + (angle.empty() || way.empty() ? "" : " and ") + way;
}

}  // namespace

std::string describe_end(const Model& model, const PoseTarget& target, const SearchResult& result) {
  const std::string off = distance(target.components, result), &name = target.frame.name;
  switch (result.end) {
    case SearchEnd::found:
      return fmt::format("frame '{}' reaches its target to {}, after {} iterations", name, off,
                         result.iterations);
    case SearchEnd::out_of_reach:
      return fmt::format("the target of frame '{}' is out of reach: the frame stops {} from it",
                         name, off);
    case SearchEnd::at_limits: {
      std::string list;
      for (const auto& [joint, upper] : result.limits)
        list += fmt::format("{}the {} limit of joint '{}'", list.empty() ? "" : ", ",
                            upper ? "upper" : "lower", model.joints[size_t(joint)].name);
      return fmt::format("frame '{}' stops {} from its target at joint limits: {}", name, off,
                         list);
    }
    case SearchEnd::singular:
      return fmt::format(
          "frame '{}' stops {} from its target in a singular configuration: it cannot be moved "
          "along {}",
          name, off, describe_task_direction(result.task_direction));
    case SearchEnd::no_progress:
      break;
  }
  return fmt::format("frame '{}' is still {} from its target after {} iterations", name, off,
                     result.iterations);
}

std::string explain(const Model& model, const PoseTarget& target, const SearchResult& result) {
  std::string out = describe_end(model, target, result);
  if (result.end == SearchEnd::at_limits) out += "; another start may reach it";
  if (result.end == SearchEnd::no_progress)
    out += "; another start or more iterations may reach it";
  if (result.end == SearchEnd::singular)
    out += fmt::format("; a start displaced a little along {} gets closer",
                       describe_joint_direction(model, result.joint_direction));
  return out;
}

}  // namespace torsor
