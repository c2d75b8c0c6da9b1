// Tests of torsor eval: results against the closed form of the double pendulum, and the format of
// its files.

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

// A robot of two rods of 1 m with point masses of 1 kg at their ends. Both joints are along -y, so
// a positive q1 lifts the first rod from the x axis. Gravity is along -z. In relative angles, tau =
// M vdot + c + g (MR 9.8, corrected).
constexpr const char* two_link_urdf = R"(<robot name="two">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="1 0 0"/><mass value="1"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="1 0 0"/><mass value="1"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <link name="tip"/>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="1 0 0"/><axis xyz="0 -1 0"/>
    <dynamics damping="7"/></joint>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 -1 0"/></joint>
  <joint name="end" type="fixed"><parent link="lower"/><child link="tip"/><origin xyz="1 0 0"/></joint>
</robot>)";

struct Closed {
  double M11, M12, M22, c1, c2, g1, g2;
  Closed(double q1, double q2, double v1, double v2) {
    const double g = 9.81, c = std::cos(q2), s = std::sin(q2);
    M11 = 3 + 2 * c, M12 = 1 + c, M22 = 1;
    c1 = -s * (2 * v1 * v2 + v2 * v2), c2 = s * v1 * v1;
    g1 = g * (2 * std::cos(q1) + std::cos(q1 + q2)), g2 = g * std::cos(q1 + q2);
  }
};

class Eval : public Program, public testing::WithParamInterface<const char*> {
 protected:
  Json eval(const std::string& states, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"eval",     file("two.urdf", two_link_urdf),
                                       "--solver", GetParam(),
                                       "--states", file("states.json", states)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Output output = torsor(arguments);
    EXPECT_EQ(output.exit_code, 0) << output.err;
    return Json::parse(output.out);
  }
};

// The velocity coefficients are computed on request. With them, (C v)_1 has no factor 2.
TEST_P(Eval, GivesVelocityCoefficientsOnRequest) {
  const double q1 = 0.3, q2 = -1.1, v1 = 0.7, v2 = -0.4;
  const Closed closed(q1, q2, v1, v2);
  const std::string states = R"({"joints": ["shoulder", "elbow"], "states": [{"q": [0.3, -1.1]}]})";
  EXPECT_FALSE(eval(states)["results"][0].contains("velocity_coefficients"));
  const Json out = eval(states, {"--quantity", "velocity_coefficients"});
  const Json& h = out["results"][0]["velocity_coefficients"];
  EXPECT_NEAR(h[0][1][1].get<double>() * v2 * v2 + h[0][0][1].get<double>() * v1 * v2, closed.c1,
              1e-12);
  EXPECT_NEAR(h[0][1][0], 0, 1e-12);
  EXPECT_NEAR(h[1][0][0].get<double>() * v1 * v1, closed.c2, 1e-12);
}

