#include "torsor/simulation/contact_impulses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "torsor/mechanics/kinematics.hpp"

namespace torsor {

namespace {

// Overlaps up to this depth, m, are accepted: they are rounding errors of poses.
constexpr double acceptable_overlap = 1e-9;

}  // namespace

ContactImpulses::ContactImpulses(Motion& motion)
    : motion_(motion),
      detector_(motion.model_ptr()),
      rows_(motion.model_ptr()),
      scratch_(motion.model()),
      V_WB_B_(size_t(motion.model().n_body)),
      u_(size_t(motion.mechanism().n_u)),
      free_(u_),
      force_(u_) {}

void ContactImpulses::clear() {
  motion_.set_contact_force({});
}

// Sets contacts_ and rows_ to the contacts of a state with gaps below the margin.
void ContactImpulses::find_contacts(const State& state, double margin) {
  const std::span<const Contact> found = detector_.detect(state, margin);
  contacts_.assign(found.begin(), found.end());
  rows_.evaluate(state, contacts_);
}

// Sets c_ = w_f + s with the sizes of its terms, and w at the start.
void ContactImpulses::require_rates(const Snapshot& at, double h) {
  const size_t n = rows_.size();
  c_.resize(n), c_terms_.resize(n), before_.resize(n);
  std::ranges::copy(at.v, u_.begin());
  std::ranges::copy(at.motor_v, u_.begin() + std::ptrdiff_t(at.v.size()));
  for (size_t r = 0; r < n; ++r) {
    const Row& row = rows_.rows()[r];
    before_[r] = along(row, u_.data());
    c_[r] = along(row, free_.data());
    c_terms_[r] = terms_along(row, free_.data()) + terms_along(row, u_.data());
  }
  for (const ContactRow& point : rows_.points()) {
    const size_t r = size_t(point.row);
    const double gap = contacts_[size_t(point.contact)].points[size_t(point.point)].gap;
    const double w = before_[r], pull = (w - c_[r]) / h, e = point.material.restitution;
    double s = std::max(gap, 0.0) / h;
    if (w < 0 && gap + h * c_[r] < 0 && !(2 * e * -w < 2 * h * pull)) s = e > 0 ? e * w : s;
    c_[r] += s;
    c_terms_[r] += std::abs(s);
  }
}

// Computes lambda_ for the rows with c_.
Status ContactImpulses::solve(std::span<const Row> rows, std::span<const int> blocks,
                              std::span<const torsor_friction> frictions) {
  lambda_.assign(rows.size(), 0.0);
  if (rows.empty()) return {};
  delassus_.evaluate(motion_.inverse_inertia(), u_.size(), rows, blocks,
                     motion_.constraints().selected_rows());
  lower_.assign(rows.size(), 0.0);
  upper_.assign(rows.size(), std::numeric_limits<double>::infinity());
  const Status status = motion_.multiplier_solver().solve(
      {.G = nullptr,
       .c = c_,
       .c_terms = c_terms_,
       .lower = lower_,
       .upper = upper_,
       .frictions = frictions,
       .sparse = {delassus_.row_start, delassus_.column, delassus_.value}},
      lambda_);
  return status ? status : motion_.fail_multipliers(status);
}

// Returns a bound of the speed of all points of bounded colliders at rates u, m/s.
double ContactImpulses::fastest(const State& state, std::span<const double> u) {
  const Model& model = state.model();
  double out = 0;
  V_WB_B_[0] = {};
  for (int i = 1; i < model.n_body; ++i) {
    Twist<double>& V = V_WB_B_[size_t(i)];
    V = inverse_transform(state.X_PB()[size_t(i)], V_WB_B_[size_t(model.parent[i])]);
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k)
      V = V + u[size_t(k)] * model.S_B[size_t(k)];
  }
  for (size_t k = 0; k < model.colliders.size(); ++k) {
    const Collider& collider = model.colliders[k];
    const double radius = detector_.radius(int(k));
    if (std::isinf(radius)) continue;
    const Twist<double>& V = V_WB_B_[size_t(collider.body)];
    out = std::max(out, norm(V.v + cross(V.w, collider.X_BC.p)) + norm(V.w) * radius);
  }
  return out;
}

