#pragma once

#include <string>

#include "editor/panels/panel.hpp"

namespace torsor::editor {

struct SolversPanel {};

// "AB" of "solver.articulated_body": where there is no room for more.
std::string initials(std::string_view id);
// Three digits: "0.512", "1.23", "12.3"; all where there are more before the point.
std::string microseconds_text(double ns);

}  // namespace torsor::editor
