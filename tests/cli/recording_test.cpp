// Tests of torsor convert, torsor plot and torsor info, and of the recordings of runs that ended
// early.

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

// A scene of two swinging links. The names of the joints are difficult to handle in a shell or in a
// picture.
constexpr const char* arm_scene = R"lua(
local torsor = require "torsor"
local p = torsor.params{ duration = 0.5 }
local arm = torsor.robot{ name = "arm" }
local function link(name, parent, joint, x)
  arm:link{ name = name, parent = parent, origin = { xyz = {x, 0, 0} },
    joint = { "revolute", name = joint, axis = {0, 0, 1} },
    inertia = { mass = 1, com = {0.5, 0, 0}, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = 0.1 } } }
end
link("upper", nil, "a_1", 0)
link("tip", "upper", "it's <b> & $(touch escaped)", 1)
arm:set{
  q = { 0.5, 0.2 }
}
local world = torsor.world {
  gravity = { 0, -9.81, 0 }
}
world:add(arm)
return world:experiment{ solver = "articulated_body", integrator = { "rk4", dt = 1e-3 }, duration = p.duration,
  record = { "arm.q", "arm.v", "arm.pose.tip", "arm.twist.tip", "energy" } }
)lua";

class RecordingCommands : public Program {
 protected:
  // Runs the scene. Its recording is recordings/arm.h5 or recordings/arm.csv.
  void record(const std::string& format = "h5") {
    const Output run = torsor({"run", file("arm.lua", arm_scene), "--format", format});
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  bool has_h5dump() { return run("h5dump", {"--version"}).exit_code == 0; }
  static int count(const std::string& text, const std::string& part) {
    int n = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
  }
  static std::vector<std::string> texts(const std::string& svg) {
    const std::string open = "<text>", close = "</text>";
    std::vector<std::string> found;
    for (size_t at = svg.find(open); at != std::string::npos; at = svg.find(open, at + 1))
      found.push_back(svg.substr(at + open.size(), svg.find(close, at) - at - open.size()));
    return found;
  }
};

TEST_F(RecordingCommands, ConvertIsExactBothWays) {
  record("h5");
  record("csv");
  const Output to_csv = torsor({"convert", "recordings/arm.h5", "a/b.csv"});
  EXPECT_EQ(to_csv.exit_code, 0) << to_csv.err;
  EXPECT_EQ(to_csv.out, "a/b.csv: 501 rows of 31 columns\n");
  EXPECT_EQ(read("a/b.csv"), read("recordings/arm.csv"));
  EXPECT_EQ(read("a/b.json"), read("recordings/arm.json"));
  EXPECT_EQ(torsor({"convert", "recordings/arm.csv", "a/b.h5"}).exit_code, 0);
  EXPECT_TRUE(read("a/b.h5") == read("recordings/arm.h5"));
}

TEST_F(RecordingCommands, Hdf5ContainsUnitsFramesAndOrder) {
  if (!has_h5dump()) GTEST_SKIP() << "h5dump is not installed";
  record();
  const auto attribute = [&](const std::string& name) {
    return run("h5dump", {"-a", name, "recordings/arm.h5"}).out;
  };
  EXPECT_THAT(attribute("/arm.q/columns"),
              AllOf(HasSubstr("\"arm.q.a_1\""), HasSubstr("touch escaped")));
  EXPECT_THAT(attribute("/arm.v/units"), HasSubstr("\"rad/s\", \"rad/s\""));
  EXPECT_THAT(attribute("/arm.twist.tip/frames"), HasSubstr("\"tip\", \"tip\""));
  EXPECT_THAT(attribute("/arm.twist.tip/six_vector_order"), HasSubstr("angular part first"));
  EXPECT_THAT(attribute("/arm.pose.tip/quaternion_order"), HasSubstr("w, x, y, z"));
  EXPECT_THAT(attribute("/energy/units"), HasSubstr("\"J\""));
  const std::string header = run("h5dump", {"-H", "recordings/arm.h5"}).out;
  EXPECT_THAT(header, AllOf(HasSubstr("( 501, 2 ) / ( H5S_UNLIMITED, 2 )"),
                            HasSubstr("( 501 ) / ( H5S_UNLIMITED )")));
}

TEST_F(RecordingCommands, ARunThatIsKilledCanBeRead) {
  const std::string scene = file("arm.lua", arm_scene);
  kill_at(2000000, "recordings/arm.h5", {"run", scene, "--set", "duration=100000"});
  const Output convert = torsor({"convert", "recordings/arm.h5", "whole.csv"});
  EXPECT_EQ(convert.exit_code, 0) << convert.err;
  EXPECT_THAT(convert.err, AllOf(HasSubstr("warning: 'recordings/arm.h5' is not complete"),
                                 HasSubstr("the program ended before the run did")));
  const std::string rows = read("whole.csv");
  EXPECT_GT(std::ranges::count(rows, '\n'), 5000);
  // Compares the rows with those of a complete run.
  ASSERT_EQ(torsor({"run", scene, "--set", "duration=5", "--folder", "five", "--format", "csv"})
                .exit_code,
            0);
  const std::string five = read("five/arm.csv");
  EXPECT_TRUE(rows.starts_with(five));
  EXPECT_EQ(
      torsor({"plot", "recordings/arm.h5", "--signals", "energy", "--out", "a.svg"}).exit_code, 0);
  if (!has_h5dump()) GTEST_SKIP() << "h5dump is not installed";
  EXPECT_EQ(run("h5clear", {"-s", "recordings/arm.h5"}).exit_code, 0);
  EXPECT_THAT(run("h5dump", {"-d", "/time", "-s", "4999", "-c", "1", "recordings/arm.h5"}).out,
              HasSubstr("(4999): 4.999"));
}

TEST_F(RecordingCommands, ACsvRunThatIsKilledHasItsRows) {
  const std::string scene = file("arm.lua", arm_scene);
  kill_at(500000, "recordings/arm.csv",
          {"run", scene, "--format", "csv", "--set", "duration=100000"});
  const Output convert = torsor({"convert", "recordings/arm.csv", "whole.h5"});
  EXPECT_EQ(convert.exit_code, 0) << convert.err;
  EXPECT_THAT(convert.err, HasSubstr("the program ended before the run did"));
}

TEST_F(RecordingCommands, AFullDiskIsReportedInOneLine) {
  const std::string scene = file("arm.lua", arm_scene);
  for (const char* format : {"h5", "csv"}) {
    const Output limited = run(
        "bash",
        {"-c", limit_of_file_size() + "exec \"$0\" run \"$1\" --set duration=1000 --format \"$2\"",
         TORSOR_PROGRAM, scene, format});
    EXPECT_EQ(limited.exit_code, 2);
    EXPECT_EQ(std::ranges::count(limited.err, '\n'), 1) << limited.err;
    EXPECT_THAT(limited.err, AllOf(HasSubstr("cannot write"), HasSubstr("too large")));
    const Output info = torsor({"info", std::string("recordings/arm.") + format, "--json"});
    const size_t rows = nlohmann::json::parse(info.out)["rows"];
    EXPECT_THAT(limited.err, HasSubstr("it has " + std::to_string(rows) + " rows up to t = "));
    EXPECT_THAT(limited.err, Not(HasSubstr("the recording up to there is in")));
  }
  const Output convert = torsor({"convert", "recordings/arm.h5", "part.csv"});
  EXPECT_EQ(convert.exit_code, 0) << convert.err;
  EXPECT_THAT(convert.err, HasSubstr("too large"));
  EXPECT_GT(std::ranges::count(read("part.csv"), '\n'), 2000);
  const Output other = torsor({"convert", "recordings/arm.csv", "part.h5"});
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_THAT(other.err, HasSubstr("too large"));
}

TEST_F(RecordingCommands, PlotDrawsEveryCurveWithItsUnit) {
  record();
  const Output plot = torsor(
      {"plot", "recordings/arm.h5", "--signals", "arm.q,energy.kinetic", "--out", "p/a.svg"});
  EXPECT_EQ(plot.exit_code, 0) << plot.err;
  EXPECT_EQ(plot.err, "");
  EXPECT_EQ(plot.out, "p/a.svg: 3 curves of 501 rows\n");
  const std::string svg = read("p/a.svg");
  EXPECT_EQ(count(svg, "id=\"gnuplot_plot_"), 3);
  EXPECT_THAT(texts(svg), IsSupersetOf({"time [s]", "arm.q [rad]", "energy.kinetic [J]", "a_1",
                                        "it's &lt;b> &amp; $(touch escaped)"}));
  EXPECT_THAT(written(), ElementsAre("p/a.svg", "recordings/arm.h5"));
}

TEST_F(RecordingCommands, PlotDrawsACurveAloneAndManyTogether) {
  record("csv");
  ASSERT_EQ(torsor({"plot", "recordings/arm.csv", "--signals", "arm.q.a_1", "--out", "one.svg"})
                .exit_code,
            0);
  EXPECT_EQ(count(read("one.svg"), "id=\"gnuplot_plot_"), 1);
  EXPECT_THAT(texts(read("one.svg")), testing::Contains("arm.q.a_1 [rad]"));
  ASSERT_EQ(
      torsor({"plot", "recordings/arm.csv", "--signals", "arm,arm.q,energy", "--out", "all.svg"})
          .exit_code,
      0);
  EXPECT_EQ(count(read("all.svg"), "id=\"gnuplot_plot_"), 30) << "each once";
  ASSERT_EQ(
      torsor({"plot", "recordings/arm.csv", "--signals", "arm.v", "--out", "v.png"}).exit_code, 0);
  EXPECT_TRUE(read("v.png").starts_with("\x89PNG"));
}

TEST_F(RecordingCommands, SignalsThatCannotBePlottedAreReported) {
  record();
  const auto refused = [&](const std::vector<std::string>& arguments,
                           const std::vector<std::string>& said) {
    const Output plot = torsor(arguments);
    EXPECT_EQ(plot.exit_code, 2);
    EXPECT_EQ(plot.out, "");
    EXPECT_EQ(std::ranges::count(plot.err, '\n'), 1) << plot.err;
    for (const std::string& words : said) EXPECT_THAT(plot.err, HasSubstr(words));
  };
  const std::string h5 = "recordings/arm.h5";
  refused({"plot", h5, "--signals", "arm.qq", "--out", "a.svg"},
          {"no signal 'arm.qq'", "did you mean 'arm.q'", "arm.twist.tip"});
  refused({"plot", h5, "--signals", "arm.q.a_2", "--out", "a.svg"}, {"did you mean 'arm.q.a_1'"});
  refused({"plot", h5, "--signals", "arm.q", "--out", "a.pdf"}, {"ends in .svg or .png"});
  refused({"plot", "nowhere.h5", "--signals", "q", "--out", "a.pdf"}, {"ends in .svg or .png"});
  refused({"plot", h5, "--signals", "arm.q", "--out", "/proc/nowhere/a.svg"}, {"cannot write"});
  refused({"plot", h5, "--signals", "arm.q"}, {"--out"});
  refused({"plot", file("bad.h5", "no HDF5"), "--signals", "arm.q", "--out", "a.svg"},
          {"bad.h5: not a recording: not an HDF5 file"});
  refused({"plot", file("bad.csv", "time [s]\n0,1\n"), "--signals", "q", "--out", "a.svg"},
          {"bad.csv:2:"});
  refused({"plot", file("empty.csv", "time [s],q [rad]\n"), "--signals", "q", "--out", "a.svg"},
          {"nothing to plot"});
  EXPECT_THAT(written(), ElementsAre(h5));
  const Output without = run(
      "env", {"PATH=/nowhere", TORSOR_PROGRAM, "plot", h5, "--signals", "arm.q", "--out", "a.svg"});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, HasSubstr("apt-get install gnuplot-nox"));
  EXPECT_THAT(written(), ElementsAre(h5));
}

