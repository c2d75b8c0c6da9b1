// Tests of user errors: each gives one clear line and exit code 2, and writes no files.

#include <gmock/gmock.h>

#include <algorithm>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

class Malformed : public Program {
 protected:
  void expect_rejected(const std::vector<std::string>& arguments,
                       const std::vector<std::string>& said, const std::string& input = "") {
    const Output output = torsor(arguments, input);
    EXPECT_EQ(output.exit_code, 2) << output.err;
    EXPECT_EQ(output.out, "");
    EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1) << output.err;
    EXPECT_THAT(output.err, testing::StartsWith("torsor: "));
    for (const std::string& words : said) EXPECT_THAT(output.err, HasSubstr(words));
    EXPECT_THAT(written(), testing::IsEmpty());
  }
  // Writes a scene of one link. `link` is the text of the link's table, `experiment` more text of
  // the experiment, `before` text before the robot.
  std::string scene(const std::string& link, const std::string& experiment = "",
                    const std::string& before = "") {
    return file("scene.lua", R"(local torsor = require "torsor"
)" + before + R"(
local arm = torsor.robot{ name = "arm" }
arm:link{ )" + link + R"( }
local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)
return world:experiment{ solver = "articulated_body", integrator = { "rk4", dt = 1e-3 }, duration = 0.01, record = { "arm.q" } )" +
                                 experiment + "}\n");
  }
  static std::string link(
      const std::string& inertia = good_inertia(),
      const std::string& joint = "\"revolute\", name = \"j\", axis = {0, 1, 0}") {
    return "name = \"l\", joint = { " + joint + " }, inertia = { " + inertia + " }";
  }
  // Returns the text of a link with a revolute joint that has these additional keys.
  static std::string with(const std::string& keys, const std::string& joint = "j") {
    std::string text =
        link(good_inertia(), "'revolute', name = '" + joint + "', axis = {0, 1, 0}, " + keys);
    return text.replace(text.find("\"l\""), 3, joint == "j" ? "'l'" : "'" + joint + "'");
  }
  static std::string good_inertia() {
    return "mass = 1, com = {0.1, 0, 0}, about_com = " + tensor();
  }
  static std::string tensor() { return "{ Ixx = 1, Iyy = 1, Izz = 1, Ixy = 0, Ixz = 0, Iyz = 0 }"; }
};

TEST_F(Malformed, TheSceneThatTheOthersBreakIsGood) {
  const Output output = torsor({"run", scene(link())});
  EXPECT_EQ(output.exit_code, 0) << output.err;
}

TEST_F(Malformed, Commands) {
  expect_rejected({}, {"--help"});
  expect_rejected({"rnu", "a.lua"}, {"did you mean 'run'"});
  expect_rejected({"run"}, {"SCENE", "--help"});
  expect_rejected({"run", "a.lua", "--durration", "3"}, {"did you mean '--duration'"});
  expect_rejected({"run", "a.lua", "--duration", "long"}, {"--duration"});
}

TEST_F(Malformed, SceneFiles) {
  expect_rejected({"run", "nowhere.lua"}, {"nowhere.lua"});
  expect_rejected({"run", folder_.string()}, {folder_.string()});
  expect_rejected({"run", file("a.lua", "local x = = 2\n")}, {"a.lua:1:"});
  expect_rejected({"run", file("b.lua", "return 3\n")}, {"b.lua", "experiment"});
  expect_rejected({"run", file("c.lua", "\x1bLua binary")}, {"c.lua"});
}

TEST_F(Malformed, KeysAndNames) {
  expect_rejected({"run", scene(link() + ", intertia = 3")},
                  {"scene.lua:4:", "intertia", "did you mean 'inertia'"});
  expect_rejected({"run", scene(link(), ", sovler = 1")}, {"sovler", "did you mean 'solver'"});
  expect_rejected({"run", scene(link()), "--solver", "newton_oiler"},
                  {"did you mean 'newton_euler'", "articulated_body"});
  expect_rejected({"run", scene(link()), "--set", "mass=3"}, {"mass"});
  expect_rejected({"run", scene(link()), "--set", "mass"}, {"NAME=VALUE"});
  expect_rejected({"run", scene(link() + ", parent = \"nobody\"")}, {"nobody"});
  expect_rejected({"run", scene(link()), "--set", "a=\xff"}, {"UTF-8"});
  expect_rejected({"run", scene(link("mass = 1, com = {0.1, 0, 0}, about_com = " + tensor(),
                                     "\"revolute\", name = \"a\\nb\", axis = {0, 1, 0}"))},
                  {"scene.lua:4:", "name of a joint"});
}

