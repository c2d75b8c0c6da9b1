// The handle torsor_signals.

#include "torsor/capi/rows.hpp"
#include "torsor/capi/simulation.hpp"
#include "torsor/signals/recorder.hpp"

using namespace torsor;
using namespace torsor::capi;

// The recorder is shared with the calls that use it, because a function of the host may destroy the
// handle.
struct torsor_signals {
  std::shared_ptr<HostedRun> run;
  std::shared_ptr<Recorder> recorder;
};

namespace torsor::capi {

namespace {

// Returns the signals that the scene records. Comparisons of solvers are left out: they are made
// only in recordings.
std::vector<std::string> recorded_signals(const Experiment& experiment) {
  std::vector<std::string> out;
  for (const std::string& name : experiment.record)
    if (!name.starts_with("compare.")) out.push_back(name);
  return out;
}

torsor_signals* make_signals(torsor_simulation& simulation, const char* const* names, size_t n) {
  const Experiment& experiment = simulation.run->experiment();
  std::vector<std::string> chosen;
  if (!names) chosen = recorded_signals(experiment);
  for (size_t k = 0; names && k < n; ++k) {
    require_pointer(names[k], "names");
    chosen.emplace_back(names[k]);
  }
  return new torsor_signals{
      simulation.run,
      std::make_shared<Recorder>(*experiment.model, chosen, std::vector<std::string>(),
                                 experiment.load.controls, experiment.load.sensors)};
}

const Column* column_of(const torsor_signals* signals, size_t column) {
  return signals && column < signals->recorder->columns().size()
             ? &signals->recorder->columns()[column]
             : nullptr;
}

void read_row(const HostedRun::Use& run, Recorder& recorder, double* row) {
  std::ranges::copy(recorder.sample(run->simulation()), row);
}

}  // namespace
}  // namespace torsor::capi

torsor_result torsor_signals_create(torsor_simulation* simulation, const char* const* names,
                                    size_t n, torsor_signals** out, torsor_error* error) {
  return create(out, error, [&] {
    require_pointer(simulation, "simulation");
    return make_signals(*simulation, names, n);
  });
}

void torsor_signals_destroy(torsor_signals* signals) {
  delete signals;
}

size_t torsor_signals_columns(const torsor_signals* signals) {
  return signals ? signals->recorder->columns().size() : 0;
}

const char* torsor_signals_name(const torsor_signals* signals, size_t column) {
  const Column* found = column_of(signals, column);
  return found ? found->name.c_str() : nullptr;
}

const char* torsor_signals_unit(const torsor_signals* signals, size_t column) {
  const Column* found = column_of(signals, column);
  return found ? found->unit.c_str() : nullptr;
}

const char* torsor_signals_frame(const torsor_signals* signals, size_t column) {
  const Column* found = column_of(signals, column);
  return found ? found->frame.c_str() : nullptr;
}

torsor_result torsor_signals_read(torsor_signals* signals, double* row, torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(signals, "signals");
    require_pointer(row, "row");
    const HostedRun::Use run(signals->run);
    const auto recorder = signals->recorder;
    read_row(run, *recorder, row);
  });
}

torsor_result torsor_signals_run(torsor_signals* signals, uint64_t n, uint64_t every, double* rows,
                                 uint64_t* done, torsor_error* error) {
  if (done) *done = 0;
  return guarded(error, [&] {
    require_pointer(signals, "signals");
    if (every == 0 || n % every != 0)
      throw Error(fmt::format("n is {} and every is {}; n must be a multiple of every", n, every));
    if (n > 0) require_pointer(rows, "rows");
    const HostedRun::Use run(signals->run);
    const auto recorder = signals->recorder;
    const size_t columns = recorder->columns().size();
    checked_size(n / every, columns, "n");
    for (uint64_t row = 0; row < n / every; ++row) {
      for (uint64_t k = 0; k < every; ++k) run->step();
      read_row(run, *recorder, rows + row * columns);
      if (done) *done = row + 1;
    }
  });
}
