#include "formats/exported_robot.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "support/dense_dynamics.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/mechanics/state.hpp"
#include "torsor/model/pose_spring.hpp"
#include "torsor/model/random_robot.hpp"
#include "torsor/model/transmission.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::test {

namespace fs = std::filesystem;

namespace {

fs::path file_of(const RobotTarget& target, const fs::path& folder) {
  return folder / ("robot" + std::string(target.extension));
}

}  // namespace

ExportedRobot write(const RobotDescription& robot, const RobotTarget& target,
                    const fs::path& folder, const Assembly& assemble) {
  ExportedRobot out =
      export_robot(robot, target, {file_of(target, folder), "A test", {}, assemble});
  for (const exporting::ExportedFile& file : out.files) {
    fs::create_directories((folder / file.name).parent_path());
    std::ofstream(folder / file.name, std::ios::binary) << file.text;
  }
  return out;
}

bool is_readable(const RobotTarget& target) {
  return target.extension == ".lua" || robot_format(fs::path("x" + std::string(target.extension)));
}

RobotDescription read_again(const RobotTarget& target, const fs::path& folder) {
  const fs::path file = file_of(target, folder);
  if (target.extension == ".lua") return load_robot(file);
  return read_robot_file(file, {.collisions = true});
}

namespace {

// Returns numbers as text to ten digits, because poses and inertias are rounded.
std::string text(std::initializer_list<double> numbers) {
  std::string out;
  for (const double x : numbers)
    out += std::isinf(x) ? fmt::format("{} ", x)
                         : fmt::format("{:.10g} ", std::abs(x) < 1e-12 ? 0 : x);
  return out;
}
std::string text(const Vec3<double>& x) {
  return text({x.x, x.y, x.z});
}
std::string text(const Pose<double>& X) {
  std::string out = text(X.p);
  for (const double x : X.R.m) out += text({std::round(1e9 * x) / 1e9});  // entries up to 1
  return out;
}

std::string text(const torsor::Shape& shape) {
  return std::visit(
      [](const auto& each) {
        using S = std::decay_t<decltype(each)>;
        if constexpr (std::is_same_v<S, Box>) return "box " + text(each.size);
        if constexpr (std::is_same_v<S, Cylinder>)
          return "cylinder " + text({each.radius, each.length});
        if constexpr (std::is_same_v<S, Capsule>)
          return "capsule " + text({each.radius, each.length});
        if constexpr (std::is_same_v<S, Cone>) return "cone " + text({each.radius, each.length});
        if constexpr (std::is_same_v<S, Sphere>) return "sphere " + text({each.radius});
        if constexpr (std::is_same_v<S, Ellipsoid>) return "ellipsoid " + text(each.radii);
        if constexpr (std::is_same_v<S, MeshFile>) {
          if (each.file.find("://") != std::string::npos)
            return "mesh " + each.file + text(each.scale);
          const fs::path from = fs::path(each.source.substr(0, each.source.rfind(':')));
          return "mesh " + (from.parent_path() / each.file).lexically_normal().string() +
                 text(each.scale);
        }
      },
      shape);
}

std::string text(const CollisionShape& shape) {
  std::string out = std::string(traits(shape.kind).name);
  if (shape.kind != ShapeKind::half_space) out += text(shape.size);
  std::vector<std::string> points;
  if (shape.hull)
    for (const Vec3<double>& v : shape.hull->vertices) {
      char part[100];
      std::snprintf(part, sizeof part, "%.5f %.5f %.5f", v.x + 0.0, v.y + 0.0, v.z + 0.0);
      points.emplace_back(part);
    }
  std::ranges::sort(points);
  for (const std::string& point : points) out += point + ",";
  if (shape.field) {
    out += text({double(shape.field->n_x), shape.field->spacing_x, shape.field->spacing_y});
    for (const double h : shape.field->heights) out += text({h});
  }
  return out;
}

std::string text(const Friction& f) {
  if (f.law == Friction::Law::none || f.law == Friction::Law::coulomb) return "linear";
  return std::string(name(f.law)) +
         text({f.breakaway, f.decay, f.transition, f.bristle_stiffness, f.bristle_damping});
}

std::string text(const Motor& m) {
  return text({m.torque_constant, m.amplifier_gain, m.resistance, m.max_input, m.max_current,
               m.max_voltage});
}

class Properties {
 public:
  explicit Properties(const RobotDescription& robot) : built_(build(robot)), model_(*built_) {
    add(robot.name, "name", "robot", robot.name);
    if (!robot.family.empty()) add(robot.name, "family", "family", robot.family);
    for (const ActuatorDescription& each : robot.actuators)
      add(each.name, "actuator", fmt::format("'{}'", each.name), each.joint);
    for (const NamedState& each : robot.states)
      add(each.name, "named state", fmt::format("'{}'", each.name), text({each.q[0]}));
    if (robot.gravity_W) add(robot.name, "gravity", "gravity", text({robot.gravity_W->z}));
    for (const Joint& joint : model_.joints) list(joint);
    for (const LinkDescription& link : robot.links) list(link);
    list_visuals();
    list_collisions();
    list_closures(robot);
    for (const TransmissionDescription& each : robot.transmissions) list(each);
    for (const StiffnessDescription& each : robot.stiffnesses) {
      std::string value;
      for (const auto& row : each.matrix)
        for (const double x : row) value += text({x});
      for (const double x : each.damping) value += text({x});
      add("1", "stiffness matrix", each.joints[0], value);
    }
    for (const CollisionPairDescription& pair : robot.collision_pairs)
      add(pair.names[0], "pair", pair.names[1],
          text({pair.collide.value_or(true) ? 1.0 : 0.0, pair.mu.value_or(-1),
                pair.restitution.value_or(-1), pair.torsional.value_or(-1),
                pair.rolling.value_or(-1), pair.stiffness.value_or(-1),
                pair.damping.value_or(-1)}) +
              (pair.collide ? "stated" : ""));
    std::ranges::sort(out);
  }
  std::vector<Property> out;

