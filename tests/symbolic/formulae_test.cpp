// Tests of the formulae of every quantity: their values against solvers of another formulation, on
// random trees of every joint kind, the robots of the literature, the shipped robots and URDF
// files.

#include "torsor/symbolic/formulae.hpp"

#include <gmock/gmock.h>

#include <cstdio>
#include <map>

#include "conformance/solvers.hpp"
#include "support/known_robots.hpp"
#include "support/random_state.hpp"
#include "symbolic/symbol_values.hpp"
#include "torsor/base/error.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/mechanics/regressor.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::test {
namespace {

using namespace symbolic;

// The largest difference of each quantity from the other solvers, relative to its norm.
using Worst = std::map<std::string, double>;

// Solvers whose formulation is not that of the formulae. The formulae of forward dynamics are those
// of articulated bodies, Christoffel symbols are those of lagrange_christoffel, and the others are
// those of newton_euler.
class Others {
 public:
  explicit Others(const std::shared_ptr<const Model>& model)
      : n_(model->n_v), lie_("lie_group", model), lagrange_("lagrange_christoffel", model) {}

  // Checks all results of a quantity at a point. friction: [n_v] torque of friction, or empty.
  void compare(const Generated& generated, std::string_view quantity, const Point& point,
               const Vector& friction, Worst& worst) {
    const std::vector<Matrix> found = generated(point);
    const State& state = point.state;
    const Vector tau_f = friction.size() ? friction : Vector(Vector::Zero(n_));
    // The rounding error of sums whose terms have the size of forces, for links of about 1 m. It
    // matters where a result is zero: formulae are then exactly zero.
    const Vector velocities = velocity(state);
    const double rounding = 64 * 2.2e-16 * solver().mass_matrix(state).norm() *
                            (10 + point.vdot.norm() + velocities.squaredNorm());
    const auto expect = [&](const Matrix& actual, const Matrix& expected, double tolerance,
                            double scale = 0) {
      if (scale == 0) scale = expected.norm();
      scale = std::max(scale, rounding / tolerance);
      EXPECT_TRUE(close(actual, expected, scale, tolerance)) << quantity;
      double& largest = worst[std::string(quantity)];
      if (scale > 0) largest = std::max(largest, (actual - expected).norm() / scale);
    };
    if (quantity == "inverse_dynamics") {
      expect(found[0], solver().inverse(state, point.vdot) + tau_f, tolerance_);
    } else if (quantity.starts_with("forward_dynamics")) {
      // The backward error of M vdot = tau - b does not depend on cond(M). The terms of M vdot can
      // be larger than M vdot: links are accelerated fast by small forces if they are light.
      const Vector b = solver().inverse(state, Vector::Zero(n_)), tau = point.tau - tau_f;
      const Matrix M = solver().mass_matrix(state);
      expect(M * found[0] + b, tau, tolerance_,
             std::max({M.norm() * found[0].norm(), b.norm(), tau.norm()}));
      EXPECT_TRUE(satisfies_equation_of_motion(M, found[0], b, tau));
      EXPECT_TRUE(agree_acceleration(found[0], solver().forward(state, tau), M));
    } else if (quantity == "mass_matrix") {
      expect(found[0], solver().mass_matrix(state), tolerance_);
    } else if (quantity == "inverse_mass_matrix") {
      const Matrix M = solver().mass_matrix(state), Minv = solver().inverse_mass_matrix(state);
      expect(found[0], Minv, std::max(tolerance_, 10 * condition(M) * 2.2e-16));
    } else if (quantity == "coriolis_matrix") {
      const Matrix C = solver().coriolis_matrix(state);
      const Vector v = velocity(state);
      expect(found[0] * v, C * v, tolerance_, C.norm() * v.norm());
      expect(found[0] + found[0].transpose(), C + C.transpose(), tolerance_, C.norm());
    } else if (quantity == "coriolis_matrix_by_christoffel_symbols") {
      const std::vector<Matrix> G = lie_.christoffel_symbols(state);
      Matrix C(n_, n_);
      for (int i = 0; i < n_; ++i) C.row(i) = (G[size_t(i)] * velocity(state)).transpose();
      expect(found[0], C, tolerance_);
    } else if (quantity == "gravity") {
      expect(found[0], solver().gravity(state), tolerance_);
    } else if (quantity == "bias") {
      expect(found[0], solver().bias(state), tolerance_);
    } else if (quantity == "christoffel_symbols") {
      const std::vector<Matrix> G = lie_.christoffel_symbols(state);
      Matrix all(n_ * n_, n_);
      for (int i = 0; i < n_; ++i) all.middleRows(i * n_, n_) = G[size_t(i)];
      const Matrix flat = found[0].reshaped<Eigen::RowMajor>();
      expect(flat, all.reshaped<Eigen::RowMajor>(), tolerance_);
    } else if (quantity == "torque_rates") {
      Matrix vdot(3, n_), tau(3, n_);
      vdot << point.vdot.transpose(), point.vddot.transpose(), point.vdddot.transpose();
      ASSERT_TRUE(lie_.solver().rates(state, {.order = 2, .vdot = vdot.data()}, tau.data()));
      for (int k = 0; k < 3; ++k) expect(found[size_t(k)], tau.row(k).transpose(), 10 * tolerance_);
    } else if (quantity == "forward_partials") {
      compare_forward_partials(found, point);
    } else if (quantity == "regressor") {
      std::vector<Twist<double>> scratch(regressor_scratch(state.model()));
      Matrix Y(n_, n_inertial * state.model().n_body);
      regressor(state, state.v.data(), point.vdot.data(), scratch, Y.data());
      expect(found[0], Y.rightCols(Y.cols() - n_inertial), tolerance_);
    } else if (quantity == "poses" || quantity == "jacobians") {
      const std::vector<int>& frames = generated.formulae().model->frames;
      for (size_t k = 0; k < frames.size(); ++k) {
        const Frame& frame = state.model().frames[size_t(frames[k])];
        const Pose<double> X = frame_pose(state, frame);
        const Matrix J = frame_jacobian(state, frame);
        if (quantity == "poses") {
          const auto row = found[0].row(Eigen::Index(k));
          expect(row.head(9), Eigen::Map<const Matrix>(X.R.m, 1, 9), tolerance_, 1);
          expect(row.tail(3), Eigen::Map<const Matrix>(&X.p.x, 1, 3), tolerance_, 1 + norm(X.p));
        } else {
          const Matrix row = found[0].row(Eigen::Index(k));
          expect(row, J.reshaped<Eigen::RowMajor>().transpose(), tolerance_, 1 + J.norm());
        }
      }
    } else if (quantity == "energies") {
      const double T = kinetic_energy(state), U = potential_energy(state);
      EXPECT_NEAR(found[0](0), T, tolerance_ * T);
      EXPECT_NEAR(found[1](0), U, tolerance_ * (std::abs(U) + norm(state.gravity_W())));
    } else {
      ASSERT_EQ(quantity, "inverse_partials");
      const double tau = solver().inverse(state, point.vdot).norm();
      for (const int k : {0, 1}) {
        const Matrix difference = tau_difference(point, k == 0);
        expect(found[size_t(k)], difference, 1e-7, difference.norm() + tau);
      }
    }
  }

