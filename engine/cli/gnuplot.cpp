#include "torsor/cli/gnuplot.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>

#include "torsor/model/text.hpp"
#include "torsor/simulation/output_file.hpp"

extern char** environ;

namespace torsor::cli {

namespace {

using Script = std::back_insert_iterator<std::string>;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

constexpr size_t most_points = 4000;  // of a curve: more than a picture is wide
constexpr int width = 1000, row_height = 20;

// Okabe and Ito's colours, which the colour-blind can tell apart, without yellow; then again with dashes.
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#000000"};
constexpr size_t n_colours = std::size(colours);

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : one_line(text)) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

void add_point(Script& script, const Recording& recording, size_t row, size_t column) {
  const double* values = &recording.values[row * recording.columns.size()];
  if (std::isfinite(values[column]))
    fmt::format_to(script, "{} {}\n", values[0], values[column]);
  else
    fmt::format_to(script, "{} NaN\n", values[0]);  // a gap
}

// All rows, or where they are many the least and the greatest of every few, in the order in which they come.
void add_data(Script& script, const Recording& recording, size_t column) {
  const size_t rows = recording.rows(), step = rows > most_points ? (2 * rows - 1) / most_points + 1 : 1;
  const auto value = [&](size_t row) { return recording.values[row * recording.columns.size() + column]; };
  fmt::format_to(script, "$c{} << EOD\n", column);
  for (size_t first = 0; first < rows; first += step) {
    size_t least = first, greatest = first;
    for (size_t row = first; row < std::min(first + step, rows); ++row) {
      if (value(row) < value(least)) least = row;
      if (!(value(row) <= value(greatest))) greatest = row;
    }
    add_point(script, recording, std::min(least, greatest), column);
    if (least != greatest) add_point(script, recording, std::max(least, greatest), column);
  }
  fmt::format_to(script, "EOD\n");
}

// Room beside the panels for the longest label, in characters, so that all have the same time axis.
size_t label_room(const std::vector<Panel>& panels) {
  size_t longest = 0;
  for (const Panel& panel : panels)
    for (const Curve& curve : panel.curves)
      if (panel.curves.size() > 1) longest = std::max(longest, curve.label.size());
  return longest > 0 ? longest + 8 : 3;
}

int height_of(const Panel& panel, size_t n_panels) {
  return std::max(n_panels > 1 ? 280 : 480, row_height * int(panel.curves.size()) + 80);
}

void add_panel(Script& script, const Panel& panel, bool lowest) {
  fmt::format_to(script, "set ylabel {}\nset xlabel {}\n", quoted(panel.axis), lowest ? "'time [s]'" : "''");
  fmt::format_to(script, "set {}\nplot ", panel.curves.size() > 1 ? "key" : "nokey");
  for (size_t k = 0; k < panel.curves.size(); ++k)
    fmt::format_to(script, "{}$c{} with lines lw 1.5 lc rgb '{}' dt {} title {}", k ? ", " : "",
                   panel.curves[k].column, colours[k % n_colours], 1 + k / n_colours,
                   quoted(panel.curves[k].label));
  fmt::format_to(script, "\n");
}

std::string script_of(const Recording& recording, const std::vector<Panel>& panels, const char* terminal) {
  std::string text;
  Script script(text);
  int height = 0;
  for (const Panel& panel : panels) height = std::max(height, height_of(panel, panels.size()));
  const size_t room = label_room(panels);
  fmt::format_to(script, "set terminal {} noenhanced size {},{} background '#ffffff' font 'sans-serif,12'\n",
                 terminal, width + 7 * room, height * int(panels.size()));
  fmt::format_to(script,
                 "set grid lt 1 lw 0.5 lc rgb '#d8d8d8'\nset key at graph 1.01, graph 1 left top vertical "
                 "Left reverse samplen 2\n"
                 "set lmargin 13\nset rmargin {}\nset tmargin 1\nset bmargin 4\nset multiplot layout {},1\n",
                 room, panels.size());
  double first = recording.values[0], last = first;
  for (size_t k = 0; k < recording.values.size(); k += recording.columns.size())
    first = std::min(first, recording.values[k]), last = std::max(last, recording.values[k]);
  if (last > first) fmt::format_to(script, "set xrange [{}:{}]\n", first, last);
  for (const Panel& panel : panels)
    for (const Curve& curve : panel.curves) add_data(script, recording, curve.column);
  for (const Panel& panel : panels) add_panel(script, panel, &panel == &panels.back());
  fmt::format_to(script, "unset multiplot\n");
  return text;
}

File checked(File file, const std::filesystem::path& path) {
  if (!file) cannot_write(path, std::strerror(errno));
  return file;
}

std::string text_of(std::FILE* file) {
  std::string text(size_t(std::ftell(file)), '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

// Runs gnuplot on the script; out receives what it draws. Nothing of it passes through a shell.
void run_gnuplot(const std::string& script, std::FILE* out) {
  const File in = checked({std::tmpfile(), std::fclose}, "temporary file"),
             said = checked({std::tmpfile(), std::fclose}, "temporary file");
  if (std::fwrite(script.data(), 1, script.size(), in.get()) != script.size() || std::fflush(in.get()) != 0)
    cannot_write("temporary file", std::strerror(errno));
  std::rewind(in.get());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), 0);
  posix_spawn_file_actions_adddup2(&actions, fileno(out), 1);
  posix_spawn_file_actions_adddup2(&actions, fileno(said.get()), 2);
  std::string name = "gnuplot", defaults = "-d";  // without the user's own settings
  char* const argv[] = {name.data(), defaults.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT)
    throw Error("gnuplot, which draws the plots, is not installed: apt-get install gnuplot-nox");
  if (error) throw Error(fmt::format("gnuplot cannot be started: {}", std::strerror(error)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::fseek(said.get(), 0, SEEK_END);
  if (status != 0) throw Error(fmt::format("gnuplot failed: {}", text_of(said.get())));
}

}  // namespace

void require_picture(const char* option, const std::filesystem::path& out) {
  if (out.extension() != ".svg" && out.extension() != ".png")
    throw Error(fmt::format("{} '{}': a picture ends in .svg or .png", option, out.string()));
}

void draw(const Recording& recording, const std::vector<Panel>& panels, const std::filesystem::path& out) {
  require_picture("--out", out);
  const bool svg = out.extension() == ".svg";
  make_folder(out.parent_path());
  std::filesystem::path part = out;
  part += ".part";
  try {
    File file = checked({std::fopen(part.c_str(), "w"), std::fclose}, part);
    run_gnuplot(script_of(recording, panels, svg ? "svg" : "pngcairo"), file.get());
    std::filesystem::rename(part, out);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw;
  }
}

}  // namespace torsor::cli
