#include "torsor/simulation/events/impact.hpp"

#include <algorithm>

namespace torsor {

bool Impact::is_over(const Row& row, double leaving, double window) const {
  return 2 * leaving < -window * along(row, motion_.acceleration().data());
}

Status Impact::apply(Snapshot& at, double time, std::span<const int> hit, double window,
                     std::vector<double>& u) {
  const Mechanism& mechanism = motion_.mechanism();
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
  if (Status status = motion_.factor_inertia(); !status) return status;
  delassus_.evaluate(motion_.inverse_inertia(), u.size(), rows);
  MultiplierSolver& solver = motion_.multiplier_solver();
  std::vector<double> before = u;
  const Eigen::MatrixXd G = delassus_.G;
  for (bool again = true; again;) {
    again = false;
    solver.clear();
    for (size_t r = 0; r < rows.size(); ++r)
      solver.add(*rows[r].row, before.data(), *rows[r].rate, rows[r].bounds, 1 + restitution[r]);
    if (Status status = solver.solve(G); !status) return motion_.fail_multipliers(status);
    const std::vector<double> impulse(solver.lambda().begin(), solver.lambda().end());
    accelerate(motion_.inverse_inertia(), rows, impulse, u);
    for (size_t i = 0; i < u.size(); ++i) u[i] += before[i];
    for (size_t r = first; r < rows.size(); ++r)
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
    Snapshot after = at;
    for (const int i : touched)
      after.modes[size_t(i)] = along(mechanism.guard_row(size_t(i)), u.data()) == 0;
    for (size_t r = first; r < rows.size(); ++r) {
      const double leaving = along(*rows[r].row, u.data());
      if (leaving <= 0) continue;
      if (Status status = motion_.accelerate(after, time); !status) return status;
      if (!is_over(*rows[r].row, leaving, window)) {
        const double back = -along(*rows[r].row, motion_.acceleration().data());
        if (back > 0) flight_ = std::min(flight_, 2 * leaving / back);
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
