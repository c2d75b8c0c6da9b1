// torsor inspect ROBOT: checks numerically, at random states, that the equations of motion have the
// structure of a multibody system.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "torsor/analysis/bounds.hpp"
#include "torsor/analysis/structure_report.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/base/print_message.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/eval/eval_constraints.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/robot_file.hpp"
#include "torsor/cli/pages/bounds_page.hpp"
#include "torsor/cli/pages/control_page.hpp"
#include "torsor/cli/pages/gnuplot.hpp"
#include "torsor/cli/pages/parameters_json.hpp"
#include "torsor/cli/support/progress.hpp"

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

struct InspectOptions {
  RobotOptions robot;
  std::string solver = "newton_euler";
  std::vector<std::filesystem::path> plugins;
  int samples = 100;
  uint64_t seed = 1;
  bool json = false, bounds = false;
  double length = 1;                 // m, the length of DynamicsBounds
  std::vector<std::string> control;  // NAME=VALUE settings of a PID; empty: check the structure
  std::string plot;
};

struct Inspected {
  const InspectOptions& options;
  const Solver& solver;
  StructureReport report;
  std::optional<BaseParameters> base = std::nullopt;
  std::string no_base = "";  // why the base parameters could not be computed, or ""
  std::optional<MechanismReport> mechanism = std::nullopt;  // of a robot with loops

  const Model& model() const { return solver.model(); }
};

// Returns each kind of joint with the number of joints, in order of first use.
std::vector<std::pair<std::string, int>> joint_kinds(const Model& model) {
  std::vector<std::pair<std::string, int>> kinds;
  for (const Joint& joint : model.joints) {
    const std::string name(traits(joint.kind).name);
    const auto same = [&](const auto& kind) { return kind.first == name; };
    const auto found = std::find_if(kinds.begin(), kinds.end(), same);
    found == kinds.end() ? kinds.emplace_back(name, 1) : (++found->second, *found);
  }
  return kinds;
}

std::vector<const char*> derived_quantities(const Solver& solver) {
  std::vector<const char*> out;
  for (const Quantity quantity : all_quantities)
    if (solver.capability(quantity) == Capability::derived) out.push_back(name(quantity));
  return out;
}

std::string endless_names(const Inspected& of) {
  std::string out;
  for (const int j : of.report.endless)
    out += fmt::format("{}'{}'", out.empty() ? "" : ", ", of.model().joints[size_t(j)].name);
  return out;
}

// Each of the following functions returns one section of the report.
std::string subject(const Inspected& of) {
  const Model& model = of.model();
  std::string kinds;
  for (const auto& [kind, count] : joint_kinds(model))
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, kind);
  const int bodies = model.n_body - 1;
  std::string out = fmt::format(
      "robot      {}: {}, {} ({}), {}\n", of.options.robot.file,
      bodies == 1 ? "1 moving body" : fmt::format("{} moving bodies", bodies),
      counted(model.joints.size(), "joint"), kinds,
      model.n_v == 1 ? "1 degree of freedom" : fmt::format("{} degrees of freedom", model.n_v));
  if (!model.family.empty()) out += fmt::format("family     {}\n", model.family);
  out += fmt::format("solver     {}", of.solver.id());
  if (const auto derived = derived_quantities(of.solver); !derived.empty())
    out += fmt::format("; the host derives {}", fmt::join(derived, ", "));
  return out + fmt::format("\nstates     {}, seed {}\n", of.options.samples, of.options.seed);
}

std::string loops(const Inspected& of) {
  return of.mechanism ? mechanism_text(*of.mechanism) : "";
}

std::string laws(const Inspected& of) {
  std::string out = fmt::format("{:<15}  {:>8}  {:>8}\n", "law", "worst", "allowed");
  for (const LawResult& law : of.report.laws) {
    out += law.skipped
               ? fmt::format("{:<15}  {:>8}  {:>8.1e}", law.name, "-", law.allowed)
               : fmt::format("{:<15}  {:>8.1e}  {:>8.1e}", law.name, law.worst, law.allowed);
    out += fmt::format("  {}\n", law.meaning);
    if (law.broken())
      out += fmt::format("{:<15}  BROKEN in state {}{}{}\n", "", law.state,
                         law.failure.empty() ? "" : ": ", law.failure);
  }
  return out +
         "Errors are relative to the size of the law's terms, except for the condition number. "
         "Letters: KHALIL 7.3.3.3.\nA dash: the solver does not offer the quantity, or its n^3 "
         "numbers are too many.\n";
}

