// torsor study SCENE: runs a scene many times and writes a table of outcomes. torsor study merge
// and torsor study export work on such tables.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "torsor/base/text.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/run_settings.hpp"
#include "torsor/cli/study/study_options.hpp"
#include "torsor/cli/study/study_pictures.hpp"
#include "torsor/cli/study/study_ranks.hpp"
#include "torsor/cli/study/study_show.hpp"
#include "torsor/study/sampling/design.hpp"
#include "torsor/study/table/merge.hpp"

namespace torsor::cli {

namespace {

void add_sample_options(CLI::App& command, StudyOptions& options) {
  command.add_option("--samples", options.samples, "number of samples of the distributions")
      ->check(number_between(1, 0x1p52))
      ->type_name("N");
  command
      .add_option("--grid", options.grid,
                  "values of a parameter: a list, or a range FROM:TO:COUNT; may be repeated: every "
                  "combination is a sample")
      ->type_name("NAME=VALUE,...");
  command
      .add_option("--from", options.from,
                  "CSV table of parameter values, with their names in the first line; each row is "
                  "a sample")
      ->type_name("FILE");
  command
      .add_option("--design", options.design,
                  "design of the samples: random, latin, sobol, or saltelli for "
                  "sensitivity indices")
      ->check(one_of(design_names()))
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--seed", options.seed, "seed of the random numbers")
      ->check(number_between(0, 0x1p53))
      ->type_name("N")
      ->capture_default_str();
}

void add_part_options(CLI::App& command, StudyOptions& options) {
  command
      .add_option("--shard", options.shard,
                  "run only a part of the samples: number I of N parts, for N machines")
      ->type_name("I/N");
  command
      .add_option("--keep", options.keep,
                  "recordings to write to FOLDER: all, none, or worst:N, the N samples with the "
                  "largest values of an outcome")
      ->type_name("WHICH")
      ->capture_default_str();
  command.add_option("--by", options.by, "outcome that decides which samples are the worst")
      ->type_name("NAME");
}

struct MergeOptions {
  std::vector<std::filesystem::path> tables;
  std::string out, csv;
};

CLI::App* add_merge_command(CLI::App& study, MergeOptions& options) {
  CLI::App* merge = study.add_subcommand("merge", "Merge the tables of shards into one");
  merge->add_option("STUDY", options.tables, "tables of one study, such as its shards")->required();
  merge->add_option("--out", options.out, "table to write, .h5")->type_name("FILE")->required();
  merge->footer("Example: torsor study merge recordings/chaos_ensemble-study.h5 --out all.h5");
  return merge;
}

CLI::App* add_export_command(CLI::App& study, MergeOptions& options) {
  CLI::App* exporter = study.add_subcommand("export", "Write the table of a study as CSV");
  exporter->add_option("STUDY", options.tables, "table of a study")->required()->expected(1);
  exporter->add_option("--csv", options.csv, "CSV file to write")->type_name("FILE")->required();
  exporter->footer(
      "Example: torsor study export recordings/chaos_ensemble-study.h5 --csv chaos.csv");
  return exporter;
}

CLI::App* add_show_command(CLI::App& study, ShowOptions& options) {
  CLI::App* show = study.add_subcommand(
      "show", "Print the quantiles, failure rate, correlations and sensitivities of a study");
  show->add_option("STUDY", options.table, "table of a study")->required();
  add_names_option(*show, "--outcomes", options.outcomes, "NAME,...",
                   "outcomes to show; by default, all");
  show->add_flag("--json", options.json, "print JSON instead of text");
  show->add_option("--plot", options.plot, "picture to write, .svg or .png")->type_name("FILE");
  show->add_option("--picture", options.picture,
                   "what --plot draws: histograms, scatter (each pair of columns), or bands "
                   "(quantiles of the outcomes over the parameters)")
      ->check(one_of(picture_names()))
      ->type_name("KIND")
      ->capture_default_str();
  show->footer(
      "Sensitivities are Sobol indices, of studies with --design saltelli.\n"
      "Example: torsor study show recordings/chaos_ensemble-study.h5 --plot chaos.svg");
  return show;
}

void merge_tables(const MergeOptions& options) {
  if (std::filesystem::path(options.out).extension() != ".h5")
    throw Error(fmt::format("--out {}: the name of a study ends in .h5", options.out));
  for (const std::filesystem::path& table : options.tables) {
    std::error_code ignored;
    if (std::filesystem::equivalent(table, options.out, ignored))
      throw Error(fmt::format("--out {}: it is one of the tables to merge", options.out));
  }
  const uint64_t missing = merge_studies(options.tables, options.out);
  const StudyReader merged(options.out);
  fmt::print("samples      {} of {}\n", merged.layout().samples - missing, merged.layout().samples);
  fmt::print("results      {:016x}\n", study_hash(merged));
  fmt::print("table        {}\n", options.out);
  if (missing > 0)
    throw CheckFailed(fmt::format("{} {} no result; torsor study --resume continues the table",
                                  counted(missing, "sample"), missing == 1 ? "has" : "have"));
}

}  // namespace

void add_study_command(CLI::App& app, StudyRanks* ranks) {
  CLI::App* command = app.add_subcommand(
      "study", "Run a scene many times on all cores, and write a table of outcomes");
  const auto options = std::make_shared<StudyOptions>();
  const auto tables = std::make_shared<MergeOptions>();
  const auto shown = std::make_shared<ShowOptions>();
  command->add_option("SCENE", options->scene, "scene, a .lua file that returns an experiment");
  add_sample_options(*command, *options);
  add_table_options(*command, options->table, "SCENE-study.h5");
  add_part_options(*command, *options);
  add_scene_options(*command, options->scene);
  command->footer(
      "Without --samples, --grid and --from, every combination of the values is a sample, if each "
      "distribution of the scene has finitely many. Prints the number of samples with each status, "
      "and one line for each kind of failure with the command that repeats it. docs/studies.md "
      "describes the table.\n"
      "Example: torsor study scenes/chaos_ensemble.lua --samples 100\n"
      "Example: torsor study scenes/payload_robustness.lua --grid payload=0,2,4");
  CLI::App* merge = add_merge_command(*command, *tables);
  CLI::App* exporter = add_export_command(*command, *tables);
  CLI::App* show = add_show_command(*command, *shown);
  command->callback([=] {
    const bool is_other_rank = ranks && ranks->rank() > 0;
    if (is_other_rank && !command->get_subcommands().empty()) return;
    if (show->parsed()) return show_study(*shown);
    if (merge->parsed()) return merge_tables(*tables);
    if (exporter->parsed()) return export_csv(StudyReader(tables->tables.at(0)), tables->csv);
    if (options->scene.scene.empty())
      throw Error("study: SCENE is missing; give a .lua file that returns an experiment");
    options->scene.permission = command_permission(options->scene.allow_plugins);
    run_study(*options, ranks);
  });
}

}  // namespace torsor::cli
