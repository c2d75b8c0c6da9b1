// Tests of studies whose plugins crash or hang, and whose processes are killed.

#include <gmock/gmock.h>

#include <cstdlib>

#include "cli/program.hpp"
#include "support/rod_scene.hpp"
#include "support/sanitized.hpp"
#include "torsor/study/table/study_reader.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A hinge. The solver `breaking` fails from t = 0.05 s on as BREAK_IN requests.
const std::string hinge = std::string(rod_in_world) + R"(
local p = torsor.params{ solver = torsor.choice{ "newton_euler", "breaking" },
  speed = torsor.uniform(0, 1), duration = 0.1 }
arm:set{ v = {p.speed} }
return world:experiment{ solver = p.solver, integrator = { "rk4", dt = 1e-3 }, duration = p.duration,
  record = { "arm.q" },
  outcome = function(run) return { last = run:final("arm.q") } end }
)";

class StudyCrash : public Program {
 protected:
  void SetUp() override {
    TORSOR_NEEDS_OWN_FAULT_REPORTS();
    Program::SetUp();
    file("hinge.lua", hinge);
  }
  void TearDown() override {
    unsetenv("BREAK_IN");
    Program::TearDown();
  }
  // Runs a study with the plugin `breaking`, which fails as `how` says.
  Output study(const std::string& how, std::vector<std::string> arguments) {
    setenv("BREAK_IN", how.c_str(), 1);
    arguments.insert(arguments.begin(), {"study", "hinge.lua"});
    arguments.insert(arguments.end(), {"--plugins", TEST_PLUGINS "breaking.so"});
    return torsor(arguments);
  }
  std::vector<SampleRow> rows(const std::string& name) const {
    std::vector<SampleRow> out;
    StudyReader(folder_ / name).each([&](uint64_t, const SampleRow& row) { out.push_back(row); });
    return out;
  }
  uint64_t hash(const std::string& name) const { return study_hash(StudyReader(folder_ / name)); }
};

TEST_F(StudyCrash, APluginThatCrashesEndsOnlyItsSample) {
  const std::pair<const char*, const char*> cases[] = {
      {"inverse segfault", "crashed in inverse: segmentation fault ("},
      {"inverse abort", "crashed in inverse: abort() ("},
      {"inverse throw", "threw an exception out of inverse"},
      {"inverse exit", "called exit() in inverse"},
  };
  for (const auto& [how, message] : cases) {
    for (const char* jobs : {"1", "2"}) {
      const Output output =
          study(how, {"--samples", "40", "--jobs", jobs, "--out", "h.h5", "--replace"});
      ASSERT_EQ(output.exit_code, 0) << output.err;
      EXPECT_EQ(output.err, "");
      EXPECT_THAT(output.out, AllOf(HasSubstr("samples      40 of 40; "),
                                    HasSubstr("hinge.lua: at t = 0.05 s (step 50): solver "
                                              "'solver.breaking' " +
                                              std::string(message)),
                                    HasSubstr("torsor run hinge.lua --sample h.h5:")));
    }
    int crashed = 0;
    for (const SampleRow& row : rows("h.h5")) {
      const bool breaks = row.parameters[0] == 1;
      crashed += breaks;
      EXPECT_EQ(row.status, breaks ? SampleStatus::failed : SampleStatus::done);
    }
    EXPECT_EQ(StudyReader(folder_ / "h.h5").failures().size(), 1u) << "one kind of failure";
    EXPECT_GT(crashed, 5);
    EXPECT_LT(crashed, 35);
  }
}

TEST_F(StudyCrash, ProcessesHaveTheSameResultsAsThreads) {
  ASSERT_EQ(
      study("", {"--samples", "40", "--set", "solver=newton_euler", "--out", "p.h5"}).exit_code, 0);
  ASSERT_EQ(torsor({"study", "hinge.lua", "--samples", "40", "--set", "solver=newton_euler",
                    "--out", "t.h5"})
                .exit_code,
            0);
  EXPECT_EQ(hash("p.h5"), hash("t.h5"));
}

TEST_F(StudyCrash, APluginThatDoesNotReturnIsOverTheLimit) {
  const Output output = study(
      "inverse loop", {"--grid", "solver=newton_euler,breaking", "--limit", "1", "--out", "h.h5"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_EQ(rows("h.h5")[0].status, SampleStatus::done);
  EXPECT_EQ(rows("h.h5")[1].status, SampleStatus::over_limit);
}

// A process of a worker that somebody kills is replaced, and its sample is run again.
TEST_F(StudyCrash, AKilledWorkerIsReplaced) {
  setenv("BREAK_IN", "", 1);
  const std::string study =
      "\"$0\" study hinge.lua --samples 4 --set solver=newton_euler --set duration=20 --jobs 2 "
      "--plugins \"$1\" --out ";
  const std::string plugin = TEST_PLUGINS "breaking.so";
  ASSERT_EQ(run("sh", {"-c", study + "whole.h5", TORSOR_PROGRAM, plugin}).exit_code, 0);
  const Output killed = run("sh", {"-c",
                                   study + "h.h5 & study=$!\n"
                                           "until [ -e h.h5 ] && [ $# -gt 0 ]; do\n"
                                           "  set -- $(cat /proc/$study/task/*/children)\n"
                                           "done\n"
                                           "kill -9 $1 && wait $study",
                                   TORSOR_PROGRAM, plugin});
  ASSERT_EQ(killed.exit_code, 0) << killed.err;
  EXPECT_EQ(hash("h.h5"), hash("whole.h5"));
}

}  // namespace
}  // namespace torsor::test