// Fixture that runs torsor plot with a shell script in place of gnuplot.
class FakeGnuplot : public RecordingCommands {
 protected:
  Output plot(const std::string& script) {
    file("bin/gnuplot", "#!/bin/bash\n" + script);
    std::filesystem::permissions(folder_ / "bin/gnuplot", std::filesystem::perms::owner_all);
    return run("env", {"PATH=" + (folder_ / "bin").string() + ":/usr/bin:/bin",
                       "LC_ALL=de_DE.UTF-8", "LANG=de_DE", TORSOR_PROGRAM, "plot",
                       "recordings/arm.h5", "--signals", "arm.q", "--out", "a.svg"});
  }
};

TEST_F(FakeGnuplot, HasLimitsAndNoLocale) {
  record();
  const Output limits = plot(
      "echo \"limit $(ulimit -v) time $(ulimit -t) locale $LC_ALL $LC_NUMERIC lang '$LANG'\" >&2; "
      "exit 3");
  EXPECT_EQ(limits.exit_code, 2);
  EXPECT_EQ(limits.err, "torsor: gnuplot failed: limit 2097152 time 60 locale C C lang ''\n");
}

TEST_F(FakeGnuplot, AFailureIsReportedWithItsReason) {
  record();
  const std::pair<const char*, const char*> failures[] = {
      {"kill -XCPU $$", "gnuplot failed: it took more than 60 s; draw fewer signals"},
      {"kill -ALRM $$", "gnuplot failed: it took more than 120 s; draw fewer signals"},
      {"echo lost >&2; kill -SEGV $$",
       "gnuplot failed: it was ended by signal 11 (Segmentation fault): lost"},
      {"echo 'out of memory for x' >&2; exit 1",
       "gnuplot failed: it needs more than 2048 MiB of memory; draw fewer signals: out of memory "
       "for x"},
      {"exit 4", "gnuplot failed: it ended with exit status 4"}};
  for (const auto& [script, message] : failures) {
    const Output output = plot(script);
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_EQ(output.err, std::string("torsor: ") + message + "\n");
  }
  EXPECT_THAT(written(), ElementsAre("recordings/arm.h5"));
}

