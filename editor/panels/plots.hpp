#pragma once

#include "editor/panels/panel.hpp"

namespace torsor::editor {

struct PlotsPanel {};

}  // namespace torsor::editor
