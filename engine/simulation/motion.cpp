#include "torsor/simulation/motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/base/memory.hpp"
#include "torsor/contact/contact_springs.hpp"
#include "torsor/integration/chart.hpp"
#include "torsor/simulation/events/contact_modes.hpp"
#include "torsor/simulation/mechanism/coupled_armature.hpp"

namespace torsor {

namespace {

// Returns a copy of the model whose mass matrix is M + h D.
std::shared_ptr<const Model> with_damping(const Model& model, double h) {
  auto damped = std::make_shared<Model>(model);
  for (int k = 0; k < model.n_v; ++k) damped->armature[k] += h * model.damping[k];
  return damped;
}

std::optional<Solver> make_damped(const Model& model, const SolverFactory& make_solver, double h) {
  const bool damped =
      std::any_of(model.damping.begin(), model.damping.end(), [](double d) { return d > 0; });
  if (h == 0 || !damped) return std::nullopt;
  return make_solver(with_damping(model, h));
}

// Returns n_v^2. Throws Error if there is not enough free memory for the dense matrices of a run: M
// and its factor here and in the solver, and derived matrices.
size_t size_of_matrix(const Model& model) {
  constexpr double matrices = 6;
  const size_t size = size_t(model.n_v) * size_t(model.n_v);
  reserve_memory(fmt::format("the matrices of a run with {} degrees of freedom", model.n_v),
                 matrices * double(size) * sizeof(double));
  return size;
}

// Returns the constraints with constant rows that are eliminated: those of mimic joints, then those
// of linear closures.
std::vector<ConstraintRow> eliminated_rows(const Mechanism& mechanism,
                                           const ClosureRows& closures) {
  std::vector<ConstraintRow> out;
  for (const MimicElement& mimic : mechanism.mimics) out.push_back({.row = &mimic.row});
  std::ranges::copy_if(closures.constraint_rows(), std::back_inserter(out),
                       [](const ConstraintRow& row) { return !row.varies; });
  return out;
}

}  // namespace

Motion::Motion(std::shared_ptr<const Model> model, const SolverFactory& make_solver, double damped,
               std::vector<Payload> payloads, MultiplierSolver multiplier_solver,
               double locates_contacts)
    : damped_(damped),
      payloads_(std::move(payloads)),
      changes_(torsor::changes(payloads_)),
      mechanism_(*model),
      transmissions_(model),
      layout_{mechanism_.n_u, mechanism_.n_memory, n_integrated_works},
      applied_(*model, load_),
      closures_(*model),
      inverse_(*model, mechanism_.motor_inertia, eliminated_rows(mechanism_, closures_),
               coupled_dofs(*model, mechanism_)),
      mass_matrix_(*model),
      is_coupled_(!mechanism_.armatures.empty() || !mechanism_.varying_dofs.empty()),
      M_(size_of_matrix(*model)),
      zero_(size_t(model->n_v)),
      bias_(zero_),
      multiplier_solver_(std::move(multiplier_solver)),
      q0_(neutral(*model)),
      q_(q0_),
      u_(size_t(mechanism_.n_u)),
      modes_(mechanism_.n_guards()),
      z_(size_t(layout_.size())),
      zdot_(z_),
      f_(size_t(mechanism_.n_u)),
      pushed_(f_),
      udot_(f_),
      friction_(f_),
      constraint_(f_),
      has_joint_impulses_(locates_contacts == 0 && has_contacts(*model)),
      contacts_(locates_contacts > 0 && has_contacts(*model)
                    ? std::make_unique<ContactModes>(model, locates_contacts)
                    : nullptr),
      contact_springs_(has_compliance(*model) ? std::make_unique<ContactSprings>(model) : nullptr),
      without_contacts_(f_),
      held_force_(f_) {
  factored_q_.reserve(size_t(model->n_q));
  if (contacts_) modes_.resize(modes_.size() + contacts_->size());
  load_.tau.assign(size_t(model->n_v), 0.0);
  tau_ = motor_tau_ = motor_rate_ = rotor_tau_ = load_.tau;
  for (const auto& laden : laden_models(model, payloads_))
    plants_.push_back(make_plant(laden, make_solver));
  collect_constraints();
}

Motion::~Motion() = default;

double Motion::kept_energy(const Snapshot& at) const {
  return applied_.energy(state(), at.memory.data() + mechanism_.n_memory) +
         (contact_springs_ ? contact_springs_->energy(state()) : 0);
}

void Motion::collect_constraints() {
  std::vector<ConstraintRow> permanent = prescribed_.constraint_rows();
  std::vector<char> given(size_t(mechanism_.n_u), 0);
  for (const ConstraintRow& row : permanent) given[size_t((*row.row)[0].index)] = 1;
  std::ranges::copy_if(closures_.constraint_rows(), std::back_inserter(permanent),
                       &ConstraintRow::varies);
  constraints_.set_permanent(eliminated_rows(mechanism_, closures_), std::move(permanent),
                             std::move(given));
  active_guards_.clear();
}

Motion::Plant Motion::make_plant(std::shared_ptr<const Model> model,
                                 const SolverFactory& make_solver) const {
  return {State(model), make_solver(model), make_damped(*model, make_solver, damped_)};
}

std::vector<std::shared_ptr<const Model>> Motion::models() const {
  std::vector<std::shared_ptr<const Model>> models;
  for (const Plant& plant : plants_) models.push_back(plant.state.model_ptr());
  return models;
}

void Motion::set_gravity(const Vec3<double>& gravity_W) {
  for (Plant& plant : plants_) plant.state.set_gravity(gravity_W);
}

void Motion::set_load(const Load& load) {
  Prescribed prescribed(model(), load.prescriptions);
  prescribed.check_torque(load.tau);
  prescribed_ = std::move(prescribed);
  load_ = load;
  applied_ = Applied(model(), load_);
  applied_.set_pull(model(), load_.pull);
  collect_constraints();
  for (Plant& plant : plants_) plant.state.clear_wrenches();
  controls_ = Controls(model_ptr(), load_.controls, load_.sensors);
  control_.assign(controls_.n_stored(), 0.0);
  collect_breaks();
  layout_.memory = mechanism_.n_memory + applied_.n_x() + controls_.n_x();
  memory_.assign(size_t(layout_.memory), 0.0);
  z_.assign(size_t(layout_.size()), 0.0);
  zdot_ = z_;
}

void Motion::collect_breaks() {
  breaks_.clear();
  for (const Prescription& prescription : load_.prescriptions)
    breaks_.insert(breaks_.end(), prescription.breaks.begin(), prescription.breaks.end());
  for (const Control& control : load_.controls)
    if (control.period == 0)
      breaks_.insert(breaks_.end(), control.law->breaks().begin(), control.law->breaks().end());
  std::sort(breaks_.begin(), breaks_.end());
}

void Motion::set_torque(std::span<const double> tau) {
  std::copy(tau.begin(), tau.end(), load_.tau.begin());
}
void Motion::set_pull(const std::optional<Pull>& pull) {
  load_.pull = pull;
  applied_.set_pull(model(), pull);
  if (pull) return;
  // Without other loads, apply_forces() would keep the wrench of the removed pull.
  for (Plant& plant : plants_) plant.state.clear_wrenches();
}
void Motion::set_laws(const std::vector<std::shared_ptr<const ControlLaw>>& laws) {
  controls_.replace_laws(laws);
  for (size_t k = 0; k < laws.size(); ++k)
    if (laws[k]) load_.controls[k].law = laws[k];
  collect_breaks();
}
std::span<const double> Motion::torque(double t) {
  evaluate_motor_torques(t, theta_.data(), memory_.data(), nullptr);
  return tau_;
}

void Motion::change_solver(const SolverFactory& make_solver) {
  std::vector<Plant> plants;
  for (const Plant& plant : plants_) {
    plants.push_back(make_plant(plant.state.model_ptr(), make_solver));
    plants.back().state = plant.state;
  }
  plants_ = std::move(plants);
  factored_for_ = nullptr;
}

void Motion::select_model(double t) {
  plant_ = size_t(std::upper_bound(changes_.begin(), changes_.end(), t) - changes_.begin());
}

void Motion::set_state(const Snapshot& at, double time) {
  q0_ = at.q;
  // The samples of sensors follow, which the motion does not need.
  control_.assign(at.held.begin(),
                  at.held.begin() + std::ptrdiff_t(std::min(at.held.size(), controls_.n_stored())));
  theta_ = at.motor_q;
  memory_ = at.memory;
  prescribed_.go_to(time);
  now().time = time;
  std::copy(at.motor_v.begin(), at.motor_v.end(), std::copy(at.v.begin(), at.v.end(), u_.begin()));
  set_bodies(at);
  activate_rows(at.modes);
  if (contacts_) contacts_->set(std::span(modes_).subspan(mechanism_.n_guards()), at.contacts);
}

void Motion::set_bodies(const Snapshot& at) {
  now().set_q(at.q);
  std::copy(at.v.begin(), at.v.end(), now().v.begin());
  try {
    transmissions_.evaluate(at.q, at.v);
    update_transmissions();
  } catch (const Error&) {
    // The next rate() fails with this error. The state may be one that a run does not start from.
  }
  closures_.evaluate(state());
}

// Activates the rows of sticking frictions and closed stops.
void Motion::activate_rows(std::span<const double> modes) {
  std::copy(modes.begin(), modes.end(), modes_.begin());
  const auto is_active = [&](size_t guard) {
    return has_modes(guard) && (modes_[guard] != 0) == mechanism_.is_stop(guard);
  };
  size_t known = 0;
  bool changes = false;
  for (size_t guard = 0; guard < mechanism_.n_guards(); ++guard) {
    if (!is_active(guard)) continue;
    changes = changes || known == active_guards_.size() || active_guards_[known] != int(guard);
    ++known;
  }
  if (changes || known != active_guards_.size()) {
    std::vector<ConstraintRow> rows;
    active_guards_.clear();
    for (size_t guard = 0; guard < mechanism_.n_guards(); ++guard)
      if (is_active(guard)) {
        rows.push_back(mechanism_.guard_constraint(guard));
        active_guards_.push_back(int(guard));
      }
    constraints_.activate(std::move(rows));
  }
  if (constraints_.rows_vary() && factor_inertia()) constraints_.select(inverse_);
}

void Motion::reset_modes(Snapshot& at) const {
  std::vector<double> u(at.v);
  u.insert(u.end(), at.motor_v.begin(), at.motor_v.end());
  std::fill(at.modes.begin(), at.modes.end(), 0.0);
  for (size_t i = 0; i < mechanism_.frictions.size(); ++i) {
    const double rate = along(mechanism_.frictions[i].row, u.data());
    if (mechanism_.frictions[i].can_stick()) at.modes[i] = (rate > 0) - (rate < 0);
  }
}

void Motion::pack(const Snapshot& at, std::span<double> z) const {
  double* out = std::fill_n(z.data(), mechanism_.n_v, 0.0);
  for (const std::vector<double>* part : {&at.motor_q, &at.v, &at.motor_v, &at.memory})
    out = std::copy(part->begin(), part->end(), out);
  std::copy_n(at.work.begin(), n_integrated_works, out);
}

void Motion::unpack(double t, std::span<const double> z, Snapshot& out) {
  const double* in = z.data();
  integrate(model(), q0_.data(), in, 1.0, out.q.data());
  in += mechanism_.n_v;
  for (std::vector<double>* part : {&out.motor_q, &out.v, &out.motor_v, &out.memory}) {
    std::copy_n(in, part->size(), part->data());
    in += part->size();
  }
  std::copy_n(in, n_integrated_works, out.work.begin());
  prescribed_.go_to(t);
  prescribed_.write_rates(out.v.data());
  follow_mimics(model(), out.q, out.v);
}

bool Motion::chart_needs_restart(std::span<const double> z) const {
  return torsor::chart_needs_restart(model(), z.data());
}

bool Motion::is_finite(const double* z) {
  const auto* end = z + layout_.first_work();
  if (all_finite(z, size_t(end - z))) return true;
  bad_entry_ = int(std::find_if_not(z, end, [](double x) { return std::isfinite(x); }) - z);
  failure_ = {TORSOR_STATUS(Status::not_finite, 0)};
  return false;
}

bool Motion::unpack_state(double t, const double* z) {
  load_failure_.clear();
  if (!is_finite(z) || !evaluate_prescribed(t)) return false;
  now().time = t;
  if (std::all_of(z, z + model().n_v, [](double d) { return d == 0; }))
    q_ = q0_;  // integrate() would round quaternions
  else
    integrate(model(), q0_.data(), z, 1.0, q_.data());
  now().set_q(q_);
  std::copy_n(z + layout_.first_velocity(), mechanism_.n_u, u_.data());
  prescribed_.write_rates(u_.data());
  std::copy_n(u_.begin(), model().n_v, now().v.begin());
  return evaluate_transmissions();
}

bool Motion::evaluate_prescribed(double t) {
  try {
    prescribed_.go_to(t);
    return true;
  } catch (const Error& error) {
    load_failure_ = error.what();
    return !fails({TORSOR_INTERNAL});
  }
}

Status Motion::factor_inertia(double ahead) {
  const bool damped = ahead > 0 && plant().damped_solver;
  Solver& solver = solver_for(ahead);
  if (factored_for_ == &solver && std::ranges::equal(factored_q_, state().q())) return {};
  factored_for_ = nullptr;
  if (solver.capability(Quantity::mass_matrix) == Capability::derived) {
    if (is_coupled_) std::ranges::fill(M_, 0.0);
    mass_matrix_.evaluate(state(), M_.data());
    for (size_t k = 0; damped && k < zero_.size(); ++k)
      M_[k * zero_.size() + k] += damped_ * model().damping[k];
  } else if (fails(solver.mass_matrix(state(), M_.data()), damped)) {
    return failure_;
  }
  if (is_coupled_) add_coupled_armature(model(), mechanism_, transmissions_, M_.data());
  if (const int dof = inverse_.factor(M_.data()); dof >= 0) {
    (void)fails({TORSOR_STATUS(TORSOR_SINGULAR, model().joint_of_dof(dof).body)}, damped);
    return failure_;
  }
  factored_for_ = &solver;
  factored_q_.assign(state().q().begin(), state().q().end());
  return {};
}

bool Motion::coriolis_change(std::span<const double> u_1, std::span<double> out) {
  std::ranges::fill(out, 0.0);
  if (fails(solver().bias(state(), bias_.data()))) return false;
  std::copy_n(u_1.begin(), bias_.size(), now().v.begin());
  if (fails(solver().bias(state(), out.data()))) return false;
  for (size_t k = 0; k < bias_.size(); ++k) out[k] -= bias_[k];
  return true;
}

// Writes the accelerations of the forces `push` [n_u] without constraint forces to udot_.
// Rigid-body solvers know neither eliminated rows nor coupled armature; with these,
//   udot = P (P^T (M + A) P)^-1 P^T (f - b),  b = C v + g - sum J^T F
bool Motion::forward(std::span<const double> push, double ahead) {
  const bool damped = ahead > 0 && plant().damped_solver;
  Solver& solver = solver_for(ahead);
  if (solves_with_inertia()) {
    if (!factor_inertia(ahead)) return false;
    if (fails(solver.inverse(state(), zero_.data(), bias_.data()), damped)) return false;
    std::ranges::copy(push, udot_.begin());
    for (size_t k = 0; k < bias_.size(); ++k) udot_[k] -= bias_[k];
    inverse_.solve(udot_.data());
    return true;
  }
  if (fails(solver.forward(state(), push.data(), udot_.data()), damped)) return false;
  for (size_t m = 0; m < mechanism_.motor_inertia.size(); ++m)
    udot_[size_t(mechanism_.n_v) + m] =
        push[size_t(mechanism_.n_v) + m] / mechanism_.motor_inertia[m];
  return true;
}

// Computes the forces of the eliminated rows, which balance M udot + b = f, and adds them to
// constraint_.
void Motion::add_eliminated_forces() {
  if (!inverse_.eliminates()) return;
  const size_t n = size_t(mechanism_.n_v);
  for (size_t i = 0; i < n; ++i) {
    double sum = bias_[i] - f_[i] - constraint_[i];
    for (size_t j = 0; j < n; ++j) sum += M_[i * n + j] * udot_[j];
    bias_[i] = sum;
  }
  inverse_.add_row_forces(bias_.data(), constraint_.data());
}

void Motion::begin_step(double from, double until) {
  const auto rounding = [](double t) {
    return 16 * std::numeric_limits<double>::epsilon() * std::abs(t);
  };
  first_ = from + rounding(from);
  last_ = until - rounding(until);
}

void Motion::end_step() {
  first_ = -std::numeric_limits<double>::infinity();
  last_ = -first_;
}

// Computes the forces f_ without those of constraints, and the rates of memory and works in zdot.
bool Motion::load_rates(double t, const double* z, double* zdot) {
  if (stop_ && (*stop_)()) return !fails({TORSOR_INTERNAL});
  t = std::max(first_, std::min(t, last_));
  if (!unpack_state(t, z)) return false;
  const double *theta = z + mechanism_.n_v, *u = u_.data(), *memory = z + layout_.first_memory();
  double* const works = zdot + layout_.first_work();
  std::fill(constraint_.begin(), constraint_.end(), 0.0);
  friction_power_ = 0;
  try {
    evaluate_motor_torques(t, theta, memory, zdot + layout_.first_memory());
  } catch (const Error& error) {
    load_failure_ = error.what();
    return !fails({TORSOR_INTERNAL});
  }
  set_motors_and_damping(u);
  add_springs(theta, u);
  add_friction(u, memory, zdot + layout_.first_memory());
  add_rotors();
  works[size_t(Work::motors)] = motor_power_;
  works[size_t(Work::friction)] = -friction_power_;
  works[size_t(Work::damping)] = -damping_power_;
  return apply_forces(memory, zdot + layout_.first_memory(), works);
}

bool Motion::free_rate(double t, const double* z, double ahead, double* zdot) {
  if (!load_rates(t, z, zdot)) return false;
  const int n = mechanism_.n_v;
  const double* u = u_.data();
  std::span<const double> push = f_;
  if (!contact_force_.empty()) {
    std::ranges::copy(contact_force_, constraint_.begin());
    for (size_t i = 0; i < f_.size(); ++i) pushed_[i] = f_[i] + contact_force_[i];
    push = pushed_;
  }
  if (!forward(push, ahead)) return false;
  chart_rate(model(), z, u, zdot);
  std::copy(u + n, u + mechanism_.n_u, zdot + n);
  std::copy(udot_.begin(), udot_.end(), zdot + layout_.first_velocity());
  return true;
}

// Adds the forces of contact points to constraint_, their accelerations to udot_, and their power
// to the rate of Work::contact. They depend on the other active constraints, which solve for their
// own forces afterwards.
bool Motion::add_contact_forces(double ahead, double* zdot) {
  evaluate_closures();
  if (!solves_with_inertia() && !factor_inertia(ahead)) return false;
  contacts_->evaluate(state());
  std::ranges::copy(udot_, without_contacts_.begin());
  std::ranges::fill(held_force_, 0.0);
  if (!constraints_.empty()) {
    const Status solved = constraints_.solve(inverse_, multiplier_solver_, without_contacts_.data(),
                                             held_force_.data());
    if (fails(solved)) return bool(fail_multipliers(solved));
    prescribed_.write_accelerations(without_contacts_.data());
    constraints_.project(without_contacts_.data());
  }
  if (!contacts_->solve(inverse_, constraints_, u_, without_contacts_))
    return bool(fail(contacts_->describe(contacts_->paradox()) +
                     " slides, and no force or several forces obey Coulomb's law there "
                     "(Painleve's paradox); reduce mu, or choose the integrator time_stepping"));
  std::ranges::copy(contacts_->force(), without_contacts_.begin());
  for (size_t i = 0; i < constraint_.size(); ++i) constraint_[i] += without_contacts_[i];
  inverse_.solve(without_contacts_.data());
  for (size_t i = 0; i < udot_.size(); ++i) udot_[i] += without_contacts_[i];
  zdot[layout_.first_work() + int(Work::contact)] += contacts_->power();
  return true;
}

// Equations: KHALIL 7.35a, 7.35b, 7.65; JIN 50.
bool Motion::rate(double t, const double* z, double ahead, double* zdot) {
  if (!free_rate(t, z, ahead, zdot)) return false;
  if (contacts_ && contacts_->any_touching()) {
    if (!add_contact_forces(ahead, zdot)) return false;
    std::ranges::copy(udot_, zdot + layout_.first_velocity());
  }
  if (constraints_.empty()) return true;
  evaluate_closures();
  if (!solves_with_inertia() && !factor_inertia(ahead)) return false;
  const Status solved =
      constraints_.solve(inverse_, multiplier_solver_, udot_.data(), constraint_.data());
  if (fails(solved)) return bool(fail_multipliers(solved));
  prescribed_.write_accelerations(udot_.data());
  constraints_.project(udot_.data());
  std::copy(udot_.begin(), udot_.end(), zdot + layout_.first_velocity());
  zdot[layout_.first_work() + int(Work::motors)] += constraints_.power();
  return true;
}

// The power of constraint forces depends on the accelerations, that of other forces does not.
bool Motion::work_rates(double t, const double* z, double* zdot) {
  const bool touches = contacts_ && contacts_->any_touching();
  return constraints_.empty() && !touches ? load_rates(t, z, zdot) : rate(t, z, 0, zdot);
}

Status Motion::accelerate(const Snapshot& at, double time) {
  set_state(at, time);
  pack(at, z_);
  if (!rate(time, z_.data(), 0, zdot_.data())) return failure_;
  add_eliminated_forces();
  return {};
}

}  // namespace torsor
