#include "bench/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>

#include "bench/peers/peer.hpp"
#include "torsor/run/player.hpp"

namespace torsor::bench {

namespace {

double processor_time_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * double(now.tv_sec) + double(now.tv_nsec);
}

class TorsorRun : public SteppedRun {
 public:
  explicit TorsorRun(const Experiment& experiment)
      : player_(experiment), rows_(*experiment.model) {}
  void step() override { player_.simulation().step(); }
  double loop_error() override { return bench::loop_error(rows_, player_.simulation().state()); }

 private:
  Player player_;
  ClosureRows rows_;
};

// A simulation with one integrator.
struct Stepped {
  StepResult result;
  std::function<std::unique_ptr<SteppedRun>()> make;
};

std::vector<Stepped> simulations_of(const Experiment& experiment) {
  std::vector<Stepped> out;
  for (const auto& [integrator, order] :
       {std::pair{Integrator::semi_implicit_euler, 1}, {Integrator::rk4, 4}}) {
    Experiment own = experiment;
    own.integrator = integrator;
    own.load.controls.clear();  // the libraries have none of them
    out.push_back(
        {{own.solver, name(integrator)}, [own] { return std::make_unique<TorsorRun>(own); }});
    for (const Peer& peer : peers())
      if (peer.start)
        out.push_back({{peer.name, order == 1 ? "Euler" : "RK4"},
                       [own, peer, order] { return peer.start(own, order); }});
  }
  return out;
}

}  // namespace

double loop_error(ClosureRows& rows, const State& state) {
  rows.evaluate(state);
  double out = 0;
  for (size_t k = 0; k < rows.size(); ++k)
    if (rows.is_distance(k)) out = std::max(out, std::abs(rows.error(k)));
  return out;
}

std::vector<StepResult> measure_steps(const Experiment& experiment, long long n, int repetitions) {
  std::vector<Stepped> subjects = simulations_of(experiment);
  for (int repetition = 0; repetition <= repetitions; ++repetition)
    for (Stepped& subject : subjects) try {
        if (!subject.result.reason.empty()) continue;
        const std::unique_ptr<SteppedRun> run = subject.make();
        if (repetition == 0) {  // measures the errors, which would take time
          for (long long k = 0; k < n; ++k) {
            run->step();
            subject.result.loop_error = std::max(subject.result.loop_error, run->loop_error());
          }
          continue;
        }
        const double start = processor_time_ns();
        for (long long k = 0; k < n; ++k) run->step();
        const double ns = (processor_time_ns() - start) / double(n);
        subject.result.ns = repetition == 1 ? ns : std::min(ns, subject.result.ns);
      } catch (const Error& error) {
        subject.result.reason = error.what();
      }
  std::vector<StepResult> out;
  for (Stepped& subject : subjects) out.push_back(std::move(subject.result));
  return out;
}

std::string steps_table(const std::string& scene, const Experiment& experiment, long long n,
                        const std::vector<StepResult>& results) {
  std::string out = fmt::format(
      "{}: {} dof, {} closures, without controls; {} steps of {} s\n  {:<20} {:<20} {:>10} {:>12} "
      "{:>14}",
      scene, experiment.model->n_v, experiment.model->closures.size(), n, experiment.dt, "",
      "integrator", "ns a step", "steps per s", "loop error, m");
  for (const StepResult& result : results)
    out += result.reason.empty()
               ? fmt::format("\n  {:<20} {:<20} {:>10.0f} {:>12.0f} {:>14.1e}", result.name,
                             result.integrator, result.ns, 1e9 / result.ns, result.loop_error)
               : fmt::format("\n  {:<20} {:<20} {}", result.name, result.integrator, result.reason);
  return out;
}

}  // namespace torsor::bench
