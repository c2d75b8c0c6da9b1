#include "torsor/simulation/reference_signals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/spatial/so3.hpp"

namespace torsor {

namespace {

// What a control's law that is in force follows, asked with room of its own.
class Follower {
 public:
  explicit Follower(size_t control) : control_(control), asked_(std::make_shared<Asked>()) {}
  const Reference& at(const Simulation& simulation) const {
    const std::shared_ptr<const ControlLaw>& law = simulation.load().controls[control_].law;
    if (law != asked_->law) *asked_ = {law, law->reference()->make()};
    law->reference()->evaluate(simulation.time(), asked_->now);
    return asked_->now;
  }

 private:
  struct Asked {
    std::shared_ptr<const ControlLaw> law;
    Reference now;
  };
  size_t control_;
  std::shared_ptr<Asked> asked_;
};

std::string entry_name(const Model& model, const Robot& robot, const std::string& name,
                       const std::string& entry) {
  return fmt::format("{}.{}", name, model.robots.size() > 1 ? entry.substr(robot.name.size() + 1) : entry);
}

std::vector<Column> coordinate_columns(const Model& model, const Robot& robot, const std::string& name) {
  const std::vector<std::string> names = model.coordinate_names();
  std::vector<Column> out;
  for (int j = robot.first_joint; j < robot.first_joint + robot.n_joint; ++j) {
    const Joint& joint = model.joints[size_t(j)];
    const JointTraits& kind = traits(joint.kind);
    for (int k = 0; k < kind.n_q; ++k)
      out.push_back({entry_name(model, robot, name, names[size_t(joint.q_index + k)]),
                     std::string(kind.coordinates[size_t(k)].unit), ""});
  }
  return out;
}

std::vector<Column> rate_columns(const Model& model, const Robot& robot, const std::string& name,
                                 bool rates) {
  const std::vector<std::string> names = model.column_names();
  std::vector<Column> out;
  for (int c = robot.first_v; c < robot.first_v + robot.n_v; ++c) {
    const JointColumn& column = model.column(c);
    out.push_back({entry_name(model, robot, name, names[size_t(c)]),
                   rates            ? std::string(column.v_unit())
                   : column.turns() ? "rad"
                                    : "m",
                   ""});
  }
  return out;
}

ReferenceSignal pose_signal(const Follower& follower, const std::string& name) {
  ReferenceSignal out;
  for (const char* part : {"x", "y", "z"}) out.columns.push_back({name + "." + part, "m", "world"});
  for (const char* part : {"qw", "qx", "qy", "qz"}) out.columns.push_back({name + "." + part, "1", "world"});
  out.write = [follower](Simulation& simulation, double*& to) {
    const Pose<double>& X = follower.at(simulation).X_WF;
    const Quaternion q = quaternion(X.R);
    for (const double value : {X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z}) *to++ = value;
  };
  return out;
}

// e with q (+) e = q_ref.
auto error_writer(const Follower& follower, const Robot& robot) {
  return [follower, first_q = robot.first_q, first_v = robot.first_v, n_v = robot.n_v](Simulation& simulation,
                                                                                       double*& to) {
    const Reference& now = follower.at(simulation);
    const std::span<const double> q = simulation.state().q();
    std::vector<double> q_ref(q.begin(), q.end()), e(simulation.state().v.size());
    std::ranges::copy(now.q, q_ref.begin() + first_q);
    difference(simulation.model(), q.data(), q_ref.data(), e.data());
    to = std::copy_n(e.begin() + first_v, n_v, to);
  };
}

}  // namespace

std::vector<std::string> reference_signals(const Control& control) {
  const ReferenceLaw* reference = control.law->reference();
  if (!reference) return {};
  std::vector<std::string> out{"pose_ref"};
  if (!reference->of_frame) out = {"q_ref", "v_ref", "error"};
  std::erase_if(out, [&](const std::string& name) {
    return std::ranges::any_of(control.law->signals(),
                               [&](const LawSignal& own) { return own.name == name; });
  });
  return out;
}

ReferenceSignal reference_signal(const Model& model, const std::vector<Control>& controls, size_t control,
                                 const std::string& which, const std::string& name) {
  const Robot& robot = model.robots[size_t(controls[control].robot)];
  const Follower follower(control);
  if (which == "pose_ref") return pose_signal(follower, name);
  if (which == "error") return {rate_columns(model, robot, name, false), error_writer(follower, robot)};
  if (which == "q_ref")
    return {coordinate_columns(model, robot, name), [follower](Simulation& simulation, double*& to) {
              to = std::ranges::copy(follower.at(simulation).q, to).out;
            }};
  return {rate_columns(model, robot, name, true),
          [follower, n = size_t(robot.n_v)](Simulation& simulation, double*& to) {
            const std::vector<double>& v = follower.at(simulation).v;
            to = v.size() == n ? std::ranges::copy(v, to).out : std::fill_n(to, n, 0.0);  // it stands
          }};
}

}  // namespace torsor
