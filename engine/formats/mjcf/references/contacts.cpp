#include "torsor/formats/mjcf/references/contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "torsor/base/error.hpp"
#include "torsor/formats/mjcf/references/named.hpp"

namespace torsor::mjcf {

namespace {

// Bounds the memory of the rules.
constexpr size_t most_rules = 300'000;

bool may_touch(const GeomContact& a, const GeomContact& b) {
  return (a.contype & b.conaffinity) != 0 || (b.contype & a.conaffinity) != 0;
}

// The friction of two geoms in MuJoCo: that of the one with the higher priority; otherwise the
// larger values.
GeomContact mixed(const GeomContact& a, const GeomContact& b) {
  if (a.priority != b.priority) return a.priority > b.priority ? a : b;
  GeomContact out = a;
  out.condim = std::max(a.condim, b.condim);
  for (size_t k = 0; k < 3; ++k) out.friction[k] = std::max(a.friction[k], b.friction[k]);
  return out;
}

void set_material(const GeomContact& contact, CollisionPairDescription& out) {
  out.mu = contact.condim >= 3 ? contact.friction[0] : 0;
  out.torsional = contact.condim >= 4 ? contact.friction[1] : 0;
  out.rolling = contact.condim >= 6 ? contact.friction[2] : 0;
}

class ContactReader {
 public:
  ContactReader(Files& files, const Classes& classes, bool used, Tree& tree,
                RobotDescription& robot)
      : files_(files), classes_(classes), used_(used), tree_(tree), robot_(robot) {
    for (const LinkDescription& link : robot.links) links_.emplace(link.name, &link);
  }

  void run(bool filters_parents) {
    add_geoms();
    add_neighbours(filters_parents);
    for (const XMLElement* xml : files_.all("contact", "exclude")) read_exclude(*xml);
    for (const XMLElement* xml : files_.all("contact", "pair")) read_pair(*xml);
  }

 private:
  void add(CollisionPairDescription rule) {
    if (robot_.collision_pairs.size() >= most_rules)
      throw Error(
          fmt::format("{}: the masks and materials of its geoms need more than {} rules for pairs; "
                      "read the file without collisions",
                      files_.place(files_.root()), most_rules));
    robot_.collision_pairs.push_back(std::move(rule));
  }

  void add_geoms() {
    const auto& all = tree_.colliders;
    for (size_t a = 0; a < all.size(); ++a)
      for (size_t b = a + 1; b < all.size(); ++b)
        if (all[a].link != all[b].link) add_geoms(all[a], all[b]);
  }

  void add_geoms(const TreeCollider& a, const TreeCollider& b) {
    CollisionPairDescription rule{.names = {a.name, b.name}};
    if (!may_touch(a.contact, b.contact)) {
      rule.collide = false;
      return add(std::move(rule));
    }
    set_material(mixed(a.contact, b.contact), rule);
    const ContactMaterial known = combine(material_of(a.contact), material_of(b.contact));
    if (rule.mu != known.mu || rule.torsional != known.torsional || rule.rolling != known.rolling)
      add(std::move(rule));
  }

  // Adds the pairs that the engine leaves out (exclude_adjacent_links() and exclude_closure() of
  // the builder), but MuJoCo does not. MuJoCo leaves out bodies and their parents that can move.
  void add_neighbours(bool filters_parents) {
    std::unordered_map<std::string, const TreeBody*> of_link{
        {tree_.world_link, &tree_.bodies.at("world")}, {"world", &tree_.bodies.at("world")}};
    for (const auto& [name, body] : tree_.bodies) of_link.emplace(body.link, &body);
    std::map<int, std::vector<const TreeCollider*>> groups;  // by TreeBody::joint
    std::map<int, int> parents;
    for (const auto& [name, body] : tree_.bodies) parents.emplace(body.joint, body.parent_joint);
    for (const TreeCollider& collider : tree_.colliders)
      groups[of_link.at(collider.link)->joint].push_back(&collider);
    const auto add_groups = [&](int a, int b) {
      if (a == b) return;
      const auto is_parent = [&](int parent, int child) {
        return parent >= 0 && parents.at(child) == parent;
      };
      if (filters_parents && (is_parent(a, b) || is_parent(b, a))) return;
      for (const TreeCollider* one : groups[a])
        for (const TreeCollider* other : groups[b])
          if (may_touch(one->contact, other->contact))
            add({.names = {one->name, other->name}, .collide = true});
    };
    for (const auto& [joint, colliders] : std::map(groups)) {
      int parent = joint;
      while (parent >= 0 && tree_.joints[size_t(parent)].type != JointType::free &&
             (parent == joint || groups[parent].empty()))
        parent = parents.at(parent);
      add_groups(joint, parent);
    }
    for (const ClosureDescription& closure : robot_.closures) {
      const auto a = of_link.find(closure.frames[0]), b = of_link.find(closure.frames[1]);
      if (closure.joints.empty() && a != of_link.end() && b != of_link.end())
        add_groups(a->second->joint, b->second->joint);
    }
  }

