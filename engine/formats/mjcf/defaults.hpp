#pragma once
// Classes of defaults, and the values of elements with the defaults of their class.

#include <span>
#include <unordered_map>

#include "torsor/formats/mjcf/files.hpp"

namespace torsor::mjcf {

// The <default> classes. All top-level <default> elements of a model are one class: every other
// class of the model is in it, and it is the class "" of elements without a class. An element can
// name the classes of its model and of the models attached in it; those of its own model come
// first.
class Classes {
 public:
  // Throws Error with file:line if a nested class has no name, or two of a model have the same
  // name.
  explicit Classes(const Files& files);
  // Throws Error with file:line if an attribute of an element names no class.
  void need(const xml::Element& element, const char* attribute) const;
  // Returns the elements of a class, and of the classes that contain it, whose name is one of
  // `names`. The last element of the innermost class is the first. model, name: the model of the
  // element that names the class, and this name; there must be such a class.
  std::vector<const XMLElement*> elements(size_t model, const std::string& name,
                                          std::span<const std::string_view> names) const;

 private:
  void read(const XMLElement& section, int index);
  void check_sizes() const;
  // Returns the index of a class, or -1 if there is none.
  int find(size_t model, const std::string& name) const;

  struct Class {
    int parent;             // -1: none
    const XMLElement* xml;  // null for the class of all top-level elements
    std::vector<const XMLElement*> elements;
  };
  const Files& files_;
  std::vector<Class> classes_;
  std::vector<std::unordered_map<std::string, int>> index_;  // by model and name
};

// An element of the robot together with the elements of its class that give its defaults.
class Values {
 public:
  // childclass: the class of the element if it names none; "" for that of its model. names: the
  // names of elements in the class; empty for that of the element.
  Values(const Files& files, const Classes& classes, const XMLElement& xml,
         const std::string& childclass, std::string owner,
         std::vector<std::string_view> names = {});
  // An element without defaults.
  explicit Values(const xml::Element& element) : sources_{element} {}

  const xml::Element& own() const { return sources_.front(); }
  // All elements, the element itself first.
  const std::vector<xml::Element>& sources() const { return sources_; }
  // Returns the first element that has an attribute, or nullptr.
  const xml::Element* with(const char* attribute) const;
  bool has(const char* attribute) const { return with(attribute) != nullptr; }
  std::string text(const char* attribute, std::string fallback = "") const;
  double number(const char* attribute, double fallback) const;
  double not_negative(const char* attribute, double fallback) const;
  Vec3<double> vector(const char* attribute, const Vec3<double>& fallback) const;
  template <size_t n>
  std::optional<std::array<double, n>> numbers(const char* attribute) const {
    const xml::Element* element = with(attribute);
    return element ? element->numbers<n>(attribute) : std::nullopt;
  }
  // Writes the numbers of an attribute to the beginning of `out`: first those of the outermost
  // class, last those of the element, each of which may have fewer numbers.
  void overlay(const char* attribute, std::span<double> out) const;
  // Returns the index of the value in a list of words. Throws Error if it is another word.
  size_t word(const char* attribute, std::span<const std::string_view> words,
              size_t fallback) const;
  bool flag(const char* attribute, bool fallback) const;
  // Returns true, false, or for "auto" and a missing attribute nullopt.
  std::optional<bool> flag_or_auto(const char* attribute) const;

 private:
  std::vector<xml::Element> sources_;
};

// Returns the value of a list attribute of words. Throws Error if the text is another word.
size_t word_of(const xml::Element& element, const char* attribute,
               std::span<const std::string_view> words);

}  // namespace torsor::mjcf
