// torsor convert RUN OUT: writes a recording in another format.

#include <fmt/format.h>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "torsor/cli/command.hpp"
#include "torsor/cli/load_recording.hpp"
#include "torsor/model/text.hpp"
#include "torsor/simulation/recording_lock.hpp"

namespace torsor::cli {

namespace {

// Returns the description that OUT has until all rows are written.
std::string not_yet_complete(const std::string& description) {
  auto json = nlohmann::ordered_json::parse(description);
  json["complete"] = false;
  json["error"] = "the program ended before it had converted all rows";
  return json.dump(1) + "\n";
}

namespace fs = std::filesystem;

// A recording that takes its final name when it is complete, so that a failure or a signal leaves the
// older one. Until then its name is NAME.PROCESS.part.h5, or .csv and .json.
class Conversion {
 public:
  // Removes what earlier conversions to this path left when they were ended. Throws RecordingInUse if
  // another program writes the recording.
  explicit Conversion(const fs::path& out) : out_(out), part_(out) {
    part_.replace_extension(fmt::format(".{}.part{}", getpid(), out.extension().string()));
    remove_leftovers();
    if (fs::exists(out)) lock_.emplace(out);
  }
  ~Conversion() { remove(part_); }
  Conversion(const Conversion&) = delete;

  void write(const Recording& recording) {
    const auto file = create_recording(part_, recording.columns, recording.signals,
                                       not_yet_complete(recording.description));
    const size_t width = recording.columns.size();
    for (size_t k = 0; k < recording.rows(); ++k)
      file->write(std::span(recording.values).subspan(k * width, width));
    file->close(recording.description);
  }
  void commit() const {
    const std::vector<fs::path> from = recording_files(part_), to = recording_files(out_);
    for (size_t k = 0; k < to.size(); ++k) fs::rename(from[k], to[k]);
  }
  // Returns a message with the name that the user knows.
  std::string with_final_name(std::string message) const {
    if (const size_t at = message.find(part_.string()); at != message.npos)
      message.replace(at, part_.string().size(), out_.string());
    return message;
  }

 private:
  static void remove(const fs::path& recording) {
    std::error_code ignored;
    for (const fs::path& file : recording_files(recording)) fs::remove(file, ignored);
  }
  void remove_leftovers() const {
    const std::string begin = out_.stem().string() + ".", end = ".part" + out_.extension().string();
    std::error_code failed;
    for (fs::directory_iterator each(out_.has_parent_path() ? out_.parent_path() : ".", failed), last;
         !failed && each != last; each.increment(failed)) {
      const std::string name = each->path().filename().string();
      if (!name.starts_with(begin) || !name.ends_with(end)) continue;
      try {
        const RecordingLock unused(each->path());
        remove(each->path());
      } catch (const Error&) {  // it is being written
      }
    }
  }

  fs::path out_, part_;
  std::optional<RecordingLock> lock_;  // of the recording that will be replaced
};

void convert(const fs::path& in, const fs::path& out) {
  const std::vector<fs::path> written = recording_files(out);
  require_recording(in);
  for (const fs::path& from : recording_files(in))
    for (const fs::path& to : written) {
      std::error_code ignored;
      if (fs::equivalent(from, to, ignored))
        throw Error(fmt::format("'{}' would replace its own source; give it another name", to.string()));
    }
  const Recording recording = load_recording(in);
  if (recording.description.empty())
    throw Error(fmt::format("'{}' is missing: it has the names of the signals and frames of '{}'",
                            recording_files(in).back().string(), in.string()));
  Conversion conversion(out);
  try {
    conversion.write(recording);
    conversion.commit();
  } catch (const Error& error) {
    throw Error(conversion.with_final_name(error.what()));
  }
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
      ->add_option("RUN", options->in, "recording, a .h5 file, or a .csv file with its .json file next to it")
      ->required();
  command
      ->add_option("OUT", options->out,
                   "recording to write, a .h5 file, or a .csv file, which gets a .json file next to it")
      ->required();
  command->footer(
      "Numbers and description do not change by a bit. The recording of a run that was killed is "
      "converted up to its last flush; converted to another .h5 file, it opens in every tool.\n"
      "Example: torsor convert recordings/iiwa_free_swing.h5 swing.csv");
  command->callback([options] { convert(options->in, options->out); });
}

}  // namespace torsor::cli
