// The subject MuJoCo. Each quantity uses the smallest set of calls that computes it.
// Work::mass_matrix includes the conversion to a dense matrix, as for all subjects. Forward
// dynamics and M^-1 use MuJoCo's sparse factorisation.

#include <algorithm>

#include "bench/peers/mujoco_model.hpp"

namespace torsor::bench {

namespace {

class Mujoco : public Subject {
 public:
  Mujoco(const Model& model, std::span<const Sample> samples)
      : m_(load_tree(model)),
        d_(mj_makeData(m_.get())),
        at_rest_(mj_makeData(m_.get())),
        n_(model.n_v),
        bodies_(size_t(model.n_body)) {
    if (!d_ || !at_rest_) throw Error("has no memory for it");
    column_.resize(n_);
    for (int i = 1; i < model.n_body; ++i) {
      const int joint = mj_name2id(m_.get(), mjOBJ_JOINT, std::to_string(i).c_str());
      column_[m_->jnt_dofadr[joint]] = model.v_index[i];
      bodies_[size_t(i)] = m_->jnt_bodyid[joint];
    }
    for (const int leaf : leaves(model)) leaves_.push_back(bodies_[size_t(leaf)]);
    for (const Sample& sample : samples)
      samples_.push_back(
          {ordered(sample.q), ordered(sample.v), ordered(sample.vdot), ordered(sample.tau)});
    vector_.resize(n_);
    matrix_.resize(size_t(n_) * n_);
    identity_.resize(size_t(n_) * n_);
    J_.resize(3 * leaves_.size() * size_t(n_) + 6 * size_t(n_));
    half_.resize(J_.size());
    delassus_.resize(9 * leaves_.size() * leaves_.size());
    for (int j = 0; j < n_; ++j) identity_[size_t(j) * n_ + j] = 1;
    m_->opt.enableflags |= mjENBL_ENERGY;  // without it, mj_energyPos and mj_energyVel do nothing
    mj_comVel(m_.get(), at_rest_.get());
  }

  std::string lacks(Work work) const override {
    switch (work) {
      case Work::inverse:
      case Work::forward:
      case Work::mass_matrix:
      case Work::inverse_mass_matrix:
      case Work::gravity:
      case Work::bias:
      case Work::world_poses:
      case Work::frame_jacobian:
      case Work::joint_wrenches:
      case Work::energies:
      case Work::delassus:
        return "";
      default:
        return "MuJoCo does not compute it";
    }
  }

  bool evaluate(Work work, size_t k) override {
    const Sample& s = samples_[k];
    switch (work) {
      case Work::inverse:
        inverse(s);
        break;
      case Work::forward:
        forward(s);
        break;
      case Work::mass_matrix:
        place(d_.get(), s);
        mj_crb(m_.get(), d_.get());
        mj_fullM(m_.get(), matrix_.data(), d_->qM);
        break;
      case Work::inverse_mass_matrix:
        place(d_.get(), s);
        mj_crb(m_.get(), d_.get());
        mj_factorM(m_.get(), d_.get());
        mj_solveM(m_.get(), d_.get(), matrix_.data(), identity_.data(), n_);
        break;
      // at_rest_ has no velocities, so mj_rne computes gravity alone.
      case Work::gravity:
        place(at_rest_.get(), s);
        mj_rne(m_.get(), at_rest_.get(), 0, vector_.data());
        break;
      case Work::bias:
        place(d_.get(), s);
        bias(s);
        break;
      default:
        evaluate_mechanics(work, s);
    }
    return true;
  }

  void result(Work work, double* out) override {
    switch (work) {
      case Work::world_poses:
        for (size_t i = 1; i < bodies_.size(); ++i) {
          out = std::copy_n(d_->xmat + 9 * bodies_[i], 9, out);
          out = std::copy_n(d_->xpos + 3 * bodies_[i], 3, out);
        }
        return;
      case Work::frame_jacobian:
        for (int i = 0; i < n_; ++i)
          for (int k = 0; k < 6; ++k) out[6 * column_[i] + k] = J_[size_t(k * n_ + i)];
        return;
      case Work::joint_wrenches:
        for (size_t i = 1; i < bodies_.size(); ++i) out = wrench(bodies_[i], out);
        return;
      case Work::energies:
        out[0] = d_->energy[1];
        out[1] = d_->energy[0];
        return;
      case Work::delassus:
        std::ranges::copy(delassus_, out);
        return;
      default:
        quantity(work, out);
    }
  }

 private:
  void quantity(Work work, double* out) const {
    for (int i = 0; i < n_; ++i) {
      if (!is_matrix(work)) out[column_[i]] = vector_[i];
      for (int j = 0; is_matrix(work) && j < n_; ++j)
        out[size_t(column_[i]) * n_ + column_[j]] = matrix_[size_t(i) * n_ + j];
    }
  }

