// Active constraint rows of a motion, and the forces along them.

#include <algorithm>
#include <numeric>

#include "torsor/simulation/motion.hpp"

namespace torsor {

void Motion::assemble_permanent_rows() {
  always_.clear();
  given_.assign(size_t(mechanism_.n_u), 0);
  for (const MimicElement& mimic : mechanism_.mimics) always_.push_back(&mimic.row);
  for (const Row& row : prescribed_.rows()) {
    always_.push_back(&row);
    given_[size_t(row[0].index)] = 1;
  }
  for (const Row& row : closures_.rows()) always_.push_back(&row);
}

const Row& Motion::row_of(int guard) const {
  const int n = int(mechanism_.frictions.size());
  return guard < n ? mechanism_.frictions[size_t(guard)].row : stop_rows_[size_t(guard - n)];
}

// Collects the active rows. Rows of mimic joints, prescribed motion and closures are always active.
// The modes select the rows of frictions and stops.
void Motion::assemble_rows(const double* modes) {
  std::copy_n(modes, modes_.size(), modes_.data());
  held_ = always_;
  held_guards_.clear();
  const int n = int(mechanism_.frictions.size());
  for (int i = 0; i < guards(); ++i) {
    const bool holds =
        i < n ? mechanism_.frictions[size_t(i)].can_stick() && modes[i] == 0 : modes[i] != 0;
    if (!holds) continue;
    held_.push_back(&row_of(i));
    held_guards_.push_back(i);
  }
  active_rows_.set(without_closures(held_), given_);
  select_rows();
}

// Selects independent rows. Without closures, all rows are solved, and solve_constraints() bears
// redundant ones. Rows of closures depend on the state: the selection is that of the last state at
// which the loops are closed. Near it, rows that are redundant there are nearly so, and the forces
// along them would be arbitrary.
void Motion::select_rows() {
  redundant_ = active_rows_.redundant();
  solved_.resize(held_.size());
  std::iota(solved_.begin(), solved_.end(), 0);
  if (closures_.size() > 0 && assemble_delassus(held_)) {
    independent_rows_.select(G_, always_.size());
    solved_.assign(independent_rows_.rows().begin(), independent_rows_.rows().end());
    const auto of_guards =
        std::ranges::count_if(solved_, [&](int row) { return size_t(row) >= always_.size(); });
    redundant_ |= size_t(of_guards) < held_guards_.size();
  }
  solved_rows_.clear();
  for (const int row : solved_) solved_rows_.push_back(held_[size_t(row)]);
}

// Returns the rows that are not rows of closures. `rows` begins with always_. The result is valid
// until the next call.
std::span<const Row* const> Motion::without_closures(std::span<const Row* const> rows) {
  if (closures_.size() == 0) return rows;
  linear_rows_.clear();
  for (size_t r = 0; r < rows.size(); ++r)
    if (r < first_closure() || r >= always_.size()) linear_rows_.push_back(rows[r]);
  return linear_rows_;
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

// Writes M^-1 with the full armature to M_inverse_. If vdot is not null, replaces the solver's vdot
// by the vdot of the full armature.
Status Motion::invert_mass_matrix(Solver& solver, double* vdot) {
  const Status status = solver.inverse_mass_matrix(state(), M_inverse_.data());
  if (status && !coupled_.empty()) coupled_.add(M_inverse_.data(), vdot);
  return status;
}

// Writes diag(M, I_a)^-1 row^T to a column of Y_.
void Motion::solve_for_row(const Row& row, int column) {
  const int n = mechanism_.n_v;
  Y_.col(column).setZero();
  for (const auto& [index, factor] : row) {
    if (index < n)
      for (int i = 0; i < n; ++i)
        Y_(i, column) += factor * M_inverse_[size_t(i) * size_t(n) + size_t(index)];
    else
      Y_(index, column) += factor / mechanism_.motor_inertia[size_t(index - n)];
  }
}

// Computes Y_ = M^-1 J^T and G_ = J M^-1 J^T of the given rows at the present configuration. If
// ahead > 0, M is the damped mass matrix M + dt D.
Status Motion::assemble_delassus(std::span<const Row* const> rows, double ahead) {
  if (fails(invert_mass_matrix(solver_for(ahead)), ahead > 0 && plant().damped_solver))
    return failure_;
  multiply_rows(rows);
  return {};
}

// Computes Y_ and G_ of the given rows with M_inverse_.
void Motion::multiply_rows(std::span<const Row* const> rows) {
  const auto n = Eigen::Index(rows.size());
  Y_.resize(mechanism_.n_u, n);
  G_.resize(n, n);
  for (int r = 0; r < n; ++r) solve_for_row(*rows[size_t(r)], r);
  for (int r = 0; r < n; ++r)
    for (int s = 0; s < n; ++s) G_(r, s) = along(*rows[size_t(r)], Y_.col(s).data());
}

// Applies the constraint forces: udot += M^-1 J^T lambda such that J udot = a.
//   (J M^-1 J^T) lambda = a - J udot
// The required acceleration a is zero except for prescribed motion. The acceleration of a sticking
// coordinate is then exactly zero. The acceleration of a sticking motor that moves several joints
// is zero up to rounding.
bool Motion::solve_constraints(double ahead) {
  std::fill(constraint_.begin(), constraint_.end(), 0.0);
  const int n = int(solved_.size());
  prescribed_power_ = 0;
  if (n == 0) return true;
  if (!assemble_delassus(solved_rows_, ahead)) return false;
  free_.resize(n);
  for (int r = 0; r < n; ++r)
    free_[r] = along(*solved_rows_[size_t(r)], udot_.data()) -
               held_acceleration(size_t(solved_[size_t(r)]));
  lambda_ = -free_;
  factor(G_, factor_);
  factor_.solveInPlace(lambda_);
  for (const int guard : held_guards_) guard_lambda_[size_t(guard)] = 0;
  for (int r = 0; r < n; ++r) {
    const size_t row = size_t(solved_[size_t(r)]);
    push(*solved_rows_[size_t(r)], lambda_[r], constraint_.data());
    if (row >= always_.size())
      guard_lambda_[size_t(held_guards_[row - always_.size()])] = lambda_[r];
    prescribed_power_ += lambda_[r] * held_rate(row);
    for (int i = 0; i < mechanism_.n_u; ++i) udot_[size_t(i)] += lambda_[r] * Y_(i, r);
  }
  prescribed_.write_accelerations(udot_.data());
  active_rows_.project(udot_.data());
  return true;
}

}  // namespace torsor
