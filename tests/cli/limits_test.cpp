// Tests of scenes and files that try to exhaust the memory or the time of the machine. Each ends
// with a message of one line, in less than 70 s. It takes less than 200 MB more than a simple
// scene.

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>

#include "cli/program.hpp"
#include "torsor/base/sanitized.hpp"

namespace torsor::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// The beginning of the scenes. chain(n) returns a robot of n links. finish(arm, options) returns
// its experiment.
const std::string head = R"(local torsor = require "torsor"
local function chain(n, name)
  local arm = torsor.robot{ name = name or "arm" }
  for i = 1, n do
    arm:link{ name = "l" .. i, parent = i > 1 and "l" .. (i - 1) or nil,
      joint = { "revolute", name = "j" .. i, axis = { 0, 1, i % 2 } }, origin = { xyz = { 0, 0, 0.1 } },
      inertia = { mass = 1, com = { 0, 0, 0.05 }, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = 0.1 } } }
  end
  return arm
end
local function finish(arm, options)
  local world = torsor.world{}
  world:add(arm)
  local all = { solver = "newton_euler", integrator = { "rk4", dt = 0.001 }, duration = 0.002, record = { "arm.q" } }
  for k, v in pairs(options or {}) do all[k] = v end
  return world:experiment(all)
end
)";

std::string call(int n, const std::string& calls, const std::string& solver = "newton_euler") {
  return head + "local arm = chain(" + std::to_string(n) + ")\nlocal d = arm:dynamics{ solver = '" +
         solver + "' }\nlocal q = {} for i = 1, " + std::to_string(n) + " do q[i] = 0.1 end\n" +
         calls + "\nreturn finish(arm)\n";
}
std::string scene(const std::string& statements) {
  return head + statements;
}

using Prepare = std::function<void(const fs::path& folder)>;
Prepare device(const std::string& name) {
  return [name](const fs::path& folder) { fs::create_symlink("/dev/zero", folder / name); };
}
Prepare pipe(const std::string& name) {
  return [name](const fs::path& folder) { ASSERT_EQ(mkfifo((folder / name).c_str(), 0600), 0); };
}
// Writes a sparse file of this size.
Prepare hole(const std::string& name, uintmax_t bytes) {
  return [name, bytes](const fs::path& folder) {
    std::ofstream(folder / name) << "";
    fs::resize_file(folder / name, bytes);
  };
}
Prepare text(const std::string& name, const std::string& start, const std::string& repeated,
             int times, const std::string& end = "") {
  return [=](const fs::path& folder) {
    std::ofstream out(folder / name);
    out << start;
    for (int k = 0; k < times; ++k) out << repeated;
    out << end;
  };
}

struct Attempt {
  const char* name;
  std::string scene, message;
  Prepare prepare = {};
  std::vector<std::string> arguments = {"run", "scene.lua"};
};
std::ostream& operator<<(std::ostream& out, const Attempt& attempt) {
  return out << attempt.name;
}

class Limits : public Program, public testing::WithParamInterface<Attempt> {
 protected:
  double plain_mb() {
    file("plain.lua", head + "return finish(chain(2))\n");
    const Output plain = torsor({"run", "plain.lua"});
    EXPECT_EQ(plain.exit_code, 0) << plain.err;
    return plain.peak_mb;
  }
};

TEST_P(Limits, EndInOneLine) {
  const auto& [name, lua, message, prepare, arguments] = GetParam();
  if (!lua.empty()) file("scene.lua", lua);
  if (prepare) prepare(folder_);
  const double plain = plain_mb();
  const Output output = torsor(arguments);
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_THAT(output.err, HasSubstr(message));
  EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1) << output.err;
  EXPECT_LT(output.err.size(), 2500u);
  if (!TORSOR_SANITIZED) {  // it needs memory of its own
    EXPECT_LT(output.peak_mb, plain + 200);
  }
  EXPECT_LT(output.seconds, 70);
}

const std::string urdf = "return finish(torsor.urdf('z.urdf'))\n",
                  csv =
                      "local arm = chain(2)\narm:trajectory('playback', { path = 'z.csv' "
                      "})\nreturn finish(arm)\n",
                  robot = "return chain(3)\n";
const std::vector<std::string> eval{"eval", "scene.lua", "--states", "z.json"};

