// Tests of the time laws against KHALIL's tables, values of an independent program, and searches
// for faster motions.

#include "conformance/trajectories.hpp"
#include "support/reference.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;

void expect_table(const Json& table) {
  for (const Json& example : table["examples"]) {
    const auto model = plain_chain(int(example["qi"].size()));
    const size_t n = size_t(model->n_v);
    for (const auto& [law, values] : example["laws"].items()) {
      SCOPED_TRACE(law);
      std::vector<Parameter> parameters{{"from", example["qi"].get<List>()},
                                        {"to", example["qf"].get<List>()},
                                        {"speed", example["kv"].get<List>()}};
      if (law != "linear") parameters.push_back({"acceleration", example["ka"].get<List>()});
      const auto trajectory = make(law, model, parameters);
      EXPECT_NEAR(trajectory->duration(), values["t_f"].get<double>(), digits);
      if (values.contains("tau")) {
        EXPECT_NEAR(trajectory->breaks().at(1), values["tau"].get<double>(), digits);
      }
      for (const Json& row : values["samples"]) {
        const double t = std::min(row[0].get<double>(), trajectory->duration());
        EXPECT_NEAR(t, row[0].get<double>(), digits);
        const Reference now = at(*trajectory, t);
        for (size_t j = 0; j < n; ++j) {
          EXPECT_NEAR(now.q[j], row[1 + j].get<double>(), digits);
          EXPECT_NEAR(now.v[j], row[1 + n + j].get<double>(), digits);
          EXPECT_NEAR(now.vdot[j], row[1 + 2 * n + j].get<double>(), digits * 5) << t;
        }
      }
    }
  }
}
// Equations: KHALIL 8.1, 8.2, 8.4, 8.6, 8.7, 8.11, 8.15, 8.19, 8.33, 8.37, 8.38, 8.39, 8.41, 8.42,
// 8.43.
TEST(TrajectoryLaws, EqualTheStoredValues) {
  expect_table(stored_table("trajectories.json"));
}

struct Limits {
  List from, to, speed, acceleration;
  std::vector<Parameter> parameters(bool of_acceleration) const {
    std::vector<Parameter> out{{"from", from}, {"to", to}, {"speed", speed}};
    if (of_acceleration) out.push_back({"acceleration", acceleration});
    return out;
  }
};
Limits random_limits(Random& random, int n) {
  Limits out{random_values(random, n, 3), random_values(random, n, 3), {}, {}};
  for (int j = 0; j < n; ++j) {
    out.speed.push_back(std::exp(random.uniform(-2, 2)));
    out.acceleration.push_back(std::exp(random.uniform(-2, 3)));
    if (n > 1 && random.below(5) == 0) out.to[size_t(j)] = out.from[size_t(j)];
  }
  if (std::equal(out.from.begin(), out.from.end(), out.to.begin())) out.to[0] += 1;
  return out;
}

// Returns the minimum duration for one joint (KHALIL, Table 8.1). The value of the septic law
// follows from the peaks of its derivatives.
double table_8_1(const std::string& law, double D, double kv, double ka) {
  D = std::abs(D);
  if (law == "linear") return D / kv;
  if (law == "cubic") return std::max(3 * D / (2 * kv), std::sqrt(6 * D / ka));
  if (law == "quintic") return std::max(15 * D / (8 * kv), std::sqrt(10 * D / (std::sqrt(3) * ka)));
  if (law == "septic")
    return std::max(35 * D / (16 * kv), std::sqrt(84 * D / (5 * std::sqrt(5) * ka)));
  return std::max(2 * D / kv, 2 * std::sqrt(D / ka));
}

