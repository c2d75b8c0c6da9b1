// Tests of torsor linearise: one step against the closed form of RCFS 111 for a double pendulum,
// and motions against products of single steps.

#include <gmock/gmock.h>

#include <Eigen/Dense>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using testing::HasSubstr;
using Json = nlohmann::json;

// Two rods of 1 m with point masses of 1 kg at their ends, along -y, as in eval_test.cpp, without
// damping. The file names the elbow first.
constexpr const char* pendulum_urdf = R"(<robot name="two">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="1 0 0"/><mass value="1"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="1 0 0"/><mass value="1"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="1 0 0"/><axis xyz="0 -1 0"/></joint>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 -1 0"/></joint>
</robot>)";

MatrixXd matrix(const Json& rows) {
  MatrixXd out(rows.size(), rows[0].size());
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = 0; j < rows[i].size(); ++j)
      out(Eigen::Index(i), Eigen::Index(j)) = rows[i][j].get<double>();
  return out;
}

class Linearise : public Program {
 protected:
  Json linearise(const std::string& states, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"linearise", file("two.urdf", pendulum_urdf),
                                       "--states",  file("states.json", states),
                                       "--dt",      "0.01"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Output output = torsor(arguments);
    EXPECT_EQ(output.exit_code, 0) << output.err;
    return Json::parse(output.out);
  }
};

// The absolute angles are a = q1 and b = q1 + q2. With M = [2, cos(a-b); cos(a-b), 1], the forces f
// = u - (2 g cos a + sin(a-b) b'^2, g cos b - sin(a-b) a'^2) and one Euler step, RCFS 111 gives
//   B = [0; M^-1 dt],   A = [1, dt; dt d(M^-1 f)/dq, 1 - 2 dt M^-1 C diag(q')]
TEST_F(Linearise, GivesRcfs111InAbsoluteAngles) {
  const double a = 0.3, da = 0.7, db = 0.3, b = -0.8, dt = 0.01, g = 9.81;
  const Json out = linearise(
      R"({"joints": ["shoulder", "elbow"], "states": [{"q": [0.3, -1.1], "v": [0.7, -0.4], "tau": [2, 3]}]})",
      {"--absolute-angles"});
  EXPECT_EQ(out["columns"], (Json{"shoulder", "elbow"}));
  const Eigen::Vector2d u(2 - 3, 3);  // u = L^-T tau
  const auto accelerations = [&](double x, double y) -> Eigen::Vector2d {
    const double s = std::sin(x - y), c = std::cos(x - y);
    const Eigen::Matrix2d M{{2, c}, {c, 1}};
    return M.inverse() *
           (u - Eigen::Vector2d(2 * g * std::cos(x) + s * db * db, g * std::cos(y) - s * da * da));
  };
  const double s = std::sin(a - b), c = std::cos(a - b), h = 1e-6;
  const Eigen::Matrix2d M{{2, c}, {c, 1}}, C{{0, s}, {-s, 0}}, one = Eigen::Matrix2d::Identity();
  MatrixXd A(4, 4), B(4, 2);
  Eigen::Matrix2d A21;
  A21.col(0) = (accelerations(a + h, b) - accelerations(a - h, b)) / (2 * h);
  A21.col(1) = (accelerations(a, b + h) - accelerations(a, b - h)) / (2 * h);
  A << one, dt * one, dt * A21,
      one - 2 * dt * M.inverse() * C * Eigen::Vector2d(da, db).asDiagonal();
  B << Eigen::Matrix2d::Zero(), dt * M.inverse();
  const Json& result = out["results"][0];
  EXPECT_LT((matrix(result["A"]) - A).norm(), 1e-9);
  EXPECT_LT((matrix(result["B"]) - B).norm(), 1e-14);
  // The file names the elbow first, so q has its order.
  EXPECT_EQ(out["coordinates"], (Json{"elbow", "shoulder"}));
  EXPECT_NEAR(result["q"][1], a + dt * da, 1e-15);
  EXPECT_NEAR(result["v"][0], da + dt * accelerations(a, b)[0], 1e-14);
}