std::string mass_matrix(const Inspected& of) {
  const StructureReport& r = of.report;
  if (r.condition.least_state == 0) return "";
  std::string out = fmt::format("{:<20}{:>10} {:<9}{:>10}{:>11} {}\n", "M", "minimum", "state",
                                "median", "maximum", "state");
  for (const auto& [name, s] : {std::pair{"smallest eigenvalue", r.smallest_eigenvalue},
                                {"largest eigenvalue", r.largest_eigenvalue},
                                {"condition number", r.condition}})
    out += fmt::format("{:<20}{:>10.3g} {:<9}{:>10.3g}{:>11.3g} {}\n", name, s.least,
                       fmt::format("({})", s.least_state), s.median, s.largest,
                       fmt::format("({})", s.largest_state));
  return out +
         fmt::format("lightest in state {}: {}\n", r.smallest_eigenvalue.least_state, r.lightest);
}

std::string coriolis_and_bounds(const Inspected& of) {
  const StructureReport& r = of.report;
  if (r.condition.least_state == 0) return "";
  std::string out = fmt::format("C is {}\n", describe(r.factorisation));
  out += fmt::format(
      "bounds (g): {:.3g} <= |M| <= {:.3g}, |C| <= {:.3g} |v|, |g| <= {:.3g} in these states;\n",
      r.smallest_eigenvalue.least, r.largest_eigenvalue.largest, r.coriolis_bound, r.gravity_bound);
  return out + (r.endless.empty()
                    ? "constant bounds apply: no joint moves a lever arm without limit\n"
                    : fmt::format("no constant bounds apply: the lever arm of {} has no limit\n",
                                  endless_names(of)));
}

// Wraps the words into indented lines of limited width.
std::string wrapped(const std::vector<std::string>& words) {
  constexpr size_t width = 110;
  std::string out, line = " ";
  for (const std::string& word : words) {
    if (line.size() + 1 + word.size() > width) out += line + "\n", line = " ";
    line += " " + word;
  }
  return out + line + "\n";
}

std::string parameters(const Inspected& of) {
  constexpr size_t most_names = 80;
  if (!of.base) return fmt::format("base parameters: {}\n", of.no_base);
  const bool few = of.base->rank() <= most_names;
  return fmt::format(
             "base parameters: {} of {}, {}; condition {:.3g}; 'torsor eval --quantity "
             "base_parameters' {}\n",
             of.base->rank(), of.base->standard.size(),
             of.base->by_rules ? "by the rules of Gautier and Khalil 1990 (KHALIL 7.5.3)"
                               : "by QR of the regressor",
             of.base->condition, few ? "prints the values" : "lists them") +
         (few ? wrapped(of.base->names) : "");
}

constexpr std::string (*sections[])(const Inspected&) = {
    subject, loops, laws, mass_matrix, coriolis_and_bounds, parameters};

Json finite_or_null(double value) {
  if (std::isfinite(value)) return value;
  return nullptr;
}

Json as_json(const Spread& s) {
  return {{"least", finite_or_null(s.least)},
          {"least_state", s.least_state},
          {"median", finite_or_null(s.median)},
          {"largest", finite_or_null(s.largest)},
          {"largest_state", s.largest_state}};
}

Json as_json(const Inspected& of) {
  const StructureReport& r = of.report;
  const Model& model = of.model();
  Json out{{"torsor", TORSOR_VERSION},      {"robot", of.options.robot.file},
           {"bodies", model.n_body - 1},    {"joints", Json::object()},
           {"columns", model.n_v},          {"family", model.family},
           {"solver", of.solver.id()},      {"derived", derived_quantities(of.solver)},
           {"states", of.options.samples},  {"seed", of.options.seed},
           {"holds", !r.broken()},          {"laws", Json::array()},
           {"mass_matrix", Json::object()}, {"coriolis", describe(r.factorisation)},
           {"bounds", Json::object()}};
  for (const auto& [kind, count] : joint_kinds(model)) out["joints"][kind] = count;
  if (of.mechanism) out["loops"] = mechanism_json(*of.mechanism);
  for (const LawResult& law : r.laws) {
    Json row{{"law", law.name},
             {"meaning", law.meaning},
             {"worst", law.skipped ? Json() : finite_or_null(law.worst)},
             {"allowed", law.allowed},
             {"state", law.state},
             {"broken", law.broken()}};
    if (!law.failure.empty()) row["failure"] = law.failure;
    out["laws"].push_back(row);
  }
  out["mass_matrix"] = {{"smallest_eigenvalue", as_json(r.smallest_eigenvalue)},
                        {"largest_eigenvalue", as_json(r.largest_eigenvalue)},
                        {"condition", as_json(r.condition)},
                        {"lightest", r.lightest}};
  out["base_parameters"] = of.base ? base_parameters_json(*of.base) : Json{{"failure", of.no_base}};
  Json endless = Json::array();
  for (const int j : r.endless) endless.push_back(model.joints[size_t(j)].name);
  out["bounds"] = {{"M_least", finite_or_null(r.smallest_eigenvalue.least)},
                   {"M", finite_or_null(r.largest_eigenvalue.largest)},
                   {"C_per_v", finite_or_null(r.coriolis_bound)},
                   {"g", finite_or_null(r.gravity_bound)},
                   {"everywhere", r.endless.empty()},
                   {"endless_joints", endless}};
  return out;
}

