#include "torsor/contact/contact_rows.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/spatial/screw.hpp"

namespace torsor {

namespace {

// Returns a unit vector across the unit vector n: along the axis of the world that is most nearly
// perpendicular to n.
Vec3<double> tangent(const Vec3<double>& n) {
  const double x = std::abs(n.x), y = std::abs(n.y), z = std::abs(n.z);
  const Vec3<double> axis = x <= y && x <= z ? Vec3<double>{1, 0, 0}
                            : y <= z         ? Vec3<double>{0, 1, 0}
                                             : Vec3<double>{0, 0, 1};
  const Vec3<double> t = axis - dot(axis, n) * n;
  return (1 / norm(t)) * t;
}

}  // namespace

ContactRows::ContactRows(std::shared_ptr<const Model> model)
    : model_(std::move(model)),
      dofs_(size_t(model_->n_body)),
      X_WB_(size_t(model_->n_body), Pose<double>::identity()),
      S_W_(size_t(model_->n_v)) {
  for (int i = 1; i < model_->n_body; ++i) {
    dofs_[size_t(i)] = dofs_[size_t(model_->parent[i])];
    for (int k = 0; k < model_->v_count[i]; ++k) dofs_[size_t(i)].push_back(model_->v_index[i] + k);
  }
  std::vector<char> is_moving(size_t(model_->n_body), 0);
  for (const Collider& collider : model_->colliders)
    for (int i = collider.body; i > 0; i = model_->parent[i]) is_moving[size_t(i)] = 1;
  for (int i = 1; i < model_->n_body; ++i)
    if (is_moving[size_t(i)]) moving_.push_back(i);
}

void ContactRows::evaluate_screws(const State& state) {
  for (const int i : moving_) {
    X_WB_[size_t(i)] = X_WB_[size_t(model_->parent[i])] * state.X_PB()[size_t(i)];
    for (int k = model_->v_index[i]; k < model_->v_index[i] + model_->v_count[i]; ++k)
      S_W_[size_t(k)] = transform(X_WB_[size_t(i)], model_->S_B[size_t(k)]);
  }
}

// Finds the dof that move one of the bodies, but not both.
void ContactRows::find_terms(int body_A, int body_B) {
  terms_.clear();
  const std::vector<int>&a = dofs_[size_t(body_A)], &b = dofs_[size_t(body_B)];
  const auto common =
      size_t(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  for (size_t k = common; k < a.size(); ++k) terms_.push_back({a[k], -1});
  for (size_t k = common; k < b.size(); ++k) terms_.push_back({b[k], 1});
}

Row& ContactRows::next_row() {
  if (size_ == rows_.size()) rows_.emplace_back();
  Row& row = rows_[size_++];
  row.clear();
  return row;
}

void ContactRows::append(const Row& row) {
  normals_.resize(size_ + 1);
  normals_.back() = int(size_);
  next_row() = row;
}

// Adds the row of the velocity along a direction: d . (v + w x p) for each screw (w, v).
void ContactRows::add_linear(const Vec3<double>& p_W, const Vec3<double>& direction) {
  Row& row = next_row();
  const Wrench<double> at_origin{cross(p_W, direction), direction};
  for (const auto& [dof, sign] : terms_)
    row.push_back({dof, sign * dot(S_W_[size_t(dof)], at_origin)});
}

void ContactRows::add_angular(const Vec3<double>& direction) {
  Row& row = next_row();
  for (const auto& [dof, sign] : terms_)
    row.push_back({dof, sign * dot(S_W_[size_t(dof)].w, direction)});
}

Vec3<double> ContactRows::force(const ContactRow& point, const double* lambda) const {
  Vec3<double> out = lambda[point.row] * point.n_W;
  if (const int t = point.sliding; t >= 0)
    out = out + lambda[t] * point.t_W + lambda[t + 1] * point.s_W;
  return out;
}
Vec3<double> ContactRows::moment(const ContactRow& point, const double* lambda) const {
  Vec3<double> out{0, 0, 0};
  if (const int n = point.torsional; n >= 0) out = lambda[n] * point.n_W;
  if (const int t = point.rolling; t >= 0)
    out = out + lambda[t] * point.t_W + lambda[t + 1] * point.s_W;
  return out;
}
void ContactRows::to_rows(const ContactRow& point, const Vec3<double>& force,
                          const Vec3<double>& moment, double* lambda) const {
  lambda[point.row] = dot(point.n_W, force);
  if (const int t = point.sliding; t >= 0)
    lambda[t] = dot(point.t_W, force), lambda[t + 1] = dot(point.s_W, force);
  if (const int n = point.torsional; n >= 0) lambda[n] = dot(point.n_W, moment);
  if (const int t = point.rolling; t >= 0)
    lambda[t] = dot(point.t_W, moment), lambda[t + 1] = dot(point.s_W, moment);
}

void ContactRows::evaluate(const State& state, std::span<const Contact> contacts) {
  evaluate_screws(state);
  size_ = 0;
  points_.clear();
  normals_.clear();
  frictions_.clear();
  for (size_t c = 0; c < contacts.size(); ++c) {
    const Contact& contact = contacts[c];
    const ContactMaterial material = contact_material(*model_, contact.a, contact.b);
    find_terms(model_->colliders[size_t(contact.a)].body,
               model_->colliders[size_t(contact.b)].body);
    for (int k = 0; k < contact.count; ++k) {
      const ContactPoint& at = contact.points[size_t(k)];
      const Vec3<double> n = at.n_W, t = tangent(n), s = cross(n, t);
      const int row = int(size_);
      ContactRow& point =
          points_.emplace_back(ContactRow{int(c), k, row, -1, -1, -1, n, t, s, material});
      add_linear(at.p_W, n);
      if (material.mu > 0) {
        point.sliding = int(size_);
        frictions_.push_back({row, int(size_), 2, material.mu});
        add_linear(at.p_W, t);
        add_linear(at.p_W, s);
      }
      if (material.torsional > 0) {
        point.torsional = int(size_);
        frictions_.push_back({row, int(size_), 1, material.torsional});
        add_angular(n);
      }
      if (material.rolling > 0) {
        point.rolling = int(size_);
        frictions_.push_back({row, int(size_), 2, material.rolling});
        add_angular(t);
        add_angular(s);
      }
      normals_.resize(size_, row);
    }
  }
}

}  // namespace torsor