  // Checks the derivatives of vdot against those of tau at the same vdot, which are differences of
  // another solver: M dvdot/dx = -dtau/dx and M dvdot/dtau = 1.
  void compare_forward_partials(const std::vector<Matrix>& found, const Point& point) {
    const Matrix M = solver().mass_matrix(point.state);
    Point at = point;
    at.vdot = solver().forward(point.state, point.tau);
    for (const int k : {0, 1}) {
      const Matrix expected = -tau_difference(at, k == 0);
      // The rounding error of the differences is that of tau.
      const double scale = expected.norm() + M.norm() * found[size_t(k)].norm() + point.tau.norm();
      EXPECT_TRUE(close(M * found[size_t(k)], expected, scale, 1e-7))
          << "dvdot/d" << (k == 0 ? "q" : "v");
    }
    EXPECT_TRUE(
        close(M * found[2], Matrix::Identity(n_, n_), M.norm() * found[2].norm(), tolerance_));
  }

  // Returns differences of fourth order of tau along each dof of q or of v.
  Matrix tau_difference(const Point& point, bool of_q, double h = 2e-3) {
    return (4 * central(point, of_q, h / 2) - central(point, of_q, h)) / 3;
  }
  // Returns central differences, of second order.
  Matrix central(const Point& point, bool of_q, double h) {
    const Model& model = point.state.model();
    Matrix out(n_, n_);
    for (int k = 0; k < n_; ++k) {
      Vector side[2];
      for (const int s : {0, 1}) {
        State there = point.state;
        const Vector unit = Vector::Unit(n_, k);
        std::vector<double> q(there.q().begin(), there.q().end());
        if (of_q) integrate(model, q.data(), unit.data(), s ? h : -h, q.data());
        there.set_q(q);
        if (!of_q) there.v[size_t(k)] += s ? h : -h;
        side[s] = solver().inverse(there, point.vdot);
      }
      out.col(k) = (side[1] - side[0]) / (2 * h);
    }
    return out;
  }
  // Returns true if M is singular in a state. An example is a URDF file whose root link has no
  // inertia, with a floating base.
  bool is_singular(const State& state) {
    const Vector tau = Vector::Ones(n_);
    Vector vdot(n_);
    const Status status = lie_.solver().forward(state, tau.data(), vdot.data());
    return TORSOR_STATUS_CODE(status.value) == TORSOR_SINGULAR;
  }
  void set_tolerance(double tolerance) { tolerance_ = tolerance; }

