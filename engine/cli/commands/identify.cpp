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

#include "torsor/base/output_file.hpp"
#include "torsor/base/print_message.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/parameter_options.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/robot_file.hpp"
#include "torsor/cli/pages/identification_page.hpp"
#include "torsor/cli/support/load_recording.hpp"
#include "torsor/formats/robot_parameters.hpp"
#include "torsor/identification/energy_model.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/run/recording_origin.hpp"

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

struct IdentifyOptions {
  std::string run;
  RobotOptions model;
  ParameterOptions parameters;
  std::vector<std::filesystem::path> plugins;
  // Dead band in rad/s or m/s, the same for all joints. Empty: derived from the noise of the rates.
  std::optional<double> dead_band;
  bool from_positions = false;                    // true: v and vdot of the recording are not used
  std::optional<double> cutoff, equation_cutoff;  // Hz
  std::string weights = "residuals", method = "torque";
  std::vector<std::string> validate;  // recordings to predict
  std::string report;                 // HTML file to write
  std::vector<std::string> write;     // .lua and .urdf files to write
  bool json = false;
};

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
  const auto& robot = std::get<RobotDescription>(file);
  GivenModel out{build(robot)};
  if (robot.gravity_W) out.gravity_W = *robot.gravity_W;
  return out;
}

// Returns the model of the scene or robot given on the command line. By default, returns the model
// of the scene that made the recording.
GivenModel read_given_model(const IdentifyOptions& options,
                            const std::optional<RecordingOrigin>& origin) {
  const Registry plugins = require_plugins(options.plugins);
  GivenModel given;
  if (!options.model.file.empty()) {
    given = model_of_file(options, plugins);
  } else {
    if (!origin)
      throw Error(
          fmt::format("'{}' does not name its robot; give it: torsor identify {} SCENE|ROBOT",
                      options.run, options.run));
    if (!options.model.settings.empty())
      throw Error("--set applies to a scene or robot that is given after RUN");
    if (options.model.strict || options.model.floating_base)
      throw Error("--strict and --floating-base apply to a robot that is given after RUN");
    if (!std::filesystem::exists(origin->scene))
      throw Error(
          fmt::format("'{}' was made by the scene '{}', which does not exist here; run in the "
                      "folder where it was made, or give a scene or robot after RUN",
                      options.run, origin->scene));
    given = given_by(load_scene(origin->scene, origin->settings, &plugins,
                                command_permission(options.model.allow_plugins)));
  }
  if (origin) given.gravity_W = origin->gravity_W;
  if (const auto gravity_W = given_gravity(options.model)) given.gravity_W = *gravity_W;
  return given;
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) print_message("warning: " + warning);
}

// Returns the dead band of each dof [n_v], from --dead-band or from the noise of the rates.
std::vector<double> read_dead_band(const IdentifyOptions& options, const MeasuredRun& measured,
                                   size_t n_v) {
  if (options.dead_band) {
    if (!(*options.dead_band >= 0) || !std::isfinite(*options.dead_band))
      throw Error(fmt::format("--dead-band {:g}: it must be a rate in rad/s or m/s, 0 or more",
                              *options.dead_band));
    return std::vector<double>(n_v, *options.dead_band);
  }
  return dead_band_of(measured.filtered ? measured.filtered->rate_noise
                                        : rate_noise(measured.time, measured.motion.v, n_v));
}

MeasuredRun read_run(const IdentifyOptions& options, const Recording& recording, const Model& model,
                     const std::string& run) {
  return read_measured_run(
      recording, model, run,
      {.only_positions = options.from_positions || options.cutoff || options.equation_cutoff,
       .cutoffs = {.position = options.cutoff, .equations = options.equation_cutoff}});
}

Identification estimate(const IdentifyOptions& options, const GivenModel& given,
                        const MeasuredRun& measured, const std::vector<int>& unmeasured,
                        const std::vector<double>& dead_band) {
  const ParameterChoice choice = options.parameters.choice();
  if (options.method == "energy") {
    if (!unmeasured.empty())
      throw Error(
          "--method energy: the work of prescribed joints is not recorded; use --method torque");
    double rate = 0;
    try {
      rate = even_rate(measured.time);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", options.run, error.what()));
    }
    return identify_energy(given.model, given.gravity_W, choice, measured.motion, rate);
  }
  std::optional<Decimation> decimation;
  if (measured.filtered) decimation = measured.filtered->decimation;
  return identify(given.model, given.gravity_W, choice, measured.motion, unmeasured, dead_band,
                  {decimation, options.weights == "equal"});
}

void require_finite(const Identification& found, const std::string& run) {
  for (const double x : found.estimate)
    if (!std::isfinite(x))
      throw Error(fmt::format(
          "'{}': the estimates are not finite, because recorded torques or motions are too large; "
          "check their units",
          run));
}

