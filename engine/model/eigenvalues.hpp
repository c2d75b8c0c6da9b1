#pragma once
// Eigenvalues, compiled once: Eigen's solver is the costliest of its templates.

#include <optional>
#include <span>
#include <vector>

namespace torsor {

// Of a symmetric matrix, n x n, ascending; nothing where they do not converge, as with an entry
// that is not a number.
std::optional<std::vector<double>> symmetric_eigenvalues(std::span<const double> matrix);

}  // namespace torsor
