// Tests of Timeline: the states that it keeps of a run, and reads from other threads. The states
// are artificial: step s of history h has the numbers of made(s, h).

#include "torsor/run/timeline.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>

#include "simulation/snapshots.hpp"
#include "support/allocation_counter.hpp"

namespace torsor::test {
namespace {

constexpr size_t row_bytes = 16 * sizeof(double);

Snapshot made(long long step, double history = 0) {
  const double s = double(step);
  Snapshot out;
  out.step = step;
  out.q = {s, history};
  out.v = {1 / (1 + s), -s};
  out[Work::motors] = 3 * s + history;
  out[Work::damping] = -2 * s;
  out.energy_zero = 7;
  return out;
}
void append(Timeline& timeline, int steps, double history = 0) {
  for (int k = 0; k < steps; ++k) timeline.append(made(timeline.end() + 1, history));
}
std::vector<long long> steps(const Timeline& timeline) {
  std::vector<long long> out;
  for (size_t i = 0; i < timeline.size(); ++i) out.push_back(timeline.step(i));
  return out;
}

TEST(Timeline, KeepsEveryStateWhileThereIsRoom) {
  Timeline timeline(made(0));
  const uint64_t revision = timeline.revision();
  append(timeline, 10000);  // several chunks
  ASSERT_EQ(timeline.size(), 10001u);
  EXPECT_EQ(timeline.end(), 10000);
  EXPECT_EQ(timeline.revision(), revision);
  for (size_t i = 0; i < timeline.size(); ++i) {
    ASSERT_EQ(timeline.step(i), (long long)i);
    ASSERT_EQ(bits(timeline.at(i)), bits(made((long long)i)));
    ASSERT_EQ(timeline.index_at((long long)i), i);
  }
}

TEST(Timeline, DropsEveryOtherStateIfMemoryIsFull) {
  Timeline timeline(made(0), 16 * row_bytes);
  uint64_t revision = timeline.revision();
  size_t before = 0;
  int thinned = 0;
  // The memory is full (16 rows) after steps 15, 30, 60, 120, 240 and 480. It would be full again
  // after step 960, with every 64th state kept.
  for (int k = 0; k < 950; ++k) {
    append(timeline, 1);
    ASSERT_LE(timeline.size(), 17u);
    ASSERT_EQ(timeline.step(0), 0);
    ASSERT_EQ(timeline.step(timeline.size() - 1), timeline.end());
    ASSERT_EQ(timeline.revision() != revision, timeline.size() < before) << "at step " << k;
    thinned += timeline.revision() != revision;
    revision = timeline.revision();
    before = timeline.size();
    for (size_t i = 0; i < timeline.size(); ++i)
      ASSERT_EQ(bits(timeline.at(i)), bits(made(timeline.step(i))));
  }
  EXPECT_EQ(thinned, 6);
  EXPECT_GT(timeline.size(), 8u);
  for (size_t i = 0; i + 1 < timeline.size(); ++i) EXPECT_EQ(timeline.step(i), 64 * (long long)i);
  for (long long s = 0; s <= timeline.end(); ++s) {
    const size_t i = timeline.index_at(s);
    EXPECT_LE(timeline.step(i), s);
    EXPECT_TRUE(i + 1 == timeline.size() || timeline.step(i + 1) > s);
  }
}

TEST(Timeline, KeepsTheStatesAfterChanges) {
  Timeline timeline(made(0), 8 * row_bytes);
  const long long changed[] = {3, 17, 18, 50, 101};
  for (const long long s : changed) {
    append(timeline, int(s - timeline.end()));
    timeline.change({s, TorqueChange{{double(s), 0}}}, made(s, 5));
  }
  append(timeline, 200);
  for (const long long s : changed) {
    const size_t i = timeline.index_at(s);
    EXPECT_EQ(timeline.step(i), s);
    EXPECT_EQ(bits(timeline.at(i)), bits(made(s, 5)));
  }
  EXPECT_LE(timeline.size(), 13u) << "twice what the changes need";
}

TEST(Timeline, ManyChangesAreAllKept) {
  Timeline timeline(made(0), 8 * row_bytes);
  for (int k = 0; k < 100; ++k) {
    append(timeline, 3);
    timeline.change({timeline.end(), SolverChange{"a"}}, made(timeline.end()));
  }
  append(timeline, 1000);
  for (long long s = 3; s <= 300; s += 3) EXPECT_EQ(timeline.step(timeline.index_at(s)), s);
  EXPECT_LE(timeline.size(), 203u);
}

TEST(Timeline, AChangeRemovesLaterStates) {
  Timeline timeline(made(0));
  append(timeline, 20);
  timeline.change({20, SolverChange{"late"}}, made(20));
  append(timeline, 10);
  const Timeline former = timeline;
  timeline.change({12, TorqueChange{{1, 2}}}, made(12, 1));
  EXPECT_NE(timeline.revision(), former.revision());
  EXPECT_EQ(timeline.end(), 12);
  EXPECT_EQ(timeline.size(), 13u);
  ASSERT_EQ(timeline.changes().size(), 1u);
  EXPECT_EQ(timeline.active_change<SolverChange>(100), nullptr);
  append(timeline, 30, 1);
  EXPECT_EQ(bits(timeline.at(11)), bits(made(11)));
  EXPECT_EQ(bits(timeline.at(12)), bits(made(12, 1)));
  EXPECT_EQ(bits(timeline.at(25)), bits(made(25, 1)));
  // Undo requires that the copy from before the change is unchanged.
  EXPECT_EQ(former.end(), 30);
  EXPECT_EQ(former.changes().size(), 1u);
  for (size_t i = 0; i < former.size(); ++i)
    EXPECT_EQ(bits(former.at(i)), bits(made((long long)i)));
}

TEST(Timeline, AChangeAtTheEndLeavesOtherStatesValid) {
  Timeline timeline(made(0));
  append(timeline, 5);
  const uint64_t revision = timeline.revision();
  timeline.change({5, TorqueChange{{1, 2}}}, made(5, 1));
  EXPECT_EQ(timeline.revision(), revision);
  EXPECT_EQ(steps(timeline), (std::vector<long long>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(bits(timeline.at(5)), bits(made(5, 1)));
}

TEST(Timeline, AChangeOfTheStartIsKept) {
  Timeline timeline(made(0));
  append(timeline, 5);
  timeline.change({0, StateChange{{1, 1}, {1, 1}}}, made(0, 1));
  EXPECT_EQ(timeline.size(), 1u);
  append(timeline, 5, 1);
  EXPECT_EQ(bits(timeline.at(0)), bits(made(0, 1)));
}

TEST(Timeline, AChangeOfTheSameKindIsReplaced) {
  Timeline timeline(made(0));
  append(timeline, 5);
  for (int k = 0; k < 10; ++k) timeline.change({5, TorqueChange{{double(k), 0}}}, made(5));
  timeline.change({5, SolverChange{"a"}}, made(5));
  timeline.change({5, TorqueChange{{99, 0}}}, made(5));
  ASSERT_EQ(timeline.changes().size(), 2u);
  append(timeline, 5);
  timeline.change({10, TorqueChange{{3, 0}}}, made(10));
  EXPECT_EQ(timeline.active_change<TorqueChange>(4), nullptr);
  EXPECT_EQ(timeline.active_change<TorqueChange>(5)->tau[0], 99);
  EXPECT_EQ(timeline.active_change<TorqueChange>(9)->tau[0], 99);
  EXPECT_EQ(timeline.active_change<TorqueChange>(10)->tau[0], 3);
  EXPECT_EQ(timeline.active_change<SolverChange>(10)->solver, "a");
}

// Checks histories that branch off one timeline: each has its own later states, and all share the
// earlier ones.
TEST(Timeline, CopiesAreIndependent) {
  Timeline a(made(0));
  append(a, 100);
  Timeline b = a, c = a;
  append(a, 9000, 1), append(b, 9000, 2), append(c, 9000, 3);
  c.change({50, SolverChange{"a"}}, made(50, 4));
  append(c, 60, 4);
  for (const auto& [timeline, history] : {std::pair(&a, 1.0), std::pair(&b, 2.0)})
    for (size_t i = 0; i < timeline->size(); ++i)
      ASSERT_EQ(bits(timeline->at(i)), bits(made((long long)i, i > 100 ? history : 0)));
  for (size_t i = 0; i < c.size(); ++i)
    ASSERT_EQ(bits(c.at(i)), bits(made((long long)i, i >= 50 ? 4 : 0)));
}

// Checks undo followed by another change. Timelines with the same revision must have the same
// states.
TEST(Timeline, TimelinesOfOneRevisionHaveTheSameStates) {
  // The lengths are at the edges of a chunk, which has 4096 rows.
  for (const int length : {0, 20, 4095, 4096, 4097}) {
    Timeline timeline(made(0));
    append(timeline, length);
    const Timeline former = timeline;
    const auto add = [&](double history) {
      timeline = former;
      timeline.change({length, SolverChange{"a"}}, made(length, history));
      append(timeline, 1, history);
      return timeline.revision();
    };
    EXPECT_EQ(add(1), former.revision());
    const uint64_t second = add(2);
    EXPECT_NE(second, former.revision()) << length;
    EXPECT_NE(add(3), second);
    EXPECT_EQ(bits(timeline.at(size_t(length))), bits(made(length, 3)));
  }
  EXPECT_NE(Timeline(made(0)).revision(), Timeline(made(0)).revision());
}

TEST(Timeline, TruncationsAtOneStepAreDistinct) {
  Timeline timeline(made(0));
  append(timeline, 20);
  const Timeline former = timeline;
  timeline.change({10, SolverChange{"a"}}, made(10));
  const uint64_t first = timeline.revision();
  append(timeline, 3);
  EXPECT_EQ(timeline.revision(), first) << "cut once";
  timeline = former;
  EXPECT_EQ(timeline.revision(), former.revision());
  timeline.change({10, SolverChange{"b"}}, made(10));
  EXPECT_NE(timeline.revision(), first);
  EXPECT_NE(timeline.revision(), former.revision());
}

TEST(Timeline, AppendingAllocatesOnlyChunks) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
  Timeline timeline(made(0));
  append(timeline, 1);
  Snapshot state = made(2), out = made(0);
  const long before = allocations();
  // The first 2000 rows are within one chunk, which has 2520 rows.
  for (int k = 0; k < 2000; ++k, ++state.step) timeline.append(state);
  for (size_t i = 0; i < timeline.size(); ++i) timeline.at(i, out);
  EXPECT_EQ(allocations() - before, 0);
  for (int k = 0; k < 20000; ++k, ++state.step) timeline.append(state);
  EXPECT_LE(allocations() - before, 9 * 5) << "9 chunks and the growth of their table";
}

// Checks a thread that appends, changes and truncates. Another thread reads every state of the
// copies that it gets.
TEST(Timeline, CopiesAreReadWhileAnotherThreadAdds) {
  std::mutex mutex;
  Timeline handed(made(0), 600 * row_bytes);
  bool done = false;
  std::thread writer([&, timeline = handed]() mutable {
    for (int k = 1; k <= 20000; ++k) {
      append(timeline, 1);
      if (k % 97 == 0) {
        const long long step = std::max(0LL, timeline.end() - k % 50);
        timeline.change({step, TorqueChange{{double(k), 0}}}, made(step));
      }
      const std::scoped_lock lock(mutex);
      handed = timeline;
    }
    const std::scoped_lock lock(mutex);
    done = true;
  });
  bool last = false;
  long read = 0, wrong = 0;
  while (!last) {
    mutex.lock();
    last = done;
    const Timeline copy = handed;
    mutex.unlock();
    for (size_t i = 0; i < copy.size(); ++i, ++read)
      if (bits(copy.at(i)) != bits(made(copy.step(i)))) ++wrong;
    for (const Change& change : copy.changes()) wrong += change.step > copy.end();
  }
  writer.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace torsor::test
