// torsor generate ROBOT...: writes the equations of a robot as a program, and builds a solver from
// them.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "torsor/base/error.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/robot_file.hpp"
#include "torsor/symbolic/latex.hpp"
#include "torsor/symbolic/solver_build.hpp"
#include "torsor/symbolic/solver_source.hpp"

namespace torsor::cli {
namespace {

namespace fs = std::filesystem;
using symbolic::GeneratedCode, symbolic::GeneratedFunction;

struct GenerateOptions {
  RobotOptions robot;  // options of all robots
  std::vector<std::string> files;
  std::vector<std::string> quantities;
  std::string language = "c", inertias = "numeric", name;
  std::vector<std::string> wrenches, frames;  // names of links and of frames
  bool symbolic_lengths = false, omit_zeros = false, friction = false, springs = false;
  bool count = false;
  bool no_solver = false;
  fs::path folder = "generated";
};

constexpr const char* latex_name = "latex";

const symbolic::Language& language(const std::string& name) {
  for (const symbolic::Language& each : symbolic::languages())
    if (each.name == name) return each;
  return symbolic::languages().front();  // the option accepts only known names
}

symbolic::CodeOptions code_options(const GenerateOptions& options, const GivenRobot& robot) {
  symbolic::CodeOptions out;
  out.name = options.name;
  if (out.name.empty()) out.name = robot.model->robots.front().name;
  out.quantities = options.quantities;
  out.symbols.inertias = options.inertias == "standard"  ? symbolic::Inertias::standard
                         : options.inertias == "base"    ? symbolic::Inertias::base
                         : options.inertias == "central" ? symbolic::Inertias::central
                                                         : symbolic::Inertias::numeric;
  out.symbols.symbolic_geometry = options.symbolic_lengths;
  out.symbols.omit_zeros = options.omit_zeros;
  for (const std::string& link : options.wrenches) {
    const Frame& frame = robot.model->frames[size_t(robot.model->frame(link))];
    if (frame.body == 0)
      throw Error(fmt::format("--wrenches {}: the link is fixed in the world", link));
    out.symbols.wrenches.push_back(frame.body);
  }
  out.symbols.friction = options.friction;
  out.symbols.springs = options.springs;
  for (const std::string& frame : options.frames)
    out.symbols.frames.push_back(robot.model->frame(frame));
  out.gravity_W =
      given_gravity(options.robot).value_or(robot.gravity_W.value_or(Vec3<double>{0, 0, -9.81}));
  return out;
}

// robot: name in the first column, or "" for a table of one robot.
void print_counts(const std::string& robot, const std::vector<GeneratedFunction>& functions) {
  for (const auto& [quantity, count] : functions)
    fmt::print("{}{:31} {:15} {:10} {:10} {:10}\n", robot, quantity->name, count.multiplications,
               count.additions, count.divisions, count.sines_cosines);
}
void print_count_heading(size_t robot_width) {
  fmt::print("{:{}}{:31} {:>15} {:>10} {:>10} {:>10}\n", "", robot_width, "", "multiplications",
             "additions", "divisions", "sin, cos");
}

// Quantities that a solver can offer, among those requested.
std::vector<std::string> offered(const std::vector<std::string>& quantities) {
  std::vector<std::string> out;
  for (const std::string& name : symbolic::solver_quantities())
    if (std::find(quantities.begin(), quantities.end(), name) != quantities.end())
      out.push_back(name);
  return out;
}

void build_solver(const GenerateOptions& options, const symbolic::CodeOptions& code,
                  const std::shared_ptr<const Model>& model) {
  const std::vector<std::string> quantities = offered(code.quantities);
  if (!symbolic::is_solver(quantities)) {
    fmt::print("solver     none: it needs inverse_dynamics or forward_dynamics\n");
    return;
  }
  const GeneratedCode source =
      symbolic::solver_source(model, {code.name, quantities, code.gravity_W});
  const fs::path plugin =
      symbolic::compile_solver(source.text, code.name + "_solver", options.folder);
  fmt::print("solver     {} in {}\n", symbolic::solver_id(code.name), plugin.string());
  std::string robot = options.robot.file;
  for (const std::string& setting : options.robot.settings) robot += " --set " + setting;
  if (options.robot.floating_base) robot += " --floating-base";
  fmt::print("next       torsor compare {} --plugins {}\n", robot, plugin.string());
}

// Prints a table with the counts of each robot.
void count_robots(GenerateOptions options) {
  const auto registry = find_plugins({});
  constexpr size_t width = 16;
  print_count_heading(width);
  for (const std::string& file : options.files) {
    options.robot.file = file;
    const GivenRobot robot = read_robot(options.robot, registry);
    const symbolic::CodeOptions code = code_options(options, robot);
    print_counts(fmt::format("{:{}}", code.name.substr(0, width - 1), width),
                 generate_code(robot.model, code, symbolic::languages().front()).functions);
  }
}

void generate_robot(GenerateOptions options) {
  options.robot.file = options.files.front();
  const auto registry = find_plugins({});
  const GivenRobot robot = read_robot(options.robot, registry);
  const symbolic::CodeOptions code = code_options(options, robot);
  if (options.language == latex_name) {
    const fs::path file = options.folder / (code.name + ".tex");
    make_folder(options.folder);
    write_file(file, symbolic::latex_document(robot.model, code));
    fmt::print("{:10} {}\n", "LaTeX", file.string());
    return;
  }
  const symbolic::Language& into = language(options.language);
  const GeneratedCode made = generate_code(robot.model, code, into);
  print_count_heading(0);
  print_counts("", made.functions);
  make_folder(options.folder);
  const fs::path file = options.folder / (code.name + into.extension);
  write_file(file, made.text);
  fmt::print("{:10} {}\n", into.title, file.string());
  if (options.language == "c" && !options.no_solver) build_solver(options, code, robot.model);
}

void run(const GenerateOptions& options) {
  if (options.count) return count_robots(options);
  if (options.files.size() > 1)
    throw Error(fmt::format("{} robots are given; give one, or add --count to compare their counts",
                            options.files.size()));
  generate_robot(options);
}

}  // namespace

void add_generate_command(CLI::App& app) {
  const auto options = std::make_shared<GenerateOptions>();
  options->quantities = {"inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity", "bias"};
  CLI::App* command = app.add_subcommand(
      "generate", "Write the equations of a robot as a program, and build a solver from them");
  add_robots_argument(*command, options->files);
  std::vector<std::string> quantities, names;
  for (const auto& row : symbolic::formula_rows()) quantities.emplace_back(row.name);
  for (const auto& row : symbolic::languages()) names.emplace_back(row.name);
  names.emplace_back(latex_name);
  add_names_option(*command, "--quantity", options->quantities, "NAME,...",
                   "quantities to generate; by default inverse_dynamics, forward_dynamics, "
                   "mass_matrix, gravity and bias");
  command
      ->add_option("--language", options->language,
                   "language of the program: c, lua, numpy, cuda or latex")
      ->type_name("NAME")
      ->check(one_of(names));
  command
      ->add_option(
          "--inertias", options->inertias,
          "masses and inertias: their numbers, or symbols for the standard, base or central "
          "parameters; central is mass, centre of mass and the inertia about it")
      ->type_name("WHICH")
      ->check(one_of({"numeric", "standard", "base", "central"}));
  command->add_flag("--symbolic-lengths", options->symbolic_lengths,
                    "use symbols for gravity and for lengths and angles of the links");
  command->add_flag("--omit-zeros", options->omit_zeros,
                    "no symbols for parameters that are 0 in the robot");
  add_names_option(*command, "--wrenches", options->wrenches, "LINK,...",
                   "links on whose bodies external wrenches act");
  command->add_flag("--with-friction", options->friction,
                    "include viscous and Coulomb friction of the joints");
  command->add_flag("--with-springs", options->springs, "include the springs of the joints");
  add_names_option(*command, "--frame", options->frames, "NAME,...",
                   "frames of poses and jacobians; by default, those of all links that move");
  command
      ->add_option("--name", options->name, "prefix of the functions; by default the robot's name")
      ->type_name("NAME");
  command->add_option("--folder", options->folder, "folder to write to; by default, generated")
      ->type_name("FOLDER");
  command->add_flag("--count", options->count,
                    "print the numbers of operations only, of one robot or of several");
  command->add_flag("--no-solver", options->no_solver, "do not build a solver plugin");
  add_robot_options(*command, options->robot);
  add_allow_plugins_option(*command, options->robot.allow_plugins);
  command->footer("Quantities: " + fmt::format("{}", fmt::join(quantities, ", ")) +
                  ".\nExample: torsor generate scripts/robots/rx90.lua --inertias base --count");
  command->callback([options] { run(*options); });
}

}  // namespace torsor::cli
