#pragma once
// Solids of one kind as OpenGL draws them: those of one mesh together.

#include <map>
#include <memory>
#include <vector>

#include "editor/view/gl.hpp"
#include "editor/view/solid.hpp"

namespace torsor::editor {

// Triangles that the graphics driver has.
class MeshBank {
 public:
  MeshBank();
  gl::Instances& unit(Mesh mesh) { return *units_[int(mesh)]; }
  gl::Instances& of(const Surface& surface);
  // Discards surfaces that have not been requested since the last call.
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
  // With the present program. Surfaces from both sides: files do not always say which is outside.
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