// Compares a motion with its prediction by the estimates and by the physical parameters.
IdentificationReport::Comparison compare(const IdentifyOptions& options, const GivenModel& given,
                                         const IdentificationReport& report,
                                         const MeasuredRun& measured, const std::string& run,
                                         const std::vector<int>& unmeasured) {
  const ParameterChoice choice = options.parameters.choice();
  const auto of = [&](const std::vector<double>& parameters) {
    return predict(given.model, given.gravity_W, choice, report.found.base, parameters,
                   measured.motion, unmeasured, report.dead_band);
  };
  try {
    return {run, measured.time, of(report.found.estimate), of(report.physical.base)};
  } catch (const Error& error) {
    throw Error(fmt::format("'{}': {}", run, error.what()));
  }
}

// Compares another recording with its prediction, under the gravity of that recording.
IdentificationReport::Comparison validate(const IdentifyOptions& options, GivenModel given,
                                          const IdentificationReport& report,
                                          const std::string& run) {
  const Recording recording = load_recording(run);
  const std::optional<RecordingOrigin> origin = read_origin(recording, run);
  if (origin && !given_gravity(options.model)) given.gravity_W = origin->gravity_W;
  print_warnings(load_warnings(origin, given.loaded, run, "the prediction"));
  return compare(options, given, report, read_run(options, recording, *given.model, run), run,
                 unmeasured_dofs(origin, *given.model));
}

// Returns the physical parameters of the links and joints of a robot.
RobotParameters robot_parameters(const Model& model, const IdentificationReport& report) {
  using Kind = DynamicParameter::Kind;
  RobotParameters out;
  const std::vector<DynamicParameter>& standard = report.found.base.standard;
  std::map<int, RobotParameters::JointDrive> drives;  // by dof
  for (size_t p = 0; p < standard.size(); ++p) {
    const double value = report.physical.standard[p];
    if (standard[p].kind == Kind::inertial) {
      if (standard[p].entry != 0) continue;
      std::array<double, n_inertial> numbers;
      std::copy_n(report.physical.standard.begin() + std::ptrdiff_t(p), n_inertial,
                  numbers.begin());
      out.links.push_back({model.links[size_t(standard[p].link)].name, inertia_of(numbers)});
      continue;
    }
    const Joint& joint = model.joint_of_dof(standard[p].entry);
    RobotParameters::JointDrive& drive = drives[standard[p].entry];
    drive.joint = joint.name;
    drive.dof = standard[p].entry - joint.v_index;
    (standard[p].kind == Kind::rotor     ? drive.armature
     : standard[p].kind == Kind::viscous ? drive.viscous
                                         : drive.coulomb) = value;
  }
  for (const auto& [dof, drive] : drives) out.joints.push_back(drive);
  return out;
}

void write_robot(const IdentifyOptions& options, const Model& model,
                 const IdentificationReport& report) {
  if (model.robots.size() != 1)
    throw Error(fmt::format("--write: the scene has {} robots; identify one robot alone",
                            model.robots.size()));
  if (!model.transmissions.empty())
    throw Error("--write: parameters of the motors of transmissions are not written");
  const RobotParameters parameters = robot_parameters(model, report);
  for (const std::string& file : options.write) {
    if (file.ends_with(".lua")) {
      write_file(file,
                 lua_module(parameters, "Parameters identified from " + one_line(options.run) +
                                            ", for arm:set_parameters."));
    } else {
      for (const RobotParameters::JointDrive& joint : parameters.joints)
        if (joint.armature) {
          print_message(fmt::format(
              "warning: {}: URDF has no inertia of rotors, so that of joint '{}' is not written",
              file, joint.joint));
          break;
        }
      write_file(file, urdf_with_parameters(options.model.file, parameters));
    }
    print_message("wrote " + file);
  }
}

void require_outputs(const IdentifyOptions& options) {
  for (const std::string& file : options.write) {
    if (!file.ends_with(".lua") && !file.ends_with(".urdf"))
      throw Error(fmt::format("--write {}: give a .lua or a .urdf file", file));
    if (file.ends_with(".urdf") && !options.model.file.ends_with(".urdf"))
      throw Error(fmt::format(
          "--write {}: a .urdf file is written only for a robot of a .urdf file, given after RUN; "
          "write a .lua file",
          file));
    require_writable(file);
  }
  if (!options.report.empty()) require_writable(options.report);
}

void require_options_of_method(const IdentifyOptions& options, bool weights) {
  if (options.method != "energy") return;
  for (const auto& [option, given] :
       {std::pair{"--weights", weights}, {"--dead-band", options.dead_band.has_value()}})
    if (given)
      throw Error(
          fmt::format("{} applies to the equations of --method torque; leave it out of "
                      "--method energy",
                      option));
}

