// The subject MuJoCo. Each quantity uses the smallest set of calls that computes it.
// Work::mass_matrix includes the conversion to a dense matrix, as for all subjects. Forward
// dynamics and M^-1 use MuJoCo's sparse factorisation.

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/peers/peer.hpp"
#include "torsor/constraints/closure_rows.hpp"
#include "torsor/model/inertia.hpp"
#include "torsor/run/player.hpp"

namespace torsor::bench {

namespace {

struct Delete {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
  void operator()(mjVFS* files) const {
    mj_deleteVFS(files);
    delete files;
  }
};
using ModelPointer = std::unique_ptr<mjModel, Delete>;
using DataPointer = std::unique_ptr<mjData, Delete>;

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
  const std::unique_ptr<mjVFS, Delete> files(new mjVFS);
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

ModelPointer load(const Model& model) {
  ModelPointer m = parse("robot.urdf", description(model));
  set_numbers(model, *m);
  return m;
}

// A point that two bodies have in common: an equality constraint of MuJoCo.
struct Connection {
  int body_A, body_B;
  Vec3<double> p_A, p_B;  // in the frames of the bodies
};

// A revolute closure has two common points of its axis, a spherical one has one.
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
  // The first body of MuJoCo's constraint must not be the world.
  for (Connection& each : out)
    if (each.body_B == 0) std::swap(each.body_A, each.body_B), std::swap(each.p_A, each.p_B);
  return out;
}

// Returns the joint of a body in MuJoCo's own format.
std::string joint_text(const Model& model, int body) {
  switch (model.joints[size_t(model.joint(model.joint_of_body(body)))].kind) {
    case JointKind::spherical:
      return fmt::format("<joint name='{}' type='ball'/>", body);
    case JointKind::floating:
      return fmt::format("<freejoint name='{}'/>", body);
    default:
      return fmt::format("<joint name='{}' type='{}' axis='0 0 1' damping='{}'/>", body,
                         model.turn[body] == 1 ? "hinge" : "slide",
                         model.damping[model.v_index[body]]);
  }
}

// Appends a body and its descendants in MuJoCo's own format. set_numbers() sets the poses.
void add_body(const Model& model, int body, std::string& xml) {
  const SpatialInertia<double>& M = model.inertia_B[body];
  const std::array<double, 3> I = principal_inertia(M).moments;
  xml += fmt::format("<body name='{}'><inertial pos='0 0 0' mass='{}' diaginertia='{} {} {}'/>{}\n",
                     body, M.m, I[0], I[1], I[2], joint_text(model, body));
  for (int child = body + 1; child < model.n_body; ++child)
    if (model.parent[child] == body) add_body(model, child, xml);
  xml += "</body>\n";
}

// Loads a mechanism with its closures, which URDF does not have. The soft constraints of MuJoCo are
// as stiff as it recommends: a time constant of two steps, and impedances near 1.
ModelPointer load_closed(const Model& model, double dt) {
  std::string xml = fmt::format(
      "<mujoco><compiler balanceinertia='false' inertiafromgeom='false'/><option timestep='{}'/>"
      "<worldbody>\n",
      dt);
  for (int body = 1; body < model.n_body; ++body)
    if (model.parent[body] == 0) add_body(model, body, xml);
  xml += "</worldbody><equality>\n";
  for (const auto& [a, b, p_A, p_B] : connections(model))
    xml += fmt::format(
        "<connect body1='{}'{} anchor='0 0 0' solref='{} 1' "
        "solimp='0.9999 0.9999 0.001'/>\n",
        b, a == 0 ? "" : fmt::format(" body2='{}'", a), 2 * dt);
  ModelPointer m = parse("robot.xml", xml + "</equality></mujoco>\n");
  set_numbers(model, *m);
  return m;
}

// Gives the bodies without mass between two joints a small one, which MuJoCo needs.
Model with_masses(Model model) {
  for (int i = 1; i < model.n_body; ++i)
    if (model.inertia_B[i].m == 0)
      model.inertia_B[i] = {1e-6, {0, 0, 0}, {1e-9, 1e-9, 1e-9, 0, 0, 0}};
  return model;
}

class MujocoRun : public SteppedRun {
 public:
  MujocoRun(const Experiment& experiment, int order)
      : m_(load_closed(with_masses(*experiment.model), experiment.dt)),
        d_(mj_makeData(m_.get())),
        state_(experiment.model),
        rows_(*experiment.model) {
    if (!d_) throw Error("has no memory for it");
    // mj_setConst() computes the anchors for qpos0, where the loops may be open.
    mj_setConst(m_.get(), d_.get());
    const std::vector<Connection> all = connections(*experiment.model);
    for (size_t k = 0; k < all.size(); ++k) {
      std::copy_n(&all[k].p_B.x, 3, m_->eq_data + mjNEQDATA * k);
      std::copy_n(&all[k].p_A.x, 3, m_->eq_data + mjNEQDATA * k + 3);
    }
    mj_resetData(m_.get(), d_.get());
    m_->opt.integrator = order == 4 ? mjINT_RK4 : mjINT_EULER;
    std::copy_n(&experiment.gravity_W.x, 3, m_->opt.gravity);
    const Player start(experiment);  // closes the loops
    const State& closed = start.simulation().state();
    for_each_joint([&](int joint, int body) {
      const Model& model = closed.model();
      const int q = m_->jnt_qposadr[joint], v = m_->jnt_dofadr[joint];
      const size_t ours = size_t(model.v_index[size_t(body)]);
      std::copy_n(closed.q().data() + model.q_index[size_t(body)], q_count(body), d_->qpos + q);
      if (m_->jnt_type[joint] == mjJNT_FREE) {  // at rest
        mju_addTo3(d_->qpos + q, &model.X_PB0[size_t(body)].p.x);
        return;
      }
      std::copy_n(closed.v.data() + ours, model.v_count[size_t(body)], d_->qvel + v);
      std::copy_n(experiment.load.tau.data() + ours, model.v_count[size_t(body)],
                  d_->qfrc_applied + v);
    });
  }
  void step() override { mj_step(m_.get(), d_.get()); }
  double loop_error() override {
    std::vector<double> q(state_.q().begin(), state_.q().end());
    for_each_joint([&](int joint, int body) {
      std::copy_n(d_->qpos + m_->jnt_qposadr[joint], q_count(body),
                  q.data() + state_.model().q_index[size_t(body)]);
      if (m_->jnt_type[joint] == mjJNT_FREE)
        mju_subFrom3(q.data() + state_.model().q_index[size_t(body)],
                     &state_.model().X_PB0[size_t(body)].p.x);
    });
    state_.set_q(q);
    return bench::loop_error(rows_, state_);
  }

