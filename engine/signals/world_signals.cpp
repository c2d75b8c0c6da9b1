// The signals of Recorder that belong to no robot: energies, powers, wrenches in the world,
// distances and comparisons of solvers.

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "torsor/contact/contact_detector.hpp"
#include "torsor/signals/recorder.hpp"
#include "torsor/signals/signal_words.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

void Recorder::add_energy() {
  for (const char* part : {"kinetic", "potential", "elastic"})
    columns_.push_back({std::string("energy.") + part, "J", ""});
  for (int k = 0; k < n_works; ++k)
    columns_.push_back({std::string("energy.") + name(Work(k)), "J", ""});
  columns_.push_back({"energy.error", "J", ""});
  writers_.push_back([](const Source& source, double*& out) {
    const Simulation& s = source.simulation;
    const Energy energy = s.energy();
    for (const double value : {energy.kinetic, energy.potential, energy.elastic}) *out++ = value;
    out = std::copy(s.snapshot().work.begin(), s.snapshot().work.end(), out);
    *out++ = ledger_error(energy, s.snapshot());
  });
}

// Adds the columns of a wrench. wrench: returns it for a row.
void Recorder::add_wrench(const std::string& signal, const std::string& frame,
                          std::function<Wrench<double>(const Source&)> wrench) {
  for (const char* part : {"nx", "ny", "nz"})
    columns_.push_back({signal + "." + part, "N m", frame});
  for (const char* part : {"fx", "fy", "fz"}) columns_.push_back({signal + "." + part, "N", frame});
  writers_.push_back([wrench = std::move(wrench)](const Source& source, double*& out) {
    const Wrench<double> F = wrench(source);
    for (const double value : {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z}) *out++ = value;
  });
}

void Recorder::add_pull() {
  add_wrench("pull", "world", [](const Source& source) { return source.simulation.pull_F_W(); });
}

void Recorder::add_power() {
  for (int k = 0; k < n_integrated_works; ++k)
    columns_.push_back({std::string("power.") + name(Work(k)), "W", ""});
  writers_.push_back([](const Source& s, double*& out) {
    out = std::ranges::copy(s.simulation.powers().by_work, out).out;
  });
}

ContactDetector& Recorder::detector(Simulation& simulation) {
  if (!detector_) detector_ = std::make_shared<ContactDetector>(simulation.state().model_ptr());
  return *detector_;
}

// Names of colliders may contain a colon, so each one may be the separator.
bool Recorder::add_distance(const Model& model, const std::string& signal) {
  if (signal == least_distance_signal) {
    columns_.push_back({signal, "m", "", true});
    writers_.push_back([](const Source& s, double*& out) {
      const auto least = s.recorder.detector(s.simulation).least_distance(s.simulation.state());
      *out++ = least ? least->distance : HUGE_VAL;
    });
    return true;
  }
  if (!signal.starts_with(distance_prefix)) return false;
  const std::string_view pair = std::string_view(signal).substr(distance_prefix.size());
  const auto find = [&](std::string_view name) {
    return int(std::ranges::find(model.colliders, name, &Collider::name) - model.colliders.begin());
  };
  const int none = int(model.colliders.size());
  for (size_t colon = pair.find(':'); colon != pair.npos; colon = pair.find(':', colon + 1)) {
    const int a = find(pair.substr(0, colon)), b = find(pair.substr(colon + 1));
    if (a == none || b == none || a == b) continue;
    columns_.push_back({signal, "m", "", true});
    writers_.push_back([a, b](const Source& s, double*& out) {
      *out++ = s.recorder.detector(s.simulation).distance(s.simulation.state(), a, b).distance;
    });
    return true;
  }
  std::vector<std::string> names;
  for (const Collider& collider : model.colliders) names.push_back(collider.name);
  throw Error(
      fmt::format("the signal '{}' does not name two colliders: write distance.A:B, with two of {}",
                  signal, fmt::join(names, ", ")));
}

void Recorder::add_comparison(Compared quantity, const std::vector<std::string>& compared) {
  for (const std::string& solver : compared)
    columns_.push_back(
        {fmt::format("{}.{}", compare_signal(quantity), without_kind(solver)), "1", "", true});
  writers_.push_back([k = size_t(quantity)](const Source& s, double*& out) {
    for (size_t i = k; i < s.disagreements.size(); i += std::size(all_compared))
      *out++ = s.disagreements[i].value;
  });
}

}  // namespace torsor
