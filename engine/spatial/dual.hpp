#pragma once
// Dual numbers x + e x' with e^2 = 0, for exact derivatives. A function of a dual number contains
// the value of the function and its derivative in the direction x': f(x) + e f'(x) x'.

namespace torsor {

struct Dual {
  double value = 0, rate = 0;

  constexpr Dual() = default;
  explicit constexpr Dual(double constant) : value(constant) {}
  constexpr Dual(double v, double r) : value(v), rate(r) {}
  constexpr Dual operator-() const { return {-value, -rate}; }
  friend constexpr Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.rate + b.rate};
  }
  friend constexpr Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.rate - b.rate};
  }
  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.rate * b.value + a.value * b.rate};
  }
};

}  // namespace torsor
