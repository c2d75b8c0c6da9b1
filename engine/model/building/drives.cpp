#include "torsor/model/building/drives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "torsor/base/linear_algebra.hpp"
#include "torsor/model/building/checks.hpp"
#include "torsor/model/pose_spring.hpp"

namespace torsor {

void check_drives(const LinkDescription& link) {
  const JointDescription& joint = link.joint;
  const JointTraits& kind = traits(joint.kind);
  const auto reject = [&](const std::string& text) { fail_joint(link, text); };
  if (!joint.drives.empty() && int(joint.drives.size()) != kind.n_v)
    reject(fmt::format("it has {} drives; a {} joint needs {}, one for each degree of freedom",
                       joint.drives.size(), kind.name, kind.n_v));
  if (joint.spring)
    if (const auto wrong = defect(*joint.spring, kind)) reject(*wrong);
  for (size_t k = 0; k < joint.drives.size(); ++k) {
    const Drive& drive = joint.drives[k];
    if (const auto wrong = defect(drive)) reject(*wrong);
    const bool needs_coordinate = drive.elasticity || drive.spring.stiffness > 0 || drive.stop;
    if (needs_coordinate && kind.dofs[k].coordinate < 0)
      reject(fmt::format(
          "an elastic joint, a spring or a stop needs a coordinate; {} of a {} joint has none{}",
          kind.dofs[k].name, kind.name,
          kind.has_quaternion() ? "; give the spring to the joint instead of its drives" : ""));
    if (drive.stop && !std::isfinite(joint.lower) && !std::isfinite(joint.upper))
      reject("it has a stop but no position limits; give it limits = { lower = .., upper = .. }");
    if (drive.motor.clamp && !std::isfinite(joint.effort_limit))
      reject(
          "its motor clamps to the effort limit, but it has none; give it limits = { effort = .. "
          "}");
    if (drive.motor.stall_torque > 0 &&
        !(joint.velocity_limit > 0 && std::isfinite(joint.velocity_limit)))
      reject(
          "its motor has a stall_torque, but the joint has no velocity limit; give it limits = { "
          "velocity = .. }");
    if (drive.passive && (drive.elasticity || drive.motor.rotor_inertia > 0))
      reject("it is passive but has a motor; remove one of the two");
  }
}

namespace {

struct Follower {
  const LinkDescription* description;
  int joint, target;  // indices in model.joints of the mimic joint and of the joint that it mimics
};

[[noreturn]] void fail_circle(const Model& model,
                              const std::unordered_map<int, Follower>& followers, int start) {
  std::string circle = fmt::format("'{}'", model.joints[size_t(start)].name);
  for (int k = followers.at(start).target; k != start; k = followers.at(k).target)
    circle += fmt::format(" -> '{}'", model.joints[size_t(k)].name);
  fail_at(
      joint_source(*followers.at(start).description),
      fmt::format("joints mimic each other in a cycle: {} -> '{}'; remove the mimic of one of them",
                  circle, model.joints[size_t(start)].name));
}

// Returns the indices of a link's mimic joint and of the joint that it mimics. Throws Error if this
// mimicry is invalid.
Follower find(const LinkDescription& link, const std::string& prefix, const Model& model) {
  const Mimic& mimic = *link.joint.mimic;
  const auto reject = [&](const std::string& text) { fail_joint(link, text); };
  if (!std::isfinite(mimic.ratio) || !std::isfinite(mimic.offset))
    reject("the ratio and the offset of its mimic must be finite numbers");
  const auto index_of = [&](const std::string& name) {
    const auto found =
        std::find_if(model.joints.begin(), model.joints.end(),
                     [&](const Joint& joint) { return joint.name == prefix + name; });
    return found == model.joints.end() ? -1 : int(found - model.joints.begin());
  };
  const Follower out{&link, index_of(link.joint.name), index_of(mimic.joint)};
  if (out.target < 0) {
    std::vector<std::string> names;
    for (const Joint& joint : model.joints)
      if (joint.name.starts_with(prefix)) names.push_back(joint.name.substr(prefix.size()));
    reject(fmt::format("it mimics '{}', which is not a moving joint of the robot{}", mimic.joint,
                       did_you_mean(mimic.joint, names)));
  }
  for (const int j : {out.joint, out.target})
    if (j < 0 || traits(model.joints[size_t(j)].kind).n_v != 1)
      reject(
          fmt::format("it mimics '{}': both must be joints of one degree of freedom", mimic.joint));
  const Drive& drive = model.drives[size_t(model.joints[size_t(out.joint)].v_index)];
  if (drive.stop || drive.elasticity)
    reject("it mimics another joint, so it cannot be elastic or have a stop");
  return out;
}

}  // namespace

void add_mimics(const RobotDescription& robot, const std::string& prefix, Model& model) {
  std::unordered_map<int, Follower> followers;
  for (const LinkDescription& link : robot.links)
    if (link.joint.mimic) {
      const Follower found = find(link, prefix, model);
      followers.emplace(found.joint, found);
    }
  std::vector<char> placed(model.joints.size(), 0);
  for (const LinkDescription& link : robot.links) {
    if (!link.joint.mimic) continue;
    // Follows the chain of mimicry from this joint to a joint that mimics no other, or whose
    // mimicry is already in the model.
    std::vector<int> chain;
    int j = model.joint(prefix + link.joint.name);
    for (; followers.count(j) && !placed[size_t(j)]; j = followers.at(j).target) {
      if (std::find(chain.begin(), chain.end(), j) != chain.end()) fail_circle(model, followers, j);
      chain.push_back(j);
    }
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
      const Follower& of = followers.at(*at);
      const Mimic& mimic = *of.description->joint.mimic;
      model.mimics.push_back({model.joints[size_t(*at)].v_index,
                              model.joints[size_t(of.target)].v_index, mimic.ratio, mimic.offset});
      placed[size_t(*at)] = 1;
    }
  }
}

