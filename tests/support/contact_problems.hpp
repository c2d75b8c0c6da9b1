#pragma once
// Problems of contacts with Coulomb friction, for constraint solvers.

#include <Eigen/Cholesky>
#include <Eigen/Geometry>

#include "support/constraint_problems.hpp"

namespace torsor::test {

// Collects the rows of contacts.
class ContactRows {
 public:
  // The columns of the rows are velocities of a system with this M^-1.
  explicit ContactRows(Eigen::MatrixXd M_inverse) : M_inverse_(std::move(M_inverse)) {}

  // rows: [1 + count x n_v] of a normal and one or two tangents.
  void add(const Eigen::MatrixXd& rows, double mu) {
    const int normal = int(J_.rows());
    append(rows);
    frictions_.push_back({normal, normal + 1, int(rows.rows()) - 1, mu});
  }
  // Adds rows of torsional or rolling friction to the last contact.
  void add_group(const Eigen::MatrixXd& rows, double mu) {
    frictions_.push_back({frictions_.back().normal, int(J_.rows()), int(rows.rows()), mu});
    append(rows);
  }
  // v: [n_v] velocities without contact forces.
  RandomProblem problem(const Eigen::VectorXd& v) const {
    RandomProblem out;
    const Eigen::MatrixXd G = J_ * M_inverse_ * J_.transpose();
    out.G = 0.5 * (G + G.transpose());
    out.X = J_ * Eigen::MatrixXd(M_inverse_.llt().matrixL());
    out.c = J_ * v;
    out.c_terms = J_.cwiseAbs() * v.cwiseAbs();
    out.lower = Eigen::VectorXd::Zero(J_.rows());
    out.upper = Eigen::VectorXd::Constant(J_.rows(), HUGE_VAL);
    out.frictions = frictions_;
    return out;
  }

 private:
  void append(const Eigen::MatrixXd& rows) {
    J_.conservativeResize(J_.rows() + rows.rows(), M_inverse_.cols());
    J_.bottomRows(rows.rows()) = rows;
  }

