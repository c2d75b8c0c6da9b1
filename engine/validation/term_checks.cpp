// Compares a solver with another one, to locate an error. First compares each term of the equation
// of motion separately, on robots with revolute joints. Then compares all terms for each kind of
// joint. Each comparison is a row of the report.

#include <fmt/format.h>

#include <cmath>

#include "torsor/analysis/comparison.hpp"
#include "torsor/analysis/term_sizes.hpp"
#include "torsor/validation/checks.hpp"

namespace torsor::validation {

namespace {

constexpr int robots = 12;

struct Part {
  const char* name;
  bool velocity, acceleration, gravity, wrenches, rotors, moving_base;
};
constexpr Part parts[] = {
    {"inertia", false, true, false, false, false, false},
    {"rotors", false, true, false, false, true, false},
    {"velocity terms", true, false, false, false, false, false},
    {"gravity terms", false, false, true, false, false, false},
    {"wrenches", false, false, false, true, false, false},
    {"moving base", true, true, false, false, false, true},
};

// Returns the robot with rotor inertia at all actuated joints (rotors = true) or at none.
Case with_rotors(const Case& at, bool rotors) {
  Case out = at;
  for (LinkDescription& link : out.robot.links)
    link.joint.armature =
        rotors && traits(link.joint.kind).n_v > 0 && traits(link.joint.kind).actuated
            ? out.random.uniform(0.01, 0.1)
            : 0;
  out.model = build(out.robot);
  out.state = random_state(out.model, out.random);
  return out;
}

std::string worst_of(const Disagreement& worst, int count) {
  return fmt::format("off by at most {:.0e} on {} robots; {:.0e} is allowed", worst.value, count,
                     worst.allowed);
}

// Replaces `worst` by `found` if `found` is larger, relative to its limit. Throws Failed if `found`
// exceeds its limit.
void note(Disagreement& worst, const Disagreement& found, const char* what) {
  if (found.broken())
    throw Failed(
        fmt::format("{} is off by {:.1e}; {:.1e} is allowed", what, found.value, found.allowed));
  if (found.fraction() >= worst.fraction()) worst = found;
}

std::string check_part(Trial& trial, const Part& part) {
  Disagreement worst;
  trial.on_robots(
      robots,
      [&](Case& drawn) {
        Case at = with_rotors(drawn, part.rotors);
        State& state = at.state;
        const std::vector<double> none(state.v.size(), 0.0),
            vdot = part.acceleration ? at.values(4) : none;
        if (!part.velocity) state.v = none;
        state.set_gravity(part.gravity ? at.random.vector(10) : Vec3<double>{0, 0, 0});
        if (part.wrenches) add_random_wrenches(at.random, state);
        if (part.moving_base)
          state.set_world_motion({at.random.vector(1), at.random.vector(1)},
                                 {at.random.vector(2), at.random.vector(2)});
        Solver solver = trial.solver(at), reference = trial.reference(at);
        std::vector<double> tau(vdot.size()), expected(vdot.size());
        const Status asked = solver.inverse(state, vdot.data(), tau.data());
        if (part.moving_base && TORSOR_STATUS_CODE(asked.value) == TORSOR_UNSUPPORTED)
          throw NotApplicable(solver.explain(asked));
        require(solver, asked, "inverse dynamics");
        require(reference, reference.inverse(state, vdot.data(), expected.data()), "the reference");
        TermSizes sizes(*at.model);
        const double terms = sizes.torque(
            state,
            {.v = state.v, .vdot = vdot, .gravity = part.gravity, .wrenches = part.wrenches});
        note(worst, compare_entries(tau, expected, terms),
             fmt::format("tau of the {} alone", part.name).c_str());
      },
      {JointKind::revolute});
  return worst_of(worst, robots);
}

// Compares the solvers on robots with one kind of joint and revolute joints, with velocities,
// gravity and wrenches.
std::string check_kind(Trial& trial, JointKind kind) {
  if (!trial.info().family.empty() || !trial.subject().robots.empty())
    throw NotApplicable("it is made for special robots");
  Disagreement worst;
  trial.on_robots(
      robots / 2,
      [&](Case& at) {
        add_random_wrenches(at.random, at.state);
        Solver solver = trial.solver(at), reference = trial.reference(at);
        std::vector<Solver> both;
        both.push_back(std::move(solver));
        both.push_back(std::move(reference));
        Comparison comparison(std::move(both));
        comparison.ask(at.state, at.values(4), at.values(10));
        for (const Compared quantity : {compared("tau"), compared("M"), compared("vdot")}) {
          const Disagreement found = comparison.between(0, 1, quantity);
          const std::string failure = comparison.failure(0, quantity);
          if (!failure.empty()) throw Failed(fmt::format("{}: {}", description(quantity), failure));
          note(worst, found, description(quantity));
        }
      },
      {kind, JointKind::revolute});
  return worst_of(worst, robots / 2);
}

}  // namespace

Checks term_checks() {
  Checks out;
  for (const Part& part : parts)
    out.push_back({part.name, "terms", [&part](Trial& trial) { return check_part(trial, part); }});
  for (const std::string& name : joint_kind_names())
    if (const JointKind kind = *joint_kind(name); traits(kind).n_v > 0)
      out.push_back(
          {name + " joints", "joints", [kind](Trial& trial) { return check_kind(trial, kind); }});
  return out;
}

}  // namespace torsor::validation
