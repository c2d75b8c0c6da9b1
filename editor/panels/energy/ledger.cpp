#include "editor/panels/energy/ledger.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "torsor/simulation/snapshot.hpp"

namespace torsor::editor {

namespace {

// Columns of the signal "energy". The works follow them.
constexpr std::string_view stored_names[] = {"kinetic", "potential", "elastic"};
constexpr size_t n_stored = std::size(stored_names), potential = 1;

// Returns the colour index of a part: stored energies first, then works in the order of Work.
int color_by_name(std::string_view part) {
  int color = int(std::ranges::find(stored_names, part) - stored_names);
  if (color == int(n_stored))
    while (color < int(n_stored) + n_works && part != name(Work(color - int(n_stored)))) ++color;
  return color;
}

LedgerPart part_of(const Samples& samples, size_t column, double less, size_t readout) {
  const Extremes all = samples.values[column].extremes(0, samples.time.size());
  const std::string& signal = samples.columns[column].name;
  const std::string part = signal.substr(signal.find('.') + 1);
  return {part,
          column,
          color_by_name(part),
          less,
          samples.values[column][readout] - less,
          all.low != 0 || all.high != 0};
}

}  // namespace

Ledger ledger_of(const Samples& samples, size_t readout, bool potential_from_world) {
  Ledger out{};
  const auto extremes = [&](size_t k) {
    return samples.values[k].extremes(0, samples.time.size());
  };
  const auto part = [&](size_t k, double less) { return part_of(samples, k, less, readout); };
  out.lowest_potential = extremes(potential).low;
  for (size_t k = 0; k < n_stored; ++k)
    out.stored.push_back(
        part(k, k == potential && !potential_from_world ? out.lowest_potential : 0));
  for (size_t k = 0; k < n_works; ++k) out.works.push_back(part(n_stored + k, 0));
  out.error = part(n_stored + n_works, 0);
  for (size_t k = 0; k < n_stored + n_works; ++k) {
    const Extremes all = extremes(k);
    const double size =
        k == potential ? all.high - all.low : std::max(std::abs(all.low), std::abs(all.high));
    out.largest = std::max(out.largest, size);
  }
  return out;
}

std::vector<LedgerPart> powers_of(const Samples& samples, size_t readout) {
  std::vector<LedgerPart> out;
  for (size_t k = 0; k < samples.values.size(); ++k)
    if (LedgerPart part = part_of(samples, k, 0, readout); part.ever)
      out.push_back(std::move(part));
  return out;
}

double total(const std::vector<LedgerPart>& parts) {
  double sum = 0;
  for (const LedgerPart& part : parts) sum += part.value;
  return sum;
}

}  // namespace torsor::editor
