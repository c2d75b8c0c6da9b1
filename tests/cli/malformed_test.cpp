// What a user may get wrong: one clear line, exit code 2, and nothing written.

#include <gmock/gmock.h>

#include <algorithm>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

class Malformed : public Program {
 protected:
  void expect_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& said,
                      const std::string& input = "") {
    const Output output = torsor(arguments, input);
    EXPECT_EQ(output.exit_code, 2) << output.err;
    EXPECT_EQ(output.out, "");
    EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1) << output.err;
    EXPECT_THAT(output.err, testing::StartsWith("torsor: "));
    for (const std::string& words : said) EXPECT_THAT(output.err, HasSubstr(words));
    EXPECT_THAT(written(), testing::IsEmpty());
  }
  // A scene of one link with this text in its link table, and this in its experiment.
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
  static std::string link(const std::string& inertia = "mass = 1, com = {0.1, 0, 0}, about_com = " + tensor(),
                          const std::string& joint = "\"revolute\", name = \"j\", axis = {0, 1, 0}") {
    return "name = \"l\", joint = { " + joint + " }, inertia = { " + inertia + " }";
  }
  static std::string tensor() { return "{ Ixx = 1, Iyy = 1, Izz = 1, Ixy = 0, Ixz = 0, Iyz = 0 }"; }
};

TEST_F(Malformed, TheSceneThatTheOthersBreakIsGood) {
  const Output output = torsor({"run", scene(link())});
  EXPECT_EQ(output.exit_code, 0) << output.err;
}

TEST_F(Malformed, Commands) {
  expect_refused({}, {"--help"});
  expect_refused({"rnu", "a.lua"}, {"did you mean 'run'"});
  expect_refused({"run"}, {"SCENE", "--help"});
  expect_refused({"run", "a.lua", "--durration", "3"}, {"did you mean '--duration'"});
  expect_refused({"run", "a.lua", "--duration", "long"}, {"--duration"});
}

TEST_F(Malformed, SceneFiles) {
  expect_refused({"run", "nowhere.lua"}, {"nowhere.lua"});
  expect_refused({"run", folder_.string()}, {folder_.string()});
  expect_refused({"run", file("a.lua", "local x = = 2\n")}, {"a.lua:1:"});
  expect_refused({"run", file("b.lua", "return 3\n")}, {"b.lua", "experiment"});
  expect_refused({"run", file("c.lua", "\x1bLua binary")}, {"c.lua"});
}

TEST_F(Malformed, KeysAndNames) {
  expect_refused({"run", scene(link() + ", intertia = 3")},
                 {"scene.lua:4:", "intertia", "did you mean 'inertia'"});
  expect_refused({"run", scene(link(), ", sovler = 1")}, {"sovler", "did you mean 'solver'"});
  expect_refused({"run", scene(link()), "--solver", "newton_oiler"},
                 {"did you mean 'newton_euler'", "articulated_body"});
  expect_refused({"run", scene(link()), "--set", "mass=3"}, {"mass"});
  expect_refused({"run", scene(link()), "--set", "mass"}, {"NAME=VALUE"});
  expect_refused({"run", scene(link() + ", parent = \"nobody\"")}, {"nobody"});
  expect_refused({"run", scene(link()), "--set", "a=\xff"}, {"UTF-8"});
  expect_refused({"run", scene(link("mass = 1, com = {0.1, 0, 0}, about_com = " + tensor(),
                                    "\"revolute\", name = \"a\\nb\", axis = {0, 1, 0}"))},
                 {"scene.lua:4:", "name of a joint"});
  expect_refused({"run", scene(link()), "--solver", ""}, {"no solver ''"});
}

TEST_F(Malformed, Numbers) {
  expect_refused({"run", scene(link("mass = -1, com = {0, 0, 0}, about_com = " + tensor()))},
                 {"scene.lua:4:", "'l'", "mass"});
  expect_refused({"run", scene(link("mass = 0/0, com = {0, 0, 0}, about_com = " + tensor()))},
                 {"scene.lua:4:", "mass"});
  expect_refused({"run", scene(link("mass = 1, com = {0, 0}, about_com = " + tensor()))},
                 {"scene.lua:4:", "com", "3"});
  expect_refused({"run", scene(link("mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 3, Ixy "
                                    "= 0, Ixz = 0, Iyz = 0 }"))},
                 {"scene.lua:4:", "'l'", "triangle", "allow_nonphysical"});
  expect_refused({"run", scene(link()), "--duration", "-1"}, {"duration"});
  expect_refused({"run", scene(link()), "--duration", "0.0105"}, {"whole number of steps"});
  expect_refused(
      {"run", scene(link("mass = 1, com = {0.1, 0, 0}, about_com = " + tensor(),
                         "\"revolute\", name = \"j\", standard_dh = {a = 1, alpha = 0, d = 0, theta = 0}, "
                         "modified_dh = {alpha = 0, d = 0, theta = 0, r = 0}"))},
      {"standard_dh", "modified_dh"});
}