std::vector<Attempt> attempts() {
  const std::string needed = "MB of memory are needed", steps = "million steps are needed",
                    irregular = "this is not a regular file",
                    outside = "is outside the folder of this file";
  return {
      {"Christoffel", call(650, "d:christoffel(q)"), needed},
      {"SecondPartials", call(650, "d:second_partials(q, q, q)"), needed},
      {"MassMatrix", call(4000, "d:mass_matrix(q)"), needed},
      {"Coriolis", call(3000, "d:coriolis(q, q)"), needed},
      {"Regressor", call(1200, "d:regressor(q, q, q)"), needed},
      {"InversePartials", call(2000, "d:inverse_partials(q, q, q)"), "are needed"},
      {"ForwardPartials", call(2000, "d:forward_partials(q, q, q)"), "are needed"},
      {"EquationRates", call(1200, "d:equation_rates(q, q, q, q, q)", "lie_group"), "are needed"},
      {"OperationalSpace", call(1500, "d:operational_space('l1500', q, q)"), "are needed"},
      {"LinearisedStep", call(800, "d:linearise{ q = q, v = q, tau = q, dt = 0.001 }"),
       "are needed"},
      {"ManySolvers",
       scene("local arm = chain(650)\nfor i = 1, 30 do arm:dynamics{ solver = 'lie_group' } end"),
       needed},
      {"BaseParameters", scene("chain(300):base_parameters{}"), steps},
      {"InverseKinematics",
       scene("chain(500):inverse_kinematics{ frame = 'l500', position = { 1000, 2, 3 }, "
             "max_iterations = 10000, required = false }"),
       "million steps"},
      {"StatesOfForces",
       scene("torsor.force('f', { states = 1e6, evaluate = function() end })\nlocal world = "
             "torsor.world{}\n"
             "world:add(chain(2))\nfor i = 1, 100 do world:force('f', {}) end\nreturn "
             "world:experiment{ solver = 'newton_euler', integrator = { 'rk4', dt = 0.001 }, "
             "duration = 0.002, record = {} }"),
       needed},
      {"StatesOfPlugins",
       scene("torsor.plugins{ 'z.lua' }\nlocal world = torsor.world{}\nworld:add(chain(2))\nfor i "
             "= 1, 20 do world:force('f', {}) end\nreturn world:experiment{ solver = "
             "'newton_euler', integrator = { 'rk4', dt = 0.001 }, duration = 0.002, record = {} }"),
       "of memory",
       text("z.lua",
            "local t = {} for i = 1, 3000000 do t[i] = i end\nrequire('torsor').force('f', { "
            "evaluate = function() return t end })\n",
            "", 0)},
      {"LongHorizon",
       scene("local arm, world = chain(6), torsor.world{}\nworld:add(arm)\ntorsor.ilqr{ robot = "
             "arm, frame = 'l6', target = { 0.1, 0, 0.2 }, duration = 1000, dt = 0.001, solver = "
             "'newton_euler' }"),
       needed},
      {"KeysOfALargeTable",
       scene("local t = {} for i = 1, 3000000 do t[i] = i end for k in pairs(t) do end"),
       "uses more than 128 MiB"},
      {"LongName", scene("torsor.robot{ name = string.rep('x', 50000000) }"),
       "it must have at most 10000"},
      {"LongPath", scene("torsor.urdf(string.rep('x', 50000000))"), "it must have at most 10000"},
      {"LongNames",
       scene("local s, list = string.rep('x', 9000), {} for i = 1, 100000 do list[i] = s "
             "end\nreturn finish(chain(2), { record = list })"),
       needed},
      {"LongMessage", scene("error(string.rep('x', 60000000))"), "xxx..."},
      {"ManyChanges",
       scene("local tau, c = {}, {} for i = 1, 500 do tau[i] = 0 end for i = 1, 100000 do c[i] = { "
             "at = 0, tau = tau } end\n"
             "return finish(chain(500), { changes = c })"),
       "script"},
      {"UrdfDevice", scene(urdf), outside, device("z.urdf")},
      {"UrdfPipe", scene(urdf), irregular, pipe("z.urdf")},
      {"UrdfDeep", scene(urdf), "limit of",
       text("z.urdf", "<robot name='a'>", "<link>", 1'000'000)},
      {"UrdfManyTags", scene(urdf), "more than the limit of 100000",
       text("z.urdf", "<robot name='a'>", "<link name='x'/>", 200'000, "</robot>")},
      {"UrdfLarge", scene(urdf), "larger than 16 MiB", hole("z.urdf", 3'000'000'000)},
      {"TableDevice", scene(csv), outside, device("z.csv")},
      {"TablePipe", scene(csv), irregular, pipe("z.csv")},
      {"TableOfOneLine", scene(csv), "more than the limit of 100000 columns",
       text("z.csv", "", "1,", 2'000'000)},
      {"TableLarge", scene(csv), "larger than 64 MiB", hole("z.csv", 3'000'000'000)},
      {"TableOfManyRows", scene(csv), needed, text("z.csv", "", "1,2,3\n", 1'500'000)},
      {"ModulePipe", scene("require 'z'"), "module 'z'", pipe("z.lua")},
      {"PluginDevice", scene("torsor.plugins{ 'z.so' }"), "is machine code", device("z.so")},
      {"PluginPipe", scene("torsor.plugins{ 'z.lua' }"), "is not a regular file", pipe("z.lua")},
      {"PluginLarge", scene("torsor.plugins{ 'z.so' }"), "is larger than 256 MiB",
       hole("z.so", 3'000'000'000)},
      {"SceneLarge", "", "larger than 16 MiB", hole("scene.lua", 3'000'000'000)},
      {"StateLarge",
       scene("return finish(chain(2))"),
       "larger than 256 MiB",
       hole("z.state", 3'000'000'000),
       {"run", "scene.lua", "--from-state", "z.state"}},
      {"StatesDevice", scene(robot), irregular, device("z.json"), eval},
      {"StatesDeep", scene(robot), "nested more than 100 levels",
       text("z.json", "", "[", 5'000'000), eval},
      {"StatesLongNumber", scene(robot), "is too large for double precision",
       text("z.json", "{\"states\":[{\"q\":[", "1", 10'000'000, "]}]}"), eval},
      {"RecordingDevice", "", irregular, device("z.csv"), {"info", "z.csv"}},
      {"RecordingOfOneLine",
       "",
       "the line is longer than 16 MiB",
       hole("z.csv", 3'000'000'000),
       {"info", "z.csv"}},
      {"DescriptionDevice",
       "",
       irregular,
       [](const fs::path& folder) {
         device("z.json")(folder);
         text("z.csv", "t [s],a [m]\n", "0,1\n", 2)(folder);
       },
       {"info", "z.csv"}},
  };
}
INSTANTIATE_TEST_SUITE_P(All, Limits, testing::ValuesIn(attempts()),
                         [](const auto& attempt) { return std::string(attempt.param.name); });

class Words : public Program {};

TEST_F(Words, AfterTwoDashesAreOperands) {
  for (const char* name : {"-x.lua", "--help.lua"}) file(name, head + "return finish(chain(2))\n");
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"run", "--", "-x.lua"},
           {"run", "--", "--help.lua"},
           {"--", "run", "-x.lua"},
           {"run", "--set", "a=1", "--", "-x.lua"},
           {"compare", "--samples", "1", "--solver", "newton_euler,lie_group", "--", "-x.lua"},
           {"lint", "--", "-x.lua"}}) {
    const Output output = torsor(arguments);
    EXPECT_THAT(output.err, testing::Not(HasSubstr("no option")))
        << testing::PrintToString(arguments);
    EXPECT_EQ(output.exit_code, arguments[1] == "--set" ? 2 : 0) << output.err;
  }
  const Output plot = torsor({"plot", "--signals", "arm.q", "--out", "a.svg", "--", "-x.h5"});
  EXPECT_THAT(plot.err, HasSubstr("-x.h5: there is no such file"));
  EXPECT_THAT(torsor({"info", "--", "-x.h5", "-y"}).err,
              HasSubstr("'-y' is one argument too many"));
}

// Checks that a message shows a zero byte and the text after it.
TEST_F(Words, ZeroBytesCutNothingShort) {
  const auto error = [&](const std::string& statements) {
    file("scene.lua", head + statements);
    return torsor({"run", "scene.lua"}).err;
  };
  EXPECT_THAT(error("error('before\\0after')"), HasSubstr("before\\x00after"));
  EXPECT_THAT(error("chain(2, 'a\\0b')"), HasSubstr("'a\\x00b', which has a zero byte"));
  EXPECT_THAT(error("torsor.urdf('a.urdf\\0.lua')"),
              HasSubstr("'a.urdf\\x00.lua', which has a zero byte"));
  EXPECT_THAT(error("torsor.params{ ['a\\0b'] = 1 }"), HasSubstr("a\\x00b"));
  EXPECT_THAT(error("torsor.robot{ ['name\\0x'] = 'a' }"), HasSubstr("unknown key 'name\\x00x'"));
  EXPECT_THAT(error("local x = torsor['a\\0b']"), HasSubstr("a\\x00b"));
  EXPECT_THAT(error("print('before\\0after') error('x')"), HasSubstr("before?after"));
}

}  // namespace
}  // namespace torsor::test
