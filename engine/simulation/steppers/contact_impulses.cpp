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

// Surfaces within this distance, m or rad, touch. Without it, a gap without a force that closes it
// would be halved in each step until its rate has no digits.
constexpr double rounded_gap = 1e-12;

// Smaller rates, m/s or rad/s, are zero.
constexpr double least_rate = 1e-100;

// Impacts that others cause are postponed this many times in a step, which repeats the solution.
constexpr int most_postponements = 10;

constexpr size_t stored_width = 8;  // numbers per point in the stored impulses

}  // namespace

ContactImpulses::ContactImpulses(Motion& motion)
    : motion_(motion),
      detector_(motion.model_ptr()),
      rows_(motion.model_ptr()),
      joints_(motion),
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
  const auto require = [&](size_t r, double rate) {
    c_[r] += rate;
    c_terms_[r] += std::abs(rate);
  };
  for (const ContactRow& point : rows_.points()) {
    if (!point.material.is_compliant()) continue;
    const double g = gap(point);
    require(size_t(point.row), g > 0 ? g / h : point.material.stiffness * g / damping(point));
  }
  for (OneSided& each : one_sided_) {
    const size_t r = each.row;
    if (each.role == Role::postponed) {
      upper_[r] = 0;
      continue;
    }
    const double w = before_[r], g = each.gap - h / 2 * w, e = restitution * each.restitution;
    const bool approaches = w < 0 && g + h / 2 * (w + without_[r]) < 0;
    each.role =
        approaches && e > 0 && !is_short(each, e * -w, h, delassus) ? Role::strikes : Role::touches;
    const double apart = g > rounded_gap ? g / h : 0;
    require(r, each.role == Role::strikes ? e * w : apart + std::max(w, 0.0));
  }
  // The residual of a problem is relative to its rates, which need digits.
  for (size_t r = 0; r < n; ++r)
    if (c_terms_[r] < least_rate) c_[r] = c_terms_[r] = 0;
  for (size_t k = 0; k < joints_.limits().size(); ++k) {
    lower_[joints_.first_friction() + k] = -joints_.limits()[k];
    upper_[joints_.first_friction() + k] = joints_.limits()[k];
  }
}

// Returns whether a rebound at a speed is too slow to be resolved: the flight, 2 speed / pull,
// takes less than two steps. The pull is the acceleration that presses the surfaces together:
// gravity or the free one, or that which the row carried in the last step.
bool ContactImpulses::is_short(const OneSided& each, double speed, double h,
                               const SparseDelassus& delassus) const {
  const size_t r = each.row;
  const double free = before_[r] - without_[r], carried = delassus.diagonal(int(r)) * start_[r];
  return speed < std::max({free, carried, h * each.gravity});
}

// Postpones the impacts that impulses of this step cause at other points: they strike in the next
// step, with the velocity that they have then. Returns whether there are any. The impulses of the
// last step do not count, because they carry loads at rest.
bool ContactImpulses::postpone(double h, const SparseDelassus& delassus) {
  const auto strikes = [&](const OneSided& each) {
    return each.role == Role::strikes && lambda_[each.row] > 0;
  };
  if (std::ranges::none_of(one_sided_, strikes)) return false;
  bool any = false;
  for (OneSided& each : one_sided_) {
    const size_t r = each.row;
    if (each.role != Role::touches || !(each.restitution > 0)) continue;
    const double new_impulse = lambda_[r] - start_[r],
                 w = after_[r] - delassus.diagonal(int(r)) * new_impulse;
    if (!(new_impulse > 0 && w < 0) || is_short(each, each.restitution * -w, h, delassus)) continue;
    each.role = Role::postponed;
    any = true;
  }
  return any;
}

// Computes lambda for rows with c_.
Status ContactImpulses::solve(SparseDelassus& delassus, std::span<const torsor_friction> frictions,
                              std::vector<double>& lambda) {
  lambda.resize(c_.size());
  const HalfRows halves = delassus.half_rows();
  const Status status = motion_.multiplier_solver().solve_contacts(
      {.G = nullptr,
       .c = c_,
       .c_terms = c_terms_,
       .lower = lower_,
       .upper = upper_,
       .frictions = frictions,
       .sparse = {delassus.row_start, delassus.column, delassus.value},
       .start = start_},
      lambda, &halves);
  if (status || motion_.multiplier_solver().has_plugin())
    return status ? status : motion_.fail_multipliers(status);
  return motion_.fail(explain_no_solution());
}

