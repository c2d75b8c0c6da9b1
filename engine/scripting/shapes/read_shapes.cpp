#include "torsor/scripting/shapes/read_shapes.hpp"

#include <fmt/format.h>

#include "torsor/scripting/objects/scene.hpp"
#include "torsor/scripting/sandbox/access.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::lua {

namespace {

// Reads a mesh. The key scale is one number, or a list of one number per axis.
MeshFile read_mesh(const TableReader& visual, const std::string& source) {
  MeshFile out{.file = visual.text("mesh"), .source = source};
  if (!visual.has("scale")) return out;
  if (visual.is_list("scale")) {
    out.scale = visual.vector("scale");
  } else {
    const double scale = visual.number("scale");
    out.scale = {scale, scale, scale};
  }
  return out;
}

Shape read_shape(const TableReader& visual, const std::string& source) {
  const std::string kind =
      visual.one_of({"box", "cylinder", "sphere", "capsule", "cone", "ellipsoid", "mesh"});
  if (kind == "mesh") return read_mesh(visual, source);
  if (visual.has("scale"))
    visual.fail(fmt::format("has scale and is a {}; only a mesh has a scale", kind));
  if (kind == "box") return Box{visual.vector("box")};
  if (kind == "sphere") return Sphere{visual.table("sphere", {"radius"}).number("radius")};
  if (kind == "ellipsoid") return Ellipsoid{visual.vector("ellipsoid")};
  const TableReader round = visual.table(kind.c_str(), {"radius", "length"});
  const double radius = round.number("radius"), length = round.number("length");
  if (kind == "capsule") return Capsule{radius, length};
  if (kind == "cone") return Cone{radius, length};
  return Cylinder{radius, length};
}

Color read_color(const TableReader& visual) {
  const std::vector<double> parts = visual.numbers("color");
  if (parts.size() != 3 && parts.size() != 4)
    visual.place().inside("color").fail(
        fmt::format("has {} entries; give {{r, g, b}} or {{r, g, b, a}}", parts.size()));
  return {parts[0], parts[1], parts[2], parts.size() == 4 ? parts[3] : 1};
}

}  // namespace

std::vector<VisualDescription> read_visuals(const TableReader& link, const std::string& source) {
  std::vector<VisualDescription> out;
  link.each_entry("visuals", "a list of tables", [&](int entry, const Place& place) {
    Sandbox::of(link.state()).charge_memory(link.state(), bytes_per_visual);
    const TableReader visual(link.state(), entry, place,
                             {"box", "cylinder", "sphere", "capsule", "cone", "ellipsoid", "mesh",
                              "scale", "origin", "color"});
    out.push_back({visual.has("origin") ? read_pose(visual, "origin") : Pose<double>::identity(),
                   read_shape(visual, source),
                   visual.has("color") ? std::optional(read_color(visual)) : std::nullopt});
  });
  return out;
}

MeshAccess mesh_access(lua_State* L, const char* call) {
  return {named_file(L, ""),
          [L, call](const std::filesystem::path& file, const std::string&) {
            require_readable_by_script(L, file, call);
            return true;
          },
          {},
          [L](const std::filesystem::path& file) { Sandbox::of(L).note_file(L, file); },
          true};
}

