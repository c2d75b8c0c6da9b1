#pragma once
// Costs of every step that depend on single coordinates: effort, motion, and limits.

#include <vector>

#include "torsor/model/model.hpp"
#include "torsor/planning/cost.hpp"

namespace torsor {

// The coordinates to which a running cost refers.
enum class Coordinates { q, v, tau };

// Base of the costs dt sum_k f_k(z_k) of every step, where z is q, v or tau and k counts dof. A dof
// that is not the rate of one entry of q has no cost of q.
class CoordinateCost : public Cost {
 public:
  CoordinateCost(const Model& model, Coordinates z, double dt);
  double running(size_t step, const Eigen::VectorXd& x, const Eigen::VectorXd& u) override;
  void add_running(size_t step, const Eigen::VectorXd& x, const Eigen::VectorXd& u, double weight,
                   CostModel& out) override;

 protected:
  struct Value {
    double f, slope, curvature;  // f_k and its first and second derivative
  };

 private:
  virtual Value value(size_t k, double z) const = 0;

  Coordinates z_;
  std::vector<int> index_;  // [n_v] of z_k in x or u; -1: there is none
  double dt_;
};

// f_k = weight_k z_k^2 / 2, with weights [n_v].
class QuadraticCost : public CoordinateCost {
 public:
  QuadraticCost(const Model& model, Coordinates z, std::vector<double> weights, double dt)
      : CoordinateCost(model, z, dt), weights_(std::move(weights)) {}

 private:
  Value value(size_t k, double z) const override;
  std::vector<double> weights_;
};

// Limits of coordinates [n_v]; infinite where there is none.
struct CoordinateLimits {
  std::vector<double> lower, upper;
};

// f_k = e_k^2 / 2, where e_k is the excess of z_k beyond the limits.
class PenaltyCost : public CoordinateCost {
 public:
  PenaltyCost(const Model& model, Coordinates z, CoordinateLimits limits, double dt)
      : CoordinateCost(model, z, dt), limits_(std::move(limits)) {}

 private:
  Value value(size_t k, double z) const override;
  CoordinateLimits limits_;
};

// f_k = -log((upper - z_k) / h) - log((z_k - lower) / h), without the logarithm of an infinite
// limit. h is half of the range between the limits, so that f_k is 0 in its middle; 1 if one limit
// is infinite. f_k is infinite at the limits and beyond them.
class BarrierCost : public CoordinateCost {
 public:
  BarrierCost(const Model& model, Coordinates z, CoordinateLimits limits, double dt)
      : CoordinateCost(model, z, dt), limits_(std::move(limits)) {}

 private:
  Value value(size_t k, double z) const override;
  CoordinateLimits limits_;
};

}  // namespace torsor
