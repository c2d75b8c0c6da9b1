// The subject Orocos KDL: inverse dynamics of trees; inverse and forward dynamics, M and gravity of
// chains.

#include <fmt/format.h>

#include <kdl/config.h>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <optional>

#include "bench/peers/peer.hpp"

namespace torsor::bench {

namespace {

constexpr double gravity_z = -9.81;

KDL::Frame frame(const Pose<double>& X) {
  const double* r = X.R.m;
  return {KDL::Rotation(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]),
          KDL::Vector(X.p.x, X.p.y, X.p.z)};
}

// Returns the segment of a body. The joint's axis is given in the frame of the parent, as in KDL's
// reader of URDF files.
KDL::Segment segment(const Model& model, int i) {
  const KDL::Frame X_PB0 = frame(model.X_PB0[i]);
  const KDL::Joint joint(std::to_string(i), X_PB0.p, X_PB0.M.UnitZ(),
                         model.turn[i] == 1 ? KDL::Joint::RotAxis : KDL::Joint::TransAxis, 1, 0,
                         model.armature[model.v_index[i]]);
  const SpatialInertia<double>& M = model.inertia_B[i];
  const auto [c, I] = about_com(M);
  const KDL::RigidBodyInertia inertia(M.m, KDL::Vector(c.x, c.y, c.z),
                                      KDL::RotationalInertia(I.xx, I.yy, I.zz, I.xy, I.xz, I.yz));
  return KDL::Segment(std::to_string(i), joint, X_PB0, inertia);
}

bool is_chain(const Model& model) {
  for (int i = 1; i < model.n_body; ++i)
    if (model.parent[i] != i - 1) return false;
  return true;
}

struct KdlSample {
  KDL::JntArray q, v, vdot, tau;
};

// Returns x in the order of the bodies, which is KDL's order of joints because every joint has one
// dof.
KDL::JntArray ordered(const Model& model, const std::vector<double>& x) {
  KDL::JntArray out(model.n_v);
  for (int i = 1; i < model.n_body; ++i) out(i - 1) = x[model.v_index[i]];
  return out;
}

// Base class of the subjects for chains and for trees.
class Kdl : public Subject {
 public:
  Kdl(const Model& model, std::span<const Sample> samples)
      : columns_(model.v_index.begin() + 1, model.v_index.end()),
        vector_(model.n_v),
        matrix_(model.n_v) {
    for (const Sample& s : samples)
      samples_.push_back({ordered(model, s.q), ordered(model, s.v), ordered(model, s.vdot),
                          ordered(model, s.tau)});
  }

  std::string failure() const override { return fmt::format("KDL answers {}", status_); }

  void result(Work work, double* out) override {
    const size_t n = columns_.size();
    for (size_t i = 0; i < n; ++i) {
      if (!is_matrix(work)) out[columns_[i]] = vector_(i);
      for (size_t j = 0; is_matrix(work) && j < n; ++j)
        out[columns_[i] * n + columns_[j]] = matrix_(i, j);
    }
  }

 protected:
  bool done(int status) {
    status_ = status;
    return status >= 0;
  }

  std::vector<KdlSample> samples_;
  std::vector<size_t> columns_;  // [n_v] Torsor's dof for each joint of KDL
  KDL::JntArray vector_;
  KDL::JntSpaceInertiaMatrix matrix_;

 private:
  int status_ = 0;
};

class KdlChain : public Kdl {
 public:
  KdlChain(const Model& model, std::span<const Sample> samples) : Kdl(model, samples) {
    for (int i = 1; i < model.n_body; ++i) chain_.addSegment(segment(model, i));
    const KDL::Vector gravity(0, 0, gravity_z);
    wrenches_.assign(size_t(model.n_body) - 1, KDL::Wrench::Zero());
    inverse_.emplace(chain_, gravity);
    forward_.emplace(chain_, gravity);
    parameters_.emplace(chain_, gravity);
  }

  std::string lacks(Work work) const override {
    switch (work) {
      case Work::inverse:
      case Work::forward:
      case Work::mass_matrix:
      case Work::gravity:
        return "";
      default:
        return "KDL does not compute it";
    }
  }

  bool evaluate(Work work, size_t k) override {
    const KdlSample& s = samples_[k];
    switch (work) {
      case Work::inverse:
        return done(inverse_->CartToJnt(s.q, s.v, s.vdot, wrenches_, vector_));
      case Work::forward:
        return done(forward_->CartToJnt(s.q, s.v, s.tau, wrenches_, vector_));
      case Work::mass_matrix:
        return done(parameters_->JntToMass(s.q, matrix_));
      default:
        return done(parameters_->JntToGravity(s.q, vector_));
    }
  }

 private:
  KDL::Chain chain_;
  KDL::Wrenches wrenches_;
  std::optional<KDL::ChainIdSolver_RNE> inverse_;
  std::optional<KDL::ChainFdSolver_RNE> forward_;
  std::optional<KDL::ChainDynParam> parameters_;
};

class KdlTree : public Kdl {
 public:
  KdlTree(const Model& model, std::span<const Sample> samples) : Kdl(model, samples), tree_("0") {
    for (int i = 1; i < model.n_body; ++i)
      tree_.addSegment(segment(model, i), std::to_string(model.parent[i]));
    inverse_.emplace(tree_, KDL::Vector(0, 0, gravity_z));
  }

  std::string lacks(Work work) const override {
    return work == Work::inverse ? "" : "KDL computes it for chains only";
  }
  bool evaluate(Work, size_t k) override {
    const KdlSample& s = samples_[k];
    return done(inverse_->CartToJnt(s.q, s.v, s.vdot, no_wrenches_, vector_));
  }

 private:
  KDL::Tree tree_;
  KDL::WrenchMap no_wrenches_;
  std::optional<KDL::TreeIdSolver_RNE> inverse_;
};

std::unique_ptr<Subject> make(const Model& model, std::span<const Sample> samples) {
  require_simple_joints(model);
  if (is_chain(model)) return std::make_unique<KdlChain>(model, samples);
  return std::make_unique<KdlTree>(model, samples);
}

}  // namespace

Peer kdl_peer() {
  return {"KDL", KDL_VERSION_STRING, make};
}

}  // namespace torsor::bench
