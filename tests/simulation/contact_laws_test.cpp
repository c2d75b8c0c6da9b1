// Laws that contacts obey in time stepping: no energy from contacts, momentum of free systems, no
// creep, and the same bits from the same state.

#include <gtest/gtest.h>

#include <cmath>

#include "simulation/contact_scenes.hpp"
#include "support/random_robot.hpp"

namespace torsor::test {
namespace {

ContactMaterial random_rigid_material(Random& random) {
  ContactMaterial out{.mu = random.uniform(0, 1.2), .restitution = random.uniform(0, 1)};
  if (random.below(3) == 0) out.torsional = random.uniform(0, 0.02);
  if (random.below(3) == 0) out.rolling = random.uniform(0, 0.02);
  return out;
}

// Returns a material without restitution. Every third one is rigid.
ContactMaterial random_compliant_material(Random& random) {
  ContactMaterial out = random_rigid_material(random);
  out.restitution = 0;
  if (random.below(3) == 0) return out;
  out.stiffness = std::pow(10, random.uniform(3, 7));
  if (random.below(3) > 0) out.damping = std::pow(10, random.uniform(0, 3));
  return out;
}

// Adds a box, ball or capsule at a place, with a random orientation and random rates.
void add_random_body(Random& random, RobotDescription& robot, const Vec3<double>& p,
                     std::vector<double>& q, std::vector<double>& v,
                     ContactMaterial (*random_material)(Random&) = random_rigid_material) {
  const std::string name = "body" + std::to_string(robot.links.size());
  const double mass = std::exp(random.uniform(-2, 2));
  const ContactMaterial material = random_material(random);
  switch (random.below(3)) {
    case 0:
      add_box(robot, name, mass,
              {random.uniform(0.1, 0.2), random.uniform(0.1, 0.2), random.uniform(0.1, 0.2)},
              material);
      break;
    case 1:
      add_ball(robot, name, mass, random.uniform(0.05, 0.1), material);
      break;
    default:
      add_capsule(robot, name, mass, random.uniform(0.03, 0.06), random.uniform(0.03, 0.06),
                  material);
  }
  const Quaternion r =
      exp_quaternion({random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)});
  q.insert(q.end(), {p.x, p.y, p.z, r.w, r.x, r.y, r.z});
  for (int k = 0; k < 6; ++k) v.push_back(random.uniform(-2, 2));
}

double total_energy(const Simulation& run) {
  return run.energy().sum();
}

// Bodies that fly into each other without gravity: the energy never grows, and the momentum is
// kept.
TEST(ContactLaws, ImpactsKeepMomentumAndLoseEnergy) {
  int impacts = 0;
  for (uint64_t seed = 1; impacts < 10000; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    RobotDescription robot;
    robot.name = "bodies";
    std::vector<double> q, v;
    const int n = 6;
    for (int k = 0; k < n; ++k)
      add_random_body(random, robot, {0.3 * (k % 3), 0.3 * (k / 3), 0}, q, v);
    // Towards the middle.
    for (int k = 0; k < n; ++k) {
      const Mat3<double> R = rotation(q[size_t(7 * k + 3)], q[size_t(7 * k + 4)],
                                      q[size_t(7 * k + 5)], q[size_t(7 * k + 6)]);
      const Vec3<double> w = transpose_times(
          R, Vec3<double>{3 * (0.3 - q[size_t(7 * k)]), 3 * (0.15 - q[size_t(7 * k + 1)]), 0});
      v[size_t(6 * k + 3)] = w.x, v[size_t(6 * k + 4)] = w.y, v[size_t(6 * k + 5)] = w.z;
    }
    ModelBuilder builder;
    builder.add(robot);
    Simulation run = started(builder.build(), 1e-3, q, v, {0, 0, 0});
    const auto momentum = [&] {
      Vec3<double> sum{0, 0, 0};
      for (int i = 1; i < run.model().n_body; ++i) {
        const double* x = run.state().q().data() + 7 * (i - 1);
        const double* u = run.state().v.data() + 6 * (i - 1) + 3;
        sum = sum + run.model().inertia_B[size_t(i)].m *
                        (rotation(x[3], x[4], x[5], x[6]) * Vec3<double>{u[0], u[1], u[2]});
      }
      return sum;
    };
    const Vec3<double> p = momentum();
    const double start = total_energy(run);
    double contact = 0;
    for (int k = 0; k < 300; ++k) {
      run.step();
      const double now = run.snapshot()[Work::contact];
      // Newton's impacts lose energy; the work of a step with persistent contact may be positive by
      // the curvature of its motion.
      EXPECT_LE(now, contact + 1e-6 * start);
      impacts += now < contact - 1e-6 * start;
      contact = now;
    }
    EXPECT_LE(total_energy(run), start * (1 + 1e-3));
    EXPECT_LT(norm(momentum() - p), 1e-10 * (1 + norm(p)));
    if (HasFailure()) return;
  }
}

// Two balls fall one above the other and bounce without loss. The lower one strikes the ground,
// then the upper ball, then the ground again in successive steps. In the last of these, both balls
// approach again after they have separated.
TEST(ContactLaws, ElasticImpactsInSuccessiveStepsKeepTheEnergy) {
  const ContactMaterial material{.mu = 0, .restitution = 1};
  RobotDescription robot;
  robot.name = "balls";
  add_ball(robot, "lower", 10, 0.1, material);
  add_ball(robot, "upper", 10, 0.1, material);
  Simulation run =
      started(on_plane(robot, material), 4e-3, {0, 0, 1.101, 1, 0, 0, 0, 0, 0, 1.311, 1, 0, 0, 0},
              std::vector<double>(12, 0.0));
  const double start = total_energy(run);
  double lowest = 1;
  for (int k = 0; k < 250; ++k) {
    run.step();
    lowest = std::min(lowest, run.state().q()[2]);
  }
  EXPECT_LT(lowest, 0.15);
  EXPECT_NEAR(total_energy(run), start, 1e-9 * start);
}

// Bodies that fall on a plane.
TEST(ContactLaws, RandomScenesLoseEnergy) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    RobotDescription robot;
    robot.name = "bodies";
    std::vector<double> q, v;
    for (int k = 0; k < 8; ++k)
      add_random_body(random, robot, {0.25 * (k % 2), 0.25 * (k / 2 % 2), 0.3 + 0.3 * (k / 4)}, q,
                      v);
    Simulation run = started(on_plane(robot, random_rigid_material(random)), 1e-3, q, v);
    const double start = total_energy(run);
    double highest = start;
    for (int k = 0; k < 600; ++k) {
      run.step();
      highest = std::max(highest, total_energy(run));
    }
    EXPECT_LT(highest, start * (1 + 2e-3));
    EXPECT_LT(std::abs(run.ledger_error()), 2e-3 * start);
    for (const ContactForce& each : run.contact_forces()) EXPECT_GT(each.gap, -2e-3);
    if (HasFailure()) return;
  }
}

