#pragma once
// Solids that OpenGL draws together, grouped by mesh.

#include <map>
#include <memory>
#include <vector>

#include "editor/opengl/gl.hpp"
#include "editor/view/solid.hpp"

namespace torsor::editor {

// Meshes in the buffers of the graphics driver.
class MeshBank {
 public:
  MeshBank();
  gl::Instances& unit(Mesh mesh) { return *units_[int(mesh)]; }
  gl::Instances& of(const Surface& surface);
  // Discards surfaces that have not been requested since the previous call.
  void sweep();

 private:
  struct Entry {
    std::unique_ptr<gl::Instances> instances;
    bool used = true;
  };
  std::unique_ptr<gl::Instances> units_[n_mesh];
  std::map<uint64_t, Entry> surfaces_;
};

class SolidSet {
 public:
  void clear();
  void add(const Solid& solid);
  // Draws with the current program. Triangles of mesh files are drawn on both sides, because they
  // are not always oriented outwards.
  void draw(MeshBank& bank) const;

 private:
  struct Batch {
    const Surface* surface = nullptr;
    std::vector<float> floats;
  };
  std::vector<float> units_[n_mesh];
  std::map<uint64_t, Batch> surfaces_;
};

}  // namespace torsor::editor
