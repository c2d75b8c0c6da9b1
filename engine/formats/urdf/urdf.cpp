#include "torsor/formats/urdf/urdf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "torsor/formats/urdf/closures.hpp"
#include "torsor/formats/urdf/origin.hpp"
#include "torsor/formats/urdf/table.hpp"
#include "torsor/formats/urdf/transmissions.hpp"
#include "torsor/formats/urdf/visual.hpp"

namespace torsor {

namespace {

using tinyxml2::XMLElement;
using urdf::read_collisions, urdf::read_origin, urdf::read_visuals;
using xml::Document, xml::Element, xml::readable;
using xml::fail_twin, xml::read_name;

struct JointType {
  std::string_view name;
  JointKind kind;
  bool bounded;  // true: has position limits
};
constexpr JointType joint_types[] = {
    {"revolute", JointKind::revolute, true},   {"continuous", JointKind::revolute, false},
    {"prismatic", JointKind::prismatic, true}, {"fixed", JointKind::fixed, false},
    {"floating", JointKind::floating, false},  {"planar", JointKind::planar, false},
};

const JointType& read_type(const Element& element) {
  const std::string given = element.needed_text("type");
  std::vector<std::string> names;
  for (const JointType& type : joint_types) {
    if (type.name == given) return type;
    names.emplace_back(type.name);
  }
  element.fail(fmt::format("'{}' is not a joint type; it can be {}{}", readable(given),
                           fmt::join(names, ", "), did_you_mean(given, names)),
               "type");
}

// Reads the inertia of a link and converts it to the link frame L, about its origin. In the file,
// it is about the COM, in the axes of a frame C at the COM: I_com = R_LC I_C R_LC^T.
SpatialInertia<double> read_inertial(const Element& element) {
  const Pose<double> X_LC = read_origin(element);
  const Element mass = element.needed_child("mass"), inertia = element.needed_child("inertia");
  const auto moment = [&](const char* attribute) {
    inertia.need(attribute);
    return *inertia.number(attribute);
  };
  const Sym3<double> I_C{moment("ixx"), moment("iyy"), moment("izz"),
                         moment("ixy"), moment("ixz"), moment("iyz")};
  mass.need("value");
  return inertia_about_com(*mass.not_negative("value"), X_LC.p, rotate(X_LC.R, I_C));
}

// Reads the axis of a joint, without normalizing it. It is in the joint frame, which is the frame
// of the child link. The URDF default is the x axis.
Vec3<double> read_axis(const Element& joint) {
  const std::optional<Element> axis = joint.child("axis");
  if (!axis) return {1, 0, 0};
  axis->need("xyz");
  const Vec3<double> a = *axis->vector("xyz");
  if (std::hypot(a.x, a.y, a.z) == 0) axis->fail("the axis is zero; give it a direction", "xyz");
  return a;
}

// Returns which of two names is missing: "a", "b" or "a and b".
std::string missing(const char* a, bool has_a, const char* b, bool has_b) {
  return fmt::format("{}{}{}", has_a ? "" : a, has_a || has_b ? "" : " and ", has_b ? "" : b);
}

// Several joints or materials with the same fault. All of them are reported in one warning. lint
// reports each as a finding.
struct Faults {
  const char *kind, *rule;  // for example "joint" and "joint.unlimited"
  std::vector<std::string> names = {};
  int line = 0;  // line of the first one
};

// A joint as read from the file. The parent and child links are given by name. The lines are those
// of the joint and of its <parent> and <child>.
struct JointElement {
  JointDescription joint;
  std::string parent, child;
  int line, parent_line, child_line;
};

// A joint with <mimic>, and the line of this element.
struct MimicElement {
  size_t joint;  // index of the joint in the file
  int line;
};

class Reader {
 public:
  // arguments: those of Document before its type.
  template <class... Arguments>
  explicit Reader(const RobotFileOptions& options, const Arguments&... arguments)
      : options_(options),
        document_(arguments..., urdf::robot_file_type(), options.strict, options.collisions) {
    robot_.nonphysical = options.strict ? Nonphysical::reject : Nonphysical::warn;
    robot_.com_frames = options.com_frames;
  }

