#pragma once
// Functions that read the headers of the plugin ABI and write their reference page, plugins/abi.md.

#include <string>
#include <string_view>
#include <vector>

namespace torsor::test {

// A member of a struct or a value of an enum, and the comment above it.
struct AbiRow {
  std::string declaration, comment;
};
struct AbiItem {
  std::string name;         // name of a struct or a function; "" for an enum
  std::string declaration;  // declaration of a function
  std::vector<AbiRow> rows;
};
// A group of declarations below one comment.
struct AbiSection {
  std::string title, comment;
  std::vector<std::string> macros;
  std::vector<AbiItem> items;
};
struct AbiHeader {
  std::string file;     // relative to engine/sdk
  std::string comment;  // comment at the beginning of the file
  std::vector<AbiSection> sections;
};

AbiHeader read_header(const std::string& file, std::string_view text);

std::string abi_page(const std::vector<AbiHeader>& headers, const std::string& version);

}  // namespace torsor::test
