#include "torsor/formats/sdf/link.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/base/error.hpp"
#include "torsor/formats/mesh/solid_inertia.hpp"
#include "torsor/formats/sdf/shape.hpp"
#include "torsor/model/inertia.hpp"

namespace torsor::sdf {

using xml::Element;

namespace {

// The value of a missing <mass>, kg, and of a missing moment of inertia, kg m^2.
constexpr double default_mass = 1, default_moment = 1;
constexpr double density_of_water = 1000;  // kg/m^3, the default of SDF

void add(AssumedInertias& list, const LinkNode& link, const Element& element) {
  if (list.links.empty()) list.source = element.place();
  list.links.push_back(scoped_name(*link.scope, link.name));
}

Sym3<double> read_moments(const Element& inertial) {
  const auto inertia = inertial.child("inertia");
  const auto value = [&](const char* name, double otherwise) {
    return inertia ? number_in(*inertia, name, otherwise) : otherwise;
  };
  return {value("ixx", default_moment),
          value("iyy", default_moment),
          value("izz", default_moment),
          value("ixy", 0),
          value("ixz", 0),
          value("iyz", 0)};
}

// Returns whether colliders of a link collide with others of its model.
bool collides_with_itself(const LinkNode& link) {
  if (const auto flag = link.element.child("self_collide")) return read_flag(*flag);
  for (const Scope* scope = link.scope; !scope->is_world(); scope = scope->parent)
    if (const auto flag = scope->element.child("self_collide")) return read_flag(*flag);
  return false;
}

std::string model_in_world(const LinkNode& link) {
  const Scope* scope = link.scope;
  while (!scope->parent->is_world()) scope = scope->parent;
  return scope->name;
}

}  // namespace

LinkDescription LinkReader::read(const LinkNode& link) {
  LinkDescription out;
  const Element& element = link.element;
  out.name = scoped_name(*link.scope, link.name);
  out.source = element.place();
  if (const auto inertial = element.child("inertial")) {
    out.inertia = read_inertial(link, *inertial);
    out.inertia_source = inertial->place();
  } else {
    const Sym3<double> I{default_moment, default_moment, default_moment, 0, 0, 0};
    out.inertia = inertia_about_com(default_mass, {0, 0, 0}, I);
    if (!is_fixed(*link.scope)) add(without_inertial_, link, element);
  }
  out.visuals = read_visuals(link, out.shapes_left_out);
  if (options_.collisions) out.collisions = read_collisions(link);
  note_motion_words(link);
  return out;
}

// Reads the inertia of a link and converts it to the link frame L, about its origin. In the file,
// it is about the COM, in the axes of a frame C at the COM: I_com = R_LC I_C R_LC^T.
SpatialInertia<double> LinkReader::read_inertial(const LinkNode& link, const Element& element) {
  if (element.has("auto") && read_flag(element, "auto"))
    return inertia_of_collisions(link, element);
  if (element.child("density"))
    loader_.note(*element.child("density"), UnusedWord::Kind::ignored,
                 "<density> of an <inertial> without auto");
  const WrittenPose pose = read_pose(element);
  if (!pose.relative_to.empty())
    loader_.note(*element.child("pose"), UnusedWord::Kind::ignored,
                 "frame of the <pose> of <inertial>");
  if (!is_fixed(*link.scope) && (!element.child("mass") || !element.child("inertia")))
    add(incomplete_, link, element);
  const double mass = not_negative_in(element, "mass").value_or(default_mass);
  return inertia_about_com(mass, pose.X.p, rotate(pose.X.R, read_moments(element)));
}

// Returns the inertia of the collisions, filled with their densities. A <mass> scales it.
SpatialInertia<double> LinkReader::inertia_of_collisions(const LinkNode& link,
                                                         const Element& element) {
  for (const char* word : {"pose", "inertia"})
    if (const auto found = element.child(word))
      loader_.note(*found, UnusedWord::Kind::ignored,
                   fmt::format("<{}> of an <inertial> with auto", word));
  const double density = not_negative_in(element, "density").value_or(density_of_water);
  auto sum = SpatialInertia<double>::zero();
  for (const Element& collision : link.element.children("collision")) {
    const Element geometry = collision.needed_child("geometry");
    const auto shape = read_shape(geometry, "collision");
    if (!shape) {
      loader_.note(geometry, UnusedWord::Kind::unsupported,
                   "<geometry> without a volume, for an <inertial> with auto");
      continue;
    }
    try {
      sum = sum + solid_inertia({{pose_in_link(link, collision), *shape, std::nullopt}},
                                not_negative_in(collision, "density").value_or(density),
                                options_.meshes);
    } catch (const Error& error) {
      if (!std::holds_alternative<MeshFile>(*shape)) throw;
      geometry.fail(error.what());
    }
  }
  if (!(sum.m > 0))
    element.fail(
        "auto needs a <collision> with a volume and a density, from which the inertia is computed; "
        "add one");
  const auto mass = not_negative_in(element, "mass");
  return mass ? *mass / sum.m * sum : sum;
}

// Returns the pose of a visual or collision in the frame of its link.
Pose<double> LinkReader::pose_in_link(const LinkNode& link, const Element& element) {
  const WrittenPose pose = read_pose(element);
  if (pose.relative_to.empty()) return pose.X;
  const Frame frame =
      frames_.find(*link.scope, pose.relative_to,
                   {*pose.document, pose.line, fmt::format("link '{}': the pose", link.name)});
  return inverse(frames_.pose_in_world({.link = &link})) * frames_.pose_in_world(frame) * pose.X;
}

std::vector<VisualDescription> LinkReader::read_visuals(const LinkNode& link, bool& left_out) {
  std::vector<VisualDescription> out;
  for (const Element& visual : link.element.children("visual")) {
    if (!visual.child("geometry")) {
      loader_.note(visual, UnusedWord::Kind::ignored, "<visual> without <geometry>");
      continue;
    }
    const Element geometry = visual.needed_child("geometry");
    if (const auto shape = read_shape(geometry, "visual")) {
      out.push_back({pose_in_link(link, visual), *shape, read_color(visual)});
      continue;
    }
    left_out = true;
    if (const auto plane = geometry.child("plane"))
      loader_.note(*plane, UnusedWord::Kind::ignored, "<plane> of <visual>");
  }
  return out;
}

// Reads the colliders of a link. Those of a model are in one group, and do not collide, unless
// self_collide is true for one of the two links.
std::vector<CollisionDescription> LinkReader::read_collisions(const LinkNode& link) {
  std::vector<CollisionDescription> out;
  for (const Element& element : link.element.children("collision")) {
    CollisionDescription collision;
    Pose<double> X_GC = Pose<double>::identity();
    const auto shape =
        read_collision_shape(element.needed_child("geometry"), options_.meshes, X_GC);
    if (!shape) continue;
    collision.shape = *shape;
    collision.X_LC = pose_in_link(link, element) * X_GC;
    collision.material = read_surface(element, loader_);
    if (!collides_with_itself(link)) collision.group = model_in_world(link);
    collision.source = element.place();
    out.push_back(std::move(collision));
  }
  return out;
}

// Notes the words of a link that affect its motion and that the engine does not model.
void LinkReader::note_motion_words(const LinkNode& link) {
  const Element& element = link.element;
  using enum UnusedWord::Kind;
  if (is_fixed(*link.scope)) return;
  if (const auto gravity = element.child("gravity"); gravity && !read_flag(*gravity))
    loader_.note(*gravity, unsupported, "<gravity> false of a <link>");
  if (const auto kinematic = element.child("kinematic"); kinematic && read_flag(*kinematic))
    loader_.note(*kinematic, unsupported, "<kinematic> true of a <link>");
  if (const auto decay = element.child("velocity_decay"))
    if (number_in(*decay, "linear", 0) != 0 || number_in(*decay, "angular", 0) != 0)
      loader_.note(*decay, unsupported, "<velocity_decay>");
}

}  // namespace torsor::sdf
