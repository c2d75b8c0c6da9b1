#include "torsor/capi/quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "torsor/base/error.hpp"
#include "torsor/constraints/loops/constrained_dynamics.hpp"
#include "torsor/mechanics/centroidal.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/mechanics/regressor.hpp"

namespace torsor::capi {

namespace {

void check(const Evaluation& e, Status status) {
  if (!status) throw Error(e.solver.explain(status));
}

template <Quantity quantity>
void solve(const Evaluation& e, double* out) {
  check(e, e.solver.evaluate(quantity, e.state, e.x, out));
}

void compute_torque_split(const Evaluation& e, double* out) {
  const size_t n = e.state.v.size();
  check(e, e.solver.torque_split(e.state, e.x, {out, out + n, out + 2 * n, out + 3 * n}));
}
void compute_inverse_partials(const Evaluation& e, double* out) {
  const size_t n = e.state.v.size();
  check(e, e.solver.inverse_partials(e.state, e.x, {out, out + n * n}));
}
void compute_forward_partials(const Evaluation& e, double* out) {
  const size_t n = e.state.v.size() * e.state.v.size();
  check(e, e.solver.forward_partials(e.state, e.x, {out, out + n, out + 2 * n}));
}
void compute_second_partials(const Evaluation& e, double* out) {
  const size_t n = e.state.v.size(), cube = n * n * n;
  check(e,
        e.solver.second_partials(e.state, e.x, {out, out + cube, out + 2 * cube, out + 3 * cube}));
}

void compute_regressor(const Evaluation& e, double* out) {
  regressor(e.state, e.state.v.data(), e.x, e.scratch.twists, out);
}
void compute_kinetic_energy(const Evaluation& e, double* out) {
  *out = kinetic_energy(e.state, e.scratch.twists);
}
void compute_potential_energy(const Evaluation& e, double* out) {
  *out = potential_energy(e.state, e.scratch.poses);
}

// Writes a matrix by rows. Returns the end of its numbers.
double* write_rows(const Eigen::MatrixXd& matrix, double* out) {
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) *out++ = matrix(i, j);
  return out;
}
double* write_vector(const Vec3<double>& x, double* out) {
  for (const double number : {x.x, x.y, x.z}) *out++ = number;
  return out;
}

void compute_poses(const Evaluation& e, double* out) {
  for (const Frame& frame : e.frames) {
    const Pose<double> X = frame_pose(e.state, frame);
    const double* R = X.R.m;
    const double p[] = {X.p.x, X.p.y, X.p.z};
    for (int i = 0; i < 3; ++i) {
      out = std::copy(R + 3 * i, R + 3 * i + 3, out);
      *out++ = p[i];
    }
    for (const double number : {0., 0., 0., 1.}) *out++ = number;
  }
}
void compute_twists(const Evaluation& e, double* out) {
  for (const Frame& frame : e.frames) {
    const Twist<double> V = frame_twist(e.state, frame);
    out = write_vector(V.v, write_vector(V.w, out));
  }
}
void compute_jacobians(const Evaluation& e, double* out) {
  for (const Frame& frame : e.frames) out = write_rows(frame_jacobian(e.state, frame), out);
}
void compute_jacobian_rates(const Evaluation& e, double* out) {
  for (const Frame& frame : e.frames) out = write_rows(jacobian_derivative(e.state, frame), out);
}
void compute_imu(const Evaluation& e, double* out) {
  for (const Frame& frame : e.frames) {
    const auto [w, a] = inertial_measurement(e.state, {e.x, e.state.v.size()}, frame);
    out = write_vector(a, write_vector(w, out));
  }
}
void compute_joint_wrenches(const Evaluation& e, double* out) {
  const Model& model = e.state.model();
  if (!model.closures.empty())
    throw Error("joint_wrenches: the robot has closures, whose forces are not part of it");
  joint_wrenches(e.state, {e.x, e.state.v.size()}, e.state.F_B(), e.scratch.motions,
                 e.scratch.wrenches);
  for (const Joint& joint : model.joints) {
    const Wrench<double> W = at_link(e.state, joint, e.scratch.wrenches);
    out = write_vector(W.f, write_vector(W.n, out));
  }
}
void compute_centroidal(const Evaluation& e, double* out) {
  Centroidal& c = e.scratch.whole;
  centroidal(e.state, e.scratch.centroidal, c);
  *out++ = c.mass;
  out = write_vector(c.com_velocity, write_vector(c.com, out));
  out = write_rows(c.com_jacobian, out);
  out = write_vector(c.momentum.f, write_vector(c.momentum.n, out));
  write_rows(c.A_dot, write_rows(c.A, out));
}

// Returns the dynamics of a closed mechanism at a state. Throws Error if its loops are open.
ConstrainedDynamics constrained_dynamics(const Evaluation& e) {
  ConstrainedDynamics out(e.state.model());
  out.evaluate(e.solver, e.state);
  out.require_closed();
  return out;
}
void compute_constrained_forward(const Evaluation& e, double* out) {
  const auto n = Eigen::Index(e.state.v.size());
  const Eigen::Map<const Eigen::VectorXd> tau(e.x, n);
  Eigen::Map<Eigen::VectorXd>(out, n) = constrained_dynamics(e).forward(tau).vdot;
}
void compute_constrained_inverse(const Evaluation& e, double* out) {
  const auto n = Eigen::Index(e.state.v.size());
  const Eigen::Map<const Eigen::VectorXd> vdot(e.x, n);
  Eigen::Map<Eigen::VectorXd>(out, n) = constrained_dynamics(e).inverse(vdot).tau;
}

constexpr std::string_view indices_of[] = {"", "v", "vv", "vvv"};

template <Quantity quantity>
constexpr QuantityEntry solved_entry() {
  const QuantityRow& row = row_of(quantity);
  return {.name = row.key,
          .input = row.input,
          .results = {{{row.key, indices_of[row.indices]}}},
          .compute = solve<quantity>,
          .solved = quantity};
}

constexpr QuantityInput q = QuantityInput::q, q_v = QuantityInput::q_v,
                        q_v_vdot = QuantityInput::q_v_vdot, q_v_tau = QuantityInput::q_v_tau;

constexpr QuantityEntry other_entries[] = {
    {"torque_split",
     q_v_vdot,
     {{{"inertial", "v"}, {"centrifugal", "v"}, {"coriolis", "v"}, {"gravity", "v"}}},
     compute_torque_split},
    {.name = "inverse_dynamics_partials",
     .input = q_v_vdot,
     .results = {{{"dtau_dq", "vv"}, {"dtau_dv", "vv"}}},
     .compute = compute_inverse_partials,
     .has_inverse_partials = true},
    {.name = "forward_dynamics_partials",
     .input = q_v_tau,
     .results = {{{"dvdot_dq", "vv"}, {"dvdot_dv", "vv"}, {"dvdot_dtau", "vv"}}},
     .compute = compute_forward_partials,
     .has_forward_partials = true},
    {"inverse_dynamics_second_partials",
     q_v_vdot,
     {{{"d2tau_dqdq", "vvv"}, {"d2tau_dvdq", "vvv"}, {"d2tau_dvdv", "vvv"}, {"dM_dq", "vvv"}}},
     compute_second_partials},
    {"regressor", q_v_vdot, {{{"regressor", "vp"}}}, compute_regressor},
    {"kinetic_energy", q_v, {{{"kinetic_energy", ""}}}, compute_kinetic_energy},
    {"potential_energy", q, {{{"potential_energy", ""}}}, compute_potential_energy},
    {"poses", q, {{{"poses", "f44"}}}, compute_poses},
    {"twists", q_v, {{{"twists", "f6"}}}, compute_twists},
    {"jacobians", q, {{{"jacobians", "f6v"}}}, compute_jacobians},
    {"jacobian_rates", q_v, {{{"jacobian_rates", "f6v"}}}, compute_jacobian_rates},
    {"imu", q_v_vdot, {{{"imu", "f6"}}}, compute_imu},
    {"joint_wrenches", q_v_vdot, {{{"joint_wrenches", "j6"}}}, compute_joint_wrenches},
    {"constrained_forward_dynamics",
     q_v_tau,
     {{{"constrained_forward_dynamics", "v"}}},
     compute_constrained_forward},
    {"constrained_inverse_dynamics",
     q_v_vdot,
     {{{"constrained_inverse_dynamics", "v"}}},
     compute_constrained_inverse},
    {"centroidal",
     q_v,
     {{{"mass", ""},
       {"com", "3"},
       {"com_velocity", "3"},
       {"com_jacobian", "3v"},
       {"momentum", "6"},
       {"A", "6v"},
       {"A_dot", "6v"}}},
     compute_centroidal},
};

constexpr auto all_entries = [] {
  std::array<QuantityEntry, n_quantities + std::size(other_entries)> out{};
  [&]<size_t... k>(std::index_sequence<k...>) {
    ((out[k] = solved_entry<Quantity(k)>()), ...);
  }
  (std::make_index_sequence<n_quantities>());
  std::copy(std::begin(other_entries), std::end(other_entries), out.begin() + n_quantities);
  return out;
}();

[[noreturn]] void fail_unknown(std::string_view name) {
  std::vector<std::string> known;
  std::string list;
  for (const QuantityEntry& entry : all_entries) {
    known.emplace_back(entry.name);
    list += fmt::format("{}{}", list.empty() ? "" : ", ", entry.name);
  }
  throw Error(fmt::format("there is no quantity '{}'{}; there are {}", name,
                          did_you_mean(name, known), list));
}

}  // namespace

