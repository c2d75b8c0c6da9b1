#pragma once
// The files of an MJCF robot: the main file, and the files that it includes.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/xml/element.hpp"

namespace torsor::mjcf {

using tinyxml2::XMLElement;

class Files {
 public:
  // Reads and checks the main file and all files that it includes. A relative path is relative to
  // the folder of the main file; if there is no such file, to that of the file that includes it.
  // Throws Error with file:line if a file cannot be read, is malformed, or is included twice.
  Files(const std::filesystem::path& file, const RobotFileOptions& options);

  const XMLElement& root() const { return documents_.front()->root(); }
  // Returns the child elements in order. An <include> is replaced by the elements of its file.
  std::vector<const XMLElement*> children(const XMLElement& parent) const;
  // Returns the child elements with a name.
  std::vector<const XMLElement*> children(const XMLElement& parent, std::string_view name) const;
  // Returns the elements NAME in all elements SECTION of the root.
  std::vector<const XMLElement*> all(std::string_view section, std::string_view name) const;

  // owner: the name of the element in messages, such as "joint 'elbow'".
  xml::Element element(const XMLElement& xml, std::string owner) const {
    return {document_of(xml), xml, std::move(owner)};
  }
  const xml::Document& document_of(const XMLElement& xml) const;
  // Returns the place of an element as "FILE:LINE".
  std::string place(const XMLElement& xml) const { return document_of(xml).at(xml.GetLineNum()); }
  // Returns a place in the main file: of the element, or of the <include> that leads to it. Paths
  // of meshes are relative to the folder of this file.
  std::string place_in_main_file(const XMLElement& xml) const;

  // Records an element or attribute that is not used. Throws Error if it is unknown or unsupported
  // and the option strict is set.
  void note(UnusedWord::Kind kind, const XMLElement& xml, std::string what, std::string hint = "");
  // Adds the unused words of all files to a robot, with one warning for each file.
  void report(RobotDescription& robot) const;

 private:
  void read(const std::filesystem::path& file, std::string_view scope, int main_line);
  std::filesystem::path find(const XMLElement& include) const;
  void add_children(const XMLElement& parent, std::vector<const XMLElement*>& out) const;

  const RobotFileOptions& options_;
  std::vector<std::unique_ptr<xml::Document>> documents_;  // the main file is the first
  std::vector<int> main_line_;  // of each file: the line in the main file that includes it
  std::vector<std::filesystem::path> paths_;  // of each file, without symbolic links
  std::map<const tinyxml2::XMLDocument*, size_t> index_;
  std::map<const XMLElement*, const XMLElement*> included_;  // <include> -> root of its file
  std::vector<UnusedWord> notes_;
};

}  // namespace torsor::mjcf
