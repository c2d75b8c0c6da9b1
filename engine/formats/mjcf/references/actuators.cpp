#include "torsor/formats/mjcf/references/actuators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "torsor/base/text.hpp"
#include "torsor/formats/mjcf/references/named.hpp"

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

// Returns the body-fixed wrench of gears in the frame of a site, angular first: what an actuator
// does at the dof of a free joint of the body.
std::vector<double> free_gear(const std::array<double, 6>& gear, const Pose<double>& X_BS) {
  const Vec3<double> f = X_BS.R * Vec3<double>{gear[0], gear[1], gear[2]};
  const Vec3<double> n = X_BS.R * Vec3<double>{gear[3], gear[4], gear[5]} + cross(X_BS.p, f);
  return {n.x, n.y, n.z, f.x, f.y, f.z};
}

class ActuatorReader {
 public:
  ActuatorReader(const ActuatorContext& context, Tree& tree, RobotDescription& robot)
      : context_(context), tree_(tree), robot_(robot) {}

  Actuators run() {
    std::vector<Entry> entries;
    for (const XMLElement* xml : files().all("actuator"))
      for (const Copies::Copy& copy : copies_of(*xml)) entries.push_back({xml, copy});
    std::ranges::stable_sort(entries, {}, [](const Entry& entry) { return entry.copy.order; });
    for (const Entry& entry : entries) {
      suffix_ = entry.copy.suffix;
      out_.xml.push_back(entry.xml);
      read(*entry.xml, out_.xml.size() - 1);
    }
    if (out_.count() > 0) set_joints();
    return std::move(out_);
  }

 private:
  struct Entry {
    const XMLElement* xml;
    Copies::Copy copy;
  };
  Files& files() { return context_.files; }

  void drop(const XMLElement& xml, const std::string& why) {
    files().note(UnusedWord::Kind::unsupported, xml, fmt::format("<{}> {}", xml.Name(), why));
  }

  std::vector<Copies::Copy> copies_of(const XMLElement& xml) {
    return tree_.copies.of(files(), files().element(xml, owner_of(xml)),
                           {{Named::joint, "joint"},
                            {Named::joint, "jointinparent"},
                            {Named::tendon, "tendon"},
                            {Named::site, "site"},
                            {Named::site, "refsite"},
                            {Named::site, "cranksite"},
                            {Named::site, "slidersite"},
                            {Named::body, "body"}});
  }

  void read(const XMLElement& xml, size_t index) {
    if (std::ranges::find(actuator_words, std::string_view(xml.Name())) == std::end(actuator_words))
      return;  // the table of words notes it
    if (!context_.flags.actuation)
      return note_switched_off(files(), xml, fmt::format("<{}>", xml.Name()));
    const Values values(files(), context_.classes, xml, "", owner_of(xml),
                        {std::begin(actuator_words), std::end(actuator_words)});
    Law law;
    for (auto each = values.sources().rbegin(); each != values.sources().rend(); ++each)
      apply(*each, law);
    const auto target = find_target(values.own(), law);
    if (!target) return;
    const bool has_law = (law.gain_type == "fixed" || law.gain_type == "affine") &&
                         (law.bias_type == "none" || law.bias_type == "affine");
    if (!has_law) return drop(xml, "with the gain or bias of a muscle or a plugin");
    if (law.dynamics != "none" && law.dynamics != "filter" && law.dynamics != "filterexact")
      return drop(xml, "with an activation");
    if (law.dynamics != "none")
      files().note(UnusedWord::Kind::unsupported, xml, fmt::format("filter of <{}>", xml.Name()));
    add(values, law, *target, index);
  }

  // The joint of an actuator, and its gears at the dof of the joint.
  struct Target {
    const TreeJoint* joint;
    std::vector<double> gear;
  };

  // Returns nullopt, after a note, if the torques at the dof depend on q.
  std::optional<Target> find_target(const xml::Element& element, const Law& law) {
    const auto drop_it = [&](const char* why) {
      drop(element.xml(), why);
      return std::nullopt;
    };
    if (element.has("site") && !element.has("refsite")) return find_site(element, law);
    const bool in_parent = !element.has("joint");
    const char* key = in_parent ? "jointinparent" : "joint";
    if (!element.has(key)) return drop_it("that does not act at a joint");
    const TreeJoint& joint =
        tree_.joints[find_named(tree_.joint_index, element, key, "joint", suffix_)];
    const auto& g = law.gear;
    const bool turns = joint.type == JointType::free ? g[3] != 0 || g[4] != 0 || g[5] != 0
                                                     : joint.type == JointType::ball;
    if (in_parent && turns) return drop_it("with an axis in the frame of the parent");
    if (joint.type == JointType::free && (g[0] != 0 || g[1] != 0 || g[2] != 0))
      return drop_it("along the world axes of a free joint");
    if (joint.type == JointType::ball && needs_position(law))
      return drop_it("that measures the position of a ball joint");
    const size_t n_v = size_t(traits(kind_of(joint.type)).n_v);
    if (std::ranges::any_of(g.begin() + long(n_v), g.end(), [](double x) { return x != 0; }))
      files().note(UnusedWord::Kind::ignored, element.xml(),
                   fmt::format("gear of <{}> with more than {} for its joint", element.xml().Name(),
                               counted(n_v, "number")));
    Target out{&joint, {g.begin(), g.begin() + long(n_v)}};
    if (joint.type == JointType::free) out.gear = free_gear(g, Pose<double>::identity());
    return out;
  }

