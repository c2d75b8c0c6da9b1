// Quantities of many states through the C interface.

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "capi/states.hpp"
#include "support/allocation_counter.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Batches : public testing::Test {
 protected:
  Owned<torsor_engine> engine_ = made_engine();
  Owned<torsor_robot> robot_ = made_robot(engine_.get(), iiwa);
  Owned<torsor_evaluator> evaluator_ =
      made<torsor_evaluator>(torsor_evaluator_create, robot_.get(), nullptr);
  States states_{robot_.get(), 3};
};

TEST_F(Batches, ReadsAndWritesStatesWithStrides) {
  std::vector<double> table(3 * 30, -1), out(3 * 9, -4711), packed(3 * 7);
  for (size_t k = 0; k < 3; ++k) {
    std::copy_n(states_.q.begin() + long(7 * k), 7, table.begin() + long(30 * k));
    std::copy_n(states_.v.begin() + long(7 * k), 7, table.begin() + long(30 * k + 10));
    std::copy_n(states_.x.begin() + long(7 * k), 7, table.begin() + long(30 * k + 20));
  }
  torsor_states spaced{sizeof spaced,     3,  table.data(), table.data() + 10,
                       table.data() + 20, 30, 30,           30};
  const torsor_states dense = states_.view();
  ErrorText error;
  ASSERT_EQ(
      torsor_evaluate_batch(evaluator_.get(), "inverse_dynamics", &spaced, out.data(), 9, &error),
      TORSOR_SUCCESS)
      << error.text;
  ASSERT_EQ(
      torsor_evaluate_batch(evaluator_.get(), "inverse_dynamics", &dense, packed.data(), 0, &error),
      TORSOR_SUCCESS);
  for (size_t k = 0; k < 3; ++k) {
    for (size_t i = 0; i < 7; ++i) EXPECT_EQ(out[9 * k + i], packed[7 * k + i]);
    EXPECT_EQ(out[9 * k + 7], -4711);
  }
  spaced.q_stride = 6;
  EXPECT_EQ(
      torsor_evaluate_batch(evaluator_.get(), "inverse_dynamics", &spaced, out.data(), 9, &error),
      TORSOR_USER_ERROR);
  EXPECT_STREQ(error.text, "q_stride: it is 6, less than the 7 numbers of a row");
}

TEST_F(Batches, NamesTheStateOfABatchThatCannotBeUsed) {
  States states(robot_.get(), 1000);
  states.v[7 * 900 + 3] = std::numeric_limits<double>::infinity();
  std::vector<double> out(7000);
  const torsor_states view = states.view();
  ErrorText error;
  EXPECT_EQ(torsor_evaluate_batch(evaluator_.get(), "bias", &view, out.data(), 0, &error),
            TORSOR_USER_ERROR);
  EXPECT_STREQ(error.text,
               "1 of 1000 states have no bias: state 900: v[3] is inf; give a finite number");
  // Gravity does not depend on v.
  EXPECT_EQ(torsor_evaluate_batch(evaluator_.get(), "gravity", &view, out.data(), 0, &error),
            TORSOR_SUCCESS);
}

// The results of states that fail are NaN, and those of the others are complete, wherever the
// failing states are. "poses" is computed state by state, and "bias" in parts.
TEST_F(Batches, StatesThatFailBecomeNaN) {
  constexpr double marker = -4711, infinite = std::numeric_limits<double>::infinity();
  const States good(robot_.get(), 1500);
  for (const char* name : {"bias", "poses"}) {
    States states = good;
    const size_t size = entries_of(robot_.get(), name);
    std::vector<double> expected(1500 * size), out(1500 * size, marker);
    torsor_states view = states.view();
    ErrorText error;
    ASSERT_EQ(torsor_evaluate_batch(evaluator_.get(), name, &view, expected.data(), 0, &error),
              TORSOR_SUCCESS);
    const std::vector<size_t> bad = {0, 5, 6, 700, 1499};
    for (const size_t k : bad) states.q[7 * k + 2] = infinite;
    EXPECT_EQ(torsor_evaluate_batch(evaluator_.get(), name, &view, out.data(), 0, &error),
              TORSOR_USER_ERROR);
    EXPECT_THAT(error.text, StartsWith("5 of 1500 states have no " + std::string(name) +
                                       ": state 0: q[2] is inf"));
    for (size_t k = 0; k < 1500; ++k) {
      const bool is_bad = std::ranges::find(bad, k) != bad.end();
      for (size_t i = k * size; i < (k + 1) * size; ++i)
        ASSERT_TRUE(is_bad ? std::isnan(out[i]) : out[i] == expected[i]) << name << " " << k;
    }
  }
}

