#include "bench/abi.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "bench/linked_solver.hpp"
#include "torsor/host/plugin_object.hpp"
#include "torsor/loading/plugin_file.hpp"
#include "torsor/model/random_robot.hpp"
#include "torsor/plugin/plugin_table.hpp"

namespace torsor::bench {

namespace {

constexpr int n_states = 64, n_blocks = 4000;

std::vector<State> random_states(const std::shared_ptr<const Model>& model) {
  Random random(1);
  std::vector<State> states(n_states, State(model));
  for (State& state : states) {
    state.set_q(random_position(random, *model, 3));
    const std::vector<double> v = random_values(random, model->n_v, 2);
    std::copy(v.begin(), v.end(), state.v.begin());
  }
  return states;
}

// Returns the mean time of a call of run(state) over all states, in ns.
template <class Run>
double time_block(const std::vector<State>& states, const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  for (const State& state : states) run(state);
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return took.count() / n_states;
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::unique_ptr<Plugin> make_plugin(const PluginInfo& info) {
  const auto source = load_plugin_file(info.file);
  for (uint32_t k = 0; k < source->entry->n_descriptor; ++k)
    if (source->entry->descriptor[k]->id == info.id)
      return std::make_unique<PluginObject>(source, *source->entry->descriptor[k]);
  throw Error(fmt::format("'{}' is no longer in {}", info.id, info.file.string()));
}

AbiCost abi_cost(const Robot& robot, const Registry& registry) {
  const PluginInfo& info = registry.find<Solver>("newton_euler");
  const torsor_model view = robot.model->view();
  const std::vector<State> states = random_states(robot.model);
  const std::vector<double> vdot(size_t(view.n_v), 1.0);
  std::array<std::vector<double>, 3> tau;
  for (auto& out : tau) out.resize(size_t(view.n_v));

  const LinkedSolver linked(view);
  const std::unique_ptr<Plugin> plugin = make_plugin(info);
  WorkArea work(prepare(*plugin, view).work_doubles);
  const auto table = table_of<torsor_solver>(*plugin, TORSOR_SOLVER);
  const torsor_plugin* self = plugin->get();
  Solver solver = registry.solver(info.id, robot.model);

  const auto by_linked = [&](const State& state) {
    linked.inverse(view, state.view(), vdot.data(), tau[0].data());
    benchmark::ClobberMemory();
  };
  const auto by_table = [&](const State& state) {
    const torsor_state s = state.view();
    benchmark::DoNotOptimize(
        table.inverse(self, &view, &s, vdot.data(), work.data(), tau[1].data()));
  };
  const auto by_host = [&](const State& state) {
    benchmark::DoNotOptimize(bool(solver.inverse(state, vdot.data(), tau[2].data())));
  };
  for (const State& state : states) {
    by_linked(state), by_table(state), by_host(state);
    for (const int k : {1, 2})
      if (std::memcmp(tau[0].data(), tau[size_t(k)].data(), tau[0].size() * sizeof(double)) != 0)
        throw Error(fmt::format("{}: newton_euler as a plugin ({}) gives other bits than linked in",
                                robot.name, info.file.string()));
  }
  std::array<std::vector<double>, 3> ns;
  for (int block = 0; block < n_blocks; ++block) {
    ns[0].push_back(time_block(states, by_linked));
    ns[1].push_back(time_block(states, by_table));
    ns[2].push_back(time_block(states, by_host));
  }
  return {median(ns[0]), median(ns[1]), median(ns[2])};
}

}  // namespace torsor::bench
