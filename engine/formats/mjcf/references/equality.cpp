#include "torsor/formats/mjcf/references/equality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "torsor/formats/mjcf/references/named.hpp"

namespace torsor::mjcf {

namespace {

// A frame of a closure: a pose in a body.
struct End {
  const TreeBody* body;
  Pose<double> X_BE;
};
// sum factors p = offset, in the coordinates p of joints.
class LinearCondition {
 public:
  explicit LinearCondition(double constant) : offset(constant) {}
  std::vector<std::pair<const TreeJoint*, double>> terms;
  double offset;

  void add(const TreeJoint& joint, double factor) {
    const auto [found, is_new] = index_.emplace(&joint, terms.size());
    if (is_new)
      terms.emplace_back(&joint, factor);
    else
      terms[found->second].second += factor;
  }

 private:
  std::unordered_map<const TreeJoint*, size_t> index_;  // position in terms
};

class EqualityReader {
 public:
  EqualityReader(Files& files, Tree& tree, RobotDescription& robot)
      : files_(files), tree_(tree), robot_(robot) {
    for (const XMLElement* xml : files_.all("tendon", "fixed")) add_tendon(*xml);
    for (const XMLElement* xml : files_.all("tendon", "spatial")) spatial_.insert(name_of(*xml));
  }

  void run(bool enabled) {
    for (const XMLElement* xml : files_.all("equality")) read(*xml, enabled);
  }

 private:
  // A <fixed> tendon, or its copy with a suffix.
  struct Tendon {
    const XMLElement* xml;
    std::string suffix;
  };

  void add_tendon(const XMLElement& xml) {
    const xml::Element element = files_.element(xml, owner_of(xml));
    std::vector<std::pair<Named, std::string>> joints;
    for (const XMLElement* joint : files_.children(xml, "joint"))
      if (const char* name = joint->Attribute("joint")) joints.emplace_back(Named::joint, name);
    for (const Copies::Copy& copy : tree_.copies.of(files_, element, joints)) {
      fixed_.emplace(name_of(xml, copy.suffix), Tendon{&xml, copy.suffix});
      if (copy.order > 0 && !name_of(xml).empty())
        tree_.copies.add(Named::tendon, name_of(xml), copy);
    }
  }

  void read(const XMLElement& xml, bool enabled) {
    const std::string_view kind = xml.Name();
    if (kind != "connect" && kind != "weld" && kind != "joint" && kind != "tendon") return;
    if (!enabled) return note_switched_off(files_, xml, fmt::format("<{}>", kind));
    const xml::Element element = files_.element(xml, owner_of(xml));
    if (!Values(element).flag("active", true)) {
      files_.note(UnusedWord::Kind::ignored, xml, fmt::format("<{}> that is not active", kind));
      return;
    }
    const auto copies = tree_.copies.of(files_, element,
                                        {{Named::body, "body1"},
                                         {Named::body, "body2"},
                                         {Named::site, "site1"},
                                         {Named::site, "site2"},
                                         {Named::joint, "joint1"},
                                         {Named::joint, "joint2"},
                                         {Named::tendon, "tendon1"},
                                         {Named::tendon, "tendon2"}});
    for (const Copies::Copy& copy : copies) {
      suffix_ = copy.suffix;
      if (kind == "connect" || kind == "weld")
        read_frames(element, kind == "weld" ? ClosureKind::weld : ClosureKind::spherical);
      else
        read_linear(element, kind == "joint");
    }
  }

  void drop(const xml::Element& element, const char* why) {
    files_.note(UnusedWord::Kind::unsupported, element.xml(),
                fmt::format("<{}> {}", element.xml().Name(), why));
  }

  std::string next_name(const XMLElement& xml) {
    const std::string given = name_of(xml, suffix_);
    const std::string name =
        given.empty() ? fmt::format("equality{}", robot_.closures.size()) : given;
    std::string out = name;
    for (int& k = number_[name]; !names_.insert(out).second;)
      out = fmt::format("{}_{}", name, k = std::max(2, k + 1));
    return out;
  }

  // The second body is the world if it is not named.
  const TreeBody& body(const xml::Element& element, const char* attribute) const {
    if (!element.has(attribute)) return tree_.bodies.at("world");
    return find_named(tree_.bodies, element, attribute, "body", suffix_);
  }

  // The anchor of <connect> is in the first body, that of <weld> in the second one. relpose is the
  // pose of the second body in the first one; with a quaternion of zeros, both are as in the file.
  std::pair<End, End> ends(const xml::Element& element, ClosureKind kind) const {
    if (element.has("site1")) {
      const TreeSite &a = find_named(tree_.sites, element, "site1", "site", suffix_),
                     &b = find_named(tree_.sites, element, "site2", "site", suffix_);
      return {{&tree_.bodies.at(a.body), a.X_BS}, {&tree_.bodies.at(b.body), b.X_BS}};
    }
    element.need("body1");
    const TreeBody &a = body(element, "body1"), &b = body(element, "body2");
    Pose<double> X_AB = inverse(a.X_WB) * b.X_WB;
    const Vec3<double> anchor = element.vector("anchor").value_or(Vec3<double>{0, 0, 0});
    if (kind == ClosureKind::spherical) {
      element.need("anchor");
      const Pose<double> X_A = translation(anchor);
      return {{&a, X_A}, {&b, inverse(X_AB) * X_A}};
    }
    if (const auto pose = element.numbers<7>("relpose")) {
      const auto& [x, y, z, qw, qx, qy, qz] = *pose;
      if (qw * qw + qx * qx + qy * qy + qz * qz > 0) X_AB = {rotation(qw, qx, qy, qz), {x, y, z}};
    }
    const Pose<double> X_B = translation(anchor);
    return {{&a, X_AB * X_B}, {&b, X_B}};
  }

