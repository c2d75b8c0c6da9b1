#pragma once
// Typed access to an element of an XML file. Reading a value throws Error if the text is not
// exactly a value of the requested type.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "torsor/formats/xml/document.hpp"
#include "torsor/spatial/vec3.hpp"

namespace torsor::xml {

class Element {
 public:
  // owner: the name in messages of the link, joint or robot that contains the element, such as
  // "joint 'elbow'". The document must outlive this object.
  Element(const Document& document, const tinyxml2::XMLElement& xml, std::string owner)
      : document_(document), xml_(xml), owner_(std::move(owner)) {}

  const Document& document() const { return document_; }
  const tinyxml2::XMLElement& xml() const { return xml_; }
  int line() const { return xml_.GetLineNum(); }
  std::string place() const { return document_.at(line()); }  // returns "FILE:LINE"
  // Throws Error "FILE:LINE: owner: text". LINE is the line of the attribute if the element has
  // this attribute, otherwise the line of the element.
  [[noreturn]] void fail(const std::string& text, const char* attribute = nullptr) const;

  std::optional<Element> child(const char* name) const;
  Element needed_child(const char* name) const;
  std::vector<Element> children(const char* name) const;
  bool is_empty() const { return xml_.FirstChildElement() == nullptr; }

  bool has(const char* attribute) const { return xml_.FindAttribute(attribute) != nullptr; }
  std::string needed_text(const char* attribute) const;
  std::optional<double> number(const char* attribute) const;
  std::optional<double> not_negative(const char* attribute) const;
  std::optional<Vec3<double>> vector(const char* attribute) const;
  template <size_t n>
  std::optional<std::array<double, n>> numbers(const char* attribute) const {
    if (!has(attribute)) return std::nullopt;
    std::array<double, n> value;
    parse_numbers(attribute, xml_.Attribute(attribute), value.data(), n);
    return value;
  }
  // Returns the numbers of an attribute. Throws Error if there are more than `most`.
  std::vector<double> list(const char* attribute, size_t most) const;
  // Throws Error if the attribute is missing.
  void need(const char* attribute) const;

  // Returns the text of the element, such as that of <mass>1.5</mass>, without white space at its
  // ends.
  std::string text() const;
  template <size_t n>
  std::array<double, n> text_numbers() const {
    std::array<double, n> value;
    parse_numbers(nullptr, text(), value.data(), n);
    return value;
  }
  double text_number() const { return text_numbers<1>()[0]; }
  // Returns the number of the text, which may be "inf" or "-inf".
  double text_bound() const { return parse_number(text(), nullptr, true); }

 private:
  // attribute: null for the text of the element.
  std::string shown(const char* attribute) const;
  double parse_number(std::string_view token, const char* attribute, bool infinite = false) const;
  void parse_numbers(const char* attribute, std::string_view text, double* out, size_t n) const;

  const Document& document_;
  const tinyxml2::XMLElement& xml_;
  std::string owner_;
};

// Returns the attribute "name" of an element. Throws Error if the name is
// empty, is not UTF-8 text, or has more than one line. (Names are used in messages, JSON and
// recordings.) what: the element in messages, such as "a <link>".
std::string read_name(const Document& document, const tinyxml2::XMLElement& xml, const char* what);

// Throws Error because two elements have the same name. what: their kind, such as "link". line: the
// line of the second element. first_line: the line of the first element.
[[noreturn]] void fail_twin(const Document& document, const char* what, const std::string& name,
                            int line, int first_line);

}  // namespace torsor::xml
