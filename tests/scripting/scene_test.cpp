// Checks that every scene of scenes/ loads, runs to its end, and moves according to mechanics.

#include <cmath>
#include <complex>
#include <fstream>
#include <map>

#include "scripting/scene_run.hpp"
#include "scripting/script_file.hpp"
#include "support/reference.hpp"
#include "support/scene_files.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/run/run.hpp"

namespace torsor::test {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(TORSOR_SOURCE_DIR) / "scenes";

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const fs::path& file : scene_files()) names.push_back(file.stem());
  return names;
}

struct Recorded {
  std::vector<Column> columns;
  std::vector<std::vector<double>> rows;
  double drift = 0, energy_scale = 0;
  uint64_t hash = 0;

  double at(const std::vector<double>& row, const std::string& name) const {
    for (size_t i = 0; i < columns.size(); ++i)
      if (columns[i].name == name) return row[i];
    ADD_FAILURE() << "no column " << name;
    return NAN;
  }
};

Recorded run_scene(const std::string& name, const Overrides& overrides = {}) {
  const Experiment experiment = load_scene(folder / (name + ".lua"), overrides, &registry());
  Run run(experiment);
  Recorded out{run.columns(), {}};
  const double start = std::abs(run.simulation().energy().sum());
  run.execute([&](std::span<const double> row) { out.rows.emplace_back(row.begin(), row.end()); },
              [](const Simulation&) { return true; });
  const Simulation& s = run.simulation();
  out.drift = std::abs(s.ledger_error());
  out.energy_scale =
      std::max({start, s.energy().kinetic, std::abs(s.energy().potential),
                -s.snapshot()[Work::damping], std::abs(s.snapshot()[Work::motors]),
                std::abs(s.snapshot()[Work::wrenches]), std::abs(s.snapshot()[Work::contact])});
  out.hash = s.state_hash();
  return out;
}

class Scenes : public testing::TestWithParam<std::string> {};

TEST_P(Scenes, RunsToItsEndWithAClosedEnergyLedger) {
  const Recorded out = run_scene(GetParam());
  ASSERT_GT(out.rows.size(), 100u);
  for (const auto& row : out.rows)
    for (const double value : row) ASSERT_TRUE(std::isfinite(value));
  // The ledger error of RK4 at dt = 1e-3 is below 1e-6 in all scenes, and so is that of contacts of
  // bodies whose velocity-dependent forces are small. These scenes use methods of first order:
  // scara semi-implicit Euler, planar_reach explicit Euler with steps of 0.01 s, and the others
  // time stepping, with fast spins, damping, or impacts of motors.
  static const std::map<std::string, double> tolerances{
      {"scara", 1e-3},        {"planar_reach", 3e-2}, {"quadruped_stand", 1e-4},
      {"biped_step", 1e-4},   {"dropped_box", 1e-4},  {"gripper", 5e-4},
      {"spinning_disc", 1e-3}};
  const auto found = tolerances.find(GetParam());
  const double tolerance = found == tolerances.end() ? 1e-6 : found->second;
  EXPECT_LT(out.drift, tolerance * out.energy_scale);
}

TEST_P(Scenes, GivesTheSameBitsTwice) {
  EXPECT_EQ(run_scene(GetParam()).hash, run_scene(GetParam()).hash);
}

INSTANTIATE_TEST_SUITE_P(Folder, Scenes, testing::ValuesIn(scene_names()),
                         [](const auto& scene) { return scene.param; });

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(SceneFolder, HasTheScenesOfItsReadme) {
  const std::string readme = text_of(folder / "README.md");
  for (const std::string& name : scene_names())
    EXPECT_THAT(readme, testing::HasSubstr("| `" + name + ".lua` |")) << name;
  EXPECT_GE(scene_names().size(), 30u);
}

