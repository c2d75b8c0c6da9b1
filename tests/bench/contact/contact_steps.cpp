#include "bench/contact/contact_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/steps.hpp"
#include "torsor/contact/contact_detector.hpp"
#include "torsor/contact/contact_springs.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/simulation/mechanism/energy.hpp"

namespace torsor::bench {

namespace {

constexpr double near_points = 1e-4;        // m, see ContactResult::points
constexpr double longest_measurement = 60;  // s of steps
constexpr double longest_repetitions = 2;   // s of steps

struct Simulated {
  ContactResult result;
  std::function<std::unique_ptr<SteppedRun>()> start;
};

std::vector<Simulated> contact_simulations(const Experiment& experiment) {
  std::vector<Simulated> out;
  const auto add = [&](const std::string& name, const std::string& method, auto start) {
    Simulated& each = out.emplace_back();
    each.result.name = name;
    each.result.method = method;
    each.start = start;
  };
  for (const char* solver : {"newton_admm", "projected_gauss_seidel"}) {
    Experiment own = experiment;
    own.integrator = Integrator::time_stepping;
    own.constraint_solver = {.id = solver};
    add("Torsor", solver, [own] { return start_torsor(own); });
  }
  for (const Peer& peer : peers())
    for (const ContactMethod& method : peer.contact_methods)
      add(peer.name, method.name, [experiment, method] { return method.start(experiment); });
  return out;
}

// Observes a run after each step, and updates its result.
class Observer {
 public:
  Observer(const Experiment& experiment, long long n)
      : experiment_(experiment),
        n_(n),
        state_(experiment.model),
        detector_(experiment.model),
        mechanism_(*experiment.model),
        scratch_(*experiment.model),
        has_energy_(is_passive(experiment) && mechanism_.n_u == mechanism_.n_v),
        springs_(experiment.model) {
    state_.set_gravity(experiment.gravity_W);
  }

  // step: number of steps that have been made
  void observe(SteppedRun& run, long long step, ContactResult& result) {
    run.observe(state_);
    result.points = 0;
    result.last_penetration = 0;
    for (const Contact& contact : detector_.detect(state_, near_points)) {
      result.points += contact.count;
      result.last_penetration = std::max(result.last_penetration, -contact.points[0].gap);
    }
    result.largest_penetration = std::max(result.largest_penetration, result.last_penetration);
    observe_energy(run, step, result);
    const long long last_quarter = n_ - n_ / 4;
    if (step == last_quarter) centers_ = centers();
    if (step == n_) {
      const std::vector<Vec3<double>> now = centers();
      for (size_t k = 0; k < now.size(); ++k)
        result.creep = std::max(result.creep, norm(now[k] - centers_[k]));
      if (n_ > last_quarter) result.creep /= double(n_ - last_quarter) * experiment_.dt;
      result.q.assign(state_.q().begin(), state_.q().end());
    }
  }

 private:
  void observe_energy(const SteppedRun& run, long long step, ContactResult& result) {
    if (!has_energy_) {
      result.energy_gain = result.energy_error = std::numeric_limits<double>::quiet_NaN();
      return;
    }
    const Model& model = *experiment_.model;
    snapshot_.q.assign(state_.q().begin(), state_.q().end());
    snapshot_.v = state_.v;
    const double sum =
        energy(state_, mechanism_, snapshot_, scratch_).sum() + springs_.energy(state_);
    double with_loads = sum;
    for (size_t k = 0; k < experiment_.load.tau.size(); ++k)
      if (model.coordinate[k] >= 0)
        with_loads -= experiment_.load.tau[k] * snapshot_.q[size_t(model.coordinate[k])];
    if (step == 0) start_ = sum - run.work(), least_ = with_loads;
    least_ = std::min(least_, with_loads);
    result.energy_gain = std::max(result.energy_gain, with_loads - least_);
    result.energy_error = std::max(result.energy_error, std::abs(sum - start_ - run.work()));
  }

  std::vector<Vec3<double>> centers() const {
    const std::vector<Pose<double>> X_WB = world_poses(state_);
    std::vector<Vec3<double>> out;
    for (const Collider& collider : experiment_.model->colliders)
      if (collider.body != 0) out.push_back(X_WB[size_t(collider.body)] * collider.X_BC.p);
    return out;
  }

  const Experiment& experiment_;
  long long n_;
  State state_;
  ContactDetector detector_;
  Mechanism mechanism_;
  EnergyScratch scratch_;
  bool has_energy_;
  ContactSprings springs_;
  Snapshot snapshot_;
  double start_ = 0, least_ = 0;
  std::vector<Vec3<double>> centers_;
};

void measure_errors(const Experiment& experiment, long long n, Simulated& subject) {
  Observer observer(experiment, n);
  const std::unique_ptr<SteppedRun> run = subject.start();
  ContactResult& result = subject.result;
  observer.observe(*run, 0, result);
  double ns = 0;
  for (long long k = 1; k <= n; ++k) {
    ns += time_steps(*run, 1);
    if (ns > 1e9 * longest_measurement && k < n) {
      result.ns = ns / double(k);
      result.is_complete = false;
      return;
    }
    observer.observe(*run, k, result);
  }
}

}  // namespace

std::vector<ContactResult> measure_contacts(const Experiment& experiment, long long n,
                                            int repetitions) {
  std::vector<Simulated> subjects = contact_simulations(experiment);
  std::vector<double> total(subjects.size(), 0.0);
  for (int repetition = 0; repetition <= repetitions; ++repetition)
    for (size_t k = 0; k < subjects.size(); ++k) try {
        ContactResult& result = subjects[k].result;
        if (!result.reason.empty() || !result.is_complete) continue;
        if (repetition == 0) {
          measure_errors(experiment, n, subjects[k]);
          continue;
        }
        if (total[k] > 1e9 * longest_repetitions) continue;
        const double ns = time_steps(*subjects[k].start(), n);
        total[k] += ns * double(n);
        result.ns = repetition == 1 ? ns : std::min(ns, result.ns);
      } catch (const Error& error) {
        subjects[k].result.reason = error.what();
      }
  std::vector<ContactResult> out;
  for (Simulated& subject : subjects) out.push_back(std::move(subject.result));
  return out;
}

}  // namespace torsor::bench
