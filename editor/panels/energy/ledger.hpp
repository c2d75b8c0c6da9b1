#pragma once
// The energy ledger over the time line, computed from its samples (engine/simulation/energy.hpp):
//   kinetic + potential + elastic - their sum at the start - works = error

#include <string>

#include "editor/plot/stack.hpp"
#include "editor/probe/sampler.hpp"

namespace torsor::editor {

struct LedgerPart {
  std::string name;  // "kinetic"
  size_t column;     // column of the samples
  // Index of the curve's colour. A part has the same colour in the ledger and in the powers.
  int color;
  double less;   // offset to subtract, J
  double value;  // value at the readout, without the offset, J
  bool ever;     // true if it is nonzero at any time of the run
};

struct Ledger {
  std::vector<LedgerPart> stored;  // kinetic, potential, elastic, in the order of Energy
  std::vector<LedgerPart> works;   // in the order of Work
  LedgerPart error;
  double lowest_potential;  // minimum in the run, J
  // Scale of the balance, J: the largest magnitude of the kinetic energy, the elastic energy or a
  // work, or the range of the potential energy.
  double largest;
};
// Returns the ledger with the values at sample `readout`, which must exist.
Ledger ledger_of(const Samples& samples, size_t readout, bool potential_from_world);
double total(const std::vector<LedgerPart>& parts);  // sum of the values, J
// Returns the parts of the power at a sample in W, one per work. Omits the parts that are zero
// throughout the run.
std::vector<LedgerPart> powers_of(const Samples& samples, size_t readout);

}  // namespace torsor::editor
