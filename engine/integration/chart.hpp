#pragma once
// The chart q = q_0 (+) d in which integrators make their steps (model.hpp: integrate, chart_rate),
// and its derivatives. K(d) = dexp_(-d)^-1 for each joint:
//
//   ddot = K(d) v                                                        if the joints move at v
//   dq = Ad(exp(-d)) dq_0 + dexp_(-d) dd = K(d)^-1 (K(-d) dq_0 + dd)     if q_0 and d change
//
// dq and dq_0 are in tangent coordinates. The second form of dq follows from Ad(exp(-d)) =
// dexp_(-d) dexp_d^-1. For joints of one degree of freedom, K = 1 and dq = dq_0 + dd.

#include <Eigen/LU>

#include "torsor/model/model.hpp"

namespace torsor {

// Returns whether a joint with several dof has turned by more than 2 rad in the chart d [n_v]. The
// next step should then start in a new chart, because the limit of a chart is 2 pi.
bool chart_needs_restart(const Model& model, const double* d);

// Matrices of the chart and their derivatives at a given d.
class Chart {
 public:
  explicit Chart(const Model& model);  // the model must outlive the chart

  // Sets d [n_v]. The rotation angle of every joint in d must be below 2 pi.
  void go_to(const Eigen::VectorXd& d);
  bool is_flat() const { return model_.mapped.empty(); }

  // Returns K(d) v for each column of v.
  Eigen::MatrixXd rates(const Eigen::MatrixXd& v) const;
  // Returns the first-order change of K(d) v at constant v, for each column of dd, a change of d.
  Eigen::MatrixXd rate_slopes(const Eigen::VectorXd& v, const Eigen::MatrixXd& dd) const;
  // Replace the momenta p of v by pi = K^-T p, those of ddot, and pi by p, [n_v].
  void to_momenta(double* p) const;
  void from_momenta(double* pi) const;
  // Subtracts Kdot^T pi from pdot [n_v], if d changes at the rate ddot.
  void subtract_momentum_rate(const double* ddot, const double* pi, double* pdot) const;
  // Returns dq [n_v x columns] for each column of dq_0 and dd.
  Eigen::MatrixXd displacements(const Eigen::MatrixXd& dq_0, const Eigen::MatrixXd& dd) const;

 private:
  Eigen::MatrixXd matrix(const Eigen::VectorXd& d) const;

  const Model& model_;
  Eigen::VectorXd d_;
  Eigen::MatrixXd K_, K_back_;  // K(d), K(-d); empty if the chart is flat
  Eigen::PartialPivLU<Eigen::MatrixXd> factor_;
};

}  // namespace torsor
