#include "bench/peers/mujoco_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/model/inertia.hpp"

namespace torsor::bench {

namespace {

// Returns the pose of the principal axes at the COM, in the frame of the body.
Pose<double> principal_frame(const SpatialInertia<double>& M) {
  Mat3<double> R = principal_inertia(M).axes;
  const auto axis = [&](int k) { return Vec3<double>{R(0, k), R(1, k), R(2, k)}; };
  if (dot(cross(axis(0), axis(1)), axis(2)) < 0)
    for (int row = 0; row < 3; ++row) R(row, 2) = -R(row, 2);
  return {R, (1 / M.m) * M.h};
}

std::string origin(const Pose<double>& X) {
  const Mat3<double>& R = X.R;
  return fmt::format(
      "<origin xyz='{} {} {}' rpy='{} {} {}'/>", X.p.x, X.p.y, X.p.z, std::atan2(R(2, 1), R(2, 2)),
      std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0))), std::atan2(R(1, 0), R(0, 0)));
}

// Returns the robot as a URDF text. URDF is flat, but MuJoCo's own format nests bodies, and its
// parser fails at a depth of 100.
std::string description(const Model& model) {
  std::string xml =
      "<robot name='robot'><mujoco><compiler balanceinertia='false' "
      "strippath='false'/></mujoco><link name='0'/>\n";
  for (int i = 1; i < model.n_body; ++i) {
    const SpatialInertia<double>& M = model.inertia_B[i];
    xml += fmt::format(
        "<link name='{}'><inertial>{}<mass value='{}'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "
        "ixz='0' iyz='0'/></inertial></link>\n",
        i, origin(principal_frame(M)), M.m);
    xml += fmt::format(
        "<joint name='{}' type='{}'>{}<axis xyz='0 0 1'/><parent link='{}'/><child "
        "link='{}'/></joint>\n",
        i, model.turn[i] == 1 ? "continuous" : "prismatic", origin(model.X_PB0[i]), model.parent[i],
        i);
  }
  return xml + "</robot>\n";
}

void set_pose(const Pose<double>& X, double* position, double* rotation) {
  std::copy_n(&X.p.x, 3, position);
  const Quaternion q = quaternion(X.R);
  std::copy_n(&q.w, 4, rotation);
}

// Returns moments of inertia that MuJoCo accepts, nearest to these: none exceeds the sum of the
// others.
std::array<double, 3> possible_moments(std::array<double, 3> moments) {
  double& largest = *std::ranges::max_element(moments);
  const double others = moments[0] + moments[1] + moments[2] - largest;
  constexpr double rounding = 1e-12;
  largest = std::min(largest, (1 - rounding) * others);
  return moments;
}

// Sets the moments of inertia again, which possible_moments() may have changed.
void set_moments(const Model& model, mjModel& m) {
  for (int i = 1; i < model.n_body; ++i) {
    const int body = mj_name2id(&m, mjOBJ_BODY, std::to_string(i).c_str());
    if (body >= 0 && model.inertia_B[i].m > 0)
      std::copy_n(principal_inertia(model.inertia_B[i]).moments.data(), 3,
                  m.body_inertia + 3 * body);
  }
}

// Sets the numbers of the model again, without the rounding of the angles in the text. Also sets
// numbers that the text cannot have or MuJoCo would reject: armature, and principal moments of
// impossible bodies.
void set_numbers(const Model& model, mjModel& m) {
  std::copy_n(std::array{0.0, 0.0, -9.81}.data(), 3, m.opt.gravity);
  for (int i = 1; i < model.n_body; ++i) {
    const SpatialInertia<double>& M = model.inertia_B[i];
    const int joint = mj_name2id(&m, mjOBJ_JOINT, std::to_string(i).c_str()),
              body = m.jnt_bodyid[joint];
    set_pose(model.X_PB0[i], m.body_pos + 3 * body, m.body_quat + 4 * body);
    set_pose(principal_frame(M), m.body_ipos + 3 * body, m.body_iquat + 4 * body);
    std::copy_n(principal_inertia(M).moments.data(), 3, m.body_inertia + 3 * body);
    m.dof_armature[m.jnt_dofadr[joint]] = model.armature[model.v_index[i]];
  }
}

