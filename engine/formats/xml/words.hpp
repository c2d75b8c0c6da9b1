#pragma once
// Tables of the elements and attributes that a reader of XML files knows, and how it treats them.

#include <optional>
#include <span>
#include <string_view>

namespace torsor::xml {

// How the reader treats a word. unsupported: the word affects the motion, but the engine has no
// model for it. ignored: the word does not affect the motion. optional: the word is used if the
// document is read with its optional words, and ignored otherwise. include: the element names a
// file whose elements replace it (Document::includes). unchecked: the reader uses the element, and
// reports what it does not use in it.
enum class Use : unsigned char { used, ignored, unsupported, optional, include, unchecked };

// An element or attribute that may occur in the element `parent`. Words without a row are unknown.
struct Row {
  std::string_view parent;  // the enclosing element; "" for the root of the document
  std::string_view name;    // "name" for an element, "@name" for an attribute, or text_word
  Use use;
  // Joint types on which the word has no effect, with '/' between them
  std::string_view ignored_on = {};
  bool repeated = false;             // true: the element may occur more than once
  // The value of `parent` in the rows of its children and attributes. "": the name of the element.
  // It is CONTEXT/NAME for an element whose meaning depends on where it is.
  std::string_view scope = {};
};

// Returns the name of the element of a scope.
inline std::string_view element_of_scope(std::string_view scope) {
  return scope.substr(scope.rfind('/') + 1);
}
// The name in a row of an element that may contain text, such as <mass>1.5</mass>.
inline constexpr std::string_view text_word = "#text";

// Returns the index of the row for a "name" or "@name" in the element `parent`. Returns nullopt if
// the word is unknown there.
std::optional<size_t> find_row(std::span<const Row> words, std::string_view parent,
                               std::string_view name);
inline bool is_attribute(std::string_view name) {
  return name.starts_with('@');
}

// The root element of another kind of file, and what to do with such a file.
struct OtherRoot {
  std::string_view root, advice;
};

// A kind of XML file.
struct FileType {
  std::string_view name;  // in messages, such as "URDF file"
  std::string_view root;  // name of the root element
  std::span<const Row> words;
  std::span<const OtherRoot> others = {};
  // true: words with a prefix, such as <drake:proximity_properties>, are those of other programs,
  // and ignored. false: they are unknown.
  bool ignores_prefixes = false;
};

}  // namespace torsor::xml
