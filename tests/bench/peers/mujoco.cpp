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
        n_(model.n_v) {
    if (!d_ || !at_rest_) throw Error("has no memory for it");
    column_.resize(n_);
    for (int i = 1; i < model.n_body; ++i)
      column_[m_->jnt_dofadr[mj_name2id(m_.get(), mjOBJ_JOINT, std::to_string(i).c_str())]] =
          model.v_index[i];
    for (const Sample& sample : samples)
      samples_.push_back(
          {ordered(sample.q), ordered(sample.v), ordered(sample.vdot), ordered(sample.tau)});
    vector_.resize(n_);
    matrix_.resize(size_t(n_) * n_);
    identity_.resize(size_t(n_) * n_);
    for (int j = 0; j < n_; ++j) identity_[size_t(j) * n_ + j] = 1;
    mj_comVel(m_.get(), at_rest_.get());
  }

  std::string lacks(Work work) const override {
    return work == Work::coriolis_matrix || work > Work::bias ? "MuJoCo does not compute it" : "";
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
      default:
        place(d_.get(), s);
        bias(s);
    }
    return true;
  }

  void result(Work work, double* out) override {
    for (int i = 0; i < n_; ++i) {
      if (!is_matrix(work)) out[column_[i]] = vector_[i];
      for (int j = 0; is_matrix(work) && j < n_; ++j)
        out[size_t(column_[i]) * n_ + column_[j]] = matrix_[size_t(i) * n_ + j];
    }
  }

 private:
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
  std::vector<double> vector_, matrix_, identity_;
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
