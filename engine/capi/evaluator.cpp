#include "torsor/capi/evaluator.hpp"

#include <limits>

using namespace torsor;
using namespace torsor::capi;

torsor_evaluator::torsor_evaluator(const torsor_robot& robot, const char* solver_name)
    : plugins(robot.plugins),
      found(robot.found),
      model(robot.model),
      state(model),
      solver(plugins->solver(solver_name ? solver_name : robot.solver, model)),
      has_quaternions(!model->mapped.empty()),
      q(size_t(model->n_q)),
      zeros(size_t(model->n_v)) {
  state.set_gravity(robot.gravity_W);
}

namespace torsor::capi {

namespace {

bool needs_v(QuantityInput input) {
  return input != QuantityInput::q;
}
bool needs_x(QuantityInput input) {
  return input == QuantityInput::q_v_vdot || input == QuantityInput::q_v_tau;
}
const char* name_of_x(QuantityInput input) {
  return input == QuantityInput::q_v_tau ? "x (tau)" : "x (vdot)";
}

const char* inputs_text(QuantityInput input) {
  switch (input) {
    case QuantityInput::q:
      return "q";
    case QuantityInput::q_v:
      return "q v";
    case QuantityInput::q_v_vdot:
      return "q v vdot";
    default:
      return "q v tau";
  }
}

// Sets the state, and returns x if the quantity needs it. Throws Error for numbers that are not
// finite, and quaternions that are far from norm 1.
const double* set_state(torsor_evaluator& at, QuantityInput input, const double* q, const double* v,
                        const double* x) {
  const size_t n_q = at.q.size(), n_v = at.zeros.size();
  require_numbers(q, n_q, "q");
  if (needs_v(input)) require_numbers(v, n_v, "v");
  if (needs_x(input)) require_numbers(x, n_v, name_of_x(input));
  std::copy_n(q, n_q, at.q.data());
  if (at.has_quaternions) normalise(*at.model, at.q);
  at.state.set_q(at.q);
  std::copy_n(needs_v(input) ? v : at.zeros.data(), n_v, at.state.v.data());
  return needs_x(input) ? x : nullptr;
}

void compute(torsor_evaluator& at, const NamedQuantity& quantity, const double* x, double* out) {
  quantity.entry->compute({at.solver, at.state, x, quantity.frames}, out);
}

// The states that failed.
struct Failures {
  size_t count = 0, first = 0;
  std::string reason = {};
  void add(size_t more, size_t state, std::string why) {
    if (count == 0) first = state, reason = std::move(why);
    count += more;
  }
};

// Copies n rows [size] with a stride to columns [size][to_stride].
void to_columns(const double* from, size_t stride, size_t n, size_t size, double* to,
                size_t to_stride) {
  for (size_t i = 0; i < size; ++i)
    for (size_t k = 0; k < n; ++k) to[i * to_stride + k] = from[k * stride + i];
}
// Copies columns [size][from_stride] to n rows with a stride.
void to_rows(const double* from, size_t from_stride, size_t n, size_t size, double* to,
             size_t stride) {
  constexpr size_t line = 8;  // numbers in a cache line
  for (size_t begin = 0; begin < n; begin += line)
    for (size_t i = 0; i < size; ++i)
      for (size_t k = begin; k < std::min(begin + line, n); ++k)
        to[k * stride + i] = from[i * from_stride + k];
}

// Returns whether all numbers are finite. x - x is 0 for these, and NaN for the others.
bool are_finite(std::span<const double> x) {
  double sum = 0;
  for (const double number : x) sum += number - number;
  return sum == 0;
}

// Many states of the caller, with strides that are not 0.
struct Rows {
  size_t n;
  const double *q, *v, *x;
  size_t q_stride, v_stride, x_stride;
};

// Throws Error, which names the state, if the numbers of a part of the states cannot be used.
void check_part(torsor_evaluator& at, QuantityInput input, const Rows& rows, size_t first,
                size_t count) {
  const size_t n_q = at.q.size(), n_v = at.zeros.size();
  for (size_t k = first; k < first + count; ++k) {
    const double *q = rows.q + k * rows.q_stride, *v = rows.v + k * rows.v_stride,
                 *x = rows.x + k * rows.x_stride;
    if (are_finite({q, n_q}) && (!needs_v(input) || are_finite({v, n_v})) &&
        (!needs_x(input) || are_finite({x, n_v})))
      continue;
    try {
      set_state(at, input, q, v, x);
    } catch (const Error& error) {
      throw Error(fmt::format("state {}: {}", k, error.what()));
    }
  }
}

// Copies a part of the states to the memory of the batch.
void load_part(torsor_evaluator& at, QuantityInput input, const Rows& rows, size_t first,
               size_t count) {
  BatchMemory& batch = *at.batch;
  StateBatch& states = batch.states;
  const size_t n_q = at.q.size(), n_v = at.zeros.size(), stride = states.stride();
  states.resize(count);
  check_part(at, input, rows, first, count);
  to_columns(rows.q + first * rows.q_stride, rows.q_stride, count, n_q, states.q().data(), stride);
  if (at.has_quaternions)
    for (size_t k = 0; k < count; ++k) {
      std::copy_n(rows.q + (first + k) * rows.q_stride, n_q, at.q.data());
      normalise(*at.model, at.q);
      for (size_t i = 0; i < n_q; ++i) states.q()[i * stride + k] = at.q[i];
    }
  if (needs_v(input))
    to_columns(rows.v + first * rows.v_stride, rows.v_stride, count, n_v, states.v().data(),
               stride);
  else
    std::ranges::fill(states.v(), 0.0);
  if (needs_x(input))
    to_columns(rows.x + first * rows.x_stride, rows.x_stride, count, n_v, batch.x.data(), stride);
}

// Sets gravity and the wrenches of all states of the batch.
void load_world(torsor_evaluator& at) {
  StateBatch& states = at.batch->states;
  states.set_world(at.state);
  const auto F_B = at.state.F_B();
  const bool has_wrenches = at.state.view(false).F_B != nullptr;
  if (!has_wrenches && states.F_B().empty()) return;
  states.add_wrenches();
  const auto* numbers = reinterpret_cast<const double*>(F_B.data());
  for (size_t i = 0; i < 6 * F_B.size(); ++i)
    std::fill_n(states.F_B().data() + i * states.stride(), states.stride(), numbers[i]);
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
  load_world(at);
  for (size_t first = 0; first < rows.n; first += part) {
    const size_t count = std::min(part, rows.n - first);
    load_part(at, quantity.entry->input, rows, first, count);
    const BatchStatus status = compute_part(at, *quantity.entry);
    if (!status)
      failures.add(status.failed, first + status.state, at.solver.explain(status.status));
    to_rows(at.batch->rows.data(), part, count, size, out + first * out_stride, out_stride);
  }
}

void evaluate_singly(torsor_evaluator& at, const NamedQuantity& quantity, const Rows& rows,
                     double* out, size_t out_stride, Failures& failures) {
  const size_t size = entries(quantity, *at.model);
  for (size_t k = 0; k < rows.n; ++k) {
    double* to = out + k * out_stride;
    try {
      const double* x = set_state(at, quantity.entry->input, rows.q + k * rows.q_stride,
                                  rows.v + k * rows.v_stride, rows.x + k * rows.x_stride);
      compute(at, quantity, x, to);
    } catch (const Error& error) {
      failures.add(1, k, error.what());
      std::fill_n(to, size, std::numeric_limits<double>::quiet_NaN());
    }
  }
}

size_t checked_stride(size_t given, size_t size, const char* name) {
  if (given != 0 && given < size)
    throw Error(
        fmt::format("{}: it is {}, less than the {} numbers of a state", name, given, size));
  return given == 0 ? size : given;
}

void evaluate_batch(torsor_evaluator& at, const char* name, const torsor_states& states,
                    double* out, size_t out_stride) {
  const NamedQuantity quantity = find_quantity(*at.model, name);
  const QuantityInput input = quantity.entry->input;
  const size_t n_q = at.q.size(), n_v = at.zeros.size();
  Rows rows{states.n,
            states.q,
            states.v,
            states.x,
            checked_stride(states.q_stride, n_q, "q_stride"),
            checked_stride(states.v_stride, n_v, "v_stride"),
            checked_stride(states.x_stride, n_v, "x_stride")};
  if (rows.n == 0) return;
  require_pointer(rows.q, "q");
  if (needs_v(input)) require_pointer(rows.v, "v");
  if (needs_x(input)) require_pointer(rows.x, name_of_x(input));
  // Pointers that are not needed are null, and no number is added to them.
  if (!rows.v) rows.v_stride = 0;
  if (!rows.x) rows.x_stride = 0;
  require_pointer(out, "out");
  out_stride = checked_stride(out_stride, entries(quantity, *at.model), "out_stride");
  Failures failures;
  if (is_batched(*quantity.entry))
    evaluate_parts(at, quantity, rows, out, out_stride, failures);
  else
    evaluate_singly(at, quantity, rows, out, out_stride, failures);
  if (failures.count > 0)
    throw Error(fmt::format("{} of {} states have no {}: state {}: {}", failures.count, rows.n,
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

const char* torsor_quantity_name(size_t index) {
  const auto all = quantity_entries();
  return index < all.size() ? all[index].name.data() : nullptr;
}

torsor_result torsor_quantity_describe(const torsor_robot* robot, const char* name,
                                       torsor_quantity_info* out, torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(robot, "robot");
    require_pointer(name, "name");
    const NamedQuantity quantity = find_quantity(*robot->model, name);
    torsor_quantity_info info{};
    info.n_results = uint32_t(quantity.entry->n_results());
    info.inputs = inputs_text(quantity.entry->input);
    info.entries = entries(quantity, *robot->model);
    write_struct(out, info, "out");
  });
}

torsor_result torsor_quantity_result(const torsor_robot* robot, const char* name, size_t index,
                                     torsor_result_info* out, torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(robot, "robot");
    require_pointer(name, "name");
    const NamedQuantity quantity = find_quantity(*robot->model, name);
    if (index >= quantity.entry->n_results())
      throw Error(fmt::format("{} has {} results; there is no result {}", quantity.entry->name,
                              quantity.entry->n_results(), index));
    const ResultRow& row = quantity.entry->results[index];
    torsor_result_info info{};
    info.name = row.name.data();
    info.n_dims = uint32_t(row.dims.size());
    for (size_t d = 0; d < row.dims.size(); ++d)
      info.dims[d] = length(row.dims[d], *robot->model, quantity.frames.size());
    write_struct(out, info, "out");
  });
}

torsor_result torsor_evaluator_create(const torsor_robot* robot, const char* solver,
                                      torsor_evaluator** out, torsor_error* error) {
  return create(out, error, [&] {
    require_pointer(robot, "robot");
    return new torsor_evaluator(*robot, solver);
  });
}

void torsor_evaluator_destroy(torsor_evaluator* evaluator) {
  delete evaluator;
}

torsor_result torsor_evaluator_set_gravity(torsor_evaluator* evaluator, const double* gravity,
                                           torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(evaluator, "evaluator");
    require_numbers(gravity, 3, "gravity");
    evaluator->state.set_gravity({gravity[0], gravity[1], gravity[2]});
  });
}