 private:
  // The products of matrices of lie_group are slow for large robots.
  TestSolver& solver() { return n_ > 12 ? lagrange_ : lie_; }
  int n_;
  TestSolver lie_, lagrange_;
  // The norm of a vector such as C v + g can be small because large terms cancel. The tolerance of
  // random trees allows for it.
  double tolerance_ = 1e-12;
};

void print(const Worst& worst) {
  for (const auto& [quantity, error] : worst)
    std::printf("  %-20s %.1e\n", quantity.c_str(), error);
}

// Adds friction and springs to the joints of a robot.
void add_joint_torques(RobotDescription& robot, Random& random) {
  for (LinkDescription& link : robot.links) {
    const JointTraits& kind = traits(link.joint.kind);
    if (kind.n_v == 0) continue;
    link.joint.damping = random.uniform(0, 1);
    if (!kind.actuated) continue;
    link.joint.drives.resize(size_t(kind.n_v));
    link.joint.drives[0].friction = {
        .law = Friction::Law::coulomb, .viscous = 0.3, .coulomb = 0.7, .breakaway = 0.7};
    link.joint.drives[0].motor.friction = {
        .law = Friction::Law::coulomb, .viscous = 0.1, .coulomb = 0.2, .breakaway = 0.2};
    if (kind.dofs[0].coordinate >= 0)
      link.joint.drives[0].spring = {random.uniform(1, 20), random.uniform(-1, 1)};
  }
}
// Returns the torques of the friction and springs that the choice contains.
Vector joint_torques(const SymbolChoice& choice, const State& state) {
  const Model& model = state.model();
  Vector out = Vector::Zero(model.n_v);
  for (int c = 0; c < model.n_v; ++c) {
    const Drive& drive = model.drives[size_t(c)];
    const double v = state.v[size_t(c)], sign = v > 0 ? 1 : v < 0 ? -1 : 0;
    if (choice.friction)
      out[c] +=
          (model.damping[size_t(c)] + drive.friction.viscous + drive.motor.friction.viscous) * v +
          (drive.friction.coulomb + drive.motor.friction.coulomb) * sign;
    if (!choice.springs || drive.spring.stiffness == 0) continue;
    const int coordinate = model.joint_of_dof(c).q_index + model.dof(c).coordinate;
    out[c] += drive.spring.stiffness * (state.q()[size_t(coordinate)] - drive.spring.rest);
  }
  return out;
}

SymbolChoice random_choice(Random& random, const Model& model) {
  SymbolChoice choice;
  choice.symbolic_geometry = random.below(2);
  choice.inertias = Inertias(random.below(3));  // numeric, standard or central
  choice.omit_zeros = random.below(2);
  choice.world = World(random.below(3));
  choice.friction = random.below(2);
  choice.springs = random.below(2);
  choice.turns_given = random.below(2);
  for (int i = 1; i < model.n_body; ++i)
    if (random.below(3) == 0) choice.wrenches.push_back(i);
  return choice;
}

// Adds the wrenches and the motion of the world that the choice contains.
void add_surroundings(const SymbolChoice& choice, Random& random, Point& point) {
  State& state = point.state;
  if (!choice.wrenches.empty()) {
    std::vector<Wrench<double>> F(size_t(state.model().n_body));
    for (const int i : choice.wrenches) F[size_t(i)] = {random.vector(5), random.vector(20)};
    state.set_wrenches(F);
  }
  if (choice.world == World::moving)
    state.set_world_motion({random.vector(1), random.vector(2)},
                           {random.vector(1), random.vector(2)});
}

constexpr uint64_t first_tree = 4000;
constexpr int trees = 200;

// Checks every quantity of 200 trees, each with random choices of symbols, in three states.
// Equations: KHALIL 7.27, 7.50, 7.61, 7.82.
TEST(FormulaeOfRandomTrees, AreTheValuesOfOtherSolvers) {
  std::printf("seeds %d to %d\n", int(first_tree), int(first_tree) + trees - 1);
  Worst worst;
  std::map<JointKind, int> kinds;
  for (int k = 0; k < trees && !HasFailure(); ++k) {
    const uint64_t seed = first_tree + uint64_t(k);
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const Shape shape = k % 3 == 0 ? Shape::chain : Shape::tree;
    RobotDescription robot = random_robot(1 + random.below(5), shape, seed, Kinds::every);
    add_joint_torques(robot, random);
    for (const LinkDescription& link : robot.links) ++kinds[link.joint.kind];
    const auto model = build(robot);
    SymbolChoice choice = random_choice(random, *model);
    Others others(model);
    others.set_tolerance(1e-11);
    Vec3<double> gravity = random.vector(10);
    if (random.below(4) == 0) gravity = {0, 0, -9.81};
    if (random.below(8) == 0) gravity = {0, 0, 0};
    for (const FormulaRow& row : formula_rows()) {
      const std::string_view name = row.name;
      if (name.ends_with("christoffel_symbols") && model->n_v > 12) continue;
      // documented: along a motion of the joints in a world at rest
      if ((name == "torque_rates" || name == "energies") && choice.world == World::moving) continue;
      const Generated generated(model, name, choice, gravity);
      for (int sample = 0; sample < 3; ++sample) {
        Point point = random_point(model, random);
        point.state.set_gravity(gravity);
        add_surroundings(choice, random, point);
        if (name == "torque_rates") point.state.clear_wrenches();
        if (name == "torque_rates" && !choice.wrenches.empty())
          point.state.set_wrenches(std::vector<Wrench<double>>(size_t(model->n_body)));
        others.compare(generated, name, point,
                       row.has_joint_torques ? joint_torques(choice, point.state) : Vector(),
                       worst);
      }
    }
  }
  EXPECT_EQ(kinds.size(), 8u) << "joint kinds";
  print(worst);
}

// Returns a tree whose axes are parallel, orthogonal or collinear at random, in either direction.
// Many entries of its poses are 0 or +-1, and formulae simplify.
RobotDescription aligned_tree(Random& random) {
  constexpr double quarters[] = {0, M_PI / 2, -M_PI / 2, M_PI};
  constexpr JointKind kinds[] = {JointKind::revolute, JointKind::prismatic, JointKind::helical};
  RobotDescription robot;
  robot.name = "aligned";
  const int n = 1 + random.below(6);
  for (int i = 0; i < n; ++i) {
    LinkDescription link;
    link.name = "link" + std::to_string(i);
    const int parent = i - 1 - (random.below(4) == 0 ? 1 : 0);
    if (parent >= 0) link.parent = robot.links[size_t(parent)].name;
    link.joint.name = "joint" + std::to_string(i);
    link.joint.kind = kinds[random.below(3)];
    if (link.joint.kind == JointKind::helical) link.joint.pitch = random.uniform(-0.2, 0.2);
    ModifiedDh row;
    row.alpha = quarters[random.below(4)];
    row.theta = quarters[random.below(4)];
    if (random.below(2)) row.d = random.uniform(0.2, 1);
    if (random.below(2)) row.r = random.uniform(0.2, 1);
    link.joint.placement = row;
    link.inertia = random_inertia(random, 0.3, 2);
    robot.links.push_back(link);
  }
  return robot;
}

TEST(FormulaeOfAlignedTrees, AreTheValuesOfOtherSolvers) {
  Worst worst;
  for (int k = 0; k < trees && !HasFailure(); ++k) {
    const uint64_t seed = first_tree + uint64_t(k);
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const auto model = build(aligned_tree(random));
    Others others(model);
    others.set_tolerance(1e-11);
    SymbolChoice choice;
    choice.turns_given = k % 2;
    choice.world = k % 3 ? World::constant : World::moving;
    choice.symbolic_geometry = k % 4 == 0;
    const Vec3<double> gravity = k % 5 ? Vec3<double>{0, 0, -9.81} : random.vector(10);
    for (const char* name :
         {"inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity", "coriolis_matrix",
          "coriolis_matrix_by_christoffel_symbols", "christoffel_symbols"}) {
      const Generated generated(model, name, choice, gravity);
      Point point = random_point(model, random);
      point.state.set_gravity(gravity);
      add_surroundings(choice, random, point);
      others.compare(generated, name, point, Vector(), worst);
    }
  }
  print(worst);
}

// Checks that the base parameters move the robot as all parameters do.
TEST(FormulaeOfRandomTrees, WithBaseParametersGiveTheSameTorques) {
  Worst worst;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const auto model = build(random_robot(4, Shape::tree, seed, Kinds::every));
    SymbolChoice choice;
    choice.inertias = Inertias::base;
    choice.symbolic_geometry = seed % 2;
    choice.wrenches = {1, model->n_body - 1};
    Others others(model);
    others.set_tolerance(1e-11);  // the parameters are solutions of linear equations
    for (const char* name : {"inverse_dynamics", "bias", "gravity", "mass_matrix"}) {
      const Generated generated(model, name, choice);
      EXPECT_LT(generated.formulae().model->parameters().size(),
                10 * model->links.size() + 12 * size_t(model->n_body) + size_t(model->n_v));
      Point point = random_point(model, random);
      point.state.set_gravity({0, 0, -9.81});
      add_surroundings(choice, random, point);
      others.compare(generated, name, point, Vector(), worst);
    }
  }
  print(worst);
}

