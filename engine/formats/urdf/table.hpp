#pragma once
// The table of the URDF elements and attributes that the reader knows, and how it treats them.

#include <optional>
#include <span>
#include <string_view>

namespace torsor::urdf {

// How the reader treats a word. unsupported: the word affects the motion, but the engine has no
// model for it. ignored: the word does not affect the motion. optional: the word is used if
// RobotFileOptions::collisions is set, and ignored otherwise.
enum class Use : unsigned char { used, ignored, unsupported, optional };

// An element or attribute that may occur in the element `parent`. Words without a row are unknown.
struct Row {
  std::string_view parent;  // the enclosing element; "" for the root of the document
  std::string_view name;    // "name" for an element, "@name" for an attribute
  Use use;
  std::string_view ignored_on = {};  // joint types on which the word has no effect
  bool repeated = false;             // true: the element may occur more than once
};
std::span<const Row> table();
// Returns the index of the row for a "name" or "@name" in the element `parent`. Returns nullopt if
// the word is unknown there.
std::optional<size_t> find_row(std::string_view parent, std::string_view name);
inline bool is_attribute(std::string_view name) {
  return name.starts_with('@');
}

}  // namespace torsor::urdf
