#include "torsor/cli/eval/eval_rows.hpp"

#include "torsor/analysis/velocity_coefficients.hpp"
#include "torsor/cli/eval/eval_contacts.hpp"
#include "torsor/cli/eval/eval_derivatives.hpp"
#include "torsor/cli/eval/eval_frames.hpp"
#include "torsor/cli/pages/parameters_json.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::cli {

using Json = nlohmann::ordered_json;

Json Evaluation::solved(Quantity quantity) const {
  std::vector<double> out(entries(quantity, size_t(state.model().n_v)));
  check(solver.evaluate(quantity, state, given_of(quantity, entry.vdot, entry.tau).data(),
                        out.data()));
  if (indices(quantity) == 1) return ordered_vector(out, order.columns);
  if (indices(quantity) == 2) return ordered_matrix(out, order.columns);
  return ordered_cube(out, order.columns);
}

Json Evaluation::velocity_coefficients() const {
  const size_t n = size_t(state.model().n_v);
  std::vector<double> h(n * n * n);
  check(torsor::velocity_coefficients(solver, state, h.data()));
  return ordered_cube(h, order.columns);
}

Json Evaluation::solved_split() const {
  const size_t n = size_t(state.model().n_v);
  std::vector<double> inertial(n), centrifugal(n), coriolis(n), gravity(n);
  check(
      solver.torque_split(state, entry.vdot.data(),
                          {inertial.data(), centrifugal.data(), coriolis.data(), gravity.data()}));
  return {{"inertial", ordered_vector(inertial, order.columns)},
          {"centrifugal", ordered_vector(centrifugal, order.columns)},
          {"coriolis", ordered_vector(coriolis, order.columns)},
          {"gravity", ordered_vector(gravity, order.columns)}};
}

Json Evaluation::derivatives(Derivatives function) const {
  return function(solver, state, entry, order.columns);
}

Json Evaluation::constrained(Json (*function)(const ConstrainedState&)) const {
  return function({solver, state, entry, choice, order.columns, order.joints});
}

Json Evaluation::joint_wrenches() const {
  if (!state.model().closures.empty()) return constrained(closed_joint_wrenches_json);
  return joint_wrenches_json(state, torsor::joint_wrenches(state, entry.vdot), order.joints);
}

const Json& Evaluation::base_parameters() const {
  if (base.is_null())
    base = base_parameters_json(torsor::base_parameters(state.model_ptr(), state.gravity_W(),
                                                        {Included::own, Included::none}));
  return base;
}

void Evaluation::check(Status status) const {
  if (!status) throw Error(solver.explain(status));
}

