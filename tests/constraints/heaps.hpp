#pragma once
// Random heaps of free bodies with the components of their rows, for the factor of G.

#include <numeric>

#include "support/contact_problems.hpp"
#include "torsor/constraints/islands/row_factor.hpp"
#include "torsor/handles/constraint_solver.hpp"

namespace torsor::test {

// A problem whose G is stored with all entries, and its components by rows. A body has six columns
// of X.
class Heap {
 public:
  explicit Heap(RandomProblem given) : p(std::move(given)), lambda(p.c.size()) {
    const auto n = size_t(p.c.size());
    for (size_t i = 0; i < n; ++i) {
      for (int k = 0; k < p.X.cols(); ++k)
        if (const double x = p.X(Eigen::Index(i), k); x != 0) components_.push_back({k, x});
      first_.push_back(components_.size());
      for (size_t j = 0; j < n; ++j) {
        column_.push_back(int32_t(j));
        value_.push_back(p.G(Eigen::Index(i), Eigen::Index(j)));
      }
      row_start_.push_back(int32_t(column_.size()));
    }
    for (int k = 0; k < p.X.cols(); ++k) node_.push_back(k / 6);
    compliance.assign(n, 0);
    rows.resize(n), head.resize(n);
    std::iota(rows.begin(), rows.end(), 0);
    std::iota(head.begin(), head.end(), 0);
    for (const torsor_friction& friction : p.frictions)
      std::fill_n(head.begin() + friction.first, friction.count, friction.normal);
  }
  HalfRows halves() const { return {first_, components_, compliance, node_}; }
  ConstraintProblem problem() const {
    const auto span = [](const Eigen::VectorXd& v) {
      return std::span(v.data(), size_t(v.size()));
    };
    return {.G = nullptr,
            .c = span(p.c),
            .c_terms = span(p.c_terms),
            .lower = span(p.lower),
            .upper = span(p.upper),
            .frictions = p.frictions,
            .sparse = {row_start_, column_, value_}};
  }
  std::span<double> result() { return {lambda.data(), size_t(lambda.size())}; }

  RandomProblem p;
  Eigen::VectorXd lambda;
  std::vector<double> compliance;  // [rows]
  std::vector<int> rows, head;     // RowFactor::evaluate()

 private:
  std::vector<size_t> first_ = {0};
  std::vector<Term> components_;
  std::vector<int> node_;
  std::vector<int32_t> row_start_ = {0}, column_;
  std::vector<double> value_;
};

}  // namespace torsor::test
