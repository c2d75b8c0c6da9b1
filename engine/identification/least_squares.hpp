#pragma once
// Weighted least squares for groups of equations y = W x, such as those of each joint
// (identify.hpp). Internal to this room.

#include <Eigen/Core>
#include <vector>

#include "torsor/identification/identify.hpp"

namespace torsor {

inline constexpr long least_freedom = 10;  // minimum excess of equations over unknowns

// The equations y = W x of one group. Stores only the factor R of a QR decomposition of (W | y),
// whose size does not depend on the number of equations: |y - W x|^2 = |R (-x, 1)|^2.
class Equations {
 public:
  explicit Equations(Eigen::Index unknowns);
  template <class Row>
  void add(const Row& w, double y) {
    if (filled_ == rows_.rows()) compress();
    rows_.row(filled_).head(w.size()) = w;
    rows_(filled_++, rows_.cols() - 1) = y;
    square_sum_ += y * y;
    ++count_;
  }
  // Returns R [unknowns + 1 x unknowns + 1].
  Eigen::MatrixXd finish();
  long count() const { return count_; }
  double root_mean_square() const;

 private:
  void compress();
  Eigen::MatrixXd rows_;
  Eigen::Index filled_;
  long count_ = 0;
  double square_sum_ = 0;
};

struct Fit {
  Eigen::VectorXd x, deviation;
  // A = R_inverse R_inverse^T is the covariance of x for independent errors.
  Eigen::MatrixXd R_inverse;
  std::vector<double> weight;    // standard deviations by which the equations were divided
  std::vector<double> residual;  // standard deviations of the residuals, per group
};

// Estimates the parameters from the equations of each group, and sets the estimates, the condition
// number, the covariance and the residuals of `out`. out.base, out.samples, out.equations and
// out.joints, one for each group, must be set. Throws the errors of identify() about excitation.
Fit fit_parameters(std::vector<Equations>& equations, bool equal_weights, Identification& out);

// Sets the deviations and the confidence intervals. freedom: degrees of freedom of Student's t.
void set_intervals(const Eigen::VectorXd& deviation, long freedom, Identification& out);

}  // namespace torsor