TEST_F(RecordingCommands, InfoListsTheContents) {
  record("h5");
  record("csv");
  const Output info = torsor({"info", "recordings/arm.h5"});
  ASSERT_EQ(info.exit_code, 0) << info.err;
  EXPECT_THAT(info.out,
              AllOf(HasSubstr("recording    recordings/arm.h5\n"), HasSubstr("complete     yes\n"),
                    HasSubstr("arm.lua, run by torsor "),
                    HasSubstr("solver       solver.articulated_body "),
                    HasSubstr("rk4 at dt = 0.001 s"), HasSubstr("parameters   duration = 0.5\n"),
                    HasSubstr("rows         501, t = 0 s to 0.5 s"),
                    testing::ContainsRegex("arm.pose.tip +m, 1 +world +7 +x y z qw qx qy qz\n"),
                    testing::ContainsRegex("energy +J +13 +kinetic potential elastic")));
  EXPECT_THAT(torsor({"info", "recordings/arm.csv"}).out, HasSubstr("arm.twist.tip"));
  const auto h5 = nlohmann::json::parse(torsor({"info", "recordings/arm.h5", "--json"}).out);
  auto csv = nlohmann::json::parse(torsor({"info", "recordings/arm.csv", "--json"}).out);
  EXPECT_EQ(h5["rows"], 501);
  EXPECT_EQ(h5["last_time"], 0.5);
  EXPECT_EQ(h5["parameters"]["duration"], 0.5);
  EXPECT_EQ(h5["signals"].size(), 5u);
  EXPECT_EQ(h5["signals"][2]["columns"][0],
            (nlohmann::json{{"name", "arm.pose.tip.x"}, {"unit", "m"}, {"frame", "world"}}));
  csv["recording"] = h5["recording"];
  EXPECT_EQ(csv, h5) << "the same in both formats";
  // A CSV file that was measured on a real robot has no description.
  const Output measured =
      torsor({"info", file("rows.csv", "time [s],r.q.a [rad],r.q.b [rad]\n0,1,2\n0.1,2,3\n")});
  EXPECT_EQ(measured.exit_code, 0) << measured.err;
  EXPECT_THAT(measured.out, AllOf(HasSubstr("complete     unknown (no description)\n"),
                                  HasSubstr("made by      unknown"), HasSubstr("rows         2, "),
                                  testing::ContainsRegex("r.q +rad +2 +a b\n")));
}

