#include "bench/measure.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>

#include "bench/agreement.hpp"
#include "bench/batch_subject.hpp"
#include "bench/engine_subject.hpp"
#include "torsor/model/random_robot.hpp"

namespace torsor::bench {

namespace {

// Returns the number of states. Large robots have fewer, because the results of all states are
// stored.
size_t n_samples(const Model& model) {
  return model.n_v <= 100 ? 64 : 8;
}

struct Candidate {
  Column column;
  std::unique_ptr<Subject> subject;  // null if it does not support the robot
  std::string excuse;
  // True if the solver failed in another way than by rejecting the robot (UnsupportedModel).
  bool is_broken = false;
  size_t states_per_call = 1;
  std::optional<Solver> described;  // the solver, to query its capabilities
};

std::vector<Sample> random_samples(const Model& model) {
  Random random(1);
  std::vector<Sample> samples(n_samples(model));
  for (Sample& s : samples)
    s = {random_position(random, model, 3), random_values(random, model.n_v, 2),
         random_values(random, model.n_v, 2), random_values(random, model.n_v, 20)};
  return samples;
}

template <class Make>
void take(Candidate& candidate, Make make) {
  try {
    candidate.subject = make();
  } catch (const UnsupportedModel& rejection) {
    candidate.excuse = rejection.what();
  } catch (const Error& error) {
    candidate.excuse = error.what();
    candidate.is_broken = candidate.column.maker == Maker::solver;
  }
}

// Returns newton_euler, or the first other solver that supports the robot. Throws Error if none
// does.
Solver reference_solver(const Robot& robot, const Registry& registry) {
  std::vector<std::string> ids = {"solver.newton_euler"};
  for (const PluginInfo& plugin : registry.plugins())
    if (plugin.kind() == Solver::kind) ids.push_back(plugin.id);
  std::string reasons;
  for (const std::string& id : ids) {
    try {
      return registry.solver(id, robot.model);
    } catch (const Error& error) {
      reasons = error.what();
    }
  }
  throw Error(fmt::format("robot '{}': no solver takes it: {}", robot.name, reasons));
}

// Adds the column of a solver that computes many states at once, if it does.
void add_batch(std::vector<Candidate>& all, const std::string& id, const Robot& robot,
               const Registry& registry, std::span<const Sample> samples) {
  Candidate candidate;
  candidate.column = {fmt::format("{} batch", without_kind(id)), Maker::solver, Form::batch};
  take(candidate,
       [&] { return batch_subject(registry.solver(id, robot.model), robot.model, samples); });
  candidate.states_per_call = samples.size();
  if (candidate.subject) all.push_back(std::move(candidate));
}

std::vector<Candidate> make_candidates(const Robot& robot, const Registry& registry,
                                       const Settings& settings, std::span<const Sample> samples) {
  std::vector<Candidate> all(1);
  all[0].column = {"engine", Maker::engine, Form::total};
  all[0].subject = engine_subject(reference_solver(robot, registry), robot.model, samples);
  for (const std::string& id : settings.solvers)
    for (const Form form : {Form::total, Form::solver_only}) {
      Candidate& candidate = all.emplace_back();
      candidate.column = {std::string(without_kind(id)), Maker::solver, form};
      take(candidate, [&] {
        candidate.described.emplace(registry.solver(id, robot.model));
        return solver_subject(registry.solver(id, robot.model), robot.model, samples, form);
      });
    }
  for (const std::string& id : settings.solvers) add_batch(all, id, robot, registry, samples);
  if (std::ranges::count(settings.works, Work::torque_regressor)) {
    Candidate& candidate = all.emplace_back();
    candidate.column = {"engine batch", Maker::engine, Form::batch};
    candidate.subject = regressor_subject(robot.model, samples);
    candidate.states_per_call = samples.size();
  }
  for (const Peer& peer : peers()) {
    Candidate& candidate = all.emplace_back();
    candidate.column = {peer.name, Maker::peer, Form::total};
    take(candidate, [&] { return peer.make(*robot.model, samples); });
  }
  return all;
}

Cell not_measured(Gap gap, std::string reason, bool is_fault = false) {
  return {{}, false, gap, std::move(reason), is_fault};
}

// Checks whether the candidate computes this work, is fast enough, and returns correct values.
// Returns a cell without times.
Cell try_work(Candidate& candidate, Work work, const Expected& expected, const Settings& settings) {
  if (!candidate.subject) return not_measured(Gap::rejected, candidate.excuse, candidate.is_broken);
  if (const std::string reason = candidate.subject->lacks(work); !reason.empty())
    return not_measured(Gap::lacking, reason);
  if (work == Work::kinematics) return {};
  if (const std::string& reason = expected.failure(work); !reason.empty())
    return not_measured(Gap::failed, reason);
  const auto start = std::chrono::steady_clock::now();
  (void)candidate.subject->evaluate(work, 0);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (took.count() > settings.slowest)
    return not_measured(Gap::slow,
                        fmt::format("one call takes {:.2g} s (see --slowest)", took.count()));
  const Verdict verdict = expected.judge(*candidate.subject, work);
  if (verdict.differs) return not_measured(Gap::differs, verdict.why_not, true);
  if (!verdict.why_not.empty()) return not_measured(Gap::failed, verdict.why_not, true);
  return {};
}

Cell examine(Candidate& candidate, Work work, const Expected& expected, const Settings& settings) {
  Cell cell = try_work(candidate, work, expected, settings);
  if (!candidate.described) return cell;
  if (is_quantity(work))
    cell.derived = candidate.described->capability(Quantity(work)) == Capability::derived;
  if (work == Work::forward_partials)
    cell.derived = candidate.described->forward_partials_capability() == Capability::derived;
  return cell;
}

// Stores the times of each repetition. The name of each benchmark is the index of its cell.
class Collector : public benchmark::BenchmarkReporter {
 public:
  explicit Collector(const std::vector<Cell*>& cells) : cells_(cells) {}
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      if (run.run_type == Run::RT_Iteration)
        cells_[std::stoul(run.run_name.function_name)]->ns.push_back(
            1e9 * run.cpu_accumulated_time / double(run.iterations));
  }

