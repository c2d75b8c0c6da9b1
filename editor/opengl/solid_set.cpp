#include "editor/opengl/solid_set.hpp"

#include <algorithm>
#include <array>

#include "editor/opengl/mesh.hpp"

namespace torsor::editor {

namespace {

constexpr std::initializer_list<int> instance_sizes{4, 3, 3, 3, 4};  // as in the shader

// Returns a unit mesh with unique vertices and the vertex indices of its triangles.
std::unique_ptr<gl::Instances> unit_mesh(Mesh mesh) {
  const std::vector<float> floats = triangles(mesh);
  std::vector<float> vertices;
  std::vector<uint32_t> corners;
  std::map<std::array<float, 6>, uint32_t> known;
  for (size_t k = 0; k + 6 <= floats.size(); k += 6) {
    std::array<float, 6> corner;
    std::copy_n(floats.begin() + long(k), 6, corner.begin());
    const auto [at, added] = known.try_emplace(corner, uint32_t(known.size()));
    if (added) vertices.insert(vertices.end(), corner.begin(), corner.end());
    corners.push_back(at->second);
  }
  return std::make_unique<gl::Instances>(vertices, corners, instance_sizes);
}

}  // namespace

MeshBank::MeshBank() {
  for (int k = 0; k < n_mesh; ++k) units_[k] = unit_mesh(Mesh(k));
}

gl::Instances& MeshBank::of(const Surface& surface) {
  Entry& entry = surfaces_[surface.id];
  entry.used = true;
  if (!entry.instances)
    entry.instances =
        std::make_unique<gl::Instances>(surface.vertices, surface.corners, instance_sizes);
  return *entry.instances;
}

void MeshBank::sweep() {
  std::erase_if(surfaces_, [](const auto& entry) { return !entry.second.used; });
  for (auto& [id, entry] : surfaces_) entry.used = false;
}

void SolidSet::clear() {
  for (std::vector<float>& floats : units_) floats.clear();
  surfaces_.clear();
}

void SolidSet::add(const Solid& solid) {
  const Mat3<double>& R = solid.X.R;
  const Vec3<double>&s = solid.size, &p = solid.X.p;
  const Color& c = solid.color;
  std::vector<float>* floats = nullptr;
  if (solid.surface) {
    if (solid.surface->corners.empty()) return;
    Batch& batch = surfaces_[solid.surface->id];
    batch.surface = solid.surface;
    floats = &batch.floats;
  } else {
    floats = &units_[int(solid.mesh)];
  }
  for (const double number : {s.x * R(0, 0), s.x * R(1, 0), s.x * R(2, 0), solid.taper,
                              s.y * R(0, 1), s.y * R(1, 1), s.y * R(2, 1), s.z * R(0, 2),
                              s.z * R(1, 2), s.z * R(2, 2), p.x, p.y, p.z, c.r, c.g, c.b, c.a})
    floats->push_back(float(number));
}

void SolidSet::draw(MeshBank& bank) const {
  for (int k = 0; k < n_mesh; ++k) {
    if (units_[k].empty()) continue;
    bank.unit(Mesh(k)).upload(units_[k]);
    bank.unit(Mesh(k)).draw();
  }
  if (surfaces_.empty()) return;
  const bool culls = glIsEnabled(GL_CULL_FACE);
  glDisable(GL_CULL_FACE);
  for (const auto& [id, batch] : surfaces_) {
    gl::Instances& instances = bank.of(*batch.surface);
    instances.upload(batch.floats);
    instances.draw();
  }
  if (culls) glEnable(GL_CULL_FACE);
}

}  // namespace torsor::editor
