// torsor gains RUN ROBOT: estimates the gains of a robot's drives from recordings of motor signals.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/parameter_options.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/robot_file.hpp"
#include "torsor/cli/options/settings.hpp"
#include "torsor/cli/pages/metrics_table.hpp"
#include "torsor/cli/support/load_recording.hpp"
#include "torsor/identification/drive_gains.hpp"
#include "torsor/model/inertia.hpp"
#include "torsor/run/measured_run.hpp"

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

struct GainOptions {
  std::string run, loaded, link, gain;
  RobotOptions robot;
  ParameterOptions parameters;
  std::vector<double> load;  // mass, x, y, z
  bool json = false;
};

CarriedLoad read_load(const GainOptions& options) {
  if (options.load.empty() || options.link.empty())
    throw Error("--loaded needs the load: give --link LINK and --load MASS,X,Y,Z");
  if (!(options.load[0] > 0))
    throw Error(fmt::format("--load {}: the mass must be positive", options.load[0]));
  const Vec3<double> c{options.load[1], options.load[2], options.load[3]};
  return {options.link, inertia_about_com(options.load[0], c, {0, 0, 0, 0, 0, 0})};
}

std::optional<KnownGain> read_gain(const GainOptions& options, const Model& model) {
  if (options.gain.empty()) return std::nullopt;
  const auto settings = read_settings({options.gain}, "--gain");
  const auto& [name, text] = *settings.begin();
  const Joint& joint = model.joints[size_t(model.joint(name))];
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
      value == 0)
    throw Error(fmt::format("--gain {}: '{}' is not a gain; give a number that is not 0",
                            options.gain, text));
  return KnownGain{joint.v_index, value};
}

SignalMotion read_motion(const std::string& run, const Model& model,
                         std::optional<Decimation>& decimation) {
  MeasuredRun measured =
      read_measured_run(load_recording(run), model, run, {.motor_signals = true});
  if (measured.filtered && !decimation) decimation = measured.filtered->decimation;
  return {std::move(measured.motion)};
}

void print(const DriveGains& found) {
  std::vector<Cells> rows = {{"joint", "gain", "std", "std %", "residual"}};
  for (const auto& [name, gain, deviation, residual] : found.joints)
    rows.push_back({name, fmt::format("{:.6g}", gain), fmt::format("{:.2g}", deviation),
                    fmt::format("{:.2g}", 100 * deviation / std::abs(gain)),
                    fmt::format("{:.3g}", residual)});
  print_table(rows, 1, "");
  const std::vector<std::string> base_units = units(found.base);
  rows = {{"parameter", "unit", "estimate", "std", "model"}};
  for (size_t i = 0; i < found.base.rank(); ++i)
    rows.push_back({found.base.names[i], base_units[i], fmt::format("{:.6g}", found.estimate[i]),
                    fmt::format("{:.2g}", found.deviation[i]),
                    fmt::format("{:.6g}", found.base.values[i])});
  fmt::print("\n");
  print_table(rows, 2, "");
}

Json report(const DriveGains& found) {
  Json out{{"joints", Json::array()}, {"parameters", Json::array()}};
  for (const auto& [name, gain, deviation, residual] : found.joints)
    out["joints"].push_back({{"name", name},
                             {"gain", gain},
                             {"standard_deviation", deviation},
                             {"residual", residual}});
  for (size_t i = 0; i < found.base.rank(); ++i)
    out["parameters"].push_back({{"name", found.base.names[i]},
                                 {"estimate", found.estimate[i]},
                                 {"standard_deviation", found.deviation[i]},
                                 {"model", found.base.values[i]}});
  return out;
}

void run(const GainOptions& options) {
  for (const auto& [option, given] :
       {std::pair{"--link", !options.link.empty()}, {"--load", !options.load.empty()}})
    if (given && options.loaded.empty())
      throw Error(fmt::format("{} describes the load of --loaded, which is not given", option));
  const GivenRobot robot = read_robot(options.robot, require_plugins({}));
  const Model& model = *robot.model;
  const Vec3<double> gravity_W =
      given_gravity(options.robot).value_or(robot.gravity_W.value_or(Vec3<double>{0, 0, -9.81}));
  std::optional<Decimation> decimation;
  std::vector<SignalMotion> motions{read_motion(options.run, model, decimation)};
  if (!options.loaded.empty()) {
    motions.push_back(read_motion(options.loaded, model, decimation));
    motions.back().load = read_load(options);
  }
  const DriveGains found = identify_gains(robot.model, gravity_W, options.parameters.choice(),
                                          motions, read_gain(options, model), {decimation});
  if (options.json)
    std::fputs((report(found).dump(1, ' ', false, Json::error_handler_t::replace) + "\n").c_str(),
               stdout);
  else
    print(found);
}

}  // namespace

void add_gains_command(CLI::App& app) {
  const auto options = std::make_shared<GainOptions>();
  CLI::App* command =
      app.add_subcommand("gains", "Estimate the gains of a robot's drives from motor signals");
  command
      ->add_option("RUN", options->run,
                   "recording of q and of the motor signals in place of tau, a .h5 or .csv file")
      ->required();
  add_robot_argument(*command, options->robot);
  command->add_option("--loaded", options->loaded, "recording of another motion, with a known load")
      ->type_name("RUN");
  command->add_option("--link", options->link, "link that carries the load")->type_name("LINK");
  add_numbers_option(*command, "--load", options->load, 4, "MASS,X,Y,Z",
                     "mass of the load in kg, and its centre of mass in the frame of the link, m");
  command
      ->add_option("--gain", options->gain,
                   "known gain of a joint, N m or N per unit of the signal")
      ->type_name("JOINT=X");
  add_parameter_options(*command, options->parameters);
  add_robot_options(*command, options->robot);
  add_allow_plugins_option(*command, options->robot.allow_plugins);
  add_json_flag(*command, options->json);
  command->footer(
      "The torque of a joint is its gain times the signal of its motor, such as a current. Gains "
      "and "
      "base parameters are estimated together. A second motion with a known load determines their "
      "common scale; so does one known gain. The load is a point mass.\n"
      "Example: torsor run scenes/iiwa_excitation.lua && torsor gains "
      "recordings/iiwa_excitation.h5 scripts/robots/iiwa.lua --gain joint1=1");
  command->callback([options] { run(*options); });
}

}  // namespace torsor::cli
