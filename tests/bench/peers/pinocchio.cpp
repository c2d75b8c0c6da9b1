// The subject Pinocchio. It computes the upper triangle of symmetric matrices. result() fills in
// the lower triangle, which is not timed. Six-vectors of Pinocchio are linear part first.

#include <pinocchio/fwd.hpp>  // must precede Pinocchio's other headers

#include <chrono>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/delassus.hpp>
#include <pinocchio/algorithm/energy.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "bench/peers/robot.hpp"
#include "torsor/base/error.hpp"

namespace torsor::bench {

namespace {

namespace pin = pinocchio;
using Matrix = Eigen::MatrixXd;

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
  out.addJointFrame(pin::JointIndex(model.n_body - 1));
  return out;
}

struct PinocchioSample {
  Eigen::VectorXd q, v, vdot, tau;
};

class Pinocchio : public Subject {
 public:
  Pinocchio(const Model& model, std::span<const Sample> samples)
      : model_(translated(model)),
        data_(model_),
        column_(model.n_v),
        J_(Matrix::Zero(6, model.n_v)) {
    for (int i = 1; i < model.n_body; ++i) column_[model_.idx_vs[i]] = model.v_index[i];
    for (const Sample& s : samples)
      samples_.push_back({ordered(s.q), ordered(s.v), ordered(s.vdot), ordered(s.tau)});
    for (const int leaf : leaves(model)) {
      points_.emplace_back(pin::CONTACT_3D, model_, pin::JointIndex(leaf), pin::SE3::Identity(),
                           pin::LOCAL_WORLD_ALIGNED);
      point_data_.emplace_back(points_.back());
    }
    delassus_.setZero(3 * points_.size(), 3 * points_.size());
    choose_conventions();
  }

  std::string lacks(Work work) const override {
    switch (work) {
      case Work::kinematics:
        return "Pinocchio does not compute it without the poses in the world";
      case Work::rates:
        return "Pinocchio does not compute it";
      default:
        return "";
    }
  }

  bool evaluate(Work work, size_t k) override {
    const PinocchioSample& s = samples_[k];
    switch (work) {
      case Work::inverse:
      case Work::joint_wrenches:
        vector_ = &pin::rnea(model_, data_, s.q, s.v, s.vdot);
        break;
      case Work::forward:
        vector_ = &pin::aba(model_, data_, s.q, s.v, s.tau, aba_);
        break;
      case Work::mass_matrix:
        pin::crba(model_, data_, s.q, crba_);
        break;
      case Work::inverse_mass_matrix:
        pin::computeMinverse(model_, data_, s.q);
        break;
      case Work::coriolis_matrix:
        pin::computeCoriolisMatrix(model_, data_, s.q, s.v);
        break;
      case Work::gravity:
        vector_ = &pin::computeGeneralizedGravity(model_, data_, s.q);
        break;
      case Work::bias:
        vector_ = &pin::nonLinearEffects(model_, data_, s.q, s.v);
        break;
      case Work::inverse_partials:
        pin::computeRNEADerivatives(model_, data_, s.q, s.v, s.vdot);
        break;
      case Work::forward_partials:
        pin::computeABADerivatives(model_, data_, s.q, s.v, s.tau);
        break;
      default:
        evaluate_mechanics(work, s);
    }
    return true;
  }

  void result(Work work, double* out) override {
    const Matrix Minv = data_.Minv.selfadjointView<Eigen::Upper>();
    switch (work) {
      case Work::mass_matrix:
        return by_dof(data_.M.selfadjointView<Eigen::Upper>(), out);
      case Work::inverse_mass_matrix:
        return by_dof(Minv, out);
      case Work::coriolis_matrix:
        return by_dof(data_.C, out);
      case Work::inverse_partials:
        by_dof(data_.dtau_dq, out);
        return by_dof(data_.dtau_dv, out + data_.dtau_dq.size());
      case Work::forward_partials:
        by_dof(data_.ddq_dq, out);
        by_dof(data_.ddq_dv, out + Minv.size());
        return by_dof(Minv, out + 2 * Minv.size());
      case Work::world_poses:
      case Work::frame_jacobian:
      case Work::joint_jacobians:
      case Work::jacobian_rates:
      case Work::centroidal:
      case Work::joint_wrenches:
      case Work::torque_regressor:
      case Work::energies:
      case Work::delassus:
        return mechanics_result(work, out);
      default:
        for (size_t i = 0; i < column_.size(); ++i) out[column_[i]] = (*vector_)[i];
    }
  }

 private:
  void evaluate_mechanics(Work work, const PinocchioSample& s) {
    switch (work) {
      case Work::world_poses:
        return pin::forwardKinematics(model_, data_, s.q);
      case Work::frame_jacobian:
        return pin::computeFrameJacobian(model_, data_, s.q, pin::FrameIndex(model_.nframes - 1),
                                         pin::LOCAL_WORLD_ALIGNED, J_);
      case Work::joint_jacobians:
        pin::computeJointJacobians(model_, data_, s.q);
        return;
      case Work::jacobian_rates:
        pin::computeJointJacobiansTimeVariation(model_, data_, s.q, s.v);
        return;
      case Work::centroidal:
        pin::dccrba(model_, data_, s.q, s.v);
        return;
      case Work::torque_regressor:
        pin::computeJointTorqueRegressor(model_, data_, s.q, s.v, s.vdot);
        return;
      case Work::energies:
        pin::computeKineticEnergy(model_, data_, s.q, s.v);
        pin::computePotentialEnergy(model_, data_);
        return;
      default:
        pin::computeDelassusMatrix(model_, data_, s.q, points_, point_data_, delassus_);
    }
  }

