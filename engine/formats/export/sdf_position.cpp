// Moves the links of a robot to a position at which its loops are closed.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "torsor/base/text.hpp"
#include "torsor/formats/export/loop_geometry.hpp"
#include "torsor/formats/export/numbers.hpp"
#include "torsor/formats/export/sdf.hpp"
#include "torsor/model/building/placement.hpp"

namespace torsor::exporting {

namespace {

bool has_open_loop(const RobotDescription& robot) {
  const LoopGeometry geometry(robot);
  return std::ranges::any_of(robot.closures, [&](const ClosureDescription& closure) {
    return loop_type(closure.kind) && !geometry.is_closed(closure);
  });
}

// Moves a link by q of its joint, whose coordinates are then counted from there.
void move(LinkDescription& link, std::span<const double> q) {
  JointDescription& joint = link.joint;
  ScrewPlacement& screw = std::get<ScrewPlacement>(joint.placement);
  screw.X_PL = screw.X_PL * motion_of_link(link, q.data());
  if (q.size() > 1) return;
  joint.lower -= q[0];
  joint.upper -= q[0];
  if (!joint.drives.empty() && joint.drives[0].spring.stiffness != 0)
    joint.drives[0].spring.rest -= q[0];
}

// q_f = r q_l + o of a joint f that follows l becomes q_f' = r q_l' + (o + r at_l - at_f), with
// q = q' + at.
void move_mimics(RobotDescription& robot, const JointPositions& at) {
  const auto moved = [&](const std::string& joint) {
    const auto found = at.find(joint);
    return found == at.end() ? 0 : found->second[0];
  };
  for (LinkDescription& link : robot.links)
    if (auto& mimic = link.joint.mimic)
      mimic->offset += mimic->ratio * moved(mimic->joint) - moved(link.joint.name);
}

}  // namespace

ClosedRobot at_closed_loops(const RobotDescription& robot, const Target& target, Notes& notes) {
  ClosedRobot out{robot, {}, ""};
  if (!target.assemble || !has_open_loop(robot)) return out;
  const auto model = build(robot);
  std::vector<double> q;
  try {
    q = target.assemble(model);
  } catch (const Error& error) {
    out.failure = one_line(error.what());
    return out;
  }
  const std::vector<double> start = neutral(*model);
  for (LinkDescription& link : out.robot.links) {
    const int n_q = traits(link.joint.kind).n_q;
    if (n_q == 0) continue;
    const auto first = size_t(model->joints[size_t(model->joint(link.joint.name))].q_index);
    const auto own = std::span(q).subspan(first, size_t(n_q));
    if (std::ranges::equal(own, std::span(start).subspan(first, size_t(n_q)))) continue;
    move(link, own);
    out.positions[link.joint.name].assign(own.begin(), own.end());
    notes.note("zero of the coordinate",
               fmt::format("{} {:.6g}", joint_subject(link), fmt::join(own, " ")), position_note);
  }
  move_mimics(out.robot, out.positions);
  return out;
}

std::string position_text(std::span<const double> q) {
  std::string out;
  for (const double x : q) out += (out.empty() ? "" : " ") + number(x);
  return out;
}

}  // namespace torsor::exporting
