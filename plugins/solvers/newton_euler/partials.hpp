#pragma once
// Partial derivatives of recursive Newton-Euler inverse dynamics, as a separate recursion,
// templated on the scalar.
//
// A root is a body attached to the world. All vectors are expressed in a fixed frame that coincides
// with the root body of their tree in this state. S, V, A and F of every body refer to its origin,
// so sums over a subtree need no transformation. With s = sum S v over the dof of a joint and the
// parent p:
//
//   V = V_p + s,   A = A_p + sum S vdot + ad_(V_p) s,   F = I A - ad_V^T I V - F_ext
//   tau_j = S_j . F^c_j
//
// The superscript c denotes a sum over the subtree of joint j. A change of q_k moves the subtree of
// joint k as one rigid body along S_k. Seen from this subtree, only the motion (V_p, A_p) of the
// parent of joint k changes:
//
//   dV_p = -ad_(S_k) V_p = P_k,   P_k = ad_(V_p) S_k
//   dA = Q_k - ad_V P_k,          Q_k = ad_(A_p) S_k + ad_(V_p) P_k
//
// Let V change by a small twist W, and A by -ad_V W. The wrench F of a body then changes by twice
// the Coriolis wrench of its points r with velocities rdot:
//
//   B W = 2 sum m (r x (w x rdot), w x rdot) = 2 (tr(K) w - K w, w x p)
//   K = sum m rdot r^T,   p = sum m rdot
//
// B W depends only on the angular part w of W. The B of several bodies is the sum of their B. For a
// dof j in the subtree of joint k, including the dof of joint k itself (Carpentier and Mansard
// 2018; B as in Singh, Russell and Wensing 2022):
//
//   dtau_j/dq_k = S_j . (I^c_j Q_k + B^c_j P_k)                            = Q_k . f_j + P_k . g_j
//   dtau_j/dv_k = S_j . (I^c_j D_k + B^c_j S_k),   D_k = P_k + ad_V S_k     = D_k . f_j + S_k . g_j
//
// where f_j = I^c_j S_j and g_j = B^c_j^T S_j. For j on the path from joint k to the world, F^c_k
// also rotates with the subtree:
//
//   dtau_j/dq_k = S_j . (I^c_k Q_k + B^c_k P_k - ad_(S_k)^T F^c_k)
//   dtau_j/dv_k = S_j . (I^c_k D_k + B^c_k S_k)

// Most formulae are the same for all bodies or dof, and refer to quantities of the same body or dof
// only. They are evaluated for several of them at once (spatial/lanes.hpp). Only the poses and the
// sums along the tree take one body after the other.

#include <algorithm>
#include <span>
#include <vector>

#include "torsor/sdk/model_view.hpp"
#include "torsor/sdk/subtrees.hpp"
#include "torsor/spatial/dual.hpp"
#include "torsor/spatial/lanes.hpp"

