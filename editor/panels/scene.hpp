#pragma once

#include "editor/panels/panel.hpp"

namespace torsor::editor {

struct ScenePanel {};

}  // namespace torsor::editor
