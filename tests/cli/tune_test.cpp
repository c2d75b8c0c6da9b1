// Tests of torsor tune: the optimum, the table, resumption, and invalid options.

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <regex>

#include "cli/program.hpp"
#include "support/rod_scene.hpp"
#include "support/sanitized.hpp"
#include "torsor/study/table/study_reader.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// A mass of 1 kg that a controller u = -kp x - kd v brings to rest, from x = 1 m. The outcome is
// the quadratic cost
//   J = int x^2 + r u^2 dt,  r = 1e-4
// Its minimum over all motions u(t) is that of the linear-quadratic regulator of a double
// integrator, whose Riccati equation has the solution P11 = sqrt(2) r^(1/4), P12 = sqrt(r),
// P22 = sqrt(2) r^(3/4):
//   kp = r^(-1/2) = 100,  kd = sqrt(2) r^(-1/4) = 14.142,  J = P11 = 0.141421
// `ise` is the first part of J. For x'' + kd x' + kp x = 0, it is
//   int x^2 dt = 1 / w (z + 1 / (4 z)),  w = sqrt(kp),  z = kd / (2 w)
// and smallest at z = 1/2: at kd = sqrt(kp).
constexpr const char* regulator = R"(
local torsor = require "torsor"
local p = torsor.params{
  kp = torsor.log_uniform(10, 1000, { unit = "N/m" }),
  kd = torsor.log_uniform(1, 100, { unit = "N s/m" }),
  x0 = torsor.normal(1, 0.1),
  law = torsor.choice{ "reversed", "regular" },
  limit = 1e9,
  slow = 1,
}
local arm = torsor.robot{ name = "mass" }
arm:link{ name = "body", joint = { "prismatic", name = "rail", axis = {1, 0, 0} },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
arm:set{ q = {p.x0} }
local sign = p.law == "regular" and 1 or -1
arm:control(function(t, state)
  if t > 0.1 and p.kp > p.limit then error("the gain is too large") end
  return { -sign * p.kp * state.q[1] - p.kd * state.v[1] }
end, { name = "regulator" })
local world = torsor.world{ gravity = {0, 0, 0} }
world:add(arm)
local duration = 1.5
return world:experiment{ integrator = { "rk4", dt = 2e-3 / p.slow }, duration = duration,
  energy_tolerance = 1e9, record = { "mass.q", "mass.tau" },
  outcome = { function(run)
    if run:failure() then return { ise = 0, cost = 0 } end
    local ise = duration * run:rms("mass.q.rail")^2
    return { ise = ise, cost = ise + 1e-4 * duration * run:rms("mass.tau.rail")^2 }
  end, units = { ise = "m^2 s", cost = "J" } } }
)";

class Tune : public Program {
 protected:
  std::string scene() { return file("s.lua", regulator); }
  Output tune(const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"tune", scene()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return torsor(all);
  }
  std::vector<SampleRow> rows(const std::string& name = "recordings/s-tune.h5") const {
    std::vector<SampleRow> out;
    StudyReader(folder_ / name).each([&](uint64_t, const SampleRow& row) { out.push_back(row); });
    return out;
  }
  uint64_t hash(const std::string& name) const { return study_hash(StudyReader(folder_ / name)); }
  // Runs a tuning that must be rejected with one line.
  std::string rejected(const std::vector<std::string>& arguments) {
    const Output output = tune(arguments);
    EXPECT_EQ(output.exit_code, 2) << output.out;
    EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1) << output.err;
    EXPECT_EQ(output.out, "");
    return output.err;
  }
  // Returns the sample of the command that repeats the best run.
  static size_t best_sample(const Output& output) {
    std::smatch match;
    const std::regex line(R"(repeat       torsor run [^\n]*s\.lua --sample [^\n]*:(\d+)\n)");
    if (std::regex_search(output.out, match, line)) return std::stoul(match[1]);
    ADD_FAILURE() << output.out;
    return 0;
  }
};

