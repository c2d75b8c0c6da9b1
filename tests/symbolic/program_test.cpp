// Tests of programs: which operations they contain, and how regroup() saves some of them.

#include "torsor/symbolic/program.hpp"

#include <gtest/gtest.h>

#include "symbolic/symbols.hpp"
#include "torsor/symbolic/evaluate.hpp"

namespace torsor::test {
namespace {

using namespace symbolic;

TEST(Program, CountsWhatItsResultsNeed) {
  Graph graph;
  const Symbols<Expression> s = symbols_of(graph);
  (void)(s.x * s.z);  // without influence
  const Expression shared = s.x * s.y;
  const Program program(graph, {sin(s.a) * (shared + s.z) + s.p * s.r, Expression(1.0) / shared});
  EXPECT_EQ(program.count(), (OperationCount{2, 2, 1, 1}));
  EXPECT_EQ(program.offline.size(), 1u);
  EXPECT_TRUE(program.uses_symbol(0));   // a
  EXPECT_FALSE(program.uses_symbol(1));  // b
}

TEST(Regroup, TakesOutFactors) {
  Graph graph;
  const Symbols<Expression> s = symbols_of(graph);
  NodeNames names;
  const auto regrouped = regroup(graph, {s.x * s.y + s.x * s.z}, names);
  EXPECT_EQ(Program(graph, regrouped).count(), (OperationCount{1, 1, 0, 0}));
  EXPECT_TRUE(regrouped[0] == s.x * (s.y + s.z));
  // The product with another use is computed anyway.
  const std::vector<Expression> used{s.x * s.y + s.x * s.z, s.x * s.y, s.x * s.z};
  EXPECT_TRUE(regroup(graph, used, names) == used);
}

TEST(Regroup, MultipliesParametersOnce) {
  Graph graph;
  const Symbols<Expression> s = symbols_of(graph);
  NodeNames names;
  const Expression before = (s.x * s.p) * s.r;
  EXPECT_EQ(Program(graph, {before}).count().multiplications, 2);
  const auto regrouped = regroup(graph, {before}, names);
  EXPECT_EQ(Program(graph, regrouped).count().multiplications, 1);
  EXPECT_TRUE(regrouped[0] == s.x * (s.p * s.r));
}

// Checks that a named node has the value of its quantity after the formulae are regrouped.
TEST(Regroup, KeepsNames) {
  Graph graph;
  const Symbols<Expression> s = symbols_of(graph);
  const Expression inner = s.x * s.y + s.x * s.z, outer = sin(s.a) * inner;
  NodeNames names{{inner.ref().node(), "inner"}, {outer.ref().node(), "outer"}};
  const auto regrouped = regroup(graph, {outer, inner}, names);
  EXPECT_EQ(names.size(), 2u);
  Random random(3);
  const Symbols<double> numbers = random_doubles(random);
  for (const auto& [node, name] : names) {
    const Expression now(graph, Ref::of(node, false)), was = name == "inner" ? inner : outer;
    EXPECT_NEAR(evaluate<double>(Program(graph, {now}), numbers.all())[0],
                evaluate<double>(Program(graph, {was}), numbers.all())[0], 1e-14)
        << name;
  }
}

}  // namespace
}  // namespace torsor::test
