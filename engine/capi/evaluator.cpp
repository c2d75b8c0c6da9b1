#include "torsor/capi/evaluator.hpp"

#include "torsor/capi/batch.hpp"
#include "torsor/capi/rollout.hpp"
#include "torsor/capi/rows.hpp"

using namespace torsor;
using namespace torsor::capi;

torsor_evaluator::torsor_evaluator(const torsor_robot& robot, const char* name)
    : plugins(robot.plugins),
      found(robot.found),
      model(robot.model),
      state(model),
      solver_name(name ? name : robot.solver),
      solver(make_solver(model)),
      has_quaternions(!model->mapped.empty()),
      q(size_t(model->n_q)),
      zeros(size_t(model->n_v)),
      scratch(*model) {
  state.set_gravity(robot.gravity_W);
}
torsor_evaluator::~torsor_evaluator() = default;

Solver torsor_evaluator::make_solver(const std::shared_ptr<const Model>& of) const {
  return plugins->solver(solver_name, of);
}

namespace torsor::capi {

namespace {

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

}  // namespace

const char* name_of_x(QuantityInput input) {
  return input == QuantityInput::q_v_tau ? "x (tau)" : "x (vdot)";
}

void check_state(torsor_evaluator& at, QuantityInput input, const double* q, const double* v,
                 const double* x) {
  require_numbers(q, at.q.size(), "q");
  if (needs_v(input)) require_numbers(v, at.zeros.size(), "v");
  if (needs_x(input)) require_numbers(x, at.zeros.size(), name_of_x(input));
  std::copy_n(q, at.q.size(), at.q.data());
  if (at.has_quaternions) normalise(*at.model, at.q);
}

void compute(torsor_evaluator& at, const NamedQuantity& quantity, const double* q, const double* v,
             const double* x, double* out) {
  const QuantityInput input = quantity.entry->input;
  check_state(at, input, q, v, x);
  at.state.set_q(at.q);
  std::copy_n(needs_v(input) ? v : at.zeros.data(), at.zeros.size(), at.state.v.data());
  quantity.entry->compute(
      {at.solver, at.state, needs_x(input) ? x : nullptr, quantity.frames, at.scratch}, out);
}

void load_world(const torsor_evaluator& at, StateBatch& states) {
  states.set_world(at.state);
  const auto F_B = at.state.F_B();
  const bool has_wrenches = at.state.view(false).F_B != nullptr;
  if (!has_wrenches && states.F_B().empty()) return;
  states.add_wrenches();
  const auto* numbers = reinterpret_cast<const double*>(F_B.data());
  for (size_t i = 0; i < 6 * F_B.size(); ++i)
    std::fill_n(states.F_B().data() + i * states.stride(), states.stride(), numbers[i]);
}

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
    require_numbers(wrenches, checked_size(n, 6, "wrenches"), "wrenches");
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
    compute(*evaluator, find_quantity(*evaluator->model, name), q, v, x, out);
  });
}