TEST_F(Tune, FindsTheGainsOfTheLinearQuadraticRegulator) {
  for (const std::string method : {"nelder_mead", "sbplx", "bobyqa"}) {
    const Output output =
        tune({"--minimise", "cost", "--over", "kp,kd", "--set", "law=regular", "--tolerance",
              "1e-5", "--starts", "2", "--method", method, "--replace"});
    ASSERT_EQ(output.exit_code, 0) << output.err;
    const size_t best = best_sample(output);
    const SampleRow row = rows().at(best);
    // The trapezoidal rule shifts the optimum by about 1e-4.
    EXPECT_NEAR(row.parameters[1], 100, 0.1) << method;
    EXPECT_NEAR(row.parameters[0], std::sqrt(2) * 10, 0.01) << method;
    EXPECT_NEAR(row.outcomes[0], std::sqrt(2) / 10, 1e-5) << method;
    EXPECT_THAT(output.out, AllOf(HasSubstr("best         cost 0.14142"), HasSubstr("  kp "),
                                  HasSubstr("agreement    2 of 2 searches"),
                                  HasSubstr("options      --set kp=")));
    const Output again =
        torsor({"run", scene(), "--sample", "recordings/s-tune.h5:" + std::to_string(best)});
    EXPECT_THAT(again.out, HasSubstr("the same final state to the bit")) << again.err;
  }
}

