#include "torsor/formats/mjcf/equality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "torsor/base/error.hpp"

namespace torsor::mjcf {

namespace {

// A frame of a closure: a pose in a body.
struct End {
  const TreeBody* body;
  Pose<double> X_BE;
};
// sum factors p = offset, in the coordinates p of joints.
struct LinearCondition {
  std::vector<std::pair<const TreeJoint*, double>> terms;
  double offset = 0;

  void add(const TreeJoint& joint, double factor) {
    for (auto& [known, sum] : terms)
      if (known == &joint) {
        sum += factor;
        return;
      }
    terms.emplace_back(&joint, factor);
  }
};

template <class Map>
const typename Map::mapped_type& find_named(const Map& map, const xml::Element& element,
                                            const char* attribute, const char* what) {
  const std::string name = element.needed_text(attribute);
  const auto found = map.find(name);
  if (found != map.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, value] : map) names.push_back(known);
  element.fail(
      fmt::format("there is no {} '{}'{}", what, xml::readable(name), did_you_mean(name, names)),
      attribute);
}

class EqualityReader {
 public:
  EqualityReader(Files& files, const Tree& tree, RobotDescription& robot)
      : files_(files), tree_(tree), robot_(robot) {
    for (const XMLElement* xml : files_.all("tendon", "fixed")) fixed_.emplace(name_of(*xml), xml);
    for (const XMLElement* xml : files_.all("tendon", "spatial")) spatial_.insert(name_of(*xml));
  }

  void run() {
    for (const XMLElement* section : files_.children(files_.root(), "equality"))
      for (const XMLElement* xml : files_.children(*section)) read(*xml);
  }

 private:
  void read(const XMLElement& xml) {
    const std::string_view kind = xml.Name();
    if (kind != "connect" && kind != "weld" && kind != "joint" && kind != "tendon") return;
    const xml::Element element = files_.element(xml, owner_of(xml));
    if (!Values(element).flag("active", true)) {
      files_.note(UnusedWord::Kind::ignored, xml, fmt::format("<{}> that is not active", kind));
      return;
    }
    if (kind == "connect" || kind == "weld")
      read_frames(element, kind == "weld" ? ClosureKind::weld : ClosureKind::spherical);
    else
      read_linear(element, kind == "joint");
  }

  void drop(const xml::Element& element, const char* why) {
    files_.note(UnusedWord::Kind::unsupported, element.xml(),
                fmt::format("<{}> {}", element.xml().Name(), why));
  }

  std::string next_name(const XMLElement& xml) {
    const std::string given = name_of(xml);
    const std::string name =
        given.empty() ? fmt::format("equality{}", robot_.closures.size()) : given;
    std::string out = name;
    for (int& k = suffix_[name]; !names_.insert(out).second;)
      out = fmt::format("{}_{}", name, k = std::max(2, k + 1));
    return out;
  }

  // The second body is the world if it is not named.
  const TreeBody& body(const xml::Element& element, const char* attribute) const {
    if (!element.has(attribute)) return tree_.bodies.at("world");
    return find_named(tree_.bodies, element, attribute, "body");
  }

  // The anchor of <connect> is in the first body, that of <weld> in the second one. relpose is the
  // pose of the second body in the first one; with a quaternion of zeros, both are as in the file.
  std::pair<End, End> ends(const xml::Element& element, ClosureKind kind) const {
    if (element.has("site1")) {
      const TreeSite &a = find_named(tree_.sites, element, "site1", "site"),
                     &b = find_named(tree_.sites, element, "site2", "site");
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
    const auto add = [&](const xml::Element& named, const char* key, double coefficient) {
      const TreeJoint& joint = tree_.joints[find_named(tree_.joint_index, named, key, "joint")];
      if (traits(kind_of(joint.type)).n_v != 1) return false;
      out.add(joint, coefficient);
      out.offset += coefficient * joint.ref;
      return true;
    };
    if (is_joint) return add(element, attribute, factor);
    const XMLElement& tendon = fixed_tendon(element, attribute);
    for (const XMLElement* xml : files_.children(tendon, "joint")) {
      const xml::Element joint = files_.element(*xml, owner_of(tendon));
      joint.need("coef");
      if (!add(joint, "joint", factor * *joint.number("coef"))) return false;
    }
    return true;
  }

  const XMLElement& fixed_tendon(const xml::Element& element, const char* attribute) const {
    return *find_named(fixed_, element, attribute, "fixed tendon");
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
    LinearCondition condition{{}, c[0]};
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
  const Tree& tree_;
  RobotDescription& robot_;
  std::map<std::string, const XMLElement*> fixed_;  // tendons by name
  std::unordered_set<std::string> spatial_;
  std::unordered_set<std::string> names_;        // of the closures
  std::unordered_map<std::string, int> suffix_;  // the last number appended to a name
};

}  // namespace

void read_equality(Files& files, const Tree& tree, RobotDescription& robot) {
  EqualityReader(files, tree, robot).run();
}

}  // namespace torsor::mjcf