// The impulses of rows without a solution grow in the iterations.
std::string ContactImpulses::explain_no_solution() const {
  const size_t worst =
      size_t(std::ranges::max_element(lambda_, {},
                                      [](double x) { return std::isnan(x) ? 0 : std::abs(x); }) -
             lambda_.begin());
  const std::span<const ContactRow> points = rows_.points();
  if (worst >= joints_.first_friction())
    return fmt::format(
        "no impulses obey the laws of contact, with the largest one at {}; try a smaller dt",
        joints_.describe(worst));
  const ContactRow& point = *std::prev(
      std::ranges::upper_bound(points, int(worst), {}, [](const ContactRow& p) { return p.row; }));
  const Contact& contact = contacts_[size_t(point.contact)];
  return fmt::format(
      "no impulses obey the laws of contact, with the largest one between {}: the shapes may be "
      "squeezed between others that do not give way; try a smaller dt",
      pair_names(motion_.model(), contact.a, contact.b));
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
  if (copy_) *copy_ = {};
  joints_.select_stops(h, u, free);
  do {
    rows_.evaluate(motion_.state(), contacts_);
    joints_.append(h, u, rows_);
    if (Status status = solve_rows(h, delassus, u, free); !status) return status;
  } while (joints_.add_passed_stops(h, displacement_, acceptable_overlap));
  std::ranges::copy(displacement_, free.begin());
  friction_forces_.assign(motion_.mechanism().frictions.size(), 0.0);
  for (size_t k = 0; k < joints_.frictions().size(); ++k) {
    const size_t r = joints_.first_friction() + k;
    push(rows_.rows()[r], -lambda_[r], force_.data());
    friction_forces_[joints_.frictions()[k]] = -lambda_[r] / h;
  }
  if (copy_ && rows_.size() > 0) copy_problem(delassus);
  return {};
}

// Computes the impulses of all rows. displacement_ becomes u+.
Status ContactImpulses::solve_rows(double h, SparseDelassus& delassus, std::span<const double> u,
                                   std::span<const double> free) {
  const size_t n = rows_.size();
  before_.resize(n), without_.resize(n), after_.resize(n), terms_.resize(n);
  std::ranges::fill(force_, 0.0);
  std::ranges::copy(free, displacement_.begin());
  lambda_.assign(n, 0.0);
  residual_ = 0;
  find_one_sided();
  if (n == 0) return {};
  for (size_t r = 0; r < n; ++r) {
    const Row& row = rows_.rows()[r];
    before_[r] = along(row, u.data());
    without_[r] = along(row, free.data());
    terms_[r] = terms_along(row, free.data()) + terms_along(row, u.data());
  }
  find_start();
  delassus.evaluate(rows_.rows(), rows_.normals());
  if (Status status = check_immovable(h, delassus); !status) return status;
  for (const ContactRow& point : rows_.points())
    if (point.material.is_compliant()) delassus.add_compliance(point.row, 1 / (h * damping(point)));
  int postponements = 0;
  // Without rows that strike, a smaller restitution changes nothing. If it is 0, none strikes.
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
    if (std::ranges::count(one_sided_, Role::strikes, &OneSided::role) == 0 || !adds_energy())
      return {};
    restitution = restitution > 0.1 ? restitution / 2 : 0;
  }
}

