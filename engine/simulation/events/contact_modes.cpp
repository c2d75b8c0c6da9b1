#include "torsor/simulation/events/contact_modes.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "torsor/base/error.hpp"

namespace torsor {

namespace {

// A row whose part outside of the span of the others is smaller than this is dependent.
constexpr double dependent = 1e-10;
// Relative margin of forces, against rounding errors.
constexpr double force_rounding = 1e-11;
// Slip velocities down to minus this, m/s, continue a slip.
constexpr double slip_margin = 1e-13;
// Accelerations of the order of v^2 / (1 m) belong to the velocities v of the bodies.
constexpr double per_metre = 1;

bool has_positive_determinant(const Eigen::MatrixXd& A) {
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(A);
  double sign = double(lu.permutationP().determinant());
  for (Eigen::Index i = 0; i < A.rows(); ++i) sign *= lu.matrixLU()(i, i) > 0 ? 1 : -1;
  return sign > 0;
}

}  // namespace

ContactModes::ContactModes(std::shared_ptr<const Model> model, double dt)
    : model_(model),
      dt_(dt),
      pairs_(model),
      modes_(pairs_.size()),
      slow_speed_(modes_),
      directions_(3 * pairs_.size()),
      rows_(model) {
  for (size_t k = 0; k < pairs_.size(); ++k) {
    const auto [a, b] = pairs_.colliders(k);
    const ContactMaterial& material = materials_.emplace_back(contact_material(*model, a, b));
    if (material.torsional > 0 || material.rolling > 0)
      throw Error(fmt::format(
          "{} has torsional or rolling friction, and only the integrator time_stepping has these; "
          "choose it, or set both to 0",
          describe(k)));
    if (material.is_compliant())
      throw Error(
          fmt::format("{} has a stiffness, and only the integrator time_stepping has compliant "
                      "contacts; choose "
                      "it, or set the stiffness to 0",
                      describe(k)));
  }
}

std::string ContactModes::describe(size_t point) const {
  const auto [a, b] = pairs_.colliders(point);
  return "the contact of " + pair_names(*model_, a, b);
}

void ContactModes::set(std::span<const double> modes, std::span<const double> directions) {
  std::ranges::copy(modes, modes_.begin());
  std::ranges::copy(directions, directions_.begin());
  touching_.clear();
  for (size_t k = 0; k < modes_.size(); ++k)
    if (mode(k) != ContactMode::separate) touching_.push_back(int(k));
}

Vec3<double> ContactModes::direction(size_t point) const {
  const double* d = &directions_[3 * point];
  return {d[0], d[1], d[2]};
}

Vec3<double> ContactModes::next_direction(size_t point, const Vec3<double>& w) const {
  const double speed = norm(w), W = slow_speed_[point];
  const double part = W > 0 ? std::min(1.0, speed / W) : 1;
  const Vec3<double> sum = (part / speed) * w + (1 - part) * direction(point);
  return (1 / norm(sum)) * sum;
}

void ContactModes::select(std::span<const int> points) {
  selected_.assign(points.begin(), points.end());
  contacts_.clear();
  for (const int k : selected_) {
    const auto [a, b] = pairs_.colliders(size_t(k));
    Contact& contact = contacts_.emplace_back(Contact{.a = a, .b = b, .count = 1});
    contact.points[0] = pairs_[size_t(k)].at;
  }
  rows_.evaluate(*state_, contacts_);
}

double ContactModes::append(std::span<const double> free, std::vector<ConstraintRow>& rows,
                            std::vector<torsor_friction>& frictions) {
  acceleration_.assign(rows_.size(), 0.0);
  const int first = int(rows.size());
  for (size_t k = 0; k < selected_.size(); ++k) {
    const ContactRow& row = rows_.points()[k];
    const size_t point = size_t(selected_[k]);
    const FeatureContact& at = pairs_[point];
    acceleration_[size_t(row.row)] = -at.normal_bias();
    if (row.sliding < 0) continue;
    acceleration_[size_t(row.sliding)] = -dot(row.t_W, at.a);
    acceleration_[size_t(row.sliding) + 1] = -dot(row.s_W, at.a);
  }
  double scale = 0;
  for (size_t r = 0; r < rows_.size(); ++r)
    scale = std::max(scale, terms_along(rows_.rows()[r], free.data()) + std::abs(acceleration_[r]));
  for (const int point : selected_)
    scale = std::max(scale, per_metre * pairs_[size_t(point)].terms * pairs_[size_t(point)].terms);
  // The direction of the friction then differs from -d by about 1e-3 at most.
  constexpr double large = 1e3;
  for (size_t k = 0; k < selected_.size(); ++k) {
    const ContactRow& row = rows_.points()[k];
    const size_t point = size_t(selected_[k]);
    if (row.sliding < 0 || mode(point) != ContactMode::slides) continue;
    acceleration_[size_t(row.sliding)] -= large * scale * dot(row.t_W, direction(point));
    acceleration_[size_t(row.sliding) + 1] -= large * scale * dot(row.s_W, direction(point));
  }
  for (size_t r = 0; r < rows_.size(); ++r)
    rows.push_back({.row = &rows_.rows()[r],
                    .acceleration = &acceleration_[r],
                    .bounds = {.lower = rows_.normals()[r] == int(r) ? 0.0 : Bounds{}.lower},
                    .varies = true});
  for (torsor_friction each : rows_.frictions()) {
    each.normal += first;
    each.first += first;
    frictions.push_back(each);
  }
  return scale;
}

// Returns J_n - mu J_t d, transposed: the force of a point that slides along d per normal force.
Row ContactModes::slip_row(const ContactRow& point, const Vec3<double>& d) const {
  Row out = rows_.rows()[size_t(point.row)];
  const double t = -point.material.mu * dot(point.t_W, d),
               s = -point.material.mu * dot(point.s_W, d);
  const Row &along_t = rows_.rows()[size_t(point.sliding)],
            &along_s = rows_.rows()[size_t(point.sliding) + 1];
  for (size_t i = 0; i < out.size(); ++i)
    out[i].factor += t * along_t[i].factor + s * along_s[i].factor;
  return out;
}

// Sets response_ to M_h^-1 J^T of a row.
void ContactModes::respond_to(const Row& row, size_t n_u) {
  column_.assign(n_u, 0.0);
  response_.resize(n_u);
  push(row, 1, column_.data());
  delassus_.respond(column_, response_);
}
// Returns J M_h^-1 J^T of a row.
double ContactModes::response_along(const Row& row) {
  respond_to(row, force_.size());
  return along(row, response_.data());
}

// The normal force is that of this point alone.
Vec3<double> ContactModes::friction_direction(size_t k, std::span<const double> free) {
  const ContactRow& row = rows_.points()[k];
  const size_t point = size_t(selected_[k]);
  const FeatureContact& at = pairs_[point];
  const Row& normal = rows_.rows()[size_t(row.row)];
  const double inertia = response_along(normal);
  const double N =
      inertia > 0 ? std::abs(along(normal, free.data()) + at.normal_bias()) / inertia : 0;
  const double slowing = row.material.mu * N *
                         std::max(response_along(rows_.rows()[size_t(row.sliding)]),
                                  response_along(rows_.rows()[size_t(row.sliding) + 1]));
  const double W = double(selected_.size()) * slowing * dt_;
  slow_speed_[point] = W;
  const Vec3<double> d_0 = direction(point), w = at.slip();
  const double speed = norm(w);
  if (!(dot(w, d_0) > 0)) return d_0;
  const double part = W > 0 ? std::clamp(speed / W - 1, 0.0, 1.0) : 1;
  const Vec3<double> sum = (part / speed) * w + (1 - part) * d_0;
  return (1 / norm(sum)) * sum;
}

bool ContactModes::solve(const InverseInertia& inverse, const ActiveConstraints& held,
                         std::span<const double> u, std::span<const double> free) {
  select(touching_);
  const size_t n_u = u.size();
  force_.assign(n_u, 0.0);
  delassus_.hold(inverse, n_u, held);
  std::vector<Row> J, F;
  std::vector<int> first(selected_.size());
  std::vector<double> bias;
  std::vector<Vec3<double>> slip(selected_.size());
  for (size_t k = 0; k < selected_.size(); ++k) {
    const size_t point = size_t(selected_[k]);
    const ContactRow& row = rows_.points()[k];
    const FeatureContact& at = pairs_[point];
    first[k] = int(J.size());
    J.push_back(rows_.rows()[size_t(row.row)]);
    bias.push_back(at.normal_bias());
    if (row.sliding < 0) {
      F.push_back(J.back());
    } else if (mode(point) == ContactMode::slides) {
      slip[k] = friction_direction(k, free);
      F.push_back(slip_row(row, slip[k]));
    } else {
      F.push_back(J.back());
      for (const int r : {row.sliding, row.sliding + 1}) {
        J.push_back(rows_.rows()[size_t(r)]);
        F.push_back(J.back());
      }
      bias.push_back(dot(row.t_W, at.a));
      bias.push_back(dot(row.s_W, at.a));
    }
  }
  const auto m = Eigen::Index(J.size());
  A_.resize(m, m);
  b_.resize(m);
  scale_.assign(selected_.size(), 0.0);
  for (Eigen::Index j = 0; j < m; ++j) {
    respond_to(F[size_t(j)], n_u);
    for (Eigen::Index i = 0; i < m; ++i) A_(i, j) = along(J[size_t(i)], response_.data());
    b_[j] = -bias[size_t(j)] - along(J[size_t(j)], free.data());
  }
  for (size_t k = 0; k < selected_.size(); ++k) {
    const Row& row = J[size_t(first[k])];
    const double inertia = A_(first[k], first[k]);
    const double terms = pairs_[size_t(selected_[k])].terms;
    scale_[k] = inertia > 0 ? (terms_along(row, free.data()) + std::abs(bias[size_t(first[k])]) +
                               per_metre * terms * terms) /
                                  inertia
                            : 0;
  }
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factor;
  factor.setThreshold(dependent);
  factor.compute(A_);
  redundant_ = factor.rank() < m;
  // J M^-1 J^T of independent rows has a positive determinant, which friction changes continuously.
  if (!redundant_ && !has_positive_determinant(A_)) {
    for (size_t k = 0; k < selected_.size(); ++k)
      if (mode(size_t(selected_[k])) == ContactMode::slides) paradox_ = size_t(selected_[k]);
    return false;
  }
  x_ = factor.solve(b_);
  lambda_.assign(rows_.size(), 0.0);
  for (size_t k = 0; k < selected_.size(); ++k) {
    const ContactRow& row = rows_.points()[k];
    const double N = x_[first[k]];
    lambda_[size_t(row.row)] = N;
    if (row.sliding < 0) continue;
    const size_t t = size_t(row.sliding);
    if (mode(size_t(selected_[k])) == ContactMode::slides) {
      lambda_[t] = -row.material.mu * N * dot(row.t_W, slip[k]);
      lambda_[t + 1] = -row.material.mu * N * dot(row.s_W, slip[k]);
    } else {
      lambda_[t] = x_[first[k] + 1];
      lambda_[t + 1] = x_[first[k] + 2];
    }
  }
  force_.assign(n_u, 0.0);
  power_ = 0;
  for (size_t r = 0; r < rows_.size(); ++r) {
    push(rows_.rows()[r], lambda_[r], force_.data());
    power_ += lambda_[r] * along(rows_.rows()[r], u.data());
  }
  return true;
}

double ContactModes::normal_margin(size_t k) const {
  return lambda_[size_t(rows_.points()[k].row)] + force_rounding * scale_[k];
}

double ContactModes::tangential_margin(size_t k, std::span<const double> u) const {
  const ContactRow& row = rows_.points()[k];
  const size_t point = size_t(selected_[k]), t = size_t(row.sliding);
  if (row.sliding < 0) return 1;
  if (mode(point) == ContactMode::sticks)
    return row.material.mu * lambda_[size_t(row.row)] - std::hypot(lambda_[t], lambda_[t + 1]) +
           force_rounding * scale_[k];
  const double along_d = along(rows_.rows()[t], u.data()) * dot(row.t_W, direction(point)) +
                         along(rows_.rows()[t + 1], u.data()) * dot(row.s_W, direction(point));
  return along_d + slip_margin;
}

bool ContactModes::correction(const InverseInertia& inverse, const ActiveConstraints& held,
                              std::span<const double> u, bool of_gaps, std::span<double> out) {
  // A few roundings of positions of the size of a metre, and of rates.
  constexpr double gap_rounding = 1e-14, rate_rounding = 16 * 2.2e-16;
  select(touching_);
  std::vector<ConstraintRow> J;
  std::vector<double> errors;
  bool any = false;
  const auto add = [&](int r, double error, double rounding) {
    J.push_back({.row = &rows_.rows()[size_t(r)]});
    errors.push_back(error);
    any = any || std::abs(error) > rounding;
  };
  for (size_t k = 0; k < selected_.size(); ++k) {
    const ContactRow& row = rows_.points()[k];
    const size_t point = size_t(selected_[k]);
    const auto add_rate = [&](int r) {
      const Row& J_r = rows_.rows()[size_t(r)];
      add(r, along(J_r, u.data()), rate_rounding * terms_along(J_r, u.data()));
    };
    if (of_gaps) {
      add(row.row, pairs_[point].at.gap, gap_rounding);
      continue;
    }
    add_rate(row.row);
    if (mode(point) != ContactMode::sticks || row.sliding < 0) continue;
    add_rate(row.sliding);
    add_rate(row.sliding + 1);
  }
  if (!any) return false;
  delassus_.hold(inverse, u.size(), held);
  const auto m = Eigen::Index(J.size());
  A_.resize(m, m);
  std::vector<std::vector<double>> responses;
  for (Eigen::Index j = 0; j < m; ++j) {
    respond_to(*J[size_t(j)].row, u.size());
    for (Eigen::Index i = 0; i < m; ++i) A_(i, j) = along(*J[size_t(i)].row, response_.data());
    responses.push_back(response_);
  }
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factor;
  factor.setThreshold(dependent);
  factor.compute(A_);
  x_ = factor.solve(Eigen::Map<const Eigen::VectorXd>(errors.data(), m));
  std::ranges::fill(out, 0.0);
  for (size_t j = 0; j < responses.size(); ++j)
    for (size_t i = 0; i < out.size(); ++i) out[i] += x_[Eigen::Index(j)] * responses[j][i];
  return true;
}

}  // namespace torsor
