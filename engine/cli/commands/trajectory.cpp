// torsor trajectory ID ROBOT: samples a trajectory, or the one that a control of a scene follows.
// Prints its duration, discontinuities and peaks. Writes the samples to a CSV file or a picture.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include "torsor/base/output_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/robot_file.hpp"
#include "torsor/cli/options/settings.hpp"
#include "torsor/cli/pages/gnuplot.hpp"
#include "torsor/cli/pages/motion_limits.hpp"
#include "torsor/cli/pages/signals.hpp"
#include "torsor/control/control.hpp"
#include "torsor/recording/csv_file.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::cli {

namespace {

struct TrajectoryOptions {
  std::string id, csv, plot, phase;
  RobotOptions robot;
  std::vector<std::string> parameters;  // NAME=VALUE settings of parameters
  std::vector<std::filesystem::path> plugins;
  std::optional<double> duration;  // s; empty: the duration of the trajectory
  int samples = 201;
  int points = 1000;  // of the path of a time-optimal motion
  bool torques = false, time_optimal = false, actuator_limits = false;
};

std::vector<std::string> parts(const std::string& text, char separator) {
  std::vector<std::string> out(1);
  for (const char c : text)
    if (c == separator)
      out.emplace_back();
    else
      out.back().push_back(c);
  return out;
}

std::vector<double> numbers(const std::string& name, const std::string& text) {
  std::vector<double> out;
  for (const std::string& part : parts(text, ',')) {
    double value = 0;
    const char* const end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, value);
    if (error != std::errc() || stop != end || part.empty())
      throw Error(fmt::format("--parameter {}={}: '{}' is not a number; separate numbers by commas",
                              name, text, part));
    out.push_back(value);
  }
  return out;
}

std::vector<double> pose(const std::string& name, const std::string& text) {
  const std::vector<double> x = numbers(name, text);
  if (x.size() != 3 && x.size() != 6)
    throw Error(
        fmt::format("--parameter {}={}: a pose is x,y,z or x,y,z,roll,pitch,yaw", name, text));
  const Mat3<double> R = x.size() == 3 ? Mat3<double>::identity()
                                       : (rotation_z(x[5]) * rotation_y(x[4]) * rotation_x(x[3])).R;
  std::vector<double> out(R.m, R.m + 9);
  out.insert(out.end(), x.begin(), x.begin() + 3);
  return out;
}

ParameterValue value(const ParameterInfo& row, const std::string& text) {
  switch (row.type) {
    case TORSOR_CHOICE:
    case TORSOR_FRAME:
      return text;
    case TORSOR_FLAG:
      if (text != "true" && text != "false")
        throw Error(fmt::format("--parameter {}={}: it must be true or false", row.name, text));
      return text == "true";
    case TORSOR_PATH:
      return read_csv_rows(text);
    case TORSOR_POSE:
      return pose(row.name, text);
    case TORSOR_POSES: {
      Rows rows;
      for (const std::string& each : parts(text, ';')) rows.push_back(pose(row.name, each));
      return rows;
    }
    case TORSOR_TABLE: {
      Rows rows;
      for (const std::string& line : parts(text, ';')) rows.push_back(numbers(row.name, line));
      return rows;
    }
    default: {
      std::vector<double> list = numbers(row.name, text);
      if (list.size() == 1 && row.type != TORSOR_CONFIGURATION) return list[0];
      return list;
    }
  }
}

std::vector<Parameter> parameters(const PluginInfo& plugin,
                                  const std::vector<std::string>& settings) {
  std::vector<Parameter> out;
  for (const auto& [name, text] : read_settings(settings, "--parameter")) {
    const auto row =
        std::find_if(plugin.parameters.begin(), plugin.parameters.end(),
                     [&, wanted = name](const ParameterInfo& each) { return each.name == wanted; });
    out.push_back(
        {name, row == plugin.parameters.end() ? ParameterValue(text) : value(*row, text)});
  }
  return out;
}

