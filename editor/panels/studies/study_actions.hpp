#pragma once

#include <span>

#include "editor/actions/action.hpp"

namespace torsor::editor {

std::span<const Action> study_actions();

}  // namespace torsor::editor