TEST_P(Eval, MatchesTheClosedFormInTheRequestedOrder) {
  const double q1 = 0.3, q2 = -1.1, v1 = 0.7, v2 = -0.4, a1 = 1.5, a2 = 2.5;
  const Closed closed(q1, q2, v1, v2);
  const Json out = eval(R"({"joints": ["shoulder", "elbow"],
    "states": [{"q": [0.3, -1.1], "v": [0.7, -0.4], "vdot": [1.5, 2.5], "tau": [2, 3]}]})");
  EXPECT_EQ(out["joints"], (Json{"shoulder", "elbow"}));
  const Json& r = out["results"][0];
  EXPECT_NEAR(r["mass_matrix"][0][0], closed.M11, 1e-12);
  EXPECT_NEAR(r["mass_matrix"][0][1], closed.M12, 1e-12);
  EXPECT_NEAR(r["mass_matrix"][1][0], closed.M12, 1e-12);
  EXPECT_NEAR(r["mass_matrix"][1][1], closed.M22, 1e-12);
  EXPECT_NEAR(r["gravity"][0], closed.g1, 1e-12);
  EXPECT_NEAR(r["gravity"][1], closed.g2, 1e-12);
  EXPECT_NEAR(r["bias"][0], closed.c1 + closed.g1, 1e-12);
  EXPECT_NEAR(r["bias"][1], closed.c2 + closed.g2, 1e-12);
  const double C00 = r["coriolis_matrix"][0][0], C01 = r["coriolis_matrix"][0][1];
  EXPECT_NEAR(C00 * v1 + C01 * v2, closed.c1, 1e-12);
  const Json& G = r["christoffel"];  // the order is shoulder, elbow
  EXPECT_NEAR(G[0][1][1].get<double>() * v2 * v2 + 2 * G[0][0][1].get<double>() * v1 * v2,
              closed.c1, 1e-12);
  EXPECT_NEAR(G[1][0][0].get<double>() * v1 * v1, closed.c2, 1e-12);
  const Json& split = r["torque_split"];
  EXPECT_NEAR(split["inertial"][0], closed.M11 * a1 + closed.M12 * a2, 1e-12);
  EXPECT_NEAR(split["centrifugal"][1], closed.c2, 1e-12);
  EXPECT_NEAR(split["coriolis"][1], 0, 1e-12);
  EXPECT_NEAR(split["centrifugal"][0].get<double>() + split["coriolis"][0].get<double>(), closed.c1,
              1e-12);
  EXPECT_NEAR(split["gravity"][1], closed.g2, 1e-12);
  EXPECT_NEAR(r["inverse_dynamics"][0], closed.M11 * a1 + closed.M12 * a2 + closed.c1 + closed.g1,
              1e-12)
      << "no damping";
  const double x1 = r["forward_dynamics"][0], x2 = r["forward_dynamics"][1];
  EXPECT_NEAR(closed.M11 * x1 + closed.M12 * x2 + closed.c1 + closed.g1, 2, 1e-11);
  EXPECT_NEAR(closed.M12 * x1 + closed.M22 * x2 + closed.c2 + closed.g2, 3, 1e-11);
  EXPECT_NEAR(r["potential_energy"], 9.81 * (2 * std::sin(q1) + std::sin(q1 + q2)), 1e-12);
  EXPECT_NEAR(r["kinetic_energy"],
              0.5 * (closed.M11 * v1 * v1 + 2 * closed.M12 * v1 * v2 + closed.M22 * v2 * v2),
              1e-12);
  EXPECT_NEAR(r["poses"]["tip"][0][3], std::cos(q1) + std::cos(q1 + q2), 1e-14);
  EXPECT_NEAR(r["poses"]["tip"][2][3], std::sin(q1) + std::sin(q1 + q2), 1e-14);
  EXPECT_EQ(r["poses"]["base"][3], (Json{0.0, 0.0, 0.0, 1.0}));
  // The Jacobian is in the axes of the tip, angular part first. At 1 rad/s about -y, the elbow
  // moves the tip at 1 m/s along the z axis of the tip.
  const Json& J = r["jacobians"]["tip"];
  EXPECT_NEAR(J[1][1], -1, 1e-15);
  EXPECT_NEAR(J[5][1], 1, 1e-15);
  EXPECT_NEAR(J[5][0], 1 + std::cos(q2), 1e-14);
  // The elbow carries the far mass. Its wrench is the inertial force minus the weight, along the
  // rod (x) and across it (z), with its moment about the elbow at 1 m.
  const double w2 = v1 + v2,
               along =
                   -w2 * w2 - v1 * v1 * std::cos(q2) + a1 * std::sin(q2) + 9.81 * std::sin(q1 + q2),
               across =
                   a1 + a2 + v1 * v1 * std::sin(q2) + a1 * std::cos(q2) + 9.81 * std::cos(q1 + q2);
  const double elbow[] = {0, -across, 0, along, 0, across};
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(r["joint_wrenches"]["elbow"][i], elbow[i], 1e-12) << i;
  // An IMU at the far mass of 1 kg measures the force on it.
  const double imu[] = {0, -w2, 0, along, 0, across};
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(r["imu"]["tip"][i], imu[i], 1e-12) << i;
  EXPECT_NEAR(r["joint_wrenches"]["shoulder"][1], -r["inverse_dynamics"][0].get<double>(), 1e-12);
}

