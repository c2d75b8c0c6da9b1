#pragma once
// References to elements by name.

#include <fmt/format.h>

#include "torsor/base/error.hpp"
#include "torsor/formats/mjcf/files.hpp"

namespace torsor::mjcf {

// Returns the name that an attribute has, with the suffix of a copy. The world has no copies.
inline std::string full_name(const xml::Element& element, const char* attribute, const char* what,
                             const std::string& suffix) {
  const std::string name = element.needed_text(attribute);
  return name == "world" && std::string_view(what) == "body" ? name : name + suffix;
}

// Returns the value of the name that an attribute has, with the suffix of a copy. Throws Error with
// file:line if it is unknown. what: the kind of the named element, such as "joint".
template <class Map>
const typename Map::mapped_type& find_named(const Map& map, const xml::Element& element,
                                            const char* attribute, const char* what,
                                            const std::string& suffix = "") {
  const std::string name = full_name(element, attribute, what, suffix);
  const auto found = map.find(name);
  if (found != map.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, value] : map) names.push_back(known);
  element.fail(
      fmt::format("there is no {} '{}'{}", what, xml::readable(name), did_you_mean(name, names)),
      attribute);
}

// Notes an unknown name in an element that is not used.
inline void note_unknown(Files& files, const xml::Element& element, const char* attribute,
                         const char* what) {
  const std::string name = element.has(attribute) ? element.needed_text(attribute) : "";
  files.note(UnusedWord::Kind::unknown, element.xml(),
             fmt::format("{} '{}' in <{}>", what, xml::readable(name), element.xml().Name()));
}

}  // namespace torsor::mjcf
