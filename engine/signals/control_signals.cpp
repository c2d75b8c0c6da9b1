#include "torsor/signals/control_signals.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/signals/frame_quaternion.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

namespace {

// Evaluates the reference of a control's active law. Copies of a Follower share its buffers.
class Follower {
 public:
  explicit Follower(size_t control) : control_(control), asked_(std::make_shared<Asked>()) {}

  const Reference& at(const Simulation& simulation) const {
    find_law(simulation);
    return evaluate(simulation.time());
  }

  // Returns the present orientation of a frame reference. The sign of the quaternion is continuous
  // from time 0 on. The reference is followed in steps of dt, and must turn by less than half a
  // turn in each. The sign therefore depends only on the law and the time.
  Quaternion orientation(const Simulation& simulation) const {
    find_law(simulation);
    Asked& asked = *asked_;
    if (!asked.followed) {
      asked.q = quaternion(evaluate(0).X_WF.R);
      asked.time = 0;
      asked.followed = true;
    }
    const double span = simulation.time() - asked.time;
    const long long steps = std::max(1LL, llround(std::abs(span) / simulation.dt()));
    const auto follow = [&](double t) {
      asked.q = nearer(quaternion(evaluate(t).X_WF.R), asked.q);
    };
    for (long long k = 1; k < steps; ++k) follow(asked.time + span * double(k) / double(steps));
    follow(simulation.time());
    asked.time = simulation.time();
    return asked.q;
  }

 private:
  struct Asked {
    std::shared_ptr<const ControlLaw> law;
    Reference now;
    bool followed = false;  // true: q is valid for `time`
    double time = 0;
    Quaternion q{};
  };

  void find_law(const Simulation& simulation) const {
    const std::shared_ptr<const ControlLaw>& law = simulation.load().controls[control_].law;
    if (law != asked_->law) *asked_ = {law, law->reference()->make()};
  }
  const Reference& evaluate(double t) const {
    asked_->law->reference()->evaluate(t, asked_->now);
    return asked_->now;
  }

  size_t control_;
  std::shared_ptr<Asked> asked_;
};

const Robot& robot_of(const SignalNames& names, size_t k) {
  return names.model().robots[size_t(names.controls()[k].robot)];
}

std::vector<Column> coordinate_columns(const SignalNames& names, const Robot& robot,
                                       const std::string& signal) {
  std::vector<Column> out;
  for (int j = robot.first_joint; j < robot.first_joint + robot.n_joint; ++j) {
    const Joint& joint = names.model().joints[size_t(j)];
    const JointTraits& kind = traits(joint.kind);
    for (int k = 0; k < kind.n_q; ++k)
      out.push_back({signal + "." + names.coordinate(robot, joint.q_index + k),
                     std::string(kind.coordinates[size_t(k)].unit), ""});
  }
  return out;
}

std::vector<Column> rate_columns(const SignalNames& names, const Robot& robot,
                                 const std::string& signal, bool rates) {
  std::vector<Column> out;
  for (int c = robot.first_v; c < robot.first_v + robot.n_v; ++c) {
    const JointDof& column = names.model().dof(c);
    out.push_back({signal + "." + names.column(robot, c),
                   rates            ? std::string(column.v_unit())
                   : column.turns() ? "rad"
                                    : "m",
                   ""});
  }
  return out;
}

ControlColumns pose_signal(const Follower& follower, const std::string& signal) {
  return {pose_columns(signal), [follower](Simulation& simulation, double*& out) {
            const Quaternion q = follower.orientation(simulation);
            write_pose(follower.at(simulation).X_WF.p, q, out);
          }};
}

// Returns a function that writes the e [n_v of the robot] with q (+) e = q_ref.
auto error_writer(const Follower& follower, const Robot& robot) {
  return [follower, first = robot.first_joint, count = robot.n_joint, first_q = robot.first_q](
             Simulation& simulation, double*& out) {
    const Model& model = simulation.model();
    const Reference& now = follower.at(simulation);
    for (int j = first; j < first + count; ++j) {
      const Joint& joint = model.joints[size_t(j)];
      const JointTraits& kind = traits(joint.kind);
      const double *q = simulation.state().q().data() + joint.q_index,
                   *q_ref = now.q.data() + (joint.q_index - first_q);
      if (kind.maps)
        kind.maps->difference(q, q_ref, out);
      else
        *out = *q_ref - *q;
      out += kind.n_v;
    }
  };
}

// Removes names that the control's law already uses for signals.
std::vector<std::string> without_own(std::vector<std::string> names, const Control& control) {
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::any_of(control.law->signals(),
                               [&](const LawSignal& own) { return own.name == name; });
  });
  return names;
}

}  // namespace

std::vector<std::string> measured_signals(const Control& control) {
  return without_own({"q_measured", "v_measured"}, control);
}

std::vector<std::string> reference_signals(const Control& control) {
  const ReferenceLaw* reference = control.law->reference();
  if (!reference) return {};
  if (reference->of_frame) return without_own({"pose_ref"}, control);
  return without_own({"q_ref", "v_ref", "error"}, control);
}

ControlColumns measured_signal(const SignalNames& names, size_t k, const std::string& which,
                               const std::string& signal) {
  const Robot& robot = robot_of(names, k);
  if (which == "q_measured")
    return {coordinate_columns(names, robot, signal), [k](Simulation& simulation, double*& out) {
              out = std::ranges::copy(simulation.control_measured(k).q, out).out;
            }};
  return {rate_columns(names, robot, signal, true), [k](Simulation& simulation, double*& out) {
            out = std::ranges::copy(simulation.control_measured(k).v, out).out;
          }};
}

ControlColumns reference_signal(const SignalNames& names, size_t k, const std::string& which,
                                const std::string& signal) {
  const Robot& robot = robot_of(names, k);
  const Follower follower(k);
  if (which == "pose_ref") return pose_signal(follower, signal);
  if (which == "error")
    return {rate_columns(names, robot, signal, false), error_writer(follower, robot)};
  if (which == "q_ref")
    return {coordinate_columns(names, robot, signal),
            [follower](Simulation& simulation, double*& out) {
              out = std::ranges::copy(follower.at(simulation).q, out).out;
            }};
  return {rate_columns(names, robot, signal, true),
          [follower, n = size_t(robot.n_v)](Simulation& simulation, double*& out) {
            const std::vector<double>& v = follower.at(simulation).v;
            // A reference of joints without velocities is at rest.
            out = v.size() == n ? std::ranges::copy(v, out).out : std::fill_n(out, n, 0.0);
          }};
}

std::vector<Column> pose_columns(const std::string& signal) {
  std::vector<Column> out;
  for (const char* part : {"x", "y", "z"}) out.push_back({signal + "." + part, "m", "world"});
  for (const char* part : {"qw", "qx", "qy", "qz"})
    out.push_back({signal + "." + part, "1", "world"});
  return out;
}

void write_pose(const Vec3<double>& p, const Quaternion& q, double*& out) {
  for (const double value : {p.x, p.y, p.z, q.w, q.x, q.y, q.z}) *out++ = value;
}

}  // namespace torsor
