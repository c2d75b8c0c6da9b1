#pragma once
// Rules for the English of the documentation: .md files and comments of .lua files.

#include <filesystem>
#include <string>
#include <vector>

namespace torsor::test {

// Returns one line "file:line: what is wrong; what to do" for each violation in the .md and .lua
// files below ROOT, sorted by file. Folders named build and hidden folders are skipped.
//
// - A sentence must not begin with Of, What, Whether, Those, That, As, With or Where, unless it is
//   a question.
// - Some words have a plain replacement (anew -> again).
// - A line has at most 100 columns. Tables, code blocks and lines that are one link or image are
//   exempt in Markdown, because they cannot be wrapped. Code is exempt in Lua.
//
// Sentences and words in code blocks and in `code` are not read.
std::vector<std::string> prose_violations(const std::filesystem::path& root);

// Returns the documentation files that prose_violations() reads, relative to ROOT and sorted.
std::vector<std::filesystem::path> documentation(const std::filesystem::path& root);

}  // namespace torsor::test
