#pragma once
// Loads the mesh files of a scene on a separate thread. A file is loaded once, and again if it has
// changed when request() is called.

#include <memory>
#include <string>
#include <vector>

#include "torsor/formats/mesh/mesh_file.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

using Surfaces = std::shared_ptr<const std::vector<Surface>>;

class MeshStore {
 public:
  MeshStore();
  ~MeshStore();

  // Starts to load the meshes of the model's visuals. Reads a loaded file again only if it has
  // changed.
  void request(const Model& model, const MeshAccess& access = {});
  bool busy() const;
  // Returns one entry per visual of the model: null if it is not a mesh or is not loaded (yet).
  std::vector<Surfaces> loaded() const;
  // Returns a number that changes whenever the result of loaded() changes.
  int version() const;
  // Returns the failures once, after all other meshes are loaded. Each of the first three failures
  // has a line with file:line of the description. One more line has the number of further failures.
  std::vector<std::string> take_failures();

 private:
  class Worker;
  std::unique_ptr<Worker> worker_;
};

}  // namespace torsor::editor
