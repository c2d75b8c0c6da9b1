// Tests of torsor study: samples, the table, resumption, shards, and repetition of samples.

#include <gmock/gmock.h>

#include <cmath>
#include <regex>

#include "cli/program.hpp"
#include "torsor/study/table/study_reader.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A mass of 1 kg on a spring: x = x0 cos(sqrt(k) t). It fails if k is above 90, and takes long if
// `slow` is true.
constexpr const char* oscillator = R"(
local torsor = require "torsor"
local p = torsor.params{
  k = torsor.uniform(10, 100, { unit = "N/m" }),
  x0 = torsor.normal(1, 0.2, { min = 0.1 }),
  law = torsor.choice{ "spring", "none" },
  slow = false,
}
local arm = torsor.robot{ name = "mass" }
arm:link{ name = "body", joint = { "prismatic", name = "rail", axis = {1, 0, 0} },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
arm:set{ q = {p.x0} }
arm:control(function(t, state)
  if p.k > 90 then error("the spring is too stiff at t = " .. t) end
  return { p.law == "spring" and -p.k * state.q[1] or 0 }
end, { name = "spring" })
local world = torsor.world{ gravity = {0, 0, 0} }
world:add(arm)
return world:experiment{ integrator = { "rk4", dt = 5e-3 }, duration = p.slow and 1e6 or 0.5,
  record = { "mass.q" },
  outcome = { function(run)
    local crossing = run:crossings("mass.q.rail", 0)[1]
    return { final = run:final("mass.q.rail"), crossing = crossing }
  end, units = { final = "m", crossing = "s" } } }
)";

class Study : public Program {
 protected:
  std::string scene() { return file("s.lua", oscillator); }
  Output study(const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"study", scene()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return torsor(all);
  }
  std::filesystem::path table(const std::string& name = "recordings/s-study.h5") const {
    return folder_ / name;
  }
  uint64_t hash(const std::string& name) const { return study_hash(StudyReader(table(name))); }
  std::vector<SampleRow> rows(const std::string& name) const {
    std::vector<SampleRow> out;
    StudyReader(table(name)).each([&](uint64_t, const SampleRow& row) { out.push_back(row); });
    return out;
  }
  // Runs a study that must be rejected with one line.
  std::string rejected(const std::vector<std::string>& arguments) {
    const Output output = study(arguments);
    EXPECT_EQ(output.exit_code, 2) << output.out;
    EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1) << output.err;
    EXPECT_EQ(output.out, "");
    return output.err;
  }
};

TEST_F(Study, WritesATableOfTheSamples) {
  const Output output = study({"--samples", "200"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, AllOf(HasSubstr("samples      200 of 200; "),
                                HasSubstr("table        recordings/s-study.h5\n")));
  const StudyReader reader(table());
  EXPECT_THAT(reader.layout().parameters,
              ElementsAre(StudyColumn{"k", "N/m"}, StudyColumn{"law", "", {"spring", "none"}},
                          StudyColumn{"x0", ""}));
  EXPECT_THAT(reader.layout().outcomes,
              ElementsAre(StudyColumn{"crossing", "s"}, StudyColumn{"final", "m"}));
  EXPECT_THAT(reader.layout().description, HasSubstr("the spring is too stiff")) << "scene text";
  int failed = 0, undefined = 0;
  reader.each([&](uint64_t sample, const SampleRow& row) {
    const double k = row.parameters[0], x0 = row.parameters[2];
    const bool has_spring = row.parameters[1] == 0;
    EXPECT_GE(x0, 0.1);
    failed += k > 90;
    if (k > 90) {
      EXPECT_EQ(row.status, SampleStatus::failed) << sample;
      EXPECT_EQ(without_numbers(reader.message(row.failure)).find("too stiff at t = #"),
                without_numbers(reader.message(row.failure)).find("too stiff"));
      return;
    }
    const double w = std::sqrt(k);
    EXPECT_NEAR(row.outcomes[1], has_spring ? x0 * std::cos(w * 0.5) : x0, 1e-5) << sample;
    if (!has_spring || w < M_PI) {
      ++undefined;
      EXPECT_EQ(row.status, SampleStatus::undefined) << sample;
      EXPECT_TRUE(std::isnan(row.outcomes[0]));
    } else {
      EXPECT_EQ(row.status, SampleStatus::done) << reader.message(row.failure);
      EXPECT_NEAR(row.outcomes[0], M_PI / 2 / w, 1e-3) << sample;
    }
  });
  EXPECT_GT(failed, 5);
  EXPECT_GT(undefined, 50);
  EXPECT_THAT(output.out, HasSubstr(std::to_string(failed) + " failed"));
}

TEST_F(Study, NamesEachKindOfFailureOnceWithTheCommandThatRepeatsIt) {
  const Output output = study({"--samples", "100"});
  std::smatch match;
  const std::regex line(
      R"(failed +(\d+) x [^\n]*s\.lua:14: the spring is too stiff at t = 0[^\n]*; )"
      R"(torsor (run [^\n]* --sample recordings/s-study\.h5:(\d+))\n)");
  ASSERT_TRUE(std::regex_search(output.out, match, line)) << output.out;
  EXPECT_GT(std::stoi(match[1]), 1);
  const Output again =
      torsor({"run", scene(), "--sample", "recordings/s-study.h5:" + match[3].str()});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("the spring is too stiff at t = 0"));
}

