#pragma once
// Rational numbers as a scalar of formulae. Sines and cosines of angles are exact: an angle x has a
// value and a rotation (cos x, sin x), which is a rational point of the unit circle. Sums of angles
// add their rotations by the addition formulae. The value is independent of the rotation, because
// no polynomial relates an angle to its sine.

#include <boost/multiprecision/cpp_int.hpp>
#include <cassert>
#include <optional>
#include <utility>

namespace torsor::test {

using Rational = boost::multiprecision::cpp_rational;

struct Exact {
  struct Rotation {
    Rational c, s;
  };
  Rational value = 0;
  std::optional<Rotation> rotation;  // of angles

  Exact() : rotation(Rotation{1, 0}) {}
  // A constant is no angle, except 0.
  explicit Exact(double constant) : value(constant) {
    if (constant == 0) rotation = Rotation{1, 0};
  }
  Exact(Rational value, std::optional<Rotation> rotation)
      : value(std::move(value)), rotation(std::move(rotation)) {}
  // The angle whose half has the tangent t.
  static Exact angle(const Rational& value, const Rational& t) {
    const Rational d = 1 + t * t;
    return {value, Rotation{(1 - t * t) / d, 2 * t / d}};
  }

  friend Exact operator+(const Exact& a, const Exact& b) {
    std::optional<Rotation> sum;
    if (a.rotation && b.rotation) {
      const Rotation &x = *a.rotation, &y = *b.rotation;
      sum = Rotation{x.c * y.c - x.s * y.s, x.s * y.c + x.c * y.s};
    }
    return {a.value + b.value, sum};
  }
  friend Exact operator-(const Exact& a) {
    std::optional<Rotation> turned;
    if (a.rotation) turned = Rotation{a.rotation->c, -a.rotation->s};
    return {-a.value, turned};
  }
  friend Exact operator-(const Exact& a, const Exact& b) { return a + -b; }
  // An integer times an angle is an angle.
  friend Exact operator*(const Exact& a, const Exact& b) {
    for (const auto& [factor, angle] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
      if (factor->rotation || !angle->rotation || denominator(factor->value) != 1) continue;
      if (abs(factor->value) > 8) continue;
      Exact out;
      const int n = int(numerator(factor->value));
      for (int k = 0; k < std::abs(n); ++k) out = out + *angle;
      return n < 0 ? -out : out;
    }
    return {a.value * b.value, std::nullopt};
  }
  friend Exact operator/(const Exact& a, const Exact& b) {
    return {a.value / b.value, std::nullopt};
  }
  friend Exact sin(const Exact& x) {
    assert(x.rotation);
    return {x.rotation.value().s, std::nullopt};
  }
  friend Exact cos(const Exact& x) { return {x.rotation.value().c, std::nullopt}; }
};

}  // namespace torsor::test