// Bodies that fall on a plane, with compliant surfaces among rigid ones. The springs are part of
// the energy, and damping that resolves stiff ones only removes energy.
TEST(ContactLaws, RandomCompliantScenesLoseEnergy) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    RobotDescription robot;
    robot.name = "bodies";
    std::vector<double> q, v;
    for (int k = 0; k < 8; ++k)
      add_random_body(random, robot, {0.25 * (k % 2), 0.25 * (k / 2 % 2), 0.3 + 0.3 * (k / 4)}, q,
                      v, random_compliant_material);
    Simulation run = started(on_plane(robot, random_compliant_material(random)), 1e-3, q, v);
    const double start = total_energy(run);
    double highest = start;
    for (int k = 0; k < 600; ++k) {
      run.step();
      highest = std::max(highest, total_energy(run));
    }
    EXPECT_LT(highest, start * (1 + 2e-3));
    EXPECT_LT(run.ledger_error(), 2e-3 * start);
    if (HasFailure()) return;
  }
}

TEST(ContactLaws, APinchedCapsuleDoesNotCreep) {
  Simulation run = pinched_capsule();
  expect_no_creep(run, 5000, 5e-12);
}
// A run that continues from a saved state in the middle of a contact has the same bits.
void expect_the_same_bits(ContactMaterial (*random_material)(Random&),
                          const ContactMaterial& floor) {
  Random random(7);
  RobotDescription robot;
  robot.name = "bodies";
  std::vector<double> q, v;
  for (int k = 0; k < 6; ++k)
    add_random_body(random, robot, {0.2 * (k % 2), 0.2 * (k / 2 % 2), 0.2 + 0.3 * (k / 4)}, q, v,
                    random_material);
  const auto model = on_plane(robot, floor);
  Simulation run = started(model, 1e-3, q, v);
  std::vector<std::byte> saved;
  for (int k = 0; k < 600; ++k) {
    if (k == 350) saved = run.save();
    run.step();
    if (k % 50 == 0) (void)run.contact_forces();  // must not change the run
  }
  Simulation again = started(model, 1e-3, q, v);
  again.load(saved);
  while (again.steps() < run.steps()) again.step();
  EXPECT_EQ(again.state_hash(), run.state_hash());
  EXPECT_EQ(again.save(), run.save());
}
TEST(ContactLaws, ASavedStateContinuesToTheBit) {
  expect_the_same_bits(random_rigid_material, {.mu = 0.5});
  expect_the_same_bits(random_compliant_material, {.mu = 0.5, .stiffness = 2e4, .damping = 30});
}

}  // namespace
}  // namespace torsor::test
