#include "torsor/identification/base_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "torsor/base/linear_algebra.hpp"
#include "torsor/identification/grouping_rules.hpp"
#include "torsor/mechanics/random_state.hpp"
#include "torsor/mechanics/task.hpp"

namespace torsor {

namespace {

constexpr double double_eps = std::numeric_limits<double>::epsilon();

// Returns the rows of Y of the free dof at 40 random states: [40 n_free x n_parameters].
Eigen::MatrixXd observe_random_states(LinearModel& linear,
                                      const std::shared_ptr<const Model>& model,
                                      const Vec3<double>& gravity_W) {
  constexpr size_t n_states = 40;
  constexpr uint64_t seed = 1990;
  const Eigen::MatrixXd G = free_rows(*model);
  const Eigen::Index n_free = G.cols(), n = Eigen::Index(linear.parameters().size());
  Random random(seed);
  State world(model);
  world.set_gravity(gravity_W);
  StateBatch states(model, n_states);
  states.set_world(world);
  const size_t n_v = size_t(model->n_v), stride = states.stride();
  std::vector<double> vdot(n_v * stride), Y(vdot.size() * size_t(n));
  for (size_t k = 0; k < n_states; ++k) {
    std::vector<double> q = random_position(random, *model, 3),
                        v = random_values(random, model->n_v, 3);
    follow_mimics(*model, q, v);
    states.set_motion(k, q, v);
    const std::vector<double> x = random_values(random, int(n_free), 10);
    const Eigen::VectorXd one = G * Eigen::Map<const Eigen::VectorXd>(x.data(), n_free);
    for (size_t c = 0; c < n_v; ++c) vdot[c * stride + k] = one(Eigen::Index(c));
  }
  linear.regressor(states, vdot.data(), Y.data());
  Eigen::MatrixXd W(Eigen::Index(n_states) * n_free, n), Y_k(model->n_v, n);
  for (size_t k = 0; k < n_states; ++k) {
    for (Eigen::Index c = 0; c < Y_k.rows(); ++c)
      for (Eigen::Index p = 0; p < n; ++p) Y_k(c, p) = Y[size_t(c * n + p) * stride + k];
    W.middleRows(Eigen::Index(k) * n_free, n_free) = G.transpose() * Y_k;
  }
  return W;
}

// The numerical rank: the number of pivots of a QR decomposition with column pivoting before the
// first gap of three decades. above and below are the pivots at the gap.
struct Gap {
  Eigen::Index rank;
  double above, below;
};
[[noreturn]] void throw_unclear(const Gap& gap) {
  throw Error(fmt::format(
      "the rank of the regressor is not clear: its pivots fall from {:.1e} to {:.1e} without a "
      "gap; check for lengths that differ by many decades and axes that are nearly parallel",
      gap.above, gap.below));
}

Gap find_gap(const Eigen::MatrixXd& W) {
  const Eigen::VectorXd pivots = qr_pivots(W);
  const double rounding = double_eps * double(W.rows()) * pivots(0);
  for (Eigen::Index k = 1; k < pivots.size(); ++k) {
    const double next = std::max(pivots(k), rounding);
    if (pivots(k - 1) >= 1e3 * next) return {k, pivots(k - 1), pivots(k)};
  }
  return {pivots.size(), pivots(pivots.size() - 1), 0};
}

// The result of an orthogonalisation of the columns of W in a given order. `grouped` are the
// columns that are in the span of earlier columns, up to a tolerance. `independent` are the others,
// and W_independent = Q R. Each column is orthogonalised twice for accuracy.
struct Elimination {
  std::vector<int> independent, grouped;
  Eigen::MatrixXd Q, R;
};

Elimination eliminate(const Eigen::MatrixXd& W, const std::vector<int>& order, const Gap& gap) {
  const double tolerance = std::sqrt(gap.above * std::max(gap.below, double_eps * gap.above));
  Elimination out;
  out.Q.resize(W.rows(), gap.rank);
  out.R.setZero(gap.rank, gap.rank);
  for (const int column : order) {
    const Eigen::Index r = Eigen::Index(out.independent.size());
    Eigen::VectorXd a = W.col(column), in_span = Eigen::VectorXd::Zero(r);
    for (int pass = 0; pass < 2; ++pass) {
      const Eigen::VectorXd part = out.Q.leftCols(r).transpose() * a;
      a -= out.Q.leftCols(r) * part;
      in_span += part;
    }
    if (r == gap.rank || a.norm() <= tolerance) {
      if (a.norm() > tolerance) throw_unclear(gap);
      out.grouped.push_back(column);
      continue;
    }
    out.Q.col(r) = a.normalized();
    out.R.col(r).head(r) = in_span;
    out.R(r, r) = a.norm();
    out.independent.push_back(column);
  }
  if (Eigen::Index(out.independent.size()) < gap.rank) throw_unclear(gap);
  return out;
}

// Returns the grouping B that follows from W_grouped = W_independent K. `scale` are the factors by
// which the columns of W were divided. Coefficients below `rounding` become 0.
Grouping group(const Eigen::MatrixXd& W, const Eigen::VectorXd& scale, const Elimination& found,
               double rounding) {
  std::vector<int> independent = found.independent;
  std::sort(independent.begin(), independent.end());
  const auto place = [&](int column) {
    return std::lower_bound(independent.begin(), independent.end(), column) - independent.begin();
  };
  Grouping out{independent, Eigen::MatrixXd::Zero(found.R.cols(), W.cols())};
  for (const int column : independent) out.B(place(column), column) = 1;
  for (const int column : found.grouped) {
    const Eigen::VectorXd k =
        found.R.triangularView<Eigen::Upper>().solve(found.Q.transpose() * W.col(column));
    for (Eigen::Index i = 0; i < k.size(); ++i) {
      const int into = found.independent[size_t(i)];
      if (std::abs(k(i)) > rounding)
        out.B(place(into), column) = k(i) * scale(column) / scale(into);
    }
  }
  return out;
}

bool agree(const Grouping& a, const Grouping& b) {
  // Tolerance for the entries of B. Entries of two different relations differ by a length or by 1.
  constexpr double same = 1e-6;
  return a.independent == b.independent && (a.B - b.B).norm() <= same * (1 + b.B.norm());
}

}  // namespace

double scaled_condition(const Eigen::MatrixXd& R) {
  const Eigen::VectorXd s = singular_values(R * R.colwise().norm().cwiseInverse().asDiagonal());
  return s(0) / s(s.size() - 1);
}

// The norms of single columns are not suitable as scales. They would enlarge a column that is
// nearly zero, for example because a file contains a rounded right angle.
Eigen::VectorXd column_scales(const Eigen::MatrixXd& Y, const std::vector<std::string>& units) {
  const Eigen::VectorXd sizes = Y.colwise().norm();
  std::map<std::string, double> largest;
  for (Eigen::Index p = 0; p < sizes.size(); ++p)
    largest[units[size_t(p)]] = std::max(largest[units[size_t(p)]], sizes(p));
  const double least = std::sqrt(double_eps) * sizes.maxCoeff();
  Eigen::VectorXd scales(sizes.size());
  for (Eigen::Index p = 0; p < sizes.size(); ++p)
    scales(p) = std::max(least, largest[units[size_t(p)]]);
  return scales;
}

Eigen::MatrixXd free_rows(const Model& model) {
  return FreeDofs(model, {}).map();
}

std::vector<int> preference_order(const LinearModel& linear) {
  constexpr int rank_of_entry[] = {8, 5, 6, 7, 0, 9, 1, 2, 3, 4};  // M, MX MY MZ, XX YY ZZ XY XZ YZ
  const auto& parameters = linear.parameters();
  const auto rank = [&](int index) {
    const DynamicParameter& p = parameters[size_t(index)];
    if (p.link < 0) return std::array{linear.model().n_body, index, 0};
    const int frame = linear.model().links[size_t(p.link)].frame;
    return std::array{linear.model().frames[size_t(frame)].body, p.link, rank_of_entry[p.entry]};
  };
  std::vector<int> order(parameters.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) < rank(b); });
  return order;
}