// Checks that errors of central differences of another solver are of order h^2.
TEST(FormulaeOfRandomTrees, AreTheLimitsOfCentralDifferences) {
  for (const uint64_t seed : {uint64_t(5), uint64_t(6)}) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const auto model = build(random_robot(5, Shape::tree, seed, Kinds::every));
    SymbolChoice choice;
    choice.world = World::moving;
    choice.wrenches = {1};
    const Generated partials(model, "inverse_partials", choice);
    Point point = random_point(model, random);
    add_surroundings(choice, random, point);
    Others others(model);
    const Matrix exact = partials(point)[0];
    const auto error = [&](double h) { return (others.central(point, true, h) - exact).norm(); };
    EXPECT_NEAR(observed_order(error(4e-3), error(2e-3)), 2, 0.05);
  }
}

// The quantities that are compared in many states. The others grow faster with the robot.
constexpr const char* main_quantities[] = {
    "inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_mass_matrix",
    "coriolis_matrix",  "gravity",          "bias"};
constexpr const char* other_quantities[] = {"christoffel_symbols", "torque_rates",
                                            "inverse_partials"};

void expect_agreement(const std::shared_ptr<const Model>& model, int states) {
  Worst worst;
  Others others(model);
  // gravity is across no joint's axis, so that no torque is the difference of two large ones
  const Vec3<double> gravity{1, 2, -9};
  Random first(98);
  const bool singular = others.is_singular(random_state(model, first));
  if (singular) std::printf("  M is singular\n");
  const auto compare = [&](const std::string& name, int count) {
    if (singular && (name == "forward_dynamics" || name == "inverse_mass_matrix")) return;
    const Generated generated(model, name, {}, gravity);
    Random random(99);
    for (int k = 0; k < count; ++k) {
      Point point = random_point(model, random);
      point.state.set_gravity(gravity);
      others.compare(generated, name, point, Vector(), worst);
    }
  };
  for (const char* name : main_quantities) compare(name, states);
  for (const char* name : other_quantities)
    if (model->n_v <= 12) compare(name, 10);
  print(worst);
}

