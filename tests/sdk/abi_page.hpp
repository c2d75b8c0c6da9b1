#pragma once
// Reads the headers of the plugin ABI and writes the page of reference, plugins/abi.md.

#include <string>
#include <string_view>
#include <vector>

namespace torsor::test {

// A declaration of a struct or an enum, and the comment above it.
struct AbiRow {
  std::string declaration, comment;
};
struct AbiItem {
  std::string name;         // of a struct or a function; "" for an enum
  std::string declaration;  // of a function
  std::vector<AbiRow> rows;
};
// The declarations under one comment.
struct AbiSection {
  std::string title, comment;
  std::vector<std::string> macros;
  std::vector<AbiItem> items;
};
struct AbiHeader {
  std::string file;     // relative to engine/sdk
  std::string comment;  // at its beginning
  std::vector<AbiSection> sections;
};

AbiHeader read_header(const std::string& file, std::string_view text);

std::string abi_page(const std::vector<AbiHeader>& headers, const std::string& version);

}  // namespace torsor::test
