#pragma once
// The format of the --help pages.

#include <memory>

namespace CLI {
class FormatterBase;
}

namespace torsor::cli {

// Returns a CLI11 formatter for help pages: usage, summary, arguments, options, notes and examples.
// A page is at most 100 columns wide.
//
// The footer of a command contains its notes and examples. Each line of the footer is a paragraph:
// - A line that begins with "Example: " is listed as an example and not wrapped.
// - A line that begins with two blanks is printed unchanged.
// - All other lines are notes and are wrapped.
std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace torsor::cli