namespace torsor::newton_euler {

// The operator B of one body, or of a sum of bodies.
template <class T>
struct Coriolis {
  Mat3<T> K;
  Vec3<T> p;
};
template <class T>
Coriolis<T> operator+(const Coriolis<T>& a, const Coriolis<T>& b) {
  return {a.K + b.K, a.p + b.p};
}
template <class T>
Wrench<T> operator*(const Coriolis<T>& B, const Vec3<T>& w) {
  const T trace = B.K.m[0] + B.K.m[4] + B.K.m[8];
  return {T(2) * (trace * w - B.K * w), T(2) * cross(w, B.p)};
}
// Returns the angular part of the twist-to-wrench product B^T S. Its linear part is zero.
template <class T>
Vec3<T> transpose_times(const Coriolis<T>& B, const Twist<T>& S) {
  const T trace = B.K.m[0] + B.K.m[4] + B.K.m[8];
  return T(2) * (trace * S.w - transpose_times(B.K, S.w) + cross(B.p, S.v));
}
// Returns B of a body. The velocities rdot = v + w x r of its points give K = v h^T + w~ E and p =
// m v + w x h, where E = sum m r r^T = tr(I)/2 1 - I.
template <class T>
Coriolis<T> coriolis(const SpatialInertia<T>& M, const Twist<T>& V) {
  const Vec3<T>&w = V.w, &v = V.v, &h = M.h;
  const T half = T(0.5) * trace(M.I);
  const Vec3<T> x = cross(w, Vec3<T>{half - M.I.xx, -M.I.xy, -M.I.xz}),
                y = cross(w, Vec3<T>{-M.I.xy, half - M.I.yy, -M.I.yz}),
                z = cross(w, Vec3<T>{-M.I.xz, -M.I.yz, half - M.I.zz});
  return {{{v.x * h.x + x.x, v.x * h.y + y.x, v.x * h.z + z.x, v.y * h.x + x.y, v.y * h.y + y.y,
            v.y * h.z + z.y, v.z * h.x + x.z, v.z * h.y + y.z, v.z * h.z + z.z}},
          M.m * v + cross(w, h)};
}

// The places of the bodies and dof in groups of lanes, and the constants of a model. Construct it
// in prepare(). Dof k has place k. A body has the place of the first dof of its joint. Bodies whose
// joints have no dof have the places after the dof.
template <class T>
class PartialsTables {
 public:
  using L = LanesOf<T>;
  using Mask = LaneMask<T>;
  // An entry for each row of the results, and each group of columns with an ancestor or a
  // descendant of the dof of this row. The dof itself counts as an ancestor.
  struct Entry {
    int group;
    bool has_ancestors = false, has_descendants = false;
    Mask ancestors{}, descendants{};
  };
  // A term of the sums along the tree of a group: the quantity of a place, and the lanes to which
  // it is added. It is the quantity of this body or dof alone, or the sum that another group has
  // already computed for it.
  struct Term {
    int place;
    bool is_sum;
    Mask lanes{};
  };
  // A list of items for each row or group.
  template <class Item>
  class Lists {
   public:
    std::span<const Item> operator[](int k) const {
      return {items_.data() + first_[k], items_.data() + first_[k + 1]};
    }
    void append(const std::vector<Item>& list) {
      items_.insert(items_.end(), list.begin(), list.end());
      first_.push_back(int(items_.size()));
    }

   private:
    std::vector<int> first_{0};
    std::vector<Item> items_;
  };

  PartialsTables() = default;
  explicit PartialsTables(const sdk::Tree auto& model) : place_(size_t(model.n_body)) {
    int places = model.n_v;
    for (int i = 1; i < model.n_body; ++i)
      place_[i] = model.v_count[i] > 0 ? model.v_index[i] : places++;
    n_groups_ = groups<T>(places);
    const Twist<L> no_twist{{L(0), L(0), L(0)}, {L(0), L(0), L(0)}};
    S_B_.assign(size_t(n_groups_), no_twist);
    M_B_.assign(size_t(n_groups_), SpatialInertia<L>::zero());
    for (int k = 0; k < model.n_v; ++k)
      set_lane<T>(S_B_[k / lanes<T>], k % lanes<T>, sdk::screw<T>(model, k));
    for (int i = 1; i < model.n_body; ++i)
      set_lane<T>(M_B_[place_[i] / lanes<T>], place_[i] % lanes<T>, sdk::inertia<T>(model, i));
    add_entries(model);
    add_terms(model);
  }

  int n_groups() const { return n_groups_; }
  int place(int body) const { return place_[body]; }
  const Twist<L>& S_B(int group) const { return S_B_[group]; }
  const SpatialInertia<L>& M_B(int group) const { return M_B_[group]; }
  std::span<const Entry> entries(int row) const { return entries_[row]; }
  // Terms of the motion of the parents, except that of the world. The place of a term of roots is
  // that of a root, whose parent's motion is that of the world.
  std::span<const Term> outward(int group) const { return outward_[group]; }
  std::span<const Term> roots(int group) const { return roots_[group]; }
  // The other dof of the same joints.
  std::span<const Term> joints(int group) const { return joints_[group]; }
  // Terms of the sums over subtrees, except the body itself.
  std::span<const Term> inward(int group) const { return inward_[group]; }