TEST_F(Malformed, Numbers) {
  expect_rejected({"run", scene(link("mass = -1, com = {0, 0, 0}, about_com = " + tensor()))},
                  {"scene.lua:4:", "'l'", "mass"});
  expect_rejected({"run", scene(link("mass = 0/0, com = {0, 0, 0}, about_com = " + tensor()))},
                  {"scene.lua:4:", "mass"});
  expect_rejected({"run", scene(link("mass = 1, com = {0, 0}, about_com = " + tensor()))},
                  {"scene.lua:4:", "com", "3"});
  expect_rejected(
      {"run", scene(link("mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 3, Ixy "
                         "= 0, Ixz = 0, Iyz = 0 }"))},
      {"scene.lua:4:", "'l'", "triangle", "allow_nonphysical"});
  expect_rejected({"run", scene(link()), "--duration", "-1"}, {"duration"});
  expect_rejected({"run", scene(link()), "--duration", "0.0105"}, {"whole number of steps"});
  expect_rejected(
      {"run",
       scene(link("mass = 1, com = {0.1, 0, 0}, about_com = " + tensor(),
                  "\"revolute\", name = \"j\", standard_dh = {a = 1, alpha = 0, d = 0, theta = 0}, "
                  "modified_dh = {alpha = 0, d = 0, theta = 0, r = 0}"))},
      {"standard_dh", "modified_dh"});
}

TEST_F(Malformed, Drives) {
  const auto refused = [&](const std::string& keys, const std::string& said) {
    expect_rejected({"run", scene(with(keys))}, {"scene.lua:4: ", said});
  };
  const std::string motor = ", motor = { rotor_inertia = 1e-3 }";
  refused("elastic = { stiffness = -1 }" + motor, "stiffness of the elastic joint is -1");
  refused("elastic = { stiffness = 0 }" + motor, "positive");
  refused("elastic = { stiffness = 1, cubic = -1 }" + motor,
          "cubic stiffness of the elastic joint is -1");
  refused("elastic = { stiffness = 1 }", "has no motor; give it motor");
  refused("spring = { stiffness = -1 }", "stiffness of the spring is -1");
  refused("friction = { 'coulomb', coulomb = -1 }", "Coulomb friction is -1");
  refused("friction = { 'coulomb', coulomb = 2, static = 1 }",
          "the static friction is 1; it must be at least the Coulomb friction, 2");
  refused("friction = { 'stribeck', coulomb = 1, static = 2, decay = 0 }",
          "decay of the friction is 0");
  refused("friction = { 'lugre', coulomb = 0, static = 2, decay = 1, bristle_stiffness = 1 }",
          "Coulomb friction is 0");
  refused("friction = { 'coulumb', coulomb = 1 }", "unknown law 'coulumb'");
  refused("friction = { 'coulumb', coulomb = 1 }", "did you mean 'coulomb'?");
  refused("motor = { rotor_inertia = 1e-3, gear_ratio = 0 }", "gear ratio is 0");
  refused("limits = { lower = 1, upper = -1 }",
          "the lower limit is 1; it must be at most the upper one, -1");
  refused("limits = { effort = -1 }", "the effort limit is -1; it must not be negative");
  refused("limits = { lower = -1, upper = 1 }, stop = { restitution = 2 }",
          "it must be from 0 to 1");
  expect_rejected({"run", scene(with("limits = { upper = 1 }, stop = { restitution = 0 }") +
                                " }\narm:set{ q = {2}")},
                  {"scene.lua: joint 'j' is at 2, beyond its stop at 1", "move the limit"});
}