void add_elastic_rotors(const RobotDescription& robot, const std::string& prefix, Model& model) {
  const auto dof = [&](const std::string& name) {
    return model.joints[size_t(model.joint(prefix + name))].v_index;
  };
  for (const LinkDescription& link : robot.links)
    if (const auto& drive = link.joint.elastic_drive)
      model.elastic_rotors.push_back(
          {dof(drive->joint), dof(link.joint.name), drive->ratio, drive->elasticity});
}

namespace {

[[noreturn]] void reject(const StiffnessDescription& group, const std::string& text) {
  fail_at(group.source, "stiffness matrix: " + text);
}

// Returns the joint with this name. It must have one degree of freedom and a motor.
JointDescription& elastic_joint(const StiffnessDescription& group, const std::string& name,
                                RobotDescription& robot) {
  const auto found = std::ranges::find_if(
      robot.links, [&](const LinkDescription& link) { return link.joint.name == name; });
  if (found == robot.links.end()) {
    std::vector<std::string> names;
    for (const LinkDescription& link : robot.links)
      if (link.joint.kind != JointKind::fixed) names.push_back(link.joint.name);
    reject(group, fmt::format("the robot has no joint '{}'{}", name, did_you_mean(name, names)));
  }
  JointDescription& joint = found->joint;
  const auto fail = [&](const char* why) {
    reject(group, fmt::format("joint '{}' {}", name, why));
  };
  if (traits(joint.kind).n_v != 1) fail("must have one degree of freedom");
  if (joint.drives.empty() || !(joint.drives[0].motor.rotor_inertia > 0))
    fail("has no motor with an inertia; give it motor = { rotor_inertia = .. }");
  if (joint.drives[0].motor.body) fail("has a rotor that is a body; remove body = true");
  if (std::ranges::count(group.joints, name) > 1) fail("is listed twice; list it once");
  if (joint.drives[0].elasticity)
    fail("has a stiffness of its own, or of another matrix; remove one of the two");
  return joint;
}

// Throws Error unless the matrix is n x n, symmetric and positive definite.
void check_matrix(const StiffnessDescription& group) {
  const size_t n = group.joints.size();
  if (group.matrix.size() != n ||
      std::ranges::any_of(group.matrix, [&](const auto& row) { return row.size() != n; }))
    reject(group, fmt::format("it must have {0} rows of {0} numbers, one for each joint", n));
  Eigen::MatrixXd k(n, n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      const double own = group.matrix[i][j], other = group.matrix[j][i];
      if (!std::isfinite(own))
        reject(group, fmt::format("entry ({}, {}) is not a finite number", i + 1, j + 1));
      if (own != other)
        reject(group, fmt::format("it is not symmetric: entry ({}, {}) is {}, and ({}, {}) is {}",
                                  i + 1, j + 1, own, j + 1, i + 1, other));
      k(Eigen::Index(i), Eigen::Index(j)) = own;
    }
  const SymmetricEigen eigen = symmetric_eigen(k);
  if (!(eigen.values[0] > 0))
    reject(group, fmt::format("it is not positive definite: its smallest eigenvalue is {:.4g}, so "
                              "some deflection would have no restoring torque",
                              eigen.values[0]));
}

}  // namespace

RobotDescription with_stiffnesses(const RobotDescription& robot) {
  RobotDescription out = robot;
  for (const StiffnessDescription& group : robot.stiffnesses) {
    if (group.joints.empty()) reject(group, "it has no joints");
    check_matrix(group);
    if (!group.damping.empty() && group.damping.size() != group.joints.size())
      reject(group, fmt::format("damping has {} entries for {} joints; give one for each",
                                group.damping.size(), group.joints.size()));
    for (const double damping : group.damping)
      if (!(damping >= 0 && std::isfinite(damping)))
        reject(group,
               fmt::format("damping is {}; it must be a finite number, not negative", damping));
    for (size_t i = 0; i < group.joints.size(); ++i)
      elastic_joint(group, group.joints[i], out).drives[0].elasticity = {
          .stiffness = group.matrix[i][i], .damping = group.damping.empty() ? 0 : group.damping[i]};
  }
  return out;
}

