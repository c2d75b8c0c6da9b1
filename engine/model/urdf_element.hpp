#pragma once
// Values of one element of a URDF file, read strictly: a value is right as written or an Error.

#include <optional>
#include <string>

#include "torsor/model/urdf_document.hpp"
#include "torsor/spatial/vec3.hpp"

namespace torsor::urdf {

class Element {
 public:
  // owner: whose element it is in messages, "joint 'elbow'". The document must outlive this.
  Element(const Document& document, const tinyxml2::XMLElement& xml, std::string owner)
      : document_(document), xml_(xml), owner_(std::move(owner)) {}

  int line() const { return xml_.GetLineNum(); }
  // "FILE:LINE: owner: text", with the line of an attribute where it is there.
  [[noreturn]] void fail(const std::string& text, const char* attribute = nullptr) const;

  std::optional<Element> child(const char* name) const;
  Element needed_child(const char* name) const;

  bool has(const char* attribute) const { return xml_.FindAttribute(attribute) != nullptr; }
  std::string needed_text(const char* attribute) const;
  std::optional<double> number(const char* attribute) const;
  std::optional<double> not_negative(const char* attribute) const;
  std::optional<Vec3<double>> vector(const char* attribute) const;
  // Throws Error where the attribute is missing.
  void need(const char* attribute) const;

 private:
  double parse_number(std::string_view token, const char* attribute) const;
  void parse_numbers(const char* attribute, double* out, size_t n) const;

  const Document& document_;
  const tinyxml2::XMLElement& xml_;
  std::string owner_;
};

// The attribute "name" of a link, joint or robot: never empty, and UTF-8 without control characters, since
// names go into messages, JSON and the headers of recordings. what: "a <link>".
std::string read_name(const Document& document, const tinyxml2::XMLElement& xml, const char* what);

}  // namespace torsor::urdf
