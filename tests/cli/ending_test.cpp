// Tests that every command ends after SIGINT and SIGTERM, whatever it is doing. Also tests the
// files that remain.

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>

#include "cli/program.hpp"
#include "support/eventually.hpp"
#include "support/forked.hpp"
#include "support/rod_scene.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

// A running program in the folder of the test. The destructor kills it.
class Work {
 public:
  Work(const std::filesystem::path& folder, const std::vector<std::string>& words,
       bool reads_output = true)
      : folder_(folder) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    child_ = forked();
    if (child_ == 0) {
      setpgid(0, 0);
      if (chdir(folder.c_str()) != 0) _exit(126);
      setenv("XDG_DATA_HOME", (folder / "data").c_str(), 1);
      dup2(open("/dev/null", O_RDONLY), 0);
      dup2(reads_output ? open("out", O_WRONLY | O_CREAT | O_TRUNC, 0600) : ends[1], 1);
      dup2(open("err", O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
      std::vector<char*> argv{const_cast<char*>(TORSOR_PROGRAM)};
      for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
      argv.push_back(nullptr);
      execv(TORSOR_PROGRAM, argv.data());
      _exit(127);
    }
    // The child does the same. Whichever is first, its group exists before either continues.
    setpgid(child_, child_);
    ::close(ends[1]);
    unread_ = ends[0];
  }
  ~Work() {
    if (!has_ended()) {
      kill(-child_, SIGKILL);
      waitpid(child_, &status_, 0);
    }
    ::close(unread_);
  }
  Work(const Work&) = delete;

  bool has_ended() {
    if (!ended_ && waitpid(child_, &status_, WNOHANG) == child_) ended_ = true;
    return ended_;
  }
  // Waits until the condition is true. Returns false if the program ends first.
  bool wait_until(const std::function<bool()>& condition) {
    bool happened = false;
    (void)eventually([&] { return (happened = condition()) || has_ended(); });
    return happened;
  }
  // Stops the program where it is, until the next send(). Returns false if it has ended.
  bool pause() {
    if (has_ended()) return false;
    kill(child_, SIGSTOP);
    ended_ = waitpid(child_, &status_, WUNTRACED) == child_ && !WIFSTOPPED(status_);
    return !ended_;
  }
  // Sends a signal. A paused program receives it before it continues.
  void send(int signal) const {
    kill(child_, signal);
    kill(child_, SIGCONT);
  }
  // Sends a signal. Returns the time until the program ends, in s, or about a minute if it does not
  // end.
  double end_by(int signal) {
    const auto begin = Clock::now();
    send(signal);
    (void)eventually([&] { return has_ended(); });
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  int signal() const { return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0; }
  int exit_code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }

  std::string err() const { return text("err"); }
  bool has_said(const std::string& word) const { return err().find(word) != std::string::npos; }
  bool has_file(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  // Returns the number of bytes of a file, or 0 if there is none.
  uintmax_t size_of(const std::string& name) const {
    std::error_code missing;
    const uintmax_t size = std::filesystem::file_size(folder_ / name, missing);
    return missing ? 0 : size;
  }
  // Returns whether the program has used at least this much processor time, in s.
  bool has_worked(double seconds) const {
    std::istringstream stat(text(std::filesystem::path("/proc") / std::to_string(child_) / "stat"));
    std::string word;
    for (int k = 0; k < 13; ++k) stat >> word;
    double ticks = 0;
    stat >> ticks;
    return ticks / double(sysconf(_SC_CLK_TCK)) >= seconds;
  }
  std::set<pid_t> children() const {
    const std::string id = std::to_string(child_);
    std::ifstream list("/proc/" + id + "/task/" + id + "/children");
    return {std::istream_iterator<pid_t>(list), {}};
  }
  // Returns whether the pipe of its standard output is full.
  bool has_filled_pipe() const {
    int bytes = 0;
    return ioctl(unread_, FIONREAD, &bytes) == 0 && bytes >= 65536;
  }

 private:
  std::string text(const std::filesystem::path& name) const {
    std::ostringstream out;
    out << std::ifstream(folder_ / name).rdbuf();
    return out.str();
  }

  std::filesystem::path folder_;
  pid_t child_ = -1;
  int unread_ = -1, status_ = 0;
  bool ended_ = false;
};

// ---- the situations ----

const std::string chain = R"(
local torsor = require "torsor"
local p, n = torsor.params{ k = 1 }, 60
local arm = require("robots.planar").build{ n = n, name = "arm" }
local world = torsor.world{ gravity = {0, -9.81, 0} }
world:add(arm)
local function experiment(integrator, duration)
  return world:experiment{ solver = "newton_euler", integrator = integrator, duration = duration,
    record = { "arm.q", "arm.v", "arm.vdot", "arm.tau" }, record_interval = 1e-3 }
end
)";
const std::string long_run = chain + "return experiment({ 'rk4', dt = 1e-3 }, 1e3)";
const std::string short_run = chain + "return experiment({ 'rk4', dt = 1e-3 }, 1)";
const std::string longer_run = chain + "return experiment({ 'rk4', dt = 1e-3 }, 5)";
// Returns a scene whose first step needs 10^6 evaluations of 60 links and takes a minute.
std::string long_step(const std::string& integrator) {
  return chain + "return experiment({ '" + integrator + "', dt = 1e-3, max_step = 1e-9 }, 1)";
}
const std::string in_cpp = R"(
local d, q = arm:dynamics(), {}
for k = 1, n do q[k] = 0.1 * k end
print("ready")
while true do d:christoffel(q) end
)";
// A plan of 2500 steps, which the limit of a script's steps ends after about a second of processor
// time. Its memory is less than half of the limit of a script.
const std::string plans = R"(
local torsor = require "torsor"
local arm = require("robots.planar").build{ n = 12, name = "arm" }
local world = torsor.world{ gravity = {0, -9.81, 0} }
world:add(arm)
print("ready")
torsor.ilqr{ robot = arm, frame = "tip12", target = {3, 6, 0}, duration = 10, dt = 0.004,
  solver = "newton_euler", iterations = 100, tolerance = 1e-12 }
)";
// The scene of a study whose second sample never ends.
const std::string second_sample_is_slow = std::string(rod_in_world) + R"(
local p = torsor.params{ k = 1 }
return world:experiment{ solver = "newton_euler", integrator = { "rk4", dt = 1e-3 },
  duration = p.k == 2 and 1e6 or 0.01, record = { "arm.q" } }
)";
const std::string hinge = std::string(rod_in_world) + R"(
local p = torsor.params{ law = false, k = 1 }
if p.law then arm:control("breaking", {}) end
return world:experiment{ solver = "newton_euler", integrator = { "rk4", dt = 1e-3 }, duration = 0.1,
  record = { "arm.q" }, record_interval = 0.01 }
)";
const std::string endless_law = std::string(rod_in_world) + R"(
arm:apply{ tau = { hinge = function(t)
  while t > 0.05 do end
  return 0
end } }
return world:experiment{ solver = "newton_euler", integrator = { "rk4", dt = 1e-3 }, duration = 1,
  record = { "arm.q" }, record_interval = 0.01 }
)";