TEST_F(Study, HasTheSameBytesForAnyNumberOfWorkers) {
  for (const std::string design : {"random", "latin", "sobol"}) {
    for (const std::string jobs : {"1", "2", "7"}) {
      const Output output = study(
          {"--samples", "40", "--design", design, "--jobs", jobs, "--out", design + jobs + ".h5"});
      ASSERT_EQ(output.exit_code, 0) << output.err;
    }
    EXPECT_EQ(hash(design + "1.h5"), hash(design + "2.h5"));
    EXPECT_EQ(hash(design + "1.h5"), hash(design + "7.h5"));
  }
  EXPECT_NE(hash("random1.h5"), hash("latin1.h5"));
  ASSERT_EQ(study({"--samples", "40", "--seed", "1", "--out", "other.h5"}).exit_code, 0);
  EXPECT_NE(hash("random1.h5"), hash("other.h5"));
}

TEST_F(Study, ASampleDoesNotDependOnTheNumberOfSamples) {
  ASSERT_EQ(study({"--samples", "10", "--out", "few.h5"}).exit_code, 0);
  ASSERT_EQ(study({"--samples", "20", "--out", "many.h5"}).exit_code, 0);
  const auto few = rows("few.h5"), many = rows("many.h5");
  for (size_t k = 0; k < 10; ++k) {
    EXPECT_EQ(few[k].parameters, many[k].parameters);
    EXPECT_EQ(few[k].state_hash, many[k].state_hash);
  }
}

TEST_F(Study, ARunRepeatsASampleToTheBit) {
  ASSERT_EQ(study({"--samples", "8", "--dt", "0.01", "--set", "law=none"}).exit_code, 0);
  const Output run = torsor({"run", scene(), "--sample", "recordings/s-study.h5:3"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("dt = 0.01 s"),
                             HasSubstr("sample       recordings/s-study.h5:3, the same final state "
                                       "to the bit\n")));
  const Output other =
      torsor({"run", scene(), "--sample", "recordings/s-study.h5:3", "--dt", "0.005"});
  EXPECT_THAT(other.out, HasSubstr("whose final state differs"));
  file("s.lua", oscillator + std::string("-- changed\n"));
  EXPECT_THAT(torsor({"run", "s.lua", "--sample", "recordings/s-study.h5:3"}).err,
              HasSubstr("s.lua' has changed since, so that this run may differ"));
  for (const auto& [name, message] : {std::pair{"recordings/s-study.h5", "it must be STUDY.h5:K"},
                                      {"recordings/s-study.h5:8", "the samples are 0 to 7"},
                                      {"recordings/s-study.h5:x", "it must be STUDY.h5:K"},
                                      {"none.h5:1", "there is no such file"}}) {
    const Output wrong = torsor({"run", "s.lua", "--sample", name});
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_THAT(wrong.err, HasSubstr(message));
  }
}