// Strides whose product with n does not fit in memory are errors, and nothing is written.
TEST_F(Batches, RejectStridesThatOverflow) {
  constexpr size_t huge = std::numeric_limits<size_t>::max() / 16;
  double out[21] = {-4711};
  ErrorText error;
  for (const int member : {0, 1, 2}) {
    torsor_states states = states_.view();
    (member == 0 ? states.q_stride : member == 1 ? states.v_stride : states.x_stride) = huge;
    EXPECT_EQ(torsor_evaluate_batch(evaluator_.get(), "inverse_dynamics", &states, out, 0, &error),
              TORSOR_USER_ERROR);
    EXPECT_THAT(error.text, HasSubstr("exceed the memory of every machine"));
  }
  torsor_states states = states_.view();
  EXPECT_EQ(torsor_evaluate_batch(evaluator_.get(), "bias", &states, out, huge, &error),
            TORSOR_USER_ERROR);
  EXPECT_THAT(error.text, StartsWith("out_stride: "));
  states.n = std::numeric_limits<size_t>::max() / 7;
  EXPECT_EQ(torsor_evaluate_batch(evaluator_.get(), "bias", &states, out, 0, &error),
            TORSOR_USER_ERROR);
  EXPECT_EQ(out[0], -4711);
  const size_t frames[] = {0};
  EXPECT_EQ(torsor_evaluator_set_wrenches(evaluator_.get(), states.n, frames, out, &error),
            TORSOR_USER_ERROR);
  EXPECT_THAT(error.text, StartsWith("wrenches: "));
}

// A quaternion that is not of norm 1 is scaled, or is an error if it is far from it.
TEST_F(Batches, ScaleQuaternions) {
  const auto robot = made_robot(engine_.get(), quadruped);
  const auto evaluator = made<torsor_evaluator>(torsor_evaluator_create, robot.get(), nullptr);
  States states(robot.get(), 20);
  const size_t n = states.n_v;
  std::vector<double> g(20 * n), scaled(20 * n);
  torsor_states view = states.view();
  ErrorText error;
  ASSERT_EQ(torsor_evaluate_batch(evaluator.get(), "gravity", &view, g.data(), 0, &error),
            TORSOR_SUCCESS);
  for (size_t i = 3; i < 7; ++i) states.q[9 * states.n_q + i] *= 1.001;
  ASSERT_EQ(torsor_evaluate_batch(evaluator.get(), "gravity", &view, scaled.data(), 0, &error),
            TORSOR_SUCCESS);
  for (size_t i = 0; i < 20 * n; ++i) ASSERT_NEAR(g[i], scaled[i], 1e-10);
  for (size_t i = 3; i < 7; ++i) states.q[9 * states.n_q + i] *= 2;
  EXPECT_EQ(torsor_evaluate_batch(evaluator.get(), "gravity", &view, scaled.data(), 0, &error),
            TORSOR_USER_ERROR);
  EXPECT_THAT(error.text, StartsWith("1 of 20 states have no gravity: state 9: joint "));
  EXPECT_THAT(error.text, HasSubstr("must be 1 to within 1 %"));
}

// The header lists the quantities that allocate in every evaluation.
TEST_F(Batches, OtherQuantitiesDoNotAllocate) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
  for (size_t index = 0; const char* name = torsor_quantity_name(index); ++index) {
    std::vector<double> out(entries_of(robot_.get(), name));
    const auto compute = [&] {
      EXPECT_EQ(torsor_evaluate(evaluator_.get(), name, states_.q.data(), states_.v.data(),
                                states_.x.data(), out.data(), nullptr),
                TORSOR_SUCCESS);
    };
    compute();
    const long before = allocations();
    compute();
    const bool allocates = std::string_view(name).starts_with("jacobian") ||
                           std::string_view(name).starts_with("constrained");
    EXPECT_EQ(allocations() > before, allocates) << name;
  }
}

// The second call of a quantity allocates nothing.
TEST_F(Batches, DoNotAllocate) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
  const States states(robot_.get(), 1000);
  std::vector<double> out(49 * 1000);
  const torsor_states view = states.view();
  ErrorText error;
  for (const char* name : {"inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity"}) {
    const auto compute = [&] {
      torsor_evaluate(evaluator_.get(), name, states.q.data(), states.v.data(), states.x.data(),
                      out.data(), &error);
      torsor_evaluate_batch(evaluator_.get(), name, &view, out.data(), 0, &error);
    };
    compute();
    const long before = allocations();
    compute();
    EXPECT_EQ(allocations(), before) << name;
  }
  EXPECT_GT(allocations(), 0);
}

}  // namespace
}  // namespace torsor::test
