// Quantities of many states.

#include "torsor/capi/batch.hpp"

#include "torsor/capi/rows.hpp"

using namespace torsor;
using namespace torsor::capi;

namespace torsor::capi {

namespace {

// Many states of the caller, with strides that are not 0.
struct Rows {
  size_t n;
  const double *q, *v, *x;
  size_t q_stride, v_stride, x_stride;
};

// Returns why the numbers of a state cannot be used, or "".
std::string problem_of(torsor_evaluator& at, QuantityInput input, const Rows& rows, size_t k) {
  const double *q = rows.q + k * rows.q_stride, *v = rows.v + k * rows.v_stride,
               *x = rows.x + k * rows.x_stride;
  const size_t n_v = at.zeros.size();
  if (!at.has_quaternions && are_finite({q, at.q.size()}) &&
      (!needs_v(input) || are_finite({v, n_v})) && (!needs_x(input) || are_finite({x, n_v})))
    return "";
  try {
    check_state(at, input, q, v, x);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

// Copies states to the memory of the batch: at most `count`, up to the first one that cannot be
// used. Returns their number. problem: receives why the next state cannot be used.
size_t load_part(torsor_evaluator& at, QuantityInput input, const Rows& rows, size_t first,
                 size_t count, std::string& problem) {
  BatchMemory& batch = *at.batch;
  StateBatch& states = batch.states;
  const size_t n_q = at.q.size(), n_v = at.zeros.size(), stride = states.stride();
  problem.clear();
  for (size_t k = 0; k < count; ++k) {
    problem = problem_of(at, input, rows, first + k);
    if (!problem.empty()) count = k;
    if (!at.has_quaternions) continue;
    for (size_t i = 0; i < n_q; ++i) states.q()[i * stride + k] = at.q[i];
  }
  states.resize(count);
  if (!at.has_quaternions)
    to_columns(rows.q + first * rows.q_stride, rows.q_stride, count, n_q, states.q().data(),
               stride);
  if (needs_v(input))
    to_columns(rows.v + first * rows.v_stride, rows.v_stride, count, n_v, states.v().data(),
               stride);
  else
    std::ranges::fill(states.v(), 0.0);
  if (needs_x(input))
    to_columns(rows.x + first * rows.x_stride, rows.x_stride, count, n_v, batch.x.data(), stride);
  return count;
}

BatchStatus compute_part(torsor_evaluator& at, const QuantityEntry& entry) {
  BatchMemory& batch = *at.batch;
  double* out = batch.rows.data();
  const size_t matrix = at.zeros.size() * at.zeros.size() * batch.states.stride();
  if (entry.has_inverse_partials)
    return batch.solver.inverse_partials(batch.states, batch.x.data(), {out, out + matrix});
  if (entry.has_forward_partials)
    return batch.solver.forward_partials(batch.states, batch.x.data(),
                                         {out, out + matrix, out + 2 * matrix});
  return batch.solver.evaluate(*entry.solved, batch.states, batch.x.data(), out);
}

// Returns whether BatchSolver computes the quantity.
bool is_batched(const QuantityEntry& entry) {
  return entry.has_inverse_partials || entry.has_forward_partials ||
         (entry.solved && indices(*entry.solved) <= 2);
}

void evaluate_parts(torsor_evaluator& at, const NamedQuantity& quantity, const Rows& rows,
                    double* out, size_t out_stride, Failures& failures) {
  if (!at.batch) at.batch = std::make_unique<BatchMemory>(at.solver, at.model);
  const size_t size = entries(quantity, *at.model), part = at.batch->states.stride();
  at.batch->rows.resize(std::max(at.batch->rows.size(), size * part));
  load_world(at, at.batch->states);
  std::string problem;
  for (size_t first = 0; first < rows.n;) {
    const size_t count =
        load_part(at, quantity.entry->input, rows, first, std::min(part, rows.n - first), problem);
    const BatchStatus status = compute_part(at, *quantity.entry);
    if (!status)
      failures.add(status.failed, first + status.state, at.solver.explain(status.status));
    to_rows(at.batch->rows.data(), part, count, size, out + first * out_stride, out_stride);
    first += count;
    if (problem.empty()) continue;
    failures.add(1, first, problem);
    fill_nan(out + first++ * out_stride, size);
  }
}

void evaluate_singly(torsor_evaluator& at, const NamedQuantity& quantity, const Rows& rows,
                     double* out, size_t out_stride, Failures& failures) {
  for (size_t k = 0; k < rows.n; ++k) {
    double* to = out + k * out_stride;
    try {
      compute(at, quantity, rows.q + k * rows.q_stride, rows.v + k * rows.v_stride,
              rows.x + k * rows.x_stride, to);
    } catch (const Error& error) {
      failures.add(1, k, error.what());
      fill_nan(to, entries(quantity, *at.model));
    }
  }
}

void evaluate_batch(torsor_evaluator& at, const char* name, const torsor_states& states,
                    double* out, size_t out_stride) {
  const NamedQuantity quantity = find_quantity(*at.model, name);
  const QuantityInput input = quantity.entry->input;
  const size_t n = states.n, n_q = at.q.size(), n_v = at.zeros.size();
  Rows rows{n,
            states.q,
            states.v,
            states.x,
            checked_stride(states.q_stride, n_q, n, "q_stride"),
            checked_stride(states.v_stride, n_v, n, "v_stride"),
            checked_stride(states.x_stride, n_v, n, "x_stride")};
  out_stride = checked_stride(out_stride, entries(quantity, *at.model), n, "out_stride");
  if (n == 0) return;
  require_pointer(rows.q, "q");
  if (needs_v(input)) require_pointer(rows.v, "v");
  if (needs_x(input)) require_pointer(rows.x, name_of_x(input));
  // Pointers that are not needed are null, and no number is added to them.
  if (!rows.v) rows.v_stride = 0;
  if (!rows.x) rows.x_stride = 0;
  require_pointer(out, "out");
  Failures failures;
  if (is_batched(*quantity.entry))
    evaluate_parts(at, quantity, rows, out, out_stride, failures);
  else
    evaluate_singly(at, quantity, rows, out, out_stride, failures);
  if (failures.count > 0)
    throw Error(fmt::format("{} of {} states have no {}: state {}: {}", failures.count, n,
                            quantity.entry->name, failures.first, failures.reason));
}

// Number of states of a part: their numbers take about 100 kB.
size_t part_of(const Model& model) {
  const size_t numbers = size_t(model.n_q) + 3 * size_t(model.n_v) + 1;
  return std::clamp<size_t>(12'000 / numbers / 8 * 8, 8, 512);
}

}  // namespace

BatchMemory::BatchMemory(Solver& of, const std::shared_ptr<const Model>& model)
    : states(model, part_of(*model)), solver(of), x(size_t(model->n_v) * states.stride()) {}

}  // namespace torsor::capi

torsor_result torsor_evaluate_batch(torsor_evaluator* evaluator, const char* name,
                                    const torsor_states* states, double* out, size_t out_stride,
                                    torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(evaluator, "evaluator");
    require_pointer(name, "name");
    require_pointer(states, "states");
    evaluate_batch(*evaluator, name, read_struct(states, "states"), out, out_stride);
  });
}