  RobotDescription run() {
    const XMLElement& root = document_.root();
    read_robot_name(root);
    for (auto xml = root.FirstChildElement("link"); xml; xml = xml->NextSiblingElement("link"))
      read_link(*xml);
    if (robot_.links.empty())
      document_.fail(root.GetLineNum(),
                     fmt::format("robot '{}' has no <link>; add one", robot_.name));
    for (auto xml = root.FirstChildElement("joint"); xml; xml = xml->NextSiblingElement("joint"))
      read_joint(*xml);
    drop_broken_mimics();
    attach_joints();
    reject_loops();
    reject_more_roots();
    if (options_.floating_base) float_root();
    urdf::read_loop_joints(document_, root, robot_);
    urdf::read_rotors(document_, robot_);
    warn();
    urdf::read_closures_file(document_, options_, robot_);
    return std::move(robot_);
  }

 private:
  // Reads the name of the robot. If it has no name, uses the name of the file.
  void read_robot_name(const XMLElement& root) {
    if (!options_.name.empty()) {
      robot_.name = options_.name;
      return;
    }
    const char* given = root.Attribute("name");
    if (options_.strict || (given && *given)) {
      robot_.name = read_name(document_, root, "<robot>");
      return;
    }
    robot_.name = std::filesystem::path(document_.name()).stem().string();
    const std::string source = document_.at(root.GetLineNum());
    robot_.warnings.push_back(fmt::format(
        "{}: <robot> has no name; the name of the file is used, '{}'", source, robot_.name));
    robot_.faults.push_back(
        {"file.name", source, "<robot>",
         fmt::format("it has no name; the name of the file is used, '{}'", robot_.name),
         "give it a name"});
  }

  void read_link(const XMLElement& xml) {
    LinkDescription link;
    link.name = read_name(document_, xml, "a <link>");
    link.source = document_.at(xml.GetLineNum());
    const auto [first, is_new] = links_.emplace(link.name, int(robot_.links.size()));
    if (!is_new)
      fail_twin(document_, "link", link.name, xml.GetLineNum(), link_line_[first->second]);
    link_line_.push_back(xml.GetLineNum());
    const Element element(document_, xml, fmt::format("link '{}'", link.name));
    if (const auto inertial = element.child("inertial")) {
      link.inertia = read_inertial(*inertial);
      link.inertia_source = document_.at(inertial->line());
    }
    link.visuals = read_visuals(element, materials_);
    link.shapes_left_out = link.visuals.size() < element.children("visual").size();
    if (options_.collisions) link.collisions = read_collisions(element, options_.meshes);
    robot_.links.push_back(std::move(link));
  }

  void read_joint(const XMLElement& xml) {
    JointElement out{};
    JointDescription& joint = out.joint;
    joint.name = read_name(document_, xml, "a <joint>");
    out.line = xml.GetLineNum();
    joint.source = document_.at(out.line);
    const auto [first, is_new] = joint_names_.emplace(joint.name, joints_.size());
    if (!is_new) fail_twin(document_, "joint", joint.name, out.line, joints_[first->second].line);
    const Element element(document_, xml, fmt::format("joint '{}'", joint.name));
    const JointType& type = read_type(element);
    joint.kind = type.kind;
    const Element parent = element.needed_child("parent"), child = element.needed_child("child");
    out.parent = parent.needed_text("link");
    out.parent_line = parent.line();
    out.child = child.needed_text("link");
    out.child_line = child.line();
    ScrewPlacement placement;
    placement.X_PL = read_origin(element);
    const JointTraits& kind = traits(joint.kind);
    if (kind.axis) placement.axis = read_axis(element);
    if (kind.n_v == 1) read_motion(element, type, joint);
    if (kind.n_v > 1) joint.drives.assign(size_t(kind.n_v), Drive{.passive = true});
    if (kind.n_v > 0) robot_.dof_order.push_back(joint.name);
    joint.placement = placement;
    joints_.push_back(std::move(out));
  }