TEST_F(RecordingCommands, InfoReportsThatARunDidNotEnd) {
  kill_at(500000, "recordings/arm.h5",
          {"run", file("arm.lua", arm_scene), "--set", "duration=100000"});
  const Output info = torsor({"info", "recordings/arm.h5"});
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr("complete     no: the program ended before the run did\n"));
  EXPECT_EQ(nlohmann::json::parse(torsor({"info", "recordings/arm.h5", "--json"}).out)["complete"],
            false);
}

// Checks that every command reports damage in the same words, and not in those of HDF5 or the JSON
// library.
TEST_F(RecordingCommands, DamagedRecordingsAreReportedInPlainWords) {
  record();
  const std::string whole = read("recordings/arm.h5");
  std::string marked = whole;
  // Sets the flags of HDF5 that mark a file as open for writing.
  marked[11] = 5;
  const std::pair<std::string, std::string> cases[] = {
      {"", "a.h5: not a recording: the file is empty; `torsor run SCENE` writes recordings\n"},
      {"time [s]\n0\n",
       "a.h5: not a recording: not an HDF5 file; `torsor run SCENE` writes recordings\n"},
      {whole.substr(0, whole.size() / 2),
       "a.h5: the recording is damaged: all of its 501 rows are lost; record the run again\n"},
      {marked,
       "a.h5: the recording is damaged: it is cut off, or another program writes to it; record the "
       "run again\n"}};
  for (const auto& [bytes, said] : cases) {
    file("a.h5", bytes);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"info", "a.h5"},
          {"plot", "a.h5", "--signals", "arm.q", "--out", "a.svg"},
          {"convert", "a.h5", "a.csv"},
          {"identify", "a.h5"}}) {
      const Output output = torsor(command);
      EXPECT_EQ(output.exit_code, 2) << command[0];
      EXPECT_EQ(output.out, "");
      EXPECT_THAT(output.err, AllOf(testing::StartsWith("torsor: a.h5"), testing::EndsWith(said)));
      EXPECT_EQ(std::ranges::count(output.err, '\n'), 1) << output.err;
    }
  }
  EXPECT_THAT(written(), ElementsAre("recordings/arm.h5"));
}

