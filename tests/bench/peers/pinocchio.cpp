// The subject Pinocchio. It computes the upper triangle of symmetric matrices. result() fills in
// the lower triangle, which is not timed.

#include <pinocchio/fwd.hpp>  // must precede Pinocchio's other headers

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "bench/peers/peer.hpp"

namespace torsor::bench {

namespace {

namespace pin = pinocchio;

pin::SE3 placement(const Pose<double>& X) {
  pin::SE3 out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out.rotation()(i, j) = X.R(i, j);
  out.translation() << X.p.x, X.p.y, X.p.z;
  return out;
}

pin::Inertia inertia(const SpatialInertia<double>& M) {
  const auto [c, I] = about_com(M);
  return {M.m, Eigen::Vector3d(c.x, c.y, c.z), pin::Symmetric3(I.xx, I.xy, I.yy, I.xz, I.yz, I.zz)};
}

pin::JointModel joint(const Model& model, int i) {
  if (model.turn[i] == 0) return pin::JointModelPZ();
  if (model.pitch[i] == 0) return pin::JointModelRZ();
  return pin::JointModelHZ(model.pitch[i]);  // the pitch is in metres per radian, as Torsor's
}

// Returns Pinocchio's model. The indices of its joints are those of Torsor's bodies; index 0 is the
// world in both.
pin::Model translated(const Model& model) {
  pin::Model out;
  out.gravity.linear() << 0, 0, -9.81;
  for (int i = 1; i < model.n_body; ++i) {
    const pin::JointIndex id = out.addJoint(model.parent[i], joint(model, i),
                                            placement(model.X_PB0[i]), std::to_string(i));
    out.appendBodyToJoint(id, inertia(model.inertia_B[i]));
    out.armature[out.idx_vs[id]] = model.armature[model.v_index[i]];
  }
  return out;
}

class Pinocchio : public Subject {
 public:
  Pinocchio(const Model& model, std::span<const Sample> samples)
      : model_(translated(model)), data_(model_), column_(model.n_v) {
    for (int i = 1; i < model.n_body; ++i) column_[model_.idx_vs[i]] = model.v_index[i];
    for (const Sample& s : samples)
      samples_.push_back({ordered(s.q), ordered(s.v), ordered(s.vdot), ordered(s.tau)});
  }

  std::string lacks(Work work) const override {
    if (work == Work::kinematics)
      return "Pinocchio does not compute it without the poses in the world";
    return work <= Work::bias ? "" : "it is not asked for it here";
  }

  bool evaluate(Work work, size_t k) override {
    const PinocchioSample& s = samples_[k];
    switch (work) {
      case Work::inverse:
        vector_ = &pin::rnea(model_, data_, s.q, s.v, s.vdot);
        return true;
      case Work::forward:
        vector_ = &pin::aba(model_, data_, s.q, s.v, s.tau);
        return true;
      case Work::mass_matrix:
        pin::crba(model_, data_, s.q);
        return true;
      case Work::inverse_mass_matrix:
        pin::computeMinverse(model_, data_, s.q);
        return true;
      case Work::coriolis_matrix:
        pin::computeCoriolisMatrix(model_, data_, s.q, s.v);
        return true;
      case Work::gravity:
        vector_ = &pin::computeGeneralizedGravity(model_, data_, s.q);
        return true;
      default:
        vector_ = &pin::nonLinearEffects(model_, data_, s.q, s.v);
        return true;
    }
  }

  void result(Work work, double* out) override {
    const size_t n = column_.size();
    Eigen::MatrixXd matrix;
    if (work == Work::mass_matrix) matrix = data_.M.selfadjointView<Eigen::Upper>();
    if (work == Work::inverse_mass_matrix) matrix = data_.Minv.selfadjointView<Eigen::Upper>();
    if (work == Work::coriolis_matrix) matrix = data_.C;
    for (size_t i = 0; i < n; ++i) {
      if (!is_matrix(work)) out[column_[i]] = (*vector_)[i];
      for (size_t j = 0; is_matrix(work) && j < n; ++j)
        out[column_[i] * n + column_[j]] = matrix(i, j);
    }
  }

 private:
  struct PinocchioSample {
    Eigen::VectorXd q, v, vdot, tau;
  };

  Eigen::VectorXd ordered(const std::vector<double>& x) const {
    Eigen::VectorXd out(column_.size());
    for (size_t i = 0; i < column_.size(); ++i) out[i] = x[column_[i]];
    return out;
  }

  pin::Model model_;
  pin::Data data_;
  std::vector<size_t> column_;  // [n_v] Torsor's dof for each dof of Pinocchio
  std::vector<PinocchioSample> samples_;
  const Eigen::VectorXd* vector_ = nullptr;
};

// Makes the subject. Throws Error for joints without exactly one dof, and for inertias that mass,
// COM and inertia about the COM cannot represent.
std::unique_ptr<Subject> make(const Model& model, std::span<const Sample> samples) {
  require_single_joints(model);
  for (int i = 1; i < model.n_body; ++i) {
    const SpatialInertia<double>& M = model.inertia_B[i];
    if (M.m == 0 && dot(M.h, M.h) != 0)
      throw Error("takes no body with first moments but no mass, as that of joint '" +
                  model.joint_of_body(i) + "'");
  }
  return std::make_unique<Pinocchio>(model, samples);
}

}  // namespace

Peer pinocchio_peer() {
  return {"Pinocchio", PINOCCHIO_VERSION, make};
}

}  // namespace torsor::bench
