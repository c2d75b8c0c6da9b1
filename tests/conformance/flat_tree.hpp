#pragma once
// Trees as flat arrays for a plugin, more general than those of ModelBuilder. The joints have one
// to six dof along any constant screws, in any body frames.

#include <algorithm>
#include <array>

#include "support/random_robot.hpp"
#include "torsor/sdk/torsor_model.h"

namespace torsor::test {

// A tree and its state, as the arrays that a plugin receives.
struct FlatTree {
  std::vector<int32_t> parent{-1}, v_index{0}, v_count{0};
  std::vector<Pose<double>> X_PB{Pose<double>::identity()};
  std::vector<SpatialInertia<double>> inertia_B{SpatialInertia<double>::zero()};
  std::vector<Wrench<double>> F_B{Wrench<double>{}};
  std::vector<double> S_B, armature, v;
  Twist<double> V_W{}, A_W{{0, 0, 0}, {1, -2, 9}};

  void add_given(int parent_body, const Pose<double>& X, const SpatialInertia<double>& M,
                 int first_column, int count) {
    parent.push_back(parent_body);
    v_count.push_back(count);
    v_index.push_back(first_column);
    X_PB.push_back(X);
    inertia_B.push_back(M);
    F_B.push_back({});
  }
  // Adds a random body with `count` dof. number_columns() assigns their indices and screws.
  void add(Random& random, int parent_body, int count) {
    const Pose<double> X = random.pose(1);
    add_given(parent_body, X, random_inertia(random, 0.3, 3), 0, count);
    F_B.back() = {random.vector(2), random.vector(5)};
  }
  // Numbers the dof so that those of the last body come first. Draws random screws, velocities and
  // armatures.
  void number_columns(Random& random) {
    int n = 0;
    for (size_t i = parent.size() - 1; i > 0; --i) {
      v_index[i] = n;
      n += v_count[i];
    }
    S_B = random_values(random, 6 * n, 1);
    v = random_values(random, n, 2);
    armature = random_values(random, n, 0.1);
    for (double& rotor : armature) rotor = std::abs(rotor);
  }
  int n_v() const { return int(v.size()); }

  // Returns this tree after it has moved for a time h at constant v. The velocities of the result
  // are v + h vdot.
  FlatTree along(const double* vdot, double h) const {
    FlatTree next = *this;
    for (size_t i = 1; i < parent.size(); ++i) {
      Twist<double> s{};
      for (size_t k = size_t(v_index[i]); k < size_t(v_index[i] + v_count[i]); ++k) {
        const double* S = &S_B[6 * k];
        s = s + v[k] * Twist<double>{{S[0], S[1], S[2]}, {S[3], S[4], S[5]}};
        next.v[k] += h * vdot[k];
      }
      next.X_PB[i] = X_PB[i] * exp_se3(h * s);
    }
    return next;
  }

  torsor_model model() const {
    return {sizeof(torsor_model), int32_t(parent.size()), n_v(),           n_v(),
            parent.data(),        v_index.data(),         v_count.data(),  S_B.data(),
            &X_PB[0].R.m[0],      &inertia_B[0].m,        armature.data(), ""};
  }
  torsor_state state() const {
    return {sizeof(torsor_state), 0,      v.data(), v.data(), &X_PB[0].R.m[0], &V_W.w.x, &A_W.w.x,
            &F_B[0].n.x,          nullptr};
  }
};

// Returns a tree of eight bodies. Joints with several dof are at the root, in the middle and at a
// tip.
inline FlatTree general_tree(Random& random) {
  FlatTree tree;
  for (const auto& [parent, count] : std::array<std::array<int, 2>, 8>{
           {{0, 1}, {1, 3}, {2, 1}, {1, 2}, {4, 6}, {0, 6}, {6, 1}, {5, 1}}})
    tree.add(random, parent, count);
  tree.number_columns(random);
  return tree;
}

// Returns a tree with joints that rotate about z or translate along it. Its other joints could be
// mistaken for these by an optimised kernel: their screw differs in one number or in the sign, or
// they have two dof of which the first is such a screw. Every second joint has no rotor.
inline FlatTree almost_along_z(Random& random) {
  FlatTree tree;
  tree.add(random, 0, 1);
  std::vector<std::array<double, 6>> first;  // first screw of each body but the first
  const auto add = [&](const std::array<double, 6>& screw, int count) {
    tree.add(random, int(tree.parent.size()) - 1 - random.below(2), count);
    first.push_back(screw);
  };
  for (const auto& exact : {std::array<double, 6>{0, 0, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 1}}) {
    std::array<double, 6> opposite = exact;
    for (double& number : opposite) number = -number;
    for (int i = 0; i < 3; ++i) add(exact, 1);
    add(opposite, 1);
    add(exact, 2);
    for (size_t differs = 0; differs < 6; ++differs) {
      std::array<double, 6> screw = exact;
      screw[differs] += 0.5;
      add(screw, 1);
    }
  }
  tree.number_columns(random);
  for (size_t i = 0; i < first.size(); ++i) {
    const size_t k = size_t(tree.v_index[i + 2]);
    std::copy_n(first[i].begin(), 6, &tree.S_B[6 * k]);
    if (i % 2 == 0) tree.armature[k] = 0;
  }
  return tree;
}

// Returns a tree of 40 bodies, on each of which up to four others are mounted. Most joints rotate
// about z. The others translate along z, have another screw, or have two to six dof. Every third
// body has no rotors.
inline FlatTree wide_tree(Random& random) {
  FlatTree tree;
  const auto kind = [](int i) { return i % 8; };
  for (int i = 1; i <= 40; ++i) {
    const int several[] = {2, 3, 6};
    tree.add(random, (i - 1) / 4, kind(i) == 7 ? several[i / 8 % 3] : 1);
  }
  tree.number_columns(random);
  for (int i = 1; i <= 40; ++i) {
    const size_t k = size_t(tree.v_index[size_t(i)]);
    if (kind(i) <= 5) {
      std::fill_n(&tree.S_B[6 * k], 6, 0.0);
      tree.S_B[6 * k + (kind(i) == 5 ? 5 : 2)] = 1;
    }
    if (i % 3 == 0) std::fill_n(&tree.armature[k], tree.v_count[size_t(i)], 0.0);
  }
  return tree;
}

// Returns three chains of 24 bodies on a body with six dof, and a tree of two bodies next to
// it. A joint in each chain has two or three dof, and every third body has no rotors. The paths are
// so long that solvers choose other algorithms than for wide trees.
inline FlatTree long_tree(Random& random) {
  FlatTree tree;
  tree.add(random, 0, 6);
  for (int chain = 0; chain < 3; ++chain)
    for (int i = 0; i < 24; ++i)
      tree.add(random, i == 0 ? 1 : int(tree.parent.size()) - 1,
               i == 3 * chain + 2 ? 2 + chain % 2 : 1);
  tree.add(random, 0, 1);
  tree.add(random, int(tree.parent.size()) - 1, 1);
  tree.number_columns(random);
  for (size_t i = 3; i < tree.parent.size(); i += 3)
    std::fill_n(&tree.armature[size_t(tree.v_index[i])], tree.v_count[i], 0.0);
  return tree;
}

}  // namespace torsor::test