 private:
  void add(const std::string& subject, const std::string& words, const std::string& key,
           const std::string& value) {
    out.emplace_back(subject, words, key + ": " + value);
  }

  void list(const Joint& joint) {
    const std::string& name = joint.name;
    add(name, "joint", "kind", std::string(traits(joint.kind).name));
    add(name, "position limits|lower|joint", "limits", text({joint.lower, joint.upper}));
    add(name, "velocity limit|joint", "velocity", text({joint.velocity_limit}));
    add(name, "effort limit|joint", "effort", text({joint.effort_limit}));
    for (int k = 0; k < traits(joint.kind).n_v; ++k) list_dof(name, joint.v_index + k, k);
    for (const PoseSpringElement& spring : pose_springs(model_))
      if (spring.v_index == joint.v_index)
        add(name, "spring|joint", "spring",
            text({spring.angular, spring.linear, spring.p_0.x, spring.p_0.y, spring.p_0.z}) +
                text(spring.kind->maps->pose(spring.rest.data())));
    for (const Mimicry& mimic : model_.mimics)
      if (mimic.dof == joint.v_index)
        add(name, "mimic", "mimic",
            text({mimic.ratio, mimic.offset}) + model_.joint_of_dof(mimic.of_dof).name);
  }

  void list_dof(const std::string& name, int v, int k) {
    const Drive& drive = model_.drives[size_t(v)];
    const auto friction = model_.linear_friction(v);
    const std::string at = fmt::format("dof {}: ", k);
    add(name, "armature|rotor|joint|transmission", at + "armature",
        text({model_.armature[size_t(v)]}));
    add(name, "damping|friction|joint", at + "damping", text({friction.viscous}));
    add(name, "friction|joint", at + "coulomb", text({friction.coulomb}));
    add(name, "static friction|friction law|motor|joint", at + "law",
        friction.other_law ? text(*friction.other_law) : "");
    add(name, "elasticity|joint", at + "elastic",
        drive.elasticity ? text({drive.elasticity->stiffness, drive.elasticity->cubic,
                                 drive.elasticity->damping})
                         : "");
    add(name, "gear ratio|joint", at + "gear", text({drive.motor.gear_ratio}));
    add(name, "rotor|armature|joint", at + "rotor",
        drive.elasticity ? text({drive.motor.rotor_inertia}) : "");
    add(name, "amplifier|joint", at + "amplifier", text(drive.motor));
    add(name, "stall|joint", at + "stall", text({drive.motor.stall_torque}));
    add(name, "clamp|joint", at + "clamp", drive.motor.clamp ? "yes" : "no");
    add(name, "spring|joint", at + "spring", text({drive.spring.stiffness, drive.spring.rest}));
    add(name, "stop|joint", at + "stop", drive.stop ? text({drive.stop->restitution}) : "none");
    add(name, "motor|joint", at + "passive", drive.passive ? "yes" : "no");
  }

