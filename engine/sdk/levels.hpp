#pragma once
// Groups of independent bodies, whose recursions are evaluated together with one body per lane of a
// Pack. A group comes after the groups of its parents, so a recursion from the world outwards
// processes the groups in ascending order, and one towards the world in descending order.
//
// Numbers move between the lanes of a group and those of its parents' groups by permutations that
// are computed in the constructor:
//
//   outwards:  x[i] = f(parents<Value>(i, x), ...)
//   inwards:   add_to_parents(i, f(x[i], ...), x)
//
// All joints of a group have the same screws, or the same number of dof. The dof number d of all
// joints of a group share a slot: one Pack per dof. The arrays [n_slot] replace those [n_v] of the
// model. Group 0 is the world, in all lanes.
//
// The recursions are worth it for at least two bodies per group, on average. A tree with fewer,
// such as a long chain with a short branch, has no tables, which would be large.

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "torsor/sdk/joints.hpp"
#include "torsor/sdk/number_pairs.hpp"
#include "torsor/spatial/pack.hpp"

namespace torsor::sdk {

// The joints of a group that are neither RotationZ nor TranslationZ: the screws of slot k are S[k].
template <int N>
struct GroupJoint {
  const Twist<Pack<N>>* S;  // [n_slot]
  int first, end;           // slots
  template <class T, class Function>
  void for_each_dof(Function f) const {
    for (int k = first; k < end; ++k) f(k, S[k]);
  }
  template <class T, class Function>
  void for_each_dof_backwards(Function f) const {
    for (int k = end - 1; k >= first; --k) f(k, S[k]);
  }
};

// The number of lanes that makes the recursions of trees of 10 to 100 bodies fastest. With more
// lanes, most of them would be unused, and loads of poses into the lanes would take longer.
inline constexpr int level_lanes = native_lanes < 4 ? native_lanes : 4;

template <int N>
class Levels {
 public:
  using Number = Pack<N>;

  Levels() = default;
  // Makes the tables of the recursions if a group has at least `least` bodies on average.
  Levels(const torsor_model& model, std::span<const JointAxis> axes, double least = 2);

  // Returns the mean number of used lanes.
  double bodies_per_group() const { return n_group() > 1 ? n_used_ / double(n_group() - 1) : 0; }
  int n_group() const { return int(groups_.size()); }
  int n_slot() const { return int(dof_.size()); }
  bool is_on_world(int group) const { return groups_[group].is_on_world; }
  bool has_rotor(int group) const { return groups_[group].has_rotor; }
  const SpatialInertia<Number>& inertia(int group) const { return inertia_[group]; }
  const Number* armature() const { return armature_.data(); }  // [n_slot]

  template <class Function>
  void with_joint(int group, Function f) const {
    const Group& at = groups_[group];
    switch (at.axis) {
      case JointAxis::rotation_z:
        return f(RotationZ{at.slot});
      case JointAxis::translation_z:
        return f(TranslationZ{at.slot});
      case JointAxis::general:
        return f(GroupJoint<N>{screws_.data(), at.slot, at.slot + at.n_dof});
    }
  }

  // Returns whether the numbers of all dof are above those of their bodies. slots: [n_slot];
  // bounds: [n_body].
  template <class Get>
  bool are_above(Get number_of_slot, const double* bounds) const {
    LaneNumbers<N> above;
    above.lanes = ~typename LaneNumbers<N>::Lanes{};
    for (const Group& at : groups_)
      for (int s = at.slot; s < at.slot + at.n_dof; ++s)
        above.lanes &= number_of_slot(s).lanes > load_at<N>(bounds, at.body.data()).lanes;
    for (int l = 0; l < N; ++l)
      if (above[l] == 0) return false;
    return true;
  }

  // Returns the poses or wrenches of the bodies of a group. all: [n_body].
  Pose<Number> poses(int group, const Pose<double>* all) const {
    Pose<Number> X;
    load_columns<N, 12>(&all->R.m[0], groups_[group].body.data(), [&](int k, const Number& x) {
      (k < 9 ? X.R.m[k] : k == 9 ? X.p.x : k == 10 ? X.p.y : X.p.z) = x;
    });
    return X;
  }
  Wrench<Number> wrenches(int group, const Wrench<double>* all) const {
    Wrench<Number> F;
    load_columns<N, 6>(&all->n.x, groups_[group].body.data(), [&](int k, const Number& x) {
      (k == 0   ? F.n.x
       : k == 1 ? F.n.y
       : k == 2 ? F.n.z
       : k == 3 ? F.f.x
       : k == 4 ? F.f.y
                : F.f.z) = x;
    });
    return F;
  }

