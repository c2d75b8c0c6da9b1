// The integrator implicit_midpoint.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/base/error.hpp"
#include "torsor/integration/newton_matrix.hpp"
#include "torsor/integration/one_step.hpp"
#include "torsor/integration/one_step_methods.hpp"

namespace torsor {

namespace {

// The implicit midpoint rule. Newton's method, with J at the start of the step, solves
//
//   z_m = z + h/2 f(t + h/2, z_m),   z+ = z + h f(t + h/2, z_m)
class ImplicitMidpoint : public OneStep {
 public:
  explicit ImplicitMidpoint(System& system)
      : OneStep(system, 1), newton_(system), middle_(z0_), change_(z0_) {}

 private:
  static constexpr int most_iterations = 20;

  bool map(double h, std::span<double> z) override {
    const double t = t0_ + h / 2;
    const std::vector<double>& k = k_[0];
    middle_ = z0_;
    if (!rate(t, middle_.data(), 0, 0)) return false;
    if (!newton_.differentiate(t, z0_.data(), k.data(), rates_)) return false;
    if (!newton_.factorise(h / 2)) fail("the matrix of Newton's method is singular");
    double before = 0;  // change of the iteration before; 0: there is none
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      for (size_t i = 0; i < z0_.size(); ++i) change_[i] = z0_[i] + h / 2 * k[i] - middle_[i];
      newton_.solve(change_.data());
      for (size_t i = 0; i < z0_.size(); ++i) middle_[i] += change_[i];
      if (!rate(t, middle_.data(), 0, 0)) return false;
      // The iteration converges linearly, so the next change would be this one times its ratio to
      // the one before.
      const double size = relative_change(), next = size * std::min(1.0, size / before);
      before = size;
      if (!(next <= 1)) continue;
      for (size_t i = 0; i < z0_.size(); ++i) z[i] = z0_[i] + h * k[i];
      return true;
    }
    fail(fmt::format("{} iterations of Newton's method do not converge", most_iterations));
  }

  // Returns the largest change of an entry of the middle of the step, works excepted, relative to
  // its bound. The bound is tight, because a larger error would cause an energy drift that the
  // method itself does not have.
  double relative_change() const {
    constexpr double bound = 1e-10;
    double largest = 0;
    for (int i = 0; i < layout_.first_work(); ++i) {
      const double scale = i < layout_.first_velocity() ? 1 : std::abs(middle_[size_t(i)]);
      largest = std::max(largest, std::abs(change_[size_t(i)]) / (bound * (scale + 1)));
    }
    return largest;
  }

  [[noreturn]] static void fail(const std::string& what) {
    throw Error(fmt::format("the integrator failed: {}; try a smaller dt", what));
  }

  NewtonMatrix newton_;
  std::vector<double> middle_, change_;
};

}  // namespace

std::unique_ptr<Stepper> make_implicit_midpoint(System& system) {
  return std::make_unique<ImplicitMidpoint>(system);
}

}  // namespace torsor