  void read_motion(const Element& element, const JointType& type, JointDescription& joint) {
    if (const auto limit = element.child("limit"))
      read_limit(*limit, element.line(), type, joint);
    else if (type.bounded)
      add_fault(unlimited_, joint.name, element.line(),
                "its position, velocity and effort are not limited",
                "add a <limit> with lower, upper, velocity and effort");
    if (const auto dynamics = element.child("dynamics")) {
      joint.damping = dynamics->not_negative("damping").value_or(0);
      const double friction = dynamics->not_negative("friction").value_or(0);
      if (friction > 0)
        joint.drives = {
            {.friction = {
                 .law = Friction::Law::coulomb, .coulomb = friction, .breakaway = friction}}};
    }
    if (const auto mimic = element.child("mimic")) {
      joint.mimic = Mimic{mimic->needed_text("joint"), mimic->number("multiplier").value_or(1),
                          mimic->number("offset").value_or(0)};
      mimics_.push_back({joints_.size(), mimic->line()});
    }
  }

  void read_limit(const Element& limit, int joint_line, const JointType& type,
                  JointDescription& joint) {
    const auto velocity = limit.not_negative("velocity"), effort = limit.not_negative("effort");
    joint.velocity_limit = velocity.value_or(joint.velocity_limit);
    joint.effort_limit = effort.value_or(joint.effort_limit);
    if (!velocity || !effort) {
      const std::string names =
          missing("velocity", velocity.has_value(), "effort", effort.has_value());
      add_fault(unlimited_, joint.name, joint_line,
                fmt::format("its {} {} not limited", names, velocity || effort ? "is" : "are"),
                fmt::format("add {} to its <limit>", names));
    }
    if (!type.bounded) return;
    const auto lower = limit.number("lower"), upper = limit.number("upper");
    if (!lower || !upper) {
      const std::string names = missing("lower", lower.has_value(), "upper", upper.has_value());
      add_fault(zero_bounds_, joint.name, joint_line,
                fmt::format("its {} limit{} 0, the default of URDF", names,
                            lower || upper ? " is" : "s are"),
                fmt::format("add {} to its <limit>", names));
    }
    joint.lower = lower.value_or(0);
    joint.upper = upper.value_or(0);
    if (joint.lower > joint.upper)
      limit.fail(fmt::format("the limit lower = {} is above upper = {}; exchange them", joint.lower,
                             joint.upper));
  }

  void add_fault(Faults& faults, const std::string& name, int line, std::string what,
                 std::string advice) {
    faults.line = faults.names.empty() ? line : std::min(faults.line, line);
    faults.names.push_back(name);
    robot_.faults.push_back({faults.rule, document_.at(line),
                             fmt::format("{} '{}'", faults.kind, name), std::move(what),
                             std::move(advice)});
  }

  int find_link(const std::string& link, int line, const std::string& joint,
                const char* role) const {
    const auto found = links_.find(link);
    if (found != links_.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [known, index] : links_) names.push_back(known);
    document_.fail(line, fmt::format("joint '{}': its {} '{}' is not a link of the file{}", joint,
                                     role, readable(link), did_you_mean(link, names)));
  }