TEST_F(Malformed, Mimics) {
  const auto other = [](const std::string& name, const std::string& of) {
    return " }\narm:link{ " + with("mimic = { joint = '" + of + "' }", name);
  };
  const auto mimics = [](const std::string& of) {
    return with("mimic = { joint = '" + of + "' }");
  };
  expect_rejected({"run", scene(mimics("j"))}, {"scene.lua:4: ", "in a cycle: 'j' -> 'j'"});
  expect_rejected({"run", scene(mimics("k") + other("k", "j"))},
                  {"scene.lua:4: ", "'j' -> 'k' -> 'j'"});
  expect_rejected({"run", scene(mimics("k") + other("k", "m") + other("m", "j"))},
                  {"scene.lua:4: ", "'j' -> 'k' -> 'm' -> 'j'; remove the mimic of one of them"});
  expect_rejected({"run", scene(mimics("kk") + " }\narm:link{ " + with("damping = 0", "k"))},
                  {"scene.lua:4: joint 'j'", "did you mean 'k'?"});
}

TEST_F(Malformed, Integrators) {
  const auto refused = [&](const std::string& entry, const std::string& said) {
    expect_rejected({"run", scene(link(), ", integrator = { " + entry + " }")},
                    {"scene.lua:7: ", said});
  };
  refused("'rk5', dt = 1e-3", "unknown name 'rk5'");
  refused("'rk5', dt = 1e-3", "did you mean 'rk4'?");
  for (const char* dt : {"0", "-1", "0/0", "math.huge"})
    refused("'rk4', dt = " + std::string(dt), "integrator.dt is ");
  for (const char* name : {"dormand_prince", "fehlberg", "dirk", "bdf"})
    for (const std::string key : {"rtol", "atol"})
      for (const char* value : {"0", "-1", "0/0", "math.huge"})
        refused("'" + std::string(name) + "', dt = 1e-3, " + key + " = " + value,
                "integrator." + key + " is ");
  for (const char* name : {"euler", "semi_implicit_euler", "rk4", "implicit_midpoint"})
    refused("'" + std::string(name) + "', dt = 1e-3, rtol = 1e-6", "integrator has rtol");
}

TEST_F(Malformed, StatesAndLoads) {
  const auto refused = [&](const std::string& call, const std::string& said,
                           const std::string& joint = "damping = 0") {
    expect_rejected({"run", scene(with(joint) + " }\n" + call.substr(0, call.rfind('}')))},
                    {"scene.lua:5: ", said});
  };
  for (const char* call :
       {"arm:apply{ tau = { j = 1 } }", "arm:apply{ motor_tau = { j = 1 } }",
        "arm:apply{ tau = {1} }", "arm:apply{ tau = { j = function(t) return 1 end } }"})
    refused(call, "joint 'j' is passive: no torque can be applied to it", "passive = true");
  refused("arm:apply{ wrenches = { ll = { force = {1, 0, 0} } } }",
          "no link or frame 'll'; did you mean 'l'?");
  refused("arm:set{ motor_q = { j = 1 } }", "joint 'j' is not elastic");
  expect_rejected({"run", scene(link(good_inertia(), "'floating', name = 'b'") +
                                " }\narm:set{ q = { b = {0, 0, 0, 0, 0, 0, 0} }")},
                  {"scene.lua:5: ", "joint 'b': the quaternion", "has norm 0"});
  expect_rejected({"run", scene(with("damping = 0") +
                                " }\narm:transmission{ joints = {'j'}, jacobian = {{0}}, motors = "
                                "{ { rotor_inertia = 1 } }")},
                  {"scene.lua:5: transmission: ", "singular"});
}

