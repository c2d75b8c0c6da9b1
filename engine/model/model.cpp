#include "torsor/model/model.hpp"

#include <fmt/format.h>

#include "torsor/model/error.hpp"
#include "torsor/spatial/sincos.hpp"

namespace torsor {

static_assert(sizeof(Pose<double>) == 12 * sizeof(double));
static_assert(sizeof(SpatialInertia<double>) == 10 * sizeof(double));
static_assert(sizeof(Twist<double>) == 6 * sizeof(double));

torsor_model Model::view() const {
  return {.struct_size = sizeof(torsor_model),
          .n_body = n_body,
          .n_q = n_q,
          .n_v = n_v,
          .parent = parent.data(),
          .v_index = v_index.data(),
          .v_count = v_count.data(),
          .S_B = reinterpret_cast<const double*>(S_B.data()),
          .inertia_B = reinterpret_cast<const double*>(inertia_B.data()),
          .armature = armature.data(),
          .family = family.c_str()};
}

namespace {
template <class Named>
int find(const std::vector<Named>& things, std::string_view name, const char* what) {
  for (int i = 0; i < int(things.size()); ++i)
    if (things[i].name == name) return i;
  std::vector<std::string> names;
  for (const Named& thing : things) names.push_back(thing.name);
  throw Error(fmt::format("there is no {} '{}'{}", what, name, did_you_mean(name, names)));
}
}  // namespace

int Model::frame(std::string_view name) const {
  return find(frames, name, "link or frame");
}
int Model::joint(std::string_view name) const {
  return find(joints, name, "joint");
}
int Model::robot(std::string_view name) const {
  return find(robots, name, "robot");
}

const std::string& Model::joint_of_body(int body) const {
  for (const Joint& joint : joints)
    if (joint.body == body) return joint.name;
  static const std::string none;
  return none;
}

const std::string& Model::joint_of_column(int v) const {
  const Joint* found = &joints.front();
  for (const Joint& joint : joints)
    if (joint.v_index <= v) found = &joint;
  return found->name;
}

size_t pose_scratch(const Model& model) {
  return 3 * size_t(model.n_body);
}

// X_PB(q) = X_PB0 Rot(z, turn q) Trans(z, pitch q); the world has turn = pitch = 0 and reads no q.
void evaluate_poses(const Model& model, const double* q, double* scratch, Pose<double>* X_PB) {
  const int n = model.n_body;
  double *angle = scratch, *sine = scratch + n, *cosine = scratch + 2 * n;
  angle[0] = 0;
  for (int i = 1; i < n; ++i) angle[i] = model.turn[i] * q[model.q_index[i]];
  sincos(n, angle, sine, cosine);
  X_PB[0] = Pose<double>::identity();
  for (int i = 1; i < n; ++i)
    X_PB[i] = move_about_z(model.X_PB0[i], sine[i], cosine[i], model.pitch[i] * q[model.q_index[i]]);
}

void integrate(const Model& model, const double* q, const double* v, double h, double* out) {
  for (int i = 1; i < model.n_body; ++i) {
    const int k = model.q_index[i];
    out[k] = q[k] + h * v[model.v_index[i]];
  }
}

}  // namespace torsor
