// torsor identify RUN: estimates the base parameters of a robot from a recording of its motion and
// torques.

#include "torsor/identification/identify.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "torsor/base/print_message.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/robot_file.hpp"
#include "torsor/cli/pages/metrics_table.hpp"
#include "torsor/cli/pages/parameters_json.hpp"
#include "torsor/cli/support/load_recording.hpp"
#include "torsor/identification/physical.hpp"
#include "torsor/run/experiment.hpp"

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

struct IdentifyOptions {
  std::string run;
  RobotOptions model;
  std::string rotor = "own", friction = "own";
  std::vector<std::filesystem::path> plugins;
  // Dead band in rad/s or m/s, the same for all joints. Empty: derived from the noise of the rates.
  std::optional<double> dead_band;
  bool json = false;
};

// The simulation run that made a recording, read from the recording's description.
struct MadeBy {
  std::string scene;
  std::map<std::string, std::string> settings;  // parameter values of the scene
  Vec3<double> gravity_W;
  std::vector<std::string> prescribed_joints;
  bool forces, payloads;
};

// Reads the run from the recording's description. Returns nullopt if the description contains no
// run, for example because a real robot was recorded. Throws Error if the description is damaged.
std::optional<MadeBy> read_made_by(const Recording& recording, const std::string& run) {
  if (recording.description.empty()) return std::nullopt;
  const Json description = Json::parse(recording.description);
  if (!description.contains("experiment")) return std::nullopt;
  try {
    const Json &experiment = description.at("experiment"), &g = experiment.at("gravity");
    MadeBy out{.scene = description.at("scene"),
               .settings = {},
               .gravity_W = {g.at(0), g.at(1), g.at(2)},
               .prescribed_joints = experiment.at("prescribed_joints"),
               .forces = !experiment.at("forces").empty(),
               .payloads = !experiment.at("payloads").empty()};
    for (const auto& [name, value] : experiment.at("parameters").items())
      out.settings[name] = value.is_string() ? value.get<std::string>() : value.dump();
    return out;
  } catch (const Json::exception&) {
    throw Error(fmt::format(
        "{}: the description of the run is damaged: the scene, or a part of 'experiment', is "
        "missing or of another type; record the run again",
        run));
  }
}

struct GivenModel {
  std::shared_ptr<const Model> model;
  Vec3<double> gravity_W{0, 0, -9.81};
  // true: wrenches or forces that tau does not include act on the robot.
  bool loaded = false;
};

GivenModel given_by(const Experiment& experiment) {
  const Load& load = experiment.load;
  return {experiment.model, experiment.gravity_W,
          !load.wrench_F.empty() || !load.wrench_of_time.empty() || !load.forces.empty() ||
              !load.force_functions.empty()};
}

GivenModel model_of_file(const IdentifyOptions& options, const Registry& plugins) {
  const auto file = read_scene_or_robot(options.model, plugins);
  if (const auto* experiment = std::get_if<Experiment>(&file)) return given_by(*experiment);
  return {build(std::get<RobotDescription>(file))};
}

// Returns the model of the scene or robot given on the command line. By default, returns the model
// of the scene that made the recording.
GivenModel read_given_model(const IdentifyOptions& options, const std::optional<MadeBy>& made_by) {
  const Registry plugins = require_plugins(options.plugins);
  GivenModel given;
  if (!options.model.file.empty()) {
    given = model_of_file(options, plugins);
  } else {
    if (!made_by)
      throw Error(
          fmt::format("'{}' does not name its robot; give it: torsor identify {} SCENE|ROBOT",
                      options.run, options.run));
    if (!options.model.settings.empty())
      throw Error("--set applies to a scene or robot that is given after RUN");
    if (options.model.strict || options.model.floating_base)
      throw Error("--strict and --floating-base apply to a robot that is given after RUN");
    if (!std::filesystem::exists(made_by->scene))
      throw Error(
          fmt::format("'{}' was made by the scene '{}', which does not exist here; run in the "
                      "folder where it was made, or give a scene or robot after RUN",
                      options.run, made_by->scene));
    given = given_by(load_scene(made_by->scene, made_by->settings, &plugins,
                                command_permission(options.model.allow_plugins)));
  }
  if (made_by) given.gravity_W = made_by->gravity_W;
  if (const auto gravity_W = given_gravity(options.model)) given.gravity_W = *gravity_W;
  return given;
}