Status ContactImpulses::begin(const Snapshot& at, double time, double h) {
  clear();
  motion_.set_state(at, time);
  z_.resize(size_t(motion_.layout().size()));
  zdot_.resize(z_.size());
  motion_.pack(at, z_);
  const double ahead = motion_.damped();
  if (!motion_.rate(time, z_.data(), ahead, zdot_.data())) return motion_.failure();
  if (Status status = motion_.factor_inertia(ahead); !status) return status;
  const size_t first = size_t(motion_.layout().first_velocity());
  for (size_t i = 0; i < free_.size(); ++i) free_[i] = z_[first + i] + h * zdot_[first + i];
  find_contacts(motion_.state(), 2 * h * fastest(motion_.state(), free_));
  require_rates(at, h);
  if (Status status = solve(rows_.rows(), rows_.normals(), rows_.frictions()); !status)
    return status;
  if (rows_.size() == 0) return {};
  std::ranges::fill(force_, 0.0);
  for (size_t r = 0; r < rows_.size(); ++r) push(rows_.rows()[r], lambda_[r] / h, force_.data());
  motion_.set_contact_force(force_);
  return {};
}

// The impulses change the kinetic energy by lambda (w + w+) / 2.
Status ContactImpulses::end(Snapshot& at) {
  std::ranges::copy(at.v, u_.begin());
  std::ranges::copy(at.motor_v, u_.begin() + std::ptrdiff_t(at.v.size()));
  for (size_t r = 0; r < rows_.size(); ++r)
    at[Work::contact] += lambda_[r] * (before_[r] + along(rows_.rows()[r], u_.data())) / 2;
  clear();
  return separate(at);
}

Status ContactImpulses::separate(Snapshot& at) {
  constexpr int most_iterations = 8;
  std::optional<double> before;
  for (int k = 0; k < most_iterations; ++k) {
    motion_.set_bodies(at);
    double least = 0;
    for (const Contact& contact : detector_.detect(motion_.state()))
      least = std::min(least, contact.points[0].gap);
    if (least >= -acceptable_overlap) break;
    if (!before) before = energy(motion_.state(), motion_.mechanism(), at, scratch_).sum();
    // Points that the displacement may bring into contact are rows, too.
    find_contacts(motion_.state(), -2 * least);
    normals_.clear();
    c_.clear();
    for (const ContactRow& point : rows_.points()) {
      normals_.push_back(rows_.rows()[size_t(point.row)]);
      c_.push_back(contacts_[size_t(point.contact)].points[size_t(point.point)].gap);
    }
    alone_.resize(normals_.size());
    std::iota(alone_.begin(), alone_.end(), 0);
    c_terms_.assign(c_.begin(), c_.end());
    for (double& each : c_terms_) each = std::abs(each);
    if (Status status = motion_.factor_inertia(); !status) return status;
    if (Status status = solve(normals_, alone_, {}); !status) return status;
    std::ranges::fill(force_, 0.0);
    for (size_t r = 0; r < normals_.size(); ++r) push(normals_[r], lambda_[r], force_.data());
    std::ranges::fill(u_, 0.0);
    delassus_.respond(motion_.inverse_inertia(), force_, u_);
    integrate(motion_.model(), at.q.data(), u_.data(), 1, at.q.data());
    for (size_t m = 0; m < at.motor_q.size(); ++m) at.motor_q[m] += u_[at.v.size() + m];
    follow_mimics(motion_.model(), at.q, at.v);
    if (k == most_iterations - 1) motion_.set_bodies(at);
  }
  if (before)
    at[Work::projection] +=
        energy(motion_.state(), motion_.mechanism(), at, scratch_).sum() - *before;
  return {};
}

}  // namespace torsor
