#include "bench/steps.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>

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
  explicit TorsorRun(const Experiment& experiment) : player_(experiment) {}
  void step() override { player_.simulation().step(); }
  void observe(State& state) override {
    state.set_q(player_.simulation().state().q());
    state.v = player_.simulation().state().v;
  }
  double work() const override {
    const auto& works = player_.simulation().snapshot().work;
    return std::accumulate(works.begin(), works.end(), 0.0);
  }

 private:
  Player player_;
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
    out.push_back({{own.solver, name(integrator)}, [own] { return start_torsor(own); }});
    for (const Peer& peer : peers())
      if (peer.start)
        out.push_back({{peer.name, order == 1 ? "Euler" : "RK4"},
                       [own, peer, order] { return peer.start(own, order); }});
  }
  return out;
}

}  // namespace

std::unique_ptr<SteppedRun> start_torsor(const Experiment& experiment) {
  return std::make_unique<TorsorRun>(experiment);
}

double time_steps(SteppedRun& run, long long n) {
  const double start = processor_time_ns();
  for (long long k = 0; k < n; ++k) run.step();
  return (processor_time_ns() - start) / double(n);
}

double loop_error(ClosureRows& rows, const State& state) {
  rows.evaluate(state);
  double out = 0;
  for (size_t k = 0; k < rows.size(); ++k)
    if (rows.is_distance(k)) out = std::max(out, std::abs(rows.error(k)));
  return out;
}

std::vector<StepResult> measure_steps(const Experiment& experiment, long long n, int repetitions) {
  std::vector<Stepped> subjects = simulations_of(experiment);
  ClosureRows rows(*experiment.model);
  State state(experiment.model);
  for (int repetition = 0; repetition <= repetitions; ++repetition)
    for (Stepped& subject : subjects) try {
        if (!subject.result.reason.empty()) continue;
        const std::unique_ptr<SteppedRun> run = subject.make();
        if (repetition == 0) {  // measures the errors, which would take time
          for (long long k = 0; k < n; ++k) {
            run->step();
            run->observe(state);
            subject.result.loop_error =
                std::max(subject.result.loop_error, loop_error(rows, state));
          }
          continue;
        }
        const double ns = time_steps(*run, n);
        subject.result.ns = repetition == 1 ? ns : std::min(ns, subject.result.ns);
      } catch (const Error& error) {
        subject.result.reason = error.what();
      }
  std::vector<StepResult> out;
  for (Stepped& subject : subjects) out.push_back(std::move(subject.result));
  return out;
}

}  // namespace torsor::bench