// Returns the columns of the samples, ordered by derivative. For a frame, the first columns are
// position and quaternion.
std::vector<Column> columns(const DesiredMotion& trajectory) {
  std::vector<Column> out{{"t", "s", ""}};
  const std::string units[] = {"", "/s", "/s^2", "/s^3", "/s^4"};
  if (trajectory.of_frame()) {
    for (const char* name : {"p.x", "p.y", "p.z"}) out.push_back({name, "m", ""});
    for (const char* name : {"quaternion.w", "quaternion.x", "quaternion.y", "quaternion.z"})
      out.push_back({name, "1", ""});
    const std::string rates[] = {"", "V", "Vdot", "Vddot", "Vdddot"};
    for (size_t k = 1; k <= size_t(trajectory.order()); ++k)
      for (const char* name : {"wx", "wy", "wz", "vx", "vy", "vz"})
        out.push_back({rates[k] + "." + name, (name[0] == 'w' ? "rad" : "m") + units[k], ""});
    return out;
  }
  const Model& model = trajectory.model();
  for (const Joint& joint : model.joints) {
    const std::span<const JointCoordinate> own = traits(joint.kind).coordinates;
    for (const JointCoordinate& coordinate : own)
      out.push_back(
          {"q." + joint.name + (own.size() == 1 ? "" : "." + std::string(coordinate.name)),
           std::string(coordinate.unit), ""});
  }
  const std::vector<std::string> names = model.dof_names();
  const std::string rates[] = {"", "v", "vdot", "vddot", "vdddot"};
  for (size_t k = 1; k <= size_t(trajectory.order()); ++k)
    for (int c = 0; c < model.n_v; ++c)
      out.push_back(
          {rates[k] + "." + names[size_t(c)], (model.dof(c).turns() ? "rad" : "m") + units[k], ""});
  return out;
}

void add_row(const DesiredMotion& trajectory, double t, Reference& at,
             std::vector<double>& values) {
  if (const Status status = trajectory.evaluate(t, at); !status)
    throw Error(trajectory.explain(status));
  values.push_back(t);
  if (trajectory.of_frame()) {
    const Quaternion r = quaternion(at.X_WF.R);
    values.insert(values.end(), {at.X_WF.p.x, at.X_WF.p.y, at.X_WF.p.z, r.w, r.x, r.y, r.z});
    for (int k = 0; k < at.order; ++k) {
      const Twist<double>& V = at.V[size_t(k)];
      values.insert(values.end(), {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z});
    }
    return;
  }
  for (const std::vector<double>* part : {&at.q, &at.v, &at.vdot, &at.vddot, &at.vdddot})
    values.insert(values.end(), part->begin(), part->end());
}

Recording sample(const DesiredMotion& trajectory, double until, int samples) {
  Recording out;
  out.columns = columns(trajectory);
  Reference at = trajectory.make_reference();
  for (int k = 0; k < samples; ++k) add_row(trajectory, until * k / (samples - 1), at, out.values);
  return out;
}

void write_csv(const Recording& recording, const std::string& path) {
  OutputFile out(path);
  CsvFile file(out.part(), recording.columns, path);
  const size_t n = recording.columns.size();
  for (size_t row = 0; row < recording.rows(); ++row)
    file.write({recording.values.data() + row * n, n});
  file.close();
  out.commit();
}

void draw_samples(const Recording& recording, const std::string& path) {
  std::vector<size_t> columns(recording.columns.size() - 1);
  std::iota(columns.begin(), columns.end(), 1);
  draw(recording, panels_by_unit(recording, columns), path);
}

std::string smoothness(const DesiredMotion& trajectory) {
  const int n = trajectory.smoothness();
  constexpr const char* last[] = {"position", "velocity", "acceleration", "jerk", "snap"};
  if (n > TORSOR_MAX_ORDER) return "all derivatives are continuous";
  return fmt::format("continuous up to the {}", last[n]);
}

void print_peaks(const Recording& samples) {
  fmt::print("peaks        over {} samples\n", samples.rows());
  const size_t n = samples.columns.size();
  for (size_t k = 1; k < n; ++k) {
    if (std::string_view("qp").find(samples.columns[k].name[0]) != std::string_view::npos) continue;
    double peak = 0;
    for (size_t row = 0; row < samples.rows(); ++row)
      peak = std::max(peak, std::abs(samples.values[row * n + k]));
    fmt::print("    {:<24} {:.6g} {}\n", samples.columns[k].name, peak, samples.columns[k].unit);
  }
}

std::string times(const std::vector<double>& breaks) {
  constexpr size_t most = 20;
  if (breaks.empty()) return "none";
  if (breaks.size() > most) return fmt::format("at {} times", breaks.size());
  return fmt::format("{} s", fmt::join(breaks, ", "));
}

// Adds the limits of the actuators to the parameters of a trajectory, and prints them. Throws Error
// if the trajectory has no such limits, they are given, or a joint has no actuator data.
void add_actuator_limits(const PluginInfo& plugin, const std::shared_ptr<const Model>& model,
                         const Registry& registry, std::vector<Parameter>& parameters) {
  Solver solver = registry.solver("newton_euler", model);
  const ActuatorLimits limits = actuator_limits(model, solver, {}, [](int) {});
  const std::vector<std::string> names = model->dof_names();
  const auto add = [&](const char* name, const std::vector<double>& values, const char* data) {
    if (std::ranges::find(plugin.parameters, name, &ParameterInfo::name) == plugin.parameters.end())
      throw Error(
          fmt::format("--actuator-limits: trajectory '{}' has no parameter '{}'", plugin.id, name));
    if (std::ranges::find(parameters, name, &Parameter::name) != parameters.end())
      throw Error(fmt::format("--actuator-limits sets '{}'; remove it from --parameter", name));
    for (size_t k = 0; k < values.size(); ++k)
      if (std::isinf(values[k]))
        throw Error(fmt::format(
            "--actuator-limits: joint '{}' has no {} limit; add it to the robot", names[k], data));
    parameters.push_back({name, values});
  };
  add("speed", limits.speed, "velocity");
  add("acceleration", limits.acceleration, "effort");
  print_actuator_limits(*model, limits);
}

