// Tests of the detector: pairs, order, distances, repetition, memory.

#include "torsor/contact/contact_detector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "contact/shapes.hpp"
#include "support/allocation_counter.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/model/random_robot.hpp"

namespace torsor::test {
namespace {

using V3 = Vec3<double>;

// Returns a world of floating bodies of every kind, a ground and a height field.
std::shared_ptr<const Model> crowd(int n, uint64_t seed) {
  Random random(seed);
  RobotDescription robot;
  robot.name = "crowd";
  for (int k = 0; k < n; ++k) {
    LinkDescription link;
    link.name = "body" + std::to_string(k);
    link.joint.kind = JointKind::floating;
    link.joint.name = link.name + "_joint";
    link.inertia = random_inertia(random, 0.3, 1);
    link.collisions = {
        {.X_LC = random.pose(0.1), .shape = random_shape(random, bounded_kinds[size_t(k) % 7])}};
    robot.links.push_back(link);
  }
  ModelBuilder builder;
  builder.add(robot);
  builder.add(CollisionDescription{.X_LC = translation<double>({0, 0, -1}),
                                   .shape = {ShapeKind::half_space}});
  builder.add(CollisionDescription{.X_LC = translation<double>({0, 0, -0.8}),
                                   .shape = random_shape(random, ShapeKind::height_field)});
  builder.add(CollisionDescription{.shape = random_shape(random, ShapeKind::box)});
  return builder.build();
}

void set_random(Random& random, State& state, double size) {
  std::vector<double> q = random_position(random, state.model(), 1);
  for (const Joint& joint : state.model().joints) {
    const V3 p = random.vector(size);
    q[size_t(joint.q_index)] = p.x;
    q[size_t(joint.q_index) + 1] = p.y;
    q[size_t(joint.q_index) + 2] = p.z;
  }
  state.set_q(q);
}

bool same(std::span<const Contact> a, const std::vector<Contact>& b) {
  if (a.size() != b.size()) return false;
  for (size_t k = 0; k < a.size(); ++k) {
    if (a[k].a != b[k].a || a[k].b != b[k].b || a[k].count != b[k].count) return false;
    for (size_t i = 0; i < size_t(a[k].count); ++i) {
      const ContactPoint &p = a[k].points[i], &r = b[k].points[i];
      if (p.gap != r.gap || p.id != r.id || p.p_W.x != r.p_W.x || p.n_W.z != r.n_W.z) return false;
    }
  }
  return true;
}

// The contacts are those of all pairs, in ascending order.
TEST(Detector, FindsAllPairs) {
  const auto model = crowd(24, 1);
  ContactDetector detector(model);
  State state(model);
  Random random(2);
  PairMemory memory;
  size_t found = 0;
  for (int k = 0; k < 30; ++k) {
    set_random(random, state, 1.2);
    const auto X_WB = world_poses(state);
    const double margin = k % 2 ? 0 : 0.05;
    std::vector<Contact> expected;
    const int n = int(model->colliders.size());
    for (int a = 0; a < n; ++a)
      for (int b = a + 1; b < n; ++b) {
        const Collider &A = model->colliders[size_t(a)], &B = model->colliders[size_t(b)];
        if (!may_collide(*model, a, b) || !has_separation(A.shape, B.shape)) continue;
        Contact contact{.a = a, .b = b};
        find_contact(memory, placed(A.shape, X_WB[size_t(A.body)] * A.X_BC),
                     placed(B.shape, X_WB[size_t(B.body)] * B.X_BC), margin, contact);
        if (contact.count > 0) expected.push_back(contact);
      }
    const auto contacts = detector.detect(state, margin);
    EXPECT_TRUE(same(contacts, expected)) << contacts.size() << " " << expected.size();
    found += contacts.size();
  }
  EXPECT_GT(found, 100u);
}

// A detector with a history finds the same as a new one.
TEST(Detector, ForgetsEarlierStates) {
  const auto model = crowd(30, 3);
  ContactDetector used(model);
  State state(model);
  Random random(4);
  for (int k = 0; k < 10; ++k) {
    set_random(random, state, 1.5);
    (void)used.least_distance(state);
    ContactDetector fresh(model);
    const auto expected = fresh.detect(state, 0.01);
    EXPECT_TRUE(same(used.detect(state, 0.01), {expected.begin(), expected.end()}));
  }
}

TEST(Detector, DoesNotAllocateAfterTheFirstCalls) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
  const auto model = crowd(24, 5);
  ContactDetector detector(model);
  State state(model);
  for (const bool counted : {false, true}) {
    Random random(6);
    for (int k = 0; k < 20; ++k) {
      set_random(random, state, 1);
      const long before = allocations();
      (void)detector.detect(state, 0.01);
      if (counted) {
        EXPECT_EQ(allocations(), before);
      }
    }
  }
}

// The least distance is that of all pairs, near and far.
TEST(Detector, FindsTheLeastDistance) {
  const auto model = crowd(8, 7);
  ContactDetector detector(model);
  State state(model);
  Random random(8);
  for (int k = 0; k < 30; ++k) {
    set_random(random, state, k % 3 == 0 ? 20 : 2);
    double least = HUGE_VAL;
    const int n = int(model->colliders.size());
    for (int a = 0; a < n; ++a)
      for (int b = a + 1; b < n; ++b)
        if (may_collide(*model, a, b))
          if (const double d = detector.distance(state, a, b).distance; std::isfinite(d))
            least = std::min(least, d);
    const auto found = detector.least_distance(state);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->distance, least);
    EXPECT_NEAR(norm(found->p_B - found->p_A - found->distance * found->n_W), 0, 1e-12);
  }
}

TEST(Detector, OfAModelWithoutCollidersFindsNothing) {
  const auto model = build(random_robot(4, TreeShape::chain, 1));
  ContactDetector detector(model);
  State state(model);
  EXPECT_TRUE(detector.detect(state, 1).empty());
  EXPECT_FALSE(detector.least_distance(state));
}

}  // namespace
}  // namespace torsor::test