ModelPointer parse(const char* name, const std::string& xml) {
  const std::unique_ptr<mjVFS, DeleteMujoco> files(new mjVFS);
  mj_defaultVFS(files.get());
  if (mj_makeEmptyFileVFS(files.get(), name, int(xml.size())) != 0)
    throw Error("has no memory for it");
  std::copy(xml.begin(), xml.end(), static_cast<char*>(files->filedata[0]));
  char error[500] = "";
  ModelPointer m(mj_loadXML(name, files.get(), error, sizeof error));
  if (!m) {
    std::string reason = error;
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    throw Error(fmt::format("says '{}'", reason));
  }
  return m;
}

std::string place(const Pose<double>& X) {
  const Quaternion q = quaternion(X.R);
  return fmt::format("pos='{} {} {}' quat='{} {} {} {}'", X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z);
}

// Writes a model in MuJoCo's own format.
class Writer {
 public:
  explicit Writer(const Model& model) : model_(model), children_(size_t(model.n_body)) {
    for (int i = 1; i < model.n_body; ++i) children_[size_t(model.parent[i])].push_back(i);
    shapes_.resize(size_t(model.n_body));
    for (size_t k = 0; k < model.colliders.size(); ++k)
      shapes_[size_t(model.colliders[k].body)].push_back(int(k));
    is_closed_.resize(size_t(model.n_body));
    for (const Closure& closure : model.closures)
      is_closed_[size_t(closure.body_A)] = is_closed_[size_t(closure.body_B)] = true;
  }

  void add_bodies(std::string& xml) const {
    add_shapes(0, xml);
    for (const int child : children_[0]) add_body(child, xml);
  }
  // Appends the rules for pairs of shapes that MuJoCo, which tests all pairs of shapes of different
  // bodies, does not test or treats otherwise. Friction of two shapes is the larger one in MuJoCo.
  void add_pairs(std::string& xml) const;

 private:
  void add_body(int first, std::string& xml) const;
  void add_shapes(int body, std::string& xml) const;
  std::string joint(int body, const Pose<double>& X_BJ) const;
  std::string hinge(int body, const Pose<double>& X_BJ) const;
  // Returns whether the body can be left out: MuJoCo's bodies may have several joints.
  bool is_between_joints(int body) const {
    return model_.inertia_B[body].m == 0 && children_[size_t(body)].size() == 1 &&
           shapes_[size_t(body)].empty() && !is_closed_[size_t(body)] &&
           model_.v_count[size_t(body)] == 1 &&
           model_.v_count[size_t(children_[size_t(body)][0])] == 1;
  }

  const Model& model_;
  std::vector<std::vector<int>> children_, shapes_;  // [n_body]
  std::vector<bool> is_closed_;                      // [n_body]
};

// Returns a joint with one dof. It moves along the z axis of the frame J.
std::string Writer::hinge(int body, const Pose<double>& X_BJ) const {
  const size_t dof = size_t(model_.v_index[body]);
  const Drive& drive = model_.drives[dof];
  const Joint& joint = model_.joints[size_t(model_.joint(model_.joint_of_body(body)))];
  const Model::LinearFriction friction = model_.linear_friction(int(dof));
  const Vec3<double> axis = X_BJ.R * Vec3<double>{0, 0, 1};
  std::string out = fmt::format(
      "<joint name='{}' type='{}' pos='{} {} {}' axis='{} {} {}' armature='{}' damping='{}' "
      "frictionloss='{}' stiffness='{}' springref='{}'",
      body, model_.turn[body] == 1 ? "hinge" : "slide", X_BJ.p.x, X_BJ.p.y, X_BJ.p.z, axis.x,
      axis.y, axis.z, model_.armature[dof], friction.viscous, friction.coulomb,
      drive.spring.stiffness, drive.spring.rest);
  // MuJoCo has limits on both sides or none.
  constexpr double far = 1e6;
  if (drive.stop)
    out += fmt::format(" limited='true' range='{} {}'", std::max(joint.lower, -far),
                       std::min(joint.upper, far));
  return out + "/>";
}

std::string Writer::joint(int body, const Pose<double>& X_BJ) const {
  switch (model_.v_count[body]) {
    case 3:
      return fmt::format("<joint name='{}' type='ball' damping='{}' armature='{}'/>", body,
                         model_.damping[model_.v_index[body]],
                         model_.armature[model_.v_index[body]]);
    case 6:
      return fmt::format("<freejoint name='{}'/>", body);
    default:
      return hinge(body, X_BJ);
  }
}

