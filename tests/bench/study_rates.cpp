#include "bench/study_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

#include "bench/peers/peer.hpp"
#include "bench/study.hpp"
#include "torsor/base/print_message.hpp"
#include "torsor/scripting/study/study_scene.hpp"
#include "torsor/study/workers/sample_runner.hpp"

namespace torsor::bench {

namespace {

// Calls work() n times on several threads. Returns the wall time, s.
double time_on_threads(unsigned threads, int n, const std::function<void()>& work) {
  std::atomic<int> next = 0;
  const auto start = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> all;
    for (unsigned k = 0; k < threads; ++k)
      all.emplace_back([&] {
        while (next++ < n) work();
      });
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double out = 0;
  for (size_t k = 0; k < a.size(); ++k) out = std::max(out, std::abs(a[k] - b[k]));
  return out;
}

double frequency_of(const Experiment& experiment) {
  const auto found = experiment.parameters.find("frequency");
  if (found == experiment.parameters.end()) return 0;
  const double* value = std::get_if<double>(&found->second);
  return value ? *value : 0;
}

}  // namespace

StudyRates measure_rates(const std::string& scene, int n, const Registry& plugins,
                         const Permission& permission) {
  const StudySceneLoader loader({.file = scene, .plugins = &plugins, .permission = permission});
  const auto load = [&](const StudySettings& values) { return loader.load(values); };
  const SampleRunner runner(load, {});
  const Experiment experiment = load({}).experiment;
  const std::vector<double> end = run_loop(experiment);
  StudyRates out{.scene = scene, .threads = {1}, .rows = {}};
  if (const unsigned cores = std::thread::hardware_concurrency(); cores > 1)
    out.threads.push_back(cores);
  using Method = std::function<double(unsigned threads)>;
  std::vector<Method> methods;
  const auto add = [&](const std::string& name, double difference, Method method) {
    out.rows.push_back({name, std::vector<double>(out.threads.size()), difference});
    methods.push_back(std::move(method));
  };
  add("study", 0,
      [&](unsigned threads) { return time_on_threads(threads, n, [&] { (void)runner.run({}); }); });
  add("loop", 0,
      [&](unsigned threads) { return time_on_threads(threads, n, [&] { run_loop(experiment); }); });
  std::vector<std::unique_ptr<Rollouts>> others;
  for (const Peer& peer : peers()) {
    if (!peer.rollouts) continue;
    try {
      others.push_back(peer.rollouts(experiment, frequency_of(experiment)));
    } catch (const Error& error) {
      print_message(fmt::format("{}: {} {}", scene, peer.name, error.what()));
      continue;
    }
    add(peer.name, largest_difference(end, others.back()->final_q()),
        [&, k = others.size() - 1](unsigned threads) { return others[k]->run(threads, n); });
  }
  for (int repetition = 0; repetition < 3; ++repetition)
    for (size_t t = 0; t < out.threads.size(); ++t)
      for (size_t k = 0; k < methods.size(); ++k)
        out.rows[k].rates[t] = std::max(out.rows[k].rates[t], n / methods[k](out.threads[t]));
  return out;
}

std::string rates_table(const std::vector<StudyRates>& all) {
  std::string out;
  for (const StudyRates& each : all) {
    out += fmt::format("{}\n{:>12}", each.scene, "samples/s");
    for (const unsigned threads : each.threads)
      out += fmt::format("{:>14}", fmt::format("{} threads", threads));
    out += fmt::format("{:>14}{:>22}\n", "efficiency", "difference of final q");
    for (const StudyRates::Row& row : each.rows) {
      out += fmt::format("{:>12}", row.name);
      for (const double rate : row.rates) out += fmt::format("{:>14.1f}", rate);
      out +=
          fmt::format("{:>14.2f}{:>22.1e}\n",
                      row.rates.back() / row.rates.front() / each.threads.back(), row.difference);
    }
  }
  if (!out.empty()) out.pop_back();
  return out;
}

}  // namespace torsor::bench
