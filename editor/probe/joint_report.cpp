#include "editor/probe/joint_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "torsor/simulation/simulation.hpp"

namespace torsor::editor {

namespace {

std::string text(double value) {
  return fmt::format("{:.5g}", value);
}

bool touches(const Row& row, int column) {
  return std::ranges::any_of(row, [=](const Term& term) { return term.index == column; });
}

// Returns row . u with u = (v, motor velocities): the rate of a linear combination of joint and
// motor coordinates.
double rate(const Row& row, const Snapshot& now) {
  std::vector<double> u(now.v);
  u.insert(u.end(), now.motor_v.begin(), now.motor_v.end());
  return along(row, u.data());
}

// Returns "friction" or "motor friction" for friction i of the mechanism. The friction on the
// link's side, if any, is the first friction of its dof.
std::string friction_name(const Simulation& simulation, size_t i) {
  const std::vector<FrictionElement>& all = simulation.mechanism().frictions;
  const int column = all[i].dof;
  const bool first = std::none_of(all.begin(), all.begin() + std::ptrdiff_t(i),
                                  [=](const FrictionElement& f) { return f.dof == column; });
  const bool of_link =
      first && simulation.model().drives[size_t(column)].friction.law != Friction::Law::none;
  return of_link ? "friction" : "motor friction";
}

std::string capitalized(std::string text) {
  text[0] = char(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string friction_words(const Simulation& simulation, size_t i) {
  const FrictionElement& friction = simulation.mechanism().frictions[i];
  const Snapshot& now = simulation.snapshot();
  const double direction = friction.can_stick() ? now.modes[i] : rate(friction.row, now);
  if (direction == 0) return friction.can_stick() ? "sticks" : "at rest";
  return direction > 0 ? "slips forward" : "slips backward";
}

bool is_touched(const Simulation& simulation, size_t stop) {
  return simulation.snapshot().modes[simulation.mechanism().frictions.size() + stop] != 0;
}

const char* side(const StopElement& stop) {
  return stop.side() > 0 ? "lower" : "upper";
}

class ColumnReport {
 public:
  ColumnReport(const Simulation& simulation, const JointForces& forces, int column)
      : simulation_(simulation),
        model_(simulation.model()),
        mechanism_(simulation.mechanism()),
        now_(simulation.snapshot()),
        forces_(forces),
        column_(column),
        kind_(model_.dof(column)) {}

  std::vector<Line> lines() {
    constants();
    motor();
    for (const SpringElement& spring : mechanism_.springs)
      if (spring.row[0].index == column_) this->spring(spring);
    for (const PoseSpringElement& spring : mechanism_.pose_springs)
      if (column_ >= spring.v_index && column_ < spring.v_index + spring.kind->n_v)
        this->spring(spring);
    for (size_t i = 0; i < mechanism_.frictions.size(); ++i)
      if (mechanism_.frictions[i].dof == column_) friction(i);
    stops();
    mimics();
    forces();
    return std::move(lines_);
  }

 private:
  void add(std::string name, std::string value, std::string_view unit, std::string help) {
    lines_.push_back({std::move(name), std::move(value), std::string(unit), std::move(help)});
  }
  const char* angle_or_length() const { return kind_.turns() ? "rad" : "m"; }
  const char* torque_or_force() const { return kind_.turns() ? "torque" : "force"; }

  void constants();
  void motor();
  void spring(const SpringElement& spring);
  void spring(const PoseSpringElement& spring);
  void friction(size_t i);
  void stops();
  void mimics();
  void forces();

  const Simulation& simulation_;
  const Model& model_;
  const Mechanism& mechanism_;
  const Snapshot& now_;
  const JointForces& forces_;
  int column_;
  const JointDof& kind_;
  double elastic_ = 0;  // torque of its elastic joint on the link
  bool held_ = false;   // true if a constraint force may act on it
  std::vector<Line> lines_;
};

void ColumnReport::constants() {
  if (simulation_.is_prescribed(column_))
    add("Motion", "prescribed", "",
        "The joint follows a given motion regardless of the forces on it. The constraint torque "
        "keeps it there.");
  if (const double armature = model_.armature[size_t(column_)]; armature != 0)
    add("Armature", text(armature), kind_.armature_unit(),
        "Inertia of the rotors, added to the diagonal of M.");
  if (const double damping = model_.damping[size_t(column_)]; damping != 0)
    add("Damping", text(damping), kind_.damping_unit(),
        "Viscous damping: torque per unit of velocity.");
}

void ColumnReport::motor() {
  const auto c = size_t(column_);
  // A constant torque is not listed, because the slider shows it.
  if (forces_.failure.empty() && forces_.torque[c] != simulation_.constant_torque()[c])
    add(fmt::format("Motor {}", torque_or_force()), text(forces_.torque[c]), kind_.tau_unit(),
        "Current motor torque at the joint, including functions of time and the motor's limit.");
  const int m = mechanism_.driven[size_t(column_)] - mechanism_.n_v;
  if (m < 0) return;
  add("Motor position", text(now_.motor_q[size_t(m)]), angle_or_length(),
      "theta: position of the motor, on the joint's side of the gear.");
  add("Motor velocity", text(now_.motor_v[size_t(m)]), kind_.v_unit(),
      "theta_dot: velocity of the motor, on the joint's side of the gear.");
}

void ColumnReport::spring(const SpringElement& spring) {
  const double x =
      mechanism_.position(spring.row, now_.q.data(), now_.motor_q.data()) - spring.rest;
  double force =
      -(spring.stiffness + spring.cubic * x * x) * x - spring.damping * rate(spring.row, now_);
  const bool elastic = spring.row.size() == 2;
  const auto deflection = [&](const Row& row) {
    return mechanism_.position(row, now_.q.data(), now_.motor_q.data());
  };
  for (const auto& [row_a, row_b, stiffness] : mechanism_.couplings) {
    if (elastic && row_a[0].index == column_) force -= stiffness * deflection(row_b);
    if (elastic && row_b[0].index == column_) force -= stiffness * deflection(row_a);
  }
  if (elastic) elastic_ = force;
  add(elastic ? "Deflection" : "Spring deflection", text(x), angle_or_length(),
      elastic ? "q minus motor position."
              : fmt::format("q minus {:.5g}, the rest position of the spring.", spring.rest));
  add(fmt::format("{} {}", elastic ? "Elastic" : "Spring", torque_or_force()), text(force),
      kind_.tau_unit(),
      elastic ? "Acts on the link, from the spring and damper between motor and link. The opposite "
                "acts on the motor."
              : "Acts on the link, from the joint's spring.");
}

void ColumnReport::spring(const PoseSpringElement& spring) {
  std::vector<double> force(size_t(mechanism_.n_v));
  spring.add_force(now_.q.data(), -1, force.data());
  add("Spring deflection", text(component(kind_, spring.deflection(now_.q.data()))),
      angle_or_length(),
      kind_.turns() ? "Component, in the axes of the link, of the rotation from the rest position."
                    : "Distance from the rest position along an axis of the link.");
  add(fmt::format("Spring {}", torque_or_force()), text(force[size_t(column_)]), kind_.tau_unit(),
      "Acts on the link, from the joint's spring.");
}

void ColumnReport::friction(size_t i) {
  const FrictionElement& friction = mechanism_.frictions[i];
  const bool of_motor = friction.row.size() > 1 || friction.row[0].index != column_;
  add(capitalized(friction_name(simulation_, i)) + " state", friction_words(simulation_, i), "",
      fmt::format("{} friction{}. Forward: {} increases.", name(friction.law.law),
                  friction.motor_law
                      ? fmt::format(" plus {} friction of the motor", name(friction.motor_law->law))
                      : "",
                  of_motor ? "the motor angle" : "q"));
  if (friction.memory >= 0)
    add("Bristle deflection", text(now_.memory[size_t(friction.memory)]), angle_or_length(),
        "Deflection of the bristles in the friction model.");
  const bool of_elastic_motor = friction.row[0].index >= mechanism_.n_v;
  if (of_elastic_motor && friction.can_stick() && now_.modes[i] == 0 && forces_.failure.empty())
    add("Motor constraint", text(elastic_ - forces_.torque[size_t(column_)]), kind_.tau_unit(),
        "Static friction on the motor, on the joint's side of the gear. It balances the spring and "
        "the motor torque.");
}

void ColumnReport::stops() {
  std::string touched;
  bool any = false;
  for (size_t i = 0; i < mechanism_.stops.size(); ++i) {
    const StopElement& stop = mechanism_.stops[i];
    if (stop.index() != column_) continue;
    any = true;
    if (is_touched(simulation_, i))
      touched += fmt::format("{}{}", touched.empty() ? "" : " and ", side(stop));
  }
  if (!any) return;
  add("Stops", (touched.empty() ? "none" : touched) + " reached", "",
      "Position limits that push against the joint.");
  held_ = true;
}

void ColumnReport::mimics() {
  const std::vector<std::string> names = model_.dof_names();
  for (const Mimicry& mimic : model_.mimics) {
    held_ |= mimic.of_dof == column_;
    if (mimic.dof != column_) continue;
    held_ = true;
    const std::string& other = names[size_t(mimic.of_dof)];
    const std::string times =
        mimic.ratio == 1 ? other : fmt::format("{:.5g} {}", mimic.ratio, other);
    add("Mimics",
        mimic.offset == 0 ? times
                          : fmt::format("{} {} {:.5g}", times, mimic.offset < 0 ? "-" : "+",
                                        std::abs(mimic.offset)),
        "", "The joint's position at all times.");
  }
}

void ColumnReport::forces() {
  bool resisted = model_.damping[size_t(column_)] > 0;
  for (const FrictionElement& friction : mechanism_.frictions) {
    if (!touches(friction.row, column_)) continue;
    resisted = true;
    held_ |= friction.can_stick();
  }
  held_ |= simulation_.is_prescribed(column_);
  if (!resisted && !held_) return;
  if (!forces_.failure.empty())
    return add("Forces", forces_.failure, "", "Friction and constraint cannot be computed here.");
  if (resisted)
    add(fmt::format("Friction {}", torque_or_force()), text(forces_.friction[size_t(column_)]),
        kind_.tau_unit(),
        "Friction and damping at the joint; positive if they oppose positive velocity.");
  if (held_)
    add(fmt::format("Constraint {}", torque_or_force()), text(forces_.constraint[size_t(column_)]),
        kind_.tau_unit(),
        "From static friction, stops, mimic joints and prescribed motion at the joint.");
}

}  // namespace

std::vector<Line> joint_report(const Simulation& simulation, const JointForces& forces,
                               const Joint& joint) {
  const Model& model = simulation.model();
  const std::vector<std::string> names = model.dof_names();
  const int n = traits(joint.kind).n_v;
  std::vector<Line> out;
  for (int c = joint.v_index; c < joint.v_index + n; ++c) {
    const std::string entry =
        n == 1 ? "" : fmt::format(" ({})", names[size_t(c)].substr(joint.name.size() + 1));
    for (Line& line : ColumnReport(simulation, forces, c).lines()) {
      line.name += entry;
      out.push_back(std::move(line));
    }
  }
  return out;
}

Line mode_report(const Simulation& simulation) {
  const Mechanism& mechanism = simulation.mechanism();
  const std::vector<std::string> names = simulation.model().dof_names();
  int sticking = 0, slipping = 0, touched = 0;
  Line out{"Friction and stops", "", "", ""};
  const auto list = [&](int column, const std::string& words) {
    out.help += fmt::format("{}{}: {}", out.help.empty() ? "" : "\n", names[size_t(column)], words);
  };
  for (size_t i = 0; i < mechanism.frictions.size(); ++i) {
    const FrictionElement& friction = mechanism.frictions[i];
    if (!friction.can_stick()) continue;
    ++(simulation.snapshot().modes[i] == 0 ? sticking : slipping);
    list(friction.dof,
         fmt::format("{} {}", friction_name(simulation, i), friction_words(simulation, i)));
  }
  for (size_t i = 0; i < mechanism.stops.size(); ++i) {
    const StopElement& stop = mechanism.stops[i];
    if (!is_touched(simulation, i)) continue;
    ++touched;
    list(stop.index(), fmt::format("{} stop reached", side(stop)));
  }
  std::vector<std::string> counts;
  if (sticking > 0) counts.push_back(fmt::format("{} sticking", sticking));
  if (slipping > 0) counts.push_back(fmt::format("{} slipping", slipping));
  if (touched > 0 || (counts.empty() && !mechanism.stops.empty()))
    counts.push_back(fmt::format("{} at a stop", touched > 0 ? std::to_string(touched) : "none"));
  out.value = fmt::format("{}", fmt::join(counts, ", "));
  return out;
}

}  // namespace torsor::editor
