#include "torsor/constraints/loops/mechanism_dynamics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/base/error.hpp"
#include "torsor/constraints/loops/constrained_dynamics.hpp"

namespace torsor {

namespace {

class ClosedMechanism {
 public:
  explicit ClosedMechanism(const Model& model) : dynamics_(model), held_(size_t(model.n_v), 0) {
    for (const int dof : dynamics_.actuated()) held_[size_t(dof)] = 1;
  }

  Status evaluate(Solver& solver, const State& state, Quantity quantity, const double* given,
                  std::span<const double> springs, double* out, std::string& reason) {
    if (const Status status = dynamics_.evaluate_motions(solver, state); !status) return status;
    if (dynamics_.is_closed()) return result(quantity, given, springs, out);
    State closed = state;
    try {
      ConstrainedDynamics::assemble(solver, closed, held_);
    } catch (const Error& error) {
      reason = fmt::format(
          "its model has closed loops, and the joints with motors keep the given position: {}; set "
          "passive = true for the joints that follow from others",
          error.what());
      return {TORSOR_BAD_ARGUMENT};
    }
    if (const Status status = dynamics_.evaluate_motions(solver, closed); !status) return status;
    return result(quantity, given, springs, out);
  }

 private:
  // inverse dynamics is linear in the accelerations: its columns are those of M.
  Status result(Quantity quantity, const double* given, std::span<const double> springs,
                double* out) {
    const Eigen::Index n = Eigen::Index(springs.size());
    dynamics_.add_bias(springs);
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(n);
    switch (quantity) {
      case Quantity::forward:
        write(dynamics_.forward(Eigen::Map<const Eigen::VectorXd>(given, n)).vdot, out);
        return {};
      case Quantity::mass_matrix: {
        const Eigen::VectorXd bias = dynamics_.follow(none).tau;
        for (Eigen::Index j = 0; j < n; ++j) {
          const Eigen::VectorXd column = dynamics_.follow(Eigen::VectorXd::Unit(n, j)).tau - bias;
          for (Eigen::Index i = 0; i < n; ++i) out[i * n + j] = column[i];
        }
        return {};
      }
      case Quantity::inverse:
        write(dynamics_.follow(Eigen::Map<const Eigen::VectorXd>(given, n)).tau, out);
        return {};
      default:  // bias, and gravity at v = 0
        write(dynamics_.follow(none).tau, out);
        return {};
    }
  }
  static void write(const Eigen::VectorXd& x, double* out) { std::copy_n(x.data(), x.size(), out); }

  ConstrainedDynamics dynamics_;
  std::vector<char> held_;
};

}  // namespace

MechanismDynamics mechanism_dynamics(const Model& model) {
  if (model.closures.empty()) return {};
  return [closed = ClosedMechanism(model)](Solver& solver, const State& state, Quantity quantity,
                                           const double* given, std::span<const double> springs,
                                           double* out, std::string& reason) mutable {
    return closed.evaluate(solver, state, quantity, given, springs, out, reason);
  };
}

}  // namespace torsor
