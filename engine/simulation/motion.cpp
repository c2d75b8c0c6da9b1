#include "torsor/simulation/motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/simulation/box_lcp.hpp"

namespace torsor {

namespace {

// The model whose mass matrix is M + h D.
std::shared_ptr<const Model> with_damping(const Model& model, double h) {
  auto damped = std::make_shared<Model>(model);
  for (int k = 0; k < model.n_v; ++k) damped->armature[k] += h * model.damping[k];
  return damped;
}

std::optional<Solver> make_damped(const Model& model, const Motion::SolverFactory& make_solver, double h) {
  const bool damped = std::any_of(model.damping.begin(), model.damping.end(), [](double d) { return d > 0; });
  if (h == 0 || !damped) return std::nullopt;
  return make_solver(with_damping(model, h));
}

}  // namespace

Motion::Motion(std::shared_ptr<const Model> model, const SolverFactory& make_solver, double damped)
    : state_(model),
      solver_(make_solver(model)),
      damped_(damped),
      damped_solver_(make_damped(*model, make_solver, damped)),
      mechanism_(*model),
      coupled_(mechanism_),
      layout_{mechanism_.n_u, mechanism_.n_memory, n_integrated_works},
      applied_(*model, load_),
      q0_(neutral(*model)),
      q_(q0_),
      modes_(size_t(guards())),
      z_(size_t(layout_.size())),
      zdot_(z_),
      f_(size_t(mechanism_.n_u)),
      udot_(f_),
      friction_(f_),
      constraint_(f_),
      M_inverse_(size_t(model->n_v) * size_t(model->n_v)),
      guard_lambda_(size_t(guards())) {
  load_.tau.assign(size_t(model->n_v), 0.0);
  tau_ = load_.tau;
  for (const StopElement& stop : mechanism_.stops) stop_rows_.push_back({{stop.index, stop.side}});
}

void Motion::set_load(const Load& load) {
  load_ = load;
  applied_ = Applied(model(), load_);
  state_.clear_wrenches();
  layout_.memory = mechanism_.n_memory + applied_.n_x();
  z_.assign(size_t(layout_.size()), 0.0);
  zdot_ = z_;
}
void Motion::set_torque(std::span<const double> tau) {
  std::copy(tau.begin(), tau.end(), load_.tau.begin());
}
std::span<const double> Motion::torque(double t) {
  std::copy(load_.tau.begin(), load_.tau.end(), tau_.begin());
  if (load_.tau_of_time) load_.tau_of_time(t, tau_);
  for (const auto& [column, limit] : mechanism_.clamps)
    tau_[size_t(column)] = std::clamp(tau_[size_t(column)], -limit, limit);
  return tau_;
}

void Motion::use(const SolverFactory& make_solver) {
  Solver solver = make_solver(state_.model_ptr());
  damped_solver_ = make_damped(model(), make_solver, damped_);
  solver_ = std::move(solver);
}

const Row& Motion::row_of(int guard) const {
  const int n = int(mechanism_.frictions.size());
  return guard < n ? mechanism_.frictions[size_t(guard)].row : stop_rows_[size_t(guard - n)];
}

// What holds: mimicry always, frictions and stops by their modes.
void Motion::gather(const double* modes) {
  std::copy_n(modes, modes_.size(), modes_.data());
  held_.clear();
  held_guards_.clear();
  for (const MimicElement& mimic : mechanism_.mimics) held_.push_back(&mimic.row);
  const int n = int(mechanism_.frictions.size());
  for (int i = 0; i < guards(); ++i) {
    const bool holds = i < n ? mechanism_.frictions[size_t(i)].holds() && modes[i] == 0 : modes[i] != 0;
    if (!holds) continue;
    held_.push_back(&row_of(i));
    held_guards_.push_back(i);
  }
  held_rows_.set(held_, mechanism_.n_u);
}

void Motion::slide(Snapshot& at) const {
  std::vector<double> u(at.v);
  u.insert(u.end(), at.motor_v.begin(), at.motor_v.end());
  std::fill(at.modes.begin(), at.modes.end(), 0.0);
  for (size_t i = 0; i < mechanism_.frictions.size(); ++i) {
    const double rate = along(mechanism_.frictions[i].row, u.data());
    if (mechanism_.frictions[i].holds()) at.modes[i] = (rate > 0) - (rate < 0);
  }
}

void Motion::stand(const Snapshot& at, double time) {
  q0_ = at.q;
  gather(at.modes.data());
  state_.time = time;
  state_.set_q(q0_);
  std::copy(at.v.begin(), at.v.end(), state_.v.begin());
}

void Motion::pack(const Snapshot& at, std::span<double> z) const {
  double* out = std::fill_n(z.data(), mechanism_.n_v, 0.0);
  for (const std::vector<double>* part : {&at.motor_q, &at.v, &at.motor_v, &at.memory})
    out = std::copy(part->begin(), part->end(), out);
  std::copy_n(at.work.begin(), n_integrated_works, out);
}

void Motion::unpack(std::span<const double> z, Snapshot& out) {
  const double* in = z.data();
  integrate(model(), q0_.data(), in, 1.0, out.q.data());
  in += mechanism_.n_v;
  for (std::vector<double>* part : {&out.motor_q, &out.v, &out.motor_v, &out.memory}) {
    std::copy_n(in, part->size(), part->data());
    in += part->size();
  }
  std::copy_n(in, n_integrated_works, out.work.begin());
  follow_mimics(model(), out.q, out.v);
}

bool Motion::chart_is_worn(std::span<const double> z) const {
  for (const MappedBody& mapped : model().mapped) {
    double angle_squared = 0;
    for (int k = 0; k < mapped.kind->n_v; ++k)
      if (mapped.kind->columns[size_t(k)].turns()) {
        const double d = z[size_t(model().v_index[size_t(mapped.body)] + k)];
        angle_squared += d * d;
      }
    if (angle_squared > 4) return true;
  }
  return false;
}

bool Motion::is_finite(const double* z) {
  const auto* end = z + layout_.first_work();
  const auto* bad = std::find_if_not(z, end, [](double x) { return std::isfinite(x); });
  if (bad == end) return true;
  bad_entry_ = int(bad - z);
  failure_ = {TORSOR_STATUS(Status::not_finite, 0)};
  return false;
}

bool Motion::put(double t, const double* z) {
  if (!is_finite(z)) return false;
  state_.time = t;
  integrate(model(), q0_.data(), z, 1.0, q_.data());
  state_.set_q(q_);
  std::copy_n(z + layout_.first_velocity(), model().n_v, state_.v.data());
  return true;
}

bool Motion::fails(Status status, bool damped) {
  if (status) return false;
  failure_ = status;
  damped_failed_ = damped;
  bad_entry_ = -1;
  return true;
}

std::string Motion::explain(Status status) const {
  if (!load_failure_.empty()) return load_failure_;
  if (bad_entry_ < 0) return (damped_failed_ ? *damped_solver_ : solver_).explain(status);
  const int n = mechanism_.n_u;
  if (const int state = bad_entry_ - layout_.first_memory() - mechanism_.n_memory; state >= 0)
    return fmt::format("state {} of the forces is not a finite number", state);
  if (bad_entry_ >= layout_.first_memory())
    return fmt::format("the deflection of the bristles of joint '{}' is not a finite number",
                       model().joint_of_column(bristle_column(bad_entry_ - layout_.first_memory())).name);
  const int index = bad_entry_ % n;
  const bool motor = index >= mechanism_.n_v;
  const int column = motor ? mechanism_.motor_column[size_t(index - mechanism_.n_v)] : index;
  return fmt::format("the {} of {}joint '{}' is not a finite number",
                     bad_entry_ < n ? "position" : "velocity", motor ? "the motor of " : "",
                     model().joint_of_column(column).name);
}

int Motion::bristle_column(int memory) const {
  for (const FrictionElement& friction : mechanism_.frictions)
    if (friction.memory == memory) return friction.column;
  return 0;
}

void Motion::add_springs(const double* theta, const double* u) {
  for (const SpringElement& spring : mechanism_.springs) {
    const double x = mechanism_.position(spring.row, state_.q().data(), theta) - spring.rest;
    const double rate = along(spring.row, u);
    push(spring.row, -(spring.stiffness + spring.cubic * x * x) * x - spring.damping * rate, f_.data());
    damping_power_ += spring.damping * rate * rate;
  }
}

void Motion::add_friction(const double* u, const double* memory, double* memory_dot) {
  for (size_t i = 0; i < mechanism_.frictions.size(); ++i) {
    const auto& [row, law, bristle, column] = mechanism_.frictions[i];
    const double s = along(row, u);
    double force = 0;
    if (law.law == Friction::Law::lugre) {
      const double z = memory[bristle],
                   zdot = s - law.bristle_stiffness * std::abs(s) * z / dry_friction(law, std::abs(s));
      memory_dot[bristle] = zdot;
      force = law.bristle_stiffness * z + law.bristle_damping * zdot + law.viscous * s;
    } else if (!mechanism_.frictions[i].holds()) {
      force = std::copysign(sliding_friction(law, std::abs(s)), s);
    } else if (modes_[i] != 0) {
      force = modes_[i] * sliding_friction(law, modes_[i] * s);
    }
    push(row, -force, f_.data());
    push(row, force, friction_.data());
    friction_power_ += force * s;
  }
}

void Motion::powers(const double* u, double* works) const {
  double motors = 0;
  for (int c = 0; c < mechanism_.n_v; ++c) motors += tau_[size_t(c)] * u[mechanism_.driven[size_t(c)]];
  works[size_t(Work::motors)] = motors;
  works[size_t(Work::friction)] = -friction_power_;
  works[size_t(Work::damping)] = -damping_power_;
}

bool Motion::forward(double ahead) {
  const bool damped = ahead > 0 && damped_solver_;
  Solver& solver = damped ? *damped_solver_ : solver_;
  if (fails(solver.forward(state_, f_.data(), udot_.data()), damped)) return false;
  if (!coupled_.empty() && fails(invert_mass_matrix(solver, udot_.data()), damped)) return false;
  for (size_t m = 0; m < mechanism_.motor_inertia.size(); ++m)
    udot_[size_t(mechanism_.n_v) + m] = f_[size_t(mechanism_.n_v) + m] / mechanism_.motor_inertia[m];
  return hold();
}

// M_inverse_, and from the solver's vdot that of the full armature.
Status Motion::invert_mass_matrix(Solver& solver, double* vdot) {
  const Status status = solver.inverse_mass_matrix(state_, M_inverse_.data());
  if (status && !coupled_.empty()) coupled_.add(M_inverse_.data(), vdot);
  return status;
}

// Column `column` of Y_: diag(M, I_a)^-1 row^T.
void Motion::push_apart(const Row& row, int column) {
  const int n = mechanism_.n_v;
  Y_.col(column).setZero();
  for (const auto& [index, factor] : row) {
    if (index < n)
      for (int i = 0; i < n; ++i) Y_(i, column) += factor * M_inverse_[size_t(i) * size_t(n) + size_t(index)];
    else
      Y_(index, column) += factor / mechanism_.motor_inertia[size_t(index - n)];
  }
}

// Y_ = M^-1 J^T and G_ = J M^-1 J^T of some rows, at the present configuration.
Status Motion::delassus(std::span<const Row* const> rows) {
  if (fails(invert_mass_matrix(solver_))) return failure_;
  const auto n = Eigen::Index(rows.size());
  Y_.resize(mechanism_.n_u, n);
  G_.resize(n, n);
  for (int r = 0; r < n; ++r) push_apart(*rows[size_t(r)], r);
  for (int r = 0; r < n; ++r)
    for (int s = 0; s < n; ++s) G_(r, s) = along(*rows[size_t(r)], Y_.col(s).data());
  return {};
}

// udot += M^-1 J^T lambda with J udot = 0:  (J M^-1 J^T) lambda = -J udot. Then what is held stands still to the last
// bit where it is a single coordinate, to rounding where it is a motor that moves several joints.
bool Motion::hold() {
  std::fill(constraint_.begin(), constraint_.end(), 0.0);
  const int n = int(held_.size()), n_mimic = n - int(held_guards_.size());
  if (n == 0) return true;
  if (!delassus(held_)) return false;
  lambda_.resize(n);
  for (int r = 0; r < n; ++r) lambda_[r] = -along(*held_[size_t(r)], udot_.data());
  factor(G_, factor_);
  factor_.solveInPlace(lambda_);
  for (int r = 0; r < n; ++r) {
    push(*held_[size_t(r)], lambda_[r], constraint_.data());
    if (r >= n_mimic) guard_lambda_[size_t(held_guards_[size_t(r - n_mimic)])] = lambda_[r];
    for (int i = 0; i < mechanism_.n_u; ++i) udot_[size_t(i)] += lambda_[r] * Y_(i, r);
  }
  held_rows_.project(udot_.data());
  return true;
}

// What the load has beside the torques of motors.
bool Motion::apply(const double* memory, double* memory_dot, double* works) {
  const int n = mechanism_.n_memory;
  if (applied_.apply(state_, memory + n, f_.data(), memory_dot + n, works)) return true;
  load_failure_ = applied_.failure();
  return !fails({TORSOR_INTERNAL});
}

bool Motion::rate(double t, const double* z, double ahead, double* zdot) {
  load_failure_.clear();
  if (!put(t, z)) return false;
  const int n = mechanism_.n_v;
  const double *theta = z + n, *u = z + layout_.first_velocity(), *memory = z + layout_.first_memory();
  std::fill(f_.begin(), f_.end(), 0.0);
  std::fill(friction_.begin(), friction_.end(), 0.0);
  damping_power_ = friction_power_ = 0;
  try {
    (void)torque(t);
  } catch (const Error& error) {
    load_failure_ = error.what();
    return !fails({TORSOR_INTERNAL});
  }
  for (int c = 0; c < n; ++c) {
    const double damping = model().damping[size_t(c)] * u[c];
    f_[size_t(mechanism_.driven[size_t(c)])] += tau_[size_t(c)];
    f_[size_t(c)] -= damping;
    friction_[size_t(c)] += damping;
    damping_power_ += damping * u[c];
  }
  add_springs(theta, u);
  add_friction(u, memory, zdot + layout_.first_memory());
  powers(u, zdot + layout_.first_work());
  if (!apply(memory, zdot + layout_.first_memory(), zdot + layout_.first_work())) return false;
  if (!forward(ahead)) return false;
  chart_rate(model(), z, u, zdot);
  std::copy(u + n, u + mechanism_.n_u, zdot + n);
  std::copy(udot_.begin(), udot_.end(), zdot + layout_.first_velocity());
  return true;
}

}  // namespace torsor
