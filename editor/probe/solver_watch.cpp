#include "editor/probe/solver_watch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "torsor/mechanics/state.hpp"

namespace torsor::editor {

namespace {

using Clock = std::chrono::steady_clock;

// Times in ns for timing calls: per frame, per batch, and per frame after the best time is known.
constexpr double frame_ns = 2e5, batch_ns = 2e4;
constexpr double later_ns = 2e4;
constexpr int enough_batches = 60;

bool same(const State& a, const State& b) {
  return a.time == b.time && std::ranges::equal(a.q(), b.q()) && a.v == b.v;
}

}  // namespace

SolverWatch::Timing::Timing() : best_ns(std::numeric_limits<double>::quiet_NaN()) {}

SolverWatch::SolverWatch(std::vector<Solver> solvers) : comparison_(std::move(solvers)) {
  results_.disagreements.assign(std::size(all_compared), RunHistory(RunHistory::Keep::largest));
  results_.timings.resize(comparison_.solvers().size());
  const int n = int(results_.timings.size());
  for (const Compared quantity : all_compared)
    for (int a = 0; a < n; ++a)
      for (int b = a + 1; b < n; ++b) results_.pairs.push_back({quantity, a, b, {}, {}, 0, ""});
  const auto n_v = size_t(this->solvers().front().model().n_v);
  out_.resize(n_v * std::max<size_t>(n_v, 1));
  shown_ = results_;
}

std::span<const SolverWatch::Pair> SolverWatch::pairs(Compared quantity) const {
  const size_t each = shown_.pairs.size() / std::size(all_compared);
  return std::span(shown_.pairs).subspan(size_t(quantity) * each, each);
}

void SolverWatch::advance(const State& state, const std::vector<double>& vdot,
                          const std::vector<double>& tau) {
  if (!exceeds_a_frame(state.model())) {
    work(state, vdot, tau);
    shown_ = results_;
  } else if (job_.rested()) {
    shown_ = results_;
    job_.start([this, state, vdot, tau] { work(state, vdot, tau); });
  }
}

void SolverWatch::work(const State& state, const std::vector<double>& vdot,
                       const std::vector<double>& tau) {
  compare(state, vdot, tau);
  if (std::ranges::any_of(state.v, [](double v) { return v != 0; }))
    return time_calls(state, vdot, tau);
  State moving = state;
  std::ranges::fill(moving.v, 1.0);
  time_calls(moving, vdot, tau);
}

void SolverWatch::compare(const State& state, const std::vector<double>& vdot,
                          const std::vector<double>& tau) {
  const int n = int(solvers().size());
  if (next_ == 0) {
    if (state_ && same(*state_, state) && vdot_ == vdot && tau_ == tau) return;
    state_ = state;
    vdot_ = vdot;
    tau_ = tau;
  }
  if (next_ < n) {
    comparison_.ask(next_, *state_, vdot_, tau_);
    ++next_;
  } else {
    judge();
    next_ = 0;
  }
}

void SolverWatch::judge() {
  const bool first = results_.states++ == 0;
  const double time = state_->time;
  for (Pair& pair : results_.pairs) {
    pair.now = comparison_.between(pair.a, pair.b, pair.quantity);
    if (!pair.now.singular)
      results_.disagreements[size_t(pair.quantity)].add(time, pair.now.fraction());
    if (!first && !(pair.now.fraction() > pair.worst.fraction())) continue;
    pair.worst = pair.now;
    pair.worst_time = time;
    pair.failure.clear();
    if (!pair.now.broken()) continue;
    for (const int solver : {pair.a, pair.b})
      if (pair.failure.empty()) pair.failure = comparison_.failure(solver, pair.quantity);
  }
}

void SolverWatch::time_calls(const State& state, const std::vector<double>& vdot,
                             const std::vector<double>& tau) {
  const size_t n = std::size(all_quantities), all = results_.timings.size() * n;
  double spent = 0;
  credit_ns_ = std::min(credit_ns_ + later_ns, frame_ns);
  for (size_t k = 0; k < all && spent < frame_ns; ++k) {
    const size_t at = next_timing_;
    next_timing_ = (next_timing_ + 1) % all;
    const Quantity quantity = all_quantities[at % n];
    Timing& timing = results_.timings[at / n][at % n];
    if (indices(quantity) == 3) continue;  // results of n_v^3 numbers take too long
    const bool known = timing.batches == enough_batches;
    if (known && (credit_ns_ <= 0 || timing.best_ns > frame_ns)) continue;
    const double* given = given_of(quantity, vdot, tau).data();
    const double ns = time_batch(comparison_.solvers()[at / n], quantity, state, given, timing);
    if (known) credit_ns_ -= ns;
    spent += ns;
  }
}

// Times one batch of calls and returns its time in ns. The number of calls doubles until a batch is
// long compared with the cost of reading the clock. A batch longer than frame_ns counts as 20
// batches.
double SolverWatch::time_batch(Solver& solver, Quantity quantity, const State& state,
                               const double* given, Timing& timing) {
  const auto start = Clock::now();
  bool good = true;
  for (long k = 0; k < timing.calls; ++k)
    good &= bool(solver.evaluate(quantity, state, given, out_.data()));
  const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  if (good && (timing.batches > 0 || ns > batch_ns)) {
    timing.best_ns = std::fmin(timing.best_ns, ns / double(timing.calls));
    timing.history.add(state.time, ns / double(timing.calls));
  }
  if (ns < batch_ns) timing.calls *= 2;
  timing.batches = std::min(enough_batches, timing.batches + (ns > frame_ns ? 20 : 1));
  return ns;
}

}  // namespace torsor::editor
