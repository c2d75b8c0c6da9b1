#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "torsor/base/text.hpp"
#include "torsor/formats/mjcf/attach.hpp"
#include "torsor/formats/mjcf/references/actuators.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::mjcf {

namespace {

constexpr size_t most_values = 1'000'000;

// Normalises the quaternions of q. One of norm 0 becomes the identity, as in MuJoCo.
void normalise_quaternions(const Tree& tree, std::vector<double>& q) {
  for (const TreeJoint& joint : tree.joints) {
    const JointMaps* maps = traits(kind_of(joint.type)).maps;
    if (!maps || maps->quaternion < 0) continue;
    double* x = &q[joint.q + size_t(maps->quaternion)];
    const Quaternion given{x[0], x[1], x[2], x[3]};
    const Quaternion unit = norm(given) > 1e-14 ? normalised(given) : Quaternion{1, 0, 0, 0};
    std::copy_n(&unit.w, 4, x);
  }
}

// Replaces the rates of free joints, which are (R v, omega) in MuJoCo, by the body-fixed twist
// (omega, v). q must be normalised.
void convert_rates(const Tree& tree, const std::vector<double>& q, std::vector<double>& v) {
  for (const TreeJoint& joint : tree.joints) {
    if (joint.type != JointType::free) continue;
    const double* x = &q[joint.q];
    double* rates = &v[joint.v];
    const Vec3<double> linear = transpose_times(rotation(x[3], x[4], x[5], x[6]),
                                                Vec3<double>{rates[0], rates[1], rates[2]});
    const Vec3<double> angular{rates[3], rates[4], rates[5]};
    std::copy_n(&angular.x, 3, rates);
    std::copy_n(&linear.x, 3, rates + 3);
  }
}

class KeyframeReader {
 public:
  KeyframeReader(Files& files, const Tree& tree, const Actuators& actuators,
                 RobotDescription& robot)
      : files_(files), tree_(tree), actuators_(actuators), robot_(robot) {
    for (const TreeJoint& joint : tree.joints) {
      const auto [found, is_new] = joint_of_.emplace(joint.xml, &joint);
      if (!is_new) found->second = nullptr;
    }
  }

  void run() {
    robot_.states.push_back({"qpos0", tree_.q0, std::vector<double>(tree_.n_v, 0.0)});
    std::vector<size_t> index(files_.n_models(), 0);
    for (const XMLElement* xml : files_.all("keyframe", "key")) {
      const size_t model = files_.model_of(*xml);
      const auto [found, is_new] = joints_.try_emplace(model);
      if (is_new) found->second = joints_of(model);
      if (found->second)
        read(*xml, fmt::format("{}key{}", files_.prefix(model), index[model]++), *found->second);
      else
        files_.note(UnusedWord::Kind::unsupported, *xml,
                    "<key> of a model that is attached in part or copied");
    }
    if (!short_keys_.empty())
      robot_.warnings.push_back(
          short_keys_.front() +
          (short_keys_.size() > 1
               ? fmt::format(", as in {}", counted(short_keys_.size() - 1, "other attribute"))
               : ""));
  }

 private:
  using Joints = std::vector<const TreeJoint*>;

  // Returns the joints of a model in the order of its qpos. Returns nullopt if one of them is not
  // in the tree, or several times.
  std::optional<Joints> joints_of(size_t model) const {
    Joints out;
    if (model == 0) {
      for (const TreeJoint& joint : tree_.joints) out.push_back(&joint);
      return out;
    }
    std::vector<const XMLElement*> elements;
    for (const AttachedElement& each : world_of(files_, model)) elements.push_back(each.xml);
    return add_joints(elements, out) ? std::optional(out) : std::nullopt;
  }

  // Adds the joints among the elements of a body, and then those of its bodies.
  bool add_joints(const std::vector<const XMLElement*>& elements, Joints& out) const {
    std::vector<const XMLElement*> bodies, left(elements.rbegin(), elements.rend());
    while (!left.empty()) {
      const XMLElement& xml = *left.back();
      left.pop_back();
      const std::string_view kind = xml.Name();
      if (kind == "replicate" || (kind.ends_with("joint") && !add_joint(xml, out))) return false;
      if (kind == "body") bodies.push_back(&xml);
      std::vector<const XMLElement*> inner;
      if (kind == "frame") inner = files_.children(xml);
      if (const auto* attached = files_.attached(xml))
        for (const AttachedElement& each : *attached) inner.push_back(each.xml);
      left.insert(left.end(), inner.rbegin(), inner.rend());
    }
    return std::ranges::all_of(
        bodies, [&](const XMLElement* body) { return add_joints(files_.children(*body), out); });
  }

