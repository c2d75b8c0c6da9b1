// Tests of pairs of features against differences and against the contact detector.

#include "torsor/contact/feature_pairs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "torsor/base/error.hpp"
#include "torsor/contact/contact_detector.hpp"
#include "torsor/model/builder.hpp"

namespace torsor::test {
namespace {

// A floating body with a shape, next to a fixed or floating one with another shape.
std::shared_ptr<const Model> pair_of(const CollisionShape& a, const CollisionShape& b) {
  RobotDescription robot;
  robot.name = "pair";
  for (const CollisionShape* shape : {&a, &b}) {
    LinkDescription link;
    link.name = shape == &a ? "a" : "b";
    link.joint.name = link.name + "_free";
    link.joint.kind = JointKind::floating;
    link.inertia = inertia_about_com(1, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
    link.collisions = {{.shape = *shape}};
    robot.links.push_back(link);
  }
  ModelBuilder builder;
  builder.add(robot);
  return builder.build();
}

const CollisionShape plane{ShapeKind::half_space}, ball{ShapeKind::sphere, {0.1, 0, 0}},
    small_ball{ShapeKind::sphere, {0.07, 0, 0}}, pill{ShapeKind::capsule, {0.05, 0, 0.1}},
    box{ShapeKind::box, {0.1, 0.15, 0.2}}, other_box{ShapeKind::box, {0.12, 0.08, 0.1}};

const std::pair<CollisionShape, CollisionShape> tested_shapes[] = {
    {plane, ball}, {box, plane}, {pill, plane}, {ball, small_ball}, {box, other_box}};

struct Sample {
  std::vector<double> q, v;
};
Sample random_sample(std::mt19937_64& random, double distance) {
  std::normal_distribution<double> normal;
  Sample out;
  for (int body = 0; body < 2; ++body) {
    for (int k = 0; k < 3; ++k) out.q.push_back(body * distance * normal(random));
    double norm = 0, quaternion[4];
    for (double& each : quaternion) each = normal(random), norm += each * each;
    for (const double each : quaternion) out.q.push_back(each / std::sqrt(norm));
  }
  for (int k = 0; k < 12; ++k) out.v.push_back(normal(random));
  return out;
}

// The rate of the gap and its derivative at vdot = 0 are those of differences along v.
TEST(FeaturePairs, RatesAreThoseOfDifferences) {
  std::mt19937_64 random(1);
  for (const auto& [a, b] : tested_shapes) {
    const auto model = pair_of(a, b);
    FeaturePairs pairs(model), ahead(model), behind(model);
    State state(model);
    int tested = 0;
    for (int sample = 0; sample < 200; ++sample) {
      const Sample at = random_sample(random, 0.2);
      constexpr double h = 1e-5;
      std::vector<double> q(at.q.size());
      state.v = at.v;
      for (const auto& [s, out] :
           {std::pair{h, &ahead}, std::pair{-h, &behind}, std::pair{0.0, &pairs}}) {
        integrate(*model, at.q.data(), at.v.data(), s, q.data());
        state.set_q(q);
        out->evaluate(state);
      }
      for (size_t k = 0; k < pairs.size(); ++k) {
        const FeatureContact &now = pairs[k], &next = ahead[k], &last = behind[k];
        // Another plane of a polyhedron has another normal.
        constexpr double shallow = -0.05;  // m; deeper spheres have nearly the same centre
        if (!now.is_in_range || now.at.gap < shallow || !next.is_in_range || !last.is_in_range ||
            norm(next.at.n_W - last.at.n_W) > 1e-3)
          continue;
        ++tested;
        EXPECT_NEAR(now.normal_rate(), (next.at.gap - last.at.gap) / (2 * h), 1e-7);
        EXPECT_NEAR(now.normal_bias(), (next.normal_rate() - last.normal_rate()) / (2 * h), 1e-5);
        EXPECT_NEAR(dot(now.slip(), now.at.n_W), 0, 1e-13);
        // A point that moves over the surfaces: u(p) changes by a.
        EXPECT_NEAR(norm(now.a - (1 / (2 * h)) * (next.u - last.u)), 0, 1e-5);
      }
    }
    EXPECT_GT(tested, 50);
  }
}

// The least gap in range is the signed distance of shapes that are apart, if a corner touches a
// plane or edges cross; otherwise, no pair of polyhedra is nearer.
TEST(FeaturePairs, LeastGapIsTheDistance) {
  std::mt19937_64 random(2);
  for (const auto& [a, b] : tested_shapes) {
    const auto model = pair_of(a, b);
    FeaturePairs pairs(model);
    ContactDetector detector(model);
    State state(model);
    int equal = 0;
    for (int sample = 0; sample < 300; ++sample) {
      const Sample at = random_sample(random, 0.4);
      state.set_q(at.q);
      state.v = at.v;
      pairs.evaluate(state);
      const ColliderDistance distance = detector.distance(state, 0, 1);
      if (distance.distance < 0) continue;
      double least = HUGE_VAL;
      for (size_t k = 0; k < pairs.size(); ++k)
        if (pairs[k].is_in_range) least = std::min(least, pairs[k].at.gap);
      EXPECT_GT(least, distance.distance - 1e-9);
      if (std::abs(least - distance.distance) > 1e-9) continue;
      ++equal;
      for (size_t k = 0; k < pairs.size(); ++k)
        if (pairs[k].is_in_range && pairs[k].at.gap == least) {
          EXPECT_NEAR(norm(pairs[k].at.n_W - distance.n_W), 0, 1e-6);
        }
    }
    EXPECT_GT(equal, 50);
  }
}

TEST(FeaturePairs, OtherShapesAreErrors) {
  const CollisionShape cylinder{ShapeKind::cylinder, {0.1, 0, 0.1}};
  EXPECT_THROW(FeaturePairs{pair_of(cylinder, plane)}, Error);
  EXPECT_THROW(FeaturePairs{pair_of(ball, box)}, Error);
}

}  // namespace
}  // namespace torsor::test
