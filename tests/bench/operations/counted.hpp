#pragma once
// A scalar that counts: run a kernel with Counted instead of double, and a Tally has the number of
// its floating-point operations and the length of its longest chain of dependent ones. Kernels do
// not branch on values, so a number has none, unless it is a constant.
//
// The counts are lower bounds for the machine:
//   0 + x, 0 x, 1 x, -x and operations on constants are free, as in a compiled kernel
//   a b + c waits like one operation (a fused multiply-add), for a, b and c
//
// t(x) is the time at which x is known: 0 for an input, and for an operation
//   t(a b) = max(t(a), t(b)) + multiply_add,   t(a / b) = max(t(a), t(b)) + division
//   t(x + y) = max(t(x), t(y)) + multiply_add, or with the factors of a product in place of it

#include <algorithm>
#include <limits>

namespace torsor::bench {

// The latencies of operations, in any unit. With the defaults, a path is a number of operations.
struct Latencies {
  double multiply_add = 1, division = 1;
};

struct Tally {
  Latencies latency{};
  long long products = 0, sums = 0, divisions = 0;
  long long fusable = 0;  // sums of which a term is a product
  double path = 0;        // the largest t(x)
};

class Counted {
 public:
  constexpr Counted() = default;  // 0
  explicit constexpr Counted(double constant) : constant_(constant) {}
  // An input of the kernel.
  explicit constexpr Counted(Tally& tally) : tally_(&tally) {}

  double known_at() const { return known_at_; }

  Counted operator-() const {
    Counted out = *this;
    out.constant_ = -constant_;
    return out;
  }
  friend Counted operator+(const Counted& a, const Counted& b) {
    if (a.is(0)) return b;
    if (b.is(0)) return a;
    if (!a.tally_ && !b.tally_) return Counted(a.constant_ + b.constant_);
    Tally& tally = tally_of(a, b);
    ++tally.sums;
    tally.fusable += a.is_product() || b.is_product();
    const double start =
        std::min({std::max(a.known_at_, b.known_at_), std::max(a.factors_known_at_, b.known_at_),
                  std::max(a.known_at_, b.factors_known_at_)});
    return Counted(tally, start + tally.latency.multiply_add);
  }
  friend Counted operator-(const Counted& a, const Counted& b) { return a + -b; }
  // Kernels choose their formulae by the constants of a model. An input equals no constant.
  friend bool operator==(const Counted& a, double constant) { return a.is(constant); }
  friend Counted operator*(const Counted& a, const Counted& b) {
    if (a.is(0) || b.is(0)) return {};
    if (a.is(1)) return b;
    if (b.is(1)) return a;
    if (a.is(-1)) return -b;
    if (b.is(-1)) return -a;
    if (!a.tally_ && !b.tally_) return Counted(a.constant_ * b.constant_);
    Tally& tally = tally_of(a, b);
    ++tally.products;
    const double start = std::max(a.known_at_, b.known_at_);
    Counted out(tally, start + tally.latency.multiply_add);
    out.factors_known_at_ = start;
    return out;
  }
  friend Counted operator/(const Counted& a, const Counted& b) {
    if (a.is(0)) return {};
    if (!a.tally_ && !b.tally_) return Counted(a.constant_ / b.constant_);
    Tally& tally = tally_of(a, b);
    ++tally.divisions;
    return Counted(tally, std::max(a.known_at_, b.known_at_) + tally.latency.division);
  }

 private:
  Counted(Tally& tally, double known_at) : tally_(&tally), known_at_(known_at) {
    tally.path = std::max(tally.path, known_at);
  }
  bool is_product() const { return factors_known_at_ < std::numeric_limits<double>::infinity(); }
  bool is(double constant) const { return !tally_ && constant_ == constant; }
  static Tally& tally_of(const Counted& a, const Counted& b) {
    return a.tally_ ? *a.tally_ : *b.tally_;
  }

  Tally* tally_ = nullptr;  // null for a constant
  double constant_ = 0, known_at_ = 0;
  double factors_known_at_ = std::numeric_limits<double>::infinity();  // finite for a product
};

}  // namespace torsor::bench
