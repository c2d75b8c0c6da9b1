#include "torsor/simulation/events/contact_forces.hpp"

#include <algorithm>
#include <cmath>

namespace torsor {

bool ContactForces::are_possible() {
  ContactModes& contacts = *motion_.contacts();
  const ActiveConstraints& constraints = motion_.constraints();
  std::vector<ConstraintRow> rows(constraints.rows().begin(), constraints.rows().end());
  const size_t n_other = rows.size(), n_u = motion_.acceleration().size();
  std::vector<double> free(n_u), by_contacts(contacts.force().begin(), contacts.force().end());
  accelerate(motion_.inverse_inertia(), rows, {constraints.multipliers().data(), n_other}, free);
  motion_.inverse_inertia().solve(by_contacts.data());
  for (size_t i = 0; i < n_u; ++i) free[i] = motion_.acceleration()[i] - free[i] - by_contacts[i];
  contacts.select(contacts.touching());
  std::vector<torsor_friction> frictions;
  const double allowed = acceleration_rounding * contacts.append(free, rows, frictions);
  Delassus delassus;
  delassus.evaluate(motion_.inverse_inertia(), n_u, rows);
  MultiplierSolver& solver = motion_.multiplier_solver();
  solver.clear();
  for (const ConstraintRow& row : rows)
    solver.add(*row.row, free.data(), *row.acceleration, row.bounds);
  if (!solver.solve(delassus.G, frictions)) return false;
  const auto rests = [&](size_t row) { return std::abs(solver.rate(row)) <= allowed; };
  for (size_t r = 0; r < n_other; ++r)
    if (!rests(r)) return false;
  for (size_t k = 0; k < contacts.touching().size(); ++k) {
    const ContactRow& row = contacts.rows().points()[k];
    if (!rests(n_other + size_t(row.row))) return false;
    if (contacts.mode(size_t(contacts.touching()[k])) != ContactMode::sticks || row.sliding < 0)
      continue;
    const size_t t = n_other + size_t(row.sliding);
    if (!rests(t) || !rests(t + 1)) return false;
  }
  multipliers_.assign(solver.lambda().begin() + std::ptrdiff_t(n_other), solver.lambda().end());
  return true;
}

ContactProjection::ContactProjection(Motion& motion)
    : motion_(motion), scratch_(motion.model()), u_(size_t(motion.mechanism().n_u)), change_(u_) {}

void ContactProjection::update_directions(Snapshot& at) const {
  const ContactModes& contacts = *motion_.contacts();
  for (const int point : contacts.touching()) {
    const Vec3<double> slip = contacts.pairs()[size_t(point)].slip();
    double* d = &at.contacts[3 * size_t(point)];
    const Vec3<double> last{d[0], d[1], d[2]};
    if (contacts.mode(size_t(point)) != ContactMode::slides || !(dot(slip, last) > 0)) continue;
    const Vec3<double> next = contacts.next_direction(size_t(point), slip);
    d[0] = next.x, d[1] = next.y, d[2] = next.z;
  }
}

Status ContactProjection::project(Snapshot& at, double time) {
  ContactModes* const contacts = motion_.contacts();
  if (!contacts || !contacts->any_touching()) return {};
  const Model& model = motion_.model();
  const auto n_v = std::ptrdiff_t(at.v.size());
  motion_.prescribed().go_to(time);
  motion_.set_bodies(at);
  const double before = energy(motion_.state(), motion_.mechanism(), at, scratch_).sum();
  if (Status status = motion_.factor_inertia(); !status) return status;
  const ActiveConstraints& held = motion_.constraints();
  bool changed = false;
  constexpr int most_iterations = 5;
  const auto evaluate = [&] {
    motion_.set_bodies(at);
    contacts->evaluate(motion_.state());
    std::copy(at.motor_v.begin(), at.motor_v.end(),
              std::copy(at.v.begin(), at.v.end(), u_.begin()));
  };
  evaluate();
  for (int k = 0; k < most_iterations; ++k) {
    if (!contacts->correction(motion_.inverse_inertia(), held, u_, true, change_)) break;
    integrate(model, at.q.data(), change_.data(), -1, at.q.data());
    for (size_t m = 0; m < at.motor_q.size(); ++m) at.motor_q[m] -= change_[size_t(n_v) + m];
    follow_mimics(model, at.q, at.v);
    evaluate();
    changed = true;
  }
  constexpr int most_rate_iterations = 2;
  for (int k = 0; k < most_rate_iterations; ++k) {
    if (!contacts->correction(motion_.inverse_inertia(), held, u_, false, change_)) break;
    for (size_t i = 0; i < u_.size(); ++i) u_[i] -= change_[i];
    motion_.prescribed().write_rates(u_.data());
    std::copy_n(u_.begin(), n_v, at.v.begin());
    std::copy(u_.begin() + n_v, u_.end(), at.motor_v.begin());
    follow_mimics(model, at.q, at.v);
    evaluate();
    changed = true;
  }
  update_directions(at);
  if (changed)
    at[Work::projection] +=
        energy(motion_.state(), motion_.mechanism(), at, scratch_).sum() - before;
  return {};
}

}  // namespace torsor