// Checks an arm of two joints. The tip has rank 2, and its inertia describes the total arm: tau =
// J^T (Lambda (J vdot + Jdot v) + eta).
TEST_P(Eval, GivesOperationalSpaceAndCentroidalMomentum) {
  const double q1 = 0.3, q2 = -1.1, v1 = 0.7, v2 = -0.4, a1 = 1.5, a2 = 2.5;
  const Closed closed(q1, q2, v1, v2);
  const Json r =
      eval(R"({"joints": ["shoulder", "elbow"], "states": [{"q": [0.3, -1.1], "v": [0.7, -0.4]}]})",
           {"--quantity", "jacobians,jacobian_rates,operational_space,centroidal"})["results"][0];
  const Json &J = r["jacobians"]["tip"], &Jdot = r["jacobian_rates"]["tip"],
             &space = r["operational_space"]["tip"];
  // The tip moves by (sin q2, 1 + cos q2) per rad of the shoulder, along x and z of the tip.
  EXPECT_NEAR(Jdot[3][0], std::cos(q2) * v2, 1e-14);
  EXPECT_NEAR(Jdot[5][0], -std::sin(q2) * v2, 1e-14);
  EXPECT_NEAR(Jdot[5][1], 0, 1e-14);
  EXPECT_EQ(space["rank"], 2);
  EXPECT_EQ(space["immovable"].size(), 4u);
  double V[6], A[6], F[6], tau[2] = {};
  for (int i = 0; i < 6; ++i) {
    V[i] = Jdot[i][0].get<double>() * v1 + Jdot[i][1].get<double>() * v2;
    A[i] = J[i][0].get<double>() * a1 + J[i][1].get<double>() * a2 + V[i];
    EXPECT_NEAR(space["Jdot_v"][i], V[i], 1e-13);
  }
  for (int i = 0; i < 6; ++i) {
    F[i] = space["eta"][i];
    for (int j = 0; j < 6; ++j) F[i] += space["Lambda"][i][j].get<double>() * A[j];
    for (int k = 0; k < 2; ++k) tau[k] += J[i][k].get<double>() * F[i];
  }
  EXPECT_NEAR(tau[0], closed.M11 * a1 + closed.M12 * a2 + closed.c1 + closed.g1, 1e-11);
  EXPECT_NEAR(tau[1], closed.M12 * a1 + closed.M22 * a2 + closed.c2 + closed.g2, 1e-11);
  EXPECT_EQ(r["operational_space"]["base"]["rank"], 0);
  const Json& whole = r["centroidal"];
  EXPECT_EQ(whole["mass"], 2);
  EXPECT_NEAR(whole["com"][0], std::cos(q1) + std::cos(q1 + q2) / 2, 1e-14);
  EXPECT_NEAR(whole["com_jacobian"][2][1], std::cos(q1 + q2) / 2, 1e-14);
  EXPECT_NEAR(whole["momentum"][5], 2 * (std::cos(q1) * v1 + std::cos(q1 + q2) * (v1 + v2) / 2),
              1e-14);
  EXPECT_NEAR(whole["momentum_bias"][5],
              -2 * std::sin(q1) * v1 * v1 - std::sin(q1 + q2) * (v1 + v2) * (v1 + v2), 1e-13);
  EXPECT_NEAR(whole["inertia"][1][1], 0.5, 1e-14);  // two masses of 1 kg, 1 m apart
}

TEST_P(Eval, ColumnsDefaultToTheFilesOrder) {
  const Json out = eval(R"({"states": [{"q": [0, 0.5]}]})");  // the elbow is first in the file
  EXPECT_EQ(out["joints"], (Json{"elbow", "shoulder"}));
  EXPECT_NEAR(out["results"][0]["gravity"][1], Closed(0.5, 0, 0, 0).g1, 1e-12);
  EXPECT_NEAR(out["results"][0]["mass_matrix"][1][1], 5, 1e-12);
}

TEST_P(Eval, GravityComesFromTheFileOrTheOption) {
  EXPECT_NEAR(eval(R"({"gravity": [0, 0, -1], "states": [{}]})")["results"][0]["gravity"][1], 3,
              1e-12);
  const Json out = eval(R"({"gravity": [0, 0, -1], "states": [{}]})", {"--gravity", "0,0,-2"});
  EXPECT_NEAR(out["results"][0]["gravity"][1], 6, 1e-12);
}