  void list(const LinkDescription& link) {
    if (link.grouped) add(link.name, "grouped", "grouped", "yes");
    if (link.joint.kind == JointKind::fixed && !link.joint.name.empty())
      add(link.joint.name, "fixed joint", "fixed", link.name);
    for (const CollisionDescription& each : link.collisions)
      if (!each.name.empty()) add(link.name, "name of a collision shape", "name", each.name);
  }

  void list_visuals() {
    std::map<int, int> count;
    for (const Visual& visual : model_.visuals) {
      const std::string& link = model_.links[size_t(visual.link)].name;
      const std::string key = fmt::format("visual {}", ++count[visual.link]);
      add(link, "visual", key, text(visual.shape) + text(visual.X_FV));
      add(link, "color|visual", key,
          visual.color ? text({visual.color->r, visual.color->g, visual.color->b, visual.color->a})
                       : "none");
    }
  }

  void list_collisions() {
    for (const Collider& each : model_.colliders) {
      const std::string& link = model_.links[size_t(each.link)].name;
      const Pose<double>& X_BF = model_.frames[size_t(model_.links[size_t(each.link)].frame)].X_BF;
      const ContactMaterial& m = each.material;
      add(link, "collision", "shape", text(each.shape) + text(inverse(X_BF) * each.X_BC));
      add(link, "mu|collision", "mu", text({m.mu}));
      add(link, "restitution|collision", "restitution", text({m.restitution}));
      add(link, "torsional|collision", "torsional", text({m.torsional}));
      add(link, "rolling|collision", "rolling", text({m.rolling}));
      add(link, "stiffness of a surface|collision", "stiffness", text({m.stiffness}));
      add(link, "damping of a surface|collision", "damping", text({m.damping}));
      add(link, "group|collision", "group",
          each.group < 0 ? "none" : model_.collision_groups[size_t(each.group)]);
    }
  }

  void list_closures(const RobotDescription& robot) {
    for (const Closure& each : model_.closures) {
      std::string value = std::string(traits(each.kind).name) + text({each.parameter});
      for (const ClosureTerm& term : each.terms)
        value += model_.joint_of_dof(term.dof).name + text({term.factor});
      add(each.name, "closure", "closure", value);
    }
    for (const ClosureDescription& each : robot.closures)
      if (each.joint)
        add(each.name, "of a closure", "joint",
            text({each.joint->damping.of(0), each.joint->armature.of(0), each.joint->lower}) +
                (each.joint->drives.empty() ? ""
                                            : text({each.joint->drives[0].friction.coulomb,
                                                    each.joint->drives[0].spring.stiffness})));
  }

  void list(const TransmissionDescription& each) {
    std::string value;
    for (const auto& row : each.jacobian)
      for (const double x : row) value += text({x});
    for (const Motor& motor : each.motors) value += text({motor.rotor_inertia}) + text(motor);
    if (each.law) value += fmt::format("{}", each.law->fingerprint());
    add(each.joints[0], "transmission", "transmission", value);
  }

  std::shared_ptr<const Model> built_;
  const Model& model_;
};

}  // namespace

std::vector<Property> properties(const RobotDescription& robot) {
  return Properties(robot).out;
}

std::string unsaid(const RobotDescription& robot, const RobotDescription& other,
                   const std::string& report) {
  std::vector<Property> missing, a = properties(robot), b = properties(other);
  std::ranges::set_difference(a, b, std::back_inserter(missing));
  std::string out;
  for (auto [subject, words, value] : missing) {
    bool said = false;
    // The builder makes the joint of a rotor that is a body.
    if (subject.ends_with("_rotor")) {
      subject.resize(subject.size() - 6);
      words = "rotor";
    }
    for (size_t at = 0; at < report.size() && !said; at = report.find('\n', at) + 1) {
      const std::string line = report.substr(at, report.find('\n', at) - at);
      const bool about = line.find("'" + subject + "'") != std::string::npos ||
                         line.find("'" + subject + ".") != std::string::npos ||
                         line.find("'" + subject + "_") != std::string::npos ||
                         (subject == "1" && line.find(" 1)") != std::string::npos);
      for (size_t from = 0; about && from <= words.size() && !said;) {
        const size_t to = std::min(words.find('|', from), words.size());
        said = line.find(words.substr(from, to - from)) != std::string::npos;
        from = to + 1;
      }
    }
    if (!said) out += fmt::format("'{}' {}\n", subject, value);
  }
  return out;
}