  void read_frames(const xml::Element& element, ClosureKind kind) {
    const auto [a, b] = ends(element, kind);
    if (a.body->joint == b.body->joint) {
      files_.note(UnusedWord::Kind::ignored, element.xml(),
                  fmt::format("<{}> of bodies that do not move relative to each other",
                              element.xml().Name()));
      return;
    }
    ClosureDescription out;
    out.name = next_name(element.xml());
    out.kind = kind;
    out.source = element.place();
    const End* both[] = {&a, &b};
    for (size_t k = 0; k < 2; ++k) {
      out.frames[k] = both[k]->body->link.empty() ? "world" : both[k]->body->link;
      out.origins[k] =
          both[k]->body->link.empty() ? both[k]->body->X_WB * both[k]->X_BE : both[k]->X_BE;
    }
    robot_.closures.push_back(std::move(out));
  }

  // Adds factor (x - x_0) to a condition: x is the coordinate of a joint or the length of a tendon,
  // and x_0 its value in the pose of the file. Returns false if a joint has several dof.
  bool add_side(const xml::Element& element, const char* attribute, bool is_joint, double factor,
                LinearCondition& out) const {
    const auto add = [&](const xml::Element& named, const char* key, const std::string& suffix,
                         double coefficient) {
      const TreeJoint& joint =
          tree_.joints[find_named(tree_.joint_index, named, key, "joint", suffix)];
      if (traits(kind_of(joint.type)).n_v != 1) return false;
      out.add(joint, coefficient);
      out.offset += coefficient * joint.ref;
      return true;
    };
    if (is_joint) return add(element, attribute, suffix_, factor);
    const auto& [tendon, suffix] = find_named(fixed_, element, attribute, "fixed tendon", suffix_);
    for (const XMLElement* xml : files_.children(*tendon, "joint")) {
      const xml::Element joint = files_.element(*xml, owner_of(*tendon));
      joint.need("coef");
      if (!add(joint, "joint", suffix, factor * *joint.number("coef"))) return false;
    }
    return true;
  }

  bool is_spatial(const xml::Element& element, const char* attribute) const {
    if (!element.has(attribute)) return false;
    return spatial_.contains(element.needed_text(attribute));
  }

  void read_linear(const xml::Element& element, bool is_joint) {
    const char *first = is_joint ? "joint1" : "tendon1", *second = is_joint ? "joint2" : "tendon2";
    double c[5] = {0, 1, 0, 0, 0};
    if (element.has("polycoef")) std::ranges::copy(element.list("polycoef", 5), c);
    if (!is_joint && (is_spatial(element, first) || is_spatial(element, second)))
      return drop(element, "of spatial tendons");
    LinearCondition condition(c[0]);
    const bool has_second = element.has(second) && !element.needed_text(second).empty();
    bool scalar = add_side(element, first, is_joint, 1, condition);
    if (has_second) {
      if (c[2] != 0 || c[3] != 0 || c[4] != 0)
        return drop(element, "with a polynomial that is not linear");
      if (c[1] != 0) scalar = add_side(element, second, is_joint, -c[1], condition) && scalar;
    }
    if (!scalar) return drop(element, "of joints with several degrees of freedom");
    std::erase_if(condition.terms, [](const auto& term) { return term.second == 0; });
    if (condition.terms.size() < 2) return drop(element, "that locks one joint");
    add_linear(element, condition);
  }

  static bool turns(const TreeJoint& joint) { return joint.type == JointType::hinge; }

  // With f_1 p_1 + f_2 p_2 = o: p_1 = -(f_2 / f_1) p_2 + o / f_1. The first joint of a rack slides.
  void add_linear(const xml::Element& element, LinearCondition& condition) {
    ClosureDescription out;
    out.name = next_name(element.xml());
    out.source = element.place();
    auto& terms = condition.terms;
    if (terms.size() > 2) {
      out.kind = ClosureKind::cable;
      out.offset = condition.offset;
      for (const auto& [joint, factor] : terms) {
        out.joints.push_back(joint->name);
        out.radii.push_back(factor);
      }
    } else {
      if (turns(*terms[0].first) && !turns(*terms[1].first)) std::swap(terms[0], terms[1]);
      const bool mixed = turns(*terms[0].first) != turns(*terms[1].first);
      out.kind = mixed ? ClosureKind::rack : ClosureKind::gear;
      out.joints = {terms[0].first->name, terms[1].first->name};
      out.parameter = -terms[1].second / terms[0].second;
      out.offset = condition.offset / terms[0].second;
    }
    robot_.closures.push_back(std::move(out));
  }

  Files& files_;
  Tree& tree_;
  RobotDescription& robot_;
  std::string suffix_;                   // of the copy that is read
  std::map<std::string, Tendon> fixed_;  // tendons by name
  std::unordered_set<std::string> spatial_;
  std::unordered_set<std::string> names_;        // of the closures
  std::unordered_map<std::string, int> number_;  // the last number appended to a name
};

}  // namespace

void read_equality(Files& files, const Flags& flags, Tree& tree, RobotDescription& robot) {
  EqualityReader(files, tree, robot).run(flags.equality);
}

}  // namespace torsor::mjcf