// Checks a force of 1 N BY the environment along the tip's z axis: it reduces the torque of the
// elbow by 1 N m.
TEST_P(Eval, WrenchesActOnTheLinkAtItsOrigin) {
  const Json out =
      eval(R"({"gravity": [0, 0, 0], "states": [{"wrenches": {"tip": [0, 0, 0, 0, 0, 1]}}]})");
  EXPECT_NEAR(out["results"][0]["inverse_dynamics"][0], -1, 1e-14);
  EXPECT_NEAR(out["results"][0]["inverse_dynamics"][1], -2, 1e-14);
  EXPECT_NEAR(out["results"][0]["bias"][0], 0, 1e-14) << "bias is C v + g alone";
  const Json moment = eval(
      R"({"gravity": [0, 0, 0], "states": [{"wrenches": {"base": [1, 2, 3, 4, 5, 6], "lower": [0, 1, 0, 0, 0, 0]}}]})");
  EXPECT_NEAR(moment["results"][0]["inverse_dynamics"][0], 1, 1e-14);
}

// Checks a moving base. Its angular velocity w about the axes of the joints adds to the rate of the
// shoulder. Its angular acceleration adds to that of the shoulder, and its upward acceleration a
// adds to gravity.
TEST_P(Eval, BaseMovesAsGiven) {
  const double q1 = 0.3, q2 = -1.1, v1 = 0.7, v2 = -0.4, w = 1.3, a = 2, alpha = 0.8;
  const Json out =
      eval(R"({"joints": ["shoulder", "elbow"], "states": [{"q": [0.3, -1.1], "v": [0.7, -0.4],
    "base_twist": [0, -1.3, 0, 0, 0, 0], "base_acceleration": [0, -0.8, 0, 0, 0, 2]}]})");
  const Closed closed(q1, q2, v1 + w, v2);
  const double lift = 1 + a / 9.81;
  EXPECT_NEAR(out["results"][0]["inverse_dynamics"][0],
              closed.M11 * alpha + closed.c1 + lift * closed.g1, 1e-11);
  EXPECT_NEAR(out["results"][0]["inverse_dynamics"][1],
              closed.M12 * alpha + closed.c2 + lift * closed.g2, 1e-11);
  const Json& split = out["results"][0]["torque_split"];
  double sum = 0;
  for (const char* part : {"inertial", "centrifugal", "coriolis", "gravity"})
    sum += split[part][0].get<double>();
  EXPECT_NEAR(sum, out["results"][0]["inverse_dynamics"][0], 1e-11);
}

TEST_P(Eval, ComputesOnlyTheRequestedQuantities) {
  const Json out = eval(R"({"states": [{}, {}]})", {"--quantity", "gravity,inverse_mass_matrix"});
  ASSERT_EQ(out["results"].size(), 2u);
  EXPECT_EQ(out["results"][1].size(), 2u);
  EXPECT_NEAR(out["results"][1]["inverse_mass_matrix"][0][0], 5, 1e-11);  // M22^-1 = 5/(5 - 4)
}

TEST_P(Eval, ASingularMassMatrixIsNullAndNamesTheJoint) {
  std::string massless = two_link_urdf;
  massless.replace(massless.rfind("<mass value=\"1\"/>"), 17, "<mass value=\"0\"/>");
  const Output output =
      torsor({"eval", file("massless.urdf", massless), "--states", "-", "--solver", GetParam()},
             R"({"states": [{}]})");
  EXPECT_EQ(output.exit_code, 0);
  EXPECT_THAT(output.err, testing::AllOf(HasSubstr("singular"), HasSubstr("elbow")));
  const Json r = Json::parse(output.out)["results"][0];
  EXPECT_TRUE(r["forward_dynamics"].is_null());
  EXPECT_THAT(r["errors"]["operational_space"].get<std::string>(), HasSubstr("elbow"));
  EXPECT_THAT(r["errors"]["forward_dynamics"].get<std::string>(), HasSubstr("elbow"));
  EXPECT_NEAR(r["inverse_dynamics"][1], 9.81, 1e-12);
}

