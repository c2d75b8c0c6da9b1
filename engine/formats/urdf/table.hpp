#pragma once
// The URDF words that the reader knows: elements and attributes, and what it does with each.

#include <optional>
#include <span>
#include <string_view>

namespace torsor::urdf {

// unsupported: it describes the motion, but the engine has no model of it. ignored: it does not
// concern the motion.
enum class Use : unsigned char { used, ignored, unsupported };

// A word that may occur in an element. A word without a row is unknown.
struct Row {
  std::string_view parent;  // the enclosing element; "" is the document
  std::string_view name;    // "name" of an element, "@name" of an attribute
  Use use;
  std::string_view ignored_on = {};  // joint types for which a used word has no meaning
  bool repeated = false;             // a used element that may occur more than once
};
std::span<const Row> table();
// Returns the index of the row for a "name" or "@name" in an element, or nullopt if the word is
// unknown.
std::optional<size_t> find_row(std::string_view parent, std::string_view name);
inline bool is_attribute(std::string_view name) {
  return name.starts_with('@');
}

}  // namespace torsor::urdf