// The text of a file, written only when a test needs it. Some files are long, and every test of
// this program would write them at its start.
class Text {
 public:
  Text(std::string text) : make_([text = std::move(text)] { return text; }) {}
  Text(const char* text) : Text(std::string(text)) {}
  Text(std::function<std::string()> make) : make_(std::move(make)) {}
  std::string operator()() const { return make_(); }

 private:
  std::function<std::string()> make_;
};

std::string robot_text(int links) {
  std::string text = "<robot name='long'><link name='l0'/>\n";
  for (int k = 1; k <= links; ++k) {
    const std::string n = std::to_string(k), before = std::to_string(k - 1);
    text += "<link name='l" + n +
            "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' " +
            "ixz='0' iyz='0'/></inertial></link><joint name='j" + n +
            "' type='continuous'><parent link='l" + before + "'/><child link='l" + n +
            "'/><origin xyz='1 0 0'/><axis xyz='0 0 1'/></joint>\n";
  }
  return text + "</robot>";
}
Text robot_of(int links) {
  return std::function<std::string()>([links] { return robot_text(links); });
}
std::string states_text(int links, int states) {
  std::string zeros = "[0";
  for (int k = 1; k < links; ++k) zeros += ",0";
  const std::string state = "{\"q\":" + zeros + "],\"v\":" + zeros + "]}";
  std::string text = "{\"states\":[" + state;
  for (int k = 1; k < states; ++k) text += "," + state;
  return text + "]}";
}
Text states_of(int links, int states) {
  return std::function<std::string()>([links, states] { return states_text(links, states); });
}

