#pragma once

#include <array>
#include <complex>
#include <vector>

namespace torsor {

// Returns the roots of c[0] x^3 + c[1] x^2 + c[2] x + c[3] with multiplicity. Leading coefficients
// of zero reduce the degree; a constant has no roots. Roots are taken as equal if rounding of the
// coefficients could make them equal. A real root has the imaginary part 0 exactly, and complex
// roots are conjugate.
std::vector<std::complex<double>> polynomial_roots(const std::array<double, 4>& c);

}  // namespace torsor
