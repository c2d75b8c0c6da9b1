#include "torsor/simulation/steppers/contact_impulses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "torsor/mechanics/kinematics.hpp"

namespace torsor {

namespace {

// Overlaps up to this depth, m, are accepted: they are rounding errors of poses.
constexpr double acceptable_overlap = 1e-9;

// Impacts that others cause are postponed this many times in a step, which repeats the solution.
constexpr int most_postponements = 10;

constexpr size_t stored_width = 8;  // numbers per point in the stored impulses

}  // namespace

ContactImpulses::ContactImpulses(Motion& motion)
    : motion_(motion),
      detector_(motion.model_ptr()),
      rows_(motion.model_ptr()),
      has_compliance_(has_compliance(motion.model())),
      V_WB_B_(size_t(motion.model().n_body)),
      force_(size_t(motion.mechanism().n_u)),
      displacement_(force_) {}

// Returns a bound of the speed of all points of bounded colliders at rates u, m/s.
double ContactImpulses::fastest(std::span<const double> u) {
  const Model& model = motion_.model();
  double out = 0;
  body_twists(motion_.state(), u.data(), V_WB_B_);
  for (size_t k = 0; k < model.colliders.size(); ++k) {
    const Collider& collider = model.colliders[k];
    const double radius = detector_.radius(int(k));
    if (std::isinf(radius)) continue;
    const Twist<double>& V = V_WB_B_[size_t(collider.body)];
    out = std::max(out, norm(V.v + cross(V.w, collider.X_BC.p)) + norm(V.w) * radius);
  }
  return out;
}

// Sets c_ = w_f + s with the sizes of its terms, and the bounds. restitution: factor of all e.
void ContactImpulses::require_rates(double h, double restitution, const SparseDelassus& delassus) {
  const size_t n = rows_.size();
  c_.assign(without_.begin(), without_.end());
  c_terms_.assign(terms_.begin(), terms_.end());
  lower_.assign(n, 0.0);
  upper_.assign(n, std::numeric_limits<double>::infinity());
  for (size_t k = 0; k < rows_.points().size(); ++k) {
    const ContactRow& point = rows_.points()[k];
    const size_t r = size_t(point.row);
    if (point.material.is_compliant()) {
      const double g = gap(point),
                   s = g > 0 ? g / h : point.material.stiffness * g / damping(point);
      c_[r] += s;
      c_terms_[r] += std::abs(s);
      continue;
    }
    const double w = before_[r], g = gap(point) - h / 2 * w,
                 e = restitution * point.material.restitution;
    const bool approaches = w < 0 && g + h / 2 * (w + without_[r]) < 0;
    if (roles_[k] == Role::postponed) {
      upper_[r] = 0;
      continue;
    }
    roles_[k] =
        approaches && e > 0 && !is_short(e * -w, r, h, delassus) ? Role::strikes : Role::touches;
    const double s = roles_[k] == Role::strikes ? e * w : std::max(g, 0.0) / h + std::max(w, 0.0);
    c_[r] += s;
    c_terms_[r] += std::abs(s);
  }
  for (size_t k = 0; k < frictions_.size(); ++k) {
    lower_[n_contact_ + k] = -friction_limits_[k];
    upper_[n_contact_ + k] = friction_limits_[k];
  }
}

// Returns whether a rebound at a speed is too slow to be resolved: the flight, 2 speed / pull,
// takes less than two steps. The pull is the acceleration that presses the surfaces together:
// gravity or the free one, or that which the contact carried in the last step.
bool ContactImpulses::is_short(double speed, size_t row, double h,
                               const SparseDelassus& delassus) const {
  const double free = before_[row] - without_[row],
               carried = delassus.diagonal(int(row)) * start_[row],
               gravity = h * norm(motion_.state().gravity_W());
  return speed < std::max({free, carried, gravity});
}

// Postpones the impacts that impulses of this step cause at other points: they strike in the next
// step, with the velocity that they have then. Returns whether there are any. The impulses of the
// last step do not count, because they carry loads at rest.
bool ContactImpulses::postpone(double h, const SparseDelassus& delassus) {
  const auto strikes = [&](const ContactRow& point) {
    return roles_[size_t(&point - rows_.points().data())] == Role::strikes &&
           lambda_[size_t(point.row)] > 0;
  };
  if (std::ranges::none_of(rows_.points(), strikes)) return false;
  bool any = false;
  for (size_t k = 0; k < roles_.size(); ++k) {
    const size_t r = size_t(rows_.points()[k].row);
    const double e = rows_.points()[k].material.restitution;
    if (roles_[k] != Role::touches || !(e > 0)) continue;
    const double new_impulse = lambda_[r] - start_[r],
                 w = after_[r] - delassus.diagonal(int(r)) * new_impulse;
    if (!(new_impulse > 0 && w < 0) || is_short(e * -w, r, h, delassus)) continue;
    roles_[k] = Role::postponed;
    any = true;
  }
  return any;
}

// Computes lambda for rows with c_.
Status ContactImpulses::solve(const SparseDelassus& delassus,
                              std::span<const torsor_friction> frictions,
                              std::vector<double>& lambda) {
  lambda.resize(c_.size());
  const Status status = motion_.multiplier_solver().solve_contacts(
      {.G = nullptr,
       .c = c_,
       .c_terms = c_terms_,
       .lower = lower_,
       .upper = upper_,
       .frictions = frictions,
       .sparse = {delassus.row_start, delassus.column, delassus.value},
       .start = start_},
      lambda);
  if (status || motion_.multiplier_solver().has_plugin())
    return status ? status : motion_.fail_multipliers(status);
  return motion_.fail(explain_no_solution());
}

// The impulses of points without a solution grow in the iterations.
std::string ContactImpulses::explain_no_solution() const {
  double largest = -1;
  const Contact* worst = nullptr;
  for (const ContactRow& point : rows_.points())
    if (const double impulse = lambda_[size_t(point.row)]; !(impulse <= largest))
      largest = impulse, worst = &contacts_[size_t(point.contact)];
  return fmt::format(
      "no impulses obey the laws of contact, with the largest one between {}: the shapes may be "
      "squeezed between others that do not give way; try a smaller dt",
      pair_names(motion_.model(), worst->a, worst->b));
}

// Points between bodies whose motion is prescribed, held by static friction or fixed have no forces
// that keep them apart.
Status ContactImpulses::check_immovable(double h, const SparseDelassus& delassus) {
  for (const ContactRow& point : rows_.points()) {
    if (point.material.is_compliant()) continue;  // its spring gives way
    const size_t r = size_t(point.row);
    const double end = gap(point) + h / 2 * without_[r];
    if (!(without_[r] < -acceptable_overlap && end < -acceptable_overlap)) continue;
    if (!delassus.is_immovable(point.row)) continue;
    const Contact& contact = contacts_[size_t(point.contact)];
    return motion_.fail(fmt::format(
        "prescribed or held joints move {} into each other, and no force can stop them; change "
        "the motion, or exclude the pair",
        pair_names(motion_.model(), contact.a, contact.b)));
  }
  return {};
}

Status ContactImpulses::solve(double h, SparseDelassus& delassus, std::span<const double> u,
                              std::span<double> free) {
  h_ = h;
  // The gap of rigid points matters at the end of the step, that of compliant ones half a step
  // later.
  const double margin = (has_compliance_ ? 2 : 1) * h * std::max(fastest(u), fastest(free));
  const std::span<const Contact> found = detector_.detect(motion_.state(), margin);
  contacts_.assign(found.begin(), found.end());
  rows_.evaluate(motion_.state(), contacts_);
  append_frictions(h, u);
  const size_t n = rows_.size();
  before_.resize(n), without_.resize(n), after_.resize(n), terms_.resize(n);
  std::ranges::fill(force_, 0.0);
  lambda_.assign(n, 0.0);
  residual_ = 0;
  if (copy_) *copy_ = {};
  if (n == 0) return {};
  for (size_t r = 0; r < n; ++r) {
    const Row& row = rows_.rows()[r];
    before_[r] = along(row, u.data());
    without_[r] = along(row, free.data());
    terms_[r] = terms_along(row, free.data()) + terms_along(row, u.data());
  }
  roles_.assign(rows_.points().size(), Role::touches);
  find_start();
  delassus.evaluate(rows_.rows(), rows_.normals());
  if (Status status = check_immovable(h, delassus); !status) return status;
  for (const ContactRow& point : rows_.points())
    if (point.material.is_compliant()) delassus.add_compliance(point.row, 1 / (h * damping(point)));
  int postponements = 0;
  // Without points that strike, a smaller restitution changes nothing. If it is 0, none strikes.
  for (double restitution = 1;;) {
    require_rates(h, restitution, delassus);
    if (Status status = solve(delassus, rows_.frictions(), lambda_); !status) return status;
    residual_ = motion_.multiplier_solver().contact_residual();
    std::ranges::fill(force_, 0.0);
    for (size_t r = 0; r < n; ++r) push(rows_.rows()[r], lambda_[r], force_.data());
    delassus.respond(force_, displacement_);
    for (size_t i = 0; i < free.size(); ++i) displacement_[i] += free[i];
    for (size_t r = 0; r < n; ++r) after_[r] = along(rows_.rows()[r], displacement_.data());
    if (postponements < most_postponements && postpone(h, delassus)) {
      ++postponements;
      continue;
    }
    if (std::ranges::count(roles_, Role::strikes) == 0 || !adds_energy()) break;
    restitution = restitution > 0.1 ? restitution / 2 : 0;
  }
  std::ranges::copy(displacement_, free.begin());
  for (size_t k = 0; k < frictions_.size(); ++k) {
    const double impulse = lambda_[n_contact_ + k];
    push(rows_.rows()[n_contact_ + k], -impulse, force_.data());
    friction_forces_[frictions_[k]] = -impulse / h;
  }
  if (copy_) copy_problem(delassus);
  return {};
}

// Appends the rows of frictions that can stick.
void ContactImpulses::append_frictions(double h, std::span<const double> u) {
  n_contact_ = rows_.size();
  frictions_.clear();
  friction_limits_.clear();
  const std::vector<FrictionElement>& frictions = motion_.mechanism().frictions;
  friction_forces_.assign(frictions.size(), 0.0);
  for (size_t i = 0; i < frictions.size(); ++i) {
    if (!frictions[i].can_stick()) continue;
    rows_.append(frictions[i].row);
    frictions_.push_back(i);
    friction_limits_.push_back(
        h * (motion_.modes()[i] == 0
                 ? frictions[i].static_friction()
                 : frictions[i].kinetic_friction(std::abs(along(frictions[i].row, u.data())))));
  }
}

void ContactImpulses::store_modes(std::span<double> modes) const {
  for (size_t k = 0; k < frictions_.size(); ++k) {
    const double impulse = lambda_[n_contact_ + k], w = after_[n_contact_ + k];
    const bool sticks = std::abs(impulse) < friction_limits_[k] || w == 0;
    modes[frictions_[k]] = sticks ? 0 : w > 0 ? 1 : -1;
  }
}

void ContactImpulses::copy_problem(const SparseDelassus& delassus) {
  *copy_ = {.points = {rows_.points().begin(), rows_.points().end()},
            .c = c_,
            .c_terms = c_terms_,
            .lower = lower_,
            .upper = upper_,
            .start = start_,
            .frictions = {rows_.frictions().begin(), rows_.frictions().end()},
            .row_start = delassus.row_start,
            .column = delassus.column,
            .value = delassus.value,
            .lambda = lambda_};
}

double ContactImpulses::key(const Contact& contact) const {
  return double(contact.a) * double(motion_.model().colliders.size()) + double(contact.b);
}

size_t ContactImpulses::stored_size() const {
  constexpr size_t points_per_collider = 16;
  return stored_width * points_per_collider * motion_.model().colliders.size();
}

void ContactImpulses::start_from(std::span<const double> stored) {
  stored_.assign(stored.begin(), stored.end());
}

// Sets start_ to the stored impulses of the same points. Both lists have the same order of
// contacts.
void ContactImpulses::find_start() {
  start_.assign(rows_.size(), 0.0);
  size_t first = 0;
  for (const ContactRow& point : rows_.points()) {
    const Contact& contact = contacts_[size_t(point.contact)];
    const double key = this->key(contact), id = contact.points[size_t(point.point)].id;
    while (first < stored_.size() && stored_[first] != 0 && stored_[first] < key)
      first += stored_width;
    for (size_t k = first; k < stored_.size() && stored_[k] == key; k += stored_width) {
      if (stored_[k + 1] != id) continue;
      const double* at = &stored_[k + 2];
      rows_.to_rows(point, {at[0], at[1], at[2]}, {at[3], at[4], at[5]}, start_.data());
      break;
    }
  }
  for (size_t k = 0; k < frictions_.size(); ++k)
    start_[n_contact_ + k] = -motion_.modes()[frictions_[k]] * friction_limits_[k];
}

void ContactImpulses::store(std::span<double> stored) const {
  std::ranges::fill(stored, 0.0);
  auto out = stored.begin();
  for (const ContactRow& point : rows_.points()) {
    if (stored.end() - out < std::ptrdiff_t(stored_width)) break;
    const Contact& contact = contacts_[size_t(point.contact)];
    const Vec3<double> f = force_impulse(point), m = moment_impulse(point);
    for (const double each : {key(contact), double(contact.points[size_t(point.point)].id), f.x,
                              f.y, f.z, m.x, m.y, m.z})
      *out++ = each;
  }
}

Vec3<double> ContactImpulses::force_impulse(const ContactRow& point) const {
  return rows_.force(point, lambda_.data());
}
Vec3<double> ContactImpulses::moment_impulse(const ContactRow& point) const {
  return rows_.moment(point, lambda_.data());
}

double ContactImpulses::damping(const ContactRow& point) const {
  return std::max(point.material.damping, h_ * point.material.stiffness);
}

double ContactImpulses::work() const {
  ImpulseWork out;
  for (size_t r = 0; r < n_contact_; ++r) out.add(lambda_[r], before_[r], after_[r]);
  if (!has_compliance_) return out.work;
  for (const ContactRow& point : rows_.points()) {
    if (!point.material.is_compliant()) continue;
    const size_t r = size_t(point.row);
    const double before = compression(point), after = std::max(-gap(point) - h_ * after_[r], 0.0),
                 spring = h_ * point.material.stiffness * before +
                          (damping(point) - point.material.damping) * (after - before);
    out.add(-spring, before_[r], after_[r]);
  }
  return out.work;
}

// Returns whether impulses of rigid points increase the energy. Springs return energy.
bool ContactImpulses::adds_energy() const {
  ImpulseWork out;
  std::span<const ContactRow> points = rows_.points();
  for (size_t k = 0; k < points.size(); ++k) {
    if (points[k].material.is_compliant()) continue;
    const size_t end = k + 1 < points.size() ? size_t(points[k + 1].row) : n_contact_;
    for (size_t r = size_t(points[k].row); r < end; ++r) out.add(lambda_[r], before_[r], after_[r]);
  }
  return out.adds_energy();
}

Status ContactImpulses::separate(double h, SparseDelassus& delassus, bool& any) {
  any = false;
  normals_.clear();
  c_.clear();
  for (const ContactRow& point : rows_.points()) {
    if (point.material.is_compliant()) continue;
    const double g = gap(point) + h / 2 * after_[size_t(point.row)];
    any |= g < -acceptable_overlap;
    normals_.push_back(rows_.rows()[size_t(point.row)]);
    c_.push_back(g);
  }
  if (!any) return {};
  c_terms_.assign(c_.begin(), c_.end());
  for (double& each : c_terms_) each = std::abs(each);
  alone_.resize(normals_.size());
  std::iota(alone_.begin(), alone_.end(), 0);
  start_.clear();
  delassus.evaluate(normals_, alone_);
  lower_.assign(normals_.size(), 0.0);
  upper_.assign(normals_.size(), std::numeric_limits<double>::infinity());
  if (Status status = solve(delassus, {}, nu_); !status) return status;
  std::vector<double>& push_back = c_terms_;
  push_back.assign(force_.size(), 0.0);
  for (size_t r = 0; r < normals_.size(); ++r) push(normals_[r], nu_[r], push_back.data());
  delassus.respond(push_back, displacement_);
  return {};
}

}  // namespace torsor