struct Situation {
  std::string name;
  std::vector<std::string> words;
  std::function<bool(const Work&)> is_there;
  std::vector<std::pair<std::string, Text>> files = {};
  std::string breaks = "";               // value of BREAK_IN
  std::vector<std::string> before = {};  // arguments of a command that runs first
  bool reads_output = true;
};
bool ready(const Work& work) {
  return work.has_said("ready");
}
// Returns whether the program has computed for 0.2 s, most of it after "ready": an error of the
// next call would have ended it.
bool computes(const Work& work) {
  return ready(work) && work.has_worked(0.2);
}
bool busy(const Work& work) {
  return work.has_worked(0.3);
}
bool hangs(const Work& work) {
  return work.has_file("marker");
}
bool records(const Work& work) {
  return work.has_file("recordings/s.h5") && work.has_worked(0.2);
}
const std::string breaking_file = TEST_PLUGINS "breaking.so";

const std::vector<Situation> situations = {
    {"Start", {"run", "s.lua"}, [](const Work&) { return true; }, {{"s.lua", long_run}}},
    {"LuaLoopInAScene", {"run", "s.lua"}, ready, {{"s.lua", "print('ready') while true do end"}}},
    {"CppCalledByAScene", {"run", "s.lua"}, ready, {{"s.lua", chain + in_cpp}}},
    {"PlanInAScene", {"run", "s.lua"}, computes, {{"s.lua", plans}}},
    {"Run", {"run", "s.lua"}, records, {{"s.lua", long_run}}},
    {"StepOfDormandPrince", {"run", "s.lua"}, records, {{"s.lua", long_step("dormand_prince")}}},
    {"StepOfFehlberg", {"run", "s.lua"}, records, {{"s.lua", long_step("fehlberg")}}},
    {"StepOfDirk", {"run", "s.lua"}, records, {{"s.lua", long_step("dirk")}}},
    {"StepOfBdf", {"run", "s.lua"}, records, {{"s.lua", long_step("bdf")}}},
    {"LuaLoopInALaw", {"run", "s.lua"}, records, {{"s.lua", endless_law}}},
    {"StudyNominalRun",
     {"study", "s.lua", "--grid", "k=1,2"},
     [](const Work& work) { return work.has_worked(0.4); },
     {{"s.lua", long_run}}},
    {"StudyRun",
     {"study", "s.lua", "--grid", "k=1,2"},
     [](const Work& work) {
       return work.has_file("recordings/s-study.h5") && work.has_worked(0.4);
     },
     {{"s.lua", second_sample_is_slow}}},
    {"WatchRun", {"run", "s.lua", "--watch"}, records, {{"s.lua", long_run}}},
    {"WatchWaiting",
     {"run", "s.lua", "--watch"},
     [](const Work& work) { return work.has_said("waiting for"); },
     {{"s.lua", short_run}}},
    {"WatchLoading", {"run", "s.lua", "--watch"}, computes, {{"s.lua", plans}}},
    {"Compare", {"compare", "r.urdf", "--samples", "100000"}, busy, {{"r.urdf", robot_of(60)}}},
    {"Eval",
     {"eval", "r.urdf", "--states", "x.json", "--quantity", "coriolis_matrix"},
     busy,
     {{"r.urdf", robot_of(60)}, {"x.json", states_of(60, 5000)}}},
    {"Identify",
     {"identify", "recordings/s.h5"},
     busy,
     {{"s.lua", short_run}},
     "",
     {"run", "s.lua"}},
    {"GnuplotAtWork",
     {"plot", "recordings/s.h5", "--signals", "arm.q,arm.v,arm.vdot", "--out", "x.png"},
     [](const Work& work) { return !work.children().empty(); },
     {{"s.lua", short_run}},
     "",
     {"run", "s.lua"}},
    {"Convert",
     {"convert", "recordings/s.h5", "x.csv"},
     [](const Work& work) { return work.has_worked(0.02); },
     {{"s.lua", longer_run}},
     "",
     {"run", "s.lua"}},
    {"Trajectory",
     {"trajectory", "sinusoid", "r.urdf", "--parameter", "center=0,0,0", "--parameter",
      "amplitude=1,1,1", "--parameter", "frequency=1", "--duration", "5", "--samples", "1000000",
      "--csv", "x.csv"},
     busy,
     {{"r.urdf", robot_of(3)}}},
    {"Lint",
     {"lint", "r.urdf"},
     [](const Work& work) { return work.has_worked(0.1); },
     {{"r.urdf", robot_of(8000)}}},
    {"Validate",
     {"validate", breaking_file},
     [](const Work& work) { return !work.children().empty(); }},
    {"InverseKinematics",
     {"ik", "r.urdf", "--frame", "l60", "--position", "200,0,0", "--starts", "100000"},
     busy,
     {{"r.urdf", robot_of(60)}}},
    {"Inspect", {"inspect", "r.urdf", "--samples", "1000000"}, busy, {{"r.urdf", robot_of(60)}}},
    {"Explain", {"explain", "s.lua", "--time", "900"}, busy, {{"s.lua", long_run}}},
    {"PluginHangsInARun",
     {"run", "s.lua", "--set", "law=true", "--plugins", breaking_file},
     hangs,
     {{"s.lua", hinge}},
     "evaluate loop"},
    {"PluginHangsInCompare",
     {"compare", "s.lua", "--plugins", breaking_file},
     hangs,
     {{"s.lua", hinge}},
     "prepare loop"},
    {"PluginHangsWhenLoaded",
     {"run", "s.lua", "--plugins", breaking_file},
     hangs,
     {{"s.lua", hinge}},
     "torsor_plugin_entry loop"},
    {"FullPipe",
     {"eval", "r.urdf", "--states", "x.json"},
     [](const Work& work) { return work.has_filled_pipe(); },
     {{"r.urdf", robot_of(20)}, {"x.json", states_of(20, 200)}},
     "",
     {},
     false},
};

