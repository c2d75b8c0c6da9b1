#include "torsor/cli/support/states.hpp"

#include "fuzz/support.hpp"
#include "fuzz/targets.hpp"
#include "torsor/formats/robot_file.hpp"

namespace torsor::fuzz {

namespace {

// Computes inverse dynamics at the states of a file, as `torsor eval` does.
void evaluate(const cli::StatesFile& file, const std::shared_ptr<const Model>& model,
              Solver& solver) {
  State state(model);
  if (file.gravity_W) state.set_gravity(*file.gravity_W);
  std::vector<double> tau(size_t(model->n_v));
  for (const cli::StateEntry& entry : file.states) {
    state.set_q(entry.q);
    state.v = entry.v;
    state.set_world_motion(entry.V_W, entry.Vdot_W);
    state.clear_wrenches();
    for (const auto& [frame, F] : entry.wrenches) state.add_wrench(model->frames[size_t(frame)], F);
    const Status status = solver.inverse(state, entry.vdot.data(), tau.data());
    if (!status && TORSOR_STATUS_CODE(status.value) != Status::not_finite)
      throw Finding(solver.explain(status));
  }
}

}  // namespace

void states(std::string_view input) {
  static const auto model = build(
      read_robot_file(TORSOR_SOURCE_DIR "/tests/reference/chain6.urdf", {.floating_base = true}));
  static Solver solver = linked_plugins().solver("articulated_body", model);
  const auto file = written("states.json", input);
  accepts([&] { evaluate(cli::read_states(file, *model), model, solver); });
}

}  // namespace torsor::fuzz