std::string as_text(const Inspected& of) {
  std::string out;
  for (const auto section : sections) {
    const std::string text = section(of);
    if (!text.empty()) out += (out.empty() ? "" : "\n") + text;
  }
  return out;
}

// Returns a line about the violated properties, or "" if none is violated.
std::string broken_law(const Inspected& of) {
  std::vector<const LawResult*> broken;
  for (const LawResult& law : of.report.laws)
    if (law.broken()) broken.push_back(&law);
  if (broken.empty()) return "";
  const LawResult& first = *broken.front();
  std::string line =
      fmt::format("{}: in state {}, the law '{}' is violated by {}: ", of.options.robot.file,
                  first.state, first.name, of.solver.id());
  line += first.failure.empty()
              ? fmt::format("{:.1e} where {:.1e} is allowed", first.worst, first.allowed)
              : first.failure;
  if (broken.size() > 1) line += fmt::format("; {} more", counted(broken.size() - 1, "law"));
  return line;
}

void print_json(const Json& json) {
  const std::string out = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fputs(out.c_str(), stdout);  // flush_output() reports write errors
}

void inspect_bounds(const InspectOptions& options, Solver& solver, const Vec3<double>& gravity_W) {
  const DynamicsBounds bounds = dynamics_bounds(solver, gravity_W, options.length);
  if (options.json) return print_json(bounds_json(bounds));
  std::fputs((options.robot.file + ": " + bounds_text(bounds)).c_str(), stdout);
}

// Prints the linear analysis of each joint under PID. Throws CheckFailed if a joint is not stable.
void inspect_control(const InspectOptions& options, Solver& solver,
                     const std::vector<Control>& controls) {
  for (int k = 0; k < solver.model().n_v; ++k)
    if (solver.model().drives[size_t(k)].elasticity) {
      print_message(fmt::format(
          "warning: joint '{}' is elastic: its loop has the inertia of the links only, without "
          "that of the motor",
          solver.model().joint_of_dof(k).name));
      break;
    }
  const std::vector<ControlledDof> dofs =
      controlled_dofs(solver.model(), largest_inertias(solver), options.control, controls);
  if (options.json)
    print_json(control_json(dofs, options.robot.file));
  else
    std::fputs(control_text(dofs, options.robot.file).c_str(), stdout);
  if (!options.plot.empty()) draw_control(dofs, options.plot);
  for (const ControlledDof& dof : dofs)
    if (dof.analysis.stability != Stability::stable)
      throw CheckFailed(
          fmt::format("{}: {} is not stable with these gains", options.robot.file, dof.name));
}

