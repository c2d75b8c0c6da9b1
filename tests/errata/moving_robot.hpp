#pragma once
// A robot that moves on q(t) = q + v t + vdot t^2 / 2, and derivatives by differences. They are
// what the formulae of the sources are compared with.

#include <functional>
#include <memory>

#include "support/dense_dynamics.hpp"
#include "support/random_robot.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/mechanics/state.hpp"

namespace torsor::test {

// Returns the derivative of f at 0 from differences of fourth order. Their error is about 1e-11 of
// values of size 1 that change at rates of size 1.
template <class F>
auto derivative(const F& f, double h = 1e-3) {
  using Value = std::decay_t<decltype(f(0.0))>;
  const Value near = f(h) - f(-h), far = f(2 * h) - f(-2 * h);
  return Value((8.0 * near - far) / (12 * h));
}

struct MovingRobot {
  explicit MovingRobot(const RobotDescription& robot, uint64_t seed = 1)
      : model(build(robot)), random(seed) {
    q = vector(1.5);
    v = vector(2);
    vdot = vector(2);
    gravity = random.vector(10);
  }
  Vector vector(double size) {
    const std::vector<double> values = random_values(random, model->n_v, size);
    return Eigen::Map<const Vector>(values.data(), model->n_v);
  }

  State at(const Vector& position, const Vector& velocity) const {
    State state(model);
    state.set_q({position.data(), size_t(position.size())});
    state.v.assign(velocity.begin(), velocity.end());
    state.set_gravity(gravity);
    return state;
  }
  State at(double t = 0) const { return at(q + t * v + t * t / 2 * vdot, v + t * vdot); }
  DenseDynamics dense(double t = 0) const { return dense(at(t)); }
  DenseDynamics dense(const State& state) const { return {model->view(), state.view()}; }

  // Returns dM/dq_k for each k, by differences.
  std::vector<Matrix> mass_matrix_slopes() const {
    std::vector<Matrix> out;
    for (Eigen::Index k = 0; k < q.size(); ++k)
      out.push_back(
          derivative([&](double t) { return dense(at(q + t * Vector::Unit(q.size(), k), v)).M; }));
    return out;
  }
  // Returns the velocity torques of Lagrange's equations,
  //   c_i = sum_jk (dM_ij/dq_k - dM_jk/dq_i / 2) v_j v_k.
  Vector velocity_torques() const {
    const std::vector<Matrix> slopes = mass_matrix_slopes();
    Vector c = Vector::Zero(q.size());
    for (Eigen::Index k = 0; k < q.size(); ++k) {
      c += slopes[size_t(k)] * v * v[k];
      c[k] -= v.dot(slopes[size_t(k)] * v) / 2;
    }
    return c;
  }
  // Returns dU/dq by differences.
  Vector gravity_torques() const {
    Vector out(q.size());
    for (Eigen::Index k = 0; k < q.size(); ++k)
      out[k] = derivative(
          [&](double t) { return potential_energy(at(q + t * Vector::Unit(q.size(), k), v)); });
    return out;
  }

  std::shared_ptr<const Model> model;
  Random random;
  Vector q, v, vdot;
  Vec3<double> gravity;
};

// Returns a chain of joints with one dof, without rotors.
inline RobotDescription plain_chain(int n, uint64_t seed) {
  RobotDescription robot = random_robot(n, Shape::chain, seed, Kinds::one_column);
  for (LinkDescription& link : robot.links) link.joint.armature = 0;
  return robot;
}

// Returns the matrix of ad(V) = [w~ 0; v~ w~] for a twist V, angular part first.
inline Matrix ad_matrix(const Vector& V) {
  const auto skew = [](const Eigen::Vector3d& a) {
    Eigen::Matrix3d out;
    out << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
    return out;
  };
  Matrix out = Matrix::Zero(6, 6);
  out.topLeftCorner<3, 3>() = out.bottomRightCorner<3, 3>() = skew(V.head<3>());
  out.bottomLeftCorner<3, 3>() = skew(V.tail<3>());
  return out;
}

}  // namespace torsor::test
