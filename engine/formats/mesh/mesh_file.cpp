#include "torsor/formats/mesh/mesh_file.hpp"

#include <assimp/DefaultIOSystem.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/formats/mesh/msh_file.hpp"
#include "torsor/formats/robot_file.hpp"

namespace torsor {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> entries_of(const char* variable) {
  std::vector<fs::path> out;
  const char* value = std::getenv(variable);
  for (std::string_view rest = value ? value : ""; !rest.empty();) {
    const size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) out.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

// Returns the possible paths of the file NAME/REST of package NAME, in the order of search. The
// first folders are that of the description and its parents.
std::vector<fs::path> places_in_packages(const std::string& in_package, const fs::path& folder) {
  std::vector<fs::path> out;
  const size_t slash = in_package.find('/');
  const std::string name = in_package.substr(0, slash);
  const std::string rest = slash == std::string::npos ? "" : in_package.substr(slash + 1);
  const auto add = [&](const fs::path& place) {
    if (place.filename() == name) out.push_back(place / rest);
    out.push_back(place / in_package);
  };
  std::error_code ignored;
  for (fs::path at = fs::absolute(folder, ignored).lexically_normal();; at = at.parent_path()) {
    if (!at.filename().empty()) add(at);
    if (at == at.parent_path()) break;
  }
  for (const fs::path& place : entries_of("ROS_PACKAGE_PATH")) add(place);
  for (const fs::path& place : entries_of("AMENT_PREFIX_PATH")) add(place / "share");
  return out;
}

// Returns the folder of the file that refers to the mesh.
fs::path folder_of(const MeshFile& mesh) {
  return fs::path(mesh.source.substr(0, mesh.source.rfind(':'))).parent_path();
}

bool is_in_a_package(const fs::path& file) {
  std::error_code ignored;
  for (fs::path at = file.parent_path(); at != at.parent_path(); at = at.parent_path())
    if (fs::is_regular_file(at / "package.xml", ignored)) return true;
  return false;
}

// Returns whether a robot file, not a script, refers to the mesh. The meshes of a robot file are
// often in a folder next to its own folder.
bool is_of_robot_file(const MeshFile& mesh) {
  return robot_format(mesh.source.substr(0, mesh.source.rfind(':'))) != nullptr;
}

// Returns whether a mesh file may be read. file must be a path without symbolic links.
bool may_read(const fs::path& file, const MeshFile& mesh, const MeshAccess& access) {
  const auto below = [&](const fs::path& folder) { return is_below(file, folder); };
  const auto any_below = [&](const char* variable) {
    return std::ranges::any_of(entries_of(variable), below);
  };
  if (below("." / access.folder) ||
      (is_of_robot_file(mesh) && below("." / folder_of(mesh) / "..")) || is_in_a_package(file) ||
      any_below("ROS_PACKAGE_PATH") || any_below("AMENT_PREFIX_PATH"))
    return true;
  return access.permission && access.permission(file, mesh.source);
}

std::vector<fs::path> places_of(const MeshFile& mesh) {
  const fs::path folder = folder_of(mesh);
  for (const std::string_view scheme : {"package://", "model://"})
    if (mesh.file.starts_with(scheme))
      return places_in_packages(mesh.file.substr(scheme.size()), folder);
  constexpr std::string_view file_scheme = "file://";
  if (mesh.file.starts_with(file_scheme)) return {folder / mesh.file.substr(file_scheme.size())};
  if (mesh.file.find("://") != std::string::npos)
    throw Error("it is a URL, not a file name; use a path");
  return {folder / mesh.file};
}

std::optional<Color> color_of(const aiMaterial& material) {
  aiString name;
  aiColor4D color;
  if (material.Get(AI_MATKEY_NAME, name) == AI_SUCCESS &&
      !std::strcmp(name.C_Str(), AI_DEFAULT_MATERIAL_NAME))
    return std::nullopt;
  if (aiGetMaterialColor(&material, AI_MATKEY_COLOR_DIFFUSE, &color) != AI_SUCCESS)
    return std::nullopt;
  float opacity = 1;
  if (material.Get(AI_MATKEY_OPACITY, opacity) != AI_SUCCESS || !(opacity > 0))
    opacity = 1;  // some exporters write 0 for an opaque material
  const auto part = [](float x) {
    return std::isfinite(x) ? std::clamp(double(x), 0.0, 1.0) : 0.5;
  };
  return Color{part(color.r), part(color.g), part(color.b), part(opacity)};
}

Surface surface_of(const aiMesh& mesh, const aiScene& scene) {
  Surface out;
  out.id = next_surface_id();
  constexpr double far = std::numeric_limits<double>::infinity();
  out.low = {far, far, far};
  out.high = -out.low;
  out.vertices.reserve(6 * size_t(mesh.mNumVertices));
  for (unsigned k = 0; k < mesh.mNumVertices; ++k) {
    const aiVector3D &p = mesh.mVertices[k], &n = mesh.mNormals[k];
    if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
      throw Error("the file has a vertex that is not finite; export it again");
    const bool has_normal = std::isfinite(n.x) && std::isfinite(n.y) && std::isfinite(n.z);
    for (const float x :
         {p.x, p.y, p.z, has_normal ? n.x : 0, has_normal ? n.y : 0, has_normal ? n.z : 1})
      out.vertices.push_back(x);
    out.low = {std::min(out.low.x, double(p.x)), std::min(out.low.y, double(p.y)),
               std::min(out.low.z, double(p.z))};
    out.high = {std::max(out.high.x, double(p.x)), std::max(out.high.y, double(p.y)),
                std::max(out.high.z, double(p.z))};
  }
  for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
    const aiFace& face = mesh.mFaces[f];
    if (face.mNumIndices != 3) continue;  // a degenerate face: a point or a line
    for (unsigned k = 0; k < 3; ++k) {
      if (face.mIndices[k] >= mesh.mNumVertices)
        throw Error("the file refers to a missing vertex; export it again");
      out.corners.push_back(face.mIndices[k]);
    }
  }
  if (mesh.mMaterialIndex < scene.mNumMaterials)
    out.color = color_of(*scene.mMaterials[mesh.mMaterialIndex]);
  return out;
}

// A file system for assimp that opens only regular files below one folder. A mesh file may refer to
// other files, such as the materials of OBJ.
class FilesOfFolder : public Assimp::DefaultIOSystem {
 public:
  explicit FilesOfFolder(fs::path folder) : folder_(std::move(folder)) {}
  bool Exists(const char* file) const override {
    return is_allowed(file) && DefaultIOSystem::Exists(file);
  }
  Assimp::IOStream* Open(const char* file, const char* mode) override {
    return is_allowed(file) ? DefaultIOSystem::Open(file, mode) : nullptr;
  }

