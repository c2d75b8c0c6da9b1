#pragma once
// Parses an XML file and checks its elements and attributes against the table of known words
// (words.hpp).

#include <tinyxml2.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/formats/xml/words.hpp"
#include "torsor/model/builder.hpp"

namespace torsor::xml {

// Part of messages about xacro expressions: states how to read such a file.
inline constexpr std::string_view expand_xacro =
    "expand the file first: xacro FILE.xacro > ROBOT.urdf";

// Returns an excerpt of the file for use in a message: on one line, and shortened if necessary.
std::string readable(std::string_view text);

// Returns the first eight names at most, and the number of the others: "'a', 'b' and 4 more".
std::string first_names(const std::vector<std::string>& names);

class Document {
 public:
  // Parses and checks the file. Throws Error in these cases:
  // - The file cannot be read or is not well-formed XML.
  // - The file is a xacro file.
  // - strict is true, and an element or attribute is unknown or not supported.
  // optional: whether the words marked as optional in the table are used. The words of `type` must
  // outlive this object. scope: "" for a file of this type; for a file that another one includes,
  // the scope (Row::scope) of its elements. Its root element may have any name.
  Document(const std::filesystem::path& file, const FileType& type, bool strict,
           bool optional = false, std::string_view scope = {});

  // Parses and checks a text as the content of the file.
  Document(const std::filesystem::path& file, const std::string& text, const FileType& type,
           bool strict, bool optional, std::string_view scope = {});

  const tinyxml2::XMLElement& root() const { return *xml_.RootElement(); }
  // Returns the root for changes of its attributes.
  tinyxml2::XMLElement& root() { return *xml_.RootElement(); }
  // Elements and attributes that the reader does not use, in the order of the file.
  const std::vector<UnusedWord>& unused() const { return unused_; }
  // An element that a file replaces, and the scope of the elements of that file.
  struct Include {
    const tinyxml2::XMLElement* element;
    std::string_view scope;
  };
  const std::vector<Include>& includes() const { return includes_; }
  // Adds a word that is unused because of its value. Throws Error if the document is read strictly
  // and the word is unknown or unsupported.
  void note(UnusedWord word);
  // Returns a place in this file as "FILE:LINE".
  std::string at(int line) const;
  [[noreturn]] void fail(int line, const std::string& text) const;
  const std::string& name() const { return name_; }

 private:
  void parse(const std::string& text);
  const tinyxml2::XMLElement& check_nodes() const;
  void check_root(const tinyxml2::XMLElement& root) const;
  void check(const tinyxml2::XMLElement& element, std::string_view scope,
             std::string_view joint_type);
  void check_children(const tinyxml2::XMLElement& element, std::string_view scope,
                      std::string_view joint_type);
  void check_attributes(const tinyxml2::XMLElement& element, std::string_view scope,
                        std::string_view joint_type);
  bool takes(size_t row, int line, std::string_view joint_type);
  void note_unknown(int line, std::string_view parent, std::string_view name);

  std::string name_;  // path of the file as given by the user
  FileType type_;
  bool strict_, optional_;
  tinyxml2::XMLDocument xml_;
  std::vector<UnusedWord> unused_;
  std::vector<Include> includes_;
};

// Returns a summary of the unused words in one line, or "" if there are none. It contains the count
// and the first line of each word: "FILE: unknown words: element <a> in <link> (line 7); words
// without effect: <collision> (9 times, first in line 12)".
std::string summary(const std::vector<UnusedWord>& words);

}  // namespace torsor::xml