TEST_P(Eval, NumbersReadBackToTheSameBits) {
  const Json out =
      eval(R"({"states": [{"q": [0.1, 0.2]}]})", {"--quantity", "kinetic_energy,gravity"});
  const Json again = Json::parse(out.dump());
  EXPECT_EQ(out, again);
  EXPECT_GE(out["results"][0]["gravity"][0].dump().size(), 15u);
}

INSTANTIATE_TEST_SUITE_P(Solvers, Eval, testing::Values("newton_euler", "articulated_body"),
                         [](const auto& solver) { return solver.param; });

// Checks the arm with a floating base: its total mass of 2 kg is on the last diagonal entry of the
// base, and its weight is along the z axis of the base.
TEST_P(Eval, AddsAFloatingBaseIfRequested) {
  const Json out = eval(R"({"joints": ["floating_base", "shoulder", "elbow"],
    "states": [{}, {"q": [1, 2, 3, 0, 1, 0, 0, 0.1, 0.2]}]})",
                        {"--floating-base", "--quantity", "mass_matrix,gravity"});
  EXPECT_EQ(out["columns"][0], "floating_base.wx");
  EXPECT_EQ(out["columns"][6], "shoulder");
  EXPECT_NEAR(out["results"][0]["mass_matrix"][5][5].get<double>(), 2, 1e-14);
  EXPECT_NEAR(out["results"][0]["gravity"][5].get<double>(), 2 * 9.81, 1e-13);
  EXPECT_NEAR(out["results"][1]["gravity"][5].get<double>(), -2 * 9.81, 1e-13)
      << "upside down: half a turn about x";
}

// Checks one hinge: tau = A vdot + k sin q - n, with A = 2 0.5^2 + 0.1 and k = 2 9.81 0.5. n is the
// moment about y BY the environment on the link.
TEST_F(Program, EvalGivesDerivatives) {
  const std::string robot = file("hinge.lua", R"(local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
arm:link{ name = "rod", joint = { "revolute", name = "hinge", axis = {0, 1, 0} },
          inertia = { mass = 2, com = {0, 0, -0.5}, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = 0.1 } } }
return arm)");
  const double A = 0.6, k = 9.81, q = 0.7, v = 1.5, a = -2, j = 3, s = 4, c = -5;
  const auto eval = [&](const std::string& extra, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"eval", robot, "--states", "-"});
    return torsor(arguments,
                  R"({"states": [{"q": [0.7], "v": [1.5], "vdot": [-2], )" + extra + "}]}");
  };
  const std::string motion =
      R"("jerk": [3], "snap": [4], "wrenches": {"rod": [0, 7, 0, 0, 0, 0]}, "wrenches_dot": {"rod": [0, 5, 0, 0, 0, 0]},
         "wrenches_ddot": {"rod": [9, 6, 0, 0, 0, 0]})";
  const Output output = eval(motion, {});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const Json r = Json::parse(output.out)["results"][0], &rates = r["inverse_dynamics_rates"];
  EXPECT_NEAR(rates["tau"][0], A * a + k * std::sin(q) - 7, 1e-13);
  EXPECT_NEAR(rates["tau_dot"][0], A * j + k * std::cos(q) * v - 5, 1e-13);
  EXPECT_NEAR(rates["tau_ddot"][0], A * s + k * (std::cos(q) * a - std::sin(q) * v * v) - 6, 1e-13);
  EXPECT_FALSE(rates.contains("tau_dddot"));
  EXPECT_FALSE(r.contains("inverse_dynamics_second_partials") || r.contains("equation_rates"));
  EXPECT_NEAR(r["inverse_dynamics_partials"]["dtau_dq"][0][0], k * std::cos(q), 1e-13);
  EXPECT_NEAR(r["inverse_dynamics_partials"]["dtau_dvdot"][0][0], A, 1e-15);
  EXPECT_NEAR(r["forward_dynamics_partials"]["dvdot_dq"][0][0], -k * std::cos(q) / A, 1e-13);

  const Json third =
      Json::parse(eval(R"("jerk": [3], "snap": [4], "crackle": [-5])",
                       {"--quantity", "inverse_dynamics_rates,inverse_dynamics_second_partials"})
                      .out)["results"][0];
  EXPECT_NEAR(third["inverse_dynamics_rates"]["tau_dddot"][0],
              A * c + k * (std::cos(q) * j - 3 * std::sin(q) * v * a - std::cos(q) * v * v * v),
              1e-12);
  EXPECT_NEAR(third["inverse_dynamics_second_partials"]["d2tau_dqdq"][0][0][0], -k * std::sin(q),
              1e-13);

  const Json closed =
      Json::parse(eval(motion, {"--solver", "lie_group"}).out)["results"][0]["equation_rates"];
  EXPECT_NEAR(closed["g_ddot"][0], k * (std::cos(q) * a - std::sin(q) * v * v), 1e-13);
  EXPECT_NEAR(closed["Q_dot"][0], 5, 1e-14);
  EXPECT_NEAR(closed["tau_ddot"][0], rates["tau_ddot"][0].get<double>(), 1e-13);

  const Output high = eval(R"("jerk": [3], "snap": [4], "crackle": [-5])",
                           {"--solver", "lie_group", "--quantity", "inverse_dynamics_rates"});
  EXPECT_EQ(high.exit_code, 2);
  EXPECT_THAT(
      high.err,
      HasSubstr(
          "states[0]: solver 'solver.lie_group' computes derivatives of torques up to order 2; "
          "the derivatives given here need order 3"));
  const Output loose = eval(R"("wrenches_dot": {"rod": [0, 5, 0, 0, 0, 0]})", {});
  EXPECT_EQ(loose.exit_code, 2);
  EXPECT_THAT(loose.err, HasSubstr("states[0] has 'wrenches_dot' but not 'jerk'"));
  const Json first =
      Json::parse(eval(R"("jerk": [3])", {}).out)["results"][0]["inverse_dynamics_rates"];
  EXPECT_NEAR(first["tau_dot"][0], A * j + k * std::cos(q) * v, 1e-13);
  EXPECT_FALSE(first.contains("tau_ddot"));
  const Output missing = eval(R"("jerk": [3])", {"--quantity", "inverse_dynamics_rates"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err,
              HasSubstr("states[0]: inverse_dynamics_rates needs 'vdot', 'jerk' and 'snap'"));
  const Output gap = eval(R"("snap": [3])", {});
  EXPECT_EQ(gap.exit_code, 2);
  EXPECT_THAT(gap.err, HasSubstr("states[0] has 'snap' but not 'jerk'"));
}