  // Why a joint cannot mimic another one, "which is ..", and the end of a message: "; what to do".
  struct MimicDefect {
    std::string why, hint;
  };
  // Returns a defect if the joint to be mimicked does not exist or does not have exactly one dof.
  // Otherwise returns nullopt.
  std::optional<MimicDefect> mimic_defect(const std::string& leader) const {
    if (const auto found = joint_names_.find(leader); found != joint_names_.end()) {
      const JointKind kind = joints_[found->second].joint.kind;
      if (traits(kind).n_v == 1) return std::nullopt;
      return MimicDefect{fmt::format("which is {}", traits(kind).name),
                         "; a joint can only mimic a joint with one degree of freedom: name one, "
                         "or remove <mimic>"};
    }
    std::vector<std::string> names;
    for (const auto& [known, index] : joint_names_) names.push_back(known);
    const std::string nearest = did_you_mean(leader, names);
    return MimicDefect{"which is not a joint of the file",
                       nearest.empty() ? "; correct the name, or remove <mimic>" : nearest};
  }

  // Removes <mimic> from joints whose <mimic> is faulty. These joints then move independently.
  // Throws Error instead if the option strict is set.
  void drop_broken_mimics() {
    for (const MimicElement& mimic : mimics_) {
      JointDescription& joint = joints_[mimic.joint].joint;
      const auto defect = mimic_defect(joint.mimic->joint);
      if (!defect) continue;
      const std::string leader = readable(joint.mimic->joint);
      const std::string said =
          fmt::format("joint '{}' mimics '{}', {}", joint.name, leader, defect->why);
      if (options_.strict) document_.fail(mimic.line, said + defect->hint);
      mimic_warnings_.push_back(fmt::format("{}: {}, so it moves independently{}",
                                            document_.at(mimic.line), said, defect->hint));
      broken_mimics_.push_back(
          {UnusedWord::Kind::broken,
           fmt::format("<mimic> of joint '{}' names '{}', {}", joint.name, leader, defect->why),
           document_.name(), mimic.line, defect->hint});
      joint.mimic.reset();
    }
  }

  void attach_joints() {
    parent_.assign(robot_.links.size(), -1);
    carrier_.assign(robot_.links.size(), -1);
    for (int j = 0; j < int(joints_.size()); ++j) {
      const JointElement& element = joints_[j];
      const int parent =
          find_link(element.parent, element.parent_line, element.joint.name, "parent");
      const int child = find_link(element.child, element.child_line, element.joint.name, "child");
      if (carrier_[child] >= 0) {
        const JointElement& first = joints_[carrier_[child]];
        document_.fail(
            element.line,
            fmt::format("link '{}' has two parents: '{}' by joint '{}' (line {}) and '{}' by joint "
                        "'{}'; write one of them as a <loop_joint>",
                        element.child, first.parent, first.joint.name, first.line, element.parent,
                        element.joint.name));
      }
      carrier_[child] = j;
      parent_[child] = parent;
      robot_.links[child].parent = element.parent;
      robot_.links[child].joint = element.joint;
    }
  }

  // Throws Error if the joints form a loop. Each link has at most one parent, so it is enough to
  // follow the parents of each link.
  void reject_loops() const {
    std::vector<int> seen_from(parent_.size(), -1);
    for (int start = 0; start < int(parent_.size()); ++start) {
      int i = start;
      for (; i >= 0 && seen_from[i] < 0; i = parent_[i]) seen_from[i] = start;
      if (i < 0 || seen_from[i] != start) continue;
      std::vector<std::string> loop{robot_.links[i].name};
      for (int k = parent_[i]; k != i; k = parent_[k]) loop.push_back(robot_.links[k].name);
      std::reverse(loop.begin(), loop.end());
      const bool rootless = std::find(parent_.begin(), parent_.end(), -1) == parent_.end();
      document_.fail(
          joints_[carrier_[i]].line,
          fmt::format("{}the joints form a loop through the links {}; a robot is a tree",
                      rootless ? "there is no root link: " : "", xml::first_names(loop)));
    }
  }

