#pragma once
// The equations y = W x of samples, with one row for each free dof (identify.hpp). Internal to this
// room.

#include <Eigen/Core>
#include <functional>
#include <span>
#include <vector>

#include "torsor/identification/identify.hpp"

namespace torsor {

// The equations of one sample.
struct SampleRows;

class SampleEquations {
 public:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  // The reason why an equation is omitted.
  enum class Loss { none, at_rest, other };
  // The number of samples that are evaluated at once.
  static constexpr size_t most_samples = 8;

  // independent: the parameters of the columns of W. unmeasured and dead_band: see identify().
  SampleEquations(const std::shared_ptr<const Model>& model, const Vec3<double>& gravity_W,
                  const ParameterChoice& choice, const std::vector<int>& independent,
                  std::span<const int> unmeasured, std::span<const double> dead_band);

  Eigen::Index n_free() const { return Eigen::Index(n_free_); }
  Eigen::Index unknowns() const { return Eigen::Index(independent_.size()); }

  // Computes W of the samples [first, first + count) of a motion, and the reasons to omit their
  // equations. count: at most most_samples.
  void evaluate(const MeasuredMotion& motion, size_t first, size_t count);
  // Return a column of W of a free dof [count], and the right side and the loss of sample first + k,
  // from the last evaluate().
  std::span<const double> W(size_t row, size_t column) const;
  double y(size_t row, size_t k) const { return y_[row * most_samples + k]; }
  // The reason may be the joint of this dof, or a joint that mimics it.
  Loss loss(size_t row, size_t k) const { return loss_[row * most_samples + k]; }
  // Copies all equations of sample first + k.
  void get(size_t k, SampleRows& out) const;

  // Returns whether a column of W belongs to a Coulomb friction.
  bool is_coulomb(size_t column) const;
  // Returns the dof of a row that mimics no other dof.
  int dof(Eigen::Index row) const;

 private:
  void combine_rows(const MeasuredMotion& motion, size_t first);
  void find_losses(const MeasuredMotion& motion, size_t first);

  const Model& model_;
  LinearModel linear_;
  const std::vector<int>& independent_;
  // The entries of G, see free_rows().
  struct Term {
    size_t dof, row;
    double factor;
  };
  std::vector<Term> G_;
  size_t n_free_;
  std::vector<int> unmeasured_;
  std::vector<double> dead_band_;  // [n_v]
  StateBatch states_;
  std::vector<double> vdot_, Y_;  // [n_v][stride], [n_v][parameters][stride]
  std::vector<double> W_, y_;     // [n_free][unknowns][stride], [n_free][stride]
  std::vector<Loss> loss_;        // [n_free][stride]
  std::vector<Loss> lost_;        // [n_v] of one sample
};

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
