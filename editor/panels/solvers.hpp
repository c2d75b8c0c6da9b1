#pragma once

#include <string>

#include "editor/panels/panel.hpp"

namespace torsor::editor {

struct SolversPanel {};

// "AB" of "solver.articulated_body": where there is no room for more.
std::string initials(std::string_view id);
// Three digits: "512 ns", "1.23 µs", "12.3 ms".
std::string duration_text(double ns);

}  // namespace torsor::editor
