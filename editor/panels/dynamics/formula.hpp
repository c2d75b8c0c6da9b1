#pragma once
// Formulae of the entries of M, C, g and other quantities, for robots that are small enough.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "torsor/handles/quantity.hpp"
#include "torsor/mechanics/state.hpp"
#include "torsor/symbolic/latex.hpp"

namespace torsor::editor {

// The formulae of one quantity of one model, which are made when they are first needed.
class QuantityFormulae {
 public:
  // Returns the formulae of all entries, by rows. Returns an empty list if there are none: the
  // robot has too many dof, or a formula is too long to be read.
  const std::vector<symbolic::EntryFormula>& of(const State& state, Quantity quantity);

 private:
  std::shared_ptr<const Model> model_;
  Vec3<double> gravity_W_{};
  std::optional<Quantity> quantity_;
  std::vector<symbolic::EntryFormula> formulae_;
};

// Explains the symbols of these formulae.
inline constexpr const char* symbols_of_formulae =
    "Number k is that of a link or joint.\n"
    "mk: mass, rkx: centre of mass, Ikxx: inertia about it, in the axes of the link\n"
    "pkx: position of the joint in the link before it\n"
    "ck = cos(qk), c12 = cos(q1 + q2), sk = sin(qk)";

}  // namespace torsor::editor
