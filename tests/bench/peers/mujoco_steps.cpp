// Simulations by MuJoCo.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/peers/mujoco_model.hpp"
#include "torsor/contact/contact_detector.hpp"
#include "torsor/run/player.hpp"

namespace torsor::bench {

namespace {

// Makes MuJoCo throw instead of ending the process. Its warnings are checked after each step.
void report_faults() {
  mju_user_warning = [](const char*) {};
  mju_user_error = [](const char* what) { throw Error(fmt::format("says '{}'", what)); };
}

class MujocoRun : public SteppedRun {
 public:
  MujocoRun(const Experiment& experiment, const MujocoOptions& options)
      : model_(experiment.model), m_(load_mechanism(experiment, options)) {
    // The compiler computes the points of closures for qpos0, where the loops may be open.
    const std::vector<Connection> all = connections(*model_);
    for (size_t k = 0; k < all.size(); ++k) {
      std::copy_n(&all[k].p_B.x, 3, m_->eq_data + mjNEQDATA * k);
      std::copy_n(&all[k].p_A.x, 3, m_->eq_data + mjNEQDATA * k + 3);
    }
    const Player start(experiment);  // closes the loops
    State state = start.simulation().state();
    make_room(contact_points(state) + 50);
    for (int i = 1; i < model_->n_body; ++i) {
      const int id = mj_name2id(m_.get(), mjOBJ_JOINT, std::to_string(i).c_str());
      joints_.push_back({i, m_->jnt_qposadr[id], m_->jnt_dofadr[id]});
    }
    set_state(state);
    for (const auto& [i, q, v] : joints_)
      if (model_->v_count[i] < 6 && !experiment.load.tau.empty())
        std::copy_n(experiment.load.tau.data() + model_->v_index[i], model_->v_count[i],
                    d_->qfrc_applied + v);
    last_v_.assign(d_->qvel, d_->qvel + m_->nv);
  }

  // The memory for contacts has a fixed size in MuJoCo. A step for which it does not suffice is
  // repeated with more.
  void step() override {
    q_.assign(d_->qpos, d_->qpos + m_->nq);
    v_.assign(d_->qvel, d_->qvel + m_->nv);
    warm_.assign(d_->qacc_warmstart, d_->qacc_warmstart + m_->nv);
    force_.assign(d_->qfrc_applied, d_->qfrc_applied + m_->nv);
    const double time = d_->time;
    for (;;) {
      mj_step(m_.get(), d_.get());
      if (!count(mjWARN_CONTACTFULL) && !count(mjWARN_CNSTRFULL)) break;
      make_room(m_->nconmax + m_->nconmax / 4);
      std::ranges::copy(q_, d_->qpos);
      std::ranges::copy(v_, d_->qvel);
      std::ranges::copy(warm_, d_->qacc_warmstart);
      std::ranges::copy(force_, d_->qfrc_applied);
      d_->time = time;
    }
    if (count(mjWARN_BADQPOS) || count(mjWARN_BADQVEL) || count(mjWARN_BADQACC))
      throw Error(fmt::format("diverges at t = {:.4g} s", time));
  }

  // The implicit damping of a step acts with the velocity at its end. The velocity changes by
  // forces / M, so that their work on the kinetic energy is that at the mean velocity.
  void observe(State& state) override {
    for (int k = 0; k < m_->nv; ++k) {
      const double force =
          d_->qfrc_constraint[k] + d_->qfrc_applied[k] - m_->dof_damping[k] * d_->qvel[k];
      if (d_->time > 0) work_ += m_->opt.timestep * force * (last_v_[size_t(k)] + d_->qvel[k]) / 2;
      last_v_[size_t(k)] = d_->qvel[k];
    }
    std::vector<double> q(size_t(model_->n_q));
    for (const auto& [i, first_q, first_v] : joints_) {
      const double *from_q = d_->qpos + first_q, *from_v = d_->qvel + first_v;
      double *to_q = q.data() + model_->q_index[i], *to_v = state.v.data() + model_->v_index[i];
      if (model_->v_count[i] < 6) {
        std::copy_n(from_q, q_count(i), to_q);
        std::copy_n(from_v, model_->v_count[i], to_v);
        continue;
      }
      const Mat3<double> R = rotation({from_q[3], from_q[4], from_q[5], from_q[6]});
      const Pose<double> X =
          inverse(model_->X_PB0[i]) * Pose<double>{R, {from_q[0], from_q[1], from_q[2]}};
      const Vec3<double> v = transpose_times(R, Vec3<double>{from_v[0], from_v[1], from_v[2]});
      const Quaternion turn = quaternion(X.R);
      std::copy_n(&X.p.x, 3, to_q);
      std::copy_n(&turn.w, 4, to_q + 3);
      std::copy_n(from_v + 3, 3, to_v);
      std::copy_n(&v.x, 3, to_v + 3);
    }
    state.set_q(q);
  }
  double work() const override { return work_; }

