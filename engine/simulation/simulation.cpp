#include "torsor/simulation/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "torsor/dynamics/kinematics.hpp"

namespace torsor {

namespace {
constexpr const char* names[] = {"euler", "semi_implicit_euler", "rk4"};  // in the order of Integrator

// The model whose mass matrix is M + h D.
std::shared_ptr<const Model> with_damping(const Model& model, double h) {
  auto damped = std::make_shared<Model>(model);
  for (int k = 0; k < model.n_v; ++k) damped->armature[k] += h * model.damping[k];
  return damped;
}
std::string divergence_advice(double dt) {
  return fmt::format("; the motion has diverged: try a smaller dt than {:g} s, or more damping or armature",
                     dt);
}
bool all_finite(std::span<const double> x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}
}  // namespace

const char* name(Integrator integrator) {
  return names[int(integrator)];
}
std::vector<std::string> integrator_names() {
  return {std::begin(names), std::end(names)};
}
std::optional<Integrator> integrator(std::string_view name) {
  for (int k = 0; k < int(std::size(names)); ++k)
    if (names[k] == name) return Integrator(k);
  return std::nullopt;
}

Simulation::Simulation(std::shared_ptr<const Model> model, const SolverFactory& make_solver,
                       Integrator integrator, double dt)
    : integrator_(integrator),
      dt_(dt),
      state_(model),
      solver_(make_solver(model)),
      tau_(model->n_v),
      split_(4 * size_t(model->n_v)),
      q_next_(model->n_q),
      v_next_(model->n_v),
      twists_(model->n_body) {
  if (!(dt > 0) || !std::isfinite(dt))
    throw Error(fmt::format("the step dt is {} s; it must be a positive number", dt));
  damped_solver_ = damped_solver(make_solver);
  load_.tau.assign(model->n_v, 0.0);
  for (Rate& rate : k_) rate.v = rate.vdot = std::vector<double>(model->n_v, 0.0);
  start();
}

std::optional<Solver> Simulation::damped_solver(const SolverFactory& make_solver) const {
  const bool damped =
      std::any_of(model().damping.begin(), model().damping.end(), [](double d) { return d > 0; });
  if (integrator_ != Integrator::semi_implicit_euler || !damped) return std::nullopt;
  return make_solver(with_damping(model(), dt_));
}

void Simulation::start() {
  now_.step = 0;
  now_.dissipated = now_.supplied = 0;
  now_.q.assign(state_.q().begin(), state_.q().end());
  now_.v = state_.v;
  state_.time = 0;
  now_.energy_zero = kinetic() + potential();
}

void Simulation::set_gravity(const Vec3<double>& gravity_W) {
  state_.set_gravity(gravity_W);
  start();
}

void Simulation::set_load(const Load& load) {
  if (!load.tau.empty()) check_torque(load.tau);
  load_ = load;
  if (load_.tau.empty()) load_.tau.assign(model().n_v, 0.0);
  state_.clear_wrenches();
  for (const auto& [frame, F] : load.wrench_F) state_.add_wrench(model().frames.at(frame), F);
  start();
}

void Simulation::check_torque(std::span<const double> tau) const {
  if (int(tau.size()) != model().n_v || !all_finite(tau))
    throw Error(fmt::format("the applied torques must be {} finite numbers", model().n_v));
}

void Simulation::put_state(std::span<const double> q, std::span<const double> v) {
  if (int(q.size()) != model().n_q || int(v.size()) != model().n_v)
    throw Error(fmt::format("q has {} and v has {} numbers; the model has {} and {}", q.size(), v.size(),
                            model().n_q, model().n_v));
  if (!all_finite(q) || !all_finite(v)) throw Error("q and v must be finite numbers");
  state_.set_q(q);
  std::copy(v.begin(), v.end(), state_.v.begin());
}

void Simulation::set_state(std::span<const double> q, std::span<const double> v) {
  put_state(q, v);
  start();
}

void Simulation::change_state(std::span<const double> q, std::span<const double> v) {
  const double before = kinetic() + potential();
  put_state(q, v);
  now_.q.assign(state_.q().begin(), state_.q().end());
  now_.v = state_.v;
  now_.supplied += kinetic() + potential() - before;
}

void Simulation::change_torque(std::span<const double> tau) {
  check_torque(tau);
  load_.tau.assign(tau.begin(), tau.end());
}

void Simulation::change_solver(const SolverFactory& make_solver) {
  Solver solver = make_solver(state_.model_ptr());
  damped_solver_ = damped_solver(make_solver);
  solver_ = std::move(solver);
}

void Simulation::restore(const Snapshot& snapshot) {
  now_ = snapshot;
  state_.set_q(now_.q);
  std::copy(now_.v.begin(), now_.v.end(), state_.v.begin());
  state_.time = time();
}

double Simulation::kinetic() const {
  return kinetic_energy(state_);
}
double Simulation::potential() const {
  return potential_energy(state_);
}
double Simulation::drift() const {
  return kinetic() + potential() + dissipated() - supplied() - now_.energy_zero;
}

std::span<const double> Simulation::friction() {
  for (int k = 0; k < model().n_v; ++k) tau_[k] = model().damping[k] * state_.v[k];
  return tau_;
}

Simulation::TorqueSplit Simulation::torque_split() {
  const size_t n = size_t(model().n_v);
  const std::span<const double> vdot = acceleration();
  double* part = split_.data();
  require(solver_, solver_.torque_split(state_, vdot.data(), {part, part + n, part + 2 * n, part + 3 * n}));
  return {{part, n}, {part + n, n}, {part + 2 * n, n}, {part + 3 * n, n}};
}

// What is left of the applied torques to move the bodies.
void Simulation::drive() {
  for (int k = 0; k < model().n_v; ++k) tau_[k] = load_.tau[k] - model().damping[k] * state_.v[k];
}

std::span<const double> Simulation::acceleration() {
  drive();
  forward(solver_, k_[0].vdot.data());
  return k_[0].vdot;
}

void Simulation::forward(Solver& solver, double* vdot) {
  require(solver, solver.forward(state_, tau_.data(), vdot));
}

void Simulation::require(const Solver& solver, Status status) {
  if (status) return;
  const bool diverged = TORSOR_STATUS_CODE(status.value) == Status::not_finite;
  fail(solver.explain(status) + (diverged ? divergence_advice(dt_) : ""));
}

// Powers at the present state: damping takes v^T D v; torques and wrenches give tau . v + sum F . V.
void Simulation::powers(Rate& rate) {
  rate.dissipated = rate.supplied = 0;
  for (int k = 0; k < model().n_v; ++k) rate.dissipated += model().damping[k] * state_.v[k] * state_.v[k];
  for (int k = 0; k < model().n_v; ++k) rate.supplied += load_.tau[k] * state_.v[k];
  if (load_.wrench_F.empty()) return;
  body_twists(state_, twists_);
  for (int i = 1; i < model().n_body; ++i) rate.supplied += dot(twists_[i], state_.F_B()[i]);
}

void Simulation::evaluate(Rate& rate) {
  drive();
  forward(solver_, rate.vdot.data());
  std::copy(state_.v.begin(), state_.v.end(), rate.v.begin());
  powers(rate);
}

// The state h along the rate from that of the last step.
void Simulation::move(double h, const Rate& rate) {
  integrate(model(), now_.q.data(), rate.v.data(), h, q_next_.data());
  for (int k = 0; k < model().n_v; ++k) state_.v[k] = now_.v[k] + h * rate.vdot[k];
  state_.set_q(q_next_);
}

// q+ = q (+) h v,  v+ = v + h vdot(q, v): MR 9.5's Euler integration, k = 0 .. N-1
void Simulation::step_euler() {
  evaluate(k_[0]);
  move(dt_, k_[0]);
  commit(dt_ * k_[0].dissipated, dt_ * k_[0].supplied);
}

// Damping at the new velocity: M (v+ - v)/h + b = tau - D v+, so (M + h D)(v+ - v)/h = tau - D v - b: forward
// dynamics with h D on the armature. Then q+ = q (+) h v+.
void Simulation::step_semi_implicit_euler() {
  Rate& rate = k_[0];
  drive();
  forward(damped_solver_ ? *damped_solver_ : solver_, rate.vdot.data());
  for (int k = 0; k < model().n_v; ++k) rate.v[k] = state_.v[k] + dt_ * rate.vdot[k];
  move(dt_, rate);
  powers(rate);
  commit(dt_ * rate.dissipated, dt_ * rate.supplied);
}

// Classical Runge-Kutta. The ledger's powers are integrated by the same weights.
void Simulation::step_rk4() {
  evaluate(k_[0]);
  move(dt_ / 2, k_[0]);
  evaluate(k_[1]);
  move(dt_ / 2, k_[1]);
  evaluate(k_[2]);
  move(dt_, k_[2]);
  evaluate(k_[3]);
  Rate& sum = k_[0];
  for (int k = 0; k < model().n_v; ++k) {
    sum.v[k] = (k_[0].v[k] + 2 * k_[1].v[k] + 2 * k_[2].v[k] + k_[3].v[k]) / 6;
    sum.vdot[k] = (k_[0].vdot[k] + 2 * k_[1].vdot[k] + 2 * k_[2].vdot[k] + k_[3].vdot[k]) / 6;
  }
  const auto mean = [this](double Rate::*power) {
    return (k_[0].*power + 2 * k_[1].*power + 2 * k_[2].*power + k_[3].*power) / 6;
  };
  const double dissipated = mean(&Rate::dissipated), supplied = mean(&Rate::supplied);
  move(dt_, sum);
  commit(dt_ * dissipated, dt_ * supplied);
}

// Accepts the state as that of the next step.
void Simulation::commit(double dissipated, double supplied) {
  for (const Joint& joint : model().joints) {
    const int end = joint.v_index + traits(joint.kind).n_v;
    for (int k = joint.v_index; k < end; ++k)
      if (!std::isfinite(state_.v[k]))
        fail(fmt::format("the velocity of joint '{}' is not a finite number", joint.name) +
             divergence_advice(dt_));
    for (int k = joint.q_index; k < joint.q_index + traits(joint.kind).n_q; ++k)
      if (!std::isfinite(state_.q()[k]))
        fail(fmt::format("the position of joint '{}' is not a finite number", joint.name) +
             divergence_advice(dt_));
  }
  std::copy(state_.q().begin(), state_.q().end(), now_.q.begin());
  std::copy(state_.v.begin(), state_.v.end(), now_.v.begin());
  now_.dissipated += dissipated;
  now_.supplied += supplied;
  ++now_.step;
  state_.time = time();
}

void Simulation::step() {
  switch (integrator_) {
    case Integrator::euler:
      return step_euler();
    case Integrator::semi_implicit_euler:
      return step_semi_implicit_euler();
    case Integrator::rk4:
      return step_rk4();
  }
}

void Simulation::fail(const std::string& what) {
  restore(Snapshot(now_));
  throw Error(fmt::format("at t = {:.9g} s (step {}): {}", time(), now_.step, what));
}

uint64_t state_hash(const Snapshot& snapshot) {
  uint64_t hash = 14695981039346656037ull;
  const auto mix = [&hash](const void* data, size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 1099511628211ull;
  };
  mix(&snapshot.step, sizeof snapshot.step);
  mix(snapshot.q.data(), snapshot.q.size() * sizeof(double));
  mix(snapshot.v.data(), snapshot.v.size() * sizeof(double));
  return hash;
}

}  // namespace torsor
