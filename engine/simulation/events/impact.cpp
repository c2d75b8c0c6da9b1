#include "torsor/simulation/events/impact.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace torsor {

bool Impact::is_over(const Row& row, double leaving, double window) const {
  return 2 * leaving < -window * along(row, motion_.acceleration().data());
}

Impact::ContactRowsInImpact Impact::contact_rows(const Snapshot& at, std::span<const int> struck) {
  ContactRowsInImpact out;
  ContactModes* const contacts = motion_.contacts();
  if (!contacts) return out;
  out.points.assign(contacts->touching().begin(), contacts->touching().end());
  out.points.insert(out.points.end(), struck.begin(), struck.end());
  std::ranges::sort(out.points);
  motion_.set_bodies(at);
  contacts->evaluate(motion_.state());
  contacts->select(out.points);
  out.at.assign(contacts->rows().points().begin(), contacts->rows().points().end());
  out.rows.assign(contacts->rows().rows().begin(), contacts->rows().rows().end());
  out.frictions.assign(contacts->rows().frictions().begin(), contacts->rows().frictions().end());
  for (size_t k = 0; k < out.points.size(); ++k) {
    const size_t point = size_t(out.points[k]);
    const bool touched = contacts->mode(point) != ContactMode::separate;
    out.restitution.push_back(touched ? 0 : out.at[k].material.restitution);
    out.bias.push_back(contacts->pairs()[point].normal_bias());
    out.is_kept.push_back(0);
  }
  return out;
}

size_t Impact::point_of_row(const ContactRowsInImpact& contacts, int row) const {
  return size_t(std::ranges::find(contacts.at, row, &ContactRow::row) - contacts.at.begin());
}

// Sets the modes after the rates u. rounding: of the rates of rows, m/s.
void Impact::set_contact_modes(Snapshot& at, const ContactRowsInImpact& contacts,
                               std::span<const double> u, double rounding) const {
  const size_t first = motion_.mechanism().n_guards();
  for (size_t k = 0; k < contacts.points.size(); ++k) {
    const ContactRow& row = contacts.at[k];
    const size_t point = size_t(contacts.points[k]);
    double& mode = at.modes[first + point];
    mode = double(ContactMode::separate);
    if (!contacts.is_kept[k] && along(contacts.rows[size_t(row.row)], u.data()) > rounding)
      continue;
    mode = double(row.sliding < 0 ? ContactMode::slides : ContactMode::sticks);
    if (row.sliding < 0) continue;
    const double t = along(contacts.rows[size_t(row.sliding)], u.data()),
                 s = along(contacts.rows[size_t(row.sliding) + 1], u.data()),
                 speed = std::hypot(t, s);
    if (speed <= rounding) continue;
    mode = double(ContactMode::slides);
    const Vec3<double> d = (t / speed) * row.t_W + (s / speed) * row.s_W;
    std::ranges::copy(std::array{d.x, d.y, d.z}, at.contacts.begin() + std::ptrdiff_t(3 * point));
  }
}