class FormulaeOfFiles : public testing::TestWithParam<std::tuple<std::string, bool>> {};
std::vector<std::string> files_of_usual_size() {
  std::vector<std::string> robots = all_robots();
  std::erase_if(robots, [](const std::string& name) {
    return build(read_robot_file(robot_file(name)))->n_v > 40;
  });
  return robots;
}
INSTANTIATE_TEST_SUITE_P(Robots, FormulaeOfFiles,
                         testing::Combine(testing::ValuesIn(files_of_usual_size()),
                                          testing::Bool()),
                         [](const auto& test) {
                           return std::get<0>(test.param) +
                                  (std::get<1>(test.param) ? "_floating" : "_fixed");
                         });

TEST_P(FormulaeOfFiles, AreTheValuesOfOtherSolvers) {
  const auto& [name, floating] = GetParam();
  const auto model = build(read_robot_file(robot_file(name), {.floating_base = floating}));
  expect_agreement(model, 1000);
}

class FormulaeOfScripts : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Robots, FormulaeOfScripts,
                         testing::Values("double_pendulum", "iiwa", "planar", "rx90", "scara"),
                         [](const auto& test) { return test.param; });
TEST_P(FormulaeOfScripts, AreTheValuesOfOtherSolvers) {
  const std::filesystem::path folder = std::filesystem::path(TORSOR_SOURCE_DIR) / "scripts/robots";
  expect_agreement(build(load_robot(folder / (GetParam() + ".lua"))), 1000);
}