  void evaluate_mechanics(Work work, const Sample& s) {
    if (work == Work::world_poses) {
      std::copy_n(s.q.data(), n_, d_->qpos);
      return mj_kinematics(m_.get(), d_.get());
    }
    place(d_.get(), s);
    std::copy_n(s.v.data(), n_, d_->qvel);
    switch (work) {
      case Work::frame_jacobian:
        return mj_jacBody(m_.get(), d_.get(), J_.data() + 3 * n_, J_.data(), bodies_.back());
      case Work::joint_wrenches:
        std::copy_n(s.vdot.data(), n_, d_->qacc);
        mj_comVel(m_.get(), d_.get());
        return mj_rnePostConstraint(m_.get(), d_.get());
      case Work::energies:
        mj_crb(m_.get(), d_.get());
        mj_energyPos(m_.get(), d_.get());
        return mj_energyVel(m_.get(), d_.get());
      default:
        delassus();
    }
  }

  // G = X X^T with X = J L^-1 D^-1/2.
  void delassus() {
    const int rows = 3 * int(leaves_.size());
    mj_crb(m_.get(), d_.get());
    mj_factorM(m_.get(), d_.get());
    for (size_t k = 0; k < leaves_.size(); ++k)
      mj_jacBody(m_.get(), d_.get(), J_.data() + 3 * k * size_t(n_), nullptr, leaves_[k]);
    mj_solveM2(m_.get(), d_.get(), half_.data(), J_.data(), rows);
    mju_mulMatMatT(delassus_.data(), half_.data(), half_.data(), rows, n_, rows);
  }

  // Writes the wrench that acts by the parent on a body, at its origin in its axes. MuJoCo's is in
  // the axes of the world, about the COM of the tree.
  double* wrench(int body, double* out) const {
    const double *W = d_->cfrc_int + 6 * body, *p = d_->xpos + 3 * body,
                 *c = d_->subtree_com + 3 * m_->body_rootid[body];
    const Vec3<double> f{W[3], W[4], W[5]},
        n = Vec3<double>{W[0], W[1], W[2]} +
            cross(Vec3<double>{c[0] - p[0], c[1] - p[1], c[2] - p[2]}, f);
    Mat3<double> R;
    std::copy_n(d_->xmat + 9 * body, 9, R.m);
    for (const Vec3<double>& part : {transpose_times(R, n), transpose_times(R, f)})
      for (const double x : {part.x, part.y, part.z}) *out++ = x;
    return out;
  }

  std::vector<double> ordered(const std::vector<double>& x) const {
    std::vector<double> out(n_);
    for (int i = 0; i < n_; ++i) out[i] = x[column_[i]];
    return out;
  }

  void place(mjData* d, const Sample& s) {
    std::copy_n(s.q.data(), n_, d->qpos);
    mj_kinematics(m_.get(), d);
    mj_comPos(m_.get(), d);
  }
  void bias(const Sample& s) {
    std::copy_n(s.v.data(), n_, d_->qvel);
    mj_comVel(m_.get(), d_.get());
    mj_rne(m_.get(), d_.get(), 0, vector_.data());
  }
  void inverse(const Sample& s) {
    place(d_.get(), s);
    std::copy_n(s.v.data(), n_, d_->qvel);
    std::copy_n(s.vdot.data(), n_, d_->qacc);
    mj_comVel(m_.get(), d_.get());
    mj_rne(m_.get(), d_.get(), 1, vector_.data());
    for (int i = 0; i < n_; ++i) vector_[i] += m_->dof_armature[i] * s.vdot[i];
  }
  void forward(const Sample& s) {
    place(d_.get(), s);
    mj_crb(m_.get(), d_.get());
    mj_factorM(m_.get(), d_.get());
    bias(s);
    for (int i = 0; i < n_; ++i) vector_[i] = s.tau[i] - vector_[i];
    mj_solveM(m_.get(), d_.get(), vector_.data(), vector_.data(), 1);
  }

  ModelPointer m_;
  DataPointer d_, at_rest_;
  int n_;
  std::vector<int> column_;      // [n_v] Torsor's dof for each dof of MuJoCo
  std::vector<Sample> samples_;  // in MuJoCo's order of dof
  std::vector<int> bodies_;      // [n_body] MuJoCo's body for each body of Torsor
  std::vector<int> leaves_;      // MuJoCo's bodies
  std::vector<double> vector_, matrix_, identity_;
  std::vector<double> J_, half_, delassus_;
};

std::unique_ptr<Subject> make(const Model& model, std::span<const Sample> samples) {
  require_simple_joints(model);
  for (int i = 1; i < model.n_body; ++i)
    if (!(model.inertia_B[i].m > 0))
      throw Error("takes no body without mass, as that of joint '" + model.joint_of_body(i) + "'");
  // By default MuJoCo writes warnings to a file. Wrong values are detected by the comparison.
  mju_user_warning = [](const char*) {};
  return std::make_unique<Mujoco>(model, samples);
}

}  // namespace

Peer mujoco_peer() {
  return {"MuJoCo",     mj_versionString(),       make,
          start_mujoco, mujoco_contact_methods(), make_mujoco_rollouts};
}

}  // namespace torsor::bench
