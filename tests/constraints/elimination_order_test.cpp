#include "torsor/constraints/islands/elimination_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "torsor/base/random.hpp"

namespace torsor::test {
namespace {

struct Graph {
  int n;
  std::vector<std::pair<int, int>> edges;

  EliminationOrder order() const {
    const std::vector<int> weights(size_t(n), 1);
    std::vector<int> first = {0}, nodes;
    for (const auto& [i, j] : edges) {
      nodes.push_back(i), nodes.push_back(j);
      first.push_back(int(nodes.size()));
    }
    EliminationOrder out;
    out.compute(weights, first, nodes);
    return out;
  }
  // Returns the nodes below each one if the nodes are eliminated in an order, in places.
  std::vector<std::set<int>> eliminate(const std::vector<int>& order) const {
    std::vector<int> place(size_t(n), 0);
    for (int k = 0; k < n; ++k) place[size_t(order[size_t(k)])] = k;
    std::vector<std::set<int>> below(static_cast<size_t>(n));
    for (const auto& [i, j] : edges) {
      const int a = place[size_t(i)], b = place[size_t(j)];
      if (a != b) below[size_t(std::min(a, b))].insert(std::max(a, b));
    }
    for (const std::set<int>& each : below)
      if (!each.empty())
        for (const int other : each)
          if (other != *each.begin()) below[size_t(*each.begin())].insert(other);
    return below;
  }
};

size_t fill_of(const std::vector<std::set<int>>& below) {
  size_t sum = 0;
  for (const std::set<int>& each : below) sum += each.size();
  return sum;
}

Graph grid(int size) {
  Graph out{size * size, {}};
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) {
      if (i > 0) out.edges.push_back({size * i + j, size * i + j - size});
      if (j > 0) out.edges.push_back({size * i + j, size * i + j - 1});
    }
  return out;
}

TEST(EliminationOrder, HasThePatternOfItsElimination) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    Graph graph{1 + random.below(40), {}};
    for (int k = random.below(3 * graph.n); k > 0; --k)
      graph.edges.push_back({random.below(graph.n), random.below(graph.n)});
    const EliminationOrder order = graph.order();
    std::vector<int> sorted = order.order;
    std::ranges::sort(sorted);
    for (int k = 0; k < graph.n; ++k) EXPECT_EQ(sorted[size_t(k)], k);
    const std::vector<std::set<int>> below = graph.eliminate(order.order);
    for (size_t k = 0; k < below.size(); ++k) {
      EXPECT_EQ(order.order[size_t(order.place[k])], int(k));
      EXPECT_TRUE(std::equal(below[k].begin(), below[k].end(),
                             order.fill.begin() + order.fill_start[k],
                             order.fill.begin() + order.fill_start[k + 1]))
          << "seed " << seed;
    }
    EXPECT_EQ(order.entries, fill_of(below) + size_t(graph.n));
  }
}

TEST(EliminationOrder, AChainAndAStarHaveNoFill) {
  Graph chain{20, {}}, star{20, {}};
  for (int k = 1; k < 20; ++k) chain.edges.push_back({(7 * k) % 20, (7 * (k - 1)) % 20});
  for (int k = 1; k < 20; ++k) star.edges.push_back({0, k});
  EXPECT_EQ(chain.order().fill.size(), 19u);
  EXPECT_EQ(star.order().fill.size(), 19u);
}

// The order by rows of a grid of n x n has a fill of n^3, and nested dissection one of n^2 log n.
TEST(EliminationOrder, AGridHasLessFillThanItsRows) {
  for (const int size : {10, 30}) {
    const Graph graph = grid(size);
    std::vector<int> natural(size_t(graph.n), 0);
    for (int k = 0; k < graph.n; ++k) natural[size_t(k)] = k;
    EXPECT_LT(double(graph.order().fill.size()),
              (size == 10 ? 0.8 : 0.45) * double(fill_of(graph.eliminate(natural))));
  }
}

}  // namespace
}  // namespace torsor::test
