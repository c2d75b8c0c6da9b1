// Many motions of a robot under given torques.

#include "torsor/capi/rollout.hpp"

#include <fmt/ranges.h>

#include "torsor/capi/rows.hpp"

using namespace torsor;
using namespace torsor::capi;

namespace torsor::capi {

RolloutMemory::RolloutMemory(const torsor_evaluator& at, const Step& made_of, size_t n)
    : step(made_of),
      rollouts([&](const std::shared_ptr<const Model>& of) { return at.make_solver(of); }, at.model,
               step, n),
      tau(at.zeros.size() * rollouts.states().stride()),
      neutral(torsor::neutral(*at.model)),
      sums(rollouts.states().stride()),
      has_failed(sums.size()) {}

namespace {

// The motions of the caller. Strides are 0 only if torques are repeated.
struct Motions {
  size_t n, steps, every;
  const double *q, *v, *tau;
  size_t q_stride, v_stride, tau_stride, tau_step_stride;
  double *out_q, *out_v;  // [n][samples][n_q], [n][samples][n_v]
  uint64_t* done;         // [n], or null
  size_t samples() const { return steps / every + 1; }
};

// Motions [first, first + count) of the caller, which advance together.
class Part {
 public:
  Part(torsor_evaluator& at, const Motions& motions, size_t first, size_t count, Failures& failures)
      : at_(at),
        memory_(*at.rollout),
        states_(memory_.rollouts.states()),
        stride_(states_.stride()),
        motions_(motions),
        first_(first),
        count_(count),
        failures_(failures) {}

  void run() {
    states_.resize(count_);
    std::ranges::fill(memory_.tau, 0.0);
    std::ranges::fill(memory_.has_failed, false);
    if (motions_.done) std::fill_n(motions_.done + first_, count_, motions_.steps);
    for (size_t k = 0; k < count_; ++k) load_start(k);
    write_sample(0);
    for (size_t t = 1; t <= motions_.steps; ++t) {
      load_torques(t);
      check(t, memory_.rollouts.step(memory_.tau.data()));
      if (t % motions_.every == 0) write_sample(t / motions_.every);
    }
  }

 private:
  // Sets the state of motion k. v: null for a motion at rest.
  void set(size_t k, std::span<const double> q, const double* v) {
    for (size_t i = 0; i < q.size(); ++i) states_.q()[i * stride_ + k] = q[i];
    for (size_t i = 0; i < at_.zeros.size(); ++i) states_.v()[i * stride_ + k] = v ? v[i] : 0;
  }

  void load_start(size_t k) {
    const double* q = motions_.q + (first_ + k) * motions_.q_stride;
    const double* v = motions_.v ? motions_.v + (first_ + k) * motions_.v_stride : nullptr;
    try {
      check_state(at_, v ? QuantityInput::q_v : QuantityInput::q, q, v, nullptr);
      set(k, at_.q, v);
    } catch (const Error& error) {
      fail(k, 0, error.what());
    }
  }

  // Loads the torques of step t, from 1. Motions whose torques are not finite fail. Motions that
  // have failed rest, so that they do not slow down the others.
  void load_torques(size_t t) {
    double* tau = memory_.tau.data();
    const size_t n_v = at_.zeros.size();
    if (motions_.tau && (t == 1 || motions_.tau_step_stride > 0)) {
      to_columns(motions_.tau + first_ * motions_.tau_stride + (t - 1) * motions_.tau_step_stride,
                 motions_.tau_stride, count_, n_v, tau, stride_);
      clear_sums();
      add_to_sums(memory_.tau);
      for (size_t k = 0; k < count_; ++k)
        for (size_t i = 0; i < n_v && is_new_failure(k); ++i)
          if (const double x = tau[i * stride_ + k]; !std::isfinite(x))
            fail(k, t, fmt::format("tau[{}] is {}; give a finite number", i, x));
    }
    for (size_t k = 0; k < count_; ++k) {
      if (!memory_.has_failed[k]) continue;
      set(k, memory_.neutral, nullptr);
      for (size_t i = 0; i < n_v; ++i) tau[i * stride_ + k] = 0;
    }
  }

  // Finds the motions that have failed in step t.
  void check(size_t t, const BatchStatus& status) {
    clear_sums();
    add_to_sums(states_.q());
    add_to_sums(states_.v());
    for (size_t k = 0; k < count_; ++k)
      if (is_new_failure(k))
        fail(k, t,
             !status && status.state == k ? memory_.rollouts.explain(status)
                                          : "the state is not finite; try a smaller dt");
  }

  // The sum of x - x over the numbers of a motion is 0 if they are finite, otherwise NaN.
  void clear_sums() { std::ranges::fill(memory_.sums, 0.0); }
  void add_to_sums(std::span<const double> columns) {
    for (size_t i = 0; i < columns.size(); i += stride_)
      for (size_t k = 0; k < count_; ++k) memory_.sums[k] += columns[i + k] - columns[i + k];
  }
  bool is_new_failure(size_t k) const { return !(memory_.sums[k] == 0) && !memory_.has_failed[k]; }

  // Ends motion k in step t. t = 0: its start cannot be used.
  void fail(size_t k, size_t t, const std::string& why) {
    memory_.has_failed[k] = true;
    if (motions_.done) motions_.done[first_ + k] = t > 0 ? t - 1 : 0;
    failures_.add(1, first_ + k, t > 0 ? fmt::format("step {}: {}", t, why) : why);
  }

