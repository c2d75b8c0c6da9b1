// Visuals and collisions in MJCF.

#include "torsor/formats/export/mjcf/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/formats/export/numbers.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::exporting {

using tinyxml2::XMLElement;

namespace {

// Shapes that are drawn are in group 2, and those that collide are in group 3, which is not drawn.
constexpr const char *drawn_group = "2", *collision_group = "3";

XMLElement& add_geom(XMLElement& body, const Pose<double>& X, bool collides) {
  XMLElement& geom = exporting::add(body, "geom");
  set_mjcf_pose(geom, X);
  set(geom, "group", std::string(collides ? collision_group : drawn_group));
  if (collides) return geom;
  set(geom, "contype", std::string("0"));
  set(geom, "conaffinity", std::string("0"));
  return geom;
}

// Returns whether MJCF has the shape.
bool write_shape(XMLElement& geom, const CollisionShape& shape) {
  const Vec3<double>& s = shape.size;
  const auto write = [&](const char* type, const std::string& size) {
    set(geom, "type", std::string(type));
    set(geom, "size", size);
    return true;
  };
  switch (shape.kind) {
    case ShapeKind::half_space:
      return write("plane", "0 0 1");
    case ShapeKind::sphere:
      return write("sphere", number(s.x));
    case ShapeKind::box:
      return write("box", numbers(s, " "));
    case ShapeKind::capsule:
      return write("capsule", number(s.x) + " " + number(s.z));
    case ShapeKind::cylinder:
      return write("cylinder", number(s.x) + " " + number(s.z));
    case ShapeKind::ellipsoid:
      return write("ellipsoid", numbers(s, " "));
    default:
      return false;
  }
}

}  // namespace

void ShapeWriter::add(XMLElement& body, const LinkDescription& link) {
  for (size_t k = 0; k < link.visuals.size(); ++k) write_visual(body, link, k);
  for (size_t k = 0; k < link.collisions.size(); ++k) write_collision(body, link, k);
}

void ShapeWriter::write_visual(XMLElement& body, const LinkDescription& link, size_t index) {
  const VisualDescription& visual = link.visuals[index];
  const std::string subject = visual_subject(link, index);
  if (std::holds_alternative<Cone>(visual.shape)) {
    ledger_.lost(Feature::visual, subject, "MJCF has no cones");
    ledger_.lost(Feature::color, subject, "its shape is not written");
    return;
  }
  XMLElement& geom = add_geom(body, visual.X_LV, false);
  if (const auto* mesh = std::get_if<MeshFile>(&visual.shape))
    write_mesh(geom, *mesh, link);
  else
    write_shape(geom, collision_shape(visual.shape));
  if (visual.color) {
    const Color& c = *visual.color;
    set(geom, "rgba",
        fmt::format("{} {} {} {}", number(c.r), number(c.g), number(c.b), number(c.a)));
  }
  ledger_.written(Feature::visual, subject);
  ledger_.written(Feature::color, subject);
}

void ShapeWriter::write_mesh(XMLElement& geom, const MeshFile& mesh, const LinkDescription& link) {
  const std::string file = mesh_name(mesh, target_.file.parent_path());
  const std::string scale = numbers(mesh.scale, " ");
  const auto [place, is_new] =
      meshes_.emplace(file + " " + scale, fmt::format("mesh_{}", meshes_.size() + 1));
  set(geom, "type", std::string("mesh"));
  set(geom, "mesh", place->second);
  if (!is_new) return;
  XMLElement& asset = exporting::add(assets_, "mesh");
  set(asset, "name", place->second);
  set(asset, "file", file);
  set(asset, "scale", scale);
  if (file.find("://") != std::string::npos || file.ends_with(".dae") || file.ends_with(".DAE"))
    ledger_.note("mesh file", fmt::format("'{}' of link '{}'", file, link.name),
                 "written, but MuJoCo itself reads neither URLs nor .dae files");
}

void ShapeWriter::write_hull(XMLElement& geom, const ConvexHull& hull) {
  const std::string name = fmt::format("hull_{}", ++n_hulls_);
  XMLElement& asset = exporting::add(assets_, "mesh");
  set(asset, "name", name);
  std::string vertices;
  for (const Vec3<double>& v : hull.vertices)
    vertices += (vertices.empty() ? "" : " ") + numbers(v, " ");
  set(asset, "vertex", vertices);
  set(geom, "type", std::string("mesh"));
  set(geom, "mesh", name);
}

void ShapeWriter::write_collision(XMLElement& body, const LinkDescription& link, size_t index) {
  const CollisionDescription& collision = link.collisions[index];
  const std::string subject = collision_subject(link, index);
  const ContactMaterial& m = collision.material;
  XMLElement& geom = add_geom(body, collision.X_LC, true);
  if (collision.shape.hull) {
    write_hull(geom, *collision.shape.hull);
  } else if (!write_shape(geom, collision.shape)) {
    body.DeleteChild(&geom);
    ledger_.lost(Feature::collision, subject, "MJCF has no such shape");
    return;
  }
  if (!collision.name.empty()) set(geom, "name", collision.name);
  set(geom, "friction", number(m.mu) + " " + number(m.torsional) + " " + number(m.rolling));
  if (m.torsional > 0 || m.rolling > 0) set(geom, "condim", std::string(m.rolling > 0 ? "6" : "4"));
  ledger_.written(Feature::collision, subject);
  ledger_.written(Feature::collision_name, subject);
  const char* const how =
      "written, but MuJoCo combines two surfaces by the maximum, not by the geometric mean";
  ledger_.changed(Feature::mu, subject, how, Effect::contact);
  ledger_.written(Feature::torsional, subject);
  ledger_.written(Feature::rolling, subject);
}

}  // namespace torsor::exporting
