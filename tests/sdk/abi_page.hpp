#pragma once
// What torsor_plugin.h says, read from its text, and the page of reference made of it.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace torsor::test {

// What is declared together, in a struct or an enum, and the comment on it.
struct AbiRow {
  std::string declaration, comment;
  std::vector<std::string> names;
};
struct AbiItem {
  std::string name;         // of a struct or a function, "" of an enum
  std::string declaration;  // of a function
  std::vector<AbiRow> rows;
};
// All that stands under one comment.
struct AbiSection {
  std::string title, comment;
  std::vector<std::string> macros;
  std::vector<AbiItem> items;
};

// The sections of the header; the first has no items and is about all of it.
std::vector<AbiSection> read_header(std::string_view text);

// since(item, name): the minor version from which on a row is there.
std::string abi_page(const std::vector<AbiSection>& sections, int minor,
                     const std::function<int(const std::string&, const std::string&)>& since);

}  // namespace torsor::test
