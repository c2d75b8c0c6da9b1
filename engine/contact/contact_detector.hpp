#pragma once
// ContactDetector: the contacts and distances of a model's colliders.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "torsor/contact/broad_phase.hpp"
#include "torsor/contact/pair.hpp"
#include "torsor/mechanics/state.hpp"

namespace torsor {

// Detects contacts. Results depend only on the state, not on earlier calls. After the first calls,
// no function allocates memory, except where the number of contacts grows. One thread uses a
// detector at a time.
//
// Limits: shapes that overlap deeper than about their size have contacts in some direction of least
// separation, which may change from step to step. A height field has a surface, and no side walls.
class ContactDetector {
 public:
  explicit ContactDetector(std::shared_ptr<const Model> model);

  const Model& model() const { return *model_; }

  // Returns the largest distance of a point of the shape from the origin of its frame C, m;
  // infinity if the shape is unbounded.
  double radius(int collider) const;
  // Returns half of the least extent of the shape along the axes of C, m; infinity if it is
  // unbounded.
  double half_thickness(int collider) const;

  // Returns the contacts of all pairs of may_collide() with points whose gap is below the margin,
  // m. Ascending in (a, b). Valid until the next call. Two unbounded colliders have no contact.
  std::span<const Contact> detect(const State& state, double margin = 0);
  // The same at the poses X_WB [n_body] of the bodies.
  std::span<const Contact> detect(std::span<const Pose<double>> X_WB, double margin = 0);

  // Returns the signed distance of two colliders, whether they may collide or not. The distance of
  // two unbounded colliders (half spaces, height fields) is -infinity.
  ColliderDistance distance(const State& state, int a, int b);

  // Returns the least signed distance of all pairs of may_collide(), or nullopt if there are none.
  std::optional<ColliderDistance> least_distance(const State& state);

 private:
  void place(std::span<const Pose<double>> X_WB);
  void find_pairs(double margin);
  ColliderDistance distance_of(int a, int b);

  std::shared_ptr<const Model> model_;
  std::vector<PlacedShape> shapes_;  // [colliders]
  std::vector<AxisBox> local_;       // [colliders] in the frame C
  std::vector<int> bounded_, unbounded_;
  std::vector<AxisBox> boxes_;  // [bounded]
  std::vector<Pose<double>> X_WB_;
  BroadPhase broad_phase_;
  PairMemory memory_;
  std::vector<ColliderPair> pairs_;
  std::vector<Contact> contacts_;
};

}  // namespace torsor
