#pragma once
// The equations y = W x of one sample, with one row for each free dof (identify.hpp). Internal to
// this room.

#include <Eigen/Core>
#include <functional>
#include <span>
#include <vector>

#include "torsor/identification/identify.hpp"

namespace torsor {

class SampleEquations {
 public:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  // The reason why an equation is omitted.
  enum class Loss { none, at_rest, other };

  // independent: the parameters of the columns of W. unmeasured and dead_band: see identify().
  SampleEquations(const std::shared_ptr<const Model>& model, const Vec3<double>& gravity_W,
                  const ParameterChoice& choice, const std::vector<int>& independent,
                  std::span<const int> unmeasured, std::span<const double> dead_band);

  // Computes W at q [n_q], v [n_v] and vdot [n_v].
  void evaluate(std::span<const double> q, std::span<const double> v, const double* vdot);

  const Eigen::MatrixXd& G() const { return G_; }  // [n_v x n_free], see free_rows()
  Eigen::Index n_free() const { return G_.cols(); }
  const Rows& W() const { return W_; }  // [n_free x unknowns]
  // Returns the right sides [n_free] for the torques tau [n_v].
  Eigen::VectorXd y(const double* tau) const;
  // Returns why the equation of a free dof is omitted. The reason may be the joint of this dof, or
  // a joint that mimics it.
  Loss loss(Eigen::Index row) const;
  // Returns whether a column of W belongs to a Coulomb friction.
  bool is_coulomb(Eigen::Index column) const;
  // Returns the dof of a row that mimics no other dof.
  int dof(Eigen::Index row) const;

 private:
  const Model& model_;
  LinearModel linear_;
  State state_;
  const std::vector<int>& independent_;
  Eigen::MatrixXd G_;
  std::vector<Loss> lost_;
  Rows Y_, W_;
  std::vector<int> unmeasured_;
  std::vector<double> dead_band_;  // [n_v]
};

// The equations of one sample.
struct SampleRows {
  SampleEquations::Rows W;
  Eigen::VectorXd y;
  std::vector<SampleEquations::Loss> loss;  // [n_free]
};
// Calls a function for the equations of each sample, in chronological order.
using EverySample = std::function<void(const std::function<void(const SampleRows&)>&)>;

// Returns the equations of a motion. Decimated equations are computed at once, others in each call.
// `at` and `motion` must exist until the last call. Throws Error if a decimation leaves no sample.
EverySample every_sample(SampleEquations& at, const Model& model, const MeasuredMotion& motion,
                         const std::optional<Decimation>& decimation);

}  // namespace torsor