Status Impact::apply(Snapshot& at, double time, std::span<const int> hit,
                     std::span<const int> struck, double window, std::vector<double>& u) {
  const Mechanism& mechanism = motion_.mechanism();
  ContactRowsInImpact contacts = contact_rows(at, struck);
  const auto permanent = motion_.constraints().permanent();
  std::vector<ConstraintRow> rows(permanent.begin(), permanent.end());
  std::vector<double> restitution(rows.size(), 0.0);
  const size_t first = rows.size(), n_friction = mechanism.frictions.size();
  std::vector<int> touched(hit.begin(), hit.end());
  for (size_t i = n_friction; i < mechanism.n_guards(); ++i)
    if (at.modes[i] != 0) touched.push_back(int(i));
  for (const int i : touched) {
    rows.push_back(mechanism.guard_constraint(size_t(i)));
    restitution.push_back(at.modes[size_t(i)] != 0 ? 0 : mechanism.stop(size_t(i)).restitution);
  }
  const size_t first_contact = rows.size();
  for (const Row& row : contacts.rows) rows.push_back({.row = &row, .varies = true});
  restitution.resize(rows.size());
  for (size_t k = 0; k < contacts.points.size(); ++k) {
    const size_t r = first_contact + size_t(contacts.at[k].row);
    rows[r].bounds.lower = 0;
    restitution[r] = contacts.restitution[k];
  }
  for (torsor_friction& each : contacts.frictions) {
    each.normal += int(first_contact);
    each.first += int(first_contact);
  }
  if (Status status = motion_.factor_inertia(); !status) return status;
  delassus_.evaluate(motion_.inverse_inertia(), u.size(), rows);
  MultiplierSolver& solver = motion_.multiplier_solver();
  std::vector<double> before = u;
  const Eigen::MatrixXd G = delassus_.G;
  // Rates of contacts below this part of the largest one, or of bodies at rest, are rounding
  // errors.
  constexpr double relative_rounding = 1e-9, at_rest = 1e-12;
  double rounding = at_rest;
  for (const Row& row : contacts.rows)
    rounding = std::max(rounding, relative_rounding * terms_along(row, before.data()));
  for (bool again = true; again;) {
    again = false;
    solver.clear();
    for (size_t r = 0; r < rows.size(); ++r)
      solver.add(*rows[r].row, before.data(), *rows[r].rate, rows[r].bounds, 1 + restitution[r]);
    if (Status status = solver.solve(G, contacts.frictions); !status)
      return motion_.fail_multipliers(status);
    const std::vector<double> impulse(solver.lambda().begin(), solver.lambda().end());
    accelerate(motion_.inverse_inertia(), rows, impulse, u);
    for (size_t i = 0; i < u.size(); ++i) u[i] += before[i];
    ImpulseWork work;
    for (size_t r = first; r < rows.size() && !contacts.rows.empty(); ++r)
      work.add(impulse[r], along(*rows[r].row, before.data()), along(*rows[r].row, u.data()));
    const bool bounces = std::ranges::any_of(restitution, [](double e) { return e > 0; });
    if (bounces && work.adds_energy()) {
      for (double& e : restitution) e = e > 0.1 ? e / 2 : 0;
      again = true;
      continue;
    }
    for (size_t r = first; r < first_contact; ++r)
      if (restitution[r] == 0 && (impulse[r] > 0 || rows[r].bounds.lower < 0))
        u[size_t((*rows[r].row)[0].index)] = 0;
    set_velocities(at, u);
    driven_ = 0;
    for (size_t r = 0; r < first; ++r) driven_ += impulse[r] * *rows[r].rate;
    // After the impact, frictions slip in the direction of their rates.
    for (size_t i = 0; i < n_friction; ++i)
      if (const double speed = along(mechanism.frictions[i].row, u.data());
          mechanism.frictions[i].can_stick() && speed != 0)
        at.modes[i] = speed > 0 ? 1 : -1;
    reset_flight();
    set_contact_modes(at, contacts, u, rounding);
    Snapshot after = at;
    for (const int i : touched)
      after.modes[size_t(i)] = along(mechanism.guard_row(size_t(i)), u.data()) == 0;
    for (size_t r = first; r < rows.size(); ++r) {
      const double leaving = along(*rows[r].row, u.data());
      const bool is_contact = r >= first_contact;
      if (leaving <= (is_contact ? rounding : 0) || (is_contact && rows[r].bounds.lower != 0))
        continue;
      if (Status status = motion_.accelerate(after, time); !status) return status;
      double back = -along(*rows[r].row, motion_.acceleration().data());
      const size_t k = is_contact ? point_of_row(contacts, int(r - first_contact)) : 0;
      if (is_contact) back -= contacts.bias[k];
      if (!(2 * leaving < window * back)) {
        if (back > 0) flight_ = std::min(flight_, 2 * leaving / back);
        continue;
      }
      if (is_contact && restitution[r] == 0) {
        // Another impulse opens it for a moment that is too short to be resolved.
        contacts.is_kept[k] = 1;
        set_contact_modes(at, contacts, u, rounding);
        continue;
      }
      again = true;
      if (restitution[r] == 0) rows[r].bounds = {};
      restitution[r] = 0;
    }
  }
  return {};
}

Status Impact::stop_frictions(Snapshot& at, std::span<const int> stopping, std::vector<double>& u) {
  const auto active = motion_.constraints().rows();
  std::vector<ConstraintRow> rows(active.begin(), active.end());
  for (const int i : stopping) rows.push_back(motion_.mechanism().guard_constraint(size_t(i)));
  if (Status status = motion_.factor_inertia(); !status) return status;
  delassus_.evaluate(motion_.inverse_inertia(), u.size(), rows);
  MultiplierSolver& solver = motion_.multiplier_solver();
  solver.clear();
  for (const ConstraintRow& row : rows) solver.add(*row.row, u.data(), *row.rate, {});
  if (Status status = solver.solve(delassus_.G); !status) return motion_.fail_multipliers(status);
  std::vector<double> change(u.size());
  accelerate(motion_.inverse_inertia(), rows, solver.lambda(), change);
  for (size_t i = 0; i < u.size(); ++i) u[i] += change[i];
  motion_.constraints().reduce(rows).project(u.data());
  set_velocities(at, u);
  return {};
}

void Impact::set_velocities(Snapshot& at, std::span<const double> u) const {
  const size_t n_v = at.v.size();
  std::copy_n(u.begin(), n_v, at.v.begin());
  motion_.prescribed().write_rates(at.v.data());
  std::copy(u.begin() + std::ptrdiff_t(n_v), u.end(), at.motor_v.begin());
}

}  // namespace torsor
