#pragma once

#include "editor/panels/panel.hpp"

namespace torsor::editor {

struct DynamicsPanel {};

}  // namespace torsor::editor