class EndingProgram : public Program {
 protected:
  // Starts the program. Returns it as soon as it is in the situation, and pauses it there.
  //
  // The limit of a script's steps ends a script after a few tenths of a second. On a busy machine,
  // it may end before this process sees the situation. The program is then started again.
  std::unique_ptr<Work> begin(const Situation& situation) {
    for (const auto& [name, text] : situation.files) file(name, text());
    if (!situation.before.empty()) {
      EXPECT_EQ(torsor(situation.before).exit_code, 0);
    }
    setenv("BREAK_MARKER", (folder_ / "marker").c_str(), 1);
    setenv("BREAK_IN", situation.breaks.c_str(), 1);
    std::unique_ptr<Work> work;
    bool is_there = true, is_paused = false;
    for (int attempt = 0; attempt < 10 && is_there && !is_paused; ++attempt) {
      std::filesystem::remove(folder_ / "err");
      work = std::make_unique<Work>(folder_, situation.words, situation.reads_output);
      is_there = work->wait_until([&] { return situation.is_there(*work); });
      is_paused = is_there && work->pause();
    }
    unsetenv("BREAK_IN");
    unsetenv("BREAK_MARKER");
    EXPECT_TRUE(is_paused) << situation.name << " ended by itself: " << work->err();
    return work;
  }
  const Situation& situation(const std::string& name) const {
    return *std::ranges::find(situations, name, &Situation::name);
  }
  // Converts the recording to CSV. Returns its rows without the header.
  std::vector<std::string> rows() {
    EXPECT_EQ(torsor({"convert", "recordings/s.h5", "copy.csv"}).exit_code, 0);
    std::istringstream text(read("copy.csv"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    EXPECT_FALSE(lines.empty());
    lines.erase(lines.begin());
    return lines;
  }
};

// All situations, with SIGINT and SIGTERM in turn. The program handles both in the same way;
// EndingProgram.DISABLED_Table sends both in each situation.
std::vector<std::pair<Situation, int>> situations_and_signals() {
  std::vector<std::pair<Situation, int>> out;
  for (size_t k = 0; k < situations.size(); ++k)
    out.emplace_back(situations[k], k % 2 ? SIGTERM : SIGINT);
  return out;
}

class Ending : public EndingProgram,
               public testing::WithParamInterface<std::pair<Situation, int>> {};

// Checks a generous bound of 5 s, because a busy machine may schedule the program late.
// EndingProgram.DISABLED_Table measures the times.
TEST_P(Ending, AnswersASignal) {
  const auto& [situation, signal] = GetParam();
  const auto work = begin(situation);
  EXPECT_LT(work->end_by(signal), 5);
  if (situation.name == "WatchWaiting")
    EXPECT_EQ(work->exit_code(), 0);
  else
    EXPECT_EQ(work->signal(), signal) << work->err();
}

INSTANTIATE_TEST_SUITE_P(All, Ending, testing::ValuesIn(situations_and_signals()),
                         [](const auto& test) {
                           return test.param.first.name +
                                  (test.param.second == SIGINT ? "Int" : "Term");
                         });

TEST_F(EndingProgram, AnInterruptedRunKeepsAllRows) {
  Situation run = situation("Run");
  run.is_there = [](const Work& work) { return work.size_of("recordings/s.h5") > 500'000; };
  const auto work = begin(run);
  work->end_by(SIGINT);
  const std::vector<std::string> all = rows();
  EXPECT_GT(all.size(), 2u);
  const double last = std::stod(all.back());
  EXPECT_EQ(all.size(), size_t(std::lround(last / 1e-3)) + 1);
  EXPECT_TRUE(work->has_said(
      fmt::format("interrupted at t = {:g} s; the recording up to this time is kept", last)))
      << work->err();
  EXPECT_THAT(read("copy.json"), HasSubstr("\"error\": \"interrupted\""));
}

TEST_F(EndingProgram, AnInterruptedConversionLeavesTheOlderFile) {
  const Situation& convert = situation("Convert");
  file("x.csv", "older");
  file("x.json", "older description");
  for (const char* out : {"x.csv", "x.h5"}) {
    Situation here = convert;
    here.words[2] = out;
    here.is_there = [&](const Work& work) { return work.has_file(std::string(out) + ".part"); };
    const auto work = begin(here);
    work->end_by(SIGINT);
    EXPECT_EQ(work->err(), fmt::format("torsor: interrupted; '{}' is as it was before\n", out));
    EXPECT_FALSE(work->has_file(std::string(out) + ".part"));
  }
  EXPECT_EQ(read("x.csv"), "older");
  EXPECT_EQ(read("x.json"), "older description");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.h5"));
}

TEST_F(EndingProgram, NamesThePluginThatDidNotReturn) {
  const auto work = begin(situation("PluginHangsInARun"));
  work->end_by(SIGINT);
  EXPECT_EQ(work->err(),
            "torsor: interrupted; plugin 'controller.breaking' did not return from evaluate; the "
            "recording can be read up to its last flush\n");
  EXPECT_THAT(read("recordings/s.h5").size(), testing::Gt(0u));
  EXPECT_THAT(torsor({"info", "recordings/s.h5"}).exit_code, 0);
}

TEST_F(EndingProgram, ASecondSignalEndsAtOnce) {
  const auto work = begin(situation("PluginHangsInARun"));
  work->send(SIGINT);
  work->end_by(SIGTERM);
  EXPECT_NE(work->signal(), 0);
  EXPECT_TRUE(work->has_said(
      "torsor: interrupted twice; plugin 'controller.breaking' did not return from "))
      << work->err();
}

TEST_F(EndingProgram, AnInterruptedStudyPrintsWhatIsDone) {
  const auto work = begin(situation("StudyRun"));
  work->end_by(SIGINT);
  EXPECT_TRUE(work->has_said("interrupted; 1 of 2 samples are kept, and --resume continues"))
      << work->err();
  EXPECT_THAT(read("out"), HasSubstr("samples      1 of 2\n"));
}

TEST_F(EndingProgram, GnuplotEndsWithTheProgramThatStartedIt) {
  const auto work = begin(situation("GnuplotAtWork"));
  const std::set<pid_t> children = work->children();
  ASSERT_FALSE(children.empty());
  work->end_by(SIGKILL);
  for (const pid_t child : children)
    EXPECT_TRUE(eventually([&] {
      std::ifstream stat(fmt::format("/proc/{}/stat", child));
      std::string id, name, state;
      return !(stat >> id >> name >> state) || state == "Z";
    }));
}

// Prints the time from each signal to the end of the program, and checks that the longest is below
// 0.5 s. Runs with ctest -L slow.
TEST_F(EndingProgram, DISABLED_Table) {
  double longest = 0;
  for (const Situation& each : situations) {
    std::printf("%-24s", each.name.c_str());
    for (const int signal : {SIGINT, SIGTERM}) {
      std::filesystem::remove_all(folder_);
      std::filesystem::create_directories(folder_);
      const double seconds = begin(each)->end_by(signal);
      longest = std::max(longest, seconds);
      std::printf("  %s %.3f s", signal == SIGINT ? "SIGINT" : "SIGTERM", seconds);
    }
    std::printf("\n");
  }
  EXPECT_LT(longest, 0.5);
}

}  // namespace
}  // namespace torsor::test