TEST(SceneFolder, HasEveryLawThatIsShipped) {
  std::string scenes;
  for (const std::string& name : scene_names()) scenes += text_of(folder / (name + ".lua"));
  const Registry registry({TORSOR_PLUGIN_DIR});
  for (const PluginInfo& plugin : registry.plugins())
    if (plugin.kind() == Trajectory::kind || plugin.kind() == Controller::kind) {
      const std::string name = plugin.id.substr(plugin.id.find('.') + 1);
      EXPECT_THAT(scenes, testing::AnyOf(testing::HasSubstr('"' + name + '"'),
                                         testing::HasSubstr("=" + name)));
    }
}

// A scene, one of its parameters, and values of this parameter.
struct Variant {
  const char *scene, *parameter, *values[6];
};
TEST(SceneFolder, RunsWithEveryLawThatItOffers) {
  for (const auto& [scene, parameter, values] :
       {Variant{"residual_vibration", "law", {"linear", "smooth_trapeze", "quintic", "septic"}},
        Variant{"task_space", "law", {"operational_space", "task_pid"}},
        Variant{"task_space", "path", {"euler_line"}},
        Variant{"changed_target", "law", {"bang_bang", "trapeze"}},
        Variant{"scara_via_points", "law", {"cubic_spline"}},
        Variant{"feed_forward", "law", {"pd_gravity"}},
        Variant{"elastic_feed_forward", "law", {"feed_forward"}},
        Variant{"payload_robustness", "law", {"pid", "adaptive"}},
        Variant{"playback", "interpolation", {"linear"}}})
    for (const char* value : values) {
      if (!value) break;
      const Recorded out = run_scene(scene, {{parameter, value}});
      EXPECT_GT(out.rows.size(), 100u) << scene << " " << value;
      for (const auto& row : out.rows)
        for (const double number : row) ASSERT_TRUE(std::isfinite(number)) << scene << " " << value;
    }
}

// Compares the residual vibration with theory: |integral of qdd_d e^(i w t) dt| / w if the motor
// follows exactly. In the scene, the motor yields to the spring by a share k / kp.
TEST(ResidualVibrationScene, SwingsByTheSpectrumOfTheLaw) {
  const double w = std::sqrt(300 / 0.24), T = 0.8;
  const auto left = [&](const char* law) {
    const Recorded out = run_scene("residual_vibration", {{"law", law}});
    double most = 0;
    for (const auto& row : out.rows)
      if (out.at(row, "time") > T)
        most = std::max(most, std::abs(out.at(row, "arm.q.shoulder") - 1));
    return most;
  };
  // Returns the integral by the midpoint rule.
  const auto theory = [&](auto&& qdd) {
    constexpr int n = 100000;
    std::complex<double> sum = 0;
    for (int k = 0; k < n; ++k) {
      const double s = (k + 0.5) / n;
      sum += qdd(s) * std::polar(1.0, w * T * s) * (T / n);
    }
    return std::abs(sum) / w;
  };
  const double plateau = 16 / (3 * T * T);  // ramps take a quarter of T
  const double trapeze = theory([=](double s) {
    return s < 0.25 ? plateau : s > 0.75 ? -plateau : 0;
  });
  const double quintic =
      theory([=](double s) { return (60 * s - 180 * s * s + 120 * s * s * s) / (T * T); });
  EXPECT_NEAR(left("trapeze"), trapeze, 0.03 * trapeze);
  EXPECT_NEAR(left("quintic"), quintic, 0.03 * quintic);
  EXPECT_NEAR(left("linear"), std::abs(1.0 - std::polar(1.0, w * T)) / (T * w), 2e-4);
}

