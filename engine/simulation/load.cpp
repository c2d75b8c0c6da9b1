#include "torsor/simulation/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <tuple>

#include "torsor/mechanics/kinematics.hpp"
#include "torsor/simulation/snapshot.hpp"

namespace torsor {

namespace {

double power(std::span<const Twist<double>> V, std::span<const Wrench<double>> F) {
  double sum = 0;
  for (size_t i = 1; i < V.size(); ++i) sum += dot(V[i], F[i]);
  return sum;
}

struct Kept {
  const char* what;
  size_t now, before;
};

void require_equal(const std::string& owner, std::initializer_list<Kept> layout) {
  for (const auto& [what, now, before] : layout)
    if (now != before)
      throw Error(fmt::format("{} has {} {}, the previous one had {}", owner, now, what, before));
}

}  // namespace

bool Pull::operator==(const Pull& other) const {
  const auto key = [](const Pull& pull) {
    return std::tuple(pull.frame, pull.point_F.x, pull.point_F.y, pull.point_F.z, pull.target_W.x,
                      pull.target_W.y, pull.target_W.z, pull.stiffness, pull.damping);
  };
  return key(*this) == key(other);
}

Wrench<double> wrench_F_W(const Pull& pull, const Pose<double>& X_WF, const Twist<double>& V_WF_F) {
  const Vec3<double> arm_W = X_WF.R * pull.point_F, p_W = X_WF.p + arm_W,
                     pdot_W = X_WF.R * (V_WF_F.v + cross(V_WF_F.w, pull.point_F)),
                     force_W = pull.stiffness * (pull.target_W - p_W) - pull.damping * pdot_W;
  return {cross(arm_W, force_W), force_W};
}

void require_layout(const Load& load, const Load& last) {
  require_equal("the scene", {{"forces", load.forces.size(), last.forces.size()},
                              {"controls", load.controls.size(), last.controls.size()},
                              {"sensors", load.sensors.size(), last.sensors.size()}});
  for (size_t k = 0; k < load.forces.size(); ++k) {
    const Force &now = *load.forces[k], &before = *last.forces[k];
    require_equal(fmt::format("force '{}'", now.id()),
                  {{"continuous states", now.n_x(), before.n_x()}});
  }
  for (size_t k = 0; k < load.controls.size(); ++k) {
    const Control &now = load.controls[k], &before = last.controls[k];
    require_equal(fmt::format("control '{}'", now.name),
                  {{"continuous states", now.law->n_x(), before.law->n_x()},
                   {"numbers of memory", now.law->initial_memory().size(),
                    before.law->initial_memory().size()},
                   {"numbers of signals", now.law->n_signal(), before.law->n_signal()}});
  }
  for (size_t k = 0; k < load.sensors.size(); ++k) {
    const RobotSensor &now = load.sensors[k], &before = last.sensors[k];
    if (now.kind != before.kind || now.period != before.period || now.delay != before.delay)
      throw Error(fmt::format("sensor '{}' has another kind, rate or delay than before", now.name));
  }
}

Applied::Applied(const Model& model, const Load& load)
    : constant_F_B_(size_t(model.n_body)),
      F_B_(constant_F_B_),
      acts_(!load.wrench_F.empty() || !load.wrench_of_time.empty() || !load.forces.empty() ||
            !load.force_functions.empty()),
      X_WB_(F_B_.size()),
      V_WB_B_(F_B_.size()) {
  for (const auto& [k, F_F] : load.wrench_F) {
    const Frame& frame = model.frames.at(size_t(k));
    Wrench<double>& F_B = constant_F_B_[size_t(frame.body)];
    F_B = F_B + transform(frame.X_BF, F_F);
  }
  for (const auto& [k, F_F] : load.wrench_of_time)
    of_time_.push_back({model.frames.at(size_t(k)), F_F});
  for (const auto& force : load.forces) {
    laws_.push_back({force, force->make_result()});
    n_x_ += int(force->n_x());
  }
  for (const ForceFunction& force : load.force_functions) {
    const Robot& robot = model.robots.at(size_t(force.robot));
    const size_t n = force.frames.size();
    Function& made = functions_.emplace_back();
    made.force = force;
    made.robot = &robot;
    for (const int k : force.frames) made.frames.push_back(model.frames.at(size_t(k)));
    made.tau.resize(size_t(robot.n_v));
    made.X_WF.resize(n);
    made.V_WF_W.resize(n);
    made.F_F_W.resize(n);
  }
}

double Applied::add(Function& function, const State& state, double* f) {
  const Robot& robot = *function.robot;
  for (size_t i = 0; i < function.frames.size(); ++i) {
    const auto& [name, body, X_BF] = function.frames[i];
    const Pose<double>& X_WB = X_WB_[size_t(body)];
    const Twist<double>& V = V_WB_B_[size_t(body)];
    function.X_WF[i] = X_WB * X_BF;
    function.V_WF_W[i] = {X_WB.R * V.w, X_WB.R * (V.v + cross(V.w, X_BF.p))};
    function.F_F_W[i] = {};
  }
  std::fill(function.tau.begin(), function.tau.end(), 0.0);
  const auto q = std::span(state.q()).subspan(size_t(robot.first_q), size_t(robot.n_q));
  const auto v = std::span(state.v).subspan(size_t(robot.first_v), size_t(robot.n_v));
  function.force.evaluate({state.time, q, v, function.X_WF, function.V_WF_W},
                          {function.tau, function.F_F_W});
  double power = 0;
  for (size_t i = 0; i < function.frames.size(); ++i) {
    const auto& [name, body, X_BF] = function.frames[i];
    // Frame A has its origin at F and the axes of the world.
    const Pose<double> X_BA{transpose(X_WB_[size_t(body)].R), X_BF.p};
    Wrench<double>& F_B = F_B_[size_t(body)];
    F_B = F_B + transform(X_BA, function.F_F_W[i]);
    power += dot(function.V_WF_W[i], function.F_F_W[i]);
  }
  for (size_t k = 0; k < function.tau.size(); ++k) {
    f[size_t(robot.first_v) + k] += function.tau[k];
    power += function.tau[k] * v[k];
  }
  return power;
}

void Applied::set_pull(const Model& model, const std::optional<Pull>& pull) {
  pull_ = pull;
  if (pull) pulled_ = model.frames[size_t(model.frame(pull->frame))];
}

double Applied::add_pull() {
  const Pose<double> X_WF = X_WB_[size_t(pulled_.body)] * pulled_.X_BF;
  const Twist<double> V_WF_F = inverse_transform(pulled_.X_BF, V_WB_B_[size_t(pulled_.body)]);
  const Wrench<double> F_W = wrench_F_W(*pull_, X_WF, V_WF_F),
                       F_F{transpose_times(X_WF.R, F_W.n), transpose_times(X_WF.R, F_W.f)};
  Wrench<double>& F_B = F_B_[size_t(pulled_.body)];
  F_B = F_B + transform(pulled_.X_BF, F_F);
  return dot(V_WF_F, F_F);
}

bool Applied::apply(State& state, const double* x, double* f, double* xdot, double* works) {
  double *wrenches = works + int(Work::wrenches), *forces = works + int(Work::forces),
         *contact = works + int(Work::contact);
  *wrenches = *forces = *contact = 0;
  if (!acts()) return true;
  body_twists(state, V_WB_B_);
  std::copy(constant_F_B_.begin(), constant_F_B_.end(), F_B_.begin());
  try {
    for (const auto& [frame, F_F] : of_time_) {
      Wrench<double>& F_B = F_B_[size_t(frame.body)];
      F_B = F_B + transform(frame.X_BF, F_F(state.time));
    }
    *wrenches = power(V_WB_B_, F_B_);
    if (!laws_.empty() || !functions_.empty() || pull_) world_poses(state, X_WB_);
    if (pull_) *wrenches += add_pull();
    for (Function& function : functions_) *forces += add(function, state, f);
  } catch (const Error& error) {
    failure_ = error.what();
    return false;
  }
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
    if (!force->evaluate(state, {X_WB, V_WB_B}, x, result))
      return std::numeric_limits<double>::quiet_NaN();
    sum += result.energy;
    x += force->n_x();
  }
  return sum;
}

}  // namespace torsor