 private:
  int q_count(int body) const {
    const int n_v = state_.model().v_count[size_t(body)];
    return n_v == 1 ? 1 : n_v + 1;  // a quaternion
  }
  template <class Use>
  void for_each_joint(Use use) const {
    for (int i = 1; i < state_.model().n_body; ++i)
      use(mj_name2id(m_.get(), mjOBJ_JOINT, std::to_string(i).c_str()), i);
  }

  ModelPointer m_;
  DataPointer d_;
  State state_;
  ClosureRows rows_;
};

// Throws Error if MuJoCo has no joint like one of the model. Its free joints have the axes of the
// world.
void require_joints(const Model& model) {
  for (int i = 1; i < model.n_body; ++i) {
    const JointKind kind = model.joints[size_t(model.joint(model.joint_of_body(i)))].kind;
    const bool is_free = kind == JointKind::floating && model.parent[i] == 0 &&
                         model.X_PB0[i].R.m[0] == 1 && model.X_PB0[i].R.m[4] == 1;
    if (kind != JointKind::revolute && kind != JointKind::prismatic &&
        kind != JointKind::spherical && !is_free)
      throw Error("has no joint like '" + model.joint_of_body(i) + "'");
  }
}

std::unique_ptr<SteppedRun> start(const Experiment& experiment, int order) {
  require_joints(*experiment.model);
  mju_user_warning = [](const char*) {};
  return std::make_unique<MujocoRun>(experiment, order);
}

class Mujoco : public Subject {
 public:
  Mujoco(const Model& model, std::span<const Sample> samples)
      : m_(load(model)), d_(mj_makeData(m_.get())), at_rest_(mj_makeData(m_.get())), n_(model.n_v) {
    if (!d_ || !at_rest_) throw Error("has no memory for it");
    column_.resize(n_);
    for (int i = 1; i < model.n_body; ++i)
      column_[m_->jnt_dofadr[mj_name2id(m_.get(), mjOBJ_JOINT, std::to_string(i).c_str())]] =
          model.v_index[i];
    for (const Sample& sample : samples)
      samples_.push_back(
          {ordered(sample.q), ordered(sample.v), ordered(sample.vdot), ordered(sample.tau)});
    vector_.resize(n_);
    matrix_.resize(size_t(n_) * n_);
    identity_.resize(size_t(n_) * n_);
    for (int j = 0; j < n_; ++j) identity_[size_t(j) * n_ + j] = 1;
    mj_comVel(m_.get(), at_rest_.get());
  }