  bool add_joint(const XMLElement& xml, Joints& out) const {
    const auto found = joint_of_.find(&xml);
    if (found == joint_of_.end() || !found->second) return false;
    out.push_back(found->second);
    return true;
  }

  // Returns the values of an attribute. If there are not `count`, notes them as unused and returns
  // an empty list. A <key> of the main file may lack values at the end if it attaches models, as in
  // MuJoCo. rest: the values of the others, for the warning.
  std::vector<double> values(const xml::Element& element, const char* attribute, size_t count,
                             const char* rest) {
    if (!element.has(attribute)) return {};
    std::vector<double> out = element.list(attribute, most_values);
    const bool may_lack = files_.n_models() > 1 && files_.model_of(element.xml()) == 0;
    if (out.size() == count) return out;
    if (may_lack && out.size() < count) {
      short_keys_.push_back(fmt::format("{}: {} of <key> with {} instead of {}; the rest is {}",
                                        element.place(), attribute, counted(out.size(), "value"),
                                        count, rest));
      return out;
    }
    files_.note(
        UnusedWord::Kind::unsupported, element.xml(),
        fmt::format("{} of <key> with {} values instead of {}", attribute, out.size(), count));
    return {};
  }

  // Sets the entries of the joints in q or v to the values of an attribute, if it has any.
  void set(const xml::Element& element, const char* attribute, const Joints& joints,
           size_t TreeJoint::*first, int JointTraits::*n, const char* rest,
           std::vector<double>& out) {
    std::vector<size_t> entries;
    for (const TreeJoint* joint : joints)
      for (int k = 0; k < traits(kind_of(joint->type)).*n; ++k)
        entries.push_back(joint->*first + size_t(k));
    const std::vector<double> given = values(element, attribute, entries.size(), rest);
    for (size_t k = 0; k < given.size(); ++k) out[entries[k]] = given[k];
  }

  void read(const XMLElement& xml, const std::string& default_name, const Joints& joints) {
    const xml::Element element = files_.element(xml, owner_of(xml));
    NamedState state;
    state.name = name_of(xml);
    if (state.name.empty()) state.name = default_name;
    state.source = element.place();
    state.q = tree_.q0;
    state.v.assign(tree_.n_v, 0.0);
    set(element, "qpos", joints, &TreeJoint::q, &JointTraits::n_q, "that of qpos0", state.q);
    set(element, "qvel", joints, &TreeJoint::v, &JointTraits::n_v, "0", state.v);
    normalise_quaternions(tree_, state.q);
    convert_rates(tree_, state.q, state.v);
    set_inputs(element, files_.model_of(xml), state);
    robot_.states.push_back(std::move(state));
  }

  void set_inputs(const xml::Element& element, size_t model, NamedState& state) {
    std::vector<size_t> own;  // indices of the actuators of the model
    for (size_t k = 0; k < actuators_.count(); ++k)
      if (files_.is_in(files_.model_of(*actuators_.xml[k]), model)) own.push_back(k);
    const std::vector<double> given = values(element, "ctrl", own.size(), "0");
    if (given.empty()) return;
    std::vector<double> inputs(actuators_.count(), 0.0);
    for (size_t k = 0; k < given.size(); ++k) inputs[own[k]] = given[k];
    for (const size_t k : actuators_.added) state.inputs.push_back(inputs[k]);
  }

  Files& files_;
  const Tree& tree_;
  const Actuators& actuators_;
  RobotDescription& robot_;
  // Joints of the tree by element; null for an element that has several joints, in copies.
  std::unordered_map<const XMLElement*, const TreeJoint*> joint_of_;
  std::unordered_map<size_t, std::optional<Joints>> joints_;  // by model
  std::vector<std::string> short_keys_;  // warnings of attributes with too few values
};

}  // namespace

void read_keyframes(Files& files, const Tree& tree, const Actuators& actuators,
                    RobotDescription& robot) {
  KeyframeReader(files, tree, actuators, robot).run();
}

}  // namespace torsor::mjcf
