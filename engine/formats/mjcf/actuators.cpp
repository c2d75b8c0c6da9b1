#include "torsor/formats/mjcf/actuators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "torsor/base/error.hpp"

namespace torsor::mjcf {

namespace {

constexpr std::string_view actuator_words[] = {"general",     "motor",  "position", "velocity",
                                               "intvelocity", "damper", "cylinder"};

// The parameters of a class of actuators: all kinds of actuators share them, so that a default of a
// <motor> is one of a <position> too.
struct Law {
  std::array<double, 10> gain{1}, bias{};
  std::array<double, 6> gear{1};
  std::string gain_type = "fixed", bias_type = "none", dynamics = "none";
};

void set(std::array<double, 10>& out, const xml::Element& element, const char* attribute) {
  if (element.has(attribute)) std::ranges::copy(element.list(attribute, out.size()), out.begin());
}

void apply_general(const xml::Element& element, Law& law) {
  set(law.gain, element, "gainprm");
  set(law.bias, element, "biasprm");
  for (const auto& [attribute, out] : {std::pair{"gaintype", &law.gain_type},
                                       {"biastype", &law.bias_type},
                                       {"dyntype", &law.dynamics}})
    if (element.has(attribute)) *out = element.needed_text(attribute);
}

// A servo with the gain k: force = k (u - p), or k (u - pdot).
void apply_servo(const xml::Element& element, bool of_position, Law& law) {
  law.bias = {};
  const char* gain = of_position ? "kp" : "kv";
  law.gain[0] = element.number(gain).value_or(law.gain[0]);
  law.bias[of_position ? 1 : 2] = -law.gain[0];
  if (of_position) law.bias[2] = -element.number("kv").value_or(0);
}

void apply_cylinder(const xml::Element& element, Law& law) {
  if (const auto bias = element.vector("bias")) {
    law.bias[0] = bias->x;
    law.bias[1] = bias->y;
    law.bias[2] = bias->z;
  }
  law.gain[0] = element.number("area").value_or(law.gain[0]);
  if (const auto d = element.number("diameter")) law.gain[0] = std::numbers::pi / 4 * *d * *d;
}

// Applies the attributes of an element, or of the default of a class.
void apply(const xml::Element& element, Law& law) {
  if (element.has("gear")) std::ranges::copy(element.list("gear", 6), law.gear.begin());
  const std::string_view kind = element.xml().Name();
  if (kind == "general") return apply_general(element, law);
  const bool is_damper = kind == "damper";
  law.gain_type = is_damper ? "affine" : "fixed";
  law.bias_type = kind == "motor" || is_damper ? "none" : "affine";
  law.dynamics = kind == "intvelocity" ? "integrator" : kind == "cylinder" ? "filter" : "none";
  if (kind == "motor") law.gain[0] = 1;
  if (kind == "position" || kind == "velocity" || kind == "intvelocity")
    apply_servo(element, kind != "velocity", law);
  if (is_damper) law.gain = {0, 0, -element.number("kv").value_or(0)};
  if (kind == "cylinder") apply_cylinder(element, law);
}

TorqueRange read_range(const Values& values, const Compiler& compiler, const char* limited,
                       const char* range) {
  const auto given = values.numbers<2>(range);
  const bool set = given && ((*given)[0] != 0 || (*given)[1] != 0);
  if (!values.flag_or_auto(limited).value_or(compiler.autolimits && set) || !given) return {};
  if ((*given)[0] > (*given)[1])
    values.own().fail(
        fmt::format("{} has its lower limit above the upper one; exchange them", range), range);
  return {(*given)[0], (*given)[1]};
}

double largest(const TorqueRange& range) {
  return std::max(std::abs(range.lower), std::abs(range.upper));
}

// Returns the largest force of an actuator, N or N m; infinity if it is not limited.
double largest_force(const ActuatorDescription& actuator) {
  const double by_range = largest(actuator.force);
  const auto zero = [](double x) { return x == 0; };
  const bool is_motor =
      std::ranges::all_of(actuator.bias, zero) && actuator.gain[1] == 0 && actuator.gain[2] == 0;
  const double by_input = largest(actuator.input);
  if (!is_motor || !std::isfinite(by_input)) return by_range;
  return std::min(by_range, std::abs(actuator.gain[0]) * by_input);
}

class ActuatorReader {
 public:
  ActuatorReader(Files& files, const Classes& classes, const Compiler& compiler, const Tree& tree,
                 RobotDescription& robot)
      : files_(files), classes_(classes), compiler_(compiler), tree_(tree), robot_(robot) {}

  std::vector<size_t> run() {
    size_t index = 0;
    for (const XMLElement* section : files_.children(files_.root(), "actuator"))
      for (const XMLElement* xml : files_.children(*section)) read(*xml, index++);
    if (!robot_.actuators.empty()) set_joints(kept_.size() < index);
    return std::move(kept_);
  }