 private:
  bool is_allowed(const char* file) const {
    std::error_code ignored;
    return is_below(resolved(file), folder_) && fs::is_regular_file(file, ignored);
  }
  fs::path folder_;
};

// Imports a file. If it has no normals, edges of less than 40 degrees are smoothed. The normals of
// STL are ignored, because they are normals of flat triangles.
const aiScene* import(Assimp::Importer& importer, const fs::path& file, bool is_stl) {
  int left_out = aiComponent_TANGENTS_AND_BITANGENTS | aiComponent_COLORS | aiComponent_TEXCOORDS |
                 aiComponent_BONEWEIGHTS | aiComponent_ANIMATIONS | aiComponent_TEXTURES |
                 aiComponent_LIGHTS | aiComponent_CAMERAS;
  if (is_stl) left_out |= aiComponent_NORMALS;
  importer.SetPropertyInteger(AI_CONFIG_PP_RVC_FLAGS, left_out);
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE,
                              aiPrimitiveType_POINT | aiPrimitiveType_LINE);
  importer.SetPropertyFloat(AI_CONFIG_PP_GSN_MAX_SMOOTHING_ANGLE, 40);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  importer.SetIOHandler(new FilesOfFolder("." / file.parent_path()));  // owned by the importer
  return importer.ReadFile(
      file.string(), aiProcess_RemoveComponent | aiProcess_Triangulate | aiProcess_SortByPType |
                         aiProcess_PreTransformVertices | aiProcess_GenSmoothNormals |
                         aiProcess_JoinIdenticalVertices);
}

}  // namespace