void ContactImpulses::find_one_sided() {
  one_sided_.clear();
  const double gravity = norm(motion_.state().gravity_W());
  for (const ContactRow& point : rows_.points())
    if (!point.material.is_compliant())
      one_sided_.push_back(
          {size_t(point.row), gap(point), point.material.restitution, gravity, Role::touches});
  for (size_t k = 0; k < joints_.stops().size(); ++k) {
    const size_t stop = joints_.stops()[k];
    one_sided_.push_back({joints_.first_stop() + k, joints_.gap(stop),
                          motion_.mechanism().stops[stop].restitution, 0, Role::touches});
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

double ContactImpulses::stop_key(size_t stop) const {
  const double n = double(motion_.model().colliders.size());
  return n * n + double(stop);
}

size_t ContactImpulses::stored_size() const {
  constexpr size_t points_per_collider = 16;
  return stored_width * (points_per_collider * motion_.model().colliders.size() +
                         motion_.mechanism().stops.size());
}

void ContactImpulses::start_from(std::span<const double> stored) {
  stored_.assign(stored.begin(), stored.end());
}

// Sets start_ to the stored impulses of the same points. Both lists have the same order of
// contacts.
void ContactImpulses::find_start() {
  start_.assign(rows_.size(), 0.0);
  size_t first = 0;
  const auto find = [&](double key) {
    while (first < stored_.size() && stored_[first] != 0 && stored_[first] < key)
      first += stored_width;
  };
  for (const ContactRow& point : rows_.points()) {
    const Contact& contact = contacts_[size_t(point.contact)];
    const double key = this->key(contact), id = contact.points[size_t(point.point)].id;
    find(key);
    for (size_t k = first; k < stored_.size() && stored_[k] == key; k += stored_width) {
      if (stored_[k + 1] != id) continue;
      const double* at = &stored_[k + 2];
      rows_.to_rows(point, {at[0], at[1], at[2]}, {at[3], at[4], at[5]}, start_.data());
      break;
    }
  }
  for (size_t k = 0; k < joints_.frictions().size(); ++k)
    start_[joints_.first_friction() + k] =
        -motion_.modes()[joints_.frictions()[k]] * joints_.limits()[k];
  for (size_t k = 0; k < joints_.stops().size(); ++k) {
    const double key = stop_key(joints_.stops()[k]);
    find(key);
    if (first < stored_.size() && stored_[first] == key)
      start_[joints_.first_stop() + k] = stored_[first + 2];
  }
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
  for (size_t k = 0; k < joints_.stops().size(); ++k) {
    if (stored.end() - out < std::ptrdiff_t(stored_width)) break;
    out[0] = stop_key(joints_.stops()[k]);
    out[2] = lambda_[joints_.first_stop() + k];
    out += stored_width;
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
  for (size_t r = 0; r < joints_.first_friction(); ++r) out.add(lambda_[r], before_[r], after_[r]);
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

double ContactImpulses::stop_work() const {
  ImpulseWork out;
  for (size_t r = joints_.first_stop(); r < lambda_.size(); ++r)
    out.add(lambda_[r], before_[r], after_[r]);
  return out.work;
}

// Returns whether impulses of rigid points and stops increase the energy. Springs return energy.
bool ContactImpulses::adds_energy() const {
  ImpulseWork out;
  const auto add = [&](size_t r) { out.add(lambda_[r], before_[r], after_[r]); };
  std::span<const ContactRow> points = rows_.points();
  for (size_t k = 0; k < points.size(); ++k) {
    if (points[k].material.is_compliant()) continue;
    const size_t end = k + 1 < points.size() ? size_t(points[k + 1].row) : joints_.first_friction();
    for (size_t r = size_t(points[k].row); r < end; ++r) add(r);
  }
  for (size_t r = joints_.first_stop(); r < lambda_.size(); ++r) add(r);
  return out.adds_energy();
}

bool ContactImpulses::separates_shapes() const {
  for (size_t k = 0; k < one_sided_.size(); ++k)
    if (one_sided_[k].row < joints_.first_friction() && nu_[k] > 0) return true;
  return false;
}

Status ContactImpulses::separate(double h, SparseDelassus& delassus, bool& any) {
  any = false;
  normals_.clear();
  c_.clear();
  for (const OneSided& each : one_sided_) {
    const double g = each.gap + h / 2 * after_[each.row];
    any |= g < -acceptable_overlap;
    normals_.push_back(rows_.rows()[each.row]);
    c_.push_back(g);
  }
  if (!any) return {};
  open_stops_ = joints_.open_stops(h, displacement_);  // displacement_ still contains u+
  do {
    if (Status status = solve_displacement(delassus); !status) return status;
  } while (add_passed_stops());
  return {};
}

// Computes the displacement that removes the overlaps c_ along normals_.
Status ContactImpulses::solve_displacement(SparseDelassus& delassus) {
  const size_t n = normals_.size();
  c_terms_.resize(n);
  for (size_t r = 0; r < n; ++r) c_terms_[r] = std::abs(c_[r]);
  alone_.resize(n);
  std::iota(alone_.begin(), alone_.end(), 0);
  start_.clear();
  delassus.evaluate(normals_, alone_);
  lower_.assign(n, 0.0);
  upper_.assign(n, std::numeric_limits<double>::infinity());
  if (Status status = solve(delassus, {}, nu_); !status) return status;
  std::vector<double>& push_back = c_terms_;
  push_back.assign(force_.size(), 0.0);
  for (size_t r = 0; r < n; ++r) push(normals_[r], nu_[r], push_back.data());
  delassus.respond(push_back, displacement_);
  return {};
}

// Adds the open stops that the displacement passes. Returns whether there are any.
bool ContactImpulses::add_passed_stops() {
  const auto is_passed = [&](const JointRows::OpenStop& stop) {
    return stop.gap + along(*stop.row, displacement_.data()) < -acceptable_overlap;
  };
  for (const JointRows::OpenStop& stop : open_stops_) {
    if (!is_passed(stop)) continue;
    normals_.push_back(*stop.row);
    c_.push_back(stop.gap);
  }
  return std::erase_if(open_stops_, is_passed) > 0;
}

}  // namespace torsor
