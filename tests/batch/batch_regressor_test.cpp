// Tests of the regressors of many states: lanes against the kernel for one state, and independence
// of a state from its neighbours.

#include "torsor/batch/batch_regressor.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "support/agreement.hpp"
#include "support/allocation_counter.hpp"
#include "support/random_state.hpp"
#include "torsor/mechanics/regressor.hpp"

namespace torsor::test {
namespace {

constexpr size_t n_states = 21;  // not a multiple of any number of lanes

// States of a robot on a moving base, and their accelerations.
struct Samples {
  std::shared_ptr<const Model> model;
  std::vector<State> states;
  std::vector<std::vector<double>> vdot;

  Samples(const RobotDescription& robot, uint64_t seed) : model(build(robot)) {
    Random random(seed);
    State world(model);
    world.set_gravity(random.vector(10));
    world.set_world_motion({random.vector(1), random.vector(1)},
                           {random.vector(1), random.vector(1)});
    for (size_t k = 0; k < n_states; ++k) {
      states.push_back(world);
      states[k].set_q(random_position(random, *model, 3));
      states[k].v = random_values(random, model->n_v, 2);
      vdot.push_back(random_values(random, model->n_v, 5));
    }
  }
  // Returns Y [n_v x columns] of the states with these indices.
  std::vector<Matrix> evaluate(BatchRegressor& regressor, size_t columns,
                               const std::vector<size_t>& which) const {
    StateBatch batch(model, which.size());
    batch.set_world(states[0]);
    const size_t n_v = size_t(model->n_v), stride = batch.stride();
    std::vector<double> input(n_v * stride), Y(n_v * columns * stride, -1);
    for (size_t k = 0; k < which.size(); ++k) {
      batch.set_motion(k, states[which[k]].q(), states[which[k]].v);
      for (size_t i = 0; i < n_v; ++i) input[i * stride + k] = vdot[which[k]][i];
    }
    regressor.evaluate(batch, input.data(), Y.data());
    std::vector<Matrix> out;
    for (size_t k = 0; k < which.size(); ++k) {
      Matrix& of_state = out.emplace_back(model->n_v, Eigen::Index(columns));
      for (Eigen::Index i = 0; i < of_state.size(); ++i)
        of_state.data()[i] = Y[size_t(i) * stride + k];
    }
    return out;
  }
  std::vector<Matrix> of_bodies(const std::vector<size_t>& which) const {
    const size_t columns = size_t(n_inertial * model->n_body);
    BatchRegressor regressor(model, body_frames(*model), columns);
    return evaluate(regressor, columns, which);
  }
  Matrix of_one(size_t k) const {
    Matrix Y(model->n_v, n_inertial * model->n_body);
    std::vector<Twist<double>> scratch(regressor_scratch(*model));
    regressor(states[k], states[k].v.data(), vdot[k].data(), scratch, Y.data());
    return Y;
  }
};

std::vector<size_t> all_states() {
  std::vector<size_t> out(n_states);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

// Checks each joint kind alone, in chains and trees, and all of them in one tree. A floating joint
// makes a floating base.
TEST(BatchRegressor, EqualsTheKernelForOneState) {
  std::vector<std::vector<JointKind>> sets(1);
  for (const std::string& name : joint_kind_names()) {
    const JointKind kind = *joint_kind(name);
    if (traits(kind).n_v == 0) continue;
    sets.push_back({kind});
    sets[0].push_back(kind);
  }
  for (const auto& kinds : sets)
    for (const Shape shape : {Shape::chain, Shape::tree}) {
      SCOPED_TRACE(kinds.size() > 1 ? "every kind" : traits(kinds[0]).name);
      const Samples samples(random_robot(9, shape, 3, kinds), 5);
      const std::vector<Matrix> all = samples.of_bodies(all_states());
      for (size_t k = 0; k < n_states; ++k) {
        const Matrix one = samples.of_one(k);
        EXPECT_TRUE(close(all[k], one, one.norm(), agreement)) << "state " << k;
        EXPECT_EQ((all[k].array() == 0).count(), (one.array() == 0).count());
      }
    }
}

// The parameters of a frame are a linear function of those of its body, X_BF of the inertia. A
// frame of the world and a column without a frame have no effect on the torques.
TEST(BatchRegressor, HasTheParametersOfFrames) {
  const Samples samples(random_robot(7, Shape::tree, 2, Kinds::every), 1);
  Random random(8);
  std::vector<InertialFrame> frames;
  for (int i = samples.model->n_body - 1; i >= 0; --i) frames.push_back({i, random.pose(1)});
  const size_t columns = n_inertial * frames.size() + 3;
  BatchRegressor regressor(samples.model, frames, columns);
  const std::vector<Matrix> all = samples.evaluate(regressor, columns, all_states());
  for (size_t k = 0; k < n_states; ++k) {
    const Matrix of_bodies = samples.of_one(k);
    Matrix expected = Matrix::Zero(all[k].rows(), all[k].cols());
    for (size_t f = 0; f < frames.size(); ++f)
      for (int p = 0; p < n_inertial; ++p) {
        const auto numbers = inertial_numbers(transform(*frames[f].X_BF, unit_inertia(p)));
        for (int b = 0; b < n_inertial; ++b)
          expected.col(Eigen::Index(n_inertial * f) + p) +=
              numbers[size_t(b)] * of_bodies.col(n_inertial * frames[f].body + b);
      }
    EXPECT_TRUE(close(all[k], expected, expected.norm(), agreement)) << "state " << k;
  }
}

// A state has the same bits at any place of a batch of any size, next to any other states.
TEST(BatchRegressor, AStateDoesNotDependOnItsPlace) {
  const Samples samples(random_robot(12, Shape::tree, 4, Kinds::every), 2);
  const std::vector<Matrix> all = samples.of_bodies(all_states());
  std::vector<size_t> moved;
  for (size_t k = 0; k < n_states; ++k) moved.push_back((5 * k + 3) % n_states);
  const std::vector<Matrix> others = samples.of_bodies(moved);
  for (size_t k = 0; k < n_states; ++k) {
    EXPECT_EQ(others[k], all[moved[k]]) << k;
    EXPECT_EQ(samples.of_bodies({k})[0], all[k]) << k;
  }
}

TEST(BatchRegressor, NumbersThatAreNotFiniteDoNotAffectOtherStates) {
  Samples samples(random_robot(8, Shape::tree, 6, Kinds::every), 3);
  const std::vector<Matrix> before = samples.of_bodies(all_states());
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   infinite = std::numeric_limits<double>::infinity();
  samples.states[2].v[0] = nan;
  std::vector<double> q(samples.states[9].q().begin(), samples.states[9].q().end());
  std::ranges::fill(q, infinite);
  samples.states[9].set_q(q);
  samples.vdot[20][0] = infinite;
  const std::vector<Matrix> after = samples.of_bodies(all_states());
  for (size_t k = 0; k < n_states; ++k) {
    if (k == 2 || k == 9 || k == 20)
      EXPECT_FALSE(after[k].allFinite()) << k;
    else
      EXPECT_EQ(after[k], before[k]) << k;
  }
}

TEST(BatchRegressor, DoesNotAllocate) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
  const auto model = build(random_robot(8, Shape::tree, 6, Kinds::every));
  const size_t columns = size_t(n_inertial * model->n_body);
  BatchRegressor regressor(model, body_frames(*model), columns);
  StateBatch batch(model, n_states);
  std::vector<double> vdot(size_t(model->n_v) * batch.stride()), Y(vdot.size() * columns);
  const long before = allocations();
  regressor.evaluate(batch, vdot.data(), Y.data());
  EXPECT_EQ(allocations() - before, 0);
}

}  // namespace
}  // namespace torsor::test