// Returns the names of the robots whose positions q are recorded.
std::vector<std::string> robots_of(const Recording& recording) {
  std::vector<std::string> names;
  for (const Column& column : recording.columns)
    if (const size_t end = column.name.find(".q."); end != std::string::npos)
      if (names.empty() || names.back() != column.name.substr(0, end))
        names.push_back(column.name.substr(0, end));
  return names;
}

// One measured quantity. columns: indices of its recorded columns, in the order of the model's dof.
struct Measured {
  const char* quantity;
  bool is_q;
  std::vector<double>& values;
  std::vector<size_t> columns = {};
};

// Signals and columns that the identification needs but that were not recorded.
struct Missing {
  std::vector<std::string> columns, signals;
};

// Finds the columns of a quantity in the recording. Adds the missing columns and signals to
// `missing`.
void find_columns(const Recording& recording, const Model& model, Measured& measured,
                  Missing& missing) {
  const std::vector<std::string> names =
      measured.is_q ? model.coordinate_names() : model.dof_names();
  measured.columns.resize(names.size());
  for (const Robot& robot : model.robots) {
    const std::string signal = fmt::format("{}.{}", robot.name, measured.quantity);
    const int first = measured.is_q ? robot.first_q : robot.first_v,
              count = measured.is_q ? robot.n_q : robot.n_v;
    bool complete = true;
    for (size_t k = size_t(first); k < size_t(first + count); ++k) {
      const std::string own =
          model.robots.size() > 1 ? names[k].substr(robot.name.size() + 1) : names[k];
      const std::string name = fmt::format("{}.{}", signal, own);
      const auto found = std::ranges::find(recording.columns, name, &Column::name);
      measured.columns[k] = size_t(found - recording.columns.begin());
      if (found != recording.columns.end()) continue;
      missing.columns.push_back(name);
      complete = false;
    }
    if (!complete) missing.signals.push_back(signal);
  }
}

[[noreturn]] void fail_missing(const Recording& recording, const Missing& missing,
                               const std::string& run) {
  const std::vector<std::string> robots = robots_of(recording);
  throw Error(fmt::format(
      "'{}' has no column '{}'; {}; identification needs q, v, vdot and tau of all joints: record "
      "\"{}\"",
      run, missing.columns.front(),
      robots.empty() ? "it has no joint positions"
                     : fmt::format("it has joint positions of {}", fmt::join(robots, ", ")),
      fmt::join(missing.signals, "\", \"")));
}

void read_values(const Recording& recording, Measured& measured, const std::string& run) {
  for (size_t row = 0; row < recording.rows(); ++row)
    for (const size_t column : measured.columns) {
      measured.values.push_back(recording.values[row * recording.columns.size() + column]);
      if (!std::isfinite(measured.values.back()))
        throw Error(fmt::format("'{}': '{}' is not finite in row {}", run,
                                recording.columns[column].name, row + 1));
    }
}

MeasuredMotion read_motion(const Recording& recording, const Model& model, const std::string& run) {
  MeasuredMotion motion;
  Measured all[] = {{"q", true, motion.q},
                    {"v", false, motion.v},
                    {"vdot", false, motion.vdot},
                    {"tau", false, motion.tau}};
  Missing missing;
  for (Measured& measured : all) find_columns(recording, model, measured, missing);
  if (!missing.columns.empty()) fail_missing(recording, missing, run);
  for (Measured& measured : all) read_values(recording, measured, run);
  for (size_t row = 0; row < recording.rows(); ++row)
    normalise(model, std::span(motion.q).subspan(row * size_t(model.n_q), size_t(model.n_q)));
  return motion;
}

// Returns the dof of joints with prescribed motion, whose torques are not measured. Warns if loads
// that tau does not include act on the robot.
std::vector<int> read_unmeasured(const std::optional<MadeBy>& made_by, const Model& model,
                                 bool loaded) {
  std::vector<int> columns;
  if (!made_by) return columns;
  for (const std::string& name : made_by->prescribed_joints) {
    const Joint& joint = model.joints[size_t(model.joint(name))];
    for (int k = 0; k < traits(joint.kind).n_v; ++k) columns.push_back(joint.v_index + k);
  }
  if (loaded || made_by->forces)
    print_message(
        "warning: wrenches or forces acted in this run that are not in tau: they distort the "
        "estimates of inertia and friction");
  if (made_by->payloads)
    print_message(
        "warning: the robot carried a payload in this run: if it did so throughout the run, the "
        "estimates include the payload");
  return columns;
}

