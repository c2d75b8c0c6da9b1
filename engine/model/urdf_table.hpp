#pragma once
// What URDF import knows: every element and attribute that it reads, and every one that it leaves alone.

#include <optional>
#include <span>
#include <string_view>

namespace torsor::urdf {

enum class Use : unsigned char { used, ignored };

// What may stand in an element. An element or attribute without a row is unknown, which is an error.
struct Row {
  std::string_view parent;  // the element it stands in; "" is the document, "*" any element
  std::string_view name;    // "name" of an element, "@name" of an attribute; '*' at the end is any ending
  Use use;
  std::string_view ignored_on = {};  // types of the joints on which a used one has no meaning
  bool repeated = false;             // a used element that may stand there more than once
};
std::span<const Row> table();
// Index of the row for a "name" or "@name" in an element; none where it is unknown.
std::optional<size_t> find_row(std::string_view parent, std::string_view name);
inline bool is_attribute(std::string_view name) {
  return name.starts_with('@');
}

}  // namespace torsor::urdf
