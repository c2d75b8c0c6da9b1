#include "torsor/model/building/checks.hpp"

#include "torsor/model/building/colliders.hpp"
#include "torsor/model/building/drives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/base/text.hpp"

namespace torsor {

void fail_at(const std::string& source, const std::string& text) {
  throw Error(source.empty() ? text : source + ": " + text);
}

const std::string& joint_source(const LinkDescription& link) {
  return link.joint.source.empty() ? link.source : link.joint.source;
}
void fail_joint(const LinkDescription& link, const std::string& text) {
  fail_at(joint_source(link), fmt::format("joint '{}': {}", link.joint.name, text));
}

void check_name(const char* what, const std::string& name, const std::string& source) {
  if (!is_plain_text(name))
    fail_at(
        source,
        fmt::format("the name of a {} must be UTF-8 text on one line, without control characters",
                    what));
}

bool is_finite(const Vec3<double>& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}
bool is_finite(const Pose<double>& X) {
  return std::all_of(X.R.m, X.R.m + 9, [](double x) { return std::isfinite(x); }) && is_finite(X.p);
}

namespace {

bool is_finite(const SpatialInertia<double>& M) {
  const Sym3<double>& I = M.I;
  return std::isfinite(M.m) && is_finite(M.h) && is_finite(Vec3<double>{I.xx, I.yy, I.zz}) &&
         is_finite(Vec3<double>{I.xy, I.xz, I.yz});
}

const std::string& inertia_source(const LinkDescription& link) {
  return link.inertia_source.empty() ? link.source : link.inertia_source;
}

// Throws Error for properties that a fixed joint cannot have.
void check_fixed(const LinkDescription& link) {
  const JointDescription& joint = link.joint;
  const JointDescription none;
  const auto reject = [&](bool given, const char* what) {
    if (given)
      fail_at(link.source,
              fmt::format("link '{}': its fixed joint has {}; only a moving joint can have that",
                          link.name, what));
  };
  reject(joint.armature != none.armature, "armature");
  reject(joint.damping != none.damping, "damping");
  reject(!joint.drives.empty(), "a drive");
  reject(joint.spring.has_value(), "a spring");
  reject(joint.mimic.has_value(), "a joint to mimic");
  reject(joint.pitch != 0, "a pitch");
  reject(joint.lower != none.lower || joint.upper != none.upper ||
             joint.velocity_limit != none.velocity_limit || joint.effort_limit != none.effort_limit,
         "limits");
}

void check_per_dof(const LinkDescription& link, const char* what, const PerDof& values) {
  const int n = traits(link.joint.kind).n_v;
  if (!values.each.empty() && int(values.each.size()) != n)
    fail_joint(
        link,
        fmt::format(
            "{} has {} entries; give a number, or a list of {}, one for each degree of freedom",
            what, values.each.size(), n));
  for (int k = 0; k < n; ++k)
    if (!(values.of(k) >= 0) || std::isinf(values.of(k)))
      fail_joint(link,
                 fmt::format("{} is {}; it must be finite and not negative", what, values.of(k)));
}

// Throws Error for properties that a joint of this kind cannot have.
void check_kind(const LinkDescription& link) {
  const JointDescription& joint = link.joint;
  const JointTraits& kind = traits(joint.kind);
  const JointDescription none;
  const auto reject = [&](bool given, const std::string& why) {
    if (given) fail_joint(link, fmt::format("it is {} and {}", kind.name, why));
  };
  const auto* screw = std::get_if<ScrewPlacement>(&joint.placement);
  reject(!kind.axis && !screw,
         "has a DH row, which is for joints with an axis; give its origin instead");
  if (!kind.axis && screw) {
    const Vec3<double>&e = screw->axis, &y = screw->point;
    reject(e.x != 0 || e.y != 0 || e.z != 1, "has an axis; it moves along the axes of the link");
    reject(kind.n_v == 6 && (y.x != 0 || y.y != 0 || y.z != 0),
           "has a point; it turns about the link's origin");
  }
  reject(!kind.actuated && joint.armature != none.armature,
         "has armature, which is for joints with an axis or a point; remove it");
  reject(
      kind.n_v > 1 &&
          (joint.lower != none.lower || joint.upper != none.upper ||
           joint.velocity_limit != none.velocity_limit || joint.effort_limit != none.effort_limit),
      "has limits, which are for joints with one degree of freedom; write it as several of these");
}

void check_numbers(const LinkDescription& link) {
  const JointDescription& joint = link.joint;
  const SpatialInertia<double>& M = link.inertia;
  if (!is_finite(M))
    fail_at(
        inertia_source(link),
        fmt::format("link '{}': the inertia has a value that is not a finite number", link.name));
  if (M.m < 0)
    fail_at(inertia_source(link), fmt::format("link '{}': mass {} kg is negative", link.name, M.m));
  const auto placed = [&](const auto& placement) {
    using P = std::decay_t<decltype(placement)>;
    if constexpr (std::is_same_v<P, ScrewPlacement>)
      return is_finite(placement.X_PL) && is_finite(placement.point);
    else if constexpr (std::is_same_v<P, StandardDh>)
      return std::isfinite(placement.a + placement.alpha + placement.d + placement.theta);
    else
      return std::isfinite(placement.alpha + placement.d + placement.theta + placement.r +
                           placement.gamma + placement.b);
  };
  if (!std::visit(placed, joint.placement))
    fail_at(
        link.source,
        fmt::format("link '{}': its placement has a value that is not a finite number", link.name));
  if (joint.kind == JointKind::fixed) return check_fixed(link);
  if (joint.name.empty())
    fail_at(link.source, fmt::format("link '{}': its {} joint needs a name", link.name,
                                     traits(joint.kind).name));
  const auto reject = [&](const char* what, double value, const std::string& rule) {
    fail_joint(link, fmt::format("{} is {}; it must {}", what, value, rule));
  };
  if (!std::isfinite(joint.pitch)) reject("pitch", joint.pitch, "be a finite number");
  if (!traits(joint.kind).user_pitch && joint.pitch != 0)
    reject("pitch", joint.pitch, "be left out: only a helical joint has one");
  check_per_dof(link, "armature", joint.armature);
  check_per_dof(link, "damping", joint.damping);
  check_kind(link);
  if (!(joint.lower <= joint.upper) || joint.lower == HUGE_VAL || joint.upper == -HUGE_VAL)
    reject("the lower limit", joint.lower,
           fmt::format("be at most the upper one, {}", joint.upper));
  if (!(joint.velocity_limit >= 0))
    reject("the velocity limit", joint.velocity_limit, "not be negative");
  check_drives(link);
  if (!(joint.effort_limit >= 0)) reject("the effort limit", joint.effort_limit, "not be negative");
}

// Checks whether a rigid body can have the inertia of the link. robot.nonphysical selects whether a
// failed check is an error or a warning.
void check_body(const RobotDescription& robot, const LinkDescription& link,
                std::vector<std::string>& warnings) {
  if (link.grouped || robot.nonphysical == Nonphysical::allow) return;
  const auto defect = physical_defect(link.inertia);
  if (!defect) return;
  const std::string text = fmt::format("link '{}': {}", link.name, *defect);
  if (robot.nonphysical == Nonphysical::reject)
    fail_at(inertia_source(link), text +
                                      "; no rigid body has it: correct the numbers, or allow it "
                                      "(allow_nonphysical in Lua, no --strict for a robot file)");
  const std::string& source = inertia_source(link);
  warnings.push_back((source.empty() ? "" : source + ": ") + text + "; it is used as given");
}

void check_visuals(const LinkDescription& link) {
  for (size_t i = 0; i < link.visuals.size(); ++i) {
    const VisualDescription& visual = link.visuals[i];
    std::optional<std::string> wrong = defect(visual.shape);
    if (!wrong && visual.color) wrong = defect(*visual.color);
    if (!wrong && !is_finite(visual.X_LV))
      wrong = "its pose has a value that is not a finite number";
    if (wrong)
      fail_at(link.source, fmt::format("link '{}': visual {}: {}", link.name, i + 1, *wrong));
  }
}

}  // namespace

void check_link(const RobotDescription& robot, const LinkDescription& link,
                std::vector<std::string>& warnings) {
  check_numbers(link);
  check_body(robot, link, warnings);
  check_visuals(link);
  for (size_t k = 0; k < link.collisions.size(); ++k)
    check_collision(fmt::format("link '{}'", link.name), link.collisions[k], k + 1, link.source);
}

}  // namespace torsor