// Returns the fastest motion along the path of a trajectory. Prints and draws it.
std::shared_ptr<const DesiredMotion> along_path(const TrajectoryOptions& options,
                                                const std::shared_ptr<const DesiredMotion>& motion,
                                                const Registry& registry,
                                                const Vec3<double>& gravity_W) {
  const auto path = std::dynamic_pointer_cast<const Trajectory>(motion);
  if (!path) throw Error("--time-optimal: a sequence is not one path; use one of its motions");
  Solver solver = registry.solver("newton_euler", path->model_ptr());
  const TimeOptimal fastest = time_optimal(path, solver, gravity_W, {.points = options.points});
  print_time_optimal(fastest, path->duration());
  if (!options.phase.empty()) {
    draw_phase_plane(fastest.phase, options.phase);
    fmt::print("{}: the phase plane\n", options.phase);
  }
  return fastest.motion;
}

// Throws CheckFailed if a limit is exceeded. A time-optimal motion exceeds none, up to rounding.
void check_limits(const TrajectoryOptions& options, const DesiredMotion& trajectory,
                  const Registry& registry, const Vec3<double>& gravity_W) {
  Solver solver = registry.solver("newton_euler", trajectory.model_ptr());
  const TorqueCheck check = check_torques(trajectory, solver, gravity_W, options.samples);
  print_torques(trajectory, check, gravity_W);
  if (check.scale > 1 + use_rounding && !options.time_optimal) throw CheckFailed();
}

// A motion to sample, and the data of its scene.
struct Given {
  std::shared_ptr<const DesiredMotion> motion;
  std::string name;
  std::optional<Vec3<double>> gravity_W;
  std::shared_ptr<const Registry> plugins;
};

// Returns the motion that a control of a scene follows, or nullopt if ID does not name a control.
std::optional<Given> motion_of_control(const TrajectoryOptions& options,
                                       const Experiment& experiment) {
  for (const Control& control : experiment.load.controls) {
    if (full_name(*experiment.model, control) != options.id) continue;
    if (!options.parameters.empty())
      throw Error("--parameter sets parameters of a plugin; set those of a scene with --set");
    if (options.actuator_limits)
      throw Error("--actuator-limits sets parameters of a plugin; a scene sets its own");
    const ReferenceLaw* reference = control.law->reference();
    if (!reference || !reference->motion)
      throw Error(
          fmt::format("control '{}' does not follow a trajectory or a sequence", options.id));
    return Given{reference->motion, fmt::format("{} of {}", reference->motion->id(), options.id),
                 experiment.gravity_W, experiment.plugins};
  }
  return std::nullopt;
}

Given read_motion(const TrajectoryOptions& options, const Registry& registry) {
  if (options.id.find('.') != std::string::npos && !options.id.starts_with("trajectory.")) {
    const auto file = read_scene_or_robot(options.robot, registry);
    const auto* experiment = std::get_if<Experiment>(&file);
    if (auto given = experiment ? motion_of_control(options, *experiment) : std::nullopt)
      return *std::move(given);
    throw Error(
        fmt::format("{} has no control '{}'; name a trajectory plugin, or a control of a "
                    "scene as ROBOT.CONTROL",
                    options.robot.file, options.id));
  }
  const PluginInfo& plugin = registry.find<Trajectory>(options.id);
  const GivenRobot robot = read_robot(options.robot, registry);
  std::vector<Parameter> given = parameters(plugin, options.parameters);
  if (options.actuator_limits) add_actuator_limits(plugin, robot.model, registry, given);
  return {registry.make<Trajectory>(options.id, robot.model, given),
          fmt::format("{} {}", plugin.id, plugin.version), robot.gravity_W, robot.plugins};
}