namespace {

CollisionShape read_points(const TableReader& table) {
  std::vector<Vec3<double>> points;
  table.each_entry("convex", "a list of points", [&](int entry, const Place& place) {
    const std::vector<double> p = numbers_at(table.state(), entry, place, 3);
    points.push_back({p[0], p[1], p[2]});
  });
  return convex_shape(points);
}

CollisionShape read_hull(const TableReader& table, const std::string& source) {
  const MeshFile mesh = read_mesh(table, source);
  if (const auto wrong = defect(Shape(mesh))) throw Error(*wrong);
  return convex_shape(
      triangles_of(torsor::read_mesh(find_mesh(mesh, mesh_access(table.state(), "arm:link"))),
                   mesh.scale)
          .vertices);
}

// The rows are along x, from the least y on.
CollisionShape read_height_field(const TableReader& table) {
  const TableReader field = table.table("height_field", {"heights", "size"});
  const std::vector<double> size = field.numbers("size", 2);
  HeightField out{};
  field.each_entry("heights", "a list of rows of numbers", [&](int entry, const Place& place) {
    const std::vector<double> row = numbers_at(table.state(), entry, place);
    if (out.n_y > 0 && int(row.size()) != out.n_x)
      place.fail(fmt::format("has {} heights; the first row has {}", row.size(), out.n_x));
    out.n_x = int(row.size());
    ++out.n_y;
    Sandbox::of(table.state()).charge_memory(table.state(), row.size() * sizeof(double));
    out.heights.insert(out.heights.end(), row.begin(), row.end());
  });
  out.spacing_x = size[0] / (out.n_x - 1);
  out.spacing_y = size[1] / (out.n_y - 1);
  return {ShapeKind::height_field, {}, nullptr, std::make_shared<const HeightField>(out)};
}

// Reads the shape, and turns X so that its z axis is the normal of a half space.
CollisionShape read_collision_shape(const TableReader& table, const std::string& source,
                                    Pose<double>& X) {
  const std::string kind =
      table.one_of({"box", "cylinder", "sphere", "capsule", "cone", "ellipsoid", "mesh",
                    "half_space", "convex", "height_field"});
  if (kind != "mesh" && table.has("scale"))
    table.fail(fmt::format("has scale and is a {}; only a mesh has a scale", kind));
  if (kind == "mesh") return read_hull(table, source);
  if (kind == "convex") return read_points(table);
  if (kind == "height_field") return read_height_field(table);
  if (kind != "half_space") return collision_shape(read_shape(table, source));
  const Vec3<double> normal = table.vector("half_space");
  if (!(norm(normal) > 0))
    table.place().inside("half_space").fail("has no direction; give the outward normal");
  X.R = X.R * rotation_z_to((1 / norm(normal)) * normal);
  return {ShapeKind::half_space};
}

}  // namespace

CollisionDescription read_collision(lua_State* L, int index, const Place& place,
                                    const std::string& source, std::string* link) {
  Sandbox::of(L).charge_memory(L, bytes_per_visual);
  std::vector<const char*> keys{
      "box",        "cylinder",     "sphere",      "capsule",   "cone",      "ellipsoid", "mesh",
      "half_space", "convex",       "scale",       "name",      "origin",    "group",     "mu",
      "rolling",    "height_field", "restitution", "torsional", "stiffness", "damping"};
  if (link) keys.push_back("link");
  const TableReader table(L, index, place, keys);
  CollisionDescription out;
  if (link) *link = table.text("link");
  out.name = table.text_or("name", "");
  out.group = table.text_or("group", "");
  if (table.has("origin")) out.X_LC = read_pose(table, "origin");
  try {
    out.shape = read_collision_shape(table, source, out.X_LC);
  } catch (const Error& error) {
    // Errors of the table name their place already.
    if (std::string_view(error.what()).find(place.owner) != std::string_view::npos) throw;
    table.fail(error.what());
  }
  ContactMaterial& material = out.material;
  material.mu = table.number_or("mu", material.mu);
  material.restitution = table.number_or("restitution", material.restitution);
  material.torsional = table.number_or("torsional", material.torsional);
  material.rolling = table.number_or("rolling", material.rolling);
  material.stiffness = table.number_or("stiffness", material.stiffness);
  material.damping = table.number_or("damping", material.damping);
  out.source = source;
  return out;
}

std::vector<CollisionDescription> read_collisions(const TableReader& link,
                                                  const std::string& source) {
  std::vector<CollisionDescription> out;
  link.each_entry("collisions", "a list of tables", [&](int entry, const Place& place) {
    out.push_back(read_collision(link.state(), entry, place, source));
  });
  return out;
}

CollisionPairDescription read_collision_pair(lua_State* L, int index, const char* call,
                                             const std::string& source) {
  Sandbox::of(L).charge_memory(L, bytes_per_setting);
  const TableReader table(
      L, index, {call, ""},
      {"collide", "mu", "restitution", "torsional", "rolling", "stiffness", "damping"}, 2);
  CollisionPairDescription out;
  for (int side : {0, 1}) out.names[side] = table.positional_text(side + 1);
  if (table.has("collide")) out.collide = table.flag_or("collide", true);
  for (const auto& [key, value] : {std::pair{"mu", &out.mu},
                                   {"restitution", &out.restitution},
                                   {"torsional", &out.torsional},
                                   {"rolling", &out.rolling},
                                   {"stiffness", &out.stiffness},
                                   {"damping", &out.damping}})
    if (table.has(key)) *value = table.number(key);
  out.source = source;
  return out;
}

}  // namespace torsor::lua
