// torsor inspect ROBOT: the structure of its equations of motion, checked with numbers at random states.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "torsor/cli/arguments.hpp"
#include "torsor/cli/command.hpp"
#include "torsor/cli/parameters_json.hpp"
#include "torsor/cli/plugin_paths.hpp"
#include "torsor/cli/progress.hpp"
#include "torsor/cli/robot_file.hpp"
#include "torsor/cli/say.hpp"
#include "torsor/dynamics/structure_report.hpp"

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

struct InspectOptions {
  RobotOptions robot;
  std::string solver = "newton_euler";
  std::vector<std::filesystem::path> plugins;
  int states = 100;
  uint64_t seed = 1;
  bool json = false;
};

struct Inspected {
  const InspectOptions& options;
  const Solver& solver;
  StructureReport report;
  std::optional<BaseParameters> base = std::nullopt;
  std::string no_base = "";  // why there are none

  const Model& model() const { return solver.model(); }
};

std::string plural(int n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

// "6 revolute, 1 prismatic", in the order of their first.
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

// Each section of the report, with an empty line before it but for the first.
std::string subject(const Inspected& of) {
  const Model& model = of.model();
  std::string kinds;
  for (const auto& [kind, count] : joint_kinds(model))
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, kind);
  const int bodies = model.n_body - 1;
  std::string out =
      fmt::format("robot      {}: {} that move{}, {} ({}), {}\n", of.options.robot.file,
                  bodies == 1 ? "1 body" : plural(bodies, "bodie"), bodies == 1 ? "s" : "",
                  plural(int(model.joints.size()), "joint"), kinds, plural(model.n_v, "column"));
  if (!model.family.empty()) out += fmt::format("family     {}\n", model.family);
  out += fmt::format("solver     {}", of.solver.id());
  if (const auto derived = derived_quantities(of.solver); !derived.empty())
    out += fmt::format("; the host derives {}", fmt::join(derived, ", "));
  return out + fmt::format("\nstates     {}, seed {}\n", of.options.states, of.options.seed);
}

std::string laws(const Inspected& of) {
  std::string out = fmt::format("{:<15}  {:>8}  {:>8}\n", "law", "worst", "allowed");
  for (const LawResult& law : of.report.laws) {
    out += law.skipped ? fmt::format("{:<15}  {:>8}  {:>8.1e}", law.name, "-", law.allowed)
                       : fmt::format("{:<15}  {:>8.1e}  {:>8.1e}", law.name, law.worst, law.allowed);
    out += fmt::format("  {}\n", law.meaning);
    if (law.broken())
      out += fmt::format("{:<15}  BROKEN in state {}{}{}\n", "", law.state, law.failure.empty() ? "" : ": ",
                         law.failure);
  }
  return out +
         "Of the size of each law's terms, but for the condition number. Letters: KHALIL 7.3.3.3. -: the "
         "solver does not\n"
         "offer it, or its n^3 numbers are too many.\n";
}

std::string mass_matrix(const Inspected& of) {
  const StructureReport& r = of.report;
  if (r.condition.least_state == 0) return "";
  std::string out =
      fmt::format("{:<20}{:>10} {:<9}{:>10}{:>11} {}\n", "M", "least", "state", "median", "largest", "state");
  for (const auto& [name, s] : {std::pair{"smallest eigenvalue", r.smallest_eigenvalue},
                                {"largest eigenvalue", r.largest_eigenvalue},
                                {"condition number", r.condition}})
    out += fmt::format("{:<20}{:>10.3g} {:<9}{:>10.3g}{:>11.3g} {}\n", name, s.least,
                       fmt::format("({})", s.least_state), s.median, s.largest,
                       fmt::format("({})", s.largest_state));
  return out + fmt::format("lightest in state {}: {}\n", r.smallest_eigenvalue.least_state, r.lightest);
}

std::string coriolis_and_bounds(const Inspected& of) {
  const StructureReport& r = of.report;
  if (r.condition.least_state == 0) return "";
  std::string out = fmt::format("C is {}\n", describe(r.factorisation));
  out += fmt::format(
      "bounds (g): {:.3g} <= |M| <= {:.3g}, |C| <= {:.3g} |v|, |g| <= {:.3g} in these states;\n",
      r.smallest_eigenvalue.least, r.largest_eigenvalue.largest, r.coriolis_bound, r.gravity_bound);
  return out + (r.endless.empty()
                    ? "constants bound them everywhere: no joint is a lever without end\n"
                    : fmt::format("no constants bound them everywhere: the lever of {} has no end\n",
                                  endless_names(of)));
}

