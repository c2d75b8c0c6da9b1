#include "torsor/formats/mjcf/contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "torsor/base/error.hpp"

namespace torsor::mjcf {

namespace {

bool collide(const TreeCollider& a, const TreeCollider& b) {
  return (a.contype & b.conaffinity) != 0 || (b.contype & a.conaffinity) != 0;
}

// Bounds the memory of the rules.
constexpr size_t most_rules = 300'000;

void add_masks(const Files& files, const Tree& tree, RobotDescription& robot) {
  const auto& all = tree.colliders;
  for (size_t a = 0; a < all.size(); ++a)
    for (size_t b = a + 1; b < all.size(); ++b)
      if (all[a].link != all[b].link && !collide(all[a], all[b])) {
        if (robot.collision_pairs.size() >= most_rules)
          throw Error(
              fmt::format("{}: the masks of its geoms exclude more than {} pairs; read the "
                          "file without collisions",
                          files.place(files.root()), most_rules));
        robot.collision_pairs.push_back({.names = {all[a].name, all[b].name}, .collide = false});
      }
}

bool has_colliders(const RobotDescription& robot, const std::string& link) {
  return std::ranges::any_of(robot.links, [&](const LinkDescription& each) {
    return each.name == link && !each.collisions.empty();
  });
}

// Returns the link of a body that a rule names, or "" if it has no colliders.
std::string link_of(const Tree& tree, const RobotDescription& robot, const xml::Element& element,
                    const char* attribute) {
  const auto found = tree.bodies.find(element.needed_text(attribute));
  if (found == tree.bodies.end()) element.fail("there is no such body", attribute);
  const std::string link = found->first == "world" ? "worldbody" : found->second.link;
  return has_colliders(robot, link) ? link : "";
}

void read_pair(const Values& values, const Tree& tree, RobotDescription& robot) {
  CollisionPairDescription out;
  for (size_t k = 0; k < 2; ++k) {
    const char* attribute = k == 0 ? "geom1" : "geom2";
    out.names[k] = values.own().needed_text(attribute);
    if (!std::ranges::count(tree.colliders, out.names[k], &TreeCollider::name)) return;
  }
  std::array<double, 5> friction{1, 1, 0.005, 0.0001, 0.0001};
  values.overlay("friction", friction);
  const double condim = values.number("condim", 3);
  out.collide = true;
  out.mu = condim >= 3 ? friction[0] : 0;
  out.torsional = condim >= 4 ? friction[2] : 0;
  out.rolling = condim >= 6 ? friction[3] : 0;
  out.source = values.own().place();
  robot.collision_pairs.push_back(std::move(out));
}

}  // namespace

void read_contacts(Files& files, const Classes& classes, const Tree& tree,
                   RobotDescription& robot) {
  add_masks(files, tree, robot);
  for (const XMLElement* xml : files.all("contact", "exclude")) {
    const xml::Element element = files.element(*xml, owner_of(*xml));
    const std::string a = link_of(tree, robot, element, "body1"),
                      b = link_of(tree, robot, element, "body2");
    if (!a.empty() && !b.empty() && a != b)
      robot.collision_pairs.push_back(
          {.names = {a, b}, .collide = false, .source = element.place()});
  }
  for (const XMLElement* xml : files.all("contact", "pair"))
    read_pair(Values(files, classes, *xml, "", owner_of(*xml)), tree, robot);
}

}  // namespace torsor::mjcf