// Checks that a push from any direction moves the trunk by a few centimetres, and that it returns
// because no foot slips. The impulse of 60 N in 0.2 s is 12 N s, for 18 kg.
TEST(QuadrupedScene, ReturnsToItsPlaceAfterAPush) {
  for (const char* direction : {"0", "90", "225"}) {
    SCOPED_TRACE(direction);
    const Recorded out = run_scene("quadruped_stand", {{"direction_deg", direction}});
    double most = 0;
    for (const auto& row : out.rows)
      most = std::max(
          most, std::hypot(out.at(row, "quadruped.q.base.x"), out.at(row, "quadruped.q.base.y")));
    EXPECT_GT(most, 0.01);
    EXPECT_LT(most, 0.06);
    for (const char* axis : {"x", "y", "z", "qw"}) {
      const std::string name = std::string("quadruped.q.base.") + axis;
      EXPECT_NEAR(out.at(out.rows.back(), name), out.at(out.rows.front(), name), 1e-4) << axis;
    }
  }
}

// Checks that both feet step to the height of the scene in each of the three periods after the
// first, and that the trunk is upright at the end and the feet are within 2 cm of their places.
TEST(BipedScene, StepsInPlaceAndWithstandsAPush) {
  for (const char* direction : {"0", "90"}) {
    SCOPED_TRACE(direction);
    const Recorded out = run_scene("biped_step", {{"direction_deg", direction}});
    for (const char* foot : {"left", "right"}) {
      const std::string pose = std::string("biped.pose.") + foot + "_sole.";
      for (int period = 1; period < 4; ++period) {
        double most = 0;
        for (const auto& row : out.rows)
          if (const double t = out.at(row, "time") / 1.2; t >= period && t < period + 1)
            most = std::max(most, out.at(row, pose + "z"));
        EXPECT_NEAR(most, 0.04, 0.005) << foot << " " << period;
      }
      for (const char* axis : {"x", "y"})
        EXPECT_NEAR(out.at(out.rows.back(), pose + axis), out.at(out.rows.front(), pose + axis),
                    0.02)
            << foot << " " << axis;
    }
    EXPECT_GT(std::abs(out.at(out.rows.back(), "biped.q.base.qw")), 0.999);
  }
}

// Checks that the total energy is constant without drag. The pull of each magnet has the potential
// -strength / r.
TEST(MagneticPendulumScene, ConservesEnergyWithTheFieldOfItsFunction) {
  const Recorded out = run_scene("magnetic_pendulum", {{"drag", "0"}});
  double least = INFINITY, most = -INFINITY, least_pull = INFINITY, most_pull = -INFINITY;
  for (const auto& row : out.rows) {
    double pull = 0;
    for (int k = 1; k <= 3; ++k) {
      const double angle = 2 * M_PI * k / 3;
      pull -= 0.05 / std::hypot(out.at(row, "pendulum.pose.bob.x") - 0.2 * std::cos(angle),
                                out.at(row, "pendulum.pose.bob.y") - 0.2 * std::sin(angle),
                                out.at(row, "pendulum.pose.bob.z") + 1.1);
    }
    const double sum = out.at(row, "energy.kinetic") + out.at(row, "energy.potential") + pull;
    least = std::min(least, sum), most = std::max(most, sum);
    least_pull = std::min(least_pull, pull), most_pull = std::max(most_pull, pull);
  }
  EXPECT_GT(most_pull - least_pull, 0.1);
  EXPECT_LT(most - least, 1e-6);
}

// Checks the generated solver, which is generated again for the arm with its payload, against
// another solver in every row, and the end of its motion against a run of another solver.
TEST(GeneratedSolverScene, MovesAsWithAnotherSolver) {
  const Recorded generated = run_scene("generated_solver");
  for (const auto& row : generated.rows)
    EXPECT_LT(generated.at(row, "compare.vdot.articulated_body"), 1e-10);
  std::string text = text_of(folder / "generated_solver.lua");
  const size_t from = text.find("torsor.generated{"), to = text.find('\n', from);
  ASSERT_NE(from, text.npos);
  text.replace(from, to - from, "\"newton_euler\",");
  const auto other = finished(load_with_plugins(text));
  const std::span<const double> q = other->simulation().state().q();
  for (size_t k = 0; k < 7; ++k)
    EXPECT_NEAR(generated.at(generated.rows.back(), "iiwa.q.joint" + std::to_string(k + 1)), q[k],
                1e-10);
}