TEST_F(Study, ShardsMergeToTheWhole) {
  ASSERT_EQ(study({"--samples", "25", "--out", "whole.h5"}).exit_code, 0);
  std::vector<std::string> merge{"study", "merge"};
  for (const std::string shard : {"2", "3", "1"}) {
    ASSERT_EQ(study({"--samples", "25", "--shard", shard + "/3", "--out", shard + ".h5"}).exit_code,
              0);
    merge.push_back(shard + ".h5");
  }
  merge.insert(merge.end(), {"--out", "all.h5"});
  const Output all = torsor(merge);
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_EQ(hash("all.h5"), hash("whole.h5"));
  const Output part = torsor({"study", "merge", "1.h5", "3.h5", "--out", "part.h5"});
  EXPECT_EQ(part.exit_code, 1);
  EXPECT_EQ(part.err,
            "torsor: 8 samples have no result; torsor study --resume continues the table\n");
  ASSERT_EQ(study({"--samples", "25", "--out", "part.h5", "--resume"}).exit_code, 0);
  EXPECT_EQ(hash("part.h5"), hash("whole.h5"));
  ASSERT_EQ(study({"--samples", "26", "--out", "other.h5"}).exit_code, 0);
  const Output wrong = torsor({"study", "merge", "1.h5", "other.h5", "--out", "x.h5"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("'1.h5' and 'other.h5' are not parts of one study"));
  EXPECT_THAT(torsor({"study", "merge", "1.h5", "--out", "1.h5"}).err,
              HasSubstr("it is one of the tables to merge"));
}

// A study that is killed has its complete samples, and --resume runs the others.
TEST_F(Study, ContinuesAfterKills) {
  const std::vector<std::string> arguments{"study", scene(), "--samples", "1000",    "--jobs",
                                           "2",     "--out", "killed.h5", "--resume"};
  for (const std::string seconds : {"0.4", "0.5", "0.7"}) {
    std::vector<std::string> words{"-s", "KILL", seconds, TORSOR_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    run("timeout", words);
  }
  ASSERT_EQ(study({"--samples", "1000", "--out", "whole.h5"}).exit_code, 0);
  const Output last = torsor(arguments);
  ASSERT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(hash("killed.h5"), hash("whole.h5"));
}

TEST_F(Study, RejectsATableOfAnotherStudy) {
  ASSERT_EQ(study({"--samples", "5"}).exit_code, 0);
  EXPECT_THAT(rejected({"--samples", "5"}),
              HasSubstr("'recordings/s-study.h5' exists: continue it with --resume"));
  EXPECT_THAT(rejected({"--samples", "6", "--resume"}), HasSubstr("it has other samples"));
  EXPECT_THAT(rejected({"--samples", "5", "--resume", "--seed", "2"}),
              HasSubstr("it has other samples"));
  EXPECT_THAT(rejected({"--samples", "5", "--resume", "--dt", "0.01"}),
              HasSubstr("it has other settings"));
  EXPECT_THAT(
      rejected({"--samples", "5", "--resume", "--shard", "1/2", "--out", "recordings/s-study.h5"}),
      HasSubstr("it has shard 1 of 1"));
  const Output changed = torsor(
      {"study", file("s.lua", oscillator + std::string("\n")), "--samples", "5", "--resume"});
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_THAT(changed.err, AllOf(HasSubstr("'recordings/s-study.h5' cannot be continued: the file"),
                                 HasSubstr("s.lua' has changed since; write to another file")));
  EXPECT_EQ(torsor({"study", "s.lua", "--samples", "5", "--replace"}).exit_code, 0);
}

TEST_F(Study, GridsAndTablesGiveSamples) {
  const Output grid = study({"--grid", "k=20:80:3", "--grid", "law=spring,none"});
  ASSERT_EQ(grid.exit_code, 0) << grid.err;
  EXPECT_THAT(grid.out, AllOf(HasSubstr("sample  k [N/m]     law  x0  crossing [s]"),
                              HasSubstr("50  spring   1"), HasSubstr("samples      6 of 6")));
  file("t.csv", "k,x0\n50,2\n60,3\n");
  ASSERT_EQ(study({"--from", "t.csv", "--out", "t.h5"}).exit_code, 0);
  EXPECT_THAT(rows("t.h5")[1].parameters, ElementsAre(60, 0, 3));
}

TEST_F(Study, ASampleThatNeverEndsIsAStatus) {
  const Output output =
      study({"--grid", "slow=false,true", "--limit", "0.5", "--set", "k=50", "--jobs", "2"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_EQ(rows("recordings/s-study.h5")[0].status, SampleStatus::done);
  EXPECT_EQ(rows("recordings/s-study.h5")[1].status, SampleStatus::over_limit);
  EXPECT_THAT(output.out,
              HasSubstr("over limit   1 x the sample took more than its limit of 0.5 s"));
}

TEST_F(Study, KeepsRecordings) {
  const Output worst = study({"--grid", "x0=1,3,2", "--keep", "worst:2", "--by", "final"});
  ASSERT_EQ(worst.exit_code, 0) << worst.err;
  // cos(sqrt(55) / 2) < 0: the largest final position is that of the smallest amplitude.
  EXPECT_THAT(written(),
              ElementsAre("recordings/s-0.h5", "recordings/s-2.h5", "recordings/s-study.h5"));
  ASSERT_EQ(study({"--grid", "x0=1,3,2", "--keep", "all", "--replace"}).exit_code, 0);
  EXPECT_THAT(torsor({"info", "recordings/s-1.h5"}).out,
              AllOf(HasSubstr("complete     yes"), HasSubstr("x0")));
}

TEST_F(Study, ExportsCsv) {
  ASSERT_EQ(study({"--samples", "3", "--set", "k=50", "--set", "law=spring"}).exit_code, 0);
  ASSERT_EQ(torsor({"study", "export", "recordings/s-study.h5", "--csv", "s.csv"}).exit_code, 0);
  const std::string csv = read("s.csv");
  EXPECT_THAT(csv, testing::StartsWith("sample,status,x0,crossing [s],final [m],failure,state_hash,"
                                       "wall_time [s]\n0,done,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
}

TEST_F(Study, InvalidOptionsAreReportedBeforeTheFirstSample) {
  const std::pair<std::vector<std::string>, const char*> wrong[] = {
      {{}, "'k' has infinitely many values: use --samples N"},
      {{"--samples", "0"}, "--samples"},
      {{"--samples", "5", "--grid", "k=1"}, "--samples, --grid and --from exclude each other"},
      {{"--grid", "kk=1,2"},
       "--grid kk: the scene has no parameter of this name; there are: k, law, slow, x0; did you "
       "mean 'k'?"},
      {{"--grid", "k"}, "--grid k: it must be NAME=VALUE,VALUE"},
      {{"--grid", "law=spring,nne"},
       "'nne' is not a value of the parameter; it has: spring, none; did you mean 'none'?"},
      {{"--from", "none.csv"}, "none.csv: there is no such file"},
      {{"--samples", "5", "--design", "sobel"}, "did you mean 'sobol'?"},
      {{"--samples", "5", "--shard", "4/3"}, "--shard 4/3: it must be I/N"},
      {{"--samples", "2", "--shard", "3/3"}, "shard 3 of 3 is empty: the study has only 2 samples"},
      {{"--samples", "5", "--out", "x.csv"}, "the name of a study ends in .h5"},
      {{"--samples", "5", "--set", "law=nne"},
       "'law' is 'nne'; use one of: spring, none; did you mean 'none'?"},
      {{"--samples", "5", "--solver", "nope"}, "there is no solver 'nope'"},
      {{"--samples", "5", "--integrator", "nope"}, "there is no such integrator"},
  };
  for (const auto& [arguments, message] : wrong) {
    EXPECT_THAT(rejected(arguments), HasSubstr(message));
    EXPECT_TRUE(written().empty()) << message;
  }
  EXPECT_THAT(torsor({"study"}).err, HasSubstr("SCENE is missing"));
}

TEST_F(Study, UnknownOutcomesAreReported) {
  EXPECT_THAT(rejected({"--samples", "5", "--keep", "worst:2", "--by", "fnal"}),
              HasSubstr("--by fnal: there is no outcome of this name; there are: crossing, final; "
                        "did you mean 'final'?"));
  EXPECT_THAT(rejected({"--samples", "5", "--keep", "worst:2"}), HasSubstr("as in --by crossing"));
  EXPECT_THAT(rejected({"--samples", "5", "--keep", "best"}), HasSubstr("it must be all, none"));
  EXPECT_TRUE(written().empty());
}

TEST_F(Study, AnOutcomeOfTheNominalRunIsNeeded) {
  std::string text = oscillator;
  text.replace(text.find("crossing = crossing"), 19, "crossing = { 1 }  ");
  const Output output = torsor({"study", file("t.lua", text), "--samples", "3"});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_THAT(output.err, AllOf(HasSubstr("the nominal run, which determines the names of the "
                                          "outcomes, failed: "),
                                HasSubstr("'crossing' is a table; it must be a number")));
  EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1);
}

TEST_F(Study, ChaosEnsembleHasLyapunovExponents) {
  const std::string chaos = source("scenes/chaos_ensemble.lua").string();
  const Output output = torsor({"study", chaos, "--grid", "angle=0.1,2.5", "--out", "c.h5"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const auto all = rows("c.h5");
  const auto exponent = [&](size_t k) { return all.at(k).outcomes.at(1); };
  EXPECT_EQ(StudyReader(table("c.h5")).layout().outcomes[1].name, "exponent");
  EXPECT_LT(exponent(0), 0.5) << "small oscillations are regular";
  EXPECT_GT(exponent(1), 1) << "large ones are chaotic";
}

}  // namespace
}  // namespace torsor::test