  // Returns whether a name is known. Throws Error if it is not and the contacts are used.
  template <class Map>
  bool knows(const xml::Element& element, const char* attribute, const char* what, const Map& known,
             const std::string& suffix) {
    if (used_) {
      find_named(known, element, attribute, what, suffix);
      return true;
    }
    if (element.has(attribute) && known.contains(full_name(element, attribute, what, suffix)))
      return true;
    note_unknown(files_, element, attribute, what);
    return false;
  }

  void read_exclude(const XMLElement& xml) {
    const xml::Element element = files_.element(xml, owner_of(xml));
    const auto copies =
        tree_.copies.of(files_, element, {{Named::body, "body1"}, {Named::body, "body2"}});
    for (const auto& [suffix, order] : copies) {
      std::string names[2];
      for (size_t k = 0; k < 2; ++k) {
        const char* attribute = k == 0 ? "body1" : "body2";
        if (!knows(element, attribute, "body", tree_.bodies, suffix)) return;
        names[k] = link_of(full_name(element, attribute, "body", suffix));
      }
      if (has_colliders(names[0]) && has_colliders(names[1]) && names[0] != names[1])
        add({.names = {names[0], names[1]}, .collide = false, .source = element.place()});
    }
  }

  std::string link_of(const std::string& body) const {
    return body == "world" ? tree_.world_link : tree_.bodies.at(body).link;
  }
  bool has_colliders(const std::string& link) const {
    const auto found = links_.find(link);
    return found != links_.end() && !found->second->collisions.empty();
  }

  void read_pair(const XMLElement& xml) {
    const Values values(files_, classes_, xml, "", owner_of(xml));
    const xml::Element& element = values.own();
    const auto copies =
        tree_.copies.of(files_, element, {{Named::geom, "geom1"}, {Named::geom, "geom2"}});
    for (const auto& [suffix, order] : copies) {
      int colliders[2];
      for (size_t k = 0; k < 2; ++k) {
        const char* attribute = k == 0 ? "geom1" : "geom2";
        if (!knows(element, attribute, "geom", tree_.geoms, suffix)) return;
        colliders[k] = tree_.geoms.at(full_name(element, attribute, "geom", suffix));
      }
      if (used_) add_pair(values, colliders[0], colliders[1]);
    }
  }

  void add_pair(const Values& values, int first, int second) {
    if (first < 0 || second < 0)
      return files_.note(UnusedWord::Kind::unsupported, values.own().xml(),
                         "<pair> of a geom that cannot collide here");
    const TreeCollider &a = tree_.colliders[size_t(first)], &b = tree_.colliders[size_t(second)];
    GeomContact contact = mixed(a.contact, b.contact);
    contact.condim = int(values.number("condim", contact.condim));
    const auto& [sliding, torsional, rolling] = contact.friction;
    std::array<double, 5> friction{sliding, sliding, torsional, rolling, rolling};
    values.overlay("friction", friction);
    contact.friction = {friction[0], friction[2], friction[3]};
    if (friction[0] != friction[1] || friction[3] != friction[4])
      files_.note(UnusedWord::Kind::unsupported, values.own().xml(),
                  "friction of <pair> that depends on the direction");
    CollisionPairDescription out{
        .names = {a.name, b.name}, .collide = true, .source = values.own().place()};
    set_material(contact, out);
    add(std::move(out));
  }

  Files& files_;
  const Classes& classes_;
  const bool used_;
  Tree& tree_;
  RobotDescription& robot_;
  std::unordered_map<std::string, const LinkDescription*> links_;
};

}  // namespace

void read_contacts(Files& files, const Classes& classes, const Flags& flags,
                   const RobotFileOptions& options, Tree& tree, RobotDescription& robot) {
  ContactReader(files, classes, options.collisions && flags.contact, tree, robot)
      .run(flags.filterparent);
}

}  // namespace torsor::mjcf
