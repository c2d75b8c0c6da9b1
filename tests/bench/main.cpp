// The program torsor_bench: measures the cost of each quantity for every solver and for other
// libraries, all in the same run.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <string_view>

#include "bench/abi.hpp"
#include "bench/contact/report.hpp"
#include "bench/json.hpp"
#include "bench/operations/report.hpp"
#include "bench/plot.hpp"
#include "bench/ratio_plot.hpp"
#include "bench/simbenchmark/measure.hpp"
#include "bench/step_costs.hpp"
#include "bench/study.hpp"
#include "bench/study_rates.hpp"
#include "bench/table.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/base/print_message.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/robot_file.hpp"
#include "torsor/cli/support/standard_output.hpp"
#include "torsor/loading/fault_report.hpp"

namespace torsor::bench {

namespace {

struct Options {
  std::vector<std::string> robots = {"shipped", "chains", "trees"}, quantities, solvers;
  std::vector<std::filesystem::path> plugins;
  std::filesystem::path plot;
  bool abi = false, operations = false, json = false, allow_plugins = false;
  bool simbenchmark = false;
  long long steps = 0, simulation = 0;
  int study = 0;
  simbenchmark::Limits limits;
  Settings settings;
};

// Names may contain bytes that are not UTF-8; JSON must not.
constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
constexpr int user_error = 2, check_failed = 1, internal_error = 1;

std::vector<Work> chosen_works(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const Work work : all_works) known.emplace_back(name(work));
  std::vector<Work> chosen;
  for (const Work work : all_works)
    if (names.empty() || std::count(names.begin(), names.end(), name(work))) chosen.push_back(work);
  for (const std::string& text : names)
    if (!std::count(known.begin(), known.end(), text))
      throw Error(fmt::format("--quantity: there is no quantity '{}'; there are {}{}", text,
                              fmt::join(known, ", "), did_you_mean(text, known)));
  return chosen;
}

// Returns the ids of the named solvers, or of all solvers for any robot if no name is given.
std::vector<std::string> chosen_solvers(const Registry& registry,
                                        const std::vector<std::string>& names) {
  std::vector<std::string> chosen;
  for (const std::string& text : names) chosen.push_back(registry.find<Solver>(text).id);
  if (names.empty())
    for (const PluginInfo& plugin : registry.plugins())
      if (plugin.kind() == Solver::kind && plugin.family.empty()) chosen.push_back(plugin.id);
  return chosen;
}

void print_line(const std::string& text) {
  fmt::print("{}\n", text);
  cli::flush_output();
}

// Returns the number of robots at the beginning of the list that are measured together. Generated
// robots of one family are measured together, because their growth is fitted. A robot from a file
// is measured alone.
size_t group_size(std::span<const Robot> robots) {
  const Family family = robots[0].family;
  if (family == Family::file) return 1;
  const auto other = [&](const Robot& robot) { return robot.family != family; };
  return size_t(std::find_if(robots.begin(), robots.end(), other) - robots.begin());
}

std::vector<Result> measure_all(std::span<const Robot> robots, const Registry& registry,
                                const Settings& settings, bool print_tables) {
  std::vector<Result> results;
  while (results.size() < robots.size()) {
    const std::span<const Robot> rest = robots.subspan(results.size());
    const std::span<const Robot> group = rest.first(group_size(rest));
    std::string names;
    for (const Robot& robot : group) names += fmt::format(" {}", robot.name);
    print_message(
        fmt::format("measuring{} ({} of {})", names, results.size() + group.size(), robots.size()));
    for (Result& result : measure(group, registry, settings)) {
      if (print_tables) print_line(table(result));
      results.push_back(std::move(result));
    }
  }
  return results;
}

// Returns the first fault of a subject and the number of faults, or "" if there is none.
std::string faults(const std::vector<Result>& results) {
  std::string first;
  size_t count = 0;
  for (const Result& result : results)
    for (const Row& row : result.rows)
      for (size_t c = 0; c < row.cells.size(); ++c)
        if (row.cells[c].is_fault && count++ == 0)
          first = fmt::format("{}: {} of {}: {}", result.robot.name, name(row.work),
                              result.columns[c].name, row.cells[c].reason);
  if (count > 1) first += fmt::format("; {} such faults in all", count);
  return first;
}

void print_abi_costs(const std::vector<Robot>& robots, const Registry& registry) {
  for (const Robot& robot : robots) {
    const AbiCost cost = abi_cost(robot, registry);
    const auto more = [&](double ns) { return 100 * (ns / cost.linked - 1); };
    print_line(fmt::format(
        "{}: inverse dynamics of newton_euler: linked in {:.1f} ns, through the plugin's table "
        "{:.1f} ns ({:+.1f} %), through the host {:.1f} ns ({:+.1f} %)",
        robot.name, cost.linked, cost.table, more(cost.table), cost.host, more(cost.host)));
  }
}

void print_operations(const Options& options, const std::vector<Robot>& robots,
                      const Registry& registry) {
  if (TORSOR_PORTABLE_BUILD)
    throw Error(
        "--operations: the portable build measures arithmetic of the oldest processor that it "
        "supports; use the preset 'release'");
  const Machine machine = measure_machine();
  std::vector<OperationsReport> reports;
  if (!options.json) print_line(machine_line(machine) + "\n");
  for (const Result& result :
       measure_all(robots, registry, operations_settings(options.settings), false)) {
    reports.push_back(operations_report(result, machine));
    if (!options.json) print_line(operations_table(reports.back()));
  }
  if (options.json) print_line(operations_json(reports, machine).dump(1, ' ', false, replace));
}

void print_summary(const std::vector<Result>& results) {
  if (const std::string text = growth_table(results); !text.empty()) print_line(text);
  if (const auto missing = missing_peers(); !missing.empty())
    print_line(fmt::format("not built in: {} (./torsor bench --peers installs them)",
                           fmt::join(missing, ", ")));
}

void measure_scenes(const Options& options, const Registry& registry) {
  std::vector<SceneReport> reports;
  for (const Scene& scene : read_scenes(options.robots, registry, options.allow_plugins)) {
    print_message(fmt::format("measuring {}", scene.name));
    reports.push_back(measure_scene(scene, options.steps, options.settings.repetitions));
    if (!options.json) print_line(text(reports.back()));
  }
  if (options.json)
    print_line(steps_json(reports, options.settings.repetitions).dump(1, ' ', false, replace));
  else if (const std::string piles = pile_table(reports); !piles.empty())
    print_line(piles);
}

void measure_studies(const Options& options, const Registry& registry) {
  if (options.robots == Options().robots)
    throw Error("--study measures scenes: give the files, such as scenes/chaos_ensemble.lua");
  std::vector<StudyTimes> rows;
  std::vector<StudyRates> rates;
  const Permission permission = cli::command_permission(options.allow_plugins);
  for (const std::string& scene : options.robots) {
    print_message(fmt::format("measuring {}", scene));
    rows.push_back(measure_study(scene, options.study, registry, permission));
    if (!options.json) rates.push_back(measure_rates(scene, options.study, registry, permission));
  }
  if (options.json) return print_line(study_json(rows).dump(1, ' ', false, replace));
  print_line(study_table(rows) + "\n\n" + rates_table(rates));
}

void measure_simulations(const Options& options, const Registry& registry) {
  if (options.robots == Options().robots)
    throw Error("--simulation measures scenes: give the files, robot files, chain:N or tree:N");
  std::vector<StepCosts> all;
  const Permission permission = cli::command_permission(options.allow_plugins);
  for (const std::string& scene : options.robots) {
    print_message(fmt::format("measuring {}", scene));
    all.push_back(measure_step_costs(scene, options.simulation, options.settings.repetitions,
                                     registry, permission));
    if (!options.json) print_line(step_costs_table(all.back()));
  }
  if (options.json) print_line(step_costs_json(all).dump(1, ' ', false, replace));
}

// Runs the named tasks of SimBenchmark, or all of them if no name is given.
void print_simbenchmark(const std::vector<std::string>& names, const simbenchmark::Limits& limits,
                        const Registry& registry) {
  std::vector<std::string> known;
  for (const simbenchmark::Task& task : simbenchmark::tasks()) known.push_back(task.name);
  for (const std::string& text : names)
    if (!std::count(known.begin(), known.end(), text))
      throw Error(fmt::format("--simbenchmark: there is no task '{}'; there are {}{}", text,
                              fmt::join(known, ", "), did_you_mean(text, known)));
  const SolverFactory make_solver = [&](std::shared_ptr<const Model> model) {
    return registry.solver("articulated_body", model);
  };
  for (const simbenchmark::Task& task : simbenchmark::tasks())
    if (names.empty() || std::count(names.begin(), names.end(), task.name))
      simbenchmark::print(task, make_solver, limits, print_line);
}

int bench(Options options) {
  const Registry registry = cli::require_plugins(options.plugins);
  if (options.simbenchmark) {
    const bool has_names = options.robots != Options().robots;
    print_simbenchmark(has_names ? options.robots : std::vector<std::string>(), options.limits,
                       registry);
    return 0;
  }
  if (options.study > 0) {
    measure_studies(options, registry);
    return 0;
  }
  if (options.simulation > 0) {
    measure_simulations(options, registry);
    return 0;
  }
  if (options.steps > 0) {
    measure_scenes(options, registry);
    return 0;
  }
  options.settings.works = chosen_works(options.quantities);
  options.settings.solvers = chosen_solvers(registry, options.solvers);
  const std::vector<Robot> robots = read_robots(options.robots, registry, options.allow_plugins);
  for (const Robot& robot : robots)
    for (const std::string& warning : robot.model->warnings)
      print_message(fmt::format("warning: {}", warning));
  if (options.abi) {
    print_abi_costs(robots, registry);
    return 0;
  }
  if (options.operations) {
    print_operations(options, robots, registry);
    return 0;
  }
  const auto is_generated = [](const Robot& robot) { return robot.family != Family::file; };
  const bool draws_growth = std::any_of(robots.begin(), robots.end(), is_generated);
  if (!options.plot.empty() && !draws_growth && peers().empty())
    throw Error("--plot draws cost against bodies: add chains or trees to the robots");
  if (!options.plot.empty() && options.plot.extension() != ".svg")
    throw Error(fmt::format("--plot '{}': the name must end in .svg", options.plot.string()));
  if (!options.plot.empty()) require_writable(options.plot);
  if (std::string_view(TORSOR_BUILD_TYPE) != "Release")
    print_message("warning: a build of type " TORSOR_BUILD_TYPE " says little about times");

  const std::vector<Result> results =
      measure_all(robots, registry, options.settings, !options.json);
  if (options.json)
    print_line(json(results, options.settings).dump(1, ' ', false, replace));
  else
    print_summary(results);
  if (!options.plot.empty())
    write_file(options.plot, draws_growth ? plot(results) : ratio_plot(results));
  const std::string fault = faults(results);
  if (!fault.empty()) print_message(fault);
  return fault.empty() ? 0 : check_failed;
}

void add_options(CLI::App& app, Options& options) {
  app.add_option("ROBOT", options.robots,
                 "robots: .urdf or .lua files, scenes with one robot, 'shipped' (the robots of "
                 "scripts/robots), 'chains' or 'trees' (generated, with 1 to 500 bodies), chain:N "
                 "or tree:N (with N bodies); by default, shipped chains trees");
  cli::add_names_option(app, "--quantity", options.quantities, "NAME,...",
                        "quantities to measure; by default, all");
  cli::add_names_option(app, "--solver", options.solvers, "ID,...",
                        "solver plugins to measure; by default, all that take any robot");
  app.add_option("--repetitions", options.settings.repetitions,
                 "number of repetitions; the median counts")
      ->check(cli::number_between(1, 1000))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--min-time", options.settings.min_time, "minimum duration of a repetition, s")
      ->check(cli::number_between(1e-6, 10))
      ->type_name("S")
      ->capture_default_str();
  app.add_option("--slowest", options.settings.slowest,
                 "duration above which a call is not measured, s")
      ->check(cli::number_between(0, 60))
      ->type_name("S")
      ->capture_default_str();
  app.add_flag("--abi", options.abi,
               "measure only the cost of the plugin interface: newton_euler as a plugin, against "
               "the same code linked into the program");
  app.add_flag("--operations", options.operations,
               "count the floating-point operations of the kernels and the longest chain of "
               "dependent ones, and compare the bounds that follow from the measured speed of this "
               "machine with the times of the solvers");
  app.add_option("--steps", options.steps,
                 "measure only N steps of the simulation of each ROBOT, which is then a scene, and "
                 "the errors of its closed loops or contacts; 'stacks' and 'walls' are piles of 5 "
                 "to 500 boxes, stacks:N and walls:N of N boxes")
      ->check(cli::number_between(1, 1e9))
      ->type_name("N");
  app.add_option(
         "--simulation", options.simulation,
         "measure only N steps of rk4 of each ROBOT, which is then a scene with one robot, a "
         "robot file, chain:N or tree:N, next to MuJoCo, and the cost of each boolean parameter of "
         "the "
         "scene, of recording, and of the other integrators")
      ->check(cli::number_between(1, 1e9))
      ->type_name("N");
  app.add_option("--study", options.study,
                 "measure only N samples of a study of each ROBOT, which is then a scene, next to "
                 "a loop in C++ that makes the same steps")
      ->check(cli::number_between(1, 1e6))
      ->type_name("N");
  app.add_flag("--simbenchmark", options.simbenchmark,
               "run only tasks of SimBenchmark, next to the published figures of other engines. "
               "ROBOT is then the name of a task; by default, all tasks");
  app.add_option(
         "--max-steps", options.limits.steps,
         "--simbenchmark: largest number of steps of a run. Longer runs are skipped, or end "
         "there if their task has no error")
      ->check(cli::number_between(1, 1e9))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--max-time", options.limits.seconds,
                 "--simbenchmark: processor time after which a run ends, s")
      ->check(cli::number_between(0, 1e9))
      ->type_name("S")
      ->capture_default_str();
  app.add_option(
         "--plot", options.plot,
         "picture to write, .svg: cost against bodies, of chains or trees; without them, the "
         "times relative to those of the fastest library")
      ->type_name("FILE");
  cli::add_plugins_option(app, options.plugins);
  cli::add_allow_plugins_option(app, options.allow_plugins);
  cli::add_json_flag(app, options.json);
  app.footer(
      "'total' is the time from q and v; 'solver only' is the time of the solver if the kinematics "
      "are already computed. * marks quantities that the solver does not provide and the host "
      "derives.\n"
      "Times are medians, in ns of processor time, over repetitions in random order. Values are "
      "compared before they are timed: a difference, or a solver that fails where the reference "
      "does not, is an error (exit status 1).\n"
      "With the launcher ./torsor, --peers installs MuJoCo, KDL and DART for comparison, "
      "--pinocchio FOLDER and --rbdl FOLDER build these libraries from their sources, and --preset "
      "portable measures the portable build.\n"
      "Example: torsor bench chain:2 chain:4 --quantity inverse_dynamics,mass_matrix --repetitions "
      "1 --min-time 0.001 --plot cost.svg");
}

int run(int argc, char** argv) {
  CLI::App app(
      "Measure the speed of solvers on robots, next to other libraries if they are built in",
      "torsor bench");
  cli::begin_command_line(app);
  Options options;
  add_options(app, options);
  cli::end_command_line(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    const int status = app.exit(request);  // prints the help page
    cli::flush_output();
    return status;
  } catch (const CLI::ParseError& error) {
    print_message(cli::explain(app, error));
    return user_error;
  }
  char program[] = "torsor_bench", interleave[] = "--benchmark_enable_random_interleaving=true";
  char* arguments[] = {program, interleave, nullptr};
  int count = 2;
  benchmark::Initialize(&count, arguments);
  const int status = bench(options);
  cli::flush_output();
  return status;
}

}  // namespace

}  // namespace torsor::bench

int main(int argc, char** argv) {
  using namespace torsor::bench;
  torsor::cli::open_standard_files();
  torsor::report_faults();
  try {
    return run(argc, argv);
  } catch (const torsor::Error& error) {
    torsor::print_message(error.what());
    return user_error;
  } catch (const std::exception& error) {
    torsor::print_message(fmt::format("internal error: {}", error.what()));
    return internal_error;
  }
}