void Writer::add_shapes(int body, std::string& xml) const {
  for (const int k : shapes_[size_t(body)]) {
    const Collider& collider = model_.colliders[size_t(k)];
    const Vec3<double>& size = collider.shape.size;
    const auto add = [&](const char* type, const std::string& sizes) {
      xml += fmt::format("<geom name='{}' type='{}' size='{}' {} friction='{} 0 0' condim='{}'/>\n",
                         k, type, sizes, place(collider.X_BC), collider.material.mu,
                         collider.material.mu > 0 ? 3 : 1);
    };
    switch (collider.shape.kind) {
      case ShapeKind::half_space:
        add("plane", "0 0 1");
        break;
      case ShapeKind::sphere:
        add("sphere", fmt::format("{}", size.x));
        break;
      case ShapeKind::box:
        add("box", fmt::format("{} {} {}", size.x, size.y, size.z));
        break;
      case ShapeKind::capsule:
        add("capsule", fmt::format("{} {}", size.x, size.z));
        break;
      case ShapeKind::cylinder:
        add("cylinder", fmt::format("{} {}", size.x, size.z));
        break;
      case ShapeKind::ellipsoid:
        add("ellipsoid", fmt::format("{} {} {}", size.x, size.y, size.z));
        break;
      default:
        throw Error(fmt::format("is not compared for shapes like '{}'", collider.name));
    }
  }
}

// Appends a body and its descendants.
void Writer::add_body(int first, std::string& xml) const {
  std::vector<int> bodies = {first};
  while (is_between_joints(bodies.back())) bodies.push_back(children_[size_t(bodies.back())][0]);
  const int body = bodies.back();
  Pose<double> X_PB = Pose<double>::identity();
  for (const int each : bodies) X_PB = X_PB * model_.X_PB0[each];
  // MuJoCo needs a mass.
  const SpatialInertia<double>& given = model_.inertia_B[body];
  const SpatialInertia<double> M =
      given.m > 0 ? given : SpatialInertia<double>{1e-6, {0, 0, 0}, {1e-9, 1e-9, 1e-9, 0, 0, 0}};
  const std::array<double, 3> I = possible_moments(principal_inertia(M).moments);
  xml += fmt::format("<body name='{}' {}><inertial {} mass='{}' diaginertia='{} {} {}'/>\n", body,
                     place(X_PB), place(principal_frame(M)), M.m, I[0], I[1], I[2]);
  Pose<double> X_PJ = Pose<double>::identity();
  for (const int each : bodies) {
    X_PJ = X_PJ * model_.X_PB0[each];
    xml += joint(each, inverse(X_PB) * X_PJ) + "\n";
  }
  add_shapes(body, xml);
  for (const int child : children_[size_t(body)]) add_body(child, xml);
  xml += "</body>\n";
}

void Writer::add_pairs(std::string& xml) const {
  const auto name = [](int body) { return body == 0 ? "world" : std::to_string(body); };
  for (int i = 0; i < model_.n_body; ++i)
    for (int j = i + 1; j < model_.n_body; ++j) {
      if (shapes_[size_t(i)].empty() || shapes_[size_t(j)].empty()) continue;
      std::string pairs;
      bool differs = false;
      for (const int a : shapes_[size_t(i)])
        for (const int b : shapes_[size_t(j)]) {
          const bool collides = may_collide(model_, a, b);
          const double mu = contact_material(model_, a, b).mu;
          differs = differs || !collides ||
                    mu != std::max(model_.colliders[size_t(a)].material.mu,
                                   model_.colliders[size_t(b)].material.mu);
          if (collides)
            pairs +=
                fmt::format("<pair geom1='{}' geom2='{}' condim='{}' friction='{} {} 0 0 0'/>\n", a,
                            b, mu > 0 ? 3 : 1, mu, mu);
        }
      if (differs)
        xml += fmt::format("<exclude body1='{}' body2='{}'/>\n{}", name(i), name(j), pairs);
    }
}

Error no_joint_like(const Model& model, int body) {
  return Error("has no joint like '" + model.joint_of_body(body) + "'");
}

