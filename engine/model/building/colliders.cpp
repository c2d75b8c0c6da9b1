#include "torsor/model/building/colliders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>

#include "torsor/model/building/checks.hpp"

namespace torsor {

namespace {

// The maximum number of pairs that rules may name, about 16 MB.
constexpr size_t most_pairs = 1'000'000;

const std::string& source_of(const CollisionDescription& collision, const std::string& source) {
  return collision.source.empty() ? source : collision.source;
}

int group_index(const std::string& name, Model& model) {
  if (name.empty()) return -1;
  const auto found = std::ranges::find(model.collision_groups, name);
  if (found == model.collision_groups.end()) model.collision_groups.push_back(name);
  return int(std::ranges::find(model.collision_groups, name) - model.collision_groups.begin());
}

class Rules {
 public:
  explicit Rules(Model& model) : model_(model), of_body_(size_t(model.n_body)) {
    for (int k = 0; k < int(model.colliders.size()); ++k)
      of_body_[size_t(model.colliders[size_t(k)].body)].push_back(k);
    exclude_adjacent_links();
    for (const Closure& closure : model.closures) exclude_closure(closure);
  }

  void add(const PrefixedPair& each) {
    const auto& [rule, prefix] = each;
    check(rule);
    const std::vector<int> a = named(rule, prefix, 0), b = named(rule, prefix, 1);
    if (a.size() * b.size() > most_pairs - std::min(most_pairs, pairs_))
      fail(rule, fmt::format("it names {} x {} colliders, and all rules together may name {} "
                             "pairs; put colliders that do not collide into one group",
                             a.size(), b.size(), most_pairs));
    pairs_ += a.size() * b.size();
    for (const int i : a)
      for (const int j : b)
        if (model_.colliders[size_t(i)].body != model_.colliders[size_t(j)].body) apply(rule, i, j);
  }

  void finish() {
    model_.excluded_collisions.assign(excluded_.begin(), excluded_.end());
    model_.forced_collisions.assign(forced_.begin(), forced_.end());
    for (const auto& [pair, changed] : materials_)
      model_.pair_materials.push_back({pair, changed.material});
    check_materials();
  }

 private:
  [[noreturn]] static void fail(const CollisionPairDescription& rule, const std::string& text) {
    fail_at(rule.source,
            fmt::format("collision pair '{}', '{}': {}", rule.names[0], rule.names[1], text));
  }

  static void check(const CollisionPairDescription& rule) {
    if (!rule.collide && !changes_material(rule))
      fail(rule,
           "it changes nothing; give collide, mu, restitution, torsional, rolling, stiffness or "
           "damping");
    if (const auto wrong = value_defect(changed(rule, {}))) fail(rule, *wrong);
  }

  static bool changes_material(const CollisionPairDescription& rule) {
    return rule.mu || rule.restitution || rule.torsional || rule.rolling || rule.stiffness ||
           rule.damping;
  }

  static ContactMaterial changed(const CollisionPairDescription& rule, ContactMaterial material) {
    material.mu = rule.mu.value_or(material.mu);
    material.restitution = rule.restitution.value_or(material.restitution);
    material.torsional = rule.torsional.value_or(material.torsional);
    material.rolling = rule.rolling.value_or(material.rolling);
    material.stiffness = rule.stiffness.value_or(material.stiffness);
    // A rule that makes a pair rigid also removes its damping.
    material.damping = rule.damping.value_or(rule.stiffness == 0.0 ? 0 : material.damping);
    return material;
  }

  void apply(const CollisionPairDescription& rule, int i, int j) {
    const ColliderPair pair = std::minmax(i, j);
    if (rule.collide) {
      (*rule.collide ? forced_ : excluded_).insert(pair);
      (*rule.collide ? excluded_ : forced_).erase(pair);
    }
    if (!changes_material(rule)) return;
    const auto found = materials_.find(pair);
    const ContactMaterial material =
        found != materials_.end()
            ? found->second.material
            : combine(model_.colliders[size_t(i)].material, model_.colliders[size_t(j)].material);
    materials_[pair] = {changed(rule, material), &rule};
  }

  // Checks the materials of all pairs that may collide. Without a rule, only the pairs of a
  // compliant surface and one with restitution may have no possible material.
  void check_materials() const {
    for (const auto& [pair, changed] : materials_)
      if (const auto wrong = defect(changed.material);
          wrong && may_collide(model_, pair.first, pair.second))
        fail(*changed.rule,
             fmt::format("{}: {}", pair_names(model_, pair.first, pair.second), *wrong));
    std::vector<int> compliant, bouncing;
    for (int k = 0; k < int(model_.colliders.size()); ++k) {
      const ContactMaterial& material = model_.colliders[size_t(k)].material;
      if (material.is_compliant()) compliant.push_back(k);
      if (material.restitution > 0) bouncing.push_back(k);
    }
    for (const int i : compliant)
      for (const int j : bouncing) {
        if (materials_.contains(std::minmax(i, j)) || !may_collide(model_, i, j)) continue;
        if (const auto wrong = defect(contact_material(model_, i, j)))
          fail_at(model_.colliders[size_t(std::max(i, j))].source,
                  fmt::format("the contact of {}: {}", pair_names(model_, i, j), *wrong));
      }
  }

