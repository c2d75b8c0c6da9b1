// torsor convert RUN OUT: writes a recording in another format.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "torsor/base/text.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/support/interrupt.hpp"
#include "torsor/cli/support/load_recording.hpp"

namespace torsor::cli {

namespace {

namespace fs = std::filesystem;

void convert(const fs::path& in, const fs::path& out) {
  const std::vector<fs::path> written = recording_files(out);
  require_recording(in);
  for (const fs::path& from : recording_files(in))
    for (const fs::path& to : written) {
      std::error_code ignored;
      if (fs::equivalent(from, to, ignored))
        throw Error(
            fmt::format("'{}' would replace its own source; give it another name", to.string()));
    }
  const Recording recording = load_recording(in);
  if (recording.description.empty())
    throw Error(fmt::format("'{}' is missing: it has the names of the signals and frames of '{}'",
                            recording_files(in).back().string(), in.string()));
  const Interruptible interruptible;
  const auto file = create_recording(out, recording.columns, recording.signals,
                                     recording.description, Replaces::when_closed);
  const size_t width = recording.columns.size();
  for (size_t k = 0; k < recording.rows(); ++k) {
    if (was_interrupted())
      throw Interrupted(fmt::format("interrupted; '{}' is as it was before", out.string()));
    file->write(std::span(recording.values).subspan(k * width, width));
  }
  file->close(recording.description);
  fmt::print("{}: {} of {}\n", out.string(), counted(recording.rows(), "row"),
             counted(recording.columns.size(), "column"));
}

}  // namespace

void add_convert_command(CLI::App& app) {
  struct Options {
    std::string in, out;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("convert", "Write a recording in another format");
  command
      ->add_option("RUN", options->in,
                   "recording, a .h5 file, or a .csv file with its .json file next to it")
      ->required();
  command
      ->add_option(
          "OUT", options->out,
          "recording to write, a .h5 file, or a .csv file, which gets a .json file next to it")
      ->required();
  command->footer(
      "Numbers and description do not change by a bit. The recording of a run that was killed is "
      "converted up to its last flush; converted to another .h5 file, it opens in every tool.\n"
      "Example: torsor convert recordings/iiwa_free_swing.h5 swing.csv");
  command->callback([options] { convert(options->in, options->out); });
}

}  // namespace torsor::cli
