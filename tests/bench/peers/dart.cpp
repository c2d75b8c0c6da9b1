// The subject DART. It caches results; new positions, velocities or accelerations invalidate the
// caches, so every call computes.

#include <dart/config.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include "bench/peers/peer.hpp"
#include "torsor/model/inertia.hpp"

namespace torsor::bench {

namespace {

namespace dd = dart::dynamics;

Eigen::Isometry3d isometry(const Pose<double>& X) {
  Eigen::Isometry3d out = Eigen::Isometry3d::Identity();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out.linear()(i, j) = X.R(i, j);
  out.translation() << X.p.x, X.p.y, X.p.z;
  return out;
}

dd::Inertia inertia(const SpatialInertia<double>& M) {
  const auto [c, I] = about_com(M);
  Eigen::Matrix3d moments;
  moments << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  return {M.m, Eigen::Vector3d(c.x, c.y, c.z), moments};
}

template <class Joint>
dd::BodyNode* add_body(dd::Skeleton& skeleton, dd::BodyNode* parent, const Model& model, int i) {
  typename Joint::Properties joint;
  joint.mName = "joint" + std::to_string(i);
  joint.mAxis = Eigen::Vector3d::UnitZ();
  joint.mT_ParentBodyToJoint = isometry(model.X_PB0[i]);
  dd::BodyNode::Properties body;
  body.mName = "body" + std::to_string(i);
  body.mInertia = inertia(model.inertia_B[i]);
  return skeleton.createJointAndBodyNodePair<Joint>(parent, joint, body).second;
}

class Dart : public Subject {
 public:
  Dart(const Model& model, std::span<const Sample> samples) : column_(model.n_v) {
    skeleton_ = dd::Skeleton::create("robot");
    skeleton_->setGravity({0, 0, -9.81});
    std::vector<dd::BodyNode*> bodies(model.n_body, nullptr);
    for (int i = 1; i < model.n_body; ++i)
      bodies[i] = model.turn[i] == 1
                      ? add_body<dd::RevoluteJoint>(*skeleton_, bodies[model.parent[i]], model, i)
                      : add_body<dd::PrismaticJoint>(*skeleton_, bodies[model.parent[i]], model, i);
    for (int i = 1; i < model.n_body; ++i)
      column_[bodies[i]->getParentJoint()->getIndexInSkeleton(0)] = model.v_index[i];
    for (const Sample& s : samples)
      samples_.push_back({ordered(s.q), ordered(s.v), ordered(s.vdot), ordered(s.tau)});
  }

  std::string lacks(Work work) const override {
    return work == Work::coriolis_matrix || work > Work::bias ? "DART does not compute it" : "";
  }

  bool evaluate(Work work, size_t k) override {
    const DartSample& s = samples_[k];
    skeleton_->setPositions(s.q);
    switch (work) {
      case Work::inverse:
        skeleton_->setVelocities(s.v);
        skeleton_->setAccelerations(s.vdot);
        skeleton_->computeInverseDynamics();
        return true;
      case Work::forward:
        skeleton_->setVelocities(s.v);
        skeleton_->setForces(s.tau);
        skeleton_->computeForwardDynamics();
        return true;
      case Work::bias:
        skeleton_->setVelocities(s.v);
        vector_ = &skeleton_->getCoriolisAndGravityForces();
        return true;
      case Work::gravity:
        vector_ = &skeleton_->getGravityForces();
        return true;
      case Work::mass_matrix:
        matrix_ = &skeleton_->getMassMatrix();
        return true;
      default:
        matrix_ = &skeleton_->getInvMassMatrix();
        return true;
    }
  }

  void result(Work work, double* out) override {
    const size_t n = column_.size();
    Eigen::VectorXd vector;
    if (work == Work::inverse) vector = skeleton_->getForces();
    if (work == Work::forward) vector = skeleton_->getAccelerations();
    if (work == Work::bias || work == Work::gravity) vector = *vector_;
    for (size_t i = 0; i < n; ++i) {
      if (!is_matrix(work)) out[column_[i]] = vector[i];
      for (size_t j = 0; is_matrix(work) && j < n; ++j)
        out[column_[i] * n + column_[j]] = (*matrix_)(i, j);
    }
  }

 private:
  struct DartSample {
    Eigen::VectorXd q, v, vdot, tau;
  };

  Eigen::VectorXd ordered(const std::vector<double>& x) const {
    Eigen::VectorXd out(column_.size());
    for (size_t i = 0; i < column_.size(); ++i) out[i] = x[column_[i]];
    return out;
  }

  dd::SkeletonPtr skeleton_;
  std::vector<size_t> column_;  // [n_v] Torsor's dof for each dof of DART
  std::vector<DartSample> samples_;
  const Eigen::VectorXd* vector_ = nullptr;
  const Eigen::MatrixXd* matrix_ = nullptr;
};

// Makes the subject. Throws Error for joints other than revolute and prismatic ones, and for
// armature. Also throws for masses or inertias of at most 1e-100, for which DART warns, aborts, or
// computes reciprocals that overflow.
std::unique_ptr<Subject> make(const Model& model, std::span<const Sample> samples) {
  require_simple_joints(model);
  constexpr double least = 1e-100;
  for (int i = 1; i < model.n_body; ++i) {
    const SpatialInertia<double>& M = model.inertia_B[i];
    if (!(M.m > least && principal_inertia(M).moments[0] > least))
      throw Error("takes no body without mass or inertia, or next to none, as that of joint '" +
                  model.joint_of_body(i) + "'");
    if (model.armature[model.v_index[i]] != 0)
      throw Error("has no armature, as that of joint '" + model.joint_of_body(i) + "'");
  }
  return std::make_unique<Dart>(model, samples);
}

}  // namespace

Peer dart_peer() {
  return {"DART", DART_VERSION, make};
}

}  // namespace torsor::bench
