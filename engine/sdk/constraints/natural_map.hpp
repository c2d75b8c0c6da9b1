#pragma once
// De Saxce's natural map of a problem, x - P(x - y - s(y)) (newton_admm.hpp): the projection P on
// the bounds and cones, and the shift s, with their derivatives. A width d > 0 smooths the map
// (smoothed_cone.hpp), and replaces |y_t| by sqrt(|y_t|^2 + d^2).

#include "torsor/sdk/constraints/smoothed_cone.hpp"

namespace torsor::sdk {

class NaturalMap {
 public:
  static constexpr int most = Contact::most_rows;

  NaturalMap() = default;
  // blocks: those of the problem. d: [n] the units of its rows.
  NaturalMap(const torsor_constraint_problem& problem, const Blocks& blocks, const double* d)
      : problem_(&problem), blocks_(&blocks), d_(d) {}

  // The width, which is 0 without smoothing.
  void smooth(double width) { width_ = width; }
  double width() const { return width_; }

  // Writes P(v) to x, which may be v.
  void project(const double* v, double* x) const {
    blocks_->for_each([&](int row) { x[row] = project_row(row, v[row]); },
                      [&](const Contact& contact) {
                        double p[most];
                        std::copy_n(v + contact.first(), contact.n_rows(), p);
                        if (is_smoothed(contact))
                          SmoothedCone(contact, p, width_).project(p);
                        else
                          contact.project(p);
                        std::copy_n(p, contact.n_rows(), x + contact.first());
                      });
  }
  // Returns the derivative of P of a row in no contact.
  double row_slope(int row, double v) const {
    const double lower = d_[row] * problem_->lower[row], upper = d_[row] * problem_->upper[row];
    if (!(width_ > 0)) return v >= lower && v <= upper ? 1 : 0;
    double slope = 1;
    if (lower > -unbounded) slope -= positive_slope(lower - v, width_);
    if (upper < unbounded) slope -= positive_slope(v - upper, width_);
    return slope;
  }
  // Writes D^-1 - 1 [n_rows][n_rows] of a contact at v. `least` replaces smaller eigenvalues of D.
  void derive(const Contact& contact, const double* v, double least, double (*E)[most]) const {
    if (is_smoothed(contact))
      SmoothedCone(contact, v, width_).derive(least, E);
    else
      derive_projection(contact, v, least, E);
  }

  // Adds De Saxce's shift s(y), times a factor.
  void add_shift(const double* y, double* to, double factor) const {
    blocks_->for_each([](int) {},
                      [&](const Contact& contact) {
                        const int first = contact.first();
                        for (int k = 0; k < contact.n_groups(); ++k) {
                          const Contact::Group& group = contact.group(k);
                          to[first] += factor * group.m * slip(contact, group, y + first);
                        }
                      });
  }
  // Writes a [n_rows], a_t = m y_t / |y_t|.
  void slide_directions(const Contact& contact, const double* y, double* a) const {
    a[0] = 0;
    for (int k = 0; k < contact.n_groups(); ++k) {
      const Contact::Group& group = contact.group(k);
      const double size = slip(contact, group, y);
      for (int i = group.begin; i < group.end; ++i) a[i] = size > 0 ? group.m * y[i] / size : 0;
    }
  }

 private:
  double project_row(int row, double v) const {
    const double d = d_[row];
    if (!(d > 0)) return 0;
    const double lower = d * problem_->lower[row], upper = d * problem_->upper[row];
    if (!(width_ > 0)) return std::min(std::max(v, lower), upper);
    double x = v;
    if (lower > -unbounded) x += positive_part(lower - v, width_);
    if (upper < unbounded) x -= positive_part(v - upper, width_);
    return x;
  }
  // Only cones of one friction group without other bounds are smoothed.
  bool is_smoothed(const Contact& contact) const {
    return width_ > 0 && contact.n_groups() == 1 && contact.group(0).is_moved &&
           contact.group(0).m > 0 && contact.lower() == 0 && !(contact.upper() < unbounded);
  }
  // Returns |y_t| of a group, or the smoothed value for a smoothed contact.
  double slip(const Contact& contact, const Contact::Group& group, const double* y) const {
    const double size = Contact::norm(group, y);
    return is_smoothed(contact) ? std::sqrt(size * size + width_ * width_) : size;
  }

  const torsor_constraint_problem* problem_ = nullptr;
  const Blocks* blocks_ = nullptr;
  const double* d_ = nullptr;
  double width_ = 0;
};

}  // namespace torsor::sdk