TEST(IiwaScene, LosesEnergyAndComesDown) {
  const Recorded out = run_scene("iiwa_free_swing");
  double before = INFINITY;
  for (const auto& row : out.rows) {
    const double total = out.at(row, "energy.kinetic") + out.at(row, "energy.potential");
    EXPECT_LT(total, before + 1e-9);
    before = total;
  }
  EXPECT_LT(out.at(out.rows.back(), "iiwa.pose.link7.z"),
            out.at(out.rows.front(), "iiwa.pose.link7.z") - 0.5);
}

// Checks that the joints follow the reference. The error of the law e'' + kd e' + kp e = 0 would be
// zero if the torques were not held for a millisecond.
TEST(ComputedTorqueScene, FollowsItsQuinticToThePose) {
  const auto worst = [](const Recorded& out) {
    const auto &first = out.rows.front(), &last = out.rows.back();
    double error = 0;
    for (const auto& row : out.rows) {
      const double x = std::min(out.at(row, "time") / 1.5, 1.0),
                   s = x * x * x * (10 - 15 * x + 6 * x * x);
      for (const char* joint : {"1", "2", "3", "4", "5", "6", "7"}) {
        const std::string name = std::string("iiwa.q.joint") + joint;
        const double from = out.at(first, name), to = out.at(last, name);
        error = std::max(error, std::abs(out.at(row, name) - (from + (to - from) * s)));
      }
    }
    return error;
  };
  const Recorded out = run_scene("lua_computed_torque");
  const auto& last = out.rows.back();
  EXPECT_NEAR(out.at(last, "iiwa.pose.link7.x"), 0.3, 1e-6);
  EXPECT_NEAR(out.at(last, "iiwa.pose.link7.y"), 0.4, 1e-6);
  EXPECT_NEAR(out.at(last, "iiwa.pose.link7.z"), 0.35, 1e-6);
  EXPECT_LT(worst(out), 2e-4);
  const double slow = worst(run_scene("lua_computed_torque", {{"rate", "500"}}));
  // Holding the torques delays them by half a period, so the error is proportional to the period.
  EXPECT_NEAR(slow / worst(out), 2, 0.3);
  EXPECT_GT(worst(run_scene("lua_computed_torque", {{"model_mass", "0.9"}})), 2e-3);
}

// The probe finds the heights of three steps: its tip of 0.01 m, 0.15 m above the ground at q = 0,
// rests on each step at its lowest. It pushes until the sensor has noticed it, 6 ms and at most two
// samples of 2 ms later. A longer delay makes it push longer.
TEST(GuardedMoveScene, StopsWhenItsSensorMeasuresThePush) {
  const std::vector<double> heights{0.05, 0.08, 0.03};
  const auto times = [&](const Overrides& settings) {
    const Recorded out = run_scene("guarded_move", settings);
    std::vector<double> lowest(3, 1.0), pushes(3, 0.0);
    for (const auto& row : out.rows) {
      const auto k = size_t(std::lround(out.at(row, "probe.q.across") / 0.1));
      lowest.at(k) = std::min(lowest[k], out.at(row, "probe.q.down"));
      pushes.at(k) += 2e-3 * out.at(row, "probe.touch.stylus");
    }
    for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(lowest[k], heights[k] + 0.01 - 0.15, 1e-6) << k;
    return pushes;
  };
  for (const double time : times({})) {
    EXPECT_GE(time, 0.006);
    EXPECT_LE(time, 0.014);
  }
  for (const double time : times({{"delay", "0.04"}})) EXPECT_NEAR(time, 0.044, 0.004);
}