TEST_F(Tune, FindsTheBestDampingOfAnOscillator) {
  const Output output = tune({"--minimise", "ise", "--over", "kd", "--set", "law=regular", "--set",
                              "kp=400", "--starts", "2", "--tolerance", "1e-5"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const SampleRow row = rows().at(best_sample(output));
  EXPECT_NEAR(row.parameters[0], 20, 0.02);
  EXPECT_NEAR(row.outcomes[1], 1.0 / 20, 1e-5);
}

// Both signs of the control are tried, and the wrong one diverges.
TEST_F(Tune, TriesEveryChoice) {
  const Output output = tune({"--minimise", "cost", "--over", "kp,kd,law", "--starts", "1"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_EQ(rows().at(best_sample(output)).parameters[2], 1) << output.out;
  EXPECT_THAT(output.out, AllOf(HasSubstr("  law        regular\n"), HasSubstr("law=regular"),
                                HasSubstr("agreement    1 of 2 searches")));
}

// A plugin that is no part of Torsor runs in a process of its own, which gets the parameters of the
// points that the searches choose.
TEST_F(Tune, APluginThatCrashesMakesItsPointsInvalid) {
  TORSOR_NEEDS_OWN_FAULT_REPORTS();
  file("hinge.lua", std::string(rod_in_world) + R"(
    local p = torsor.params{ solver = torsor.choice{ "newton_euler", "breaking" },
      speed = torsor.uniform(0, 1) }
    arm:set{ v = {p.speed} }
    return world:experiment{ solver = p.solver, integrator = { "rk4", dt = 1e-3 }, duration = 0.1,
      record = { "arm.q" }, outcome = function(run) return { last = run:final("arm.q") } end })");
  setenv("BREAK_IN", "inverse segfault", 1);
  const Output output =
      torsor({"tune", "hinge.lua", "--maximise", "last", "--over", "speed,solver", "--starts", "1",
              "--evaluations", "10", "--plugins", TEST_PLUGINS "breaking.so", "--out", "h.h5"});
  unsetenv("BREAK_IN");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, AllOf(HasSubstr("crashed in inverse: segmentation fault"),
                                HasSubstr("  solver     newton_euler\n"),
                                HasSubstr("'speed' is at the upper end of its range")));
  const auto all = rows("h.h5");
  for (size_t k = 0; k < all.size(); ++k)
    if (all[k].status != SampleStatus::not_run) {
      EXPECT_EQ(all[k].status, k < 10 ? SampleStatus::done : SampleStatus::failed);
      EXPECT_EQ(all[k].parameters[0], k < 10 ? 0 : 1);
    }
}

TEST_F(Tune, HasTheSameBytesForAnyNumberOfWorkers) {
  for (const std::string jobs : {"1", "2", "7"}) {
    const Output output =
        tune({"--minimise",    "cost",      "--over", "kp,kd",       "--samples", "3",
              "--statistic",   "worst",     "--set",  "law=regular", "--starts",  "2",
              "--evaluations", "20",        "--set",  "limit=300",   "--jobs",    jobs,
              "--out",         jobs + ".h5"});
    ASSERT_EQ(output.exit_code, 0) << output.err;
    EXPECT_THAT(output.out, AllOf(HasSubstr("failed "), HasSubstr("the gain is too large")));
    EXPECT_EQ(rows(jobs + ".h5").at(best_sample(output)).status, SampleStatus::done);
  }
  EXPECT_EQ(hash("1.h5"), hash("2.h5"));
  EXPECT_EQ(hash("1.h5"), hash("7.h5"));
  // Every point has the same samples of x0.
  const auto all = rows("1.h5");
  for (size_t k = 0; k + 2 < all.size(); k += 3)
    for (size_t m = 0; m < 3; ++m)
      if (all[k + m].status != SampleStatus::not_run) {
        EXPECT_EQ(all[k + m].parameters[2], all[m].parameters[2]);
      }
}

TEST_F(Tune, ContinuesAfterKills) {
  const std::vector<std::string> arguments{"tune",     scene(), "--minimise",    "cost",  "--over",
                                           "kp,kd",    "--set", "law=regular",   "--set", "slow=4",
                                           "--starts", "2",     "--evaluations", "40"};
  auto killed = arguments;
  killed.insert(killed.end(), {"--out", "killed.h5", "--resume"});
  for (const std::string seconds : {"0.3", "0.5", "0.7"}) {
    std::vector<std::string> words{"-s", "KILL", seconds, TORSOR_PROGRAM};
    words.insert(words.end(), killed.begin(), killed.end());
    run("timeout", words);
  }
  // Without --foreground, timeout sends the signal twice.
  std::vector<std::string> interrupted{"--foreground", "-s", "INT", "0.6", TORSOR_PROGRAM};
  interrupted.insert(interrupted.end(), killed.begin(), killed.end());
  EXPECT_THAT(run("timeout", interrupted).err,
              HasSubstr("interrupted; the results are kept, and --resume continues"));
  auto whole = arguments;
  whole.insert(whole.end(), {"--out", "whole.h5"});
  const Output output = torsor(whole);
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const Output last = torsor(killed);
  ASSERT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(hash("killed.h5"), hash("whole.h5"));
  EXPECT_EQ(best_sample(last), best_sample(output));
}

TEST_F(Tune, OtherCommandsReadTheTable) {
  ASSERT_EQ(tune({"--minimise", "cost", "--over", "kp,kd", "--set", "law=regular", "--starts", "1",
                  "--evaluations", "20", "--plot", "history.svg"})
                .exit_code,
            0);
  EXPECT_THAT(read("history.svg"), AllOf(HasSubstr("search 0, the best"), HasSubstr("cost [J]"),
                                         HasSubstr("kp [N/m]"), HasSubstr("kd [N s/m]")));
  EXPECT_THAT(torsor({"study", "show", "recordings/s-tune.h5"}).out,
              HasSubstr("samples      20 of 20"));
  ASSERT_EQ(torsor({"study", "export", "recordings/s-tune.h5", "--csv", "s.csv"}).exit_code, 0);
  EXPECT_THAT(read("s.csv"), testing::StartsWith("sample,status,kd [N s/m],kp [N/m],x0,cost [J],"));
}

TEST_F(Tune, APointWithoutValidSamplesIsReported) {
  const Output output =
      tune({"--minimise", "cost", "--over", "kp", "--set", "limit=1", "--evaluations", "5"});
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_EQ(output.err, "torsor: every point has a sample that failed or has no such outcome\n");
}

TEST_F(Tune, InvalidOptionsAreReportedBeforeTheFirstSample) {
  const std::vector<std::string> valid{"--minimise", "cost", "--over", "kp,kd"};
  const std::pair<std::vector<std::string>, const char*> wrong[] = {
      {{"--over", "kp"}, "tune: give one outcome of the scene, as in --minimise cost"},
      {{"--minimise", "cost", "--maximise", "ise", "--over", "kp"}, "tune: give one outcome"},
      {{"--minimise", "cost"}, "'torsor tune' needs --over NAME,..."},
      {{"--minimise", "cost", "--over", "kp,ke"},
       "the scene has no parameter 'ke' to tune; its parameters with a distribution are: kd, kp, "
       "law, x0; did you mean 'kd'?"},
      {{"--minimise", "cost", "--over", "limit"}, "the parameter 'limit' has no distribution"},
      {{"--minimise", "cost", "--over", "kp,kp"}, "the parameter 'kp' is given twice"},
      {{"--minimise", "cost", "--over", "kp", "--set", "kp=3"},
       "the parameter 'kp' is set to a value and cannot be tuned"},
      {{"--minimise", "csot", "--over", "kp"},
       "the scene has no outcome 'csot' to minimise; its outcomes are: cost, ise; did you mean "
       "'cost'?"},
      {{"--minimise", "cost", "--over", "kp", "--method", "sblx"}, "did you mean 'sbplx'?"},
      {{"--minimise", "cost", "--over", "kp", "--method", "bobyqa"}, "needs at least 2 parameters"},
      {{"--minimise", "cost", "--over", "kp", "--statistic", "maen"}, "did you mean 'mean'?"},
      {{"--minimise", "cost", "--over", "kp", "--evaluations", "0"}, "--evaluations"},
      {{"--minimise", "cost", "--over", "kp", "--tolerance", "1"}, "--tolerance"},
      {{"--minimise", "cost", "--over", "kp", "--plot", "x.pdf"},
       "--plot 'x.pdf': a picture ends in .svg or .png"},
      {{"--minimise", "cost", "--over", "kp", "--out", "x.csv"}, "the name of a study ends in .h5"},
      {{"--minimise", "cost", "--over", "kp", "--solver", "nope"}, "there is no solver 'nope'"},
  };
  for (const auto& [arguments, message] : wrong) {
    EXPECT_THAT(rejected(arguments), HasSubstr(message));
    EXPECT_TRUE(written().empty()) << message;
  }
}

TEST_F(Tune, RejectsATableOfAnotherTuning) {
  const std::vector<std::string> few{"--minimise", "cost",       "--over",        "kp",
                                     "--starts",   "1",          "--evaluations", "5",
                                     "--set",      "law=regular"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), few.begin(), few.end());
    return more;
  };
  ASSERT_EQ(tune(few).exit_code, 0);
  EXPECT_THAT(rejected(few), HasSubstr("exists: continue it with --resume"));
  EXPECT_THAT(rejected(with({"--resume", "--seed", "2"})),
              HasSubstr("cannot be continued: it was tuned with seed = 0, not 2"));
  EXPECT_THAT(rejected(with({"--resume", "--dt", "0.001"})), HasSubstr("it has other settings"));
  const Output study = torsor({"study", scene(), "--samples", "5", "--set", "law=regular", "--out",
                               "recordings/s-tune.h5", "--resume"});
  EXPECT_EQ(study.exit_code, 2);
  EXPECT_THAT(study.err, HasSubstr("it has other samples"));
  EXPECT_EQ(tune(with({"--resume"})).exit_code, 0);
  EXPECT_EQ(tune(with({"--replace", "--seed", "2"})).exit_code, 0);
}

}  // namespace
}  // namespace torsor::test
