#pragma once

#include "editor/panels/panel.hpp"

namespace torsor::editor {

struct SolversPanel {};

}  // namespace torsor::editor
