#pragma once
// The mesh files of a scene, loaded on a thread of its own, each once as long as it does not
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

  // Loads the meshes of the model's visuals that may be read, again if a file has changed.
  void want(const Model& model, const MeshAccess& access = {});
  bool busy() const;
  // Of each visual of the model: null where it is no mesh, or is not there (yet).
  std::vector<Surfaces> loaded() const;
  // Changes with what is loaded.
  int version() const;
  // What has failed, once all else is there and then never again: one line each, with file:line of
  // the description, of the first three; and one of how many more there are.
  std::vector<std::string> take_failures();

 private:
  class Worker;
  std::unique_ptr<Worker> worker_;
};

}  // namespace torsor::editor