torsor_result torsor_evaluator_set_wrenches(torsor_evaluator* evaluator, size_t n,
                                            const size_t* frames, const double* wrenches,
                                            torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(evaluator, "evaluator");
    if (n > 0) require_pointer(frames, "frames");
    require_numbers(wrenches, 6 * n, "wrenches");
    const std::vector<Frame>& all = evaluator->model->frames;
    for (size_t k = 0; k < n; ++k)
      if (frames[k] >= all.size())
        throw Error(
            fmt::format("frames[{}] is {}; the robot has {} frames", k, frames[k], all.size()));
    evaluator->state.clear_wrenches();
    for (size_t k = 0; k < n; ++k) {
      const double* F = wrenches + 6 * k;
      evaluator->state.add_wrench(all[frames[k]], {{F[0], F[1], F[2]}, {F[3], F[4], F[5]}});
    }
  });
}

torsor_result torsor_evaluate(torsor_evaluator* evaluator, const char* name, const double* q,
                              const double* v, const double* x, double* out, torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(evaluator, "evaluator");
    require_pointer(name, "name");
    require_pointer(out, "out");
    const NamedQuantity quantity = find_quantity(*evaluator->model, name);
    compute(*evaluator, quantity, set_state(*evaluator, quantity.entry->input, q, v, x), out);
  });
}

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