  // Returns the colliders of a link, the collider, or the colliders of a group with this name.
  std::vector<int> named(const CollisionPairDescription& rule, const std::string& prefix,
                         int side) const {
    const std::string& name = rule.names[side];
    std::vector<std::string> known{"world"};
    std::vector<int> out;
    bool found = name == "world";
    for (const Link& link : model_.links) {
      found |= link.name == prefix + name;
      known.push_back(link.name);
    }
    for (int k = 0; k < int(model_.colliders.size()); ++k) {
      const Collider& collider = model_.colliders[size_t(k)];
      const std::string& link =
          collider.link < 0 ? "world" : model_.links[size_t(collider.link)].name;
      const std::string group =
          collider.group < 0 ? "" : model_.collision_groups[size_t(collider.group)];
      const bool is_own = link == (name == "world" ? name : prefix + name);
      if (is_own || collider.name == prefix + name || (!group.empty() && group == prefix + name))
        out.push_back(k);
      known.push_back(collider.name);
      known.push_back(group);
    }
    if (!found && out.empty())
      fail(rule, fmt::format("there is no link, collider or group '{}'{}", name,
                             did_you_mean(name, known)));
    return out;
  }

  // Returns the robot of a link.
  size_t robot_of(int link) const {
    const auto found = std::ranges::find_if(model_.robots, [&](const Robot& robot) {
      return link >= robot.first_link && link < robot.first_link + robot.n_link;
    });
    return size_t(found - model_.robots.begin());
  }

  // Returns the nearest body towards the base that has colliders or mass, or -1 if a joint with six
  // degrees of freedom is between.
  int adjacent_body(int body) const {
    do {
      if (model_.v_count[size_t(body)] == 6) return -1;
      body = model_.parent[size_t(body)];
    } while (body > 0 && of_body_[size_t(body)].empty() && model_.inertia_B[size_t(body)].m == 0);
    return body;
  }

  void exclude_adjacent_links() {
    for (int body = 1; body < model_.n_body; ++body) {
      if (of_body_[size_t(body)].empty()) continue;
      if (const int other = adjacent_body(body); other >= 0) exclude_bodies(body, other);
    }
  }

  void exclude_bodies(int a, int b) {
    for (const int i : of_body_[size_t(a)])
      for (const int j : of_body_[size_t(b)]) {
        const int link_i = model_.colliders[size_t(i)].link,
                  link_j = model_.colliders[size_t(j)].link;
        if (link_i < 0 || link_j < 0) continue;
        // Links that are fixed in the world are adjacent to links of their own robot only.
        if ((a == 0 || b == 0) && robot_of(link_i) != robot_of(link_j)) continue;
        excluded_.insert(std::minmax(i, j));
      }
  }

  // The weld of a closure with a cut connects two halves of one body, and its joint connects the
  // first half to the other body.
  void exclude_closure(const Closure& closure) {
    if (traits(closure.kind).is_linear()) return;
    int a = closure.body_A;
    const int b = closure.body_B;
    if (closure.cut) a = model_.parent[size_t(model_.joints[size_t(closure.cut->joint)].body)];
    if (a != b) exclude_bodies(a, b);
  }

  Model& model_;
  std::vector<std::vector<int>> of_body_;  // [n_body] colliders
  std::set<ColliderPair> excluded_, forced_;
  struct ChangedMaterial {
    ContactMaterial material;
    const CollisionPairDescription* rule;  // the last one that changed it
  };
  std::map<ColliderPair, ChangedMaterial> materials_;
  size_t pairs_ = 0;
};

}  // namespace

void check_collision(const std::string& owner, const CollisionDescription& collision, size_t number,
                     const std::string& source) {
  const std::string& at = source_of(collision, source);
  check_name("collision", collision.name, at);
  std::optional<std::string> wrong = defect(collision.shape);
  if (!wrong) wrong = defect(collision.material);
  if (!wrong && !is_finite(collision.X_LC))
    wrong = "its pose has a value that is not a finite number";
  if (wrong) fail_at(at, fmt::format("{}: collision {}: {}", owner, number, *wrong));
}

void add_colliders(const std::vector<CollisionDescription>& collisions, const std::string& owner,
                   const std::string& source, const std::string& prefix, int link, int body,
                   const Pose<double>& X_BL, Model& model) {
  size_t number = 0;
  for (const CollisionDescription& each : collisions) {
    ++number;
    const std::string name =
        prefix + (each.name.empty() ? fmt::format("{}_{}", owner, number) : each.name);
    model.colliders.push_back({name, body, link, X_BL * each.X_LC, each.shape, each.material,
                               group_index(each.group.empty() ? "" : prefix + each.group, model),
                               source_of(each, source)});
  }
}

void add_collision_pairs(const std::vector<PrefixedPair>& rules, Model& model) {
  if (model.colliders.empty() && rules.empty()) return;
  std::unordered_set<std::string_view> names;
  for (const Collider& collider : model.colliders)
    if (!names.insert(collider.name).second)
      fail_at(collider.source, fmt::format("there are two collisions named '{}'; give each its own "
                                           "name",
                                           collider.name));
  Rules all(model);
  for (const PrefixedPair& rule : rules) all.add(rule);
  all.finish();
}

}  // namespace torsor
