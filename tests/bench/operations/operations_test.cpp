// Tests of the scalar that counts operations, and of the counts of kernels.

#include <gmock/gmock.h>

#include "bench/operations/count.hpp"
#include "torsor/model/random_robot.hpp"

namespace torsor::test {
namespace {

using namespace bench;

class CountedNumbers : public testing::Test {
 protected:
  Counted input() { return Counted(tally); }
  void expect(long long products, long long sums, long long divisions, double path) const {
    EXPECT_EQ(tally.products, products);
    EXPECT_EQ(tally.sums, sums);
    EXPECT_EQ(tally.divisions, divisions);
    EXPECT_EQ(tally.path, path);
  }
  Tally tally;
};

TEST_F(CountedNumbers, ASumOfProductsIsAChainOfFusedOperations) {
  const Counted a = input(), b = input();
  const Counted sum = a * b + a * a + b * b;  // fma(b, b, fma(a, a, a b))
  expect(3, 2, 0, 3);
  EXPECT_EQ(tally.fusable, 2);
  EXPECT_EQ(sum.known_at(), 3);
}

TEST_F(CountedNumbers, AProductOfSumsIsNotFused) {
  const Counted a = input(), b = input();
  const Counted product = (a + b) * (a - b);
  expect(1, 2, 0, 2);
  EXPECT_EQ(tally.fusable, 0);
  EXPECT_EQ((product + a).known_at(), 2);  // fma(a + b, a - b, a)
  EXPECT_EQ((-product - a * b).known_at(), 2);
}

TEST_F(CountedNumbers, IndependentOperationsAreAtTheSameTime) {
  const Counted a = input();
  const Counted left = (a + a) + a, right = (a + a) * a;
  expect(1, 3, 0, 2);
  EXPECT_EQ((left + right).known_at(), 3);  // fma(a + a, a, left)
}

TEST_F(CountedNumbers, ConstantsThatACompilerRemovesAreFree) {
  const Counted a = input();
  for (const Counted& x : {Counted(0) + a, a - Counted(0), Counted(1) * a, a * Counted(-1),
                           Counted(0) * a, -a, Counted(3) * Counted(2), Counted(0) / a})
    EXPECT_EQ(x.known_at(), 0);
  expect(0, 0, 0, 0);
  EXPECT_EQ((Counted(2) * a).known_at(), 1);
  EXPECT_EQ((a + Counted(1)).known_at(), 1);
  expect(1, 1, 0, 1);
}

TEST_F(CountedNumbers, LatenciesAreThoseOfTheMachine) {
  tally.latency = {.multiply_add = 0.5, .division = 4};
  const Counted a = input();
  EXPECT_EQ((Counted(1) / (a + a)).known_at(), 4.5);
  expect(0, 1, 1, 4.5);
}

// Returns a robot whose bodies are moved by revolute joints. In a tree, each body carries two
// others.
std::shared_ptr<const Model> robot(int n, bool is_tree) {
  Random random(1);
  RobotDescription out;
  out.name = "robot";
  for (int i = 0; i < n; ++i) {
    LinkDescription link;
    link.name = "link" + std::to_string(i);
    if (i > 0) link.parent = out.links[size_t(is_tree ? (i - 1) / 2 : i - 1)].name;
    link.joint.name = "joint" + std::to_string(i);
    link.joint.kind = JointKind::revolute;
    link.joint.armature = 0.1;
    link.joint.placement = ScrewPlacement{.X_PL = random.pose(0.3), .axis = random.direction()};
    link.inertia = random_inertia(random, 0.1, 10);
    out.links.push_back(std::move(link));
  }
  return build(out);
}
std::shared_ptr<const Model> chain(int n) {
  return robot(n, false);
}
Operations operations(const Model& model, Work work) {
  for (const Operations& each : count_operations(model))
    if (each.work == work) return each;
  throw std::logic_error("not counted");
}

// M of one joint about z is Izz + armature.
TEST(CountedKernels, TheMassMatrixOfOneJointIsASum) {
  const Operations M = operations(*chain(1), Work::mass_matrix);
  EXPECT_EQ(M.products, 0);
  EXPECT_EQ(M.sums, 1);
  EXPECT_EQ(M.divisions, 0);
  EXPECT_EQ(M.path, 1);
  EXPECT_EQ(M.result_numbers, 1u);
  EXPECT_EQ(M.state_numbers, 12u);
  EXPECT_EQ(M.model_numbers, 11u);
}

// Each body of a chain adds the same operations to a recursion, and the same length to its longest
// path: the rotation of the motion of the parent, and that of the wrench of the body.
TEST(CountedKernels, RecursionsGrowByTheSameAmountWithEachBody) {
  for (const Work work : {Work::inverse, Work::forward}) {
    SCOPED_TRACE(name(work));
    const Operations a = operations(*chain(5), work), b = operations(*chain(6), work),
                     c = operations(*chain(7), work);
    EXPECT_EQ(c.products - b.products, b.products - a.products);
    EXPECT_EQ(c.sums - b.sums, b.sums - a.sums);
    // The longest path may take another branch of an equally long formula.
    EXPECT_NEAR(c.path - b.path, b.path - a.path, 1);
    EXPECT_EQ(b.divisions - a.divisions, work == Work::forward);
    EXPECT_GT(b.path, a.path);
  }
}

// The rotations of a body of inverse dynamics (w, wd, a, f and n: 45 products), the matrix U (6),
// U r and U h (18), the wrench and the moment of its force (24 to 36), at least. The efficient
// recursion of KHALIL 7.5 with base parameters needs fewer, because its DH frames have zeros.
TEST(CountedKernels, InverseDynamicsOfABodyHasThisSize) {
  const long long products =
      operations(*chain(6), Work::inverse).products - operations(*chain(5), Work::inverse).products;
  EXPECT_GE(products, 45 + 6 + 18 + 24);
  EXPECT_LE(products, 160);
}

// A tree of 15 bodies has four levels. Its path is little longer than that of a chain of four.
TEST(CountedKernels, PathsFollowTheDepthOfATree) {
  const double deep = operations(*chain(15), Work::inverse).path,
               path_of_four = operations(*chain(4), Work::inverse).path;
  const double path = operations(*robot(15, true), Work::inverse).path;
  EXPECT_LE(path, path_of_four + 3);  // a sum of two wrenches at each of three branchings
  EXPECT_GE(path, path_of_four);
  EXPECT_GT(deep, 3 * path);
}

TEST(Bounds, AreTheLargestOfArithmeticLoadsStoresAndThePath) {
  const Machine machine{
      .lanes = 8, .latency = {}, .multiply_adds = 10, .divisions = 2, .loads = 20, .stores = 5};
  Operations each{Work::inverse, "", 300, 400, 6, 400, 50, 1000, 100, 5};
  EXPECT_EQ(bounds(each, machine).throughput, 400 / 10. + 6 / 2.);
  EXPECT_EQ(bounds(each, machine).one(), 50);
  each.fusable = 200;
  EXPECT_EQ(bounds(each, machine).throughput, 500 / 10. + 6 / 2.);
  each.state_numbers = 2000;
  EXPECT_EQ(bounds(each, machine).throughput, 100);
  EXPECT_EQ(bounds(each, machine).one(), 100);
  each.result_numbers = 1000;
  EXPECT_EQ(bounds(each, machine).throughput, 200);
}

}  // namespace
}  // namespace torsor::test