TEST_F(Malformed, SavedStates) {
  const std::string good = scene(link());
  ASSERT_EQ(torsor({"run", good, "--save-state", "state", "--duration", "0.005"}).exit_code, 0);
  const std::string bytes = read("state");
  std::filesystem::remove(folder_ / "state");
  std::filesystem::remove_all(folder_ / "recordings");
  const auto refused = [&](const std::string& state, const std::string& said) {
    expect_rejected({"run", good, "--from-state", state}, {said});
  };
  refused("nowhere", "nowhere: there is no such file; `torsor run SCENE --save-state");
  refused(folder_.string(), "this is a folder; `torsor run SCENE --save-state");
  refused(file("empty", ""), "empty: the file is empty; `torsor run SCENE --save-state");
  refused(file("text", "no state"),
          "text: this is not a saved state, or it is of another version; save it again with "
          "--save-state");
  refused(file("part", bytes.substr(0, bytes.size() - 3)),
          "part: the saved state is too short or too long; save it again");
  std::string damaged = bytes;
  damaged.back() ^= 1;
  refused(file("damaged", damaged), "damaged: the saved state is damaged");
  expect_rejected({"run", scene(with("damping = 3")), "--from-state", file("whole", bytes)},
                  {"scene.lua: the saved state is of another model"});
  expect_rejected({"run", good, "--save-state", "/proc/nowhere/state"}, {"cannot write"});
  expect_rejected({"run", good, "--save-state", folder_.string()}, {"not a regular file"});
}

TEST_F(Malformed, Trees) {
  expect_rejected({"run", scene(link() + " }\narm:link{ " + link())},
                  {"scene.lua:5:", "two links named 'l'"});
  expect_rejected({"run", scene("parent = \"l\", " + link())}, {"loop"});
}

TEST_F(Malformed, Urdf) {
  const auto urdf = [&](const std::string& body) {
    return std::vector<std::string>{
        "eval", file("a.urdf", "<robot name='r'>\n" + body + "\n</robot>"), "--states", "-"};
  };
  const std::string states = R"({"states": [{}]})";
  const std::string ab = "<link name='a'/><link name='b'/>";
  expect_rejected(urdf("<link name='a'/>\n<link name='b'/>"), {"a.urdf:", "root"}, states);
  expect_rejected(
      urdf(ab + "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint><joint "
                "name='k' type='fixed'><parent link='b'/><child link='a'/></joint>"),
      {"a.urdf"}, states);
  expect_rejected(
      urdf("<link name='a'><inertial><mass value='nan'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "
           "ixz='0' iyz='0'/></inertial></link>"),
      {"a.urdf:2:", "nan"}, states);
  std::vector<std::string> strict = urdf("<link name='a'><inertail/></link>");
  strict.push_back("--strict");
  expect_rejected(strict, {"a.urdf:2:", "did you mean 'inertial'"}, states);
  expect_rejected(urdf("<link name='a'>"), {"a.urdf"}, states);
}

TEST_F(Malformed, StatesFiles) {
  const std::string robot = file("arm.lua", R"(local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
arm:link{ )" + link() + R"( }
return arm
)");
  const auto refused = [&](const std::string& states, const std::vector<std::string>& said) {
    expect_rejected({"eval", robot, "--states", file("s.json", states)}, said);
  };
  refused("{\"states\": [", {"s.json:1:13: not JSON: the text ends too early"});
  refused("", {"s.json:1:1:", "empty"});
  refused("{\"states\": [{}],\n}", {"s.json:2:1: not JSON: unexpected '}'"});
  refused("{\n  states: []}", {"s.json:2:3: not JSON: unexpected 's'"});
  refused("[]", {"s.json", "object"});
  refused("{}", {"states"});
  refused(R"({"states": [{"q": [1, 2]}]})", {"states[0].q", "1 numbers", "has 2"});
  refused(R"({"states": [{}, {"tau": "x"}]})", {"states[1].tau"});
  refused(R"({"states": [{"tau": [null]}]})", {"states[0].tau[0]", "null"});
  refused(R"({"states": [{"q": [1e999]}]})", {"s.json:1:20: the number 1e999 is too large"});
  refused(R"({"states": [{"torque": [1]}]})", {"torque", "unknown key"});
  refused(R"({"states": [{"q": [1], "q": [2]}]})", {"\"q\" occurs twice"});
  refused(R"({"joints": ["k"], "states": []})", {"'k'"});
  refused(R"({"joints": [], "states": []})", {"0 joints", "1 moving joint"});
  refused(R"({"joints": ["j", "j"], "states": []})", {"twice"});
  refused(R"({"gravity": [1, 2], "states": []})", {"gravity", "has 2"});
  refused(R"({"states": [{"wrenches": {"m": [0, 0, 0, 0, 0, 0]}}]})", {"wrenches", "'m'"});
  refused(R"({"states": [{"wrenches": {"l": [0, 0, 0]}}]})", {"wrenches.l", "6 numbers"});
  expect_rejected({"eval", robot, "--states", "nowhere.json"}, {"nowhere.json"});
  expect_rejected({"eval", robot, "--states", folder_.string()}, {"folder"});
  expect_rejected({"eval", robot, "--states", std::string(5000, 'x')},
                  {"it cannot be read: File name too long"});
  expect_rejected({"eval", robot, "--states", "-", "--gravity", "nan,0,0"}, {"--gravity", "finite"},
                  R"({"states": []})");
  expect_rejected({"eval", file("arm.stl", ""), "--states", "-"},
                  {"neither a .urdf", " nor a .lua file"}, R"({"states": []})");
  expect_rejected({"eval", robot, "--states", "-"}, {"the file must be an object, not an array"},
                  "[]");
  expect_rejected({"eval", robot, "--states", "-", "--quantity", "gravty"},
                  {"did you mean 'gravity'"}, R"({"states": []})");
}