 private:
  struct JointIndex {
    int body, q, v;  // first entries of qpos and qvel
  };

  int count(int warning) const { return d_->warning[warning].number; }
  int q_count(int body) const {
    const int n_v = model_->v_count[body];
    return n_v == 1 ? 1 : n_v + 1;  // a quaternion
  }

  int contact_points(const State& state) const {
    ContactDetector detector(model_);
    int out = 0;
    for (const Contact& contact : detector.detect(state, 1e-3)) out += contact.count;
    return out;
  }

  // Makes new data for a number of contacts. A pyramid has four rows, and an elliptic cone three.
  // The size of the data is limited to 2 GB, and grows with the square of the rows.
  void make_room(int contacts) {
    const int n = m_->nv, limits = int(std::count(m_->jnt_limited, m_->jnt_limited + m_->njnt, 1));
    const auto rubs = [](double friction) { return friction > 0; };
    const int frictions = int(std::count_if(m_->dof_frictionloss, m_->dof_frictionloss + n, rubs));
    const int other_rows = 6 * m_->neq + 2 * limits + frictions;
    m_->nconmax = contacts;
    m_->njmax = (m_->opt.cone == mjCONE_PYRAMIDAL ? 4 : 3) * contacts + other_rows;
    m_->nstack = 10 * n * n + 200 * (n + m_->njmax + m_->nbody) + 1'000'000;
    d_.reset();
    d_.reset(mj_makeData(m_.get()));
    if (!d_) throw Error("has no memory for so many contacts");
  }

  void set_state(const State& state) {
    for (const auto& [i, first_q, first_v] : joints_) {
      const double *from_q = state.q().data() + model_->q_index[i],
                   *from_v = state.v.data() + model_->v_index[i];
      double *to_q = d_->qpos + first_q, *to_v = d_->qvel + first_v;
      if (model_->v_count[i] < 6) {
        std::copy_n(from_q, q_count(i), to_q);
        std::copy_n(from_v, model_->v_count[i], to_v);
        continue;
      }
      // A free joint has the pose in the world, the velocity in the axes of the world, and the
      // angular velocity in those of the body.
      const Pose<double> X = model_->X_PB0[i] * floating_pose(from_q);
      const Vec3<double> v = X.R * Vec3<double>{from_v[3], from_v[4], from_v[5]};
      const Quaternion turn = quaternion(X.R);
      std::copy_n(&X.p.x, 3, to_q);
      std::copy_n(&turn.w, 4, to_q + 3);
      std::copy_n(&v.x, 3, to_v);
      std::copy_n(from_v, 3, to_v + 3);
    }
  }

  std::shared_ptr<const Model> model_;
  ModelPointer m_;
  DataPointer d_;
  std::vector<JointIndex> joints_;
  std::vector<double> q_, v_, warm_, force_;  // before the last step
  std::vector<double> last_v_;
  double work_ = 0;
};

}  // namespace

std::unique_ptr<SteppedRun> start_mujoco(const Experiment& experiment, int order) {
  report_faults();
  return std::make_unique<MujocoRun>(experiment, MujocoOptions{.runge_kutta = order == 4});
}

std::vector<ContactMethod> mujoco_contact_methods() {
  const auto method = [](const char* name, const MujocoOptions& options) {
    return ContactMethod{name, [options](const Experiment& experiment) {
                           report_faults();
                           if (!is_passive(experiment))
                             throw Error(
                                 "is compared only in scenes with constant torques, springs and "
                                 "dampers, without controls, prescribed motion and other forces");
                           return std::make_unique<MujocoRun>(experiment, options);
                         }};
  };
  return {method("pyramidal", {}), method("elliptic", {.elliptic = true}),
          method("elliptic, stiff", {.elliptic = true, .stiff = true})};
}

}  // namespace torsor::bench