  // Returns 0 for bodies on the world, and p for the others.
  Vec3<Number> off_world(int group, const Vec3<Number>& p) const {
    const LaneNumbers<N>& lanes = groups_[group].off_world;
    return {keep(lanes, p.x), keep(lanes, p.y), keep(lanes, p.z)};
  }

  // Writes the entries S_j . F_k of M [n_v x n_v] and their mirror images, for the dof k of the
  // bodies of a group and the dof j of the same bodies and their ancestors. Adds the armature to
  // the diagonal. S and F: [n_slot], about the same point for a body and its ancestors. products:
  // work [n_product].
  void multiply(int group, const Twist<Number>* S, const Wrench<Number>* F, Number* products,
                double* M) const {
    const Group& at = groups_[group];
    for (int k = at.pair; k < at.pair_end; ++k) {
      const SlotPair& pair = pairs_[k];
      const Wrench<Number>& momentum = F[pair.slot];
      Twist<Number> ancestor;
      if (pair.is_in_place)
        for_each_pair(ancestor, S[pair.ancestor], [](Number& to, const Number& x) { to = x; });
      else
        for_each_pair(ancestor, S[pair.ancestor],
                      [&](Number& to, const Number& x) { to = permute(x, pair.from); });
      Number product = dot(ancestor, momentum);
      if (pair.slot == pair.ancestor) product = product + armature_[pair.slot];
      products[k - at.pair] = product;
    }
    const double* all = reinterpret_cast<const double*>(products);
    for (int e = at.entry; e < at.entry_end; ++e)
      M[entries_[e].above] = M[entries_[e].below] = all[entries_[e].number];
  }
  // Returns the number of pairs in the table of multiply().
  size_t n_pair() const { return pairs_.size(); }
  // The largest number of products of a group.
  int n_product() const {
    int most = 0;
    for (const Group& at : groups_) most = std::max(most, at.pair_end - at.pair);
    return most;
  }

  // Copies numbers of the dof between an array [n_v] and one of the slots [n_slot].
  void to_slots(const double* x, Number* slots) const {
    for (int s = 0; s < n_slot(); ++s) slots[s] = load_at<N>(x, dof_[s].data());
  }
  void from_slots(const Number* slots, double* x) const {
    const double* all = reinterpret_cast<const double*>(slots);
    for (size_t k = 0; k < place_.size(); ++k) x[k] = all[place_[k]];
  }

  // Returns the values of the parents of the bodies of a group. all: [n_group]; for_each_pair()
  // must accept a Value and an entry of it.
  template <class Value, class All>
  Value parents(int group, const All* all) const {
    const Group& at = groups_[group];
    const Move* move = &from_parents_[at.from];
    Value out;
    if (at.is_in_place) {
      for_each_pair(out, all[move->group], [](Number& to, const Number& x) { to = x; });
      return out;
    }
    const LaneNumbers<N> first = move->from;
    for_each_pair(out, all[move->group],
                  [&](Number& to, const Number& x) { to = permute(x, first); });
    for (++move; move != &from_parents_[at.from_end]; ++move) {
      const LaneNumbers<N> from = move->from, lanes = move->lanes;
      for_each_pair(out, all[move->group],
                    [&](Number& to, const Number& x) { to = select(lanes, permute(x, from), to); });
    }
    return out;
  }
  // Adds values of the bodies of a group to those of their parents. all: [n_group].
  template <class Value, class All>
  void add_to_parents(int group, const Value& x, All* all) const {
    const Group& at = groups_[group];
    for (int m = at.to; m < at.to_end; ++m) {
      const LaneNumbers<N> from = to_parents_[m].from, lanes = to_parents_[m].lanes;
      All& to = all[to_parents_[m].group];
      if (to_parents_[m].is_in_place)
        for_each_pair(to, x, [&](Number& sum, const Number& y) { sum = sum + keep(lanes, y); });
      else
        for_each_pair(to, x, [&](Number& sum, const Number& y) {
          sum = sum + keep(lanes, permute(y, from));
        });
    }
  }