  Eigen::MatrixXd M_inverse_, J_;
  std::vector<torsor_friction> frictions_;
};

struct PileShape {
  int bodies = 3, contacts = 4;  // contacts >= bodies
  double mass_ratio = 1;         // masses are from 1 to this
  bool has_faces = false;        // most contacts have four points on a face
  bool has_rolling = false;      // some contacts have torsional and rolling friction
};

// Returns the contacts of a pile of free bodies. The first contacts stack the bodies, and the
// others are between random bodies, or a body and the ground. v is their velocity [6 per body:
// linear, angular] without contact forces.
inline RandomProblem random_pile(Random& random, const PileShape& shape,
                                 Eigen::VectorXd* v = nullptr) {
  const auto direction = [&] {
    const Vec3<double> d = random.direction();
    return Eigen::Vector3d(d.x, d.y, d.z);
  };
  const int n_v = 6 * shape.bodies;
  Eigen::VectorXd inverse(n_v), velocity(n_v);
  std::vector<Eigen::Vector3d> place;
  for (int b = 0; b < shape.bodies; ++b) {
    const double mass = std::pow(shape.mass_ratio, random.uniform());
    for (int k = 0; k < 3; ++k) {
      inverse[6 * b + k] = 1 / mass;
      inverse[6 * b + 3 + k] = 1 / (0.1 * mass * random.uniform(0.3, 1));
      velocity[6 * b + k] = random.uniform(-0.3, 0.3) - (k == 2 ? 0.5 : 0);
      velocity[6 * b + 3 + k] = random.uniform(-1, 1);
    }
    place.emplace_back(random.uniform(-1, 1), random.uniform(-1, 1), 0.5 * b);
  }
  ContactRows rows(inverse.asDiagonal());
  const auto row = [&](int a, int b, const Eigen::Vector3d& x, const Eigen::Vector3d& n,
                       bool is_rotation) {
    Eigen::VectorXd out = Eigen::VectorXd::Zero(n_v);
    for (const auto& [body, sign] : {std::pair{a, 1.0}, {b, -1.0}}) {
      if (body < 0) continue;
      if (!is_rotation) out.segment<3>(6 * body) = sign * n;
      out.segment<3>(6 * body + 3) =
          sign * (is_rotation ? n : Eigen::Vector3d((x - place[size_t(body)]).cross(n)));
    }
    return out;
  };
  const auto add = [&](int a, int b, const Eigen::Vector3d& x, const Eigen::Vector3d& n,
                       double mu) {
    const Eigen::Vector3d t = n.unitOrthogonal(), s = n.cross(t);
    Eigen::MatrixXd sliding(3, n_v), rolling(2, n_v), torsion(1, n_v);
    sliding << row(a, b, x, n, false).transpose(), row(a, b, x, t, false).transpose(),
        row(a, b, x, s, false).transpose();
    rows.add(sliding, mu);
    if (!shape.has_rolling || random.below(2) == 0) return;
    torsion << row(a, b, x, n, true).transpose();
    rows.add_group(torsion, random.uniform(0, 0.05));
    if (random.below(2) == 0) return;
    rolling << row(a, b, x, t, true).transpose(), row(a, b, x, s, true).transpose();
    rows.add_group(rolling, random.uniform(0, 0.05));
  };
  for (int k = 0; k < shape.contacts; ++k) {
    const bool stacks = k < shape.bodies;
    const int a = stacks ? k : random.below(shape.bodies);
    int b = stacks ? k - 1 : random.below(shape.bodies + 1) - 1;
    if (a == b) b = -1;
    const Eigen::Vector3d up(0, 0, 2),
        n = (up + (stacks ? 0.2 : 2) * direction()).normalized(), from = place[size_t(a)],
        to = b < 0 ? Eigen::Vector3d(from - 0.25 * up) : place[size_t(b)], x = 0.5 * (from + to),
        t = 0.2 * n.unitOrthogonal(), s = n.cross(t);
    const double mu = random.uniform();
    if (shape.has_faces && random.below(5) < 3)
      for (int corner = 0; corner < 4; ++corner)
        add(a, b, x + (corner % 2 ? 1 : -1) * t + (corner / 2 ? 1 : -1) * s, n, mu);
    else
      add(a, b, x + 0.3 * direction(), n, mu);
  }
  if (v) *v = velocity;
  return rows.problem(velocity);
}

// Returns the largest violation of Coulomb's law, each part in the units of rows with G_ii = 1,
// relative to the largest |G lambda| + c_terms of a row. It is written in other terms than the
// residual of torsor_constraint_result.
inline double contact_violation(const RandomProblem& p, const Eigen::VectorXd& lambda) {
  const Eigen::VectorXd w = p.rates(lambda), d = p.G.diagonal().cwiseSqrt();
  double most = 0, size = 0;
  for (Eigen::Index i = 0; i < w.size(); ++i)
    if (d[i] > 0) size = std::max(size, (std::abs(p.G.row(i).dot(lambda)) + p.c_terms[i]) / d[i]);
  for (const torsor_friction& friction : p.frictions) {
    const auto n = friction.normal, t = friction.first, count = friction.count;
    const double force = lambda[n] * d[n], rate = w[n] / d[n];
    most = std::max({most, -force, -rate, std::min(force, rate)});
    const Eigen::VectorXd lambda_t = lambda.segment(t, count), w_t = w.segment(t, count);
    const double d_t = d.segment(t, count).norm() / std::sqrt(count),
                 limit = friction.mu * lambda[n], speed = w_t.norm();
    if (d_t == 0) continue;
    most = std::max(most, d_t * (lambda_t.norm() - limit));
    // |w_t| lambda_t + mu lambda_n w_t = 0, relative to the size of w.
    if (size > 0) most = std::max(most, (speed * lambda_t + limit * w_t).norm() / size);
  }
  return size > 0 ? most / size : 0;
}

}  // namespace torsor::test