 private:
  void drop(const XMLElement& xml, const std::string& why) {
    files_.note(UnusedWord::Kind::unsupported, xml, fmt::format("<{}> {}", xml.Name(), why));
  }

  void read(const XMLElement& xml, size_t index) {
    if (std::ranges::find(actuator_words, std::string_view(xml.Name())) == std::end(actuator_words))
      return;  // the table of words notes it
    const Values values(files_, classes_, xml, "", owner_of(xml),
                        {std::begin(actuator_words), std::end(actuator_words)});
    const char* key = values.own().has("joint") ? "joint" : "jointinparent";
    if (!values.own().has(key)) return drop(xml, "that does not act at a joint");
    Law law;
    for (auto each = values.sources().rbegin(); each != values.sources().rend(); ++each)
      apply(*each, law);
    const bool has_law = (law.gain_type == "fixed" || law.gain_type == "affine") &&
                         (law.bias_type == "none" || law.bias_type == "affine");
    if (!has_law) return drop(xml, "with the gain or bias of a muscle or a plugin");
    if (law.dynamics != "none" && law.dynamics != "filter" && law.dynamics != "filterexact")
      return drop(xml, "with an activation");
    if (law.dynamics != "none")
      files_.note(UnusedWord::Kind::unsupported, xml, fmt::format("filter of <{}>", xml.Name()));
    add(values, law, find_joint(values.own(), key), index);
  }

  const TreeJoint& find_joint(const xml::Element& element, const char* key) const {
    const std::string name = element.needed_text(key);
    const auto found = tree_.joint_index.find(name);
    if (found != tree_.joint_index.end()) return tree_.joints[found->second];
    std::vector<std::string> names;
    for (const auto& [known, joint] : tree_.joint_index) names.push_back(known);
    element.fail(
        fmt::format("there is no joint '{}'{}", xml::readable(name), did_you_mean(name, names)),
        key);
  }

  void add(const Values& values, const Law& law, const TreeJoint& joint, size_t index) {
    ActuatorDescription out;
    out.name = name_of(values.own().xml());
    if (out.name.empty()) out.name = fmt::format("actuator{}", index);
    out.joint = joint.name;
    out.kind = values.own().xml().Name();
    out.gear.assign(law.gear.begin(), law.gear.begin() + traits(kind_of(joint.type)).n_v);
    // The first three gears of MuJoCo are those of the linear dof.
    if (joint.type == JointType::free)
      std::rotate(out.gear.begin(), out.gear.begin() + 3, out.gear.end());
    for (size_t k = 0; k < 3; ++k) {
      out.gain[k] = k == 0 || law.gain_type == "affine" ? law.gain[k] : 0;
      out.bias[k] = law.bias_type == "affine" ? law.bias[k] : 0;
    }
    out.input = read_range(values, compiler_, "ctrllimited", "ctrlrange");
    if (const double part = values.number("inheritrange", 0); part > 0)
      out.input = inherited_range(joint, part);
    out.force = read_range(values, compiler_, "forcelimited", "forcerange");
    out.source = values.own().place();
    robot_.actuators.push_back(std::move(out));
    kept_.push_back(index);
  }

  // Returns the range of a joint, with its width multiplied by a factor.
  TorqueRange inherited_range(const TreeJoint& joint, double factor) const {
    const JointDescription& limits = robot_.links[joint.link].joint;
    if (!std::isfinite(limits.lower) || !std::isfinite(limits.upper)) return {};
    const double middle = 0.5 * (limits.lower + limits.upper);
    const double half = 0.5 * factor * (limits.upper - limits.lower);
    return {middle - half, middle + half};
  }

  // Sets effort limits and passive drives. dropped: whether an actuator was left out.
  void set_joints(bool dropped) {
    for (const TreeJoint& record : tree_.joints) {
      JointDescription& joint = robot_.links[record.link].joint;
      double effort = 0;
      bool driven = false;
      for (const ActuatorDescription& actuator : robot_.actuators) {
        if (actuator.joint != record.name) continue;
        driven = true;
        effort += std::abs(actuator.gear[0]) * largest_force(actuator);
      }
      if (!driven && !dropped)
        for (Drive& drive : joint.drives) drive.passive = true;
      if (driven)
        for (Drive& drive : joint.drives) drive.passive = false;
      if (driven && joint.drives.size() == 1 && effort > 0)
        joint.effort_limit = std::min(joint.effort_limit, effort);
    }
  }

  Files& files_;
  const Classes& classes_;
  const Compiler& compiler_;
  const Tree& tree_;
  RobotDescription& robot_;
  std::vector<size_t> kept_;
};

}  // namespace

std::vector<size_t> read_actuators(Files& files, const Classes& classes, const Compiler& compiler,
                                   const Tree& tree, RobotDescription& robot) {
  return ActuatorReader(files, classes, compiler, tree, robot).run();
}

}  // namespace torsor::mjcf