 private:
  // Moves numbers between lanes: lane l of `lanes` receives lane from[l] of another group.
  struct Move {
    LaneNumbers<N> from, lanes;
    int group;                // of the parents
    bool is_in_place = true;  // lane l receives lane l
  };
  struct Group {
    std::array<int, N> body;  // unused lanes repeat a body of the group
    JointAxis axis;
    int slot, n_dof;
    int from, from_end, to, to_end;        // in from_parents_ and to_parents_
    int pair, pair_end, entry, entry_end;  // in pairs_ and entries_
    LaneNumbers<N> off_world;              // lanes whose parent is not the world
    bool is_in_place, is_on_world, has_rotor;
  };
  // A slot and a slot of an ancestor in lane from[l].
  struct SlotPair {
    LaneNumbers<N> from;
    int slot, ancestor;
    bool is_in_place;
  };
  // An entry of M and its mirror image, and its number in the products of its group.
  struct Entry {
    int number, above, below;
  };
  // The place of a body.
  struct Place {
    int group = 0, lane = 0;
  };

  void add_group(const torsor_model& model, std::span<const JointAxis> axes,
                 std::span<const int> bodies, std::vector<Place>& places);
  void add_moves(const torsor_model& model, const std::vector<Place>& places);
  void add_pairs(const torsor_model& model, const std::vector<Place>& places);