namespace {

// The dynamics of a model at a state, in the order of the names of the dof of another.
struct Values {
  Matrix M;
  Vector tau;
  std::vector<Pose<double>> poses;  // of the named frames in the world
};

Pose<double> pose_in_world(const State& state, const std::string& name) {
  const Model& model = state.model();
  const Frame& frame = model.frames[size_t(model.frame(name))];
  Pose<double> X = frame.X_BF;
  for (int body = frame.body; body > 0; body = model.parent[size_t(body)])
    X = state.X_PB()[size_t(body)] * X;
  return X;
}

// Returns the model without the inertias of rotors if the report says that some are not written.
std::shared_ptr<const Model> model_of(const RobotDescription& robot, const std::string& report) {
  Model out = *build(robot);
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);)
    if (is_about_rotors(line) && line.find(": not written") != std::string::npos)
      std::ranges::fill(out.armature, 0.0);
  return std::make_shared<const Model>(std::move(out));
}

}  // namespace

bool is_about_rotors(const std::string& line) {
  for (const char* what :
       {"armature", "rotor inertia", "elasticity", "stiffness matrix", "transmission"})
    if (line.find(what) != std::string::npos) return true;
  return false;
}

double difference_of_dynamics(const RobotDescription& robot, const RobotDescription& other,
                              const std::string& report) {
  const auto a = model_of(robot, report), b = model_of(other, report);
  if (a->n_q != b->n_q || a->n_v != b->n_v) return HUGE_VAL;
  const std::vector<std::string> names = a->dof_names(), others = b->dof_names();
  std::vector<Eigen::Index> of(names.size());
  for (size_t k = 0; k < names.size(); ++k) {
    const auto found = std::ranges::find(others, names[k]);
    if (found == others.end()) return HUGE_VAL;
    of[k] = found - others.begin();
  }
  const std::vector<std::string> coordinates = a->coordinate_names(),
                                 other_coordinates = b->coordinate_names();
  Random random(7);
  double worst = 0;
  // The matrices of a large robot are slow, and have enough entries.
  const int samples = a->n_v > 25 ? 1 : 3;
  for (int sample = 0; sample < samples; ++sample) {
    State s(a), t(b);
    const std::vector<double> q = random_position(random, *a, 1.5),
                              v = random_values(random, a->n_v, 2),
                              vdot = random_values(random, a->n_v, 3);
    std::vector<double> p(q.size());
    for (size_t k = 0; k < q.size(); ++k) {
      const auto found = std::ranges::find(other_coordinates, coordinates[k]);
      if (found == other_coordinates.end()) return HUGE_VAL;
      p[size_t(found - other_coordinates.begin())] = q[k];
    }
    s.set_q(q);
    t.set_q(p);
    s.v = v;
    for (size_t k = 0; k < v.size(); ++k) t.v[size_t(of[k])] = v[k];
    for (const Frame& frame : a->frames) {
      if (std::ranges::find(b->frames, frame.name, &Frame::name) == b->frames.end()) {
        if (report.find("'" + frame.name + "'") == std::string::npos) return HUGE_VAL;
        continue;
      }
      const Pose<double> X = pose_in_world(s, frame.name), Y = pose_in_world(t, frame.name);
      worst = std::max(worst, norm(X.p - Y.p) / std::max(1.0, norm(X.p)));
      for (int k = 0; k < 9; ++k) worst = std::max(worst, std::abs(X.R.m[k] - Y.R.m[k]));
    }
    const DenseDynamics d(a->view(), s.view()), e(b->view(), t.view());
    Matrix M(a->n_v, a->n_v);
    Vector tau(a->n_v), own_vdot = Eigen::Map<const Vector>(vdot.data(), a->n_v),
                        other_vdot(a->n_v);
    for (int i = 0; i < a->n_v; ++i) other_vdot[of[size_t(i)]] = own_vdot[i];
    const auto vector_of = [](const std::vector<double>& x) {
      return Vector(Eigen::Map<const Vector>(x.data(), Eigen::Index(x.size())));
    };
    const Vector other_tau = e.inverse(vector_of(t.v), other_vdot),
                 own_tau = d.inverse(vector_of(s.v), own_vdot);
    for (int i = 0; i < a->n_v; ++i) {
      tau[i] = other_tau[of[size_t(i)]];
      for (int j = 0; j < a->n_v; ++j) M(i, j) = e.M(of[size_t(i)], of[size_t(j)]);
    }
    if (d.M.norm() > 0) worst = std::max(worst, (M - d.M).norm() / d.M.norm());
    if (own_tau.norm() > 0) worst = std::max(worst, (tau - own_tau).norm() / own_tau.norm());
  }
  return worst;
}

}  // namespace torsor::test
