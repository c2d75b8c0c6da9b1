#include "editor/panels/energy_ledger.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/simulation/snapshot.hpp"

namespace torsor::editor {

namespace {

constexpr size_t n_stored = 3, potential = 1;  // columns of the signal "energy", before those of the works

}  // namespace

Ledger ledger_of(const Samples& samples, size_t readout, bool potential_from_world) {
  Ledger out{};
  const auto extremes = [&](size_t k) { return samples.values[k].extremes(0, samples.time.size()); };
  const auto part = [&](size_t k, double less) {
    const Extremes all = extremes(k);
    const std::string& name = samples.columns[k].name;
    return LedgerPart{name.substr(name.find('.') + 1), k, less, samples.values[k][readout] - less,
                      all.low != 0 || all.high != 0};
  };
  out.lowest_potential = extremes(potential).low;
  for (size_t k = 0; k < n_stored; ++k)
    out.stored.push_back(part(k, k == potential && !potential_from_world ? out.lowest_potential : 0));
  for (size_t k = 0; k < n_works; ++k) out.works.push_back(part(n_stored + k, 0));
  out.error = part(n_stored + n_works, 0);
  for (size_t k = 0; k < n_stored + n_works; ++k) {
    const Extremes all = extremes(k);
    const double size = k == potential ? all.high - all.low : std::max(std::abs(all.low), std::abs(all.high));
    out.largest = std::max(out.largest, size);
  }
  return out;
}

double total(const std::vector<LedgerPart>& parts) {
  double sum = 0;
  for (const LedgerPart& part : parts) sum += part.value;
  return sum;
}

}  // namespace torsor::editor
