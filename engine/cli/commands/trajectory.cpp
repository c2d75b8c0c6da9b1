// torsor trajectory ID ROBOT: samples a trajectory. Prints its duration, discontinuities and peaks.
// Writes the samples to a CSV file or a picture.

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
#include "torsor/cli/pages/signals.hpp"
#include "torsor/planning/torque_check.hpp"
#include "torsor/recording/csv_file.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::cli {

namespace {

struct TrajectoryOptions {
  std::string id, csv, plot;
  RobotOptions robot;
  std::vector<std::string> parameters;  // NAME=VALUE settings of parameters
  std::vector<std::filesystem::path> plugins;
  std::optional<double> duration;  // s; empty: the duration of the trajectory
  int samples = 201;
  bool torques = false;
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
std::vector<Column> columns(const Trajectory& trajectory) {
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

void add_row(const Trajectory& trajectory, double t, Reference& at, std::vector<double>& values) {
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

Recording sample(const Trajectory& trajectory, double until, int samples) {
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

std::string smoothness(const Trajectory& trajectory) {
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

std::string use_of(const Model& model, int dof, const TorqueUse& use) {
  const bool turns = model.dof(dof).turns();
  std::string out =
      fmt::format("{:.6g} {} at {:.4g} s", use.peak, turns ? "N m" : "N", use.peak_time);
  if (use.use == 0) return out + ", no limit";
  out += fmt::format(", uses {:.4g} of its limits", use.use);
  if (!std::isnan(use.exceeded_from))
    out += fmt::format(", exceeded from {:.4g} s to {:.4g} s", use.exceeded_from, use.exceeded_to);
  return out;
}

// Throws CheckFailed if a limit is exceeded.
void print_torques(const TrajectoryOptions& options, const Trajectory& trajectory,
                   const Registry& registry, const Vec3<double>& gravity_W) {
  const Model& model = trajectory.model();
  Solver solver = registry.solver("newton_euler", trajectory.model_ptr());
  const TorqueCheck check = check_torques(trajectory, solver, gravity_W, options.samples);
  fmt::print("torques      with gravity ({}, {}, {}) m/s^2\n", gravity_W.x, gravity_W.y,
             gravity_W.z);
  const std::vector<std::string> names = model.dof_names();
  for (int k = 0; k < model.n_v; ++k)
    fmt::print("    {:<24} {}\n", names[size_t(k)], use_of(model, k, check.dofs[size_t(k)]));
  if (check.dof < 0) {
    fmt::print("scaling      no limit restricts the motion\n");
    return;
  }
  const std::string& dof = names[size_t(check.dof)];
  if (std::isinf(check.scale)) {
    fmt::print("scaling      none: {} exceeds its limit at rest, at {:.4g} s\n", dof, check.time);
  } else {
    fmt::print(
        "scaling      {:.10g} times the duration, {:.10g} s, uses the limits fully: {} at {:.4g} "
        "s\n",
        check.scale, check.scale * trajectory.duration(), dof, check.scale * check.time);
  }
  if (check.scale > 1) throw CheckFailed();
}

void run(const TrajectoryOptions& options) {
  if (options.duration && *options.duration == 0)
    throw Error(
        "--duration 0: the time to sample must be positive; leave the option out to sample all of "
        "it");
  if (!options.plot.empty()) require_picture("--plot", options.plot);
  for (const std::string& file : {options.csv, options.plot})
    if (!file.empty()) require_writable(file);
  const Registry registry = require_plugins(options.plugins);
  const PluginInfo& plugin = registry.find<Trajectory>(options.id);
  const GivenRobot robot = read_robot(options.robot, registry);
  const auto trajectory =
      registry.make<Trajectory>(options.id, robot.model, parameters(plugin, options.parameters));
  if (!options.duration && !std::isfinite(trajectory->duration()))
    throw Error("the trajectory never ends: give the time to sample with --duration");
  const double until = options.duration.value_or(trajectory->duration());
  const Recording samples = sample(*trajectory, until, options.samples);
  fmt::print("trajectory   {} {}, motion of {}\n", plugin.id, plugin.version,
             trajectory->of_frame() ? "a frame" : "the joints");
  fmt::print("duration     {} s\n", trajectory->duration());
  fmt::print("smoothness   {}\n", smoothness(*trajectory));
  fmt::print("breaks       {}\n", trajectory->breaks().empty()
                                      ? "none"
                                      : fmt::format("{} s", fmt::join(trajectory->breaks(), ", ")));
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
  if (options.torques)
    print_torques(
        options, *trajectory, registry,
        given_gravity(options.robot).value_or(robot.gravity_W.value_or(Vec3<double>{0, 0, -9.81})));
}

}  // namespace

void add_trajectory_command(CLI::App& app) {
  const auto options = std::make_shared<TrajectoryOptions>();
  CLI::App* command = app.add_subcommand(
      "trajectory", "Sample a trajectory of a robot: its duration, discontinuities and peaks");
  command
      ->add_option("ID", options->id, "trajectory plugin, as listed by 'torsor plugins trajectory'")
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
      "x,y,z or x,y,z,roll,pitch,yaw. Rows of a table are separated by semicolons. A path is a CSV "
      "file of times and positions.\n"
      "Example: torsor trajectory trapeze scripts/robots/scara.lua --parameter from=0,0,0,0 "
      "--parameter to=1,2,0.1,1 --parameter speed=1 --parameter acceleration=3 --plot trapeze.svg");
  command->callback([options] { run(*options); });
}

}  // namespace torsor::cli
