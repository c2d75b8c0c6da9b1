#include "torsor/simulation/load.hpp"

#include <algorithm>
#include <limits>

#include "torsor/dynamics/kinematics.hpp"
#include "torsor/simulation/snapshot.hpp"

namespace torsor {

namespace {

double power(std::span<const Twist<double>> V, std::span<const Wrench<double>> F) {
  double sum = 0;
  for (size_t i = 1; i < V.size(); ++i) sum += dot(V[i], F[i]);
  return sum;
}

}  // namespace

Applied::Applied(const Model& model, const Load& load)
    : constant_F_B_(size_t(model.n_body)),
      F_B_(constant_F_B_),
      none_(load.wrench_F.empty() && load.wrench_of_time.empty() && load.forces.empty()),
      X_WB_(F_B_.size()),
      V_WB_B_(F_B_.size()) {
  for (const auto& [k, F_F] : load.wrench_F) {
    const Frame& frame = model.frames.at(size_t(k));
    Wrench<double>& F_B = constant_F_B_[size_t(frame.body)];
    F_B = F_B + transform(frame.X_BF, F_F);
  }
  for (const auto& [k, F_F] : load.wrench_of_time) of_time_.push_back({model.frames.at(size_t(k)), F_F});
  for (const auto& force : load.forces) {
    laws_.push_back({force, force->make_result()});
    n_x_ += int(force->n_x());
  }
}

bool Applied::apply(State& state, const double* x, double* f, double* xdot, double* works) {
  double *wrenches = works + int(Work::wrenches), *forces = works + int(Work::forces),
         *contact = works + int(Work::contact);
  *wrenches = *forces = *contact = 0;
  if (none_) return true;
  body_twists(state, V_WB_B_);
  std::copy(constant_F_B_.begin(), constant_F_B_.end(), F_B_.begin());
  try {
    for (const auto& [frame, F_F] : of_time_) {
      Wrench<double>& F_B = F_B_[size_t(frame.body)];
      F_B = F_B + transform(frame.X_BF, F_F(state.time));
    }
  } catch (const Error& error) {
    failure_ = error.what();
    return false;
  }
  *wrenches = power(V_WB_B_, F_B_);
  if (!laws_.empty()) world_poses(state, X_WB_);
  for (auto& [force, result] : laws_) {
    if (const Status status = force->evaluate(state, {X_WB_, V_WB_B_}, x, result); !status) {
      failure_ = force->explain(status);
      return false;
    }
    double& work = force->is_contact() ? *contact : *forces;
    work += power(V_WB_B_, result.F_B) + result.energy_rate;
    for (size_t i = 0; i < F_B_.size(); ++i) F_B_[i] = F_B_[i] + result.F_B[i];
    for (size_t k = 0; k < result.tau.size(); ++k) {
      f[k] += result.tau[k];
      work += result.tau[k] * state.v[k];
    }
    xdot = std::copy(result.xdot.begin(), result.xdot.end(), xdot);
    x += result.xdot.size();
  }
  state.set_wrenches(F_B_);
  return true;
}

double Applied::energy(const State& state, const double* x) const {
  if (laws_.empty()) return 0;
  std::vector<Pose<double>> X_WB = world_poses(state);
  std::vector<Twist<double>> V_WB_B(X_WB.size());
  body_twists(state, V_WB_B);
  double sum = 0;
  for (const auto& [force, ignored] : laws_) {
    Force::Result result = force->make_result();
    if (!force->evaluate(state, {X_WB, V_WB_B}, x, result)) return std::numeric_limits<double>::quiet_NaN();
    sum += result.energy;
    x += force->n_x();
  }
  return sum;
}

}  // namespace torsor
