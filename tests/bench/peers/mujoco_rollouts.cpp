// Many runs of MuJoCo on several threads, as its users make them: one model, and for each thread an
// mjData that is reset before each run.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "bench/peers/mujoco_model.hpp"
#include "torsor/control/control.hpp"
#include "torsor/run/experiment.hpp"

namespace torsor::bench {

namespace {

// Computed torque with the sampling period of the steps:
//   tau = M (vdot_d + 2 w (v_d - v) + w^2 (q_d - q)) + b
// M and b are those of the first stage of the step. The torque is held during the step.
struct ComputedTorque {
  double frequency = 0;            // w, rad/s
  std::vector<double> q, v, vdot;  // [steps][n] the reference
};

// The run that MuJoCo steps on this thread, for its callback.
struct ActiveRun {
  const ComputedTorque* law = nullptr;
  size_t step = 0;
  bool is_due = false;
  std::vector<double> wanted, product;  // [n]
};
thread_local ActiveRun active_run;

void control(const mjModel* m, mjData* d) {
  ActiveRun& run = active_run;
  if (!run.law || !std::exchange(run.is_due, false)) return;
  const auto n = size_t(m->nv);
  const ComputedTorque& law = *run.law;
  const double w = law.frequency;
  for (size_t i = 0; i < n; ++i) {
    const size_t k = run.step * n + i;
    run.wanted[i] = law.vdot[k] + 2 * w * (law.v[k] - d->qvel[i]) + w * w * (law.q[k] - d->qpos[i]);
  }
  mj_mulM(m, d, run.product.data(), run.wanted.data());
  for (size_t i = 0; i < n; ++i) d->qfrc_applied[i] = run.product[i] + d->qfrc_bias[i];
}

class MujocoRollouts final : public Rollouts {
 public:
  MujocoRollouts(const Experiment& experiment, double frequency)
      : experiment_(experiment),
        m_(load_tree(*experiment.model)),
        steps_(size_t(std::llround(experiment.duration / experiment.dt))) {
    m_->opt.timestep = experiment.dt;
    m_->opt.integrator = mjINT_RK4;
    std::copy_n(&experiment.gravity_W.x, 3, m_->opt.gravity);
    if (!experiment.load.controls.empty()) add_control(frequency);
    mjcb_control = control;
  }
  ~MujocoRollouts() override { mjcb_control = nullptr; }

  double run(unsigned threads, int runs) override {
    std::atomic<int> next = 0;
    const auto start = std::chrono::steady_clock::now();
    {
      std::vector<std::jthread> all;
      for (unsigned k = 0; k < threads; ++k)
        all.emplace_back([&] {
          const DataPointer d(mj_makeData(m_.get()));
          while (next++ < runs) run_once(d.get());
        });
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  std::vector<double> final_q() override {
    const DataPointer d(mj_makeData(m_.get()));
    run_once(d.get());
    std::vector<double> out(size_t(m_->nq));
    for_each_joint([&](int q_index, int, int joint) {
      out[size_t(q_index)] = d->qpos[m_->jnt_qposadr[joint]];
    });
    return out;
  }

 private:
  // Calls f(index in q, index in v, joint of MuJoCo).
  template <class Function>
  void for_each_joint(const Function& f) const {
    const Model& model = *experiment_.model;
    int joint = 0;
    for (int i = 1; i < model.n_body; ++i)
      if (model.v_count[i] > 0) f(model.q_index[i], model.v_index[i], joint++);
  }

  void add_control(double frequency) {
    const ReferenceLaw* reference = experiment_.load.controls[0].law->reference();
    if (!reference) throw Error("needs a control with a reference");
    law_.frequency = frequency;
    const auto n = size_t(m_->nv);
    for (std::vector<double>* values : {&law_.q, &law_.v, &law_.vdot}) values->resize(steps_ * n);
    Reference at = reference->make();
    for (size_t k = 0; k < steps_; ++k) {
      reference->evaluate(double(k) * experiment_.dt, at);
      for_each_joint([&](int q_index, int v_index, int joint) {
        const size_t to = k * n + size_t(m_->jnt_dofadr[joint]);
        law_.q[to] = at.q[size_t(q_index)];
        law_.v[to] = at.v[size_t(v_index)];
        law_.vdot[to] = at.vdot[size_t(v_index)];
      });
    }
  }

  void run_once(mjData* d) const {
    mj_resetData(m_.get(), d);
    for_each_joint([&](int q_index, int v_index, int joint) {
      if (!experiment_.q.empty()) d->qpos[m_->jnt_qposadr[joint]] = experiment_.q[size_t(q_index)];
      if (!experiment_.v.empty()) d->qvel[m_->jnt_dofadr[joint]] = experiment_.v[size_t(v_index)];
    });
    const auto n = size_t(m_->nv);
    active_run = {.law = law_.q.empty() ? nullptr : &law_,
                  .wanted = std::vector<double>(n),
                  .product = std::vector<double>(n)};
    for (size_t k = 0; k < steps_; ++k) {
      active_run.step = k;
      active_run.is_due = true;
      mj_step(m_.get(), d);
    }
    active_run.law = nullptr;
  }

  const Experiment& experiment_;
  ModelPointer m_;
  size_t steps_;
  ComputedTorque law_;
};

}  // namespace

std::unique_ptr<Rollouts> make_mujoco_rollouts(const Experiment& experiment, double frequency) {
  return std::make_unique<MujocoRollouts>(experiment, frequency);
}

}  // namespace torsor::bench