TEST(Rx90Scene, BothParameterSetsGiveTheSameMotion) {
  const Recorded standard = run_scene("rx90_free_swing"),
                 base = run_scene("rx90_free_swing", {{"parameters", "base"}});
  for (const char* joint : {"joint1", "joint2", "joint3", "joint4", "joint5", "joint6"}) {
    const std::string name = std::string("rx90.q.") + joint;
    // Rounding errors grow during 3 s of swinging.
    EXPECT_NEAR(standard.at(standard.rows.back(), name), base.at(base.rows.back(), name), 1e-7)
        << name;
  }
}

TEST(PlanarScene, TakesItsParameters) {
  const Experiment e = load_scene(folder / "planar_n_link.lua", {{"n", "3"}, {"length", "1"}});
  EXPECT_EQ(e.model->n_v, 3);
  EXPECT_EQ(std::get<double>(e.parameters.at("n")), 3);
}

TEST(ScaraScene, TheSpindleIsBalanced) {
  const Recorded out = run_scene("scara");
  for (const auto& row : out.rows) EXPECT_NEAR(out.at(row, "scara.q.joint3"), 0, 1e-12);
  EXPECT_GT(std::abs(out.at(out.rows.back(), "scara.q.joint1") - 0.3), 0.1);
}

TEST(DoublePendulumScene, ChaosSeparatesThem) {
  const Recorded out = run_scene("double_pendulum");
  const auto gap = [&](const std::vector<double>& row) {
    return std::abs(out.at(row, "first.pose.tip2.x") - out.at(row, "second.pose.tip2.x"));
  };
  EXPECT_LT(gap(out.rows.front()), 2e-6);
  EXPECT_GT(gap(out.rows.back()), 1e-3);
  EXPECT_EQ(
      out.at(out.rows.back(), "second.pose.tip2.y") - out.at(out.rows.back(), "first.pose.tip2.y"),
      1);
}

TEST(UrdfScene, IsPushedSideways) {
  const Recorded out = run_scene("urdf_arm");
  EXPECT_NEAR(out.at(out.rows.front(), "urdf_arm.pose.grip.z"),
              0.8 + 0.3 + 0.4 * std::cos(0.4) + 0.36 * std::cos(1.3), 1e-12);
  EXPECT_GT(std::abs(out.at(out.rows.back(), "urdf_arm.q.turn")), 0.05);
}

TEST(BatchReachScene, PlansTheSameMotionInBothForms) {
  const Recorded out = run_scene("batch_reach");
  double apart = 0, largest = 0;
  for (const auto& row : out.rows)
    for (const char* name :
         {"tau.joint1", "tau.joint2", "tau.joint3", "q.joint1", "q.joint2", "q.joint3"}) {
      const double one = out.at(row, std::string("recursion.") + name);
      apart = std::max(apart, std::abs(one - out.at(row, std::string("batch.") + name)));
      largest = std::max(largest, std::abs(one));
    }
  EXPECT_LT(apart, 1e-4 * largest);
  EXPECT_GT(largest, 10);
  EXPECT_NEAR(out.at(out.rows.back(), "batch.pose.tip3.x"), 0.3, 0.01);
  EXPECT_NEAR(out.at(out.rows.back(), "batch.pose.tip3.y"), 0.6, 0.01);
}

