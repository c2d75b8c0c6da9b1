#include "torsor/capi/simulation.hpp"

#include "torsor/base/hash.hpp"
#include "torsor/capi/scene.hpp"
#include "torsor/model/model.hpp"
#include "torsor/run/recorded_run.hpp"
#include "torsor/signals/recorder.hpp"

using namespace torsor;
using namespace torsor::capi;

namespace torsor::capi {

namespace {

uint64_t mechanism_of(const Experiment& experiment) {
  Hash hash;
  hash.add(fingerprint(*experiment.model));
  hash.add(experiment.dt);
  return hash.value();
}

}  // namespace

HostedRun::HostedRun(const Experiment& experiment, std::string file,
                     std::shared_ptr<const Registry> found)
    : found_(std::move(found)),
      experiment_(experiment),
      file_(std::move(file)),
      changes_(experiment.changes),
      mechanism_(mechanism_of(experiment)),
      player_(experiment_, changes_) {
  simulation().acceleration();  // throws Error if M is singular
  player_.apply(changes_);
}

HostedRun::Use::Use(std::shared_ptr<HostedRun> run) : run_(std::move(run)) {
  if (run_->in_use_)
    throw Error(
        "simulation: a function that it calls must not use it; use the arguments of the function, "
        "or call this after the step");
  run_->in_use_ = true;
}

void HostedRun::step() {
  try {
    player_.advance(changes_);
  } catch (const Stopped&) {
    throw;
  } catch (const Error& error) {
    throw Error(at_scene(file_, error.what()));
  }
}

void HostedRun::change(Change::What what) {
  const Change made{simulation().steps(), std::move(what)};
  player_.apply(std::span(&made, 1));
  const auto same = [&](const Change& other) {
    return other.step == made.step && other.what.index() == made.what.index();
  };
  std::erase_if(changes_, same);
  changes_.insert(std::ranges::upper_bound(changes_, made.step, {}, &Change::step), made);
}

void HostedRun::restore(const torsor_snapshot& snapshot) {
  const auto& [state, changes, mechanism] = snapshot;
  if (mechanism != mechanism_)
    throw Error(
        "the snapshot is of another scene: its mechanism or dt is another one; use a snapshot of "
        "this scene with the same parameters");
  const Snapshot& now = simulation().snapshot();
  std::vector<size_t> sizes[2];
  Snapshot::for_each_array(state, [&](const auto& array) { sizes[0].push_back(array.size()); });
  Snapshot::for_each_array(now, [&](const auto& array) { sizes[1].push_back(array.size()); });
  // The impulses of contacts, the last array before the works, have any length.
  sizes[0].erase(sizes[0].end() - 2);
  sizes[1].erase(sizes[1].end() - 2);
  if (sizes[0] != sizes[1])
    throw Error("the snapshot is of a scene with other controls, sensors or forces");
  player_.show(changes, state);
  changes_ = changes;
}

void HostedRun::load(std::span<const std::byte> bytes) {
  const Snapshot before = simulation().snapshot();
  try {
    simulation().load(bytes);
  } catch (const Error&) {
    player_.show(changes_, before);
    throw;
  }
  const Snapshot loaded = simulation().snapshot();
  player_.show(changes_, loaded);
}

namespace {

// Checks that a state has the right length, then reads it or keeps the present one.
std::vector<double> given_or(const double* given, std::span<const double> present,
                             const char* name) {
  if (given) require_numbers(given, present.size(), name);
  const double* from = given ? given : present.data();
  return {from, from + present.size()};
}

}  // namespace
}  // namespace torsor::capi

torsor_result torsor_simulation_create(const torsor_scene* scene, torsor_simulation** out,
                                       torsor_error* error) {
  return create(out, error, [&] {
    require_pointer(scene, "scene");
    const std::string file = scene->file;  // a function of the host may destroy the scene
    try {
      auto made = std::make_unique<torsor_simulation>(torsor_simulation{
          std::make_shared<HostedRun>(scene->experiment, file, scene->found), {}});
      const Experiment& experiment = made->run->experiment();
      made->signals = Recorder::signals(*experiment.model, false, experiment.load.controls,
                                        experiment.load.sensors);
      return made.release();
    } catch (const Error& failed) {
      throw Error(at_scene(file, failed.what()));
    }
  });
}