// Checks Khalil's RX-90 with rotors and friction: the regressor times the parameter values is the
// torque of the dynamics and friction.
TEST_F(Program, EvalGivesTheRegressorAndTheBaseParameters) {
  const Output output =
      torsor({"eval", source("scripts/robots/rx90.lua").string(), "--set", "damping=0.5",
              "--states", "-", "--quantity", "regressor,base_parameters,inverse_dynamics"},
             R"({"joints": ["joint6", "joint5", "joint4", "joint3", "joint2", "joint1"],
                 "states": [{"q": [1, 2, 3, 4, 5, 6], "v": [1, -1, 2, -2, 1, -1], "vdot": [3, 4, 5, 6, 7, 8]}]})");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const Json r = Json::parse(output.out)["results"][0], &regressor = r["regressor"],
             &base = r["base_parameters"];
  ASSERT_EQ(regressor["parameters"].size(), 72u);
  EXPECT_EQ(regressor["parameters"][10], "link2.M");
  EXPECT_EQ(regressor["units"][11], "kg m");
  EXPECT_EQ(regressor["parameters"][61], "joint1.Fv");
  const double v[] = {1, -1, 2, -2, 1, -1};
  for (size_t i = 0; i < 6; ++i) {
    double tau = 0;
    for (size_t p = 0; p < 72; ++p)
      tau += regressor["Y"][i][p].get<double>() * regressor["values"][p].get<double>();
    EXPECT_NEAR(tau, r["inverse_dynamics"][i].get<double>() + 0.5 * v[i], 1e-10);
  }
  EXPECT_EQ(base["rank"], 40);
  EXPECT_EQ(base["names"][0], "link1.ZZR");
  EXPECT_NEAR(base["values"][0].get<double>(), 10.4885, 1e-12);
  EXPECT_THAT(base["relations"][1].get<std::string>(),
              testing::StartsWith("link2.MXR = link2.MX + 0.45 link3.M"));
}

