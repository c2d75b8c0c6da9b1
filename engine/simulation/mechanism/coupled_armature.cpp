#include "torsor/simulation/mechanism/coupled_armature.hpp"

#include <algorithm>

namespace torsor {

CoupledArmature::CoupledArmature(const Mechanism& mechanism) : n_v_(mechanism.n_v) {
  for (const ArmatureElement& element : mechanism.armatures)
    for (const int c : {element.i, element.j})
      if (!std::count(columns_.begin(), columns_.end(), c)) columns_.push_back(c);
  columns_.insert(columns_.end(), mechanism.varying_dofs.begin(), mechanism.varying_dofs.end());
  const auto n = Eigen::Index(columns_.size());
  A_.setZero(n, n);
  for (const auto& [i, j, inertia] : mechanism.armatures)
    A_(place(i), place(j)) = A_(place(j), place(i)) = inertia;
  Y_.resize(n_v_, n);
  K_.resize(n, n);
  b_.resize(n, n_v_ + 1);
  x_.resize(n, n_v_ + 1);
  factor_ = Eigen::PartialPivLU<Eigen::MatrixXd>(n);
}

Eigen::Index CoupledArmature::place(int dof) const {
  return std::find(columns_.begin(), columns_.end(), dof) - columns_.begin();
}

void CoupledArmature::set(const Model& model, const Transmissions& transmissions) {
  for (size_t k = 0; k < model.transmissions.size(); ++k) {
    const Transmission& group = model.transmissions[k];
    if (!group.law) continue;
    const std::span<const double> W = transmissions.inverse(k);
    const size_t n = group.dofs.size();
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (size_t m = 0; m < n; ++m)
          sum += W[m * n + i] * group.motors[m].rotor_inertia * W[m * n + j];
        A_(place(group.dofs[i]), place(group.dofs[j])) = sum;
      }
  }
}

void CoupledArmature::add(double* M_inverse, double* vdot) {
  Eigen::Map<Eigen::MatrixXd> inverse(M_inverse, n_v_, n_v_);
  for (Eigen::Index k = 0; k < A_.cols(); ++k) Y_.col(k) = inverse.col(columns_[size_t(k)]);
  for (Eigen::Index k = 0; k < A_.cols(); ++k) {
    const int column = columns_[size_t(k)];
    K_.row(k) = Y_.row(column).lazyProduct(A_);
    K_(k, k) += 1;
    b_.row(k).head(n_v_) = inverse.row(column);
    b_(k, n_v_) = vdot ? vdot[column] : 0;
  }
  factor_.compute(K_);
  x_ = factor_.solve(b_);
  b_ = A_.lazyProduct(x_);
  inverse -= Y_.lazyProduct(b_.leftCols(n_v_));
  if (vdot) Eigen::Map<Eigen::VectorXd>(vdot, n_v_) -= Y_.lazyProduct(b_.col(n_v_));
}

}  // namespace torsor