EvaluationScratch::EvaluationScratch(const Model& model)
    : twists(std::max(size_t(model.n_body), regressor_scratch(model))),
      poses(size_t(model.n_body)),
      motions(size_t(model.n_body)),
      wrenches(size_t(model.n_body)),
      centroidal(model) {}

size_t QuantityEntry::n_results() const {
  return size_t(std::ranges::find(results, std::string_view(), &ResultRow::name) - results.begin());
}

std::span<const QuantityEntry> quantity_entries() {
  return all_entries;
}

NamedQuantity find_quantity(const Model& model, std::string_view name) {
  for (const QuantityEntry& entry : all_entries)
    if (entry.name == name) return {&entry, model.frames};
  const size_t colon = std::min(name.find(':'), name.size());
  const std::string_view own = name.substr(0, colon);
  for (const QuantityEntry& entry : all_entries)
    if (entry.name == own && colon < name.size()) {
      if (!entry.has_frames())
        throw Error(fmt::format("'{}': {} has no frames; leave out ':{}'", name, own,
                                name.substr(colon + 1)));
      const int frame = model.frame(name.substr(colon + 1));
      return {&entry, std::span(model.frames).subspan(size_t(frame), 1)};
    }
  fail_unknown(own);
}

size_t length(char dim, const Model& model, size_t n_frames) {
  switch (dim) {
    case 'v':
      return size_t(model.n_v);
    case 'f':
      return n_frames;
    case 'j':
      return model.joints.size();
    case 'p':
      return size_t(n_inertial) * size_t(model.n_body);
    default:
      assert(dim > '0' && dim <= '9');
      return size_t(dim - '0');
  }
}

size_t entries(const ResultRow& row, const Model& model, size_t n_frames) {
  size_t out = 1;
  for (const char dim : row.dims) out *= length(dim, model, n_frames);
  return out;
}

size_t entries(const NamedQuantity& quantity, const Model& model) {
  size_t out = 0;
  for (size_t r = 0; r < quantity.entry->n_results(); ++r)
    out += entries(quantity.entry->results[r], model, quantity.frames.size());
  return out;
}

}  // namespace torsor::capi
