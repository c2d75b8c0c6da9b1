#include "torsor/integration/one_step_methods.hpp"

#include <algorithm>

namespace torsor {

namespace {

// What the three share: z0 at t0, the method's map z0 -> z(t0 + h), and the state inside a step by the same map with a smaller h.
class OneStep : public Stepper {
 public:
  explicit OneStep(System& system)
      : system_(system), layout_(system.layout()), z0_(size_t(layout_.size())), z_(z0_), stage_(z0_) {
    for (auto& k : k_) k.resize(z0_.size());
  }

  void start(double t, std::span<const double> z, double) override {
    t_ = t;
    std::copy(z.begin(), z.end(), z_.begin());
  }
  bool advance(double t_end) override {
    t0_ = t_;
    z0_.swap(z_);
    if (!map(t_end - t0_, z_)) return false;
    t_ = t_end;
    return true;
  }
  double time() const override { return t_; }
  std::span<const double> state() const override { return z_; }
  bool state_at(double t, std::span<double> z) override { return map(t - t0_, z); }

 protected:
  virtual bool map(double h, std::span<double> z) = 0;
  bool rate(double t, const double* z, double ahead, int stage) {
    ++rates_;
    return system_.rate(t, z, ahead, k_[stage].data());
  }

  System& system_;
  Layout layout_;
  double t0_ = 0, t_ = 0;
  std::vector<double> z0_, z_, stage_, k_[4];
};

// z+ = z + h f(t, z): MR 9.5's Euler integration, k = 0 .. N-1
class Euler : public OneStep {
 public:
  using OneStep::OneStep;
  bool map(double h, std::span<double> z) override {
    if (!rate(t0_, z0_.data(), 0, 0)) return false;
    for (size_t i = 0; i < z.size(); ++i) z[i] = z0_[i] + h * k_[0][i];
    return true;
  }
};

// u+ = u + h f_u(t, p, u), with what damps at u+ (the system's part); p+ = p + h u+, since the rate of the positions is u where a
// step starts. The works are integrated at the new state, memory by Euler.
class SemiImplicitEuler : public OneStep {
 public:
  using OneStep::OneStep;
  bool map(double h, std::span<double> z) override {
    const int n = layout_.velocities;
    if (!rate(t0_, z0_.data(), h, 0)) return false;
    for (int i = 0; i < n; ++i) {
      z[n + i] = z0_[n + i] + h * k_[0][n + i];
      z[i] = z0_[i] + h * z[n + i];
    }
    for (int i = layout_.first_memory(); i < layout_.size(); ++i) z[i] = z0_[i] + h * k_[0][i];
    if (layout_.works == 0) return true;
    if (!rate(t0_ + h, z.data(), 0, 1)) return false;
    for (int i = layout_.first_work(); i < layout_.size(); ++i) z[i] = z0_[i] + h * k_[1][i];
    return true;
  }
};

// Classical Runge-Kutta.
class RungeKutta4 : public OneStep {
 public:
  using OneStep::OneStep;
  bool map(double h, std::span<double> z) override {
    const auto stage = [&](int k, double step) {
      for (size_t i = 0; i < z.size(); ++i) stage_[i] = z0_[i] + step * k_[k - 1][i];
      return rate(t0_ + step, stage_.data(), 0, k);
    };
    if (!rate(t0_, z0_.data(), 0, 0) || !stage(1, h / 2) || !stage(2, h / 2) || !stage(3, h)) return false;
    for (size_t i = 0; i < z.size(); ++i)
      z[i] = z0_[i] + h / 6 * (k_[0][i] + 2 * k_[1][i] + 2 * k_[2][i] + k_[3][i]);
    return true;
  }
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