TEST_F(Malformed, Trees) {
  expect_refused({"run", scene(link() + " }\narm:link{ " + link())}, {"scene.lua:5:", "two links named 'l'"});
  expect_refused({"run", scene("parent = \"l\", " + link())}, {"loop"});
}

TEST_F(Malformed, Urdf) {
  const auto urdf = [&](const std::string& body) {
    return std::vector<std::string>{"eval", file("a.urdf", "<robot name='r'>\n" + body + "\n</robot>"),
                                    "--states", "-"};
  };
  const std::string states = R"({"states": [{}]})";
  const std::string ab = "<link name='a'/><link name='b'/>";
  expect_refused(urdf("<link name='a'/>\n<link name='b'/>"), {"a.urdf:", "root"}, states);
  expect_refused(urdf(ab + "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
                           "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>"),
                 {"a.urdf"}, states);
  expect_refused(urdf("<link name='a'><inertial><mass value='nan'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "
                      "ixz='0' iyz='0'/></inertial></link>"),
                 {"a.urdf:2:", "nan"}, states);
  expect_refused(urdf("<link name='a'><inertail/></link>"), {"a.urdf:2:", "did you mean 'inertial'"}, states);
  expect_refused(urdf("<link name='a'>"), {"a.urdf"}, states);
}

TEST_F(Malformed, StatesFiles) {
  const std::string robot = file("arm.lua", R"(local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
arm:link{ )" + link() + R"( }
return arm
)");
  const auto refused = [&](const std::string& states, const std::vector<std::string>& said) {
    expect_refused({"eval", robot, "--states", file("s.json", states)}, said);
  };
  refused("{\"states\": [", {"s.json", "line 1"});
  refused("", {"s.json", "JSON"});
  refused("[]", {"s.json", "object"});
  refused("{}", {"states"});
  refused(R"({"states": [{"q": [1, 2]}]})", {"states[0].q", "1 numbers", "has 2"});
  refused(R"({"states": [{}, {"tau": "x"}]})", {"states[1].tau"});
  refused(R"({"states": [{"tau": [null]}]})", {"states[0].tau[0]", "null"});
  refused(R"({"states": [{"q": [1e999]}]})", {"s.json"});
  refused(R"({"states": [{"torque": [1]}]})", {"torque", "unknown key"});
  refused(R"({"states": [{"q": [1], "q": [2]}]})", {"\"q\" comes twice"});
  refused(R"({"joints": ["k"], "states": []})", {"'k'"});
  refused(R"({"joints": [], "states": []})", {"0 joints", "1 that move"});
  refused(R"({"joints": ["j", "j"], "states": []})", {"twice"});
  refused(R"({"gravity": [1, 2], "states": []})", {"gravity", "has 2"});
  refused(R"({"states": [{"wrenches": {"m": [0, 0, 0, 0, 0, 0]}}]})", {"wrenches", "'m'"});
  refused(R"({"states": [{"wrenches": {"l": [0, 0, 0]}}]})", {"wrenches.l", "6 numbers"});
  expect_refused({"eval", robot, "--states", "nowhere.json"}, {"nowhere.json"});
  expect_refused({"eval", robot, "--states", folder_.string()}, {"folder"});
  expect_refused({"eval", robot, "--states", std::string(5000, 'x')}, {"cannot read"});
  expect_refused({"eval", robot, "--states", "-", "--gravity", "nan,0,0"}, {"--gravity", "finite"},
                 R"({"states": []})");
  expect_refused({"eval", "arm.stl", "--states", "-"}, {".urdf or a .lua"}, R"({"states": []})");
  expect_refused({"eval", robot, "--states", "-", "--quantity", "gravty"}, {"did you mean 'gravity'"},
                 R"({"states": []})");
}

TEST_F(Malformed, ScriptsThatNeverEnd) {
  expect_refused({"run", scene(link(), "", "while true do end")}, {"scene.lua:2:", "never ends"});
  expect_refused({"run", scene(link(), "", "local t = {} while true do t[#t + 1] = {} end")},
                 {"scene.lua:2:", "memory"});
  expect_refused(
      {"run", scene(link(), "", "string.find(string.rep('a', 5000), string.rep('a*', 30) .. 'b')")},
      {"scene.lua:2:"});
  expect_refused({"run", scene(link(), "", "os.execute('touch escaped')")}, {"scene.lua:2:", "os"});
}

TEST_F(Malformed, PluginsAndFolders) {
  const std::string good = scene(link());
  expect_refused({"run", good, "--plugins", "nowhere"}, {"nowhere"});
  expect_refused({"run", good, "--plugins", file("text.so", "no plugin")}, {"text.so"});
  expect_refused({"run", good, "--plugins",
                  std::filesystem::path(file("plugins/bad.so", "no plugin")).parent_path().string()},
                 {"bad.so"});
  file("taken", "a file");
  expect_refused({"run", good, "--out", "taken"}, {"taken"});
  expect_refused({"run", good, "--out", "/proc/nowhere"}, {"/proc/nowhere"});
}

}  // namespace
}  // namespace torsor::test