void run(const TrajectoryOptions& options) {
  if (options.duration && *options.duration == 0)
    throw Error(
        "--duration 0: the time to sample must be positive; leave the option out to sample all of "
        "it");
  if (!options.plot.empty()) require_picture("--plot", options.plot);
  if (!options.phase.empty()) require_picture("--phase", options.phase);
  for (const std::string& file : {options.csv, options.plot, options.phase})
    if (!file.empty()) require_writable(file);
  const Registry registry = require_plugins(options.plugins);
  const Given given = read_motion(options, registry);
  const Vec3<double> gravity_W =
      given_gravity(options.robot).value_or(given.gravity_W.value_or(Vec3<double>{0, 0, -9.81}));
  std::shared_ptr<const DesiredMotion> trajectory = given.motion;
  if (options.time_optimal) trajectory = along_path(options, trajectory, registry, gravity_W);
  if (!options.duration && !std::isfinite(trajectory->duration()))
    throw Error("the trajectory never ends: give the time to sample with --duration");
  if (options.torques && !std::isfinite(trajectory->duration()))
    throw Error("--torques: the trajectory never ends; give a motion with a duration");
  const double until = options.duration.value_or(trajectory->duration());
  const Recording samples = sample(*trajectory, until, options.samples);
  fmt::print("trajectory   {}, motion of {}\n", given.name,
             trajectory->of_frame() ? "a frame" : "the joints");
  fmt::print("duration     {} s\n", trajectory->duration());
  fmt::print("smoothness   {}\n", smoothness(*trajectory));
  fmt::print("breaks       {}\n", times(trajectory->breaks()));
  // Search the peaks only until the end of the motion. With the same number of samples over a much
  // longer time, the motion could lie between two samples.
  const double end = trajectory->duration();
  print_peaks(0 < end && end < until ? sample(*trajectory, end, options.samples) : samples);
  if (!options.csv.empty()) {
    write_csv(samples, options.csv);
    fmt::print("{}: {} of {}\n", options.csv, counted(samples.columns.size(), "column"),
               counted(samples.rows(), "row"));
  }
  if (!options.plot.empty()) {
    draw_samples(samples, options.plot);
    fmt::print("{}: {} of {}\n", options.plot, counted(samples.columns.size() - 1, "curve"),
               counted(samples.rows(), "row"));
  }
  if (options.torques) check_limits(options, *trajectory, registry, gravity_W);
}

}  // namespace

void add_trajectory_command(CLI::App& app) {
  const auto options = std::make_shared<TrajectoryOptions>();
  CLI::App* command = app.add_subcommand(
      "trajectory", "Sample a trajectory of a robot: its duration, discontinuities and peaks");
  command
      ->add_option("ID", options->id,
                   "trajectory plugin, as listed by 'torsor plugins trajectory', or ROBOT.CONTROL: "
                   "the trajectory that a control of a scene follows")
      ->required();
  add_robot_argument(*command, options->robot);
  command
      ->add_option("--parameter", options->parameters,
                   "value of a parameter of the trajectory; may be repeated")
      ->type_name("NAME=VALUE");
  command->add_option("--duration", options->duration, "time to sample, s; by default, all of it")
      ->check(number_between(0, 1e9))
      ->type_name("S");
  command->add_option("--samples", options->samples, "number of samples, equally spaced in time")
      ->check(number_between(2, 1000000))
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--torques", options->torques,
                    "compare the torques with the limits of the joints, and print the fastest "
                    "duration within them; exit status 1 if a limit is exceeded");
  command->add_flag("--actuator-limits", options->actuator_limits,
                    "set the speed and acceleration limits of the trajectory from the limits and "
                    "the largest inertia of each joint");
  CLI::Option* const fastest = command->add_flag(
      "--time-optimal", options->time_optimal,
      "move along the path of the trajectory in minimum time within the limits of the joints");
  command->add_option("--points", options->points, "number of intervals of the path")
      ->check(number_between(10, 100000))
      ->type_name("N")
      ->capture_default_str()
      ->needs(fastest);
  command
      ->add_option("--phase", options->phase,
                   "picture of the phase plane to write, .svg or .png: ds/dt along the path, and "
                   "the maximum velocity curve")
      ->type_name("FILE")
      ->needs(fastest);
  add_gravity_option(*command, options->robot);
  command->add_option("--csv", options->csv, "CSV file to write with the samples")
      ->type_name("FILE");
  command->add_option("--plot", options->plot, "picture to write, .svg or .png")->type_name("FILE");
  add_set_option(*command, options->robot.settings);
  add_robot_file_options(*command, options->robot);
  add_plugins_option(*command, options->plugins);
  add_allow_plugins_option(*command, options->robot.allow_plugins);
  command->footer(
      "Values of --parameter: joint positions and lists are numbers separated by commas. A pose is "
      "x,y,z or x,y,z,roll,pitch,yaw. Poses of a list and rows of a table are separated by "
      "semicolons. A path is a CSV "
      "file of times and positions.\n"
      "Example: torsor trajectory trapeze scripts/robots/scara.lua --parameter from=0,0,0,0 "
      "--parameter to=1,2,0.1,1 --parameter speed=1 --parameter acceleration=3 --plot trapeze.svg");
  command->callback([options] { run(*options); });
}

}  // namespace torsor::cli