TEST_F(Malformed, FilesOfAnotherKind) {
  expect_rejected({"lint", "nowhere"},
                  {"nowhere: there is no such file; give a .urdf", " or .lua file"});
  expect_rejected({"inspect", folder_.string()}, {"this is a folder"});
  expect_rejected({"compare", "/dev/null"}, {"/dev/null: this is not a regular file"});
  expect_rejected({"lint", file("a.h5", "")},
                  {"a.h5: this is a recording", "torsor info, plot and view take"});
  expect_rejected({"run", file("a.csv", "t [s]\n0\n")}, {"a.csv: this is a recording"});
  expect_rejected({"run", file("picture.lua", "\x89PNG\r\n\x1a\n")},
                  {"picture.lua: this is not a text file"});
  expect_rejected({"validate", file("r.urdf", "<robot name='r'/>")},
                  {"r.urdf: this is a robot, not a plugin"});
  expect_rejected({"validate", scene(link())}, {"scene.lua: this is a scene, not a plugin"});
  const std::string state = R"({"states": []})";
  expect_rejected({"eval", file("d.lua", "return {}"), "--states", "-"}, {"a table without build"},
                  state);
  expect_rejected({"eval", file("e.lua", "return { build = 3 }"), "--states", "-"},
                  {"a table whose build is a number"}, state);
}

TEST_F(Malformed, ScriptsThatNeverEnd) {
  expect_rejected({"run", scene(link(), "", "while true do end")}, {"scene.lua:2:", "never ends"});
  expect_rejected({"run", scene(link(), "", "local t = {} while true do t[#t + 1] = {} end")},
                  {"scene.lua:2:", "memory"});
  expect_rejected(
      {"run", scene(link(), "", "string.find(string.rep('a', 5000), string.rep('a*', 30) .. 'b')")},
      {"scene.lua:2:"});
  expect_rejected({"run", scene(link(), "", "os.execute('touch escaped')")},
                  {"scene.lua:2:", "os"});
}

TEST_F(Malformed, PluginsAndFolders) {
  const std::string good = scene(link());
  expect_rejected({"run", good, "--plugins", "nowhere"}, {"nowhere"});
  expect_rejected({"run", good, "--plugins", file("text.so", "no plugin")}, {"text.so"});
  expect_rejected(
      {"run", good, "--plugins",
       std::filesystem::path(file("plugins/bad.so", "no plugin")).parent_path().string()},
      {"bad.so"});
  file("taken", "a file");
  expect_rejected({"run", good, "--folder", "taken"}, {"taken"});
  expect_rejected({"run", good, "--folder", "/proc/nowhere"}, {"/proc/nowhere"});
}

}  // namespace
}  // namespace torsor::test
