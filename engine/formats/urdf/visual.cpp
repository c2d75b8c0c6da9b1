#include "torsor/formats/urdf/visual.hpp"

#include <fmt/format.h>

#include "torsor/formats/urdf/origin.hpp"

namespace torsor::urdf {

using tinyxml2::XMLElement;
using xml::Document, xml::Element, xml::readable;

namespace {

// Returns the name of an element, or "" if it has none. Some exporters write materials without
// names.
std::string name_of(const XMLElement& element) {
  const char* name = element.Attribute("name");
  return name ? name : "";
}

std::optional<Color> read_color(const Element& material) {
  const std::optional<Element> element = material.child("color");
  if (!element) return std::nullopt;
  element->need("rgba");
  const auto [r, g, b, a] = *element->numbers<4>("rgba");
  const Color color{r, g, b, a};
  if (const auto wrong = defect(color)) element->fail(*wrong, "rgba");
  return color;
}

double needed_number(const Element& element, const char* attribute) {
  element.need(attribute);
  return *element.number(attribute);
}

// Reads a shape. Returns nullopt for a kind of shape that table.cpp marks as ignored.
// owner: the name of the enclosing element.
std::optional<Shape> read_shape(const Element& geometry, const char* owner) {
  const auto box = geometry.child("box"), cylinder = geometry.child("cylinder"),
             sphere = geometry.child("sphere"), capsule = geometry.child("capsule"),
             mesh = geometry.child("mesh");
  if (geometry.is_empty())
    geometry.fail(
        "<geometry> has no shape; give it a box, a cylinder, a sphere, a capsule or a mesh");
  if (box.has_value() + cylinder.has_value() + sphere.has_value() + capsule.has_value() +
          mesh.has_value() >
      1)
    geometry.fail(fmt::format("<geometry> has more than one shape; give each its own <{}>", owner));
  const auto checked = [](const Element& element, const Shape& shape) {
    if (const auto wrong = defect(shape)) element.fail(*wrong);
    return shape;
  };
  if (box) {
    box->need("size");
    return checked(*box, Box{*box->vector("size")});
  }
  if (cylinder)
    return checked(*cylinder, Cylinder{needed_number(*cylinder, "radius"),
                                       needed_number(*cylinder, "length")});
  if (sphere) return checked(*sphere, Sphere{needed_number(*sphere, "radius")});
  if (capsule)
    return checked(*capsule,
                   Capsule{needed_number(*capsule, "radius"), needed_number(*capsule, "length")});
  if (mesh)
    return checked(*mesh,
                   MeshFile{mesh->needed_text("filename"),
                            mesh->vector("scale").value_or(Vec3<double>{1, 1, 1}), mesh->place()});
  return std::nullopt;
}

}  // namespace

Materials::Materials(const Document& document) {
  std::map<std::string, int> first_line;
  const XMLElement& robot = document.root();
  for (auto xml = robot.FirstChildElement("material"); xml;
       xml = xml->NextSiblingElement("material")) {
    const std::string name = read_name(document, *xml, "a <material> of the robot");
    const auto [first, is_new] = first_line.emplace(name, xml->GetLineNum());
    if (!is_new) fail_twin(document, "material", name, xml->GetLineNum(), first->second);
    define(name, Element(document, *xml, fmt::format("material '{}'", readable(name))));
  }
  for (auto link = robot.FirstChildElement("link"); link; link = link->NextSiblingElement("link"))
    for (auto xml = link->FirstChildElement("visual"); xml; xml = xml->NextSiblingElement("visual"))
      if (const XMLElement* material = xml->FirstChildElement("material")) {
        const Element element(document, *material,
                              fmt::format("link '{}'", readable(name_of(*link))));
        if (const std::string name = name_of(*material); !name.empty()) define(name, element);
      }
}

// Stores a material if it has a colour or a texture and its name is not yet defined.
void Materials::define(const std::string& name, const Element& material) {
  const std::optional<Color> color = read_color(material);
  if (color || material.child("texture")) colors_.emplace(name, color);
}

std::optional<Color> Materials::color_of(const Element& visual) {
  const std::optional<Element> material = visual.child("material");
  if (!material) return std::nullopt;
  if (const auto color = read_color(*material)) return color;
  const std::string name = name_of(material->xml());
  if (name.empty()) return std::nullopt;
  if (const auto found = colors_.find(name); found != colors_.end()) return found->second;
  undefined_.emplace(readable(name), material->line());
  return std::nullopt;
}

std::vector<CollisionDescription> read_collisions(const Element& link, const MeshAccess& meshes) {
  std::vector<CollisionDescription> out;
  for (const Element& element : link.children("collision")) {
    const Element geometry = element.needed_child("geometry");
    const auto shape = read_shape(geometry, "collision");
    if (!shape) continue;
    CollisionDescription collision;
    collision.X_LC = read_origin(element);
    collision.source = element.place();
    const auto* mesh = std::get_if<MeshFile>(&*shape);
    try {
      collision.shape =
          mesh ? convex_shape(
                     triangles_of(read_mesh(find_mesh(*mesh, meshes)), mesh->scale).vertices)
               : collision_shape(*shape);
    } catch (const Error& error) {
      geometry.fail(fmt::format("mesh '{}': {}", readable(mesh->file), error.what()));
    }
    out.push_back(std::move(collision));
  }
  return out;
}

std::vector<VisualDescription> read_visuals(const Element& link, Materials& materials) {
  std::vector<VisualDescription> out;
  for (const Element& visual : link.children("visual"))
    if (const auto shape = read_shape(visual.needed_child("geometry"), "visual"))
      out.push_back({read_origin(visual), *shape, materials.color_of(visual)});
  return out;
}

}  // namespace torsor::urdf
