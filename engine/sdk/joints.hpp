#pragma once
// Joint types for generic kernels: each type lists the dof of a joint with their screws. The
// engine's joints with one dof rotate about z or translate along z. Their screws are compile-time
// constants. A kernel that is a template on the joint type then omits products with one. It also
// omits products with zero if the compiler assumes finite numbers (-ffinite-math-only
// -fno-signed-zeros).
//
//   std::vector<JointAxis> axes = joint_axes(model);  // in prepare()
//   with_joint(model, axes[i], i, [&](const auto& joint) { ... joint_twist<T>(joint, v) ... });
#include <vector>

#include "torsor/sdk/model_view.hpp"

namespace torsor::sdk {

enum class JointAxis : unsigned char { general, rotation_z, translation_z };

// Returns the JointAxis of the joint of each body, [n_body].
inline std::vector<JointAxis> joint_axes(const torsor_model& model) {
  std::vector<JointAxis> axes(size_t(model.n_body), JointAxis::general);
  for (int i = 1; i < model.n_body; ++i) {
    if (model.v_count[i] != 1) continue;
    const double* s = model.S_B + 6 * model.v_index[i];
    const bool along_z = s[0] == 0 && s[1] == 0 && s[3] == 0 && s[4] == 0;
    if (along_z && s[2] == 1 && s[5] == 0) axes[i] = JointAxis::rotation_z;
    if (along_z && s[2] == 0 && s[5] == 1) axes[i] = JointAxis::translation_z;
  }
  return axes;
}

struct GeneralJoint {
  const torsor_model& model;
  int body;
  template <class T, class Function>
  void for_each_dof(Function f) const {
    for (int k = model.v_index[body]; k < dof_end(model, body); ++k) f(k, screw<T>(model, k));
  }
  template <class T, class Function>
  void for_each_dof_backwards(Function f) const {
    for (int k = dof_end(model, body) - 1; k >= model.v_index[body]; --k) f(k, screw<T>(model, k));
  }
};
struct RotationZ {
  int dof;
  template <class T, class Function>
  void for_each_dof(Function f) const {
    f(dof, Twist<T>{{T(0), T(0), T(1)}, {T(0), T(0), T(0)}});
  }
  template <class T, class Function>
  void for_each_dof_backwards(Function f) const {
    for_each_dof<T>(f);
  }
};
struct TranslationZ {
  int dof;
  template <class T, class Function>
  void for_each_dof(Function f) const {
    f(dof, Twist<T>{{T(0), T(0), T(0)}, {T(0), T(0), T(1)}});
  }
  template <class T, class Function>
  void for_each_dof_backwards(Function f) const {
    for_each_dof<T>(f);
  }
};

template <class Function>
void with_joint(const torsor_model& model, JointAxis axis, int body, Function f) {
  switch (axis) {
    case JointAxis::rotation_z:
      return f(RotationZ{model.v_index[body]});
    case JointAxis::translation_z:
      return f(TranslationZ{model.v_index[body]});
    case JointAxis::general:
      return f(GeneralJoint{model, body});
  }
}

// Returns S x for a joint; x is [n_v].
template <class T, class Joint>
Twist<T> joint_twist(const Joint& joint, const T* x) {
  Twist<T> s{};
  joint.template for_each_dof<T>([&](int k, const Twist<T>& S) { s = s + x[k] * S; });
  return s;
}

}  // namespace torsor::sdk