BaseParameters base_parameters(const std::shared_ptr<const Model>& model,
                               const Vec3<double>& gravity_W, const ParameterChoice& choice) {
  if (model->n_v == 0) throw Error("the model has no moving joint");
  LinearModel linear(model, choice);
  Eigen::MatrixXd W = observe_random_states(linear, model, gravity_W);
  std::vector<std::string> units;
  for (const DynamicParameter& parameter : linear.parameters()) units.push_back(parameter.unit);
  const Eigen::VectorXd scales = column_scales(W, units);
  W = W * scales.cwiseInverse().asDiagonal();
  const Gap gap = find_gap(W);
  const Elimination found = eliminate(W, preference_order(linear), gap);
  BaseParameters base{linear.parameters(), linear.left_out(),         {},   {}, {}, gap.above,
                      gap.below,           scaled_condition(found.R), false};
  base.grouping = group(W, scales, found, 1e3 * base.condition * std::max(double_eps, gap.below));
  if (auto by_rules = group_by_rules(linear, gravity_W);
      by_rules && agree(*by_rules, base.grouping)) {
    base.grouping = std::move(*by_rules);
    base.by_rules = true;
  }
  const Eigen::MatrixXd& B = base.grouping.B;
  for (Eigen::Index i = 0; i < B.rows(); ++i) {
    const bool alone = (B.row(i).array() != 0).count() == 1;
    base.names.push_back(base.standard[size_t(base.grouping.independent[size_t(i)])].name +
                         (alone ? "" : "R"));
    double value = 0;
    for (Eigen::Index p = 0; p < B.cols(); ++p)
      if (B(i, p) != 0) value += B(i, p) * base.standard[size_t(p)].value;
    base.values.push_back(value);
  }
  return base;
}

std::vector<std::string> units(const BaseParameters& base) {
  std::vector<std::string> out;
  for (const int p : base.grouping.independent) out.push_back(base.standard[size_t(p)].unit);
  return out;
}

std::vector<std::string> relations(const BaseParameters& base) {
  const auto& [independent, B] = base.grouping;
  std::vector<std::string> lines;
  for (size_t i = 0; i < base.rank(); ++i) {
    const std::string& own = base.standard[size_t(independent[i])].name;
    std::string line = fmt::format("{} = {}", base.names[i], own);
    for (Eigen::Index p = 0; p < B.cols(); ++p) {
      const double k = B(Eigen::Index(i), p);
      if (k == 0 || p == independent[i]) continue;
      const std::string size = fmt::format("{:.6g}", std::abs(k));
      line += fmt::format(" {} {}{}", k < 0 ? '-' : '+', size == "1" ? "" : size + " ",
                          base.standard[size_t(p)].name);
    }
    if (base.names[i] != own) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> without_effect(const BaseParameters& base) {
  std::vector<std::string> names;
  for (size_t p = 0; p < base.standard.size(); ++p)
    if ((base.grouping.B.col(Eigen::Index(p)).array() == 0).all())
      names.push_back(base.standard[p].name);
  return names;
}

}  // namespace torsor