  void write_sample(size_t s) {
    write_rows(states_.q(), at_.q.size(), s, motions_.out_q);
    write_rows(states_.v(), at_.zeros.size(), s, motions_.out_v);
  }
  void write_rows(std::span<const double> columns, size_t size, size_t s, double* out) {
    const size_t samples = motions_.samples();
    double* to = out + (first_ * samples + s) * size;
    to_rows(columns.data(), stride_, count_, size, to, samples * size);
    for (size_t k = 0; k < count_; ++k)
      if (memory_.has_failed[k]) fill_nan(to + k * samples * size, size);
  }

  torsor_evaluator& at_;
  RolloutMemory& memory_;
  StateBatch& states_;
  size_t stride_;
  const Motions& motions_;
  size_t first_, count_;
  Failures& failures_;
};

// Returns the step of the motions. Integrators that solve equations are not offered, because the
// result of a motion would depend on the others.
Step read_step(const torsor_motions& given) {
  constexpr Integrator offered[] = {Integrator::euler, Integrator::semi_implicit_euler,
                                    Integrator::rk4};
  const std::string_view wanted = given.integrator ? given.integrator : "rk4";
  const auto found = std::ranges::find(offered, wanted,
                                       [](Integrator one) { return std::string_view(name(one)); });
  if (found == std::end(offered)) {
    std::vector<std::string> names;
    for (const Integrator one : offered) names.emplace_back(name(one));
    throw Error(fmt::format("integrator '{}': rollouts have one of: {}{}", wanted,
                            fmt::join(names, ", "), did_you_mean(wanted, names)));
  }
  if (!(given.dt > 0 && std::isfinite(given.dt)))
    throw Error(fmt::format("dt: it is {}; give a positive number of seconds", given.dt));
  return {.method = *found, .dt = given.dt};
}

// Returns the motions with their strides. Throws Error for sizes that do not fit.
Motions motions_of(const torsor_evaluator& at, const torsor_motions& given, double* q, double* v) {
  const size_t n = given.n, n_q = at.q.size(), n_v = at.zeros.size();
  if (given.steps == 0) throw Error("steps: it is 0; give the number of steps of a motion");
  const uint64_t every = given.sample_every == 0 ? 1 : given.sample_every;
  if (given.steps % every != 0)
    throw Error(fmt::format("steps is {} and sample_every is {}; steps must be a multiple of it",
                            given.steps, every));
  Motions out{};
  out.n = n, out.steps = given.steps, out.every = every;
  out.q = given.q, out.v = given.v, out.tau = given.tau;
  out.q_stride = checked_stride(given.q_stride, n_q, n, "q_stride");
  out.v_stride = checked_stride(given.v_stride, n_v, n, "v_stride");
  if (!given.tau_is_constant)
    out.tau_step_stride =
        checked_stride(given.tau_step_stride, n_v, given.steps, "tau_step_stride");
  if (!given.tau_is_shared) {
    out.tau_stride = checked_stride(given.tau_stride, n_v, n, "tau_stride");
    if (given.tau_stride == 0 && !given.tau_is_constant)
      out.tau_stride = checked_size(given.steps, out.tau_step_stride, "tau_stride");
  }
  checked_size(out.tau_stride, n, "tau_stride");
  checked_size(checked_size(n, out.samples(), "steps"), std::max(n_q, n_v), "steps");
  out.out_q = q, out.out_v = v, out.done = given.done;
  if (n == 0) return out;
  require_pointer(out.q, "q");
  require_pointer(q, "the q of the samples");
  if (n_v > 0) require_pointer(v, "the v of the samples");
  return out;
}

// Number of motions of a part: their numbers take about 200 kB.
size_t motions_at_once(const Model& model, size_t n) {
  const size_t numbers = 30 * (size_t(model.n_q) + size_t(model.n_v)) + 1;
  return std::min(StateBatch::stride_of(n), std::clamp<size_t>(25'000 / numbers / 8 * 8, 8, 256));
}

void roll_out(torsor_evaluator& at, const torsor_motions& given, double* q, double* v) {
  const Step step = read_step(given);
  const Motions motions = motions_of(at, given, q, v);
  if (motions.n == 0) return;
  const size_t wanted = motions_at_once(*at.model, motions.n);
  if (!at.rollout || at.rollout->step.method != step.method || at.rollout->step.dt != step.dt ||
      at.rollout->sums.size() != wanted)
    at.rollout = std::make_unique<RolloutMemory>(at, step, wanted);
  const size_t part = at.rollout->sums.size();
  load_world(at, at.rollout->rollouts.states());
  Failures failures;
  for (size_t first = 0; first < motions.n; first += part)
    Part(at, motions, first, std::min(part, motions.n - first), failures).run();
  if (failures.count > 0)
    throw Error(fmt::format("{} of {} motions fail: motion {}: {}", failures.count, motions.n,
                            failures.first, failures.reason));
}

}  // namespace
}  // namespace torsor::capi

torsor_result torsor_rollout(torsor_evaluator* evaluator, const torsor_motions* motions, double* q,
                             double* v, torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(evaluator, "evaluator");
    require_pointer(motions, "motions");
    roll_out(*evaluator, read_struct(motions, "motions"), q, v);
  });
}
