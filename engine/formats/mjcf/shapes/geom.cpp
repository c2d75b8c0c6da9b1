#include "torsor/formats/mjcf/shapes/geom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "torsor/shapes/shape_inertia.hpp"

namespace torsor::mjcf {

namespace {

constexpr std::string_view type_names[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                           "cylinder", "box",    "mesh",   "sdf"};

// Returns the shape of a type with MuJoCo's sizes, which are half lengths.
std::optional<Shape> shape_of(GeomType type, const Vec3<double>& size) {
  switch (type) {
    case GeomType::sphere:
      return Sphere{size.x};
    case GeomType::capsule:
      return Capsule{size.x, 2 * size.y};
    case GeomType::ellipsoid:
      return Ellipsoid{size};
    case GeomType::cylinder:
      return Cylinder{size.x, 2 * size.y};
    case GeomType::box:
      return Box{2.0 * size};
    case GeomType::plane:
    case GeomType::hfield:
    case GeomType::mesh:
    case GeomType::sdf:
      break;
  }
  return std::nullopt;
}

// Places a shape between two points: its z axis points from the second to the first, and its half
// length is `length`.
void place_between(const Values& values, Geom& geom, Vec3<double>& size) {
  const bool round = geom.type == GeomType::capsule || geom.type == GeomType::cylinder;
  const bool square = geom.type == GeomType::ellipsoid || geom.type == GeomType::box;
  if (!round && !square)
    values.own().fail(
        fmt::format("fromto is for a capsule, cylinder, ellipsoid or box; this geom is a {}",
                    type_names[size_t(geom.type)]),
        "fromto");
  const auto p = *values.numbers<6>("fromto");
  const Vec3<double> a{p[0], p[1], p[2]}, b{p[3], p[4], p[5]}, along = a - b;
  const double half = 0.5 * norm(along);
  if (!(half > 1e-14)) values.own().fail("both points of fromto are the same", "fromto");
  geom.X_BG = {smallest_rotation_z_to(along), 0.5 * (a + b)};
  size = round ? Vec3<double>{size.x, half, 0} : Vec3<double>{size.x, size.x, half};
}

// Returns the sizes of a primitive shape with the inertia of a mesh.
Vec3<double> fitted_size(GeomType type, const Vec3<double>& box) {
  const double radius = 0.5 * (box.x + box.y);
  switch (type) {
    case GeomType::sphere:
      return {(box.x + box.y + box.z) / 3, 0, 0};
    case GeomType::capsule:
      return {radius, std::max(0.0, box.z - 0.5 * radius), 0};
    case GeomType::cylinder:
      return {radius, box.z, 0};
    default:
      return box;
  }
}

// A bounding box along the principal axes of a mesh, and the distances of its points from the
// centre of the box: in space, from the z axis, and along z.
struct FittedBox {
  Vec3<double> centre, half;
  double radius = 0, radius_z = 0, half_capsule = 0;
};
FittedBox fitted_box(Mesh& mesh, const Pose<double>& X_MB) {
  const Pose<double> X_BM = inverse(X_MB);
  std::vector<Vec3<double>> points;
  Vec3<double> low{1e300, 1e300, 1e300}, high = -low;
  for (const Vec3<double>& v : mesh.triangles().vertices) {
    const Vec3<double> p = points.emplace_back(X_BM * v);
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  FittedBox out{0.5 * (low + high), 0.5 * (high - low)};
  for (Vec3<double>& p : points) {
    p -= out.centre;
    out.radius = std::max(out.radius, norm(p));
    out.radius_z = std::max(out.radius_z, std::hypot(p.x, p.y));
  }
  for (const Vec3<double>& p : points) {
    const double across = p.x * p.x + p.y * p.y;
    const double cap = std::sqrt(std::max(0.0, out.radius_z * out.radius_z - across));
    out.half_capsule = std::max(out.half_capsule, std::abs(p.z) - cap);
  }
  return out;
}

Vec3<double> size_in(GeomType type, const FittedBox& box) {
  switch (type) {
    case GeomType::sphere:
      return {box.radius, 0, 0};
    case GeomType::capsule:
      return {box.radius_z, box.half_capsule, 0};
    case GeomType::cylinder:
      return {box.radius_z, box.half.z, 0};
    default:
      return box.half;
  }
}

// Fits a primitive shape to a mesh, and moves the geom to the principal axes of the mesh.
void fit(const Values& values, const Compiler& compiler, Mesh& mesh, Geom& geom,
         Vec3<double>& size) {
  const MeshInertia& inertia = mesh.inertia(geom.shell);
  Pose<double> X_MG = inertia.X_MB;
  if (compiler.fit_box) {
    const FittedBox box = fitted_box(mesh, inertia.X_MB);
    X_MG = X_MG * translation(box.centre);
    size = size_in(geom.type, box);
  } else {
    size = fitted_size(geom.type, inertia.box);
  }
  size = values.number("fitscale", 1) * size;
  geom.X_BG = geom.X_BG * X_MG;
}

void read_shape(GeomContext& context, const Values& values, Geom& geom) {
  std::array<double, 3> given{};
  values.overlay("size", given);
  Vec3<double> size{given[0], given[1], given[2]};
  const bool named = values.has("mesh") && !values.text("mesh").empty();
  if (values.has("fromto"))
    place_between(values, geom, size);
  else
    geom.X_BG = read_pose(values, context.compilers.of(values.own().xml()));
  if (geom.type == GeomType::mesh || geom.type == GeomType::sdf) {
    if (!named) values.own().fail("a geom of type mesh needs the attribute mesh");
    geom.mesh = &context.meshes.find(*values.with("mesh"));
  } else if (named && geom.type != GeomType::plane && geom.type != GeomType::hfield) {
    fit(values, context.compilers.of(values.own().xml()), context.meshes.find(*values.with("mesh")),
        geom, size);
  }
  if (geom.mesh && geom.mesh->is_generated()) {  // the table of words notes it
    geom.mesh = nullptr;
    geom.mass = 0;
  }
  geom.shape = shape_of(geom.type, size);
  if (geom.shape)
    if (const auto wrong = defect(*geom.shape)) values.own().fail(*wrong);
}

void read_color(const GeomContext& context, const Values& values, Geom& geom) {
  if (const auto found = context.materials.find(values.text("material"));
      found != context.materials.end())
    geom.color = found->second;
  const auto rgba = values.numbers<4>("rgba");
  if (!rgba) return;
  const auto& [r, g, b, a] = *rgba;
  const Color color{r, g, b, a};
  if (!defect(color)) geom.color = color;
}

void read_contact(const Values& values, Geom& geom) {
  const auto whole = [&](const char* attribute, int otherwise) {
    return int(std::clamp(values.number(attribute, otherwise), -2147483648.0, 2147483647.0));
  };
  GeomContact& out = geom.contact;
  out.contype = whole("contype", out.contype);
  out.conaffinity = whole("conaffinity", out.conaffinity);
  out.priority = whole("priority", out.priority);
  out.condim = whole("condim", out.condim);
  values.overlay("friction", out.friction);
  if (const auto wrong = value_defect(material_of(out))) values.own().fail(*wrong, "friction");
}

}  // namespace

std::map<std::string, Color> read_materials(const Files& files, const Classes& classes) {
  std::map<std::string, Color> out;
  for (const XMLElement* xml : files.all("asset", "material")) {
    const char* name = xml->Attribute("name");
    const Values values(files, classes, *xml, "", "<material>");
    const auto rgba = values.numbers<4>("rgba");
    if (!name || !rgba) continue;
    const auto& [r, g, b, a] = *rgba;
    if (const Color color{r, g, b, a}; !defect(color)) out.emplace(name, color);
  }
  return out;
}

Geom read_geom(GeomContext& context, const XMLElement& xml, const std::string& childclass,
               const std::string& owner) {
  const Values values(context.files, context.classes, xml, childclass, owner);
  Geom geom;
  geom.name = values.own().has("name") ? values.own().needed_text("name") : "";
  geom.source = values.own().place();
  geom.type = GeomType(values.word("type", type_names, size_t(GeomType::sphere)));
  geom.shell = values.flag("shellinertia", false);
  if (values.has("mass")) geom.mass = values.not_negative("mass", 0);
  geom.density = values.not_negative("density", 1000);
  geom.group = int(std::clamp(values.number("group", 0), -1e6, 1e6));
  read_shape(context, values, geom);
  if (geom.mesh && geom.mesh->rule() == Mesh::Rule::shell) geom.shell = true;
  read_color(context, values, geom);
  read_contact(values, geom);
  return geom;
}

ContactMaterial material_of(const GeomContact& contact) {
  ContactMaterial out;
  out.mu = contact.friction[0];
  out.torsional = contact.condim >= 4 ? contact.friction[1] : 0;
  out.rolling = contact.condim >= 6 ? contact.friction[2] : 0;
  return out;
}

bool has_legacy_mass(const Geom& geom) {
  return geom.mesh && !geom.mass && geom.density > 0 && !geom.shell &&
         geom.mesh->rule() == Mesh::Rule::legacy;
}

SpatialInertia<double> inertia_of(const Geom& geom) {
  if (geom.mass ? *geom.mass == 0 : geom.density == 0) return SpatialInertia<double>::zero();
  if (geom.mesh) {
    const MeshInertia& mesh = geom.mesh->inertia(geom.shell);
    const Vec3<double>& box = mesh.box;
    const double amount = has_legacy_mass(geom) ? 8 * box.x * box.y * box.z : mesh.amount;
    return geom.mass.value_or(geom.density * amount) * transform(geom.X_BG, mesh.unit);
  }
  if (!geom.shape) return SpatialInertia<double>::zero();
  const double amount = volume(*geom.shape);
  if (geom.mass && amount <= 1e-15) return SpatialInertia<double>::zero();  // as in MuJoCo
  const double density = geom.mass ? *geom.mass / amount : geom.density;
  return transform(geom.X_BG, torsor::inertia_of(*geom.shape, density));
}

std::optional<VisualDescription> visual_of(const Geom& geom) {
  if (geom.shape) return VisualDescription{geom.X_BG, *geom.shape, geom.color};
  if (!geom.mesh) return std::nullopt;
  const auto visual = geom.mesh->visual();
  if (!visual) return std::nullopt;
  return VisualDescription{geom.X_BG * visual->second, visual->first, geom.color};
}

std::optional<CollisionDescription> collision_of(const Geom& geom) {
  CollisionDescription out;
  out.name = geom.name;
  out.X_LC = geom.X_BG;
  out.material = material_of(geom.contact);
  out.source = geom.source;
  if (geom.shape)
    out.shape = collision_shape(*geom.shape);
  else if (geom.mesh)
    out.shape = convex_shape(geom.mesh->triangles().vertices);
  else if (geom.type == GeomType::plane)
    out.shape.kind = ShapeKind::half_space;
  else
    return std::nullopt;
  return out;
}

}  // namespace torsor::mjcf
