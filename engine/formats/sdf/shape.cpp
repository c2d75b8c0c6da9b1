#include "torsor/formats/sdf/shape.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/base/error.hpp"
#include "torsor/formats/sdf/values.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::sdf {

using xml::Element, xml::readable;

namespace {

constexpr const char* shape_names[] = {"box",       "cylinder",  "sphere",   "capsule",
                                       "cone",      "ellipsoid", "mesh",     "plane",
                                       "heightmap", "image",     "polyline", "empty"};

// Returns the element of the shape in a <geometry>. Throws Error unless there is exactly one.
Element shape_of(const Element& geometry, const char* owner) {
  std::optional<Element> out;
  for (const char* name : shape_names)
    if (const auto shape = geometry.child(name)) {
      if (out)
        geometry.fail(
            fmt::format("<geometry> has more than one shape; give each its own <{}>", owner));
      out.emplace(*shape);
    }
  if (!out) geometry.fail("<geometry> has no shape that SDF knows; give it a box or a mesh");
  return *out;
}

Shape checked(const Element& element, const Shape& shape) {
  if (const auto wrong = defect(shape)) element.fail(*wrong);
  return shape;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view name_of(const Element& element) {
  return element.xml().Name();
}

}  // namespace

std::optional<Shape> read_shape(const Element& geometry, const char* owner) {
  const Element shape = shape_of(geometry, owner);
  const std::string_view name = name_of(shape);
  const auto number = [&](const char* child) { return needed_number_in(shape, child); };
  if (name == "box") return checked(shape, Box{needed_vector_in(shape, "size")});
  if (name == "cylinder") return checked(shape, Cylinder{number("radius"), number("length")});
  if (name == "sphere") return checked(shape, Sphere{number("radius")});
  if (name == "capsule") return checked(shape, Capsule{number("radius"), number("length")});
  if (name == "cone") return checked(shape, Cone{number("radius"), number("length")});
  if (name == "ellipsoid") return checked(shape, Ellipsoid{needed_vector_in(shape, "radii")});
  if (name != "mesh") return std::nullopt;
  const Vec3<double> scale =
      shape.child("scale") ? needed_vector_in(shape, "scale") : Vec3<double>{1, 1, 1};
  return checked(shape, MeshFile{shape.needed_child("uri").text(), scale, shape.place()});
}

std::optional<CollisionShape> read_collision_shape(const Element& geometry,
                                                   const MeshAccess& meshes, Pose<double>& X_GC) {
  if (const auto plane = geometry.child("plane")) {
    const Vec3<double> n =
        plane->child("normal") ? needed_vector_in(*plane, "normal") : Vec3<double>{0, 0, 1};
    const double length = norm(n);
    if (!(length > 0)) plane->fail("the <normal> is zero; give it a direction");
    X_GC = {rotation_z_to((1 / length) * n), {0, 0, 0}};
    return CollisionShape{ShapeKind::half_space};
  }
  const auto shape = read_shape(geometry, "collision");
  if (!shape) return std::nullopt;
  const auto* mesh = std::get_if<MeshFile>(&*shape);
  if (!mesh) return collision_shape(*shape);
  try {
    return convex_shape(triangles_of(read_mesh(find_mesh(*mesh, meshes)), mesh->scale).vertices);
  } catch (const Error& error) {
    geometry.fail(fmt::format("mesh '{}': {}", readable(mesh->file), error.what()));
  }
}

namespace {

// Reads r, g, b, and a if it is given.
Color color_in(const Element& element) {
  const std::string text = element.text();
  const auto words = 1 + std::ranges::count_if(text, [&, before = 'x'](char c) mutable {
                       const bool starts = is_space(before) && !is_space(c);
                       before = c;
                       return starts;
                     });
  Color out{0, 0, 0, 1};
  if (words == 3) {
    const auto [r, g, b] = element.text_numbers<3>();
    out = {r, g, b, 1};
  } else {
    const auto [r, g, b, a] = element.text_numbers<4>();
    out = {r, g, b, a};
  }
  if (const auto wrong = defect(out)) element.fail(*wrong);
  return out;
}

}  // namespace

std::optional<Color> read_color(const Element& visual) {
  const double opacity = 1 - std::clamp(number_in(visual, "transparency", 0), 0.0, 1.0);
  const auto material = visual.child("material");
  if (!material) return std::nullopt;
  for (const char* name : {"diffuse", "ambient"})
    if (const auto element = material->child(name)) {
      Color out = color_in(*element);
      out.a *= opacity;
      return out;
    }
  return std::nullopt;
}

ContactMaterial read_surface(const Element& collision, Loader& loader) {
  ContactMaterial out;
  out.mu = 1;  // the default of SDF
  const auto surface = collision.child("surface");
  if (!surface) return out;
  if (const auto friction = surface->child("friction"))
    if (const auto ode = friction->child("ode")) {
      out.mu = not_negative_in(*ode, "mu").value_or(out.mu);
      if (const auto mu2 = not_negative_in(*ode, "mu2"); mu2 && *mu2 != out.mu)
        loader.note(*ode->child("mu2"), UnusedWord::Kind::unsupported, "<mu2> other than <mu>");
    }
  if (const auto bounce = surface->child("bounce"))
    out.restitution = not_negative_in(*bounce, "restitution_coefficient").value_or(0);
  if (const auto wrong = value_defect(out)) surface->fail(*wrong);
  return out;
}

}  // namespace torsor::sdf
