// Tests of torsor study as a job of mpirun.

#include <gmock/gmock.h>

#include <cstdlib>

#include "cli/program.hpp"
#include "torsor/study/table/study_reader.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A mass on a spring. A sample takes some milliseconds, or long if `slow` is true.
constexpr const char* spring = R"(
local torsor = require "torsor"
local p = torsor.params{ k = torsor.uniform(10, 100), slow = false }
local arm = torsor.robot{ name = "mass" }
arm:link{ name = "body", joint = { "prismatic", name = "rail", axis = {1, 0, 0} },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
arm:set{ q = {1} }
arm:control(function(t, state)
  if p.k > 95 then error("too stiff") end
  return { -p.k * state.q[1] }
end, { name = "spring" })
local world = torsor.world{ gravity = {0, 0, 0} }
world:add(arm)
return world:experiment{ integrator = { "rk4", dt = 5e-3 }, duration = p.slow and 20 or 0.5,
  record = { "mass.q" }, outcome = function(run) return { final = run:final("mass.q.rail") } end }
)";

class MpiStudy : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    file("s.lua", spring);
    // Without these settings, Open MPI rejects jobs of root, and jobs of more ranks than cores.
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
  }
  Output mpi(const std::string& ranks, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-n", ranks, TORSOR_PROGRAM, "study", "s.lua"});
    return run("mpirun", arguments);
  }
  // Script of a shell that waits until the study writes its table. Its positional parameters are
  // then the processes of the ranks.
  static std::string until_ranks_run(const std::string& ranks) {
    return "until [ -e h.h5 ] && [ $# -eq " + ranks +
           " ]; do\n"
           "  set -- $(cat /proc/$job/task/*/children)\n"
           "done\n";
  }
  uint64_t hash(const std::string& name) const { return study_hash(StudyReader(folder_ / name)); }
};

TEST_F(MpiStudy, HasTheSameBytesForAnyNumberOfRanks) {
  ASSERT_EQ(torsor({"study", "s.lua", "--samples", "300", "--out", "threads.h5"}).exit_code, 0);
  for (const char* ranks : {"1", "2", "4"}) {
    const Output output = mpi(ranks, {"--samples", "300", "--out", "mpi.h5", "--replace"});
    ASSERT_EQ(output.exit_code, 0) << output.err;
    EXPECT_THAT(output.out, AllOf(HasSubstr("samples      300 of 300"), HasSubstr(" failed"),
                                  HasSubstr("too stiff")));
    EXPECT_EQ(hash("mpi.h5"), hash("threads.h5"));
  }
}

TEST_F(MpiStudy, ReportsAnErrorOnce) {
  const Output output = mpi("3", {"--samples", "0"});
  EXPECT_NE(output.exit_code, 0);
  EXPECT_THAT(output.err, HasSubstr("torsor: --samples"));
  EXPECT_EQ(output.err.find("torsor: --samples"), output.err.rfind("torsor: --samples"));
}

// The rank that holds samples is killed in one of them. The others continue, and run them again.
TEST_F(MpiStudy, SurvivesTheLossOfARank) {
  const std::string study = "\"$0\" study s.lua --samples 40 --set slow=true --out ";
  ASSERT_EQ(run("sh", {"-c", study + "whole.h5", TORSOR_PROGRAM}).exit_code, 0);
  const Output output = run("sh", {"-c",
                                   "mpirun --enable-recovery -n 3 " + study + "h.h5 & job=$!\n" +
                                       until_ranks_run("3") + "kill -9 $3 && wait $job",
                                   TORSOR_PROGRAM});
  EXPECT_THAT(output.err, HasSubstr("warning: rank 2 has left the study: it has sent nothing"));
  EXPECT_EQ(hash("h.h5"), hash("whole.h5"));
}

// All processes are killed at any time, and --resume continues.
TEST_F(MpiStudy, ContinuesAfterAKill) {
  const std::string study = "\"$0\" study s.lua --samples 400 --out ";
  ASSERT_EQ(run("sh", {"-c", study + "whole.h5", TORSOR_PROGRAM}).exit_code, 0);
  run("sh",
      {"-c",
       "mpirun -n 2 " + study + "h.h5 & job=$!\n" + until_ranks_run("2") + "kill -9 $1; wait $job",
       TORSOR_PROGRAM});
  const Output output = mpi("2", {"--samples", "400", "--out", "h.h5", "--resume"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_EQ(hash("h.h5"), hash("whole.h5"));
}

}  // namespace
}  // namespace torsor::test