namespace {

Json homogeneous(const Pose<double>& X) {
  const double* R = X.R.m;
  return {{R[0], R[1], R[2], X.p.x},
          {R[3], R[4], R[5], X.p.y},
          {R[6], R[7], R[8], X.p.z},
          {0.0, 0.0, 0.0, 1.0}};
}

template <class Function>
Json per_frame(const Evaluation& evaluation, Function function) {
  Json out = Json::object();
  for (const Frame& frame : evaluation.state.model().frames) out[frame.name] = function(frame);
  return out;
}

size_t size_jacobians(const EvalSizes& s) {
  return 6 * s.n * s.frames;
}

bool offers_partials(const Solver& solver) {
  return solver.has_partials();
}
bool of_constrained(const Solver& solver) {
  return has_constraints(solver.model());
}
bool has_colliders(const Solver& solver) {
  return !solver.model().colliders.empty();
}
const EvalRow other_rows[] = {
    {"torque_split", [](Evaluation& e) { return e.solved_split(); },
     [](const EvalSizes& s) { return 4 * s.n; }},
    {rates_name.data(), [](Evaluation& e) { return e.derivatives(rates_json); },
     [](const EvalSizes& s) { return 5 * s.n; },
     [](const Solver& solver) { return solver.max_rate_order() >= 2; }, 1},
    {"equation_rates", [](Evaluation& e) { return e.derivatives(equation_rates_json); },
     [](const EvalSizes& s) { return 3 * (2 * s.n + 3) * s.n; },
     [](const Solver& solver) { return solver.has_equation_rates(); }, 2},
    {"inverse_dynamics_partials",
     [](Evaluation& e) { return e.derivatives(inverse_partials_json); },
     [](const EvalSizes& s) { return 3 * s.n * s.n; }, offers_partials},
    {"forward_dynamics_partials",
     [](Evaluation& e) { return e.derivatives(forward_partials_json); },
     [](const EvalSizes& s) { return 3 * s.n * s.n; }, offers_partials},
    {"inverse_dynamics_second_partials",
     [](Evaluation& e) { return e.derivatives(second_partials_json); },
     [](const EvalSizes& s) { return 4 * s.n * s.n * s.n; },
     [](const Solver& solver) { return solver.has_second_partials(); }, 0, true},
    {"velocity_coefficients", [](Evaluation& e) { return e.velocity_coefficients(); },
     [](const EvalSizes& s) { return s.n * s.n * s.n; }, [](const Solver&) { return true; }, 0,
     true},
    {"regressor",
     [](Evaluation& e) { return regressor_json(e.state, e.entry.vdot, e.order.columns); },
     [](const EvalSizes& s) { return 10 * s.bodies * s.n; }},
    {"base_parameters", [](Evaluation& e) { return e.base_parameters(); },
     [](const EvalSizes& s) { return 10 * s.bodies; }},
    {"kinetic_energy", [](Evaluation& e) { return Json(kinetic_energy(e.state)); },
     [](const EvalSizes&) { return size_t(1); }},
    {"potential_energy", [](Evaluation& e) { return Json(potential_energy(e.state)); },
     [](const EvalSizes&) { return size_t(1); }},
    {"poses",
     [](Evaluation& e) {
       return per_frame(
           e, [&](const Frame& frame) { return homogeneous(frame_pose(e.state, frame)); });
     },
     [](const EvalSizes& s) { return 16 * s.frames; }},
    {"jacobians",
     [](Evaluation& e) {
       return per_frame(e, [&](const Frame& frame) {
         return rows_over_columns(frame_jacobian(e.state, frame), e.order.columns);
       });
     },
     size_jacobians},
    {"jacobian_rates",
     [](Evaluation& e) {
       return per_frame(e, [&](const Frame& frame) {
         return rows_over_columns(jacobian_derivative(e.state, frame), e.order.columns);
       });
     },
     size_jacobians},
    {"operational_space",
     [](Evaluation& e) {
       const OperationalSpaces spaces(e.solver, e.state);
       return per_frame(
           e, [&](const Frame& frame) { return describe(spaces.of(frame), e.order.columns); });
     },
     [](const EvalSizes& s) { return (s.n * s.n + 6 * s.n + 90) * s.frames; }},
    {"centroidal", [](Evaluation& e) { return describe(centroidal(e.state), e.order.columns); },
     [](const EvalSizes& s) { return 15 * s.n + 30; }},
    {"joint_wrenches", [](Evaluation& e) { return e.joint_wrenches(); },
     [](const EvalSizes& s) { return 6 * s.joints; }, [](const Solver&) { return true; }, 0, false,
     false, true},
    {"imu",
     [](Evaluation& e) {
       return per_frame(e, [&](const Frame& frame) {
         const auto [w, a] = inertial_measurement(e.state, e.entry.vdot, frame);
         return Json{w.x, w.y, w.z, a.x, a.y, a.z};
       });
     },
     [](const EvalSizes& s) { return 6 * s.frames; }},
    {"least_distance", [](Evaluation& e) { return least_distance_json(e.detector, e.state); },
     [](const EvalSizes&) { return size_t(10); }, has_colliders},
    {"contacts", [](Evaluation& e) { return contacts_json(e.detector, e.state); },
     [](const EvalSizes& s) { return 20 * s.colliders; }, has_colliders},
    {"constraints", [](Evaluation& e) { return e.constrained(constraints_json); },
     [](const EvalSizes& s) { return (s.n + 5) * s.rows; }, of_constrained, 0, false, true},
    {"constrained_forward_dynamics",
     [](Evaluation& e) { return e.constrained(constrained_forward_json); },
     [](const EvalSizes& s) { return s.n + 7 * s.rows + 6 * s.joints; }, of_constrained, 0, false,
     true},
    {"constrained_inverse_dynamics",
     [](Evaluation& e) { return e.constrained(constrained_inverse_json); },
     [](const EvalSizes& s) { return 2 * s.n + 7 * s.rows + 6 * s.joints; }, of_constrained, 0,
     false, true},
    {"reduced_dynamics", [](Evaluation& e) { return e.constrained(reduced_dynamics_json); },
     [](const EvalSizes& s) { return 2 * s.n * s.n; }, of_constrained, 0, false, true},
    {"constrained_forward_dynamics_partials",
     [](Evaluation& e) { return e.constrained(constrained_partials_json); },
     [](const EvalSizes& s) { return 3 * s.n * s.n; },
     [](const Solver& solver) { return of_constrained(solver) && solver.has_partials(); }, 0, false,
     true},
};

}  // namespace

const std::vector<EvalRow>& eval_rows() {
  static const std::vector<EvalRow> all = [] {
    std::vector<EvalRow> out;
    for (const QuantityRow& row : quantities)
      out.push_back({row.key, [q = row.quantity](Evaluation& e) { return e.solved(q); },
                     [q = row.quantity](const EvalSizes& s) { return entries(q, s.n); }});
    out.insert(out.end(), std::begin(other_rows), std::end(other_rows));
    return out;
  }();
  return all;
}

EvalSizes sizes_of(const Model& model) {
  return {size_t(model.n_v),
          model.frames.size(),
          size_t(model.n_body),
          model.joints.size(),
          model.mimics.size() + 6 * model.closures.size(),
          model.colliders.size()};
}

}  // namespace torsor::cli
