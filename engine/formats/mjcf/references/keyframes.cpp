#include <fmt/format.h>

#include <algorithm>

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
      : files_(files), tree_(tree), actuators_(actuators), robot_(robot) {}

  void run() {
    robot_.states.push_back({"qpos0", tree_.q0, std::vector<double>(tree_.n_v, 0.0)});
    size_t index = 0;
    for (const XMLElement* xml : files_.all("keyframe", "key"))
      if (files_.model_of(*xml) == 0)
        read(*xml, index++);
      else
        files_.note(UnusedWord::Kind::unsupported, *xml, "<key> of an attached model");
  }

 private:
  // Returns the values of an attribute. If their number is not `count`, notes them as unused and
  // returns `otherwise`.
  std::vector<double> values(const xml::Element& element, const char* attribute, size_t count,
                             std::vector<double> otherwise) {
    if (!element.has(attribute)) return otherwise;
    std::vector<double> out = element.list(attribute, most_values);
    if (out.size() == count) return out;
    files_.note(
        UnusedWord::Kind::unsupported, element.xml(),
        fmt::format("{} of <key> with {} values instead of {}", attribute, out.size(), count));
    return otherwise;
  }

  void read(const XMLElement& xml, size_t index) {
    const xml::Element element = files_.element(xml, owner_of(xml));
    NamedState state;
    state.name = name_of(xml);
    if (state.name.empty()) state.name = fmt::format("key{}", index);
    state.source = element.place();
    state.q = values(element, "qpos", tree_.n_q, tree_.q0);
    state.v = values(element, "qvel", tree_.n_v, std::vector<double>(tree_.n_v, 0.0));
    normalise_quaternions(tree_, state.q);
    convert_rates(tree_, state.q, state.v);
    const std::vector<double> inputs = values(element, "ctrl", actuators_.count, {});
    if (!inputs.empty())
      for (const size_t k : actuators_.added) state.inputs.push_back(inputs[k]);
    robot_.states.push_back(std::move(state));
  }

  Files& files_;
  const Tree& tree_;
  const Actuators& actuators_;
  RobotDescription& robot_;
};

}  // namespace

void read_keyframes(Files& files, const Tree& tree, const Actuators& actuators,
                    RobotDescription& robot) {
  KeyframeReader(files, tree, actuators, robot).run();
}

}  // namespace torsor::mjcf