  void reject_more_roots() const {
    std::vector<std::string> roots;
    int line = 0;
    for (size_t i = 0; i < parent_.size(); ++i) {
      if (parent_[i] >= 0) continue;
      roots.push_back(robot_.links[i].name);
      if (roots.size() == 2) line = link_line_[i];
    }
    if (roots.size() > 1)
      document_.fail(
          line, fmt::format(
                    "{} links have no parent: {}; a robot has one root link, so connect the others "
                    "to it by joints",
                    roots.size(), xml::first_names(roots)));
  }

  // Returns a name for the floating joint of the root link. No joint in the file has this name.
  std::string free_joint_name() const {
    std::string name(floating_base_joint);
    for (int k = 2; joint_names_.contains(name); ++k)
      name = fmt::format("{}_{}", floating_base_joint, k);
    return name;
  }

  void float_root() {
    const size_t root = size_t(std::find(parent_.begin(), parent_.end(), -1) - parent_.begin());
    JointDescription& joint = robot_.links[root].joint;
    joint.name = free_joint_name();
    robot_.added_joint = joint.name;
    joint.kind = JointKind::floating;
    joint.drives.assign(6, Drive{.passive = !options_.base_motors});
    robot_.dof_order.insert(robot_.dof_order.begin(), joint.name);
    if (joint.name == floating_base_joint) return;
    const std::string taken(floating_base_joint);
    const std::string& source = joints_[joint_names_.at(taken)].joint.source;
    const std::string text =
        fmt::format("so the joint of the floating base is named '{}'", joint.name);
    robot_.warnings.push_back(
        fmt::format("{}: the file has a joint '{}', {}", source, taken, text));
    robot_.faults.push_back({"file.floating_base", source, fmt::format("joint '{}'", taken),
                             "it has the name of the joint of a floating base, " + text,
                             "rename it"});
  }

  void warn() {
    const auto say = [&](const Faults& faults, const char* text) {
      if (!faults.names.empty())
        robot_.warnings.push_back(fmt::format("{}: {}: {}", document_.at(faults.line), text,
                                              xml::first_names(faults.names)));
    };
    robot_.unused = document_.unused();
    std::ranges::stable_sort(robot_.unused, {}, &UnusedWord::line);
    if (const std::string words = xml::summary(robot_.unused); !words.empty())
      robot_.warnings.push_back(words);
    robot_.warnings.insert(robot_.warnings.end(), mimic_warnings_.begin(), mimic_warnings_.end());
    robot_.unused.insert(robot_.unused.end(), broken_mimics_.begin(), broken_mimics_.end());
    for (const auto& [name, line] : materials_.undefined())
      add_fault(uncoloured_, name, line, "no colour is defined for it",
                "add a <color> to the <material>");
    say(unlimited_,
        "no <limit>, or no velocity or effort in it; the velocity or effort of these joints is not "
        "limited");
    say(zero_bounds_, "no lower or upper in <limit>, so it is 0, the default of URDF");
    say(uncoloured_, "no colour is defined for these materials");
  }

  RobotFileOptions options_;
  Document document_;
  urdf::Materials materials_{document_};
  RobotDescription robot_;
  std::vector<int> link_line_;  // per link
  std::unordered_map<std::string, int> links_;
  std::vector<JointElement> joints_;  // in the order of the file
  std::unordered_map<std::string, size_t> joint_names_;
  // Per link: index of the parent link, and of the joint to the parent. -1 for the root.
  std::vector<int> parent_, carrier_;
  Faults unlimited_{"joint", "joint.unlimited"}, zero_bounds_{"joint", "joint.range"},
      uncoloured_{"material", "file.material"};
  std::vector<UnusedWord> broken_mimics_;
  std::vector<std::string> mimic_warnings_;
  std::vector<MimicElement> mimics_;
};

}  // namespace

RobotDescription read_urdf(const std::filesystem::path& file, const RobotFileOptions& options) {
  return Reader(options, file).run();
}

RobotDescription read_urdf_text(const std::filesystem::path& file, const std::string& text,
                                const RobotFileOptions& options) {
  return Reader(options, file, text).run();
}

}  // namespace torsor
