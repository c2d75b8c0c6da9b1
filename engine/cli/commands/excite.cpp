// torsor excite ROBOT: finds a motion that excites the parameters of a robot for its
// identification.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "torsor/base/output_file.hpp"
#include "torsor/base/print_message.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/parameter_options.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/robot_file.hpp"
#include "torsor/motions/excitation.hpp"

namespace torsor::cli {

namespace {

struct ExciteOptions {
  RobotOptions robot;
  ExcitationRequest request;
  ParameterOptions parameters;
  std::string out;
};

void require_positive_option(const char* option, double value) {
  if (!(value > 0) || std::isinf(value))
    throw Error(fmt::format("{} {}: it must be a positive number", option, value));
}

std::string lua_rows(const Eigen::MatrixXd& rows) {
  std::string out;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const Eigen::VectorXd row = rows.row(i);
    out += fmt::format("    {{{}}},\n", fmt::join(row.begin(), row.end(), ", "));
  }
  return out;
}

// Returns a Lua module whose value is the argument of arm:trajectory("fourier", ..).
std::string lua_module(const Excitation& motion, const std::string& robot) {
  return fmt::format(
      "-- An exciting motion of {}, for arm:trajectory(\"fourier\", ..). Condition number {:.4g}.\n"
      "return {{\n  frequency = {},\n  center = {{{}}},\n  sine = {{\n{}  }},\n  cosine = "
      "{{\n{}  }},\n}}\n",
      robot, motion.condition, motion.frequency, fmt::join(motion.center, ", "),
      lua_rows(motion.sine), lua_rows(motion.cosine));
}

void print_peaks(const Model& model, const Excitation& motion) {
  const ExcitationSamples at = sample(model, motion, 2000);
  const std::vector<std::string> names = model.dof_names();
  const size_t n_v = size_t(model.n_v);
  for (size_t c = 0; c < n_v; ++c) {
    double velocity = 0, acceleration = 0;
    for (size_t k = c; k < at.v.size(); k += n_v) {
      velocity = std::max(velocity, std::abs(at.v[k]));
      acceleration = std::max(acceleration, std::abs(at.vdot[k]));
    }
    const char* unit = model.dof(int(c)).turns() ? "rad" : "m";
    fmt::print("    {:<24} {:.4g} {}/s, {:.4g} {}/s^2\n", names[c], velocity, unit, acceleration,
               unit);
  }
}

void run(const ExciteOptions& options) {
  const ExcitationRequest& request = options.request;
  require_positive_option("--frequency", request.frequency);
  require_positive_option("--range", request.range);
  if (request.velocity) require_positive_option("--velocity", *request.velocity);
  if (request.acceleration) require_positive_option("--acceleration", *request.acceleration);
  if (!options.out.empty()) require_writable(options.out);
  const GivenRobot robot = read_robot(options.robot, require_plugins({}));
  const Vec3<double> gravity_W =
      given_gravity(options.robot).value_or(robot.gravity_W.value_or(Vec3<double>{0, 0, -9.81}));
  const Excitation found =
      find_excitation(robot.model, gravity_W, options.parameters.choice(), request);
  const Model& model = *robot.model;
  fmt::print("motion       {} harmonics of {:g} Hz, period {:.6g} s, at rest at its ends\n",
             request.harmonics, request.frequency, 1 / request.frequency);
  fmt::print("condition    {:.4g}; random motions: {:.4g} (columns of norm 1)\n", found.condition,
             found.random_condition);
  if (found.torque_dof >= 0)
    fmt::print("torques      use {:.3g} of the limits, at {}\n", found.torque_use,
               model.dof_names()[size_t(found.torque_dof)]);
  fmt::print("peaks\n");
  print_peaks(model, found);
  if (options.out.empty()) return;
  write_file(options.out, lua_module(found, model.robots.front().name));
  print_message("wrote " + options.out);
}

}  // namespace

void add_excite_command(CLI::App& app) {
  const auto options = std::make_shared<ExciteOptions>();
  CLI::App* command =
      app.add_subcommand("excite", "Find a motion that excites a robot's parameters");
  add_robot_argument(*command, options->robot);
  ExcitationRequest& request = options->request;
  command->add_option("--harmonics", request.harmonics, "number of harmonics of each joint")
      ->check(number_between(2, 50))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--frequency", request.frequency, "frequency of the first harmonic, Hz")
      ->type_name("HZ")
      ->capture_default_str();
  command
      ->add_option("--range", request.range,
                   "largest distance from the center for joints without position limits, rad or m")
      ->type_name("X")
      ->capture_default_str();
  command
      ->add_option("--velocity", request.velocity,
                   "limit of all rates, rad/s or m/s, in addition to those of the joints")
      ->type_name("X");
  command
      ->add_option("--acceleration", request.acceleration,
                   "limit of all accelerations, rad/s^2 or m/s^2")
      ->type_name("X");
  command
      ->add_option("--evaluations", request.evaluations, "number of motions that the search tries")
      ->check(number_between(1, 1000000))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--seed", request.seed, "seed of the random motions")->type_name("N");
  add_parameter_options(*command, options->parameters);
  command
      ->add_option("--out", options->out, "Lua file to write, for arm:trajectory(\"fourier\", ..)")
      ->type_name("FILE");
  add_robot_options(*command, options->robot);
  add_allow_plugins_option(*command, options->robot.allow_plugins);
  command->footer(
      "The motion of each joint is a Fourier series that begins and ends at rest. It minimises the "
      "condition number of the base parameters' equations within the limits of the joints. It uses "
      "as much of the limits as its shape allows. The torques with the parameters of the model are "
      "within the limits of effort.\n"
      "Example: torsor excite scripts/robots/iiwa.lua --velocity 1.5 --acceleration 5 "
      "--evaluations 500 --out motion.lua");
  command->callback([options] { run(*options); });
}

}  // namespace torsor::cli
