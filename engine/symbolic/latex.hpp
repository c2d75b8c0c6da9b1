#pragma once
// Formulae in LaTeX, for people.

#include <string>
#include <vector>

#include "torsor/symbolic/code.hpp"
#include "torsor/symbolic/polynomial.hpp"

namespace torsor::symbolic {

// Returns a formula in LaTeX math: terms with the same velocities, sines and cosines are collected,
// and common factors of their parameters are taken out. s_1 and c_{12} stand for sin q_1 and
// cos(q_1 + q_2).
std::string latex(const Polynomial& x, const Graph& graph);

// An equation of one entry of a quantity.
struct EntryFormula {
  std::string text;   // "M12 = m2 r2x^2 + m2 r2x p2x c2"
  std::string latex;  // "M_{12} = m_{2}\,r_{2x}^{2} + ..", without delimiters
};
// Returns the formulae of all entries of the results of a quantity, by rows. Throws Error if one of
// them is not a polynomial, or has more than max_terms terms while it is expanded.
std::vector<EntryFormula> entry_formulae(const std::shared_ptr<const Model>& model,
                                         const FormulaRow& quantity, const SymbolChoice& symbols,
                                         const Vec3<double>& gravity_W, size_t max_terms);

// Returns a document with the formulae of the quantities, one equation per entry that is not zero,
// and a table of the symbols. Throws Error if a formula is not a polynomial or too long, if a
// quantity is unknown, or if the robot is too large.
std::string latex_document(const std::shared_ptr<const Model>& model, const CodeOptions& options);

}  // namespace torsor::symbolic