 private:
  const std::vector<Cell*>& cells_;
};

// One robot and the subjects that compute with it. Must not be moved, because the subjects refer to
// `samples`.
struct Session {
  std::vector<Sample> samples;
  std::vector<Candidate> candidates;
  Result result;

  Session(const Robot& robot, const Registry& registry, const Settings& settings)
      : samples(random_samples(*robot.model)),
        result{robot, {}, {}, "", memory_of(robot, registry, settings.solvers)} {
    Solver solver = reference_solver(robot, registry);
    result.reference = without_kind(solver.id());
    const auto reference = solver_subject(std::move(solver), robot.model, samples, Form::total);
    candidates = make_candidates(robot, registry, settings, samples);
    const Expected expected(robot.model, *reference, *candidates[0].subject, samples,
                            settings.works);
    for (const Candidate& candidate : candidates) result.columns.push_back(candidate.column);
    for (const Work work : settings.works) {
      Row& row = result.rows.emplace_back(Row{work, {}});
      for (Candidate& candidate : candidates)
        row.cells.push_back(examine(candidate, work, expected, settings));
    }
  }
};

void register_benchmark(const std::string& name, Subject& subject, Work work, size_t n_samples,
                        const Settings& settings) {
  const auto run = [&subject, work, n_samples](benchmark::State& state) {
    size_t k = 0;
    for ([[maybe_unused]] auto _ : state) {
      benchmark::DoNotOptimize(subject.evaluate(work, k));
      k = (k + 1) % n_samples;
    }
  };
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->MinTime(settings.min_time)
      ->Repetitions(settings.repetitions);
}

void time_all(std::deque<Session>& sessions, const Settings& settings) {
  std::vector<Cell*> cells;
  std::vector<size_t> states;  // computed by a call of each cell
  for (Session& session : sessions)
    for (Row& row : session.result.rows)
      for (size_t c = 0; c < row.cells.size(); ++c) {
        if (row.cells[c].gap != Gap::none) continue;
        register_benchmark(std::to_string(cells.size()), *session.candidates[c].subject, row.work,
                           session.samples.size(), settings);
        cells.push_back(&row.cells[c]);
        states.push_back(session.candidates[c].states_per_call);
      }
  if (cells.empty()) return;
  Collector collector(cells);
  benchmark::RunSpecifiedBenchmarks(&collector, "all");
  benchmark::ClearRegisteredBenchmarks();
  for (size_t k = 0; k < cells.size(); ++k)
    for (double& ns : cells[k]->ns) ns /= double(states[k]);
}

}  // namespace

double Cell::median() const {
  std::vector<double> sorted = ns;
  std::sort(sorted.begin(), sorted.end());
  const size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

std::vector<Column> total_columns(const std::vector<Result>& results) {
  std::vector<Column> columns;
  for (const Result& result : results)
    for (const Column& column : result.columns)
      if (column.form != Form::solver_only &&
          std::find(columns.begin(), columns.end(), column) == columns.end())
        columns.push_back(column);
  return columns;
}

std::optional<double> ratio(const Cell& cell, const Cell& other) {
  if (cell.ns.empty() || other.ns.empty()) return std::nullopt;
  return cell.median() / other.median();
}

std::optional<size_t> fastest_peer(const Result& result, const Row& row) {
  std::optional<size_t> fastest;
  for (size_t c = 0; c < result.columns.size(); ++c)
    if (result.columns[c].maker == Maker::peer && !row.cells[c].ns.empty() &&
        (!fastest || row.cells[c].median() < row.cells[*fastest].median()))
      fastest = c;
  return fastest;
}

std::optional<size_t> fastest_subject(const Result& result, const Row& row) {
  std::optional<size_t> fastest;
  for (size_t c = 0; c < result.columns.size(); ++c)
    if (result.columns[c].maker != Maker::peer && result.columns[c].form == Form::total &&
        !row.cells[c].ns.empty() &&
        (!fastest || row.cells[c].median() < row.cells[*fastest].median()))
      fastest = c;
  return fastest;
}

std::vector<Result> measure(std::span<const Robot> robots, const Registry& registry,
                            const Settings& settings) {
  std::deque<Session> sessions;
  for (const Robot& robot : robots) sessions.emplace_back(robot, registry, settings);
  time_all(sessions, settings);
  std::vector<Result> results;
  for (Session& session : sessions) results.push_back(std::move(session.result));
  return results;
}

}  // namespace torsor::bench
