// Tests of torsor eval and inspect for robots with closures.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

class ClosedMechanism : public Program {
 protected:
  const std::string four_bar = source("scenes/four_bar.lua").string();
  Json eval(const std::string& states, std::vector<std::string> more = {}) {
    return eval_of(four_bar, states, std::move(more));
  }
  Json eval_of(const std::string& robot, const std::string& states,
               std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"eval", robot, "--states", file("states.json", states)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Output output = torsor(arguments);
    EXPECT_EQ(output.exit_code, 0) << output.err;
    return Json::parse(output.out);
  }
};

// forward(inverse) is the identity, and the quantities of the reduced equation agree with it.
TEST_F(ClosedMechanism, IsEvaluated) {
  const std::vector<std::string> options{"--assemble", "--independent", "drive", "--actuated",
                                         "drive"};
  const Json out = eval(
      R"({"states": [{"q": [-0.35, -0.2, -1.7], "v": [2, 0, 0], "vdot": [3, 0, 0]}]})", options);
  EXPECT_EQ(out["of_the_tree"][0], "inverse_dynamics");
  const Json& at = out["results"][0];
  EXPECT_EQ(at["q"][0], -0.35);
  EXPECT_EQ(at["v"][0], 2);
  EXPECT_EQ(at["constraints"]["rank"], 2);
  EXPECT_EQ(at["constraints"]["redundant"]["pin"], 3);
  EXPECT_EQ(at["constraints"]["independent"], Json{"drive"});
  const Json &inverse = at["constrained_inverse_dynamics"], &reduced = at["reduced_dynamics"];
  EXPECT_NEAR(inverse["tau"][0].get<double>(),
              3 * reduced["M"][0][0].get<double>() + reduced["bias"][0].get<double>(), 1e-10);
  EXPECT_EQ(at["joint_wrenches"], inverse["joint_wrenches"]);
  // The axis of the hinges is y. The motor drives the first one only.
  EXPECT_NEAR(inverse["joint_wrenches"]["drive"][1].get<double>(), inverse["tau"][0].get<double>(),
              1e-9);
  for (const auto& [joint, wrench] : inverse["joint_wrenches"].items()) {
    if (joint == "drive") continue;
    EXPECT_NEAR(wrench[1].get<double>(), 0, 1e-9) << joint;
  }
  const Json& tree = out["of_the_tree"];
  EXPECT_EQ(std::count(tree.begin(), tree.end(), "joint_wrenches"), 0);
  const Json states{{"states", {{{"q", at["q"]}, {"v", at["v"]}, {"tau", inverse["tau"]}}}}};
  const Json back =
      eval(states.dump(), {"--quantity", "constrained_forward_dynamics"})["results"][0];
  for (size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(back["constrained_forward_dynamics"]["vdot"][k].get<double>(),
                inverse["vdot"][k].get<double>(), 1e-8);
  EXPECT_FALSE(back.contains("mass_matrix"));
}

TEST_F(ClosedMechanism, ReportsOpenLoopsAndWrongOptions) {
  const Json at = eval(R"({"states": [{"q": [0, 0, 0]}]})",
                       {"--quantity", "constraints,reduced_dynamics"})["results"][0];
  EXPECT_TRUE(at["reduced_dynamics"].is_null());
  EXPECT_THAT(at["errors"]["reduced_dynamics"].get<std::string>(),
              HasSubstr("the closure 'pin' is open by 0.4 m"));
  EXPECT_TRUE(at["constraints"].is_object());
  const std::string states = file("states.json", R"({"states": [{"q": [0]}]})");
  const std::string tree =
      file("one.urdf",
           R"(<robot name="one"><link name="base"/><link name="bar"><inertial><mass value="1"/>
         <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
         <joint name="j" type="continuous"><parent link="base"/><child link="bar"/></joint>
         </robot>)");
  EXPECT_THAT(torsor({"eval", tree, "--states", states, "--assemble"}).err,
              HasSubstr("--assemble apply to robots with closures or mimic joints"));
  EXPECT_THAT(torsor({"eval", tree, "--states", states, "--quantity", "constraints"}).err,
              HasSubstr("the robot has neither closures nor mimic joints"));
  EXPECT_THAT(
      torsor({"eval", four_bar, "--states", file("four.json", R"({"states": [{"q": [0, 0, 0]}]})"),
              "--independent", "drve"})
          .err,
      HasSubstr("--independent: there is no joint or degree of freedom 'drve'; did you "
                "mean 'drive'?"));
}

TEST_F(ClosedMechanism, IsInspected) {
  const Output text = torsor({"inspect", four_bar, "--samples", "2"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("loops      5 conditions of rank 2; mobility 1: drive"));
  EXPECT_THAT(text.out, HasSubstr("redundant  3 of 5 conditions follow from the others; 3 in pin"));
  const Json json = Json::parse(torsor({"inspect", four_bar, "--samples", "2", "--json"}).out);
  EXPECT_EQ(json["loops"]["mobility"], 1);
  EXPECT_GT(json["loops"]["smallest_singular_value"], 1e-3);
  const Output stewart =
      torsor({"inspect", source("scenes/stewart_platform.lua").string(), "--samples", "2"});
  EXPECT_THAT(stewart.out, HasSubstr("loops      18 conditions of rank 18; mobility 6"));
}

// Returns the numbers in a value, in the order of the text.
std::vector<double> numbers_in(const Json& value) {
  if (value.is_number()) return {value.get<double>()};
  std::vector<double> out;
  if (value.is_structured())
    for (const Json& each : value)
      for (const double x : numbers_in(each)) out.push_back(x);
  return out;
}

// The loops of these scenes are open at q = 0. The files have the links where the run starts.
TEST_F(ClosedMechanism, IsTheSameInSdf) {
  for (const auto& [name, state] :
       {std::pair{"four_bar", R"("q": [-0.35, -0.2, -1.7], "v": [2, 1, -1], "tau": [3, 0, 0])"},
        {"five_bar", R"("q": [-2.3, 1.5, -0.8, -1.5], "v": [1, 2, 3, 4], "tau": [3, 0, -2, 0])"}}) {
    SCOPED_TRACE(name);
    const std::string scene = source(std::string("scenes/") + name + ".lua"),
                      sdf = std::string(name) + ".sdf";
    const Output written = torsor({"export", scene, "--to", "sdf", "--out", sdf});
    EXPECT_EQ(written.exit_code, 0) << written.err;
    EXPECT_THAT(written.out, HasSubstr("written as <torsor:position>"));
    const std::string states = std::string(R"({"states": [{)") + state + "}]}";
    const std::vector<std::string> options{
        "--assemble", "--quantity",
        "mass_matrix,inverse_dynamics,constraints,constrained_forward_dynamics"};
    const Json a = eval_of(scene, states, options)["results"][0],
               b = eval_of(sdf, states, options)["results"][0];
    for (const char* quantity :
         {"/q", "/v", "/mass_matrix", "/constrained_forward_dynamics/vdot"}) {
      const Json::json_pointer at(quantity);
      const std::vector<double> x = numbers_in(a[at]), y = numbers_in(b[at]);
      ASSERT_EQ(x.size(), y.size()) << quantity;
      ASSERT_FALSE(x.empty()) << quantity;
      const double largest =
          std::abs(*std::ranges::max_element(x, {}, [](double each) { return std::abs(each); }));
      for (size_t k = 0; k < x.size(); ++k)
        EXPECT_NEAR(x[k], y[k], 1e-10 * largest) << quantity << " " << k;
    }
  }
}

}  // namespace
}  // namespace torsor::test
