// Tests of the products of small matrices against those of Eigen.

#include <gtest/gtest.h>

#include "torsor/planning/products.hpp"

namespace torsor::test {
namespace {

using Eigen::Index, Eigen::MatrixXd;

// Returns a matrix of small integers, whose products are exact. Some entries are zero.
MatrixXd integers(Index rows, Index columns, int seed) {
  MatrixXd out(rows, columns);
  for (Index i = 0; i < out.size(); ++i) out(i) = double((i * 7 + seed) % 11 - 5);
  return out;
}

TEST(Products, EqualThoseOfEigen) {
  for (const Index m : {1, 7, 16, 33})
    for (const Index k : {1, 3, 4, 9, 14})
      for (const Index n : {1, 5}) {
        const MatrixXd A = integers(m, k, 1), before = integers(m, n, 3);
        MatrixXd X = integers(k, n, 2), Y = before;
        X.topRows(k / 2).setZero();
        add_product(A, X, Y);
        EXPECT_EQ(Y, before + A * X) << m << " x " << k << " x " << n;
      }
}

TEST(Products, AcceptBlocks) {
  const MatrixXd A = integers(9, 9, 1), X = integers(9, 9, 2), before = integers(9, 9, 3);
  MatrixXd Y = before;
  add_product(A.block(1, 2, 4, 6), X.block(3, 1, 6, 5), Y.block(2, 3, 4, 5));
  MatrixXd expected = before;
  expected.block(2, 3, 4, 5) += A.block(1, 2, 4, 6) * X.block(3, 1, 6, 5);
  EXPECT_EQ(Y, expected);
}

}  // namespace
}  // namespace torsor::test
