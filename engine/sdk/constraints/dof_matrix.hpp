#pragma once
// The matrix 1 + X^T W X of a problem whose G has the factor X (torsor_constraint_factor), in the
// units of Contact: X is D^-1 X, so that A = X X^T has the diagonal 1. W consists of blocks, one
// for each contact or row in no contact. The matrix couples the dof of bodies that touch. It is
// much smaller than A if there are more rows than dof, and its factor is sparse.

#include "torsor/sdk/constraints/constraint_view.hpp"
#include "torsor/sdk/constraints/supernodal_factor.hpp"

namespace torsor::sdk {

class DofMatrix {
 public:
  static constexpr int most = Contact::most_rows;

  // Returns the size of the work area for problems of this size.
  static size_t work_doubles(const torsor_constraint_size& size) {
    return SupernodalFactor::work_doubles(size_t(size.n_nodes), size_t(size.n_fill),
                                          size_t(size.n_factor)) +
           (size_t(size.n_dofs) + 1) / 2 + size_t(size.n);
  }
  DofMatrix() = default;
  // The problem has a factor. d: [n] the units of its rows. work: [work_doubles()].
  DofMatrix(const torsor_constraint_problem& problem, const double* d, double* work)
      : X_(problem.factor), n_(problem.n), inverse_d_(work) {
    for (int i = 0; i < n_; ++i) inverse_d_[i] = d[i] > 0 ? 1 / d[i] : 0;
    work += n_;
    node_ = ::new (static_cast<void*>(work)) int[size_t(X_->n_dofs)];
    work += (size_t(X_->n_dofs) + 1) / 2;
    pattern_ = {X_->n_nodes, X_->node_start, X_->fill_start, X_->fill};
    for (int k = 0; k < X_->n_nodes; ++k)
      std::fill(node_ + X_->node_start[k], node_ + X_->node_start[k + 1], k);
    factor_ = SupernodalFactor(pattern_, work);
  }

  int n_dofs() const { return X_->n_dofs; }

  // Writes X v [n] for v [n_dofs].
  void multiply(const double* v, double* y) const {
    for (int i = 0; i < n_; ++i) {
      double sum = 0;
      for (int k = X_->row_start[i]; k < X_->row_start[i + 1]; ++k)
        sum += X_->value[k] * v[X_->column[k]];
      y[i] = inverse_d_[i] * sum;
    }
  }
  // Writes X^T x [n_dofs] for x [n].
  void multiply_transposed(const double* x, double* v) const {
    std::fill_n(v, n_dofs(), 0.0);
    for (int i = 0; i < n_; ++i) {
      const double factor = inverse_d_[i] * x[i];
      for (int k = X_->row_start[i]; k < X_->row_start[i + 1]; ++k)
        v[X_->column[k]] += factor * X_->value[k];
    }
  }

  // Sets the matrix to 1.
  void reset() {
    factor_.clear();
    for (int k = 0; k < pattern_.n_nodes; ++k) {
      const auto block = factor_.block(k, k);
      for (int i = 0; i < pattern_.size(k); ++i) block.value[i * block.length + i] = 1;
    }
  }
  // Adds X^T W X for the block W [n_rows][most] of the rows first .. first + n_rows - 1. These have
  // the same columns.
  void add(int first, int n_rows, const double* W) {
    const int start = X_->row_start[first], length = X_->row_start[first + 1] - start;
    const int32_t* const column = X_->column + start;
    double scaled[most * most];
    for (int i = 0; i < n_rows; ++i)
      for (int j = 0; j < n_rows; ++j)
        scaled[i * most + j] = inverse_d_[first + i] * W[i * most + j] * inverse_d_[first + j];
    for (int b = 0; b < length; b = end_of_node(column, b, length))
      add_columns(X_->value + start, length, n_rows, scaled, column, b,
                  end_of_node(column, b, length));
  }
  // Factorises the matrix. Returns false if a pivot is too small.
  bool compute() { return factor_.compute(); }
  // Replaces v [n_dofs] by the solution.
  void solve(double* v) const { factor_.solve(v); }

 private:
  static constexpr int most_columns = 32;

  int end_of_node(const int32_t* column, int begin, int length) const {
    const int node = node_[column[begin]];
    int end = begin + 1;
    while (end < length && end < begin + most_columns && node_[column[end]] == node) ++end;
    return end;
  }
  // Adds the columns begin .. end - 1 of X^T (W X).
  void add_columns(const double* X, int length, int n_rows, const double* W, const int32_t* column,
                   int begin, int end) {
    double V[most][most_columns];
    for (int i = 0; i < n_rows; ++i) {
      std::fill_n(V[i], end - begin, 0.0);
      for (int l = 0; l < n_rows; ++l)
        for (int j = begin; j < end; ++j) V[i][j - begin] += W[i * most + l] * X[l * length + j];
    }
    const int to = node_[column[begin]];
    SupernodalFactor::Block block{};
    for (int a = 0, node = -1; a < length; ++a) {
      if (node_[column[a]] != node) {
        node = node_[column[a]];
        block = factor_.block(node, to);
      }
      double* const row =
          block.value + (column[a] - X_->node_start[node]) * block.length - X_->node_start[to];
      for (int i = 0; i < n_rows; ++i)
        for (int j = begin; j < end; ++j) row[column[j]] += X[i * length + a] * V[i][j - begin];
    }
  }

  const torsor_constraint_factor* X_ = nullptr;
  int n_ = 0;
  FillPattern pattern_;
  SupernodalFactor factor_;
  double* inverse_d_ = nullptr;
  int* node_ = nullptr;  // [n_dofs]
};

}  // namespace torsor::sdk