void identify_run(const IdentifyOptions& options) {
  require_outputs(options);
  const Recording recording = load_recording(options.run);
  const std::optional<RecordingOrigin> origin = read_origin(recording, options.run);
  const GivenModel given = read_given_model(options, origin);
  const Model& model = *given.model;
  IdentificationReport report;
  report.run = options.run;
  report.measured = read_run(options, recording, model, options.run);
  report.dead_band = read_dead_band(options, report.measured, size_t(model.n_v));
  report.dead_band_of_noise = !options.dead_band;
  report.equal_weights = options.weights == "equal";
  report.by_energy = options.method == "energy";
  const std::vector<int> unmeasured = unmeasured_dofs(origin, model);
  print_warnings(load_warnings(origin, given.loaded, options.run, "the estimates"));
  try {
    report.found = estimate(options, given, report.measured, unmeasured, report.dead_band);
  } catch (const TooFewEquations& error) {
    throw Error(fmt::format("{}: {}", options.run, error.what()));
  }
  require_finite(report.found, options.run);
  for (const std::string& what : report.found.base.left_out)
    print_message("warning: not identified: " + what);
  report.physical = fit_physical(report.found);
  report.own = compare(options, given, report, report.measured, options.run, unmeasured);
  for (const std::string& run : options.validate)
    report.validations.push_back(validate(options, given, report, run));
  if (options.json)
    std::fputs(
        (identification_json(report).dump(1, ' ', false, Json::error_handler_t::replace) + "\n")
            .c_str(),
        stdout);
  else
    fmt::print("{}", identification_text(report));
  if (!options.report.empty()) {
    write_file(options.report, identification_html(report));
    print_message("wrote " + options.report);
  }
  if (!options.write.empty()) write_robot(options, model, report);
}

}  // namespace

void add_identify_command(CLI::App& app) {
  auto options = std::make_shared<IdentifyOptions>();
  CLI::App* command =
      app.add_subcommand("identify", "Estimate a robot's base parameters from a recording");
  command
      ->add_option("RUN", options->run,
                   "recording of q and tau, and perhaps v and vdot, a .h5 or .csv file")
      ->required();
  add_scene_or_robot_argument(*command, options->model)
      ->description(
          "scene or robot that provides the kinematics and the nominal parameters; by default, the "
          "scene that made the recording")
      ->required(false);
  add_set_option(*command, options->model.settings);
  add_gravity_option(*command, options->model);
  add_robot_file_options(*command, options->model);
  add_parameter_options(*command, options->parameters);
  command
      ->add_option("--dead-band", options->dead_band,
                   "rate in rad/s or m/s below which a joint with dry friction counts as at rest; "
                   "by default, four times the noise of its rate")
      ->type_name("RATE");
  command->add_flag("--from-positions", options->from_positions,
                    "derive v and vdot from q by filters, also if they were recorded");
  command
      ->add_option("--cutoff", options->cutoff,
                   "cut-off in Hz of the low-pass for q; by default, twice the bandwidth of the "
                   "motion")
      ->type_name("HZ");
  command
      ->add_option(
          "--equation-cutoff", options->equation_cutoff,
          "cut-off in Hz of the low-pass for both sides of the equations; by default, that "
          "of q")
      ->type_name("HZ");
  const CLI::Option* const weights =
      command
          ->add_option("--weights", options->weights,
                       "weights of the joints: residuals, or equal for ordinary least squares")
          ->check(one_of({"residuals", "equal"}))
          ->type_name("WHICH")
          ->capture_default_str();
  command
      ->add_option("--method", options->method,
                   "equations: torque of each joint, or energy of the robot, without vdot")
      ->check(one_of({"torque", "energy"}))
      ->type_name("NAME")
      ->capture_default_str();
  command
      ->add_option("--validate", options->validate,
                   "another recording of the robot, whose torques to predict; may be repeated")
      ->type_name("RUN");
  command->add_option("--report", options->report, "HTML page to write")->type_name("FILE");
  command
      ->add_option(
          "--write", options->write,
          "file to write with the physical parameters: .lua for arm:set_parameters, or .urdf, "
          "a copy of the given one; may be repeated")
      ->type_name("FILE");
  add_plugins_option(*command, options->plugins);
  add_allow_plugins_option(*command, options->model.allow_plugins);
  add_json_flag(*command, options->json);
  command->footer(
      "Weighted least squares on the torques; each joint is weighted by its own residual. v and "
      "vdot are taken as exact if they were recorded. Otherwise they follow from q, by a low-pass "
      "without phase shift and central differences, and both sides of the equations are filtered "
      "and "
      "decimated. With noisy rates, "
      "samples near rest are left out for joints with dry friction (--dead-band). The intervals "
      "are valid if the errors of the torques are independent from sample to sample. The name of a "
      "parameter that others are grouped into ends in R; the lines below \"where\" list them. "
      "\"physical\" states whether bodies of positive density, rotors and friction can have "
      "these parameters, within the intervals.\n"
      "Example: torsor run scenes/excitation.lua && torsor identify recordings/excitation.h5");
  command->callback([options, weights] {
    require_options_of_method(*options, !weights->empty());
    identify_run(*options);
  });
}

}  // namespace torsor::cli
