#pragma once
// Loads the mesh files of a scene on its own thread. Each file is loaded once, and again after a
// change.

#include <memory>
#include <string>
#include <vector>

#include "editor/view/surface.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

using Surfaces = std::shared_ptr<const std::vector<Surface>>;

class MeshStore {
 public:
  MeshStore();
  ~MeshStore();

  // Loads the meshes of the model's visuals that may be read. Reloads files that have changed.
  void want(const Model& model, const MeshAccess& access = {});
  bool busy() const;
  // Returns one entry per visual of the model: null if it is not a mesh or is not loaded (yet).
  std::vector<Surfaces> loaded() const;
  // Returns a number that changes with the loaded meshes.
  int version() const;
  // Returns the failures once, after all other meshes are loaded. The first three failures have one
  // line each, with file:line of the description. One more line reports the number of further
  // failures.
  std::vector<std::string> take_failures();

 private:
  class Worker;
  std::unique_ptr<Worker> worker_;
};

}  // namespace torsor::editor
