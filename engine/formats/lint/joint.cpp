#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

#include "torsor/base/linear_algebra.hpp"
#include "torsor/base/random.hpp"
#include "torsor/formats/lint/rules.hpp"

namespace torsor::lint_rules {

namespace {

// Applies the rules for one moving joint.
class JointRules {
 public:
  JointRules(const LinkDescription& link, Finder& find)
      : joint_(link.joint),
        kind_(traits(joint_.kind)),
        find_(find),
        source_(joint_.source.empty() ? link.source : joint_.source) {}

  void run() const {
    axis();
    range();
    zero_limits();
    if (kind_.dofs[0].turns()) degrees();
  }

 private:
  void add(const char* rule, std::string what, std::vector<Finding::Number> numbers,
           std::string advice) const {
    find_.add(Severity::warning, rule, source_, subject(), std::move(what), std::move(numbers),
              std::move(advice));
  }

  std::string subject() const { return fmt::format("joint '{}'", joint_.name); }

  void axis() const {
    const auto* screw = std::get_if<ScrewPlacement>(&joint_.placement);
    if (!screw || !kind_.axis) return;
    const Vec3<double>& a = screw->axis;
    const double length = norm(a);
    constexpr double rounded = 1e-3;  // an axis written with three digits
    if (std::abs(length - 1) <= rounded) return;
    add("joint.axis", fmt::format("its axis ({}, {}, {}) is not a unit vector", a.x, a.y, a.z),
        {{"length", length, ""}},
        fmt::format("only its direction is used: ({}, {}, {})", a.x / length, a.y / length,
                    a.z / length));
  }

  std::string unit() const { return std::string(kind_.coordinates[0].unit); }

  // Reports equal limits, unless the reader says that they are defaults.
  void range() const {
    if (joint_.lower == joint_.upper && !find_.has("joint.range", subject()))
      add("joint.range", "its lower and upper limits are equal",
          {{"lower", joint_.lower, unit()}, {"upper", joint_.upper, unit()}},
          "make the joint fixed, or correct the limits");
  }

  void zero_limits() const {
    const bool effort = joint_.effort_limit == 0, velocity = joint_.velocity_limit == 0;
    std::vector<Finding::Number> numbers;
    if (effort) numbers.push_back({"effort", 0, std::string(kind_.dofs[0].tau_unit())});
    if (velocity) numbers.push_back({"velocity", 0, std::string(kind_.dofs[0].v_unit())});
    if (effort || velocity)
      add(effort ? "joint.effort" : "joint.velocity",
          effort && velocity ? "its effort and velocity limits are 0"
          : effort           ? "its effort limit is 0"
                             : "its velocity limit is 0",
          numbers, "a joint within this limit never moves; correct the limit, or remove it");
  }

  // Reports round numbers that are more likely degrees: 90, 170, 180, 360. Limits of -100 and 100
  // are how some programs write that there is none.
  void degrees() const {
    const auto looks = [](double x, double least) {
      return std::isfinite(x) && std::abs(x) >= least && std::abs(x) <= 720 && std::fmod(x, 5) == 0;
    };
    const std::vector<Finding::Number> limits{{"lower", joint_.lower, unit()},
                                              {"upper", joint_.upper, unit()}};
    const bool none = joint_.lower == -100 && joint_.upper == 100;
    if (!none && (looks(joint_.lower, 15) || looks(joint_.upper, 15)))
      add("joint.degrees", "its limits look like degrees", limits,
          fmt::format("in radians they would be {} and {}", joint_.lower * deg,
                      joint_.upper * deg));
    if (looks(joint_.velocity_limit, 60))
      add("joint.degrees", "its velocity limit looks like degrees per second",
          {{"velocity", joint_.velocity_limit, std::string(kind_.dofs[0].v_unit())}},
          fmt::format("in radians per second it would be {}", joint_.velocity_limit * deg));
  }