  int n_used_ = 0;  // lanes that contain a body of their own
  std::vector<Group> groups_;
  std::vector<Move> from_parents_, to_parents_;
  std::vector<SpatialInertia<Number>> inertia_;
  std::vector<std::array<int, N>> dof_;  // [n_slot] dof of each lane
  std::vector<Twist<Number>> screws_;
  std::vector<Number> armature_;
  std::vector<int> place_;  // [n_v] index in an array of slots, as numbers
  std::vector<SlotPair> pairs_;
  std::vector<Entry> entries_;
};

// Schedules the bodies: a group is filled with bodies whose parents are in earlier groups, those
// with the longest paths to a leaf first. Bodies of the same height are ordered such that many
// bodies get the lane of their parent: the first children of all parents, then the second ones.
template <int N>
Levels<N>::Levels(const torsor_model& model, std::span<const JointAxis> axes, double least)
    : place_(size_t(model.n_v)) {
  const size_t n = size_t(model.n_body);
  std::vector<int> height(n, 1);          // length of the longest path to a leaf, in bodies
  std::vector<int> rank(n), children(n);  // rank: the number of earlier siblings
  for (size_t i = n - 1; i > 0; --i)
    height[model.parent[i]] = std::max(height[model.parent[i]], height[i] + 1);
  for (size_t i = 1; i < n; ++i) rank[i] = children[model.parent[i]]++;
  std::vector<Place> places(n);
  std::vector<int> ready, group;
  const auto make_ready = [&](int parent) {
    for (int i = 1; i < model.n_body; ++i)
      if (model.parent[i] == parent) ready.push_back(i);
  };
  groups_.push_back(Group{});
  inertia_.push_back(SpatialInertia<Number>::zero());
  make_ready(0);
  while (!ready.empty()) {
    std::ranges::sort(ready, {}, [&](int i) {
      const Place& parent = places[model.parent[i]];
      return std::array{-height[i], rank[i], parent.group, parent.lane, i};
    });
    const int best = ready[0];
    group.clear();
    for (const int i : ready)
      if (int(group.size()) < N && axes[i] == axes[best] && model.v_count[i] == model.v_count[best])
        group.push_back(i);
    std::erase_if(ready, [&](int i) { return std::ranges::count(group, i) > 0; });
    add_group(model, axes, group, places);
    for (const int i : group) make_ready(i);
  }
  if (bodies_per_group() < least) return;
  add_moves(model, places);
  add_pairs(model, places);
}

template <int N>
void Levels<N>::add_group(const torsor_model& model, std::span<const JointAxis> axes,
                          std::span<const int> bodies, std::vector<Place>& places) {
  Group at{};
  at.body.fill(0);
  const int number = n_group();
  const auto put = [&](int i, int lane) {
    at.body[lane] = i;
    places[i] = {number, lane};
  };
  for (const int i : bodies)
    if (const int lane = places[model.parent[i]].lane; model.parent[i] > 0 && at.body[lane] == 0)
      put(i, lane);
  for (const int i : bodies)
    if (places[i].group == 0) put(i, int(std::ranges::find(at.body, 0) - at.body.begin()));
  for (int& i : at.body)
    if (i == 0) i = bodies[0];
  at.axis = axes[bodies[0]];
  at.slot = n_slot();
  at.n_dof = model.v_count[bodies[0]];
  for (int l = 0; l < N; ++l) at.off_world.set(l, model.parent[at.body[l]] > 0 ? -1 : 0);
  at.is_on_world = std::ranges::all_of(bodies, [&](int i) { return model.parent[i] == 0; });
  SpatialInertia<Number> M;
  load_columns<N, 10>(model.inertia_B, at.body.data(),
                      [&](int k, const Number& x) { reinterpret_cast<Number*>(&M)[k] = x; });
  inertia_.push_back(M);
  for (int d = 0; d < at.n_dof; ++d) {
    std::array<int, N> dof;
    for (int l = 0; l < N; ++l) dof[l] = model.v_index[at.body[l]] + d;
    Twist<Number> S;
    load_columns<N, 6>(model.S_B, dof.data(),
                       [&](int k, const Number& x) { reinterpret_cast<Number*>(&S)[k] = x; });
    screws_.push_back(S);
    armature_.push_back(load_at<N>(model.armature, dof.data()));
    for (const int i : bodies) {
      place_[model.v_index[i] + d] = n_slot() * N + places[i].lane;
      at.has_rotor |= model.armature[model.v_index[i] + d] != 0;
    }
    dof_.push_back(dof);
  }
  groups_.push_back(at);
  n_used_ += int(bodies.size());
}

template <int N>
void Levels<N>::add_moves(const torsor_model& model, const std::vector<Place>& places) {
  for (int g = 1; g < n_group(); ++g) {
    Group& at = groups_[g];
    // Finds the move from or to a group that can take another lane, or adds it.
    const auto move = [](std::vector<Move>& moves, int begin, int group, int lane) -> Move& {
      for (size_t m = size_t(begin); m < moves.size(); ++m)
        if (moves[m].group == group && moves[m].lanes[lane] == 0) return moves[m];
      return moves.emplace_back(Move{{}, {}, group});
    };
    const auto set = [](Move& to, int lane, int from) {
      to.lanes.set(lane, -1);
      to.from.set(lane, from);
      to.is_in_place &= lane == from;
    };
    at.from = int(from_parents_.size());
    at.to = int(to_parents_.size());
    at.is_in_place = true;
    for (int l = 0; l < N; ++l) {
      const int i = at.body[l];
      const Place parent = places[model.parent[i]];
      set(move(from_parents_, at.from, parent.group, l), l, parent.lane);
      if (places[i].lane != l) continue;  // an unused lane
      at.is_in_place &= parent.group == 0 || parent.lane == l;
      if (parent.group > 0)
        set(move(to_parents_, at.to, parent.group, parent.lane), parent.lane, l);
    }
    at.from_end = int(from_parents_.size());
    at.to_end = int(to_parents_.size());
    at.is_in_place &= at.from_end - at.from == 1;
  }
}

template <int N>
void Levels<N>::add_pairs(const torsor_model& model, const std::vector<Place>& places) {
  // Finds the pair whose lane l is free or already receives this lane of the ancestor.
  const auto pair_of = [&](size_t begin, int slot, int ancestor, int l, int from) {
    for (size_t k = begin; k < pairs_.size(); ++k)
      if (pairs_[k].slot == slot && pairs_[k].ancestor == ancestor && pairs_[k].from[l] < 0) {
        pairs_[k].from.set(l, from);
        return k;
      }
    SlotPair pair{{}, slot, ancestor, true};
    for (int lane = 0; lane < N; ++lane) pair.from.set(lane, lane == l ? from : -1);
    pairs_.push_back(pair);
    return pairs_.size() - 1;
  };
  for (int g = 1; g < n_group(); ++g) {
    const size_t begin = pairs_.size();
    groups_[g].pair = int(begin);
    groups_[g].entry = int(entries_.size());
    for (int l = 0; l < N; ++l) {
      const int i = groups_[g].body[l];
      if (places[i].lane != l) continue;  // an unused lane
      for (int j = i; j > 0; j = model.parent[j]) {
        const Group& at = groups_[places[j].group];
        for (int d = 0; d < groups_[g].n_dof; ++d)
          for (int e = 0; e < (j == i ? d + 1 : at.n_dof); ++e) {
            const size_t k = pair_of(begin, groups_[g].slot + d, at.slot + e, l, places[j].lane);
            const int row = model.v_index[i] + d, column = model.v_index[j] + e;
            entries_.push_back(
                {int(k - begin) * N + l, row * model.n_v + column, column * model.n_v + row});
          }
      }
    }
    for (size_t k = begin; k < pairs_.size(); ++k)
      for (int l = 0; l < N; ++l) {
        if (pairs_[k].from[l] < 0) pairs_[k].from.set(l, l);
        pairs_[k].is_in_place &= pairs_[k].from[l] == l;
      }
    groups_[g].pair_end = int(pairs_.size());
    groups_[g].entry_end = int(entries_.size());
  }
}

}  // namespace torsor::sdk
