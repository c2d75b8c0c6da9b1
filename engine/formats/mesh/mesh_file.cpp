#include "torsor/formats/mesh/mesh_file.hpp"

#include <assimp/DefaultIOSystem.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <atomic>
#include <cmath>
#include <cstring>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/formats/mesh/msh_file.hpp"

namespace torsor {

namespace {

namespace fs = std::filesystem;

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
  const fs::path out =
      find_file({mesh.file, mesh.source}, access, [](const fs::path& place, const MeshAccess&) {
        std::error_code ignored;
        return fs::is_regular_file(place, ignored);
      });
  if (access.found_file) access.found_file(out);
  return out;
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