TEST(FormulaeOfTheLiterature, AreTheValuesOfOtherSolvers) {
  const Json table = stored_table("rx90.json");
  expect_agreement(build(rx90(table, RxParameters::standard)), 1000);
  expect_agreement(build(rx90(table, RxParameters::base)), 1000);
  expect_agreement(build(iiwa(stored_table("iiwa_second_order.json"))), 1000);
}

// Links of base parameters have first moments without mass, and so no centre of mass.
TEST(FormulaeOfTheLiterature, WithCentralParametersKeepFirstMoments) {
  const auto model = build(rx90(stored_table("rx90.json"), RxParameters::base));
  SymbolChoice choice;
  choice.inertias = Inertias::central;
  Others others(model);
  Worst worst;
  Random random(1);
  for (const char* name : {"inverse_dynamics", "gravity", "mass_matrix"}) {
    const Generated generated(model, name, choice);
    for (int sample = 0; sample < 10; ++sample) {
      Point point = random_point(model, random);
      point.state.set_gravity({0, 0, -9.81});
      others.compare(generated, name, point, Vector(), worst);
    }
  }
  print(worst);
}

TEST(FormulaeOfMimicJoints, HaveNoBaseParameters) {
  RobotDescription robot = random_robot(3, Shape::chain, 1);
  robot.links[2].joint.mimic = Mimic{robot.links[1].joint.name, 0.5, 0.1};
  SymbolChoice choice;
  choice.inertias = Inertias::base;
  try {
    Generated(build(robot), "gravity", choice);
    ADD_FAILURE() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("choose the standard parameters"));
  }
}

TEST(FormulaeOfSprings, HaveNoSpringsOfBalls) {
  RobotDescription robot = random_robot(2, Shape::chain, 1);
  robot.dof_order.clear();
  robot.links[1].joint = JointDescription{};
  robot.links[1].joint.name = "ball";
  robot.links[1].joint.kind = JointKind::spherical;
  robot.links[1].joint.spring = PoseSpring{.angular = 2};
  SymbolChoice choice;
  Generated(build(robot), "inverse_dynamics", choice);
  choice.springs = true;
  try {
    Generated(build(robot), "inverse_dynamics", choice);
    ADD_FAILURE() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "joint 'ball' is spherical and has a spring, for which there are no formulae; "
                 "remove the option --with-springs, or the spring");
  }
  robot.links[1].joint.spring->angular = 0;
  Generated(build(robot), "inverse_dynamics", choice);
}

TEST(FormulaRows, NameASimilarQuantity) {
  try {
    formula_row("mass_matrx");
    ADD_FAILURE() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("there is no quantity 'mass_matrx'; did you mean "
                                                  "'mass_matrix'?"));
  }
}

}  // namespace
}  // namespace torsor::test
