#include "torsor/identification/physical.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/base/linear_algebra.hpp"
#include "torsor/mechanics/regressor.hpp"

namespace torsor {

namespace {

using Vector = Eigen::VectorXd;
using Pseudo = Eigen::Matrix4d;

Pseudo pseudo_inertia(const double* x) {
  const double half = (x[4] + x[5] + x[6]) / 2;
  Pseudo J;
  J << half - x[4], -x[7], -x[8], x[1], -x[7], half - x[5], -x[9], x[2], -x[8], -x[9], half - x[6],
      x[3], x[1], x[2], x[3], x[0];
  return J;
}
void put_inertia(const Pseudo& J, double* x) {
  const double trace = J(0, 0) + J(1, 1) + J(2, 2);
  const double numbers[n_inertial] = {J(3, 3),         J(0, 3),         J(1, 3),         J(2, 3),
                                      trace - J(0, 0), trace - J(1, 1), trace - J(2, 2), -J(0, 1),
                                      -J(0, 2),        -J(1, 2)};
  std::copy_n(numbers, n_inertial, x);
}

// Returns the radius of gyration of a link about its origin, or 0.1 m if it is zero or not defined.
// It is the unit of length of the link in Space.
double size_of(const double* x) {
  const Pseudo J = pseudo_inertia(x);
  const double square = (J(0, 0) + J(1, 1) + J(2, 2)) / J(3, 3);
  return std::isfinite(square) && square > 1e-8 ? std::sqrt(square) : 0.1;
}

// Coordinates u of the parameters pi = T u. The distance of two points u is the Frobenius norm of
// the difference of the links' pseudo-inertias, with lengths relative to size_of() of each link.
class Space {
 public:
  explicit Space(const std::vector<DynamicParameter>& parameters) : parameters_(parameters) {
    T_.setIdentity(Eigen::Index(parameters.size()), Eigen::Index(parameters.size()));
    for (size_t p = 0; p < parameters.size(); ++p) {
      if (parameters[p].kind != DynamicParameter::Kind::inertial || parameters[p].entry != 0)
        continue;
      double own[n_inertial];
      for (size_t k = 0; k < n_inertial; ++k) own[k] = parameters[p + k].value;
      add_link(Eigen::Index(p), size_of(own));
    }
  }

  const Eigen::MatrixXd& T() const { return T_; }

  // Returns the nearest point u whose bodies, rotors and friction are physically possible.
  Vector possible(const Vector& u) const {
    Vector pi = T_ * u, out = u;
    for (Eigen::Index p = 0; p < pi.size(); ++p)
      if (parameters_[size_t(p)].link < 0) out(p) = std::max(0.0, u(p));
    for (const auto& [first, size] : links_) {
      const Eigen::Vector4d lengths(size, size, size, 1);
      const Pseudo J = lengths.cwiseInverse().asDiagonal() * pseudo_inertia(pi.data() + first) *
                       lengths.cwiseInverse().asDiagonal();
      const SymmetricEigen eigen = symmetric_eigen(Eigen::MatrixXd(J));
      if (eigen.values(0) >= 0) continue;
      const Pseudo nearest =
          eigen.vectors * eigen.values.cwiseMax(0).asDiagonal() * eigen.vectors.transpose();
      for (int k = 0; k < n_inertial; ++k)
        out(first + k) = nearest(row[k], column[k]) * (k < 4 && k > 0 ? root2 : k > 6 ? root2 : 1);
    }
    return out;
  }

 private:
  static constexpr double root2 = 1.4142135623730951;
  // The entry of the pseudo-inertia that belongs to each of the ten coordinates of a link. The
  // coordinates of off-diagonal entries are multiplied by sqrt 2.
  static constexpr int row[n_inertial] = {3, 0, 1, 2, 0, 1, 2, 0, 0, 1},
                       column[n_inertial] = {3, 3, 3, 3, 0, 1, 2, 1, 2, 2};
  void add_link(Eigen::Index first, double size) {
    links_.push_back({first, size});
    const Eigen::Vector4d lengths(size, size, size, 1);
    for (int k = 0; k < n_inertial; ++k) {
      Pseudo J = Pseudo::Zero();
      J(row[k], column[k]) = J(column[k], row[k]) = row[k] == column[k] ? 1 : 1 / root2;
      double numbers[n_inertial];
      put_inertia(lengths.asDiagonal() * J * lengths.asDiagonal(), numbers);
      for (int p = 0; p < n_inertial; ++p) T_(first + p, first + k) = numbers[p];
    }
  }

  struct LinkSpace {
    Eigen::Index first;
    double size;
  };
  const std::vector<DynamicParameter>& parameters_;
  std::vector<LinkSpace> links_;
  Eigen::MatrixXd T_;
};

}  // namespace

// Uses Dykstra's alternating projections onto convex sets. The sets are one slab |a_i . u - b_i| <=
// w_i for each base parameter, and the cone of the physically possible parameters. The iteration
// converges to the common point that is nearest to the parameters of the model, if there is one.
// Slabs with 0.9 w_i are used, so that a finite number of iterations reaches the allowed slabs.
PhysicalCheck check_physical(const BaseParameters& base, const std::vector<double>& estimate,
                             const std::vector<double>& allowed) {
  constexpr int most_rounds = 5000;
  const Space space(base.standard);
  const Eigen::MatrixXd A = base.grouping.B * space.T();
  const Vector squares = A.rowwise().squaredNorm();
  const Vector b = Eigen::Map<const Vector>(estimate.data(), Eigen::Index(estimate.size()));
  const Vector width = Eigen::Map<const Vector>(allowed.data(), b.size());
  Vector own(Eigen::Index(base.standard.size()));
  for (Eigen::Index p = 0; p < own.size(); ++p) own(p) = base.standard[size_t(p)].value;
  Vector u = solve(space.T(), own), correction = Vector::Zero(u.size());
  PhysicalCheck out{{}, std::numeric_limits<double>::infinity(), 0};
  Vector along = Vector::Zero(b.size());  // Dykstra corrections of the slabs, along the rows of A
  for (int round = 0; round < most_rounds; ++round) {
    Vector inside = u;
    for (Eigen::Index i = 0; i < b.size(); ++i) {
      const double off = A.row(i).dot(inside) - b(i) + along(i) * squares(i);
      const double excess = off - std::clamp(off, -0.9 * width(i), 0.9 * width(i));
      inside += (along(i) - excess / squares(i)) * A.row(i).transpose();
      along(i) = excess / squares(i);
    }
    const Vector next = space.possible(inside + correction);
    correction += inside - next;
    const double moved = (next - u).norm();
    u = next;
    Eigen::Index of = 0;
    out.farthest = ((A * u - b).cwiseAbs().array() / width.array()).maxCoeff(&of);
    out.of = int(of);
    if (out.possible() || moved <= 1e-12 * u.norm()) break;
  }
  const Vector pi = space.T() * u;
  out.standard.assign(pi.begin(), pi.end());
  return out;
}

}  // namespace torsor
