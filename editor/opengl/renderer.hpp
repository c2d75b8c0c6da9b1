#pragma once
// Renders the 3D view into a texture with OpenGL 3.3 core.

#include <memory>

#include "editor/view/view.hpp"

namespace torsor::editor {

class Renderer {
 public:
  // Requires a current OpenGL context. Throws Error if the driver rejects the shaders.
  Renderer();
  ~Renderer();
  Renderer(const Renderer&) = delete;

  // Renders the view of this frame. Returns the OpenGL name of the texture, or 0 if the view has no
  // size.
  unsigned render(const ViewState& view, bool dark);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torsor::editor
