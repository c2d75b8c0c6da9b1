// Tests of the graph of expressions and of regroup(): every rewrite gives its normal form and
// preserves the value, in double and in exact rational numbers.

#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>

#include "support/random_robot.hpp"
#include "symbolic/exact.hpp"
#include "symbolic/symbols.hpp"
#include "torsor/base/error.hpp"
#include "torsor/symbolic/evaluate.hpp"
#include "torsor/symbolic/program.hpp"

namespace torsor::test {
namespace {

using namespace symbolic;

// Nonzero fractions of small integers.
Symbols<Exact> random_fractions(Random& random) {
  const auto fraction = [&] {
    const int n = 1 + random.below(9), sign = random.below(2) ? 1 : -1;
    return Rational(sign * n, 1 + random.below(7));
  };
  return make_symbols<Exact>([&](int) { return Exact::angle(fraction(), fraction()); },
                             [&](int, SymbolKind) { return Exact(fraction(), std::nullopt); });
}

// The sum of the absolute values of a computation: the scale of its rounding errors.
struct Size {
  double size = 0;
  Size() = default;
  explicit Size(double x) : size(std::abs(x)) {}
  friend Size operator+(Size a, Size b) { return Size(a.size + b.size); }
  friend Size operator-(Size a, Size b) { return a + b; }
  friend Size operator-(Size a) { return a; }
  friend Size operator*(Size a, Size b) { return Size(a.size * b.size); }
  friend Size sin(Size) { return Size(1); }
  friend Size cos(Size) { return Size(1); }
};

// Checks that `from` and `to` are one expression, and that it has the values of `from`. The errors
// of doubles are below 1e-14 here, because all values are about 1.
template <class From, class To>
void expect_rewrite(const char* name, const From& from, const To& to) {
  SCOPED_TRACE(name);
  Graph graph;
  const Symbols<Expression> symbols = symbols_of(graph);
  const Expression found = from(symbols);
  EXPECT_TRUE(found == to(symbols));
  const Program program(graph, {found});
  Random random(11);
  for (int sample = 0; sample < 20; ++sample) {
    const Symbols<double> numbers = random_doubles(random);
    const double expected = from(numbers);
    EXPECT_NEAR(evaluate<double>(program, numbers.all())[0], expected,
                1e-13 * std::max(1.0, std::abs(expected)));
    const Symbols<Exact> fractions = random_fractions(random);
    EXPECT_EQ(evaluate<Exact>(program, fractions.all())[0].value, from(fractions).value);
  }
}
#define REWRITE(from, to) \
  expect_rewrite(         \
      #from " = " #to, [](const auto& s) { return from; }, [](const auto& s) { return to; })

TEST(Rewrites, FoldConstants) {
  REWRITE(s(2) + s(3), s(5));
  REWRITE(s(2) * s(3), s(6));
  REWRITE(s(6) / s(2), s(3));
  REWRITE(s(2) - s(3), s(-1));
  REWRITE(sin(s(0)), s(0));
  REWRITE(cos(s(0)), s(1));
  REWRITE(s(0) + s.x, s.x);
  REWRITE(s.x + s(0), s.x);
  REWRITE(s(1) * s.x, s.x);
  REWRITE(s.x * s(1), s.x);
  REWRITE(s(-1) * s.x, -s.x);
  REWRITE(s(0) * s.x, s(0));
  REWRITE(s.x * s(0), s(0));
  REWRITE(s(2) * (s(3) * s.x), s(6) * s.x);
  REWRITE((s.x * s(-2)) * s(3), s(-6) * s.x);
  REWRITE(s(0.5) * (s(2) * s.x), s.x);
  REWRITE(s(2) * s.x + s(3) * s.x, s(5) * s.x);
  REWRITE(s.x + s.x, s(2) * s.x);
  REWRITE(s(3) * s.x - s.x, s(2) * s.x);
  REWRITE(s.x - s.x, s(0));
  REWRITE(s(2) * s.x - s.x * s(2), s(0));
  REWRITE((s.x + s(2)) + s(3), s.x + s(5));
  REWRITE(s(3) - (s.x + s(2)), s(1) - s.x);
  REWRITE((s.x - s(2)) + s(2), s.x);
  REWRITE((s(2) - s.x) - s(2), -s.x);
}

TEST(Rewrites, MoveSignsToTheOperands) {
  REWRITE(-(s.x - s.y), s.y - s.x);
  REWRITE(-s.x - s.y, -(s.x + s.y));
  REWRITE(-(-s.x), s.x);
  REWRITE((-s.x) * s.y, -(s.x * s.y));
  REWRITE((-s.x) * (-s.y), s.x * s.y);
  REWRITE(sin(-s.a), -sin(s.a));
  REWRITE(cos(-s.a), cos(s.a));
  REWRITE(cos(s.b - s.a), cos(s.a - s.b));
  REWRITE(s.x / -s.y, -(s.x / s.y));
}

TEST(Rewrites, OrderOperands) {
  REWRITE(s.y + s.x, s.x + s.y);
  REWRITE(s.y * s.x, s.x * s.y);
  REWRITE(s.y - s.x, -(s.x - s.y));
  REWRITE(sin(s.b + s.a), sin(s.a + s.b));
}

TEST(Rewrites, Divide) {
  REWRITE(s.x / s.x, s(1));
  REWRITE(s.x / s(2), s(0.5) * s.x);
  REWRITE(s(1) / (s(1) / s.x), s.x);
  REWRITE(s.x * (s(1) / s.x), s(1));
  REWRITE((s(1) / s.x) * -s.x, s(-1));
  REWRITE(s.y / (s(2) * s.x), s.y * (s(0.5) * (s(1) / s.x)));
  REWRITE(s(0) / s.x, s(0));
}

TEST(Rewrites, AddAngles) {
  REWRITE(sin(s.a) * sin(s.a) + cos(s.a) * cos(s.a), s(1));
  REWRITE(s.x * (cos(s.a) * cos(s.a)) + s.x * (sin(s.a) * sin(s.a)), s.x);
  REWRITE(-(s.x * sin(s.a)) * sin(s.a) - s.x * cos(s.a) * cos(s.a), -s.x);
  REWRITE(cos(s.a) * cos(s.b) - sin(s.a) * sin(s.b), cos(s.a + s.b));
  REWRITE(cos(s.a) * cos(s.b) + sin(s.a) * sin(s.b), cos(s.a - s.b));
  REWRITE(sin(s.a) * sin(s.b) - cos(s.a) * cos(s.b), -cos(s.a + s.b));
  REWRITE(-(sin(s.a) * sin(s.b)) - cos(s.a) * cos(s.b), -cos(s.a - s.b));
  REWRITE(sin(s.a) * cos(s.b) + cos(s.a) * sin(s.b), sin(s.a + s.b));
  REWRITE(sin(s.a) * cos(s.b) - cos(s.a) * sin(s.b), sin(s.a - s.b));
  REWRITE(cos(s.a) * sin(s.b) - sin(s.a) * cos(s.b), sin(s.b - s.a));
  REWRITE(-(sin(s.a) * cos(s.b)) - cos(s.a) * sin(s.b), -sin(s.a + s.b));
  REWRITE(s.x * cos(s.a) * (s.p * cos(s.b)) - s.p * sin(s.a) * (s.x * sin(s.b)),
          s.x * s.p * cos(s.a + s.b));
  // would cost more
  REWRITE(cos(s.a) * cos(s.a) - sin(s.a) * sin(s.a), cos(s.a) * cos(s.a) - sin(s.a) * sin(s.a));
  REWRITE(s.x * cos(s.a) * cos(s.b) - s.y * sin(s.a) * sin(s.b),
          s.x * cos(s.a) * cos(s.b) - s.y * sin(s.a) * sin(s.b));
}

// Checks sums of products of more factors than the angle formulae look at.
TEST(Rewrites, KeepTheFactorsOfLongProducts) {
  const auto sum = [](const auto& s) {
    auto p = cos(s.a) * cos(s.b), q = sin(s.a) * sin(s.b);
    for (const auto& x : s.variable) {
      const auto factor = cos(x), other = sin(x);
      p = p * factor * other, q = q * factor * other;
    }
    return p * s.p - q * s.r;
  };
  Graph graph;
  const Program program(graph, {sum(symbols_of(graph))});
  Random random(5);
  for (int sample = 0; sample < 20; ++sample) {
    const Symbols<double> numbers = random_doubles(random);
    EXPECT_NEAR(evaluate<double>(program, numbers.all())[0], sum(numbers), 1e-13);
  }
}

TEST(Rewrites, LeaveDifferentExpressionsDifferent) {
  Graph graph;
  const auto s = symbols_of(graph);
  EXPECT_FALSE(s.x + s.y == s.x - s.y);
  EXPECT_FALSE(s.x == -s.x);
  EXPECT_FALSE(sin(s.a) == cos(s.a));
  EXPECT_FALSE(sin(s.a) * cos(s.b) + sin(s.b) * sin(s.a) == sin(s.a + s.b));
  EXPECT_FALSE(Expression(2.0) * s.x == Expression(3.0) * s.x);
}

// A random straight-line program, run with any scalar.
struct Step {
  enum Op {
    angle_sum,
    angle_difference,
    wave,
    add,
    subtract,
    multiply,
    negate,
    scale,
    turn,
    divide
  };
  Op op;
  int a, b, c;
  double constant;
};
class RandomProgram {
 public:
  RandomProgram(Random& random, int length, bool divisions) {
    int angles = n_angle;
    degree_.assign(n_variable + n_parameter, 1);
    constexpr double constants[] = {2, -1, 0.5, 3, -2, 1, 0, 0.25};
    while (int(steps_.size()) < length) {
      const auto any = [&] { return random.below(int(degree_.size())); };
      Step step{Step::Op(random.below(divisions ? 10 : 9)), any(), any(), any(),
                constants[random.below(8)]};
      switch (step.op) {
        case Step::angle_sum:
        case Step::angle_difference:
          step.a = random.below(angles++), step.b = random.below(angles - 1);
          break;
        case Step::wave:
          step.a = random.below(angles), step.b = random.below(2);
          degree_.push_back(1);
          break;
        case Step::turn:
          // k cos x cos y, k sin x sin y, k sin x cos y, k cos x sin y and their sums, of angles
          // x and y
          step.a = random.below(angles), step.b = random.below(angles);
          if (degree_[size_t(step.c)] > most_degree - 2) continue;
          for (int k = 0; k < 2; ++k) degree_.push_back(degree_[size_t(step.c)] + 2);
          break;
        case Step::multiply:
        case Step::divide: {
          const int degree = degree_[size_t(step.a)] + 2 * degree_[size_t(step.b)];
          if (degree > most_degree) continue;
          degree_.push_back(degree);
          break;
        }
        case Step::add:
        case Step::subtract:
          degree_.push_back(std::max(degree_[size_t(step.a)], degree_[size_t(step.b)]));
          break;
        case Step::negate:
        case Step::scale:
          degree_.push_back(degree_[size_t(step.a)]);
          break;
      }
      steps_.push_back(step);
    }
  }

  // Returns the last results. swapped: exchanges the operands of sums and products.
  template <class T>
  std::vector<T> operator()(const Symbols<T>& symbols, bool swapped = false) const {
    using std::cos, std::sin;
    std::vector<T> angle = symbols.angle, value = symbols.variable;
    value.insert(value.end(), symbols.parameter.begin(), symbols.parameter.end());
    const auto sum = [&](const T& a, const T& b) { return swapped ? b + a : a + b; };
    const auto product = [&](const T& a, const T& b) { return swapped ? b * a : a * b; };
    for (const Step& step : steps_) {
      const size_t a = size_t(step.a), b = size_t(step.b);
      switch (step.op) {
        case Step::angle_sum:
          angle.push_back(sum(angle[a], angle[b]));
          break;
        case Step::angle_difference:
          angle.push_back(sum(angle[a], -angle[b]));
          break;
        case Step::wave:
          value.push_back(step.b ? sin(angle[a]) : cos(angle[a]));
          break;
        case Step::turn: {
          const T x = angle[a], y = angle[b], k = value[size_t(step.c)];
          const double sign = step.constant < 0 ? -1 : 1;
          const T cc = product(k, product(cos(x), cos(y))),
                  ss = product(product(sin(x), k), sin(y)),
                  sc = product(sin(x), product(k, cos(y))),
                  cs = product(product(cos(x), sin(y)), k);
          value.push_back(sum(cc, product(T(sign), ss)));
          value.push_back(sum(product(T(sign), cs), sc));
          break;
        }
        case Step::add:
          value.push_back(sum(value[a], value[b]));
          break;
        case Step::subtract:
          value.push_back(sum(value[a], -value[b]));
          break;
        case Step::multiply:
          value.push_back(product(value[a], value[b]));
          break;
        case Step::negate:
          value.push_back(-value[a]);
          break;
        case Step::scale:
          value.push_back(product(T(step.constant), value[a]));
          break;
        case Step::divide:
          if constexpr (!std::is_same_v<T, Size>)
            value.push_back(value[a] / product(T(3), sum(product(value[b], value[b]), T(1))));
          break;
      }
    }
    return {value.end() - 4, value.end()};
  }

 private:
  static constexpr int most_degree = 9;
  std::vector<Step> steps_;
  std::vector<int> degree_;  // of each value, in the symbols: it bounds the digits of fractions
};

constexpr uint64_t seed = 20260;
constexpr int programs = 3000;

// Returns the largest difference of doubles, relative to the sizes of the operands of sums, and
// checks that fractions are equal.
double expect_values(const Program& program, const RandomProgram& direct, Random& random) {
  const Symbols<double> numbers = random_doubles(random);
  const std::vector<double> expected = direct(numbers),
                            found = evaluate<double>(program, numbers.all());
  Symbols<Size> sizes =
      make_symbols<Size>([](int) { return Size(1); }, [](int, SymbolKind) { return Size(2); });
  const std::vector<Size> scale = direct(sizes);
  double worst = 0;
  for (size_t k = 0; k < expected.size(); ++k) {
    const double error = std::abs(found[k] - expected[k]) / std::max(1.0, scale[k].size);
    EXPECT_LT(error, 1e-13);
    worst = std::max(worst, error);
  }
  const Symbols<Exact> fractions = random_fractions(random);
  const std::vector<Exact> exact = direct(fractions),
                           rewritten = evaluate<Exact>(program, fractions.all());
  for (size_t k = 0; k < exact.size(); ++k) EXPECT_EQ(rewritten[k].value, exact[k].value);
  return worst;
}

TEST(RandomExpressions, KeepTheirValues) {
  std::printf("seed %d, %d programs\n", int(seed), programs);
  double worst = 0, worst_regrouped = 0;
  long before = 0, after = 0;
  for (int k = 0; k < programs && !testing::Test::HasFailure(); ++k) {
    TORSOR_TRACE_SEED(seed + uint64_t(k));
    Random random(seed + uint64_t(k));
    const RandomProgram direct(random, 12 + random.below(30), false);
    Graph graph;
    const std::vector<Expression> results = direct(symbols_of(graph));
    const Program program(graph, results);
    worst = std::max(worst, expect_values(program, direct, random));
    NodeNames names;
    const Program regrouped(graph, regroup(graph, results, names));
    worst_regrouped = std::max(worst_regrouped, expect_values(regrouped, direct, random));
    EXPECT_LE(regrouped.count().flops(), program.count().flops());
    before += program.count().flops(), after += regrouped.count().flops();
  }
  EXPECT_LT(after, before);
  std::printf("errors %.1e, regrouped %.1e; operations %ld, regrouped %ld\n", worst,
              worst_regrouped, before, after);
}

// Constants such as 1/3 are rounded: fractions agree to the rounding of doubles, not exactly.
TEST(RandomExpressions, WithQuotientsKeepTheirValues) {
  double worst = 0;
  for (int k = 0; k < programs / 3 && !testing::Test::HasFailure(); ++k) {
    TORSOR_TRACE_SEED(seed + uint64_t(k));
    Random random(seed + uint64_t(k));
    const RandomProgram direct(random, 12 + random.below(20), true);
    Graph graph;
    std::vector<Expression> results = direct(symbols_of(graph));
    for (const bool regrouped : {false, true}) {
      NodeNames names;
      if (regrouped) results = regroup(graph, results, names);
      const Program program(graph, results);
      const Symbols<Exact> fractions = random_fractions(random);
      const std::vector<Exact> exact = direct(fractions),
                               found = evaluate<Exact>(program, fractions.all());
      for (size_t i = 0; i < exact.size(); ++i) {
        const Rational difference = abs(found[i].value - exact[i].value);
        const double error = double(difference) / std::max(1.0, std::abs(double(exact[i].value)));
        EXPECT_LT(error, 1e-13);
        worst = std::max(worst, error);
      }
    }
  }
  std::printf("largest difference %.1e\n", worst);
}

TEST(RandomExpressions, InAnotherOrderAreTheSameNodes) {
  for (int k = 0; k < programs; ++k) {
    TORSOR_TRACE_SEED(seed + uint64_t(k));
    Random random(seed + uint64_t(k));
    const RandomProgram direct(random, 30, true);
    Graph graph;
    const Symbols<Expression> symbols = symbols_of(graph);
    const std::vector<Expression> first = direct(symbols);
    const size_t nodes = graph.nodes().size();
    EXPECT_TRUE(first == direct(symbols, true));
    EXPECT_EQ(graph.nodes().size(), nodes);
  }
}

// Checks that operands come before their nodes, and the promised signs.
TEST(RandomExpressions, AreInNormalForm) {
  for (int k = 0; k < 500; ++k) {
    TORSOR_TRACE_SEED(seed + uint64_t(k));
    Random random(seed + uint64_t(k));
    Graph graph;
    RandomProgram(random, 30, true)(symbols_of(graph));
    for (uint32_t i = 0; i < graph.nodes().size(); ++i) {
      const Node& node = graph.nodes()[i];
      const int n = operands(node.op);
      if (n > 0) {
        EXPECT_LT(node.a.node(), i);
        EXPECT_FALSE(node.a.is_negative());
      }
      if (n > 1) {
        EXPECT_LT(node.b.node(), i);
        EXPECT_FALSE(node.op == Op::multiply && node.b.is_negative());
      }
      EXPECT_FALSE(node.op == Op::constant && node.value < 0);
    }
  }
}

TEST(Graph, FindsItsNodesAfterItsTableGrows) {
  Graph graph;
  const Symbols<Expression> s = symbols_of(graph);
  constexpr int many = 200'000;
  const auto nth = [&](int k) { return s.x + Expression(double(k + 1)); };
  std::vector<Ref> refs;
  for (int k = 0; k < many; ++k) refs.push_back(nth(k).ref());
  const size_t nodes = graph.nodes().size();
  EXPECT_GT(nodes, size_t(many));
  for (int k = 0; k < many; ++k) ASSERT_EQ(nth(k).ref(), refs[size_t(k)]);
  EXPECT_EQ(graph.nodes().size(), nodes);
}

TEST(Graph, IsBounded) {
  Graph graph(100);
  const Symbols<Expression> s = symbols_of(graph);
  try {
    for (int k = 0; k < 200; ++k) (void)(s.x + Expression(double(k + 1)));
    ADD_FAILURE() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "the formulae have more than 100 operations; generate fewer quantities, or a "
                 "smaller robot");
  }
  EXPECT_EQ(graph.nodes().size(), 100u);
}

}  // namespace
}  // namespace torsor::test