  void mechanics_result(Work work, double* out) {
    const size_t n = column_.size();
    switch (work) {
      case Work::world_poses:
        for (size_t i = 1; i < data_.oMi.size(); ++i, out += 12) {
          Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>{out} = data_.oMi[i].rotation();
          Eigen::Map<Eigen::Vector3d>{out + 9} = data_.oMi[i].translation();
        }
        return;
      case Work::frame_jacobian:
        return screws(J_, out);
      case Work::joint_jacobians:
        return screws(data_.J, out);
      case Work::jacobian_rates:
        return screws(data_.dJ, out);
      case Work::centroidal:
        screws(data_.Ag, out);
        screws(data_.dAg, out + 6 * n);
        return screw(data_.hg.toVector(), out + 12 * n);
      case Work::joint_wrenches:
        for (size_t i = 1; i < data_.f.size(); ++i) screw(data_.f[i].toVector(), out + 6 * (i - 1));
        return;
      case Work::torque_regressor:
        return regressor(out);
      case Work::energies:
        out[0] = data_.kinetic_energy;
        out[1] = data_.potential_energy;
        return;
      default:
        return delassus_in_world(out);
    }
  }

  // Pinocchio computes the blocks above the diagonal, in the axes of the bodies, whatever the frame
  // of the constraints.
  void delassus_in_world(double* out) const {
    const Matrix G = delassus_.selfadjointView<Eigen::Upper>();
    Eigen::Map<Matrix> world(out, G.rows(), G.cols());
    for (size_t a = 0; a < points_.size(); ++a)
      for (size_t b = 0; b < points_.size(); ++b)
        world.block<3, 3>(3 * a, 3 * b) = point_data_[a].oMc1.rotation() *
                                          G.block<3, 3>(3 * a, 3 * b) *
                                          point_data_[b].oMc1.rotation().transpose();
  }

  // The order of Pinocchio's parameters of a body is m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz.
  void regressor(double* out) const {
    constexpr int from[] = {0, 1, 2, 3, 4, 6, 9, 5, 7, 8};
    const Matrix& Y = data_.jointTorqueRegressor;
    for (size_t i = 0; i < column_.size(); ++i)
      for (Eigen::Index k = 0; k < Y.cols(); ++k)
        out[column_[i] * size_t(Y.cols()) + size_t(k)] =
            Y(Eigen::Index(i), k / 10 * 10 + from[k % 10]);
  }

  static void screw(const Eigen::Matrix<double, 6, 1>& x, double* out) {
    for (int k = 0; k < 6; ++k) out[k] = x[(k + 3) % 6];
  }
  template <class Columns>
  void screws(const Columns& J, double* out) const {
    for (size_t i = 0; i < column_.size(); ++i) screw(J.col(Eigen::Index(i)), out + 6 * column_[i]);
  }
  void by_dof(const Matrix& matrix, double* out) const {
    const size_t n = column_.size();
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        out[column_[i] * n + column_[j]] = matrix(Eigen::Index(i), Eigen::Index(j));
  }
  Eigen::VectorXd ordered(const std::vector<double>& x) const {
    Eigen::VectorXd out(column_.size());
    for (size_t i = 0; i < column_.size(); ++i) out[Eigen::Index(i)] = x[column_[i]];
    return out;
  }

  // Chooses the faster one of the two conventions (frames of the recursion) that Pinocchio offers
  // for aba() and crba().
  void choose_conventions() {
    const auto time = [&](Work work) {
      double best = 1e300;
      for (int batch = 0; batch < 5; ++batch) {
        const auto start = std::chrono::steady_clock::now();
        for (size_t k = 0; k < samples_.size(); ++k) evaluate(work, k);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        best = std::min(best, took.count());
      }
      return best;
    };
    const auto choose = [&](Work work, pin::Convention& convention) {
      convention = pin::Convention::LOCAL;
      const double local = time(work);
      convention = pin::Convention::WORLD;
      if (local < time(work)) convention = pin::Convention::LOCAL;
    };
    choose(Work::forward, aba_);
    choose(Work::mass_matrix, crba_);
  }

  pin::Model model_;
  pin::Data data_;
  std::vector<size_t> column_;  // [n_v] Torsor's dof for each dof of Pinocchio
  std::vector<PinocchioSample> samples_;
  const Eigen::VectorXd* vector_ = nullptr;
  Matrix J_, delassus_;
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pin::RigidConstraintModel) points_;
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pin::RigidConstraintData) point_data_;
  pin::Convention aba_ = pin::Convention::LOCAL, crba_ = pin::Convention::LOCAL;
};

}  // namespace

std::unique_ptr<Subject> make_pinocchio(const Model& model, std::span<const Sample> samples) {
  require_single_joints(model);
  require_centres_of_mass(model);
  return std::make_unique<Pinocchio>(model, samples);
}

const char* pinocchio_version() {
  return PINOCCHIO_VERSION;
}

}  // namespace torsor::bench