// Checks one link of length l with a point mass m: vdot = (tau - m g l cos q) / (m l^2).
TEST_F(Program, EvalGivesOfferedPartialDerivatives) {
  const std::vector<std::string> arguments{
      "eval",      source("scripts/robots/planar.lua").string(),
      "--set",     "n=1",
      "--set",     "lengths=0.5",
      "--set",     "masses=2",
      "--states",  "-",
      "--gravity", "0,-9.81,0"};
  const auto eval = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), more.begin(), more.end());
    const Output output =
        torsor(all, R"({"states": [{"q": [0.7], "v": [3], "tau": [4], "vdot": [5]}]})");
    EXPECT_EQ(output.exit_code, 0) << output.err;
    return Json::parse(output.out)["results"][0];
  };
  for (const char* solver : {"planar_lagrange", "newton_euler"}) {
    const Json r = eval({"--solver", solver});
    EXPECT_NEAR(r["forward_dynamics_partials"]["dvdot_dq"][0][0], 9.81 / 0.5 * std::sin(0.7),
                1e-12);
    EXPECT_NEAR(r["forward_dynamics_partials"]["dvdot_dv"][0][0], 0, 1e-12);
    EXPECT_NEAR(r["forward_dynamics_partials"]["dvdot_dtau"][0][0], 1 / (2 * 0.25), 1e-12);
    EXPECT_NEAR(r["inverse_dynamics_partials"]["dtau_dq"][0][0], -2 * 9.81 * 0.5 * std::sin(0.7),
                1e-12);
    EXPECT_NEAR(r["inverse_dynamics_partials"]["dtau_dv"][0][0], 0, 1e-12);
  }
  const Json without = eval({"--solver", "articulated_body"});
  EXPECT_FALSE(without.contains("forward_dynamics_partials") || without.contains("errors"));
  std::vector<std::string> all = arguments;
  all.insert(all.end(),
             {"--solver", "articulated_body", "--quantity", "forward_dynamics_partials"});
  const Output asked = torsor(all, R"({"states": [{}]})");
  EXPECT_EQ(asked.exit_code, 2);
  EXPECT_EQ(asked.err,
            "torsor: --quantity forward_dynamics_partials: solver 'solver.articulated_body' does "
            "not offer it; these do: newton_euler, planar_lagrange\n");
}

// Checks a robot of 60 joints, which has 216 000 Christoffel symbols.
TEST_F(Program, EvalRequiresQuantitiesForALargeRobot) {
  const std::vector<std::string> line{
      "eval", source("scripts/robots/planar.lua").string(), "--set", "n=60", "--states", "-"};
  const Output all = torsor(line, R"({"states": [{}]})");
  EXPECT_EQ(all.exit_code, 2);
  EXPECT_EQ(all.out, "");
  EXPECT_THAT(
      all.err,
      testing::AllOf(HasSubstr("numbers for each state, more than 100000; choose with --quantity "
                               "NAME,...: operational_space "),
                     HasSubstr("christoffel 216000, ")));
  std::vector<std::string> some = line;
  some.insert(some.end(), {"--quantity", "christoffel,gravity"});
  EXPECT_EQ(torsor(some, R"({"states": [{}]})").exit_code, 0);
  std::vector<std::string> small = line;
  small[3] = "n=20";
  EXPECT_EQ(torsor(small, R"({"states": [{}]})").exit_code, 0);
}

TEST_F(Program, EvalRejectsAnInvalidQuaternion) {
  const Output output =
      torsor({"eval", file("two.urdf", two_link_urdf), "--floating-base", "--states",
              file("states.json", R"({"states": [{"q": [0, 0, 0, 0, 0, 0, 0, 0, 0]}]})")});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_THAT(
      output.err,
      HasSubstr("states[0].q: joint 'floating_base': the quaternion (w, x, y, z) = (0, 0, 0, 0) "
                "has norm 0"));
}

}  // namespace
}  // namespace torsor::test
