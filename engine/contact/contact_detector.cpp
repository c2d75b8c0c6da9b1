#include "torsor/contact/contact_detector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "torsor/mechanics/kinematics.hpp"

namespace torsor {

namespace {

using V3 = Vec3<double>;

std::vector<int> colliders_where(const Model& model, bool bounded) {
  std::vector<int> out;
  for (int k = 0; k < int(model.colliders.size()); ++k)
    if ((convex_traits(model.colliders[size_t(k)].shape.kind) != nullptr) == bounded)
      out.push_back(k);
  return out;
}

std::vector<bool> fixed_in_world(const Model& model, const std::vector<int>& colliders) {
  std::vector<bool> out;
  for (const int k : colliders) out.push_back(model.colliders[size_t(k)].body == 0);
  return out;
}

// Returns the box around a shape in its frame. Half spaces and height fields have no lower side.
AxisBox box_of(const PlacedShape& shape) {
  constexpr double all = std::numeric_limits<double>::infinity();
  if (const HeightField* field = shape.shape->field.get()) {
    const double x = 0.5 * (field->n_x - 1) * field->spacing_x,
                 y = 0.5 * (field->n_y - 1) * field->spacing_y;
    return {{-x, -y, -all}, {x, y, *std::ranges::max_element(field->heights)}};
  }
  if (!shape.kind) return {{-all, -all, -all}, {all, all, 0}};
  const auto farthest = [&](const V3& axis) {
    return dot(axis, shape.kind->support(*shape.shape, axis)) + shape.radius();
  };
  return {{-farthest({-1, 0, 0}), -farthest({0, -1, 0}), -farthest({0, 0, -1})},
          {farthest({1, 0, 0}), farthest({0, 1, 0}), farthest({0, 0, 1})}};
}

// Returns a box around a box of another frame, larger by `more` on each side.
AxisBox moved(const AxisBox& box, const Pose<double>& X, double more) {
  const V3 center = X * (0.5 * (box.low + box.high)), h = 0.5 * (box.high - box.low);
  const double* r = X.R.m;
  const auto extent = [&](size_t row) {
    return std::abs(r[3 * row]) * h.x + std::abs(r[3 * row + 1]) * h.y +
           std::abs(r[3 * row + 2]) * h.z + more;
  };
  const V3 half{extent(0), extent(1), extent(2)};
  return {center - half, center + half};
}

}  // namespace

ContactDetector::ContactDetector(std::shared_ptr<const Model> model)
    : model_(std::move(model)),
      bounded_(colliders_where(*model_, true)),
      unbounded_(colliders_where(*model_, false)),
      boxes_(bounded_.size()),
      X_WB_(size_t(model_->n_body)),
      broad_phase_(fixed_in_world(*model_, bounded_)) {
  for (const Collider& collider : model_->colliders) {
    shapes_.push_back(placed(collider.shape, Pose<double>::identity()));
    local_.push_back(box_of(shapes_.back()));
  }
}

double ContactDetector::radius(int collider) const {
  if (!shapes_[size_t(collider)].kind) return std::numeric_limits<double>::infinity();
  const auto& [low, high] = local_[size_t(collider)];
  return norm(V3{std::max(-low.x, high.x), std::max(-low.y, high.y), std::max(-low.z, high.z)});
}

double ContactDetector::half_thickness(int collider) const {
  if (!shapes_[size_t(collider)].kind) return std::numeric_limits<double>::infinity();
  const auto& [low, high] = local_[size_t(collider)];
  return std::min({high.x - low.x, high.y - low.y, high.z - low.z}) / 2;
}

void ContactDetector::place(std::span<const Pose<double>> X_WB) {
  for (size_t k = 0; k < shapes_.size(); ++k) {
    const Collider& collider = model_->colliders[k];
    shapes_[k].X_WC = X_WB[size_t(collider.body)] * collider.X_BC;
  }
}

// Collects the pairs of may_collide() that may be nearer than the margin, in ascending order.
void ContactDetector::find_pairs(double margin) {
  for (size_t k = 0; k < bounded_.size(); ++k) {
    const size_t collider = size_t(bounded_[k]);
    boxes_[k] = moved(local_[collider], shapes_[collider].X_WC, 0.5 * margin);
  }
  pairs_.clear();
  const auto add = [&](int a, int b) {
    if (may_collide(*model_, a, b)) pairs_.push_back(std::minmax(a, b));
  };
  for (const auto& [i, j] : broad_phase_.overlaps(boxes_))
    add(bounded_[size_t(i)], bounded_[size_t(j)]);
  for (const int u : unbounded_) {
    const Pose<double> X_UW = inverse(shapes_[size_t(u)].X_WC);
    for (const int k : bounded_)
      if (moved(local_[size_t(k)], X_UW * shapes_[size_t(k)].X_WC, margin)
              .overlaps(local_[size_t(u)]))
        add(u, k);
  }
  std::ranges::sort(pairs_);
}

std::span<const Contact> ContactDetector::detect(const State& state, double margin) {
  world_poses(state, X_WB_);
  return detect(X_WB_, margin);
}

std::span<const Contact> ContactDetector::detect(std::span<const Pose<double>> X_WB,
                                                 double margin) {
  place(X_WB);
  find_pairs(margin);
  contacts_.clear();
  for (const auto& [a, b] : pairs_) {
    Contact contact{.a = a, .b = b};
    find_contact(memory_, shapes_[size_t(a)], shapes_[size_t(b)], margin, contact);
    if (contact.count > 0) contacts_.push_back(contact);
  }
  return contacts_;
}

ColliderDistance ContactDetector::distance_of(int a, int b) {
  const PlacedShape &A = shapes_[size_t(a)], &B = shapes_[size_t(b)];
  if (!has_separation(*A.shape, *B.shape))
    return {a, b, -std::numeric_limits<double>::infinity(), A.X_WC.p, B.X_WC.p, {0, 0, 1}};
  const Separation s = separate(memory_, A, B);
  return {a, b, s.gap, s.p_W - (0.5 * s.gap) * s.n_W, s.p_W + (0.5 * s.gap) * s.n_W, s.n_W};
}

ColliderDistance ContactDetector::distance(const State& state, int a, int b) {
  world_poses(state, X_WB_);
  place(X_WB_);
  return distance_of(a, b);
}

// The pairs nearer than a margin include the nearest pair if its distance is below the margin. The
// margin grows until it is, or until all pairs that may collide are included.
std::optional<ColliderDistance> ContactDetector::least_distance(const State& state) {
  world_poses(state, X_WB_);
  place(X_WB_);
  double margin = 0.01, most = 0;
  for (const int k : bounded_)
    most = std::max(most, norm(shapes_[size_t(k)].X_WC.p - shapes_[size_t(bounded_[0])].X_WC.p) +
                              norm(local_[size_t(k)].low) + norm(local_[size_t(k)].high));
  for (const int u : unbounded_)
    for (const int k : bounded_)
      most = std::max(most, norm(shapes_[size_t(k)].X_WC.p - shapes_[size_t(u)].X_WC.p) +
                                norm(local_[size_t(k)].low) + norm(local_[size_t(k)].high));
  for (;; margin *= 4) {
    find_pairs(margin);
    std::optional<ColliderDistance> best;
    for (const auto& [a, b] : pairs_)
      if (const ColliderDistance d = distance_of(a, b); !best || d.distance < best->distance)
        best = d;
    if ((best && best->distance <= margin) || margin > 2 * most) return best;
  }
}

}  // namespace torsor
