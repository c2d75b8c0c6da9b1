#include "editor/view/renderer.hpp"

namespace torsor::editor {

struct Renderer::Impl {};

Renderer::Renderer() : impl_(std::make_unique<Impl>()) {}
Renderer::~Renderer() = default;
unsigned Renderer::render(const ViewState&, bool) {
  return 0;
}

}  // namespace torsor::editor