  static constexpr double deg = M_PI / 180;
  const JointDescription& joint_;
  const JointTraits& kind_;
  Finder& find_;
  const std::string& source_;
};

// Reports a link that is much farther from its parent than others, for example with an origin in
// mm.
void check_offset(const Surroundings& around, int i, Finder& find) {
  const LinkDescription& link = around.robot.links[i];
  const double offset = around.sizes[i].offset;
  if (!(around.length > 0) || offset < 200 * around.length) return;
  find.add(Severity::warning, "joint.far",
           link.joint.source.empty() ? link.source : link.joint.source,
           fmt::format("link '{}'", link.name), "it is far from its parent",
           {{"distance", offset, "m"}, {"median of the robot", around.length, "m"}},
           "is its origin in millimetres?");
}

// Returns M(q) by composite bodies, in the order of v. KHALIL 7.64 defines the same columns.
std::vector<double> mass_matrix(const Model& model, const std::vector<Pose<double>>& X_PB) {
  const int n = model.n_v;
  std::vector<double> M(size_t(n) * n, 0.0);
  std::vector<SpatialInertia<double>> composite = model.inertia_B;
  for (int i = model.n_body - 1; i > 0; --i) {
    const int first = model.v_index[i], count = model.v_count[i];
    for (int k = first; k < first + count; ++k) {
      Wrench<double> F = composite[i] * model.S_B[k];
      for (int b = i; b > 0; F = transform(X_PB[b], F), b = model.parent[b])
        for (int l = model.v_index[b]; l < model.v_index[b] + model.v_count[b]; ++l)
          M[size_t(k) * n + l] = M[size_t(l) * n + k] = dot(model.S_B[l], F);
      M[size_t(k) * n + k] += model.armature[k];
    }
    const int p = model.parent[i];
    composite[p] = composite[p] + transform(X_PB[i], composite[i]);
  }
  return M;
}

// The inertia of a body with the bodies beyond it, whose joints are free (KHALIL 7.71): the
// wrenches for the unit twists.
class ArticulatedInertia {
 public:
  explicit ArticulatedInertia(const SpatialInertia<double>& M) {
    for (size_t k = 0; k < 6; ++k) columns_[k] = M * unit(k);
  }
  Wrench<double> operator*(const Twist<double>& V) const {
    const double parts[6] = {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
    Wrench<double> out = parts[0] * columns_[0];
    for (size_t k = 1; k < 6; ++k) out = out + parts[k] * columns_[k];
    return out;
  }
  // Frees a degree of freedom: F is the wrench of its unit velocity, and pivot its inertia.
  void free(const Wrench<double>& F, double pivot) {
    for (size_t k = 0; k < 6; ++k) columns_[k] = columns_[k] - dot(unit(k), F) / pivot * F;
  }
  // Adds the inertia of a child at X_PB.
  void add(const Pose<double>& X_PB, const ArticulatedInertia& child) {
    for (size_t k = 0; k < 6; ++k)
      columns_[k] = columns_[k] + transform(X_PB, child * inverse_transform(X_PB, unit(k)));
  }

 private:
  static Twist<double> unit(size_t k) {
    double e[6] = {0, 0, 0, 0, 0, 0};
    e[k] = 1;
    return {{e[0], e[1], e[2]}, {e[3], e[4], e[5]}};
  }
  std::array<Wrench<double>, 6> columns_;
};

// A degree of freedom that moves no inertia, and its entry of the diagonal of M.
struct Massless {
  int dof;
  double inertia;
};

// Returns the degrees of freedom that move no inertia while the joints beyond them are free. M is
// singular if there is one: its pivot, the articulated inertia along the joint, is zero.
std::vector<Massless> dofs_without_inertia(const Model& model,
                                           const std::vector<Pose<double>>& X_PB) {
  const double rounding = 64 * model.n_v * std::numeric_limits<double>::epsilon();
  std::vector<SpatialInertia<double>> composite = model.inertia_B;
  std::vector<ArticulatedInertia> articulated(model.inertia_B.begin(), model.inertia_B.end());
  std::vector<Massless> out;
  for (int i = model.n_body - 1; i > 0; --i) {
    const int first = model.v_index[i], count = model.v_count[i], p = model.parent[i];
    for (int k = first + count - 1; k >= first; --k) {
      const Wrench<double> F = articulated[i] * model.S_B[k];
      const double pivot = dot(model.S_B[k], F) + model.armature[k],
                   diagonal = dot(model.S_B[k], composite[i] * model.S_B[k]) + model.armature[k];
      if (pivot > rounding * diagonal)
        articulated[i].free(F, pivot);
      else
        out.push_back({k, diagonal});
    }
    composite[p] = composite[p] + transform(X_PB[i], composite[i]);
    articulated[p].add(X_PB[i], articulated[i]);
  }
  return out;
}

double condition(const std::vector<double>& M) {
  const auto values = symmetric_eigenvalues(M);
  if (!values) return HUGE_VAL;
  const auto [least, largest] = std::minmax_element(
      values->begin(), values->end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  return std::abs(*largest) / std::abs(*least);
}

// A degree of freedom without inertia, with the numbers of the first configuration that shows it.
struct Singular {
  int times = 0;
  bool at_start = false;
  double cond = 0, inertia = 0;  // cond: infinite or NaN if M is exactly singular or large
};

// Returns how to give an inertia to a joint without one, depending on its kind.
std::string advice_for(const RobotDescription& robot, const LinkDescription& link) {
  const bool added = !robot.added_joint.empty() && link.joint.name == robot.added_joint;
  return fmt::format(
      "give link '{}' an inertia{}", link.name,
      added ? ", or load the robot without --floating-base (in Lua: without floating_base)"
      : traits(link.joint.kind).actuated ? ", give the joint an armature, or make it fixed"
                                         : ", or make the joint fixed");
}

void report(const RobotDescription& robot, const LinkDescription& link, const std::string& dof,
            std::string_view unit, const Singular& singular, int configurations, Finder& find) {
  std::vector<Finding::Number> numbers{{"M_jj", singular.inertia, std::string(unit)}};
  if (std::isfinite(singular.cond)) numbers.push_back({"cond(M)", singular.cond, ""});
  find.add(Severity::error, "inertia.singular",
           link.joint.source.empty() ? link.source : link.joint.source,
           fmt::format("joint '{}'", dof),
           fmt::format("it moves no inertia{}, so the mass matrix is singular in {} of {} "
                       "configurations, first in {}",
                       singular.inertia > 0 ? " while the joints beyond it are free" : "",
                       singular.times, configurations,
                       singular.at_start ? "the neutral one" : "a random one"),
           std::move(numbers), advice_for(robot, link));
}

}  // namespace

void check_joint(const Surroundings& around, int link, Finder& find) {
  check_offset(around, link, find);
  if (around.robot.links[link].joint.kind != JointKind::fixed)
    JointRules(around.robot.links[link], find).run();
}

void check_mass_matrix(const Model& model, const RobotDescription& robot, Finder& find) {
  constexpr int configurations = 9;              // the neutral q and random ones
  const bool find_condition = model.n_v <= 200;  // it takes n^3 operations
  Random random(1);
  const std::vector<double> start = neutral(model);
  std::vector<double> q(model.n_q), v(model.n_v), scratch(pose_scratch(model));
  std::vector<Pose<double>> X_PB(model.n_body);
  std::map<int, Singular> found;  // by dof
  for (int c = 0; c < configurations; ++c) {
    for (double& x : v) x = c == 0 ? 0 : random.uniform(-M_PI, M_PI);
    integrate(model, start.data(), v.data(), 1, q.data());
    evaluate_poses(model, q.data(), scratch.data(), X_PB.data());
    for (const auto& [dof, inertia] : dofs_without_inertia(model, X_PB))
      if (Singular& singular = found[dof]; singular.times++ == 0)
        singular = {1, c == 0, find_condition ? condition(mass_matrix(model, X_PB)) : HUGE_VAL,
                    inertia};
  }
  std::unordered_map<std::string_view, const LinkDescription*> links;  // by joint
  for (const LinkDescription& link : robot.links) links.emplace(link.joint.name, &link);
  const std::vector<std::string> names = model.dof_names();
  for (const auto& [dof, singular] : found)
    if (const auto link = links.find(model.joint_of_dof(dof).name); link != links.end())
      report(robot, *link->second, names[size_t(dof)], model.dof(dof).armature_unit(), singular,
             configurations, find);
}

}  // namespace torsor::lint_rules