void torsor_simulation_destroy(torsor_simulation* simulation) {
  delete simulation;
}

torsor_result torsor_simulation_step(torsor_simulation* simulation, uint64_t n,
                                     torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(simulation, "simulation");
    const HostedRun::Use run(simulation->run);
    for (uint64_t k = 0; k < n; ++k) run->step();
  });
}

double torsor_simulation_time(const torsor_simulation* simulation) {
  return simulation ? simulation->run->simulation().time() : 0;
}

uint64_t torsor_simulation_steps(const torsor_simulation* simulation) {
  return simulation ? uint64_t(simulation->run->simulation().steps()) : 0;
}

uint64_t torsor_simulation_hash(const torsor_simulation* simulation) {
  return simulation ? simulation->run->simulation().state_hash() : 0;
}

torsor_result torsor_simulation_state(const torsor_simulation* simulation, double* q, double* v,
                                      torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(simulation, "simulation");
    const HostedRun::Use run(simulation->run);
    const Snapshot& now = run->simulation().snapshot();
    if (q) std::ranges::copy(now.q, q);
    if (v) std::ranges::copy(now.v, v);
  });
}

torsor_result torsor_simulation_set_state(torsor_simulation* simulation, const double* q,
                                          const double* v, torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(simulation, "simulation");
    const HostedRun::Use run(simulation->run);
    const Snapshot& now = run->simulation().snapshot();
    run->change(StateChange{given_or(q, now.q, "q"), given_or(v, now.v, "v")});
  });
}

torsor_result torsor_simulation_set_torque(torsor_simulation* simulation, const double* tau,
                                           torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(simulation, "simulation");
    const HostedRun::Use run(simulation->run);
    require_pointer(tau, "tau");
    const auto present = run->simulation().constant_torque();
    run->change(TorqueChange{given_or(tau, present, "tau")});
  });
}

torsor_result torsor_simulation_snapshot(const torsor_simulation* simulation, torsor_snapshot** out,
                                         torsor_error* error) {
  return create(out, error, [&] {
    require_pointer(simulation, "simulation");
    const HostedRun::Use run(simulation->run);
    return new torsor_snapshot{run->simulation().snapshot(), run->changes(), run->mechanism()};
  });
}

void torsor_snapshot_destroy(torsor_snapshot* snapshot) {
  delete snapshot;
}

torsor_result torsor_simulation_restore(torsor_simulation* simulation,
                                        const torsor_snapshot* snapshot, torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(simulation, "simulation");
    const HostedRun::Use run(simulation->run);
    require_pointer(snapshot, "snapshot");
    const torsor_snapshot kept = *snapshot;  // a function of the host may destroy the snapshot
    run->restore(kept);
  });
}

torsor_result torsor_simulation_save(const torsor_simulation* simulation, void* bytes,
                                     size_t capacity, size_t* size, torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(simulation, "simulation");
    const HostedRun::Use run(simulation->run);
    require_pointer(size, "size");
    const std::vector<std::byte> saved = run->simulation().save();
    *size = saved.size();
    if (saved.size() > capacity) return;
    require_pointer(bytes, "bytes");
    std::memcpy(bytes, saved.data(), saved.size());
  });
}

torsor_result torsor_simulation_load(torsor_simulation* simulation, const void* bytes, size_t size,
                                     torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(simulation, "simulation");
    const HostedRun::Use run(simulation->run);
    require_pointer(bytes, "bytes");
    run->load({static_cast<const std::byte*>(bytes), size});
  });
}

const char* torsor_simulation_signal(const torsor_simulation* simulation, size_t index) {
  return simulation && index < simulation->signals.size() ? simulation->signals[index].c_str()
                                                          : nullptr;
}
