#pragma once
// The look of the --help pages.

#include <memory>

namespace CLI {
class FormatterBase;
}

namespace torsor::cli {

// Returns a formatter of help pages: usage, summary, arguments, options, notes and examples, at
// most 100 columns wide. A command's footer holds notes and examples: each line is a paragraph,
// which the page wraps. A line that begins with "Example: " is listed as an example, unwrapped. A
// line that begins with two blanks is printed as it is.
std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace torsor::cli
