#pragma once
// The format of the --help pages.

#include <memory>

namespace CLI {
class FormatterBase;
}

namespace torsor::cli {

// Returns a formatter of help pages: usage, summary, arguments, options, notes and examples, at
// most 100 columns wide.
// A command's footer contains notes and examples. Each line is a paragraph, which the page wraps. A
// line that begins with "Example: " is listed as an example, unwrapped. A line that begins with two
// blanks is printed unchanged.
std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace torsor::cli
