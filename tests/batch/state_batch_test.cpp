// Tests of the layout of batches, and of the blocks that plugins receive.

#include <gtest/gtest.h>

#include "support/random_state.hpp"
#include "torsor/batch/state_block.hpp"

namespace torsor::test {
namespace {

class Layout : public testing::Test {
 protected:
  Layout() {
    batch.add_wrenches();
    for (size_t k = 0; k < batch.size(); ++k) {
      states.push_back(random_state(model, random));
      states[k].set_gravity({1, 2, 3});
      add_random_wrenches(random, states[k]);
      batch.set(k, states[k]);
    }
    batch.set_world(states[0]);
  }
  Random random{3};
  std::shared_ptr<const Model> model = build(random_robot(16, Shape::tree, 2, Kinds::every));
  StateBatch batch{model, 11};
  std::vector<State> states;
};

TEST_F(Layout, EntriesOfConsecutiveStatesAreAdjacent) {
  EXPECT_EQ(batch.stride(), 16u);
  for (size_t k = 0; k < batch.size(); ++k) {
    for (size_t i = 0; i < size_t(model->n_q); ++i)
      EXPECT_EQ(batch.q()[i * 16 + k], states[k].q()[i]);
    for (size_t i = 0; i < size_t(model->n_v); ++i)
      EXPECT_EQ(batch.v()[i * 16 + k], states[k].v[i]);
  }
}

TEST_F(Layout, AStateComesBackAsItWas) {
  for (size_t k = 0; k < batch.size(); ++k) {
    State state(model);
    batch.get(k, state);
    EXPECT_TRUE(std::ranges::equal(state.q(), states[k].q()));
    EXPECT_EQ(state.v, states[k].v);
    EXPECT_EQ(state.gravity_W().y, 2);
    for (int i = 0; i < model->n_body; ++i)
      EXPECT_EQ(state.F_B()[size_t(i)].f.z, states[k].F_B()[size_t(i)].f.z);
  }
}

TEST_F(Layout, AStateWithoutWrenchesReplacesOneThatHasThem) {
  states[4].clear_wrenches();
  batch.set(4, states[4]);
  State state(model);
  batch.get(4, state);
  for (const Wrench<double>& F : state.F_B()) EXPECT_EQ(dot(F.f, F.f) + dot(F.n, F.n), 0);
}

TEST(NewBatch, IsAtTheNeutralPosition) {
  const auto model = build(random_robot(8, Shape::tree, 4, Kinds::every));
  StateBatch batch(model, 3);
  State state(model);
  batch.get(2, state);
  EXPECT_TRUE(std::ranges::equal(state.q(), neutral(*model)));
}

// The lanes of a block have the bits of single states, and lanes beyond the end repeat the last
// one.
TEST_F(Layout, BlocksHaveThePosesAndThresholdsOfTheirStates) {
  MinPivots pivots(*model);
  for (const size_t lanes : {2, 4, 8}) {
    StateBlock block(model, lanes);
    for (size_t first = 0; first < batch.size(); first += lanes) {
      block.load(batch, first, lanes);
      const torsor_state view = block.view(true, true);
      for (size_t lane = 0; lane < lanes; ++lane) {
        const State& state = states[std::min(first + lane, batch.size() - 1)];
        const auto* X_PB = reinterpret_cast<const double*>(state.X_PB().data());
        for (size_t k = 0; k < 12 * size_t(model->n_body); ++k)
          EXPECT_EQ(view.X_PB[k * lanes + lane], X_PB[k]) << k;
        const auto* F_B = reinterpret_cast<const double*>(state.F_B().data());
        for (size_t k = 0; k < 6 * size_t(model->n_body); ++k)
          EXPECT_EQ(view.F_B[k * lanes + lane], F_B[k]);
        for (size_t i = 0; i < size_t(model->n_body); ++i)
          EXPECT_EQ(view.min_pivot[i * lanes + lane], pivots.at(state)[i]);
        EXPECT_EQ(view.A_W[5 * lanes + lane], -3);
      }
    }
  }
}

TEST_F(Layout, ResultsAreNotWrittenBeyondTheEnd) {
  StateBlock block(model, 8);
  block.load(batch, 8, 8);
  std::vector<double> out(2 * batch.stride(), -1), rows(16, 5);
  block.store_rows(rows.data(), 2, out.data());
  for (size_t k = 0; k < out.size(); ++k) {
    const bool written = k % 16 >= 8 && k % 16 < batch.size();
    EXPECT_EQ(out[k], written ? 5 : -1) << k;
  }
}

}  // namespace
}  // namespace torsor::test