// Throws Error if MuJoCo has no joint like one of the model.
void require_joints(const Model& model) {
  for (int i = 1; i < model.n_body; ++i) {
    const JointKind kind = model.joints[size_t(model.joint(model.joint_of_body(i)))].kind;
    const auto same = [&](const std::vector<double>& values, int n) {
      const auto first = values.begin() + model.v_index[i];
      return std::all_of(first, first + n, [&](double each) { return each == *first; });
    };
    const auto zero = [&](const std::vector<double>& values) {
      return values[size_t(model.v_index[i])] == 0 && same(values, 6);
    };
    const bool simple = kind == JointKind::revolute || kind == JointKind::prismatic;
    const bool is_ball =
        kind == JointKind::spherical && same(model.damping, 3) && same(model.armature, 3);
    const bool is_free = kind == JointKind::floating && model.parent[i] == 0 &&
                         zero(model.damping) && zero(model.armature);
    if (!simple && !is_ball && !is_free) throw no_joint_like(model, i);
    for (int dof = model.v_index[i]; dof < model.v_index[i] + model.v_count[i]; ++dof) {
      const Drive& drive = model.drives[size_t(dof)];
      const Model::LinearFriction friction = model.linear_friction(dof);
      const bool has_more = drive.spring.stiffness != 0 || drive.stop ||
                            friction.viscous != model.damping[size_t(dof)] || friction.coulomb != 0;
      if (drive.elasticity || drive.motor.body || friction.other_law || (!simple && has_more) ||
          (drive.stop && drive.stop->restitution != 0))
        throw no_joint_like(model, i);
    }
  }
  for (const Joint& joint : model.joints)
    if (joint.spring) throw no_joint_like(model, joint.body);
  if (!model.mimics.empty() || !model.elastic_rotors.empty() || !model.transmissions.empty() ||
      !model.stiffness_couplings.empty())
    throw Error("is not compared for mimic joints, rotors and transmissions");
}

void require_materials(const Model& model) {
  const auto check = [](const ContactMaterial& material) {
    if (material.restitution != 0 || material.torsional != 0 || material.rolling != 0)
      throw Error("is not compared for restitution, torsional and rolling friction");
    if (material.is_compliant()) throw Error("is not compared for compliant contacts");
  };
  for (const Collider& collider : model.colliders) check(collider.material);
  for (const PairMaterial& pair : model.pair_materials) check(pair.material);
}

}  // namespace

std::vector<Connection> connections(const Model& model) {
  constexpr double apart = 0.1;  // m
  std::vector<Connection> out;
  for (const Closure& closure : model.closures) {
    if (closure.kind != ClosureKind::revolute && closure.kind != ClosureKind::spherical)
      throw Error(fmt::format("has no closure like '{}'", closure.name));
    const auto add = [&](double z) {
      out.push_back({closure.body_A, closure.body_B, closure.X_BA * Vec3<double>{0, 0, z},
                     closure.X_BB * Vec3<double>{0, 0, z}});
    };
    add(0);
    if (closure.kind == ClosureKind::revolute) add(apart);
  }
  for (Connection& each : out)
    if (each.body_B == 0) std::swap(each.body_A, each.body_B), std::swap(each.p_A, each.p_B);
  return out;
}

ModelPointer load_tree(const Model& model) {
  ModelPointer m = parse("robot.urdf", description(model));
  set_numbers(model, *m);
  return m;
}

// The soft constraints of closures are as stiff as MuJoCo recommends: a time constant of two steps,
// and impedances near 1.
ModelPointer load_mechanism(const Experiment& experiment, const MujocoOptions& options) {
  require_joints(*experiment.model);
  require_materials(*experiment.model);
  const std::vector<Connection> all = connections(*experiment.model);
  const std::string stiff =
      fmt::format("solref='{} 1' solimp='0.9999 0.9999 0.001'", 2 * experiment.dt);
  const Vec3<double>& g = experiment.gravity_W;
  std::string bodies, pairs, equalities;
  const Writer writer(*experiment.model);
  writer.add_bodies(bodies);
  writer.add_pairs(pairs);
  for (const auto& [a, b, p_A, p_B] : all)
    equalities += fmt::format("<connect body1='{}'{} anchor='0 0 0' {}/>\n", b,
                              a == 0 ? "" : fmt::format(" body2='{}'", a), stiff);
  ModelPointer m = parse(
      "robot.xml",
      fmt::format(
          "<mujoco><compiler angle='radian' balanceinertia='false' inertiafromgeom='false'/>"
          "<option timestep='{}' integrator='{}' cone='{}' gravity='{} {} {}'>"
          "<flag filterparent='disable'/></option>\n{}"
          "<worldbody>{}</worldbody><contact>{}</contact><equality>{}</equality></mujoco>\n",
          experiment.dt, options.runge_kutta ? "RK4" : "Euler",
          options.elliptic ? "elliptic" : "pyramidal", g.x, g.y, g.z,
          options.stiff ? fmt::format("<default><geom {0}/><pair {0}/></default>", stiff) : "",
          bodies, pairs, equalities));
  set_moments(*experiment.model, *m);
  return m;
}

}  // namespace torsor::bench