uint64_t next_surface_id() {
  static std::atomic<uint64_t> last_id = 0;
  return ++last_id;
}

fs::path find_mesh(const MeshFile& mesh, const MeshAccess& access) {
  const std::vector<fs::path> places = places_of(mesh);
  std::error_code ignored;
  std::optional<fs::path> denied;
  for (const fs::path& place : places) {
    if (!fs::is_regular_file(place, ignored)) continue;
    if (may_read(resolved(place), mesh, access)) return place;
    if (!denied) denied = resolved(place).parent_path();
  }
  if (denied)
    throw Error(
        fmt::format("it is outside the folder of the scene and outside packages; if you trust it: "
                    "torsor trust '{}', then reload the scene",
                    one_line(denied->string())));
  std::vector<std::string> looked;
  for (size_t k = 0; k < std::min<size_t>(places.size(), 3); ++k)
    looked.push_back(fmt::format("'{}'", one_line(places[k].lexically_normal().string())));
  throw Error(fmt::format(
      "file not found: {}{}", fmt::join(looked, ", nor "),
      places.size() > 3 ? fmt::format(", nor in {} other places", places.size() - 3) : ""));
}

std::vector<Surface> read_mesh(const fs::path& file) try {
  std::string extension = file.extension().string();
  for (char& c : extension) c = char(std::tolower(static_cast<unsigned char>(c)));
  if (extension != ".stl" && extension != ".obj" && extension != ".dae" && extension != ".msh")
    throw Error("unknown format; use .stl, .obj, .dae or .msh");
  if (const std::string why = why_unreadable(file, InputKind::mesh); !why.empty()) throw Error(why);
  if (fs::file_size(file) == 0) throw Error("the file is empty; export it again");
  if (extension == ".msh") return {read_msh(file)};
  Assimp::Importer importer;
  const aiScene* scene = import(importer, file, extension == ".stl");
  if (!scene)
    throw Error(fmt::format("the file is corrupt: {}", one_line(importer.GetErrorString())));
  size_t triangles = 0;
  for (unsigned k = 0; k < scene->mNumMeshes; ++k) triangles += scene->mMeshes[k]->mNumFaces;
  if (triangles == 0) throw Error("the file has no triangles; export it again");
  if (triangles > most_triangles)
    throw Error(fmt::format("the file has {} triangles, more than the limit of {}; reduce it",
                            triangles, most_triangles));
  std::vector<Surface> out;
  for (unsigned k = 0; k < scene->mNumMeshes; ++k)
    if (const aiMesh& mesh = *scene->mMeshes[k]; mesh.HasPositions() && mesh.HasNormals())
      out.push_back(surface_of(mesh, *scene));
  return out;
} catch (const std::bad_alloc&) {
  throw Error("not enough memory for the file; reduce it");
} catch (const fs::filesystem_error& error) {
  throw Error(fmt::format("the file cannot be read: {}", error.code().message()));
}

Triangles triangles_of(const std::vector<Surface>& surfaces, const Vec3<double>& scale) {
  Triangles out;
  for (const Surface& surface : surfaces) {
    const uint32_t first = uint32_t(out.vertices.size());
    for (size_t k = 0; k < surface.vertices.size(); k += 6) {
      const float* p = &surface.vertices[k];
      out.vertices.push_back({scale.x * p[0], scale.y * p[1], scale.z * p[2]});
    }
    for (size_t k = 0; k + 2 < surface.corners.size(); k += 3)
      out.corners.push_back({first + surface.corners[k], first + surface.corners[k + 1],
                             first + surface.corners[k + 2]});
  }
  return out;
}

}  // namespace torsor