  static bool needs_position(const Law& law) {
    return (law.bias_type == "affine" && law.bias[1] != 0) ||
           (law.gain_type == "affine" && law.gain[1] != 0);
  }

  // A wrench in the frame of a site acts at the dof of the free joint that carries it.
  std::optional<Target> find_site(const xml::Element& element, const Law& law) {
    const TreeSite& site = find_named(tree_.sites, element, "site", "site", suffix_);
    const TreeBody& body = tree_.bodies.at(site.body);
    if (body.joint < 0 || tree_.joints[size_t(body.joint)].type != JointType::free) {
      drop(element.xml(), "at a site of a body without a free joint");
      return std::nullopt;
    }
    const TreeJoint& joint = tree_.joints[size_t(body.joint)];
    const Pose<double> X_BS = inverse(tree_.bodies.at(joint.body).X_WB) * body.X_WB * site.X_BS;
    return Target{&joint, free_gear(law.gear, X_BS)};
  }

  void add(const Values& values, const Law& law, const Target& target, size_t index) {
    const TreeJoint& joint = *target.joint;
    ActuatorDescription out;
    out.name = name_of(values.own().xml(), suffix_);
    if (out.name.empty()) out.name = fmt::format("actuator{}", index);
    out.joint = joint.name;
    out.kind = values.own().xml().Name();
    out.gear = target.gear;
    for (size_t k = 0; k < 3; ++k) {
      out.gain[k] = k == 0 || law.gain_type == "affine" ? law.gain[k] : 0;
      out.bias[k] = law.bias_type == "affine" ? law.bias[k] : 0;
    }
    if (joint.type == JointType::free) out.gain[1] = out.bias[1] = 0;  // its length is always 0
    const Compiler& compiler = context_.compilers.of(values.own().xml());
    if (context_.flags.clampctrl)
      out.input = read_range(values, compiler, "ctrllimited", "ctrlrange");
    else if (values.has("ctrlrange"))
      note_switched_off(files(), values.own().xml(),
                        fmt::format("ctrlrange of <{}>", values.own().xml().Name()));
    if (const double part = values.number("inheritrange", 0); part > 0 && context_.flags.clampctrl)
      out.input = inherited_range(joint, part);
    out.force = read_range(values, compiler, "forcelimited", "forcerange");
    out.source = values.own().place();
    of_joint_[out.joint].push_back(robot_.actuators.size());
    robot_.actuators.push_back(std::move(out));
    out_.added.push_back(index);
  }

  // Returns the range of a joint, with its width multiplied by a factor.
  TorqueRange inherited_range(const TreeJoint& joint, double factor) const {
    const JointDescription& limits = robot_.links[joint.link].joint;
    if (!std::isfinite(limits.lower) || !std::isfinite(limits.upper)) return {};
    const double middle = 0.5 * (limits.lower + limits.upper);
    const double half = 0.5 * factor * (limits.upper - limits.lower);
    return {middle - half, middle + half};
  }

  void set_joints() {
    const bool all_known = !context_.flags.actuation || out_.added.size() == out_.count();
    for (const TreeJoint& record : tree_.joints) {
      JointDescription& joint = robot_.links[record.link].joint;
      const auto& actuators = of_joint_[record.name];
      for (size_t k = 0; k < joint.drives.size(); ++k) {
        const bool driven = std::ranges::any_of(
            actuators, [&](size_t index) { return robot_.actuators[index].gear[k] != 0; });
        if (driven || all_known) joint.drives[k].passive = !driven;
      }
      double effort = 0;
      for (const size_t index : actuators)
        effort +=
            std::abs(robot_.actuators[index].gear[0]) * largest_force(robot_.actuators[index]);
      if (joint.drives.size() == 1 && effort > 0)
        joint.effort_limit = std::min(joint.effort_limit, effort);
    }
  }

  const ActuatorContext& context_;
  Tree& tree_;
  RobotDescription& robot_;
  std::string suffix_;                                             // of the copy that is read
  std::unordered_map<std::string, std::vector<size_t>> of_joint_;  // actuators by joint
  Actuators out_;
};

}  // namespace

Actuators read_actuators(ActuatorContext context, Tree& tree, RobotDescription& robot) {
  return ActuatorReader(context, tree, robot).run();
}

}  // namespace torsor::mjcf
