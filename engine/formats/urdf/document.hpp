#pragma once
// The XML side of the URDF reader: parses the file and checks every element and attribute against
// the table of known ones (table.hpp).

#include <tinyxml2.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/formats/urdf/table.hpp"
#include "torsor/model/builder.hpp"

namespace torsor::urdf {

// Returns an excerpt of the file for a message: on one line, and shortened if it is long.
std::string readable(std::string_view text);

inline constexpr std::string_view expand_xacro =
    "expand the file first: xacro FILE.xacro > ROBOT.urdf";

class Document {
 public:
  // Parses and checks the file. Throws Error if the file cannot be read, is not well-formed XML or
  // is a xacro file. If strict, also throws Error for an element or attribute that is unknown or
  // not supported.
  Document(const std::filesystem::path& file, bool strict);

  const tinyxml2::XMLElement& robot() const { return *xml_.RootElement(); }
  // Elements and attributes that the reader does not use, in the order of the file.
  const std::vector<UnusedWord>& unused() const { return unused_; }
  // Returns "FILE:LINE".
  std::string at(int line) const;
  [[noreturn]] void fail(int line, const std::string& text) const;
  const std::string& name() const { return name_; }

 private:
  void parse(const std::string& text);
  void check_document();
  void check(const tinyxml2::XMLElement& element, std::string_view joint_type);
  void check_attributes(const tinyxml2::XMLElement& element, std::string_view joint_type);
  bool takes(size_t row, int line, std::string_view joint_type);
  void note_unknown(int line, std::string_view parent, std::string_view name);
  void note(UnusedWord word);

  std::string name_;  // path of the file, as the user gave it
  bool strict_;
  tinyxml2::XMLDocument xml_;
  std::vector<UnusedWord> unused_;
};

// Returns one line for all unused words, each with its count and first line, or "" if there are
// none: "FILE: unknown words: element <a> in <link> (line 7); words without effect: <collision>
// (9 times, first in line 12)".
std::string summary(const std::vector<UnusedWord>& words);

}  // namespace torsor::urdf
