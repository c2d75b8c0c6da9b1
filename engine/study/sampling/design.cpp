#include "torsor/study/sampling/design.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "torsor/base/error.hpp"
#include "torsor/study/sampling/philox.hpp"

namespace torsor {

namespace {

class RandomDesign : public Design {
 public:
  RandomDesign(size_t, uint64_t, uint64_t seed) : seed_(seed) {}
  void point(uint64_t k, std::span<double> u) const override {
    for (size_t d = 0; d < u.size(); ++d)
      u[d] = unit_number(random_bits(seed_, StreamUse::value, uint32_t(d), k));
  }

 private:
  uint64_t seed_;
};

class LatinDesign : public Design {
 public:
  LatinDesign(size_t, uint64_t samples, uint64_t seed) : samples_(samples), seed_(seed) {}
  void point(uint64_t k, std::span<double> u) const override {
    for (size_t d = 0; d < u.size(); ++d) {
      const double place =
          unit_number(random_bits(seed_, StreamUse::place_in_stratum, uint32_t(d), k));
      // Rounding must not give 1.
      u[d] =
          std::min((double(permuted(k, samples_, seed_, uint32_t(d))) + place) / double(samples_),
                   1 - 0x1p-53);
    }
  }

 private:
  uint64_t samples_, seed_;
};

class SobolDesign : public Design {
 public:
  SobolDesign(size_t dimensions, uint64_t, uint64_t seed) : sequence_(dimensions) {
    for (size_t d = 0; d < dimensions; ++d)
      shift_.push_back(random_bits(seed, StreamUse::digital_shift, uint32_t(d), 0));
  }
  void point(uint64_t k, std::span<double> u) const override {
    std::vector<uint64_t> x(u.size());
    sequence_.point(k, x);
    for (size_t d = 0; d < u.size(); ++d) u[d] = unit_number(x[d] ^ shift_[d]);
  }

 private:
  SobolSequence sequence_;
  std::vector<uint64_t> shift_;
};

// Point 0 of a pair is A, point i + 1 is A with coordinate i of B, and the last one is B. A and B
// are the halves of the coordinates of a point of Sobol's sequence.
class SaltelliDesign : public Design {
 public:
  SaltelliDesign(size_t dimensions, uint64_t samples, uint64_t seed)
      : pairs_(2 * dimensions, samples, seed) {
    const uint64_t width = dimensions + 2;
    if (samples % width != 0)
      throw Error(fmt::format(
          "--samples {}: the design saltelli needs a multiple of {}, the number of parameters plus "
          "2, such as {}",
          samples, width, (samples / width + 1) * width));
  }
  void point(uint64_t k, std::span<double> u) const override {
    const size_t d = u.size(), place = size_t(k % (d + 2));
    std::vector<double> pair(2 * d);
    pairs_.point(k / (d + 2), pair);
    for (size_t i = 0; i < d; ++i) u[i] = pair[place == d + 1 || place == i + 1 ? d + i : i];
  }

 private:
  SobolDesign pairs_;
};

struct Entry {
  const char* name;
  std::unique_ptr<Design> (*make)(size_t dimensions, uint64_t samples, uint64_t seed);
};

template <class Kind>
std::unique_ptr<Design> made(size_t dimensions, uint64_t samples, uint64_t seed) {
  return std::make_unique<Kind>(dimensions, samples, seed);
}

constexpr Entry designs[] = {{"random", made<RandomDesign>},
                             {"latin", made<LatinDesign>},
                             {"sobol", made<SobolDesign>},
                             {"saltelli", made<SaltelliDesign>}};

}  // namespace

std::vector<std::string> design_names() {
  std::vector<std::string> names;
  for (const Entry& entry : designs) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Design> make_design(const std::string& name, size_t dimensions, uint64_t samples,
                                    uint64_t seed) {
  for (const Entry& entry : designs)
    if (name == entry.name) return entry.make(dimensions, samples, seed);
  throw Error(fmt::format("there is no design '{}'; use one of: {}{}", name,
                          fmt::join(design_names(), ", "), did_you_mean(name, design_names())));
}

// A Feistel network permutes 0..4^h - 1, with 4^h >= n:
//   (left, right) -> (right, left ^ f(right)),  with h bits each
// It is repeated until the result is below n. As 4^h < 4 n, this takes fewer than four repetitions
// on average. The cycle of a permutation through i returns to a number below n, so it always ends.
uint64_t permuted(uint64_t i, uint64_t n, uint64_t seed, uint32_t dimension) {
  constexpr uint32_t rounds = 8;
  const int h = std::max(1, int(std::bit_width(n - 1) + 1) / 2);
  const uint64_t mask = (uint64_t(1) << h) - 1;
  do {
    uint64_t left = i >> h, right = i & mask;
    for (uint32_t round = 0; round < rounds; ++round) {
      const uint64_t f =
          random_bits(seed, StreamUse::permutation, dimension, right | uint64_t(round) << 32);
      left = std::exchange(right, left ^ (f & mask));
    }
    i = left << h | right;
  } while (i >= n);
  return i;
}

}  // namespace torsor
