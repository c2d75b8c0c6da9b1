#include "torsor/integration/one_step_methods.hpp"

#include "torsor/integration/one_step.hpp"

namespace torsor {

namespace {

// Euler integration (MR 9.5, k = 0 .. N-1): z+ = z + h f(t, z).
class Euler : public OneStep {
 public:
  explicit Euler(System& system) : OneStep(system, 1) {}

 private:
  bool map(double h, std::span<double> z) override {
    if (!rate(t0_, z0_.data(), 0, 0)) return false;
    for (size_t i = 0; i < z.size(); ++i) z[i] = z0_[i] + h * k_[0][i];
    return true;
  }
};

// Semi-implicit Euler: u+ = u + h f_u(t, p, u), p+ = p + h u+. The system evaluates damping at u+.
// At the start of a step, the rates of the positions p are the velocities u. Memory is integrated
// by Euler's method. Works are integrated with the powers at the new state.
class SemiImplicitEuler : public OneStep {
 public:
  explicit SemiImplicitEuler(System& system) : OneStep(system, system.layout().works > 0 ? 2 : 1) {}

 private:
  bool map(double h, std::span<double> z) override {
    const int n = layout_.velocities;
    if (!rate(t0_, z0_.data(), h, 0)) return false;
    for (int i = 0; i < n; ++i) {
      z[n + i] = z0_[n + i] + h * k_[0][n + i];
      z[i] = z0_[i] + h * z[n + i];
    }
    for (int i = layout_.first_memory(); i < layout_.size(); ++i) z[i] = z0_[i] + h * k_[0][i];
    if (layout_.works == 0) return true;
    ++rates_;
    if (!system_.work_rates(t0_ + h, z.data(), k_[1].data())) return false;
    for (int i = layout_.first_work(); i < layout_.size(); ++i) z[i] = z0_[i] + h * k_[1][i];
    return true;
  }
};

// The classical Runge-Kutta method of order 4.
class RungeKutta4 : public OneStep {
 public:
  explicit RungeKutta4(System& system) : OneStep(system, 4), stage_(z0_) {}

 private:
  // The arrays are pointers in the loops, so that the compiler uses vector instructions.
  bool map(double h, std::span<double> z) override {
    const size_t n = z0_.size();
    const double* const from = z0_.data();
    const auto stage = [&](int k, double step) {
      double* __restrict at = stage_.data();
      const double* slope = k_[size_t(k - 1)].data();
      for (size_t i = 0; i < n; ++i) at[i] = from[i] + step * slope[i];
      return rate(t0_ + step, at, 0, k);
    };
    if (!rate(t0_, from, 0, 0) || !stage(1, h / 2) || !stage(2, h / 2) || !stage(3, h))
      return false;
    const double *k1 = k_[0].data(), *k2 = k_[1].data(), *k3 = k_[2].data(), *k4 = k_[3].data();
    double* __restrict end = z.data();
    for (size_t i = 0; i < n; ++i)
      end[i] = from[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    return true;
  }

  std::vector<double> stage_;
};

}  // namespace

std::unique_ptr<Stepper> make_euler(System& system) {
  return std::make_unique<Euler>(system);
}
std::unique_ptr<Stepper> make_semi_implicit_euler(System& system) {
  return std::make_unique<SemiImplicitEuler>(system);
}
std::unique_ptr<Stepper> make_rk4(System& system) {
  return std::make_unique<RungeKutta4>(system);
}

}  // namespace torsor