// Checks that no row is lost if the description is damaged. The output of `convert` is marked as
// incomplete.
TEST_F(RecordingCommands, ADamagedDescriptionIsReported) {
  record();
  std::string bytes = read("recordings/arm.h5");
  for (size_t at = 0; (at = bytes.find("\"complete\":", at)) != bytes.npos;) bytes[at += 11] = ';';
  file("a.h5", bytes);
  const std::string warning =
      "torsor: warning: 'a.h5' is not complete, it has 501 rows: the file is damaged: its "
      "description is lost\n";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"info", "a.h5"},
        {"plot", "a.h5", "--signals", "arm.q", "--out", "a.svg"},
        {"convert", "a.h5", "b.csv"}}) {
    const Output output = torsor(command);
    EXPECT_EQ(output.exit_code, 0) << command[0];
    EXPECT_EQ(output.err, warning);
  }
  EXPECT_THAT(torsor({"info", "b.csv"}).out,
              HasSubstr("complete     no: the file is damaged: its description"));
}

// Checks that the rows before the end of a truncated recording are read.
TEST_F(RecordingCommands, ATruncatedRecordingIsReadInPart) {
  ASSERT_EQ(torsor({"run", file("arm.lua", arm_scene), "--set", "duration=5"}).exit_code, 0);
  ASSERT_EQ(torsor({"convert", "recordings/arm.h5", "whole.csv"}).exit_code, 0);
  const std::string bytes = read("recordings/arm.h5");
  file("a.h5", bytes.substr(0, bytes.size() * 6 / 10));
  const Output convert = torsor({"convert", "a.h5", "a.csv"});
  EXPECT_EQ(convert.exit_code, 0);
  EXPECT_THAT(convert.err,
              testing::MatchesRegex(
                  "torsor: warning: 'a.h5' is not complete, it has [0-9]+ rows: the file is "
                  "damaged: its rows are lost from row [0-9]+ of 5001 on, after t = [0-9.]+ s\n"));
  const std::string part = read("a.csv");
  EXPECT_GT(std::ranges::count(part, '\n'), 1024);
  EXPECT_TRUE(read("whole.csv").starts_with(part));
}

