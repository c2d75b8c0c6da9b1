#include "torsor/cli/eval/eval_batch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "torsor/base/print_message.hpp"
#include "torsor/base/text.hpp"
#include "torsor/batch/batch_quantity.hpp"
#include "torsor/cli/eval/hdf5_states.hpp"
#include "torsor/cli/support/interrupt.hpp"
#include "torsor/cli/support/progress.hpp"

namespace torsor::cli {

namespace {

std::vector<ResultColumn> columns_of(const std::vector<BatchQuantity>& chosen, const Model& model) {
  std::vector<ResultColumn> out;
  const size_t n = size_t(model.n_v);
  for (const BatchQuantity& quantity : chosen)
    for (const BatchResult& result : quantity.results) {
      ResultColumn column{result.name, {n}, {}};
      if (result.is_matrix) column.dimensions.push_back(n);
      for (int i = 0; i < model.n_v; ++i)
        for (int j = 0; j < (result.is_matrix ? model.n_v : 1); ++j)
          column.units.push_back(result.unit(model.dof(i).turns(), model.dof(j).turns()));
      out.push_back(std::move(column));
    }
  return out;
}

// The states of a quantity that cannot be computed.
struct Failures {
  uint64_t count = 0, first = 0;
  std::string reason;
  void add(uint64_t more, uint64_t state, const std::string& why) {
    if (count == 0 || state < first) first = state, reason = why;
    count += more;
  }
};

// The task that all threads share.
struct BatchJob {
  StatesTable& states;
  ResultsTable& results;
  const std::vector<BatchQuantity>& chosen;
  const State& like;
  size_t part;  // number of states that a thread computes at a time
  std::atomic<uint64_t> next = 0, done = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex = {};  // guards failures and error
  std::vector<Failures> failures = std::vector<Failures>(chosen.size());
  std::exception_ptr error = nullptr;
};

// The work of one thread, with a solver and memory of its own.
class BatchWorker {
 public:
  BatchWorker(BatchJob& job, Solver solver)
      : job_(job),
        solver_(std::move(solver)),
        batch_solver_(solver_),
        states_(job.like.model_ptr(), job.part),
        vdot_(size_t(states_.model().n_v) * states_.stride()),
        tau_(vdot_.size()) {
    states_.set_world(job.like);
    for (const BatchQuantity& quantity : job.chosen)
      for (const BatchResult& result : quantity.results) {
        entries_.push_back(result.entries(states_.model()));
        columns_.emplace_back(entries_.back() * states_.stride());
        rows_.emplace_back(entries_.back() * job.part);
      }
  }

  // Computes parts of the states until none is left. Calls show() after each part.
  template <class Show>
  void run(Show show) {
    for (;;) {
      const uint64_t first = job_.next.fetch_add(job_.part);
      if (first >= job_.states.size() || job_.failed) return;
      if (was_interrupted()) throw Interrupted("interrupted; the results are not written");
      const size_t count = size_t(std::min<uint64_t>(job_.part, job_.states.size() - first));
      states_.resize(count);
      job_.states.read(first, count, states_, {vdot_.data(), vdot_.size()},
                       {tau_.data(), tau_.size()});
      compute(first, count);
      job_.done += count;
      show();
    }
  }

 private:
  void compute(uint64_t first, size_t count) {
    size_t result = 0;
    for (size_t q = 0; q < job_.chosen.size(); ++q) {
      const BatchQuantity& quantity = job_.chosen[q];
      std::vector<double*> out;
      for (size_t r = 0; r < quantity.results.size(); ++r)
        out.push_back(columns_[result + r].data());
      const BatchStatus status =
          quantity.evaluate(batch_solver_, states_, vdot_.data(), tau_.data(), out.data());
      if (!status) {
        const std::lock_guard turn(job_.mutex);
        job_.failures[q].add(status.failed, first + status.state, solver_.explain(status.status));
      }
      for (size_t r = 0; r < quantity.results.size(); ++r, ++result) write(result, first, count);
    }
  }
  // Converts a result from [entries][stride] to [count][entries], and writes it.
  void write(size_t result, uint64_t first, size_t count) {
    const size_t entries = entries_[result], stride = states_.stride();
    const double* from = columns_[result].data();
    double* to = rows_[result].data();
    constexpr size_t line = 8;  // numbers in a cache line
    for (size_t begin = 0; begin < count; begin += line)
      for (size_t i = 0; i < entries; ++i)
        for (size_t k = begin; k < std::min(begin + line, count); ++k)
          to[k * entries + i] = from[i * stride + k];
    job_.results.write(result, first, count, to);
  }

