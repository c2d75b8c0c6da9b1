#pragma once
// The energy ledger over the time line, from its samples (engine/simulation/energy.hpp):
//   kinetic + potential + elastic - their sum at the start - works = error

#include <string>

#include "editor/plot/stack.hpp"
#include "editor/session/sampler.hpp"

namespace torsor::editor {

struct LedgerPart {
  std::string name;  // "kinetic"
  size_t column;     // of the samples
  int color;         // index of its curve's colour: the same in the ledger and among the powers
  double less;       // what is taken off, J
  double value;      // at the readout, J
  bool ever;         // it is not zero throughout the run
};

struct Ledger {
  std::vector<LedgerPart> stored;  // kinetic, potential, elastic; by Energy
  std::vector<LedgerPart> works;   // by Work
  LedgerPart error;
  double lowest_potential;  // of the run, J
  // J: of the stored and the works, apart from where potential energy is zero.
  double largest;
};
// readout: index of a sample; there is one.
Ledger ledger_of(const Samples& samples, size_t readout, bool potential_from_world);
double total(const std::vector<LedgerPart>& parts);  // J
// Returns the parts of the power by work at a sample, W, without those that are zero throughout the
// run.
std::vector<LedgerPart> powers_of(const Samples& samples, size_t readout);

}  // namespace torsor::editor
