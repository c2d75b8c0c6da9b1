#pragma once
// Derivatives in the chart q = q_0 (+) d, in which steps are made (model.hpp: chart_rate): with K(d) = dexp_(-d)^-1, joint by joint,
//   ddot = K(d) v                                                               where the joints move at v
//   dq = Ad(exp(-d)) dq_0 + dexp_(-d) dd = K(d)^-1 (K(-d) dq_0 + dd)            where base and d change, in tangent coordinates
// since Ad(exp(-d)) = dexp_(-d) dexp_d^-1. On joints of one degree of freedom K = 1 and dq = dq_0 + dd.

#include <Eigen/LU>

#include "torsor/model/model.hpp"

namespace torsor {

class Chart {
 public:
  explicit Chart(const Model& model);  // which must outlive it

  // At a d [n_v]. Every joint's angle |d| < 2 pi.
  void go_to(const Eigen::VectorXd& d);
  bool is_flat() const { return model_.mapped.empty(); }

  // K(d) of a matrix's columns, and d(K(d) v)/dd of these.
  Eigen::MatrixXd rates(const Eigen::MatrixXd& v) const;
  Eigen::MatrixXd rate_slopes(const Eigen::VectorXd& v, const Eigen::MatrixXd& dd) const;
  // dq [n_v x columns]
  Eigen::MatrixXd displacements(const Eigen::MatrixXd& dq_0, const Eigen::MatrixXd& dd) const;

 private:
  Eigen::MatrixXd matrix(const Eigen::VectorXd& d) const;

  const Model& model_;
  Eigen::VectorXd d_;
  Eigen::MatrixXd K_, K_back_;  // K(d), K(-d); none where all is flat
  Eigen::PartialPivLU<Eigen::MatrixXd> factor_;
};

}  // namespace torsor
