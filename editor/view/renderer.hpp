#pragma once
// Draws the 3D view into a texture, with OpenGL 3.3 core.

#include <memory>

#include "editor/view/view.hpp"

namespace torsor::editor {

class Renderer {
 public:
  // In a current context. Throws Error where its driver refuses the shaders.
  Renderer();
  ~Renderer();
  Renderer(const Renderer&) = delete;

  // What the view's panel put together in this frame; returns the texture's name.
  unsigned render(const ViewState& view, bool dark);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torsor::editor