 private:
  // Finds the entry of a group by its place in the row, so that the time is that of the entries.
  void add_entries(const torsor_model& model) {
    const sdk::Subtrees subtrees(model);
    std::vector<std::vector<Entry>> rows(size_t(model.n_v));
    std::vector<int> place(size_t(n_groups_), -1);  // of each group in the row
    for (int i = 1; i < model.n_body; ++i)
      for (int k = model.v_index[i]; k < sdk::dof_end(model, i); ++k) {
        std::vector<Entry>& row = rows[k];
        const auto at = [&](int column) -> Entry& {
          int& found = place[column / lanes<T>];
          if (found < 0) {
            found = int(row.size());
            row.push_back(Entry{.group = column / lanes<T>});
          }
          return row[found];
        };
        for (int j = i; j > 0; j = model.parent[j])
          for (int l = model.v_index[j]; l < sdk::dof_end(model, j); ++l) {
            at(l).has_ancestors = true;
            choose<T>(at(l).ancestors, l % lanes<T>);
          }
        for (int d = model.v_count[i]; d < subtrees.size(i); ++d) {
          const int l = subtrees.column(subtrees.begin(i) + d);
          at(l).has_descendants = true;
          choose<T>(at(l).descendants, l % lanes<T>);
        }
        for (const Entry& entry : row) place[entry.group] = -1;
      }
    for (const std::vector<Entry>& row : rows) entries_.append(row);
  }

  // Adds a term for the lane of a place.
  static void add(std::vector<Term>& terms, int place, bool is_sum, int to) {
    for (Term& term : terms)
      if (term.place == place && term.is_sum == is_sum) return choose<T>(term.lanes, to % lanes<T>);
    terms.push_back({place, is_sum});
    choose<T>(terms.back().lanes, to % lanes<T>);
  }

  // Sums of motions are computed in ascending order of the groups, and sums over subtrees in
  // descending order. A sum consists of sums of groups that precede, and of single quantities.
  void add_terms(const torsor_model& model) {
    std::vector<std::vector<int>> children(size_t(model.n_body));
    for (int i = 1; i < model.n_body; ++i) children[model.parent[i]].push_back(i);
    std::vector<std::vector<Term>> outward(n_groups_), roots(outward), joints(outward),
        inward(outward);
    for (int i = 1; i < model.n_body; ++i) {
      const int begin = place_[i], end = std::max(begin + 1, sdk::dof_end(model, i));
      for (int to = begin; to < end; ++to) {
        const int group = to / lanes<T>;
        int root = i;
        bool is_sum = false;
        for (int j = model.parent[i]; j > 0 && !is_sum; root = j, j = model.parent[j]) {
          is_sum = place_[j] / lanes<T> < group;
          if (is_sum) add(outward[group], place_[j], true, to);
          for (int k = model.v_index[j]; k < sdk::dof_end(model, j) && !is_sum; ++k)
            add(outward[group], k, false, to);
        }
        if (!is_sum) add(roots[group], root, false, to);
        for (int k = begin; k < end; ++k)
          if (k != to) add(joints[group], k, false, to);
        if (to != begin) add(inward[group], begin, false, to);
        add_subtree(children, i, to, inward[group]);
      }
    }
    for (int g = 0; g < n_groups_; ++g) {
      outward_.append(outward[g]);
      roots_.append(roots[g]);
      joints_.append(joints[g]);
      inward_.append(inward[g]);
    }
  }
  void add_subtree(const std::vector<std::vector<int>>& children, int body, int to,
                   std::vector<Term>& terms) const {
    for (const int child : children[body]) {
      const bool is_sum = place_[child] / lanes<T> > to / lanes<T>;
      add(terms, place_[child], is_sum, to);
      if (!is_sum) add_subtree(children, child, to, terms);
    }
  }

