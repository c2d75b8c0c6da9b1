// The subject RBDL. It has no armature: inverse dynamics, M and the kinetic energy of a robot with
// armature are completed here, and forward dynamics is not computed.

#include <rbdl/rbdl.h>
#include <rbdl/rbdl_utils.h>

#include <algorithm>

#include "bench/peers/robot.hpp"
#include "torsor/base/error.hpp"

namespace torsor::bench {

namespace {

namespace rb = RigidBodyDynamics;
using rb::Math::Matrix3d;
using rb::Math::MatrixNd;
using rb::Math::Vector3d;
using rb::Math::VectorNd;

Vector3d vector(const Vec3<double>& p) {
  return {p.x, p.y, p.z};
}

rb::Body body(const SpatialInertia<double>& M) {
  const auto [c, I] = about_com(M);
  Matrix3d inertia;
  inertia << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  return {M.m, vector(c), inertia};
}

// A transform of RBDL has the matrix from the parent's axes to those of the body.
rb::Math::SpatialTransform placement(const Pose<double>& X) {
  Matrix3d E;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) E(i, j) = X.R(j, i);
  return {E, vector(X.p)};
}

struct RbdlSample {
  VectorNd q, v, vdot, tau;
};

// The bodies of RBDL have the indices of Torsor's, because each joint has one dof.
class Rbdl : public Subject {
 public:
  Rbdl(const Model& model, std::span<const Sample> samples)
      : columns_(model.v_index.begin() + 1, model.v_index.end()),
        rest_(VectorNd::Zero(model.n_v)),
        armature_(model.n_v),
        vector_(rest_),
        matrix_(MatrixNd::Zero(model.n_v, model.n_v)),
        J_(MatrixNd::Zero(6, model.n_v)) {
    model_.gravity = Vector3d(0, 0, -9.81);
    for (int i = 1; i < model.n_body; ++i) {
      const rb::Joint joint = model.turn[i] == 1
                                  ? rb::Joint(rb::JointTypeRevoluteZ)
                                  : rb::Joint(rb::JointTypePrismatic, Vector3d(0, 0, 1));
      model_.AddBody(unsigned(model.parent[i]), placement(model.X_PB0[i]), joint,
                     body(model.inertia_B[i]));
      armature_[i - 1] = model.armature[columns_[size_t(i) - 1]];
    }
    for (const Sample& s : samples)
      samples_.push_back({ordered(s.q), ordered(s.v), ordered(s.vdot), ordered(s.tau)});
  }

  std::string lacks(Work work) const override {
    switch (work) {
      case Work::forward:
        return armature_.isZero(0) ? "" : "RBDL has no armature";
      case Work::inverse:
      case Work::mass_matrix:
      case Work::gravity:
      case Work::bias:
      case Work::world_poses:
      case Work::frame_jacobian:
      case Work::joint_wrenches:
      case Work::energies:
        return "";
      default:
        return "RBDL does not compute it";
    }
  }

  bool evaluate(Work work, size_t k) override {
    RbdlSample& s = samples_[k];
    switch (work) {
      case Work::inverse:
      case Work::joint_wrenches:
        rb::InverseDynamics(model_, s.q, s.v, s.vdot, vector_);
        vector_ += armature_.cwiseProduct(s.vdot);
        break;
      case Work::forward:
        rb::ForwardDynamics(model_, s.q, s.v, s.tau, vector_);
        break;
      case Work::mass_matrix:
        matrix_.setZero();
        rb::CompositeRigidBodyAlgorithm(model_, s.q, matrix_);
        matrix_.diagonal() += armature_;
        break;
      case Work::gravity:
        rb::NonlinearEffects(model_, s.q, rest_, vector_);
        break;
      case Work::bias:
        rb::NonlinearEffects(model_, s.q, s.v, vector_);
        break;
      case Work::world_poses:
        rb::UpdateKinematicsCustom(model_, &s.q, nullptr, nullptr);
        break;
      case Work::frame_jacobian:
        rb::CalcPointJacobian6D(model_, s.q, unsigned(columns_.size()), Vector3d(0, 0, 0), J_);
        break;
      default:
        energies_[0] = rb::Utils::CalcKineticEnergy(model_, s.q, s.v) +
                       0.5 * armature_.dot(s.v.cwiseProduct(s.v));
        energies_[1] = rb::Utils::CalcPotentialEnergy(model_, s.q, false);
    }
    return true;
  }

  void result(Work work, double* out) override {
    const size_t n = columns_.size();
    switch (work) {
      case Work::mass_matrix:
        for (size_t i = 0; i < n; ++i)
          for (size_t j = 0; j < n; ++j)
            out[columns_[i] * n + columns_[j]] = matrix_(Eigen::Index(i), Eigen::Index(j));
        return;
      case Work::world_poses:
        for (size_t i = 1; i <= n; ++i) {
          const rb::Math::SpatialTransform& X = model_.X_base[i];
          for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column) *out++ = X.E(column, row);
          out = std::copy_n(X.r.data(), 3, out);
        }
        return;
      case Work::frame_jacobian:
        for (size_t i = 0; i < n; ++i)
          std::copy_n(J_.col(Eigen::Index(i)).data(), 6, out + 6 * columns_[i]);
        return;
      case Work::joint_wrenches:
        for (size_t i = 1; i <= n; ++i) out = std::copy_n(model_.f[i].data(), 6, out);
        return;
      case Work::energies:
        std::copy_n(energies_, 2, out);
        return;
      default:
        for (size_t i = 0; i < n; ++i) out[columns_[i]] = vector_[Eigen::Index(i)];
    }
  }

 private:
  VectorNd ordered(const std::vector<double>& x) const {
    VectorNd out(columns_.size());
    for (size_t i = 0; i < columns_.size(); ++i) out[Eigen::Index(i)] = x[columns_[i]];
    return out;
  }

  rb::Model model_;
  std::vector<size_t> columns_;  // [n_v] Torsor's dof for each joint of RBDL
  std::vector<RbdlSample> samples_;
  VectorNd rest_, armature_, vector_;
  MatrixNd matrix_, J_;
  double energies_[2] = {};
};

}  // namespace

std::unique_ptr<Subject> make_rbdl(const Model& model, std::span<const Sample> samples) {
  require_simple_joints(model);
  require_centres_of_mass(model);
  return std::make_unique<Rbdl>(model, samples);
}

const char* rbdl_version() {
  return TORSOR_BENCH_RBDL_VERSION;
}

}  // namespace torsor::bench
