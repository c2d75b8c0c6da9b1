// torsor_bench: what each quantity costs in each solver, beside other libraries in the same run.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bench/table.hpp"
#include "torsor/cli/plugin_paths.hpp"
#include "torsor/cli/say.hpp"

namespace torsor::bench {

namespace {

using cli::say;

struct Options {
  std::vector<std::string> robots = {"shipped", "chains", "trees"}, quantities, solvers;
  std::vector<std::filesystem::path> plugins;
  Settings settings;
};

std::vector<Work> chosen_works(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const Work work : all_works) known.emplace_back(name(work));
  std::vector<Work> chosen;
  for (const Work work : all_works)
    if (names.empty() || std::count(names.begin(), names.end(), name(work))) chosen.push_back(work);
  for (const std::string& text : names)
    if (!std::count(known.begin(), known.end(), text))
      throw Error(fmt::format("--quantity: there is no quantity '{}'{}; there are {}", text,
                              did_you_mean(text, known), fmt::join(known, ", ")));
  return chosen;
}

std::vector<std::string> chosen_solvers(const Registry& registry, const std::vector<std::string>& names) {
  std::vector<std::string> chosen;
  for (const std::string& text : names) chosen.push_back(registry.find_solver(text).id);
  if (names.empty())
    for (const PluginInfo& plugin : registry.plugins())
      if (plugin.id.starts_with("solver.")) chosen.push_back(plugin.id);
  return chosen;
}

void bench(Options options) {
  const Registry registry = cli::require_plugins(options.plugins);
  options.settings.works = chosen_works(options.quantities);
  options.settings.solvers = chosen_solvers(registry, options.solvers);
  const std::vector<Robot> robots = read_robots(options.robots);
  for (const Robot& robot : robots)
    for (const std::string& warning : robot.model->warnings) say(fmt::format("warning: {}", warning));
  std::vector<Result> results;
  for (const Robot& robot : robots) {
    say(fmt::format("measuring {} ({} of {})", robot.name, results.size() + 1, robots.size()));
    results.push_back(measure(robot, registry, options.settings));
    fmt::print("{}\n", table(results.back()));
    std::fflush(stdout);
  }
}

void add_options(CLI::App& app, Options& options) {
  app.add_option(
         "ROBOT", options.robots,
         "a .urdf or .lua file, shipped, chains, trees (generated, of 1 to 200 bodies), chain:N or tree:N")
      ->capture_default_str();
  app.add_option("--quantity", options.quantities, "what to measure, separated by commas; all where left out")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--solver", options.solvers, "solvers to measure, separated by commas; all where left out")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--repetitions", options.settings.repetitions, "whose median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--min-time", options.settings.min_time, "seconds that one repetition lasts at least")
      ->check(CLI::Range(1e-6, 10.0))
      ->capture_default_str();
  app.add_option("--slowest", options.settings.slowest, "seconds: a call that takes longer is not measured")
      ->check(CLI::Range(0.0, 60.0))
      ->capture_default_str();
  cli::add_plugins_option(app, options.plugins);
}

}  // namespace

}  // namespace torsor::bench

int main(int argc, char** argv) {
  using namespace torsor::bench;
  try {
    CLI::App app("Time the solvers on robots, beside other libraries where they are built in",
                 "torsor bench");
    Options options;
    add_options(app, options);
    CLI11_PARSE(app, argc, argv);
    char program[] = "torsor_bench", interleave[] = "--benchmark_enable_random_interleaving=true";
    char* arguments[] = {program, interleave, nullptr};
    int count = 2;
    benchmark::Initialize(&count, arguments);
    bench(options);
  } catch (const torsor::Error& error) {
    say(error.what());
    return 2;
  }
}