// Returns the minimum duration of synchronised joints by 8.34 with the NOTE after it, relative to
// the first joint that moves. `ramp` is 1 for trapeze (8.35, 8.22) and 3/2 for smooth_trapeze
// (8.47, 8.41, 8.45).
double synchronised(const Limits& limits, double ramp) {
  const size_t n = limits.from.size();
  List D(n), kv = limits.speed, ka = limits.acceleration;
  size_t first = n;
  for (size_t j = 0; j < n; ++j) {
    D[j] = std::abs(limits.to[j] - limits.from[j]);
    if (D[j] > 0) first = std::min(first, j);
    if (D[j] < ramp * kv[j] * kv[j] / ka[j]) kv[j] = std::sqrt(D[j] * ka[j] / ramp);
  }
  double lambda = 1, nu = 1;
  for (size_t j = 0; j < n; ++j) {
    if (D[j] == 0) continue;
    lambda = std::min(lambda, kv[j] * D[first] / (kv[first] * D[j]));
    nu = std::min(nu, ka[j] * D[first] / (ka[first] * D[j]));
  }
  const double tau = ramp * lambda * kv[first] / (nu * ka[first]);
  return tau + D[first] / (lambda * kv[first]);
}

class EachLaw : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(TrajectoryLaws, EachLaw,
                         testing::Values("linear", "cubic", "quintic", "septic", "bang_bang",
                                         "trapeze", "smooth_trapeze"),
                         [](const auto& test) { return std::string(test.param); });

// Checks random limits. The duration must be that of KHALIL (table_8_1(), or synchronised() for
// trapezes). Both ends must be reached exactly and, except by the linear law, at rest. No limit may
// be exceeded, and one must be reached.
// Equations: KHALIL 8.8, 8.9, 8.12, 8.13, 8.14, 8.16, 8.17, 8.18, 8.20, 8.22, 8.32, 8.34, 8.35,
// 8.40, 8.45, 8.46, 8.47.
TEST_P(EachLaw, TakesTheMinimumTimeUnderLimits) {
  const std::string law = GetParam();
  const std::shared_ptr<const Model> models[] = {plain_chain(1), plain_chain(2), plain_chain(7)};
  for (int seed = 0; seed < 1000; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random{uint64_t(seed)};
    const auto& model = models[seed % 3];
    const size_t n = size_t(model->n_v);
    const Limits limits = random_limits(random, model->n_v);
    const auto trajectory = make(law, model, limits.parameters(law != "linear"));
    double T = 0;
    for (size_t j = 0; j < n; ++j)
      T = std::max(T, table_8_1(law, limits.to[j] - limits.from[j], limits.speed[j],
                                limits.acceleration[j]));
    if (law == "trapeze") T = synchronised(limits, 1);
    if (law == "smooth_trapeze") T = synchronised(limits, 1.5);
    ASSERT_NEAR(trajectory->duration(), T, 1e-13 * T);
    const Reference start = at(*trajectory, 0), end = at(*trajectory, trajectory->duration());
    EXPECT_EQ(start.q, limits.from);
    EXPECT_EQ(end.q, limits.to);
    double nearest = 0;
    for (int k = 0; k <= 128; ++k) {
      const Reference now = at(*trajectory, trajectory->duration() * k / 128);
      for (size_t j = 0; j < n; ++j) {
        const double speed = std::abs(now.v[j]) / limits.speed[j];
        const double acceleration =
            law == "linear" ? 0 : std::abs(now.vdot[j]) / limits.acceleration[j];
        nearest = std::max({nearest, speed, acceleration});
        if (law != "linear" && (k == 0 || k == 128)) {
          EXPECT_LE(std::abs(now.v[j]), 1e-13 * limits.speed[j]);
        }
      }
    }
    EXPECT_LE(nearest, 1 + 1e-12);
    EXPECT_GT(nearest, 0.999) << "it could be faster";
  }
}

// Checks that a faster motion with the same time law exceeds a limit. If the law has adjustable
// ramps, a grid of ramps is searched.
TEST_P(EachLaw, NoFasterMotionIsFound) {
  const std::string law = GetParam();
  const auto model = plain_chain(3);
  for (int seed = 0; seed < 20; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random{uint64_t(seed)};
    const Limits limits = random_limits(random, 3);
    const double least = make(law, model, limits.parameters(law != "linear"))->duration();
    const bool free = law.ends_with("trapeze");
    for (const double part : {0.3, 0.8, 0.99, 0.9999})
      for (double ramp = 0.01; ramp <= 0.5; ramp += free ? 0.01 : 1) {
        std::vector<Parameter> parameters{
            {"from", limits.from}, {"to", limits.to}, {"duration", List{part * least}}};
        if (free) parameters.push_back({"ramp", List{ramp}});
        const auto faster = make(law, model, parameters);
        double worst = 0;
        for (int k = 0; k <= 400; ++k) {
          const Reference now = at(*faster, faster->duration() * k / 400);
          for (size_t j = 0; j < 3; ++j)
            worst =
                std::max({worst, std::abs(now.v[j]) / limits.speed[j],
                          law == "linear" ? 0 : std::abs(now.vdot[j]) / limits.acceleration[j]});
        }
        EXPECT_GT(worst, 1 + 2e-5) << "in " << part << " of the time, with ramps of " << ramp;
      }
  }
}