// length, samples: true if the options --length and --samples are given.
void inspect(const InspectOptions& options, bool length, bool samples) {
  if (!options.plot.empty()) {
    if (options.control.empty())
      throw Error("--plot draws the analysis of a control: give gains with --control");
    require_picture("--plot", options.plot);
    require_writable(options.plot);
  }
  if (length && !options.bounds) throw Error("--length applies to --bounds, which is not given");
  if (samples && (options.bounds || !options.control.empty()))
    throw Error("--samples applies to the check at random states, not to --bounds and --control");
  const Registry found = require_plugins(options.plugins);
  const auto [model, gravity_of_scene, plugins_of_scene, controls, q, held] =
      read_robot(options.robot, found);
  const Registry& registry = plugins_of_scene ? *plugins_of_scene : found;
  for (const std::string& warning : model->warnings) print_message("warning: " + warning);
  if (model->n_v == 0)
    throw Error(fmt::format("{}: the robot has no moving joint; there is nothing to inspect",
                            options.robot.file));
  Solver solver = registry.solver(options.solver, model);
  if (!options.control.empty()) return inspect_control(options, solver, controls);
  const Vec3<double> gravity_W =
      given_gravity(options.robot).value_or(gravity_of_scene.value_or(State(model).gravity_W()));
  if (options.bounds) return inspect_bounds(options, solver, gravity_W);
  StructureInspection inspection(solver, gravity_W, options.seed, [&](auto other) {
    return registry.solver(options.solver, std::move(other));
  });
  Progress progress;
  for (int k = 1; k <= options.samples; ++k) {
    inspection.check_state();
    if (progress.due())
      progress.show(double(k) / options.samples,
                    fmt::format("{} of {} states", k, options.samples));
  }
  progress.clear();
  Inspected of{options, solver, inspection.report()};
  if (!model->closures.empty())
    of.mechanism = describe_mechanism(solver, q.empty() ? neutral(*model) : q, held);
  try {
    of.base = base_parameters(model, gravity_W, {Included::own, Included::none});
  } catch (const Error& error) {
    of.no_base = error.what();
  }
  if (options.json)
    print_json(as_json(of));
  else
    std::fputs(as_text(of).c_str(), stdout);
  if (const std::string broken = broken_law(of); !broken.empty()) throw CheckFailed(broken);
}

}  // namespace

void add_inspect_command(CLI::App& app) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand(
      "inspect",
      "Check the structure of a robot's equations of motion at random states, numerically");
  add_robot_argument(*command, options->robot);
  add_solver_option(*command, options->solver);
  add_random_states_options(*command, options->samples, options->seed);
  add_robot_options(*command, options->robot);
  add_plugins_option(*command, options->plugins);
  add_allow_plugins_option(*command, options->robot.allow_plugins);
  add_json_flag(*command, options->json);
  CLI::Option* control =
      command
          ->add_option("--control", options->control,
                       "analyse each joint under PID instead: kp, kd, ki, or resonance, pole, "
                       "double_pole, which may be repeated; or a pid controller of the scene")
          ->type_name("NAME=VALUE|ROBOT.CONTROL");
  command
      ->add_flag("--bounds", options->bounds,
                 "search the bounds of M, C and g over all positions instead, a_1 to a_7 of KHALIL")
      ->excludes(control);
  const CLI::Option* const length =
      command
          ->add_option("--length", options->length,
                       "length of a translation that counts as 1 rad in the norms of --bounds, m")
          ->check(number_between(1e-6, 1e6))
          ->type_name("M")
          ->capture_default_str();
  command->add_option("--plot", options->plot, "picture of --control to write, .svg or .png")
      ->type_name("FILE");
  command->footer(
      "Random positions are within the joints' limits, or within half a turn or 1 m of zero. "
      "Velocities go up to 2, accelerations up to 5 (SI units).\n"
      "For a robot with closures, the loops are closed at the start of the scene, or at zero "
      "positions, and the mobility, the redundant conditions and the nearness of a singularity are "
      "those of this position. All other results are those of the tree without its closures.\n"
      "M, C, g and their derivatives are those of the solver, for rigid bodies: armature counts; "
      "friction, springs and motors behind a transmission do not. Mimic joints take the positions "
      "of their joints but count as free. Energies and the regressor Y are the engine's. Norms and "
      "eigenvalues are in SI units, which mix for robots with revolute and prismatic joints. "
      "Bounds are the maxima over the sampled states: true bounds cannot be smaller. --bounds "
      "searches them instead, with Christoffel's C. Base parameters cover inertias and rotors "
      "under the given gravity.\n"
      "--control takes one value for all degrees of freedom, or one for each, separated by commas. "
      "resonance=W places a triple pole at -W/2 as the controller pid does, pole=W at -W, "
      "double_pole=W a double pole at -W without integral term. --control ROBOT.CONTROL takes the "
      "gains "
      "of "
      "a pid controller of the scene. The inertia of a joint is its "
      "largest one within the limits, its friction the viscous one. Both include those of joints "
      "that "
      "mimic it, which are not listed, and of rotors that are bodies.\n"
      "The exit status is 1 if a law is violated, or a joint is not stable under --control.\n"
      "Example: torsor inspect scripts/robots/planar.lua --gravity 0,-9.81,0 --solver lie_group");
  const CLI::Option* const samples = command->get_option("--samples");
  command->callback([=] { inspect(*options, !length->empty(), !samples->empty()); });
}

}  // namespace torsor::cli