  int n_groups_ = 0;
  std::vector<int> place_;
  std::vector<Twist<L>> S_B_;
  std::vector<SpatialInertia<L>> M_B_;
  Lists<Entry> entries_;
  Lists<Term> outward_, roots_, joints_, inward_;
};

// The quantities of a group of bodies and dof. L is a pack with one body or dof in each lane. X, V,
// A, M, B and F belong to bodies, the others to dof. A joint with several dof has X, V, A, and the
// sums M, B and F for each of them.
template <class L>
struct PartialsGroup {
  Pose<L> X;  // pose in the root body
  L v, vdot;
  Twist<L> V_p, V, A_p, A;
  // The contribution of the dof to V, then to A.
  Twist<L> part;
  Twist<L> S, P, Q, D;
  // M, B and F of the body, later the sums over its subtree.
  SpatialInertia<L> M;
  Coriolis<L> B;
  Wrench<L> F;
  // f_k, g_k, and the factors of S_j in dtau_j/dq_k and dtau_j/dv_k.
  Wrench<L> f, of_q, of_v;
  Vec3<L> g;
};

// The groups of a call, and access to single places.
template <class T>
struct PartialsPlaces {
  using Group = PartialsGroup<LanesOf<T>>;
  Group* group;
  template <template <class> class Struct>
  Struct<T> get(Struct<LanesOf<T>> Group::*member, int place) const {
    return get_lane<T>(group[place / lanes<T>].*member, place % lanes<T>);
  }
  template <template <class> class Struct>
  void set(Struct<LanesOf<T>> Group::*member, int place, const Struct<T>& x) const {
    set_lane<T>(group[place / lanes<T>].*member, place % lanes<T>, x);
  }
  void set(LanesOf<T> Group::*member, int place, const T& x) const {
    reinterpret_cast<T*>(&(group[place / lanes<T>].*member))[place % lanes<T>] = x;
  }
  // Adds the value of a place to the lanes of a sum.
  template <template <class> class Struct>
  void add(Struct<LanesOf<T>> Group::*member, int place, const LaneMask<T>& to,
           Struct<LanesOf<T>>& sum) const {
    add_lane<T>(to, group[place / lanes<T>].*member, place % lanes<T>, sum);
  }
};

// Sets X, v and vdot. The unused places get zeros.
template <class T>
void place_bodies(const sdk::Tree auto& model, const PartialsTables<T>& tables, const Pose<T>* X_PB,
                  const T* v, const T* vdot, const PartialsPlaces<T>& at) {
  using Group = PartialsGroup<LanesOf<T>>;
  const int used = model.n_v / lanes<T>;
  for (int g = used; g < tables.n_groups(); ++g) {
    const LanesOf<T> zero(0);
    at.group[g].X = Pose<LanesOf<T>>::identity();
    at.group[g].v = at.group[g].vdot = zero;
  }
  for (int k = 0; k < model.n_v; ++k) {
    at.set(&Group::v, k, v[k]);
    at.set(&Group::vdot, k, vdot[k]);
  }
  for (int i = 1; i < model.n_body; ++i) {
    const int parent = model.parent[i];
    const Pose<T> X =
        parent == 0 ? Pose<T>::identity() : at.get(&Group::X, tables.place(parent)) * X_PB[i];
    at.set(&Group::X, tables.place(i), X);
    for (int k = model.v_index[i] + 1; k < sdk::dof_end(model, i); ++k) at.set(&Group::X, k, X);
  }
}

// Sets the motion (V or A) of each body, and that of its parent at each dof, from the parts of the
// dof. world is the motion of the world in its own axes.
template <bool is_velocity, class T>
void add_parts(const PartialsTables<T>& tables, const Pose<T>* X_PB, const Twist<T>& world,
               const PartialsPlaces<T>& at) {
  using L = LanesOf<T>;
  using Group = PartialsGroup<L>;
  constexpr auto of_parent = is_velocity ? &Group::V_p : &Group::A_p;
  constexpr auto of_body = is_velocity ? &Group::V : &Group::A;
  for (int g = 0; g < tables.n_groups(); ++g) {
    Twist<L> sum{{L(0), L(0), L(0)}, {L(0), L(0), L(0)}};
    for (const auto& root : tables.roots(g)) {
      const Twist<T> motion = inverse_transform(X_PB[root.place], world);
      const Twist<L> all{{L(motion.w.x), L(motion.w.y), L(motion.w.z)},
                         {L(motion.v.x), L(motion.v.y), L(motion.v.z)}};
      sum = select_struct<T>(root.lanes, all, sum);
    }
    for (const auto& term : tables.outward(g))
      at.add(term.is_sum ? of_body : &Group::part, term.place, term.lanes, sum);
    at.group[g].*of_parent = sum;
    sum = sum + at.group[g].part;
    for (const auto& term : tables.joints(g)) at.add(&Group::part, term.place, term.lanes, sum);
    at.group[g].*of_body = sum;
  }
}

// Replaces a quantity of each body by the sum over its subtree.
template <class T, template <class> class Struct>
void add_subtrees(const PartialsTables<T>& tables, const PartialsPlaces<T>& at,
                  Struct<LanesOf<T>> PartialsGroup<LanesOf<T>>::*member) {
  for (int g = tables.n_groups() - 1; g >= 0; --g) {
    Struct<LanesOf<T>> sum = at.group[g].*member;
    for (const auto& term : tables.inward(g)) at.add(member, term.place, term.lanes, sum);
    at.group[g].*member = sum;
  }
}

// Computes row k of dtau_dq and dtau_dv: the entries of the dof on its path to the world and in its
// subtree. A group of columns may extend into the next rows, which are computed later.
template <class T>
void partials_of_row(const PartialsTables<T>& tables, const PartialsPlaces<T>& at, int k, int n,
                     T* dtau_dq, T* dtau_dv) {
  using L = LanesOf<T>;
  using Entry = typename PartialsTables<T>::Entry;
  const PartialsGroup<L>& own = at.group[k / lanes<T>];
  const int lane = k % lanes<T>;
  const Twist<L> S = spread_lane<T>(own.S, lane);
  const Wrench<L> f = spread_lane<T>(own.f, lane);
  const Vec3<L> g = spread_lane<T>(own.g, lane);
  T *row_q = dtau_dq + size_t(k) * size_t(n), *row_v = dtau_dv + size_t(k) * size_t(n);
  const auto put = [&](int group, const L& q, const L& v) {
    const int column = group * lanes<T>;
    if (n * n < k * n + column + lanes<T>) [[unlikely]] {
      store_lanes(row_q + column, q, n - column);
      store_lanes(row_v + column, v, n - column);
    } else {
      store_lanes(row_q + column, q);
      store_lanes(row_v + column, v);
    }
  };
  for (const Entry& entry : tables.entries(k)) {
    const PartialsGroup<L>& to = at.group[entry.group];
    L q(0), v(0);
    if (entry.has_ancestors) {
      q = select<T>(entry.ancestors, dot(to.Q, f) + dot(to.P.w, g), q);
      v = select<T>(entry.ancestors, dot(to.D, f) + dot(to.S.w, g), v);
    }
    if (entry.has_descendants) {
      q = select<T>(entry.descendants, dot(S, to.of_q), q);
      v = select<T>(entry.descendants, dot(S, to.of_v), v);
    }
    put(entry.group, q, v);
  }
}

// Computes dtau_dq and dtau_dv [n_v x n_v] of inverse(vdot). X_PB is [n_body]. V_W and A_W are the
// twist and the acceleration of the world. F_B [n_body] are applied wrenches, or null. Work: group
// [tables.n_groups()].
template <class T>
void inverse_partials(const sdk::Tree auto& model, const PartialsTables<T>& tables,
                      const Pose<T>* X_PB, const T* v, const T* vdot, const Twist<T>& V_W,
                      const Twist<T>& A_W, const Wrench<T>* F_B, PartialsGroup<LanesOf<T>>* group,
                      T* dtau_dq, T* dtau_dv) {
  using Group = PartialsGroup<LanesOf<T>>;
  const PartialsPlaces<T> at{group};
  const std::span<Group> all(group, size_t(tables.n_groups()));
  std::fill_n(dtau_dq, size_t(model.n_v) * size_t(model.n_v), T(0));
  std::fill_n(dtau_dv, size_t(model.n_v) * size_t(model.n_v), T(0));
  place_bodies(model, tables, X_PB, v, vdot, at);
  for (int g = 0; g < int(all.size()); ++g) {
    Group& x = group[g];
    x.S = transform(x.X, tables.S_B(g));
    x.M = transform(x.X, tables.M_B(g));
    x.part = x.v * x.S;
  }
  add_parts<true>(tables, X_PB, V_W, at);
  for (Group& x : all) {
    x.P = ad(x.V_p, x.S);
    x.part = x.vdot * x.S + x.v * x.P;
  }
  add_parts<false>(tables, X_PB, A_W, at);
  for (int g = 0; g < tables.n_groups(); ++g) {
    Group& x = group[g];
    x.Q = ad(x.A_p, x.S) + ad(x.V_p, x.P);
    // ad_V S = P if the joint has no other dof
    x.D = x.P + (tables.joints(g).empty() ? x.P : ad(x.V, x.S));
    x.B = coriolis(x.M, x.V);
    x.F = x.M * x.A - ad_transpose(x.V, x.M * x.V);
  }
  if (F_B)
    for (int i = 1; i < model.n_body; ++i) {
      const int place = tables.place(i);
      at.set(&Group::F, place,
             at.get(&Group::F, place) - transform(at.get(&Group::X, place), F_B[i]));
    }
  add_subtrees(tables, at, &Group::M);
  add_subtrees(tables, at, &Group::B);
  add_subtrees(tables, at, &Group::F);
  for (Group& x : all) {
    x.f = x.M * x.S;
    x.g = transpose_times(x.B, x.S);
    x.of_q = x.M * x.Q + x.B * x.P.w - ad_transpose(x.S, x.F);
    x.of_v = x.M * x.D + x.B * x.S.w;
  }
  for (int k = 0; k < model.n_v; ++k) partials_of_row(tables, at, k, model.n_v, dtau_dq, dtau_dv);
}

// Dual numbers for the second derivatives. constant() returns a value with derivative 0.
// moving_along() returns the pose X exp(e S) = X (1 + e S~) of a body that moves along a screw S.
inline Vec3<Dual> constant(const Vec3<double>& u) {
  return {Dual(u.x), Dual(u.y), Dual(u.z)};
}
inline Twist<Dual> constant(const Twist<double>& V) {
  return {constant(V.w), constant(V.v)};
}
inline Wrench<Dual> constant(const Wrench<double>& F) {
  return {constant(F.n), constant(F.f)};
}
inline Pose<Dual> moving_along(const Pose<double>& X, const Twist<double>& S) {
  const Mat3<double> turned = X.R * hat(S.w);
  const Vec3<double> moved = X.R * S.v;
  Pose<Dual> out;
  for (int k = 0; k < 9; ++k) out.R.m[k] = Dual(X.R.m[k], turned.m[k]);
  out.p = {Dual(X.p.x, moved.x), Dual(X.p.y, moved.y), Dual(X.p.z, moved.z)};
  return out;
}

}  // namespace torsor::newton_euler
