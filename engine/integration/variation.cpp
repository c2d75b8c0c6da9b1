#include "torsor/integration/variation.hpp"

#include <cassert>

#include "torsor/base/linear_algebra.hpp"
#include "torsor/integration/one_step.hpp"
#include "torsor/integration/one_step_methods.hpp"

namespace torsor {

namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

// The implicit midpoint rule for the pair (z, Z) of a state and its derivatives (variation.hpp).
// The stepper of z solves the stage equation
//
//   z_m = z + h/2 f(z_m),   z+ = 2 z_m - z
//
// The derivative of this equation is linear in Z_m. All columns have the same matrix [2 n x 2 n]:
//
//   (1 - h/2 f_z(z_m)) Z_m = Z + h/2 f_s(z_m),   Z+ = 2 Z_m - Z
//
// Newton's method on the pair would factorise a matrix [2 n (1 + m) x 2 n (1 + m)] instead. Two
// rates of the pair provide f_s and f_z. f_s is Z' at Z = 0. f_z is the change of Z' if the first 2
// n columns of Z become the identity.
class MidpointPair : public OneStep {
 public:
  MidpointPair(System& state, System& pair)
      : OneStep(pair, 1),
        step_(make_implicit_midpoint(state)),
        n_(state.layout().velocities),
        m_(layout_.velocities / n_ - 1),
        packed_(z0_) {
    assert(layout_.velocities == n_ * (1 + m_) && layout_.memory == 0 && layout_.works == 0 &&
           m_ >= 2 * n_);
  }

 private:
  bool map(double h, std::span<double> z) override {
    const MatrixXd from = unpacked(z0_.data());
    const VectorXd start = from.col(0);
    step_->start(t0_, {start.data(), size_t(start.size())}, 0);
    if (!step_->advance(t0_ + h)) return false;

    MatrixXd to(2 * n_, 1 + m_), stage = MatrixXd::Zero(2 * n_, 1 + m_), f_s, f_1;
    to.col(0) = Eigen::Map<const VectorXd>(step_->state().data(), 2 * n_);
    stage.col(0) = (start + to.col(0)) / 2;
    if (!derivatives(stage, h, f_s)) return false;
    stage.middleCols(1, 2 * n_).setIdentity();
    if (!derivatives(stage, h, f_1)) return false;
    const MatrixXd f_z = (f_1 - f_s).leftCols(2 * n_);
    const auto Z = from.rightCols(m_);
    to.rightCols(m_) =
        2 * solve(MatrixXd::Identity(2 * n_, 2 * n_) - h / 2 * f_z, Z + h / 2 * f_s) - Z;
    pack(to, z.data());
    return true;
  }

  // Computes Z' [2 n x m] of the pair [z, Z] at the middle of the step, time t0 + h/2. Returns
  // false if the rates of the pair cannot be computed.
  bool derivatives(const MatrixXd& pair, double h, MatrixXd& out) {
    pack(pair, packed_.data());
    if (!rate(t0_ + h / 2, packed_.data(), 0, 0)) return false;
    out = unpacked(k_[0].data()).rightCols(m_);
    return true;
  }

  // unpacked() converts from the layout of the pair to the matrix [z, Z], [2 n x (1 + m)]. pack()
  // converts back.
  MatrixXd unpacked(const double* pair) const {
    MatrixXd out(2 * n_, 1 + m_);
    out << Eigen::Map<const MatrixXd>(pair, n_, 1 + m_),
        Eigen::Map<const MatrixXd>(pair + layout_.first_velocity(), n_, 1 + m_);
    return out;
  }
  void pack(const MatrixXd& z, double* pair) const {
    Eigen::Map<MatrixXd>(pair, n_, 1 + m_) = z.topRows(n_);
    Eigen::Map<MatrixXd>(pair + layout_.first_velocity(), n_, 1 + m_) = z.bottomRows(n_);
  }

  std::unique_ptr<Stepper> step_;  // stepper of z
  Eigen::Index n_, m_;
  std::vector<double> packed_;  // buffer in the layout of the pair
};

}  // namespace

std::unique_ptr<Stepper> make_midpoint_pair(System& state, System& pair) {
  return std::make_unique<MidpointPair>(state, pair);
}

}  // namespace torsor
