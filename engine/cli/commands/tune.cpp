// torsor tune SCENE: finds the values of parameters at which an outcome is smallest or largest.

#include <CLI/CLI.hpp>

#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/tune/tune_options.hpp"
#include "torsor/study/sampling/design.hpp"
#include "torsor/study/tuning/search.hpp"

namespace torsor::cli {

namespace {

void add_goal_options(CLI::App& command, TuneOptions& options) {
  command.add_option("--minimise", options.minimise, "outcome to minimise")->type_name("OUTCOME");
  command.add_option("--maximise", options.maximise, "outcome to maximise")->type_name("OUTCOME");
  add_names_option(command, "--over", options.request.over, "NAME,...",
                   "parameters to tune; each has a distribution, which is its range")
      ->required();
  command
      .add_option("--samples", options.request.samples,
                  "number of samples of each point, with values of the other distributions; 1: "
                  "nominal values")
      ->check(number_between(1, 1e6))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--statistic", options.request.statistic,
                  "statistic of the samples to optimise: mean, median, worst, or a quantile such "
                  "as q95")
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--design", options.request.design, "design of the samples of each point")
      ->check(one_of(design_names()))
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option("--seed", options.request.seed, "seed of the samples and of the starting points")
      ->check(number_between(0, 0x1p53))
      ->type_name("N")
      ->capture_default_str();
}

void add_search_options(CLI::App& command, TuneOptions& options) {
  command
      .add_option("--method", options.request.method,
                  "search without derivatives: nelder_mead, sbplx, bobyqa or cobyla")
      ->check(one_of(search_methods()))
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option("--starts", options.request.starts,
                  "number of searches that run at the same time; the first starts at the nominal "
                  "values")
      ->check(number_between(1, 256))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--evaluations", options.request.evaluations,
                  "largest number of points of each search")
      ->check(number_between(1, 1e6))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--tolerance", options.request.tolerance,
                  "a search ends when its steps are below this part of each range")
      ->check(number_between(1e-12, 0.5))
      ->type_name("X")
      ->capture_default_str();
}

}  // namespace

void add_tune_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "tune", "Find the values of parameters at which an outcome of a scene is smallest");
  const auto options = std::make_shared<TuneOptions>();
  command
      ->add_option("SCENE", options->scene.scene, "scene, a .lua file that returns an experiment")
      ->required();
  add_goal_options(*command, *options);
  add_search_options(*command, *options);
  add_table_options(*command, options->table, "SCENE-tune.h5");
  command->add_option("--plot", options->plot, "picture of the history to write, .svg or .png")
      ->type_name("FILE");
  add_scene_options(*command, options->scene);
  command->footer(
      "The points are the samples of a study: study show, study export and run --sample read the "
      "table. Prints each search, the best point, and the command that repeats it. "
      "docs/studies.md describes the searches.\n"
      "Example: torsor tune scenes/payload_robustness.lua --minimise rms_error --over "
      "law --samples 8 --statistic worst");
  command->callback([=] {
    options->scene.permission = command_permission(options->scene.allow_plugins);
    run_tune(*options);
  });
}

}  // namespace torsor::cli