  std::string lacks(Work work) const override {
    return work == Work::coriolis_matrix || work > Work::bias ? "MuJoCo does not compute it" : "";
  }

  bool evaluate(Work work, size_t k) override {
    const Sample& s = samples_[k];
    switch (work) {
      case Work::inverse:
        inverse(s);
        break;
      case Work::forward:
        forward(s);
        break;
      case Work::mass_matrix:
        place(d_.get(), s);
        mj_crb(m_.get(), d_.get());
        mj_fullM(m_.get(), matrix_.data(), d_->qM);
        break;
      case Work::inverse_mass_matrix:
        place(d_.get(), s);
        mj_crb(m_.get(), d_.get());
        mj_factorM(m_.get(), d_.get());
        mj_solveM(m_.get(), d_.get(), matrix_.data(), identity_.data(), n_);
        break;
      // at_rest_ has no velocities, so mj_rne computes gravity alone.
      case Work::gravity:
        place(at_rest_.get(), s);
        mj_rne(m_.get(), at_rest_.get(), 0, vector_.data());
        break;
      default:
        place(d_.get(), s);
        bias(s);
    }
    return true;
  }

  void result(Work work, double* out) override {
    for (int i = 0; i < n_; ++i) {
      if (!is_matrix(work)) out[column_[i]] = vector_[i];
      for (int j = 0; is_matrix(work) && j < n_; ++j)
        out[size_t(column_[i]) * n_ + column_[j]] = matrix_[size_t(i) * n_ + j];
    }
  }

 private:
  std::vector<double> ordered(const std::vector<double>& x) const {
    std::vector<double> out(n_);
    for (int i = 0; i < n_; ++i) out[i] = x[column_[i]];
    return out;
  }

  void place(mjData* d, const Sample& s) {
    std::copy_n(s.q.data(), n_, d->qpos);
    mj_kinematics(m_.get(), d);
    mj_comPos(m_.get(), d);
  }
  void bias(const Sample& s) {
    std::copy_n(s.v.data(), n_, d_->qvel);
    mj_comVel(m_.get(), d_.get());
    mj_rne(m_.get(), d_.get(), 0, vector_.data());
  }
  void inverse(const Sample& s) {
    place(d_.get(), s);
    std::copy_n(s.v.data(), n_, d_->qvel);
    std::copy_n(s.vdot.data(), n_, d_->qacc);
    mj_comVel(m_.get(), d_.get());
    mj_rne(m_.get(), d_.get(), 1, vector_.data());
    for (int i = 0; i < n_; ++i) vector_[i] += m_->dof_armature[i] * s.vdot[i];
  }
  void forward(const Sample& s) {
    place(d_.get(), s);
    mj_crb(m_.get(), d_.get());
    mj_factorM(m_.get(), d_.get());
    bias(s);
    for (int i = 0; i < n_; ++i) vector_[i] = s.tau[i] - vector_[i];
    mj_solveM(m_.get(), d_.get(), vector_.data(), vector_.data(), 1);
  }

  ModelPointer m_;
  DataPointer d_, at_rest_;
  int n_;
  std::vector<int> column_;      // [n_v] Torsor's dof for each dof of MuJoCo
  std::vector<Sample> samples_;  // in MuJoCo's order of dof
  std::vector<double> vector_, matrix_, identity_;
};

std::unique_ptr<Subject> make(const Model& model, std::span<const Sample> samples) {
  require_simple_joints(model);
  for (int i = 1; i < model.n_body; ++i)
    if (!(model.inertia_B[i].m > 0))
      throw Error("takes no body without mass, as that of joint '" + model.joint_of_body(i) + "'");
  // By default MuJoCo writes warnings to a file. Wrong values are detected by the comparison.
  mju_user_warning = [](const char*) {};
  return std::make_unique<Mujoco>(model, samples);
}

}  // namespace

Peer mujoco_peer() {
  return {"MuJoCo", mj_versionString(), make, start};
}

}  // namespace torsor::bench