// Compares the recorded signals with an independent program (tests/reference), and with central
// differences of the recorded torques.
TEST(TorqueRatesScene, RecordsTheTorquesOfThePaperAndTheirDerivatives) {
  const Recorded out = run_scene("torque_rates");
  const Json table = stored_table("iiwa_second_order.json");
  const auto column = [&](const std::string& signal, int joint) {
    const std::string name = "iiwa." + signal + ".joint" + std::to_string(joint);
    for (size_t i = 0; i < out.columns.size(); ++i)
      if (out.columns[i].name == name) return i;
    throw std::runtime_error("no column " + name);
  };
  EXPECT_EQ(out.columns[column("law.tau_d", 1)].unit, "N m");
  EXPECT_EQ(out.columns[column("law.tau_d_dot", 1)].unit, "N m/s");
  EXPECT_EQ(out.columns[column("law.tau_d_ddot", 1)].unit, "N m/s^2");
  double worst[3] = {0, 0, 0}, peak[3] = {0, 0, 0}, differences[2] = {0, 0}, coarse = 0, error = 0;
  size_t samples = 0;
  for (const Json& sample : table["samples"]) {
    const size_t row = size_t(std::lround(sample["t"].get<double>() * 100));
    ASSERT_NEAR(out.at(out.rows.at(row), "time"), sample["t"].get<double>(), 1e-12);
    ++samples;
    for (int k = 1; k <= 7; ++k) {
      const char* signals[] = {"law.tau_d", "law.tau_d_dot", "law.tau_d_ddot"};
      const char* keys[] = {"tau_phys", "taud_phys", "taudd_phys"};
      for (int i = 0; i < 3; ++i) {
        const double wanted = sample[keys[i]][size_t(k - 1)];
        worst[i] = std::max(worst[i], std::abs(out.rows[row][column(signals[i], k)] - wanted));
        peak[i] = std::max(peak[i], std::abs(wanted));
      }
    }
  }
  for (size_t row = 1; row + 1 < out.rows.size(); ++row)
    for (int k = 1; k <= 7; ++k) {
      const auto at = [&](size_t r, const char* signal) { return out.rows[r][column(signal, k)]; };
      differences[0] =
          std::max(differences[0], std::abs(at(row, "law.tau_d_dot") - at(row, "check.tau_dot")));
      differences[1] =
          std::max(differences[1], std::abs(at(row, "law.tau_d_ddot") - at(row, "check.tau_ddot")));
      // Over intervals of h = 10 ms, the difference is exact up to h^2/6 times the third
      // derivative.
      coarse =
          std::max(coarse, std::abs(at(row, "law.tau_d_dot") -
                                    (at(row + 1, "law.tau_d") - at(row - 1, "law.tau_d")) / 0.02));
      error = std::max(error, std::abs(at(row, "law.error")));
    }
  EXPECT_EQ(samples, 13u);
  for (int i = 0; i < 3; ++i) EXPECT_LT(worst[i], 1e-12 * peak[i]) << i;
  EXPECT_LT(differences[0], 1e-6 * peak[1]);
  EXPECT_LT(differences[1], 1e-5 * peak[2]);
  EXPECT_LT(coarse, 1e-3 * peak[1]);
  EXPECT_LT(error, 1e-6);
  std::printf(
      "the signals differ by %.1e, %.1e, %.1e from the reference, by %.1e, %.1e from "
      "differences, over 20 ms by %.1e; peaks %.4g, %.4g, %.5g; tracking error %.1e\n",
      worst[0], worst[1], worst[2], differences[0], differences[1], coarse, peak[0], peak[1],
      peak[2], error);
}

// Checks that the peak error of control without C v grows with the square of the speed.
TEST(NeglectedCoriolisScene, HasAnErrorThatGrowsWithTheSquareOfTheSpeed) {
  const auto peak = [](const char* coriolis, const char* duration) {
    const Recorded out =
        run_scene("neglected_coriolis", {{"coriolis", coriolis}, {"duration", duration}});
    double most = 0;
    for (const auto& row : out.rows)
      for (int k = 1; k <= 6; ++k)
        most = std::max(most, std::abs(out.at(row, "rx90.law.error.joint" + std::to_string(k))));
    return most;
  };
  const double slow = peak("false", "4"), fast = peak("false", "2");
  EXPECT_NEAR(fast / slow, 4, 0.2);
  EXPECT_LT(peak("true", "2"), 0.01 * fast);
}

}  // namespace
}  // namespace torsor::test
