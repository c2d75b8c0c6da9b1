#pragma once
// The common part of one-step methods. They differ only in how they compute z(t0 + h) from z(t0).

#include <algorithm>

#include "torsor/integration/integrator.hpp"

namespace torsor {

// A stepper whose map() computes z(t0 + h) from z(t0) alone. For a state inside the step, it calls
// map() with a smaller h.
class OneStep : public Stepper {
 public:
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
  // stages: number of rates that map() stores.
  OneStep(System& system, int stages)
      : system_(system),
        layout_(system.layout()),
        z0_(size_t(layout_.size())),
        z_(z0_),
        k_(size_t(stages), z0_) {}

  // Computes z(t0_ + h) from z0_ = z(t0_). Returns false if the system cannot compute its rate.
  virtual bool map(double h, std::span<double> z) = 0;
  // Computes the rate at (t, z) and stores it in k_[stage].
  bool rate(double t, const double* z, double ahead, int stage) {
    ++rates_;
    return system_.rate(t, z, ahead, k_[size_t(stage)].data());
  }

  System& system_;
  Layout layout_;
  double t0_ = 0, t_ = 0;
  std::vector<double> z0_, z_;
  std::vector<std::vector<double>> k_;
};

}  // namespace torsor
