#pragma once
// A normal form of formulae, for people: a polynomial in symbols, whose terms contain at most one
// sine or cosine of a sum of angles.
//
// Products of sines and cosines become sums:
//   cos a cos b = (cos(a - b) + cos(a + b)) / 2,   sin a sin b = (cos(a - b) - cos(a + b)) / 2
//   sin a cos b = (sin(a + b) + sin(a - b)) / 2
// Equal formulae therefore have equal normal forms, and all identities of sines and cosines of sums
// of angles are applied.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "torsor/symbolic/program.hpp"

namespace torsor::symbolic {

// The powers of symbols, and a sine or cosine: x^2 y cos(a + b). Symbols are indices in
// Graph::symbols().
struct Monomial {
  enum class Wave { one, cosine, sine };
  std::map<size_t, int> powers;
  Wave wave = Wave::one;
  std::map<size_t, int> angle;  // multiples of symbols; the first one is positive
  friend auto operator<=>(const Monomial&, const Monomial&) = default;
};
using Polynomial = std::map<Monomial, double>;

// Returns the normal forms of the results of a program, or nullopt if one of them is not a
// polynomial: a quotient, or a sine of anything but a sum of integer multiples of symbols. A term
// below 64 eps of the largest one of the operands of a sum or product is a rounding error and is
// left out. Throws
// Error if a polynomial has more than max_terms terms.
std::optional<std::vector<Polynomial>> polynomials(const Program& program, size_t max_terms = 5000);

}  // namespace torsor::symbolic