// Returns the dead band of each dof [n_v], from --dead-band or from the noise of the recorded
// rates.
std::vector<double> read_dead_band(const IdentifyOptions& options, const Recording& recording,
                                   const MeasuredMotion& motion, size_t n_v) {
  if (options.dead_band) {
    if (!(*options.dead_band >= 0) || !std::isfinite(*options.dead_band))
      throw Error(fmt::format("--dead-band {:g}: it must be a rate in rad/s or m/s, 0 or more",
                              *options.dead_band));
    return std::vector<double>(n_v, *options.dead_band);
  }
  std::vector<double> time;
  for (size_t row = 0; row < recording.rows(); ++row)
    time.push_back(recording.values[row * recording.columns.size()]);
  return dead_band_of(rate_noise(time, motion.v, n_v));
}

Included included(const std::string& name) {
  return name == "all" ? Included::all : name == "none" ? Included::none : Included::own;
}

Json report(const Identification& found, const PhysicalCheck& physical,
            const std::vector<double>& dead_band) {
  const BaseParameters& base = found.base;
  const std::vector<std::string> base_units = units(base);
  Json out{{"samples", found.samples},
           {"equations", found.equations},
           {"left_out_standing", found.at_rest},
           {"dead_band", dead_band},
           {"condition", found.condition},
           {"parameters", Json::array()},
           {"joints", Json::array()}};
  for (size_t i = 0; i < base.rank(); ++i)
    out["parameters"].push_back(
        {{"name", base.names[i]},
         {"unit", base_units[i]},
         {"estimate", found.estimate[i]},
         {"standard_deviation", found.deviation[i]},
         {"interval_95",
          {found.estimate[i] - found.half_width[i], found.estimate[i] + found.half_width[i]}},
         {"model", base.values[i]}});
  for (const auto& [name, unit, equations, residual, torque] : found.joints)
    out["joints"].push_back({{"name", name},
                             {"unit", unit},
                             {"equations", equations},
                             {"residual", residual},
                             {"rms_torque", torque}});
  Json standard = Json::object();
  for (size_t p = 0; p < base.standard.size(); ++p)
    standard[base.standard[p].name] = physical.standard[p];
  out["physical"] = {{"possible", physical.possible()},
                     {"farthest_of_interval", physical.farthest},
                     {"of", base.names[size_t(physical.of)]},
                     {"nearest_standard", standard}};
  out["base_parameters"] = base_parameters_json(base);
  return out;
}

void print(const Identification& found, const PhysicalCheck& physical,
           const std::vector<double>& dead_band, bool of_noise) {
  const BaseParameters& base = found.base;
  const std::vector<std::string> base_units = units(base);
  fmt::print("samples      {}, {} equations for {} base parameters of {}\n", found.samples,
             found.equations, base.rank(), base.standard.size());
  if (found.at_rest > 0)
    fmt::print(
        "left out     {} equations of joints with dry friction that were at rest or within the "
        "dead band\n",
        found.at_rest);
  fmt::print("dead band    {:.2g} at most, in rad/s or m/s{}\n",
             *std::ranges::max_element(dead_band),
             of_noise ? ": four times the noise of the rates" : "");
  fmt::print("condition    {:.4g} (columns of norm 1)\n\n", found.condition);
  std::vector<Cells> rows = {
      {"parameter", "unit", "estimate", "std", "std %", "95 % interval", "model", "difference"}};
  for (size_t i = 0; i < base.rank(); ++i) {
    const double x = found.estimate[i], s = found.deviation[i], w = found.half_width[i];
    rows.push_back(
        {base.names[i], base_units[i], fmt::format("{:.6g}", x), fmt::format("{:.2g}", s),
         std::abs(x) > 0 ? fmt::format("{:.2g}", 100 * s / std::abs(x)) : "-",
         fmt::format("{:.6g} .. {:.6g}", x - w, x + w), fmt::format("{:.6g}", base.values[i]),
         fmt::format("{:.2g}", x - base.values[i])});
  }
  print_table(rows, 2, "");
  rows = {{"joint", "unit", "residual", "rms torque", "equations"}};
  for (const auto& [name, unit, equations, residual, torque] : found.joints)
    rows.push_back({name, unit, fmt::format("{:.3g}", residual), fmt::format("{:.3g}", torque),
                    fmt::format("{}", equations)});
  fmt::print("\n");
  print_table(rows, 2, "");
  fmt::print("\nwhere\n");
  for (const std::string& relation : relations(base)) fmt::print("  {}\n", relation);
  fmt::print(
      "\nphysical     {}\n",
      physical.possible()
          ? std::string("physically possible bodies, rotors and friction "
                        "have these parameters, within the intervals")
          : fmt::format(
                "not shown: no physically possible bodies, rotors and friction were found within "
                "the intervals; of the nearest, {} is off by {:.3g} of half its interval",
                base.names[size_t(physical.of)], physical.farthest));
}