  BatchJob& job_;
  Solver solver_;
  BatchSolver batch_solver_;
  StateBatch states_;
  LentArray<double> vdot_, tau_;            // [n_v][stride]
  std::vector<size_t> entries_;             // of each result
  std::vector<LentArray<double>> columns_;  // [entries][stride]
  std::vector<std::vector<double>> rows_;   // [part][entries]
};

// Returns a number of states whose results take a few megabytes.
size_t part_of(const std::vector<ResultColumn>& columns) {
  constexpr size_t most_numbers = 500'000, most_states = 8192;
  size_t numbers = 1;
  for (const ResultColumn& column : columns) numbers += column.units.size();
  return std::clamp(most_numbers / numbers / 8 * 8, size_t(8), most_states);
}

void run_threads(BatchJob& job, size_t jobs, const std::function<Solver()>& solver) {
  Progress progress;
  const auto show = [&] {
    if (progress.due())
      progress.show(double(job.done) / double(job.states.size()),
                    fmt::format("{} of {} states", job.done.load(), job.states.size()));
  };
  const auto guarded = [&](auto call) {
    try {
      call();
    } catch (...) {
      const std::lock_guard turn(job.mutex);
      if (!job.error) job.error = std::current_exception();
      job.failed = true;
    }
  };
  std::vector<std::unique_ptr<BatchWorker>> workers;
  for (size_t k = 0; k < jobs; ++k) workers.push_back(std::make_unique<BatchWorker>(job, solver()));
  {
    std::vector<std::jthread> threads;
    for (size_t k = 1; k < jobs; ++k)
      threads.emplace_back([&, k] { guarded([&] { workers[k]->run([] {}); }); });
    guarded([&] { workers[0]->run(show); });
  }
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace

void evaluate_batch(const BatchRequest& request, const std::function<Solver()>& solver,
                    const State& like) {
  const Model& model = like.model();
  Solver first = solver();
  const std::vector<BatchQuantity> chosen =
      batch_quantities(request.quantities, first, "--quantity");
  const std::vector<ResultColumn> columns = columns_of(chosen, model);
  StatesTable states(request.states, model);
  ResultsTable results(request.out, states.size(), columns, model.dof_names(),
                       {{"solver", first.id()}, {"states", request.states.string()}});
  BatchJob job{states, results, chosen, like, part_of(columns)};
  const Interruptible interruptible;
  Progress clock;
  const size_t parts = size_t((states.size() + job.part - 1) / job.part);
  run_threads(job, std::clamp<size_t>(request.jobs, 1, std::max<size_t>(parts, 1)), solver);
  results.commit();
  const double wall = clock.wall();
  const BatchSolver batch(first);
  for (size_t q = 0; q < chosen.size(); ++q) {
    fmt::print(
        "{}: {} states, {}\n", chosen[q].name, states.size(),
        chosen[q].is_in_lanes(batch) ? fmt::format("{} at once", batch.lanes()) : "one by one");
    if (const Failures& failures = job.failures[q]; failures.count > 0)
      print_message(fmt::format(
          "warning: {}: {} of {} states cannot be computed and are NaN; the "
          "first is states[{}]: {}",
          chosen[q].name, failures.count, states.size(), failures.first, failures.reason));
  }
  fmt::print("{}: {:.3g} s, {:.3g} states/s\n", request.out.string(), wall,
             wall > 0 ? double(states.size()) / wall : 0);
}

}  // namespace torsor::cli
