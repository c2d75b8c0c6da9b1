#pragma once
// Designs: where samples are placed in the unit cube, one dimension per parameter that varies. A
// point is a function of the seed and of the index of the sample alone, so that samples can be
// computed in any order and on any machine.
//
//   random  independent uniform numbers
//   latin   Latin hypercube: in each dimension, one sample in each of N equal intervals, in random
//           order, at a random place in the interval
//   sobol   Sobol's sequence (Joe and Kuo's direction numbers) with a random digital shift: the
//           bits of each dimension are flipped by a mask that depends on the seed
//   saltelli  pairs of points A and B of Sobol's sequence, and between them the points A_i, which
//           are A with one coordinate of B, for sensitivity indices (statistics/sensitivity.hpp).
//           The number of samples is a multiple of that of the dimensions plus 2

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace torsor {

class Design {
 public:
  virtual ~Design() = default;
  // Writes the point of sample k, in (0, 1) for each dimension. Thread-safe.
  virtual void point(uint64_t k, std::span<double> u) const = 0;
};

// Returns the names of all designs.
std::vector<std::string> design_names();

// Returns a design of `samples` points. Throws Error for an unknown name, and if the design does
// not have so many dimensions.
std::unique_ptr<Design> make_design(const std::string& name, size_t dimensions, uint64_t samples,
                                    uint64_t seed);

// Returns the index to which a random permutation of 0..n-1 maps i. The permutation is that of the
// seed and of the dimension.
uint64_t permuted(uint64_t i, uint64_t n, uint64_t seed, uint32_t dimension);

// Sobol's sequence in 64-bit integers, without the shift. The first point, k = 0, is the middle of
// the cube. Throws Error for more dimensions than the tables of the library have.
class SobolSequence {
 public:
  explicit SobolSequence(size_t dimensions);
  ~SobolSequence();
  void point(uint64_t k, std::span<uint64_t> x) const;

 private:
  struct Engine;
  std::unique_ptr<const Engine> engine_;
};

}  // namespace torsor