void add_stiffness_couplings(const RobotDescription& robot, const std::string& prefix,
                             Model& model) {
  const auto dof = [&](const std::string& name) {
    return model.joints[size_t(model.joint(prefix + name))].v_index;
  };
  for (const StiffnessDescription& group : robot.stiffnesses)
    for (size_t i = 0; i < group.joints.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (group.matrix[i][j] != 0)
          model.stiffness_couplings.push_back(
              {dof(group.joints[i]), dof(group.joints[j]), group.matrix[i][j]});
}

namespace {

[[noreturn]] void reject(const TransmissionDescription& group, const std::string& text) {
  fail_at(group.source, "transmission: " + text);
}

// Returns the dof of a joint of a transmission. Throws Error if the joint is passive, elastic, a
// mimic joint, or already has a motor.
int driven_dof(const TransmissionDescription& group, const std::string& name,
               const std::string& prefix, const Model& model) {
  const auto found = std::find_if(model.joints.begin(), model.joints.end(),
                                  [&](const Joint& joint) { return joint.name == prefix + name; });
  if (found == model.joints.end()) {
    std::vector<std::string> names;
    for (const Joint& joint : model.joints)
      if (joint.name.starts_with(prefix)) names.push_back(joint.name.substr(prefix.size()));
    reject(group,
           fmt::format("the robot has no moving joint '{}'{}", name, did_you_mean(name, names)));
  }
  const int dof = found->v_index;
  if (traits(found->kind).n_v != 1)
    reject(group, fmt::format("joint '{}' must have one degree of freedom", name));
  const Drive& drive = model.drives[size_t(dof)];
  if (drive.motor.clamp || drive.motor.stall_torque > 0 || drive.motor.torque_constant > 0 ||
      drive.elasticity || drive.passive || drive.motor.rotor_inertia > 0 ||
      drive.motor.gear_ratio != 1 || drive.motor.friction.law != Friction::Law::none)
    reject(group, fmt::format("joint '{}' is passive, elastic or has a motor of its own", name));
  for (const Mimicry& mimic : model.mimics)
    if (mimic.dof == dof)
      reject(group, fmt::format("joint '{}' mimics another joint and has no motor", name));
  for (const Transmission& other : model.transmissions)
    if (std::count(other.dofs.begin(), other.dofs.end(), dof))
      reject(group, fmt::format("joint '{}' is in another transmission already", name));
  return dof;
}

// Sets J_qm and its inverse, both stored by rows.
void put_jacobian(const TransmissionDescription& group, Transmission& out) {
  const size_t n = group.joints.size();
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  for (const std::vector<double>& row : group.jacobian) {
    if (row.size() != n ||
        !std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); }))
      reject(group,
             fmt::format("a row of its jacobian is not {} finite numbers, one for each motor", n));
    out.jacobian.insert(out.jacobian.end(), row.begin(), row.end());
  }
  if (group.jacobian.size() != n)
    reject(group, fmt::format("its jacobian has {} rows for {} joints; give one row for each joint",
                              group.jacobian.size(), n));
  const auto size = Eigen::Index(n);
  const auto inverse_jacobian =
      inverse(Eigen::Map<const RowMajor>(out.jacobian.data(), size, size));
  if (!inverse_jacobian)
    reject(group, "its jacobian is singular: some motion of the motors moves no joint");
  out.inverse.resize(n * n);
  Eigen::Map<RowMajor>(out.inverse.data(), size, size) = *inverse_jacobian;
}

}  // namespace

void add_transmissions(const RobotDescription& robot, const std::string& prefix, Model& model) {
  for (const TransmissionDescription& group : robot.transmissions) {
    const size_t n = group.joints.size();
    if (n == 0) reject(group, "it has no joints");
    if (group.motors.size() != n)
      reject(group, fmt::format("it has {} joints and {} motors; give one motor for each joint", n,
                                group.motors.size()));
    Transmission out;
    for (const std::string& name : group.joints) {
      const int dof = driven_dof(group, name, prefix, model);
      if (std::count(out.dofs.begin(), out.dofs.end(), dof))
        reject(group, fmt::format("it names joint '{}' twice", name));
      out.dofs.push_back(dof);
    }
    out.law = group.law;
    out.source = group.source;
    if (!out.law) put_jacobian(group, out);
    for (const Motor& motor : group.motors) {
      if (const auto wrong = defect(Drive{.motor = motor})) reject(group, *wrong);
      if (motor.gear_ratio != 1)
        reject(group, "a motor has a gear ratio; put all gears into the jacobian");
      const Friction::Law law = motor.friction.law;
      if (out.law && (law == Friction::Law::coulomb || law == Friction::Law::stribeck) &&
          motor.friction.breakaway > 0)
        reject(group,
               "its jacobian depends on q and a motor has static friction, which needs a constant "
               "jacobian; use the law piecewise_linear or lugre");
      out.motors.push_back(motor);
    }
    for (size_t i = 0; i < n && !out.law; ++i)
      model.armature[size_t(out.dofs[i])] += out.armature(i, i);
    model.transmissions.push_back(std::move(out));
  }
}

}  // namespace torsor