// Returns the tolerance of each estimate: half the width of its confidence interval, but at least a
// value that allows for rounding errors of exact data.
std::vector<double> allowed(const Identification& found) {
  double norm = 0;
  for (const double x : found.estimate) norm = std::max(norm, std::abs(x));
  std::vector<double> out = found.half_width;
  for (double& width : out) width = std::max(width, 1e-8 * norm);
  return out;
}

void identify_run(const IdentifyOptions& options) {
  const Recording recording = load_recording(options.run);
  const std::optional<MadeBy> made_by = read_made_by(recording, options.run);
  const auto [model, gravity_W, loaded] = read_given_model(options, made_by);
  const MeasuredMotion motion = read_motion(recording, *model, options.run);
  const std::vector<double> dead_band =
      read_dead_band(options, recording, motion, size_t(model->n_v));
  const std::vector<int> unmeasured = read_unmeasured(made_by, *model, loaded);
  const auto identify_motion = [&, &model = model, &gravity_W = gravity_W] {
    try {
      return identify(model, gravity_W, {included(options.rotor), included(options.friction)},
                      motion, unmeasured, dead_band);
    } catch (const TooFewEquations& error) {
      throw Error(fmt::format("{}: {}", options.run, error.what()));
    }
  };
  const Identification found = identify_motion();
  for (const double x : found.estimate)
    if (!std::isfinite(x))
      throw Error(fmt::format(
          "'{}': the estimates are not finite, because recorded torques or motions are too large; "
          "check their units",
          options.run));
  for (const std::string& what : found.base.left_out)
    print_message("warning: not identified: " + what);
  const PhysicalCheck physical = check_physical(found.base, found.estimate, allowed(found));
  if (options.json)
    std::fputs(
        (report(found, physical, dead_band).dump(1, ' ', false, Json::error_handler_t::replace) +
         "\n")
            .c_str(),
        stdout);
  else
    print(found, physical, dead_band, !options.dead_band);
}

}  // namespace

void add_identify_command(CLI::App& app) {
  auto options = std::make_shared<IdentifyOptions>();
  CLI::App* command =
      app.add_subcommand("identify", "Estimate a robot's base parameters from a recording");
  command->add_option("RUN", options->run, "recording of q, v, vdot and tau, a .h5 or .csv file")
      ->required();
  add_scene_or_robot_argument(*command, options->model)
      ->description(
          "scene or robot that provides the kinematics and the nominal parameters; by default, the "
          "scene that made the recording")
      ->required(false);
  add_set_option(*command, options->model.settings);
  add_gravity_option(*command, options->model);
  add_robot_file_options(*command, options->model);
  const auto add_choice = [&](const char* name, std::string& value, const char* help) {
    command->add_option(name, value, help)
        ->check(one_of({"own", "all", "none"}))
        ->type_name("WHICH")
        ->capture_default_str();
  };
  add_choice(
      "--rotor", options->rotor,
      "joints whose rotor inertia to estimate: own (those whose model has some), all or none");
  add_choice("--friction", options->friction,
             "joints whose viscous and Coulomb friction to estimate: own, all or none");
  command
      ->add_option("--dead-band", options->dead_band,
                   "rate in rad/s or m/s below which a joint with dry friction counts as at rest; "
                   "by default, four times the noise of its rate")
      ->type_name("RATE");
  add_plugins_option(*command, options->plugins);
  add_allow_plugins_option(*command, options->model.allow_plugins);
  add_json_flag(*command, options->json);
  command->footer(
      "Weighted least squares on the torques; each joint is weighted by its own residual. q, v and "
      "vdot are taken as exact: filter measured ones forwards and backwards. With noisy rates, "
      "samples near rest are left out for joints with dry friction (--dead-band). The intervals "
      "are valid if the errors of the torques are independent from sample to sample. The name of a "
      "parameter that others are grouped into ends in R; the lines below \"where\" list them. "
      "\"physical\" states whether bodies of non-negative density, rotors and friction can have "
      "these parameters.\n"
      "Example: torsor run scenes/excitation.lua && torsor identify recordings/excitation.h5");
  command->callback([options] { identify_run(*options); });
}

}  // namespace torsor::cli