// Words in lines of so many characters, two blanks before each.
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
             "base parameters: {} of the {}, {}; condition {:.3g}; eval --quantity base_parameters {}\n",
             of.base->rank(), of.base->standard.size(),
             of.base->by_rules ? "by the rules of KHALIL 9.4" : "by QR of the regressor", of.base->condition,
             few ? "says more" : "names them") +
         (few ? wrapped(of.base->names) : "");
}

constexpr std::string (*sections[])(const Inspected&) = {subject, laws, mass_matrix, coriolis_and_bounds,
                                                         parameters};

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
           {"states", of.options.states},   {"seed", of.options.seed},
           {"holds", !r.broken()},          {"laws", Json::array()},
           {"mass_matrix", Json::object()}, {"coriolis", describe(r.factorisation)},
           {"bounds", Json::object()}};
  for (const auto& [kind, count] : joint_kinds(model)) out["joints"][kind] = count;
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

// What is broken, in one line, or nothing.
std::string broken_law(const Inspected& of) {
  std::vector<const LawResult*> broken;
  for (const LawResult& law : of.report.laws)
    if (law.broken()) broken.push_back(&law);
  if (broken.empty()) return "";
  const LawResult& first = *broken.front();
  std::string line = fmt::format("{}: in state {} '{}' does not hold of {}: ", of.options.robot.file,
                                 first.state, first.name, of.solver.id());
  line += first.failure.empty() ? fmt::format("{:.1e}, where {:.1e} is allowed", first.worst, first.allowed)
                                : first.failure;
  if (broken.size() > 1) line += fmt::format("; {} more", plural(int(broken.size()) - 1, "law"));
  return line;
}

void inspect(const InspectOptions& options) {
  const Registry registry = require_plugins(options.plugins);
  const std::shared_ptr<const Model> model = build(read_robot(options.robot));
  for (const std::string& warning : model->warnings) say("warning: " + warning);
  if (model->n_v == 0)
    throw Error(fmt::format("{}: it has no moving joint: there is nothing to inspect", options.robot.file));
  Solver solver = registry.solver(options.solver, model);
  const Vec3<double> gravity_W = given_gravity(options.robot).value_or(State(model).gravity_W());
  StructureInspection inspection(solver, gravity_W, options.seed);
  Progress progress;
  for (int k = 1; k <= options.states; ++k) {
    inspection.look();
    if (progress.due())
      progress.show(double(k) / options.states, fmt::format("{} of {} states", k, options.states));
  }
  progress.clear();
  Inspected of{options, solver, inspection.report()};
  try {
    of.base = base_parameters(model, gravity_W, {Included::own, Included::none});
  } catch (const Error& error) {
    of.no_base = error.what();
  }
  const std::string out =
      options.json ? as_json(of).dump(1, ' ', false, Json::error_handler_t::replace) + "\n" : as_text(of);
  std::fputs(out.c_str(), stdout);  // what fails there is found when the program ends
  if (const std::string broken = broken_law(of); !broken.empty()) throw CheckFailed(broken);
}

}  // namespace

void add_inspect_command(CLI::App& app) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command =
      app.add_subcommand("inspect", "Check the structure of a robot's equations of motion with numbers");
  add_robot_options(*command, options->robot, "ROBOT",
                    "a .urdf file, or a .lua file that returns a robot or a module with build");
  command->add_option("--solver", options->solver, "solver to ask")->capture_default_str();
  add_random_states_options(*command, options->states, options->seed);
  command->add_flag("--json", options->json, "print JSON");
  add_plugins_option(*command, options->plugins);
  command->footer(
      "Positions are within the joints' limits, else within half a turn or 1 m of zero; velocities up\n"
      "to 2, accelerations up to 5. M, C, g and the rest are the solver's, of rigid bodies: armature\n"
      "counts; friction, springs and the motors of a transmission do not, and joints that mimic stand\n"
      "where they would but are free. Energies and Y are the engine's. Norms and eigenvalues are in SI\n"
      "units, mixed where joints turn and slide. Bounds are the largest of these states: no constants\n"
      "can be less. Base parameters are of inertias and rotors, under this gravity.\n"
      "Exit status 1 where a law is broken.\n"
      "Example: torsor inspect scripts/robots/planar.lua --gravity 0,-9.81,0 --solver lie_group");
  command->callback([options] { inspect(*options); });
}

}  // namespace torsor::cli
