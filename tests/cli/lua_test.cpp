// Tests of torsor lua and torsor.study.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "cli/program.hpp"
#include "torsor/study/table/study_reader.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A mass of 1 kg that moves at constant speed: final = x0 + speed.
constexpr const char* glide = R"(
local torsor = require "torsor"
local p = torsor.params{ speed = torsor.uniform(0, 2), x0 = torsor.normal(0, 1),
  law = torsor.choice{ "a", "b" } }
local arm = torsor.robot{ name = "mass" }
arm:link{ name = "body", joint = { "prismatic", name = "rail", axis = {1, 0, 0} },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
arm:set{ q = {p.x0}, v = {p.speed} }
local world = torsor.world{ gravity = {0, 0, 0} }
world:add(arm)
return world:experiment{ integrator = { "rk4", dt = 0.1 }, duration = 1, record = { "mass.q" },
  outcome = { function(run)
    if p.speed > 1.9 then error("too fast") end
    return { final = run:final("mass.q.rail") }
  end, units = { final = "m" } } }
)";

class Lua : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    file("glide.lua", glide);
  }
  Output lua(const std::string& text, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(),
                     {"lua", file("script.lua", "local torsor = require \"torsor\"\n" + text)});
    return torsor(arguments);
  }
  // Runs a script that must be rejected with one line.
  std::string rejected(const std::string& text) {
    const Output output = lua(text);
    EXPECT_EQ(output.exit_code, 2) << output.out;
    EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1) << output.err;
    return output.err;
  }
};

TEST_F(Lua, RunsStudiesAndReadsTheirResults) {
  const Output output = lua(R"(
local s = torsor.study{ scene = "glide.lua", samples = 200, seed = 3 }
local speed, x0, final, law = s:column("speed"), s:column("x0"), s:column("final"), s:column("law")
assert(#speed == 200 and (law[1] == "a" or law[1] == "b"))
local failed = 0
for k = 1, 200 do
  if final[k] ~= final[k] then failed = failed + 1; assert(speed[k] > 1.9)
  else assert(math.abs(final[k] - speed[k] - x0[k]) < 1e-12) end
end
local f, st = s:failures(), s:statistics("final")
assert(f.samples == 200 and f.failed == failed and f.rate_from < f.rate and f.rate < f.rate_to)
assert(st.samples == 200 - failed and st.min < st.median and st.median < st.max)
assert(st.rank_correlations.x0 > 0.5 and st.rank_correlations.law == nil)
print(s:path(), failed, f.messages[1]))");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, AllOf(HasSubstr("recordings/glide-study.h5"), HasSubstr("too fast")));
  ASSERT_EQ(torsor({"study", "glide.lua", "--samples", "200", "--seed", "3", "--out", "cli.h5"})
                .exit_code,
            0);
  EXPECT_EQ(study_hash(StudyReader(folder_ / "cli.h5")),
            study_hash(StudyReader(folder_ / "recordings/glide-study.h5")))
      << "the same study as on the command line";
  EXPECT_THAT(torsor({"run", "glide.lua", "--sample", "recordings/glide-study.h5:0"}).out,
              HasSubstr("the same final state to the bit"));
}

TEST_F(Lua, ContinuesATableThatExists) {
  const std::string text =
      "local s = torsor.study{ scene = 'glide.lua', grid = { speed = {0.5, 1}, law = {'b'} }, "
      "set = { x0 = 2 }, out = 'g.h5' }\nprint(s:column('final')[2])\n";
  EXPECT_EQ(lua(text).out, "3.0\n");
  const auto written = std::filesystem::last_write_time(folder_ / "recordings/g.h5");
  EXPECT_EQ(lua(text).out, "3.0\n");
  EXPECT_EQ(std::filesystem::last_write_time(folder_ / "recordings/g.h5"), written);
  file("glide.lua", glide + std::string("-- changed\n"));
  EXPECT_THAT(rejected(text), HasSubstr("glide.lua' has changed since"));
  EXPECT_EQ(lua("torsor.study{ scene = 'glide.lua', samples = 2, out = 'g.h5', replace = true }")
                .exit_code,
            0);
}

TEST_F(Lua, HasSensitivities) {
  const Output output = lua(R"(
local s = torsor.study{ scene = "glide.lua", samples = 4098, design = "saltelli",
  set = { law = "a", speed = 1 } }
print(s:statistics("final").sensitivities.x0.total > 0.9)
s:export("t.csv"))");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_EQ(output.out, "true\n");
  EXPECT_THAT(read("recordings/t.csv"), testing::StartsWith("sample,status,"));
}

TEST_F(Lua, DrawsPictures) {
  const Output output = lua(R"(
local s = torsor.study{ scene = "glide.lua", samples = 100 }
print(s:draw("bands.svg", { picture = "bands", outcomes = { "final" } })))");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_EQ(output.out, "recordings/bands.svg\n");
  EXPECT_THAT(read("recordings/bands.svg"), HasSubstr("</svg>"));
}

TEST_F(Lua, TakesSettingsAndAnOutputFolder) {
  EXPECT_EQ(lua("local p = torsor.params{ n = 3 }\n"
                "print(#torsor.study{ scene = 'glide.lua', samples = p.n }:column('x0'))",
                {"--set", "n=5", "--folder", "out"})
                .out,
            "5\n");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/glide-study.h5"));
}

TEST_F(Lua, RejectsWrongCalls) {
  const std::pair<const char*, const char*> cases[] = {
      {"torsor.study()", "torsor.study takes a table"},
      {"torsor.study{ scene = 'none.lua', samples = 3 }", "none.lua"},
      {"torsor.study{ scene = 'glide.lua' }", "has infinitely many values"},
      {"torsor.study{ scene = 'glide.lua', samples = 0.5 }", "samples is 0.5; it must be a whole"},
      {"torsor.study{ scene = 'glide.lua', samples = 3, sed = 1 }", "did you mean 'seed'?"},
      {"torsor.study{ scene = 'glide.lua', samples = 3, grid = { speed = {1} } }",
       "samples, grid and from exclude each other"},
      {"torsor.study{ scene = 'glide.lua', samples = 3, out = '../x.h5' }",
       "scripts write to the folder 'recordings' only"},
      {"torsor.study{ scene = 'glide.lua', samples = 3, out = 'x.csv' }", "must end in .h5"},
      {"torsor.study{ scene = 'glide.lua', samples = 3, design = 'sobel' }", "sobol"},
      {"torsor.study{ scene = 'glide.lua', samples = 3 }:column('fnal')", "did you mean 'final'?"},
      {"torsor.study{ scene = 'glide.lua', samples = 3, replace = true }:draw('x.pdf')",
       "must end in .svg or .png"},
      {"print(1", "script.lua:2:"},
  };
  for (const auto& [text, message] : cases) EXPECT_THAT(rejected(text), HasSubstr(message)) << text;
  file("scene.lua", "local torsor = require 'torsor'\ntorsor.study{ scene = 'glide.lua' }\n");
  EXPECT_THAT(torsor({"run", "scene.lua"}).err,
              HasSubstr("torsor.study is not available in scenes"));
}

// The script of the repository with small studies.
TEST_F(Lua, RunsTheExperiments) {
  const Output output =
      torsor({"lua", source("scenes/experiments.lua").string(), "--set", "samples=8"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, AllOf(HasSubstr("exponent: median"), HasSubstr("payload: 0 of 8")));
}

}  // namespace
}  // namespace torsor::test
