#include "torsor/formats/mjcf/shapes/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/formats/mjcf/shapes/mesh_inertia.hpp"
#include "torsor/formats/mjcf/shapes/obj.hpp"
#include "torsor/shapes/convex_hull.hpp"

namespace torsor::mjcf {

namespace {

namespace fs = std::filesystem;

constexpr size_t most_vertices = 1'000'000;

// Returns the path of a mesh file relative to the folder of the main file.
std::string path_of(const std::string& given, const Compiler& compiler) {
  std::string file = given;
  if (compiler.strip_path) file = file.substr(file.find_last_of("/\\") + 1);
  if (fs::path(file).is_absolute()) return file;
  return (fs::path(compiler.mesh_folder) / file).string();
}

Mesh::Rule read_rule(const Values& values, const Compiler& compiler) {
  constexpr std::string_view rules[] = {"legacy", "exact", "convex", "shell"};
  const auto standard = compiler.exact_mesh_inertia ? Mesh::Rule::exact : Mesh::Rule::legacy;
  return Mesh::Rule(values.word("inertia", rules, size_t(standard)));
}

Vec3<double> rounded(const Vec3<double>& p) {
  return {float(p.x), float(p.y), float(p.z)};
}

// Returns the name of a mesh: that of its file without the extension if it has none.
std::string mesh_name(const XMLElement& xml) {
  const char *name = xml.Attribute("name"), *file = xml.Attribute("file");
  if (name && *name) return name;
  return file ? fs::path(file).stem().string() : "";
}

}  // namespace

Mesh::Mesh(const Values& values, const Files& files, const Compiler& compiler,
           const MeshAccess& access)
    : element_(values.own()),
      access_(access),
      scale_(values.vector("scale", {1, 1, 1})),
      refpos_(values.vector("refpos", {0, 0, 0})),
      refquat_(Mat3<double>::identity()),
      rule_(read_rule(values, compiler)) {
  const std::string file = values.text("file");
  if (!file.empty())
    file_ = {path_of(file, compiler), scale_, files.place_in_main_file(values.own().xml())};
  if (const auto q = values.numbers<4>("refquat")) {
    const auto& [w, x, y, z] = *q;
    if (w * w + x * x + y * y + z * z > 0) refquat_ = rotation(w, x, y, z);
  }
}

void Mesh::fail(const std::string& text) const {
  if (file_.file.empty()) element_.fail(text);
  element_.fail(fmt::format("'{}': {}", xml::readable(file_.file), text), "file");
}

const Triangles& Mesh::triangles() {
  if (!triangles_) triangles_ = read();
  return *triangles_;
}

Triangles Mesh::read() const {
  Triangles out;
  if (!file_.file.empty()) {
    try {
      const fs::path path = find_mesh(file_, access_);
      std::string extension = path.extension().string();
      for (char& c : extension) c = char(std::tolower(static_cast<unsigned char>(c)));
      out = extension == ".obj" ? read_obj(path) : triangles_of(read_mesh(path), {1, 1, 1});
    } catch (const Error& error) {
      fail(error.what());
    }
  }
  if (element_.has("vertex")) {
    const std::vector<double> v = element_.list("vertex", 3 * most_vertices);
    if (v.size() % 3 != 0 || v.size() < 12)
      element_.fail("vertex of <mesh> needs three numbers for each of at least four vertices",
                    "vertex");
    for (size_t k = 0; k < v.size(); k += 3)
      out.vertices.push_back(rounded({v[k], v[k + 1], v[k + 2]}));
  }
  if (element_.has("face")) {
    const std::vector<double> corners = element_.list("face", 3 * most_vertices);
    for (const double c : corners)
      if (!(c >= 0 && c < double(out.vertices.size()) && c == std::floor(c)))
        element_.fail(
            fmt::format("face of <mesh> contains {}, which is not the index of a vertex", c),
            "face");
    for (size_t k = 0; k + 2 < corners.size(); k += 3)
      out.corners.push_back(
          {uint32_t(corners[k]), uint32_t(corners[k + 1]), uint32_t(corners[k + 2])});
  }
  if (out.vertices.empty()) element_.fail("a <mesh> needs a file or vertices");
  if (out.corners.empty() || rule_ == Rule::convex) hull(out);
  place(out);
  return out;
}

// Replaces the triangles by those of the convex hull.
void Mesh::hull(Triangles& out) const {
  try {
    const ConvexHull hull = convex_hull(out.vertices);
    out = {hull.vertices, {}};
    for (size_t f = 0; f < hull.n_face(); ++f) {
      const auto face = hull.face(f);
      for (size_t k = 2; k < face.size(); ++k)
        out.corners.push_back({face[0], face[k - 1], face[k]});
    }
  } catch (const Error& error) {
    fail(error.what());
  }
}

// Moves, turns and scales the vertices in this order, in single precision as MuJoCo does. In a
// mirror image of a file, the triangles are reversed; triangles in the element stay as they are.
void Mesh::place(Triangles& out) const {
  for (Vec3<double>& p : out.vertices) {
    p = rounded(p - rounded(refpos_));
    p = rounded(transpose_times(refquat_, p));
    p = rounded({scale_.x * p.x, scale_.y * p.y, scale_.z * p.z});
    if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
      fail("a scaled vertex is not a finite number");
  }
  if (!file_.file.empty() && scale_.x * scale_.y * scale_.z < 0)
    for (auto& corners : out.corners) std::swap(corners[1], corners[2]);
}

const MeshInertia& Mesh::inertia(bool shell) {
  std::optional<MeshInertia>& out = inertia_[shell];
  if (out) return *out;
  out = mesh_inertia(triangles(), rule_ != Rule::legacy, shell);
  if (!out)
    fail(fmt::format("the mesh has no {}; give the geom that uses it no mass, or correct the mesh",
                     shell ? "area" : "volume"));
  return *out;
}

// A vertex p of the file is S R^T (p - r) in the mesh frame. A MeshFile is scaled first: the pose
// of S p exists if the scale S is uniform, or if there is no rotation R.
std::optional<std::pair<MeshFile, Pose<double>>> Mesh::visual() const {
  if (file_.file.empty()) return std::nullopt;
  const auto scaled = [&](const Vec3<double>& p) {
    return Vec3<double>{scale_.x * p.x, scale_.y * p.y, scale_.z * p.z};
  };
  const bool uniform = scale_.x == scale_.y && scale_.y == scale_.z;
  const bool turned = std::abs(refquat_(0, 0) + refquat_(1, 1) + refquat_(2, 2) - 3) > 1e-12;
  if (turned && !uniform) return std::nullopt;
  const Vec3<double> origin = scaled(transpose_times(refquat_, refpos_));
  return std::pair{file_, Pose<double>{transpose(refquat_), -origin}};
}

Meshes::Meshes(const Files& files, const Classes& classes, const Compilers& compilers,
               const MeshAccess& access) {
  for (const XMLElement* xml : files.all("asset", "mesh")) {
    const std::string name = mesh_name(*xml);
    const std::string owner = fmt::format("mesh '{}'", xml::readable(name));
    const Values values(files, classes, *xml, "", owner);
    if (name.empty()) values.own().fail("a <mesh> needs a name or a file");
    const bool is_new = meshes_.try_emplace(name, values, files, compilers.of(*xml), access).second;
    if (!is_new) values.own().fail("there are two meshes of this name; give each its own name");
  }
}

Mesh& Meshes::find(const xml::Element& element) {
  const std::string name = element.needed_text("mesh");
  const auto found = meshes_.find(name);
  if (found != meshes_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, mesh] : meshes_) names.push_back(known);
  element.fail(
      fmt::format("there is no mesh '{}'{}", xml::readable(name), did_you_mean(name, names)),
      "mesh");
}

}  // namespace torsor::mjcf