TEST_F(RecordingCommands, AFolderIsNamedAsOne) {
  for (const auto& [path, said] :
       {std::pair{".", "torsor: .: this is a folder; give a recording (.h5, .csv)"},
        {"/dev/null", "torsor: /dev/null: this is not a regular file"}})
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"info", path},
          {"plot", path, "--signals", "q", "--out", "a.svg"},
          {"convert", path, "a.csv"},
          {"identify", path}}) {
      const Output output = torsor(command);
      EXPECT_EQ(output.exit_code, 2) << command[0];
      EXPECT_THAT(output.err, testing::StartsWith(said));
    }
}

// Checks that the message shows a NUL byte and the text after it.
TEST_F(RecordingCommands, OddBytesOfAHeaderAreShown) {
  const Output info = torsor({"info", file("a.csv", std::string("ti\0me\n0\n", 8))});
  EXPECT_EQ(info.exit_code, 2);
  EXPECT_THAT(
      info.err,
      HasSubstr("a.csv:1: the header field 'ti\\x00me' is not 'name [unit]'; write the name and "));
}

TEST_F(RecordingCommands, NonFiniteValuesAreGaps) {
  std::string csv = "time [s],q [rad],r [rad]\n";
  for (int k = 0; k < 20000; ++k)
    csv += std::to_string(k) + (k == 9000 ? ",inf,nan\n" : ",0,nan\n");
  const Output plot = torsor({"plot", file("a.csv", csv), "--signals", "q", "--out", "a.svg"});
  EXPECT_EQ(plot.exit_code, 0) << plot.err;
  EXPECT_THAT(plot.err, HasSubstr("'q' is not finite in 1 of 20000 rows"));
  EXPECT_THAT(torsor({"plot", "a.csv", "--signals", "r", "--out", "r.svg"}).err,
              HasSubstr("none of the 20000 values"));
}

TEST_F(RecordingCommands, FilesThatCannotBeConvertedAreReported) {
  record();
  const auto refused = [&](const std::string& in, const std::string& out, const std::string& said) {
    const Output convert = torsor({"convert", in, out});
    EXPECT_EQ(convert.exit_code, 2);
    EXPECT_EQ(std::ranges::count(convert.err, '\n'), 1) << convert.err;
    EXPECT_THAT(convert.err, HasSubstr(said));
  };
  const std::string before = read("recordings/arm.h5");
  refused("recordings/arm.h5", "recordings/../recordings/arm.h5", "would replace its own source");
  std::filesystem::create_symlink(folder_ / "recordings/arm.h5", folder_ / "link.h5");
  refused("recordings/arm.h5", "link.h5", "'link.h5' would replace its own source");
  refused("link.h5", "recordings/arm.h5", "would replace its own source");
  std::filesystem::remove(folder_ / "link.h5");
  const std::string empty = file("empty.h5", "");
  refused(empty, empty, "would replace its own source");
  refused("recordings/arm.h5", "a.mat", "ends in .h5 or .csv");
  refused("nowhere.h5", "a.mat", "ends in .h5 or .csv");
  refused("nowhere.h5", "a.csv", "nowhere.h5: there is no such file");
  refused(file("alone.csv", "time [s]\n0\n"), "a.h5", "alone.json' is missing");
  refused("recordings/arm.h5", "/proc/nowhere/a.csv", "cannot write");
  EXPECT_TRUE(read("recordings/arm.h5") == before);
  EXPECT_THAT(written(), ElementsAre("recordings/arm.h5"));
}

}  // namespace
}  // namespace torsor::test
