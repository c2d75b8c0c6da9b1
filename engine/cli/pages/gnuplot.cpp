#include "torsor/cli/pages/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <iterator>
#include <limits>

#include "torsor/base/error.hpp"
#include "torsor/base/memory_file.hpp"
#include "torsor/base/open_file.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/base/text.hpp"

namespace torsor::cli {

namespace {

using Output = std::back_insert_iterator<std::string>;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

constexpr int width = 1000, row_height = 20;

// The palette of Okabe and Ito without yellow, which is suitable for colour-blind readers. Further
// curves use the same colours with dashed lines.
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#000000"};
constexpr size_t n_colours = std::size(colours);

void add_data(Output& script, const DrawnCurve& curve, size_t k) {
  fmt::format_to(script, "$c{} << EOD\n", k);
  for (const auto& [t, y] : curve.points)
    if (std::isfinite(y))
      fmt::format_to(script, "{} {}\n", t, y);
    else
      fmt::format_to(script, "{} NaN\n", t);  // NaN: gap in the curve
  fmt::format_to(script, "EOD\n");
}

// Returns the width in characters of the margin next to the panels. It is the same for all panels,
// so that their time axes are aligned.
size_t label_room(const std::vector<DrawnPanel>& panels) {
  size_t longest = 0;
  for (const DrawnPanel& panel : panels)
    for (const DrawnCurve& curve : panel.curves)
      if (panel.curves.size() > 1) longest = std::max(longest, curve.label.size());
  return longest > 0 ? longest + 8 : 3;
}

int height_of(const DrawnPanel& panel, size_t n_panels) {
  return std::max(n_panels > 1 ? 280 : 480, row_height * int(panel.curves.size()) + 80);
}

// Returns the gnuplot commands for the horizontal axis: its scale, and its range over all panels
// with the same axis. There is no range if all their points are at the same place.
std::string horizontal_axis(const std::vector<DrawnPanel>& panels, const HorizontalAxis& axis) {
  double first = std::numeric_limits<double>::infinity(), last = -first;
  for (const DrawnPanel& panel : panels)
    for (const DrawnCurve& curve : panel.curves)
      for (const auto& [x, y] : curve.points)
        if (panel.horizontal == axis) first = std::min(first, x), last = std::max(last, x);
  return fmt::format("{} logscale x\n", axis.logarithmic ? "set" : "unset") +
         (last > first ? fmt::format("set xrange [{}:{}]\n", first, last)
                       : std::string("set autoscale x\n"));
}

// Adds the commands for one panel. first: index of its first curve, counted over all panels.
void add_panel(Output& script, const DrawnPanel& panel, size_t first, bool lowest) {
  fmt::format_to(script, "set ylabel {}\nset xlabel {}\n", quoted_label(panel.axis),
                 lowest ? quoted_label(panel.horizontal.label) : "''");
  fmt::format_to(script, "set {}\nplot ", panel.curves.size() > 1 ? "key" : "nokey");
  for (size_t k = 0; k < panel.curves.size(); ++k)
    fmt::format_to(script, "{}$c{} with lines lw 1.5 lc rgb '{}' dt {} title {}", k ? ", " : "",
                   first + k, colours[k % n_colours], 1 + k / n_colours,
                   quoted_label(panel.curves[k].label));
  fmt::format_to(script, "\n");
}

std::string commands_of(const std::vector<DrawnPanel>& panels, size_t room) {
  std::string text;
  Output script(text);
  fmt::format_to(
      script,
      "set grid lt 1 lw 0.5 lc rgb '#d8d8d8'\nset key at graph 1.01, graph 1 left top vertical "
      "Left reverse samplen 2\n"
      "set lmargin 13\nset rmargin {}\nset tmargin 1\nset bmargin 4\nset multiplot layout {},1\n",
      room, panels.size());
  size_t curves = 0;
  for (const DrawnPanel& panel : panels)
    for (const DrawnCurve& curve : panel.curves) add_data(script, curve, curves++);
  curves = 0;
  for (const DrawnPanel& panel : panels) {
    text += horizontal_axis(panels, panel.horizontal);
    const bool lowest = &panel == &panels.back() || !((&panel)[1].horizontal == panel.horizontal);
    add_panel(script, panel, curves, lowest);
    curves += panel.curves.size();
  }
  fmt::format_to(script, "unset multiplot\n");
  return text;
}

// Opens a file in memory. Unlike a temporary file, it does not need space on a disk.
File memory_file() {
  OpenFile opened(open_memory_file("gnuplot", MemoryFile::data));
  File file(opened ? fdopen(opened.number(), "w+") : nullptr, std::fclose);
  if (!file) throw Error(fmt::format("gnuplot cannot be started: {}", std::strerror(errno)));
  opened.release();  // fclose() now closes the descriptor
  return file;
}

std::string text_of(std::FILE* file) {
  std::fseek(file, 0, SEEK_END);
  std::string text(size_t(std::ftell(file)), '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

// Resource limits of gnuplot for one picture. The largest pictures in the tests use a tenth of
// these limits.
constexpr rlim_t most_memory = 2ull << 30;          // limit of the address space, bytes
constexpr unsigned most_cpu = 60, most_wait = 120;  // limits of processor time and total time, s

// Returns the environment without language settings, so that gnuplot writes numbers with decimal
// points in every locale.
std::vector<std::string> neutral_environment() {
  std::vector<std::string> out;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("LC_") && !text.starts_with("LANG")) out.emplace_back(text);
  }
  out.emplace_back("LC_ALL=C");
  out.emplace_back("LC_NUMERIC=C");
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// Replaces the child process by gnuplot. parent: process id of this program. Uses only functions
// that are safe after fork().
[[noreturn]] void become_gnuplot(pid_t parent, char* const* arguments, char* const* environment,
                                 int in, int out, int errors, int failed) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // kill gnuplot if this program ends
  if (getppid() != parent) _exit(126);
  const rlimit memory{most_memory, most_memory}, cpu{most_cpu, most_cpu + 5};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CPU, &cpu);
  signal(SIGALRM, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  alarm(most_wait);  // the alarm stays set after exec
  dup2(in, 0), dup2(out, 1), dup2(errors, 2);
  execvpe(arguments[0], arguments, environment);
  const int error = errno;
  if (write(failed, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

// Returns a description of why gnuplot failed, from its exit status and its messages.
std::string failure_of_gnuplot(int status, std::string errors) {
  while (!errors.empty() && std::isspace(static_cast<unsigned char>(errors.back())))
    errors.pop_back();
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGXCPU || signal == SIGALRM)
      return fmt::format("it took more than {} s; draw fewer signals",
                         signal == SIGXCPU ? most_cpu : most_wait);
    return fmt::format("it was ended by signal {} ({}){}{}", signal, strsignal(signal),
                       errors.empty() ? "" : ": ", one_line(errors));
  }
  if (errors.find("out of memory") != errors.npos || errors.find("bad_alloc") != errors.npos)
    return fmt::format("it needs more than {} MiB of memory; draw fewer signals: {}",
                       most_memory >> 20, one_line(errors));
  return errors.empty() ? fmt::format("it ended with exit status {}", WEXITSTATUS(status))
                        : one_line(errors);
}

// Reads a pipe to its end. Returns false on a read error.
bool read_all(int pipe, std::string& out) {
  std::array<char, 1 << 16> part;
  for (;;) {
    const ssize_t n = read(pipe, part.data(), part.size());
    if (n == 0) return true;
    if (n > 0)
      out.append(part.data(), size_t(n));
    else if (errno != EINTR)
      return false;
  }
}

// Runs gnuplot on a script and returns the picture. No shell is involved. The picture is read
// through a pipe, because gnuplot does not report write errors.
std::string run_gnuplot(const std::string& script) {
  const File in = memory_file(), errors = memory_file(), failed = memory_file();
  if (std::fwrite(script.data(), 1, script.size(), in.get()) != script.size() ||
      std::fflush(in.get()) != 0)
    throw Error(fmt::format("gnuplot cannot be started: its script cannot be written: {}",
                            std::strerror(errno)));
  std::rewind(in.get());
  // -d: do not read start-up files
  std::vector<std::string> words{"gnuplot", "-d"}, settings = neutral_environment();
  const std::vector<char*> arguments = pointers(words), environment = pointers(settings);
  int picture_pipe[2];
  if (pipe2(picture_pipe, O_CLOEXEC) != 0)
    throw Error(fmt::format("gnuplot cannot be started: {}", std::strerror(errno)));
  const pid_t parent = getpid(), child = fork();
  const int fork_error = errno;
  if (child == 0)
    become_gnuplot(parent, arguments.data(), environment.data(), fileno(in.get()), picture_pipe[1],
                   fileno(errors.get()), fileno(failed.get()));
  close(picture_pipe[1]);
  std::string picture;
  const bool is_read = child > 0 && read_all(picture_pipe[0], picture);
  const int read_error = errno;
  close(picture_pipe[0]);
  if (child < 0)
    throw Error(fmt::format("gnuplot cannot be started: {}", std::strerror(fork_error)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (int error = 0; pread(fileno(failed.get()), &error, sizeof error, 0) == sizeof error) {
    if (error == ENOENT)
      throw Error("gnuplot, which draws the plots, is not installed: apt-get install gnuplot-nox");
    throw Error(fmt::format("gnuplot cannot be started: {}", std::strerror(error)));
  }
  if (status != 0)
    throw Error("gnuplot failed: " + failure_of_gnuplot(status, text_of(errors.get())));
  if (!is_read)
    throw Error(
        fmt::format("gnuplot failed: its picture cannot be read: {}", std::strerror(read_error)));
  return picture;
}

// Returns true if the picture is complete, that is, if it ends with "</svg>" or with the IEND chunk
// of a PNG file.
bool is_complete(std::string_view picture, bool svg) {
  constexpr std::string_view end_of_png("\0\0\0\0IEND\xae\x42\x60\x82", 12);
  if (!svg) return picture.ends_with(end_of_png);
  while (!picture.empty() && std::isspace(static_cast<unsigned char>(picture.back())))
    picture.remove_suffix(1);
  return picture.ends_with("</svg>");
}

}  // namespace

std::string quoted_label(const std::string& text) {
  std::string out = "'";
  for (const char c : one_line(text)) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

void require_picture(const char* option, const std::filesystem::path& out) {
  if (out.extension() != ".svg" && out.extension() != ".png")
    throw Error(fmt::format("{} '{}': a picture ends in .svg or .png", option, out.string()));
}

size_t points_of_each(size_t curves) {
  constexpr size_t in_all = 400000, least = 1000;
  return std::clamp(in_all / std::max<size_t>(1, curves), least, most_points);
}

DrawnCurve drawn_curve(const std::string& label, const Recording& recording, size_t column,
                       size_t points) {
  DrawnCurve out{label, {}};
  const size_t rows = recording.rows(), width = recording.columns.size(),
               step = rows > points ? (2 * rows - 1) / points + 1 : 1;
  const auto value = [&](size_t row) { return recording.values[row * width + column]; };
  const auto add = [&](size_t row) {
    out.points.emplace_back(recording.values[row * width], value(row));
  };
  for (size_t first = 0; first < rows; first += step) {
    size_t least = first, greatest = first;
    for (size_t row = first; row < std::min(first + step, rows); ++row) {
      if (value(row) < value(least)) least = row;
      if (!(value(row) <= value(greatest))) greatest = row;
    }
    add(std::min(least, greatest));
    if (least != greatest) add(std::max(least, greatest));
  }
  return out;
}

void draw(const Recording& recording, const std::vector<Panel>& panels,
          const std::filesystem::path& out) {
  size_t curves = 0;
  for (const Panel& panel : panels) curves += panel.curves.size();
  std::vector<DrawnPanel> drawn;
  for (const Panel& panel : panels) {
    DrawnPanel& made = drawn.emplace_back(DrawnPanel{panel.axis, {}});
    for (const Curve& curve : panel.curves)
      made.curves.push_back(
          drawn_curve(curve.label, recording, curve.column, points_of_each(curves)));
  }
  draw(drawn, out);
}

void draw(const std::vector<DrawnPanel>& panels, const std::filesystem::path& out) {
  int height = 0;
  for (const DrawnPanel& panel : panels) height = std::max(height, height_of(panel, panels.size()));
  const size_t room = label_room(panels);
  draw(commands_of(panels, room), width + 7 * int(room), height * int(panels.size()), out);
}

void draw(const std::string& commands, int picture_width, int height,
          const std::filesystem::path& out) {
  require_picture("--out", out);
  const bool svg = out.extension() == ".svg";
  require_writable(out);
  const std::string picture = run_gnuplot(
      fmt::format("set encoding utf8\nset terminal {} noenhanced size {},{} background '#ffffff' "
                  "font 'sans-serif,12'\n{}",
                  svg ? "svg" : "pngcairo", picture_width, height, commands));
  if (!is_complete(picture, svg))
    throw Error(fmt::format(
        "gnuplot failed: its picture for '{}' is incomplete, {}; run `gnuplot --version` to "
        "check the program",
        out.string(), counted(picture.size(), "byte")));
  write_file(out, picture);
}

}  // namespace torsor::cli