// Checks S_x and S_tau of two steps against products of the single steps, in both orders of the
// joints, and S_u.
TEST_F(Linearise, GivesTheResponseOfAMotion) {
  const std::string joints = R"({"joints": ["shoulder", "elbow"], )";
  const std::string first = R"("states": [{"q": [0.3, -1.1], "v": [0.7, -0.4], "tau": [2, 3]}]})";
  const Json out = linearise(joints + first, {"--duration", "0.02", "--integrator", "rk4"});
  const Json& result = out["results"][0];
  ASSERT_EQ(result["states"].size(), 3u);
  std::vector<MatrixXd> A, B;
  for (int t = 0; t < 2; ++t) {
    const Json& at = result["states"][size_t(t)];
    const Json state{
        {"joints", {"shoulder", "elbow"}},
        {"states", {{{"q", {at["q"][1], at["q"][0]}}, {"v", at["v"]}, {"tau", {2, 3}}}}}};
    const Json step = linearise(state.dump(), {"--integrator", "rk4"});
    A.push_back(matrix(step["results"][0]["A"]));
    B.push_back(matrix(step["results"][0]["B"]));
  }
  MatrixXd S_x(12, 4), S = MatrixXd::Zero(12, 4);
  S_x << MatrixXd::Identity(4, 4), A[0], A[1] * A[0];
  S.block(4, 0, 4, 2) = B[0], S.block(8, 0, 4, 2) = A[1] * B[0], S.block(8, 2, 4, 2) = B[1];
  EXPECT_LT((matrix(result["S_x"]) - S_x).norm(), 1e-14);
  EXPECT_LT((matrix(result["S_tau"]) - S).norm(), 1e-15);
  EXPECT_FALSE(result.contains("S_u"));

  const Json absolute = linearise(joints + first, {"--duration", "0.02", "--integrator", "rk4",
                                                   "--absolute-angles"})["results"][0];
  EXPECT_LT((matrix(absolute["S_tau"]) - S).norm(), 1e-15);
  MatrixXd L = MatrixXd::Identity(12, 12),
           L_u = MatrixXd::Identity(4, 4);  // dq = L dx, u = L_u tau
  for (int k = 0; k < 6; ++k) L(2 * k + 1, 2 * k) = 1;
  for (int k = 0; k < 2; ++k) L_u(2 * k, 2 * k + 1) = -1;
  EXPECT_LT((matrix(absolute["S_u"]) * L_u - L * S).norm(), 1e-14);

  const Json swapped =
      linearise(R"({"states": [{"q": [-1.1, 0.3], "v": [-0.4, 0.7], "tau": [3, 2]}]})",
                {"--duration", "0.02", "--integrator", "rk4"});
  EXPECT_EQ(swapped["columns"], (Json{"elbow", "shoulder"}));
  EXPECT_NEAR(swapped["results"][0]["S_tau"][10][1], S(11, 0), 1e-15);
}

TEST_F(Linearise, RejectsBadInputInOneLine) {
  const auto message = [&](const std::string& states, std::vector<std::string> more,
                           const char* urdf = pendulum_urdf) {
    std::vector<std::string> arguments{"linearise", file("r.urdf", urdf), "--states",
                                       file("states.json", states)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Output output = torsor(arguments);
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_EQ(output.out, "");
    EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1) << output.err;
    return output.err;
  };
  const std::string rest = R"({"states": [{}]})";
  EXPECT_THAT(message(rest, {}), HasSubstr("--dt"));
  EXPECT_THAT(message(rest, {"--dt", "0"}),
              HasSubstr("--dt 0: the step must be a positive number of seconds"));
  EXPECT_THAT(message(rest, {"--dt", "-1"}),
              HasSubstr("--dt -1: the step must be a positive number of seconds"));
  EXPECT_THAT(message(rest, {"--dt", "0.01", "--integrator", "rk5"}),
              HasSubstr("--integrator rk5: unknown; use one of euler"));
  EXPECT_THAT(message(rest, {"--dt", "0.01", "--duration", "0.015"}), HasSubstr("--duration"));
  EXPECT_THAT(message(rest, {"--dt", "0.01", "--solver", "articulated_body"}),
              HasSubstr("offers no partial derivatives"));
  EXPECT_THAT(
      message(R"({"states": [{"wrenches": {"lower": [0, 0, 0, 1, 0, 0]}}]})", {"--dt", "1"}),
      HasSubstr("states[0]: has wrenches or a moving base, which linearised steps do not"));
  EXPECT_THAT(message(R"({"states": [{"q": [1]}]})", {"--dt", "1"}), HasSubstr("states[0]"));
  std::string skew = pendulum_urdf;
  skew.replace(skew.find("0 -1 0"), 6, "0 0 1");
  EXPECT_THAT(message(rest, {"--dt", "0.01", "--absolute-angles"}, skew.c_str()),
              HasSubstr("joints 'shoulder' and 'elbow' rotate about axes that are not parallel"));
}

}  // namespace
}  // namespace torsor::test