// Checks a duration of twice the minimum: the breaks scale with the duration.
TEST_P(EachLaw, ScalesWithTheDuration) {
  const std::string law = GetParam();
  const auto model = plain_chain(2);
  Random random{4};
  const Limits limits = random_limits(random, 2);
  std::vector<Parameter> parameters = limits.parameters(law != "linear");
  const auto least = make(law, model, parameters);
  parameters.push_back({"duration", List{2 * least->duration()}});
  const auto slower = make(law, model, parameters);
  EXPECT_EQ(slower->duration(), 2 * least->duration());
  ASSERT_EQ(slower->breaks().size(), least->breaks().size());
  for (size_t k = 0; k < least->breaks().size(); ++k)
    EXPECT_NEAR(slower->breaks()[k], 2 * least->breaks()[k], 1e-14 * slower->duration());
}

TEST_P(EachLaw, EqualEndsGiveAMotionAtRest) {
  const auto model = plain_chain(2);
  const std::vector<Parameter> here{{"from", List{0.3, -1}}, {"to", List{0.3, -1}}};
  std::vector<Parameter> limits = here, duration = here;
  limits.push_back({"speed", List{1}});
  if (GetParam() != std::string("linear")) limits.push_back({"acceleration", List{1}});
  duration.push_back({"duration", List{2}});
  EXPECT_EQ(make(GetParam(), model, limits)->duration(), 0);
  EXPECT_EQ(make(GetParam(), model, duration)->duration(), 2);
  std::vector<Parameter> both = limits;
  both.push_back({"duration", List{2}});
  for (const auto& parameters : {limits, duration, both}) {
    const auto trajectory = make(GetParam(), model, parameters);
    EXPECT_TRUE(trajectory->breaks().empty());
    for (const double t : {0.0, 1.0, 2.0}) {
      const Reference now = at(*trajectory, t);
      EXPECT_EQ(now.q, (List{0.3, -1}));
      for (const auto* rate : {&now.v, &now.vdot, &now.vddot, &now.vdddot})
        EXPECT_EQ(*rate, (List{0, 0}));
    }
  }
}

// Checks that the motion between two positions of curved joints follows the shortest path: half of
// the logarithm D is reached at half time, with the velocity 15/8 D.
TEST(TrajectoryLaws, TakeTheShortestPathOnCurvedJoints) {
  const auto model = build(random_robot(8, Shape::tree, 41, Kinds::every));
  Random random{5};
  for (int k = 0; k < 20; ++k) {
    const List from = random_position(random, *model, 1), to = random_position(random, *model, 1);
    const auto trajectory =
        make("quintic", model, {{"from", from}, {"to", to}, {"duration", List{1}}});
    List D(size_t(model->n_v)), d(D), end_d(D);
    difference(*model, from.data(), to.data(), D.data());
    const Reference middle = at(*trajectory, 0.5), end = at(*trajectory, 1);
    difference(*model, from.data(), middle.q.data(), d.data());
    difference(*model, to.data(), end.q.data(), end_d.data());
    for (size_t j = 0; j < D.size(); ++j) {
      EXPECT_NEAR(d[j], D[j] / 2, digits * 10);
      EXPECT_NEAR(middle.v[j], 15.0 / 8 * D[j], digits * 10);
      EXPECT_NEAR(end_d[j], 0, digits * 10);
    }
  }
}

}  // namespace
}  // namespace torsor::test
