#pragma once
// Eigenvalues, compiled in one file: Eigen's solver is the slowest of its templates to compile.

#include <optional>
#include <span>
#include <vector>

namespace torsor {

// Returns the eigenvalues of a symmetric n x n matrix in ascending order. Returns nullopt if the
// iteration does not converge, for example because an entry is NaN.
std::optional<std::vector<double>> symmetric_eigenvalues(std::span<const double> matrix);

}  // namespace torsor
