#include "torsor/formats/xml/element.hpp"

#include "torsor/base/text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace torsor::xml {

namespace {

std::vector<std::string_view> split(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  std::vector<std::string_view> tokens;
  for (size_t i = text.find_first_not_of(space); i != text.npos;) {
    const size_t end = std::min(text.find_first_of(space, i), text.size());
    tokens.push_back(text.substr(i, end - i));
    i = text.find_first_not_of(space, end);
  }
  return tokens;
}

}  // namespace

void Element::fail(const std::string& text, const char* attribute) const {
  const tinyxml2::XMLAttribute* found = attribute ? xml_.FindAttribute(attribute) : nullptr;
  document_.fail(found ? found->GetLineNum() : line(), owner_ + ": " + text);
}

std::optional<Element> Element::child(const char* name) const {
  const tinyxml2::XMLElement* found = xml_.FirstChildElement(name);
  return found ? std::optional<Element>(std::in_place, document_, *found, owner_) : std::nullopt;
}

Element Element::needed_child(const char* name) const {
  const tinyxml2::XMLElement* found = xml_.FirstChildElement(name);
  if (!found) fail(fmt::format("<{}> needs the element <{}>", xml_.Name(), name));
  return {document_, *found, owner_};
}

std::vector<Element> Element::children(const char* name) const {
  std::vector<Element> out;
  for (auto xml = xml_.FirstChildElement(name); xml; xml = xml->NextSiblingElement(name))
    out.emplace_back(document_, *xml, owner_);
  return out;
}

void Element::need(const char* attribute) const {
  if (!has(attribute)) fail(fmt::format("<{}> needs the attribute {}", xml_.Name(), attribute));
}

std::string Element::needed_text(const char* attribute) const {
  need(attribute);
  return xml_.Attribute(attribute);
}

std::string Element::text() const {
  std::string out;
  for (const tinyxml2::XMLNode* node = xml_.FirstChild(); node; node = node->NextSibling())
    if (const tinyxml2::XMLText* part = node->ToText()) out += part->Value();
  constexpr const char* space = " \t\r\n";
  const size_t first = out.find_first_not_of(space);
  if (first == out.npos) return "";
  return out.substr(first, out.find_last_not_of(space) + 1 - first);
}

std::string Element::shown(const char* attribute) const {
  return attribute ? fmt::format("{} of <{}>", attribute, xml_.Name())
                   : fmt::format("<{}>", xml_.Name());
}

// Parses a decimal number. The result does not depend on the locale.
double Element::parse_number(std::string_view token, const char* attribute, bool infinite) const {
  const auto reject = [&](const char* reason) {
    fail(fmt::format("{} contains '{}', which {}", shown(attribute), readable(token), reason),
         attribute);
  };
  if (token.find("${") != token.npos)
    reject(fmt::format("is a xacro expression; {}", expand_xacro).c_str());
  std::string_view digits = token;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  double value = 0;
  const char* last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, value);
  if (error == std::errc::invalid_argument || end != last) reject("is not a number");
  if (error == std::errc::result_out_of_range) reject("is too large for a double");
  if (std::isnan(value) || (std::isinf(value) && !infinite)) reject("is not a finite number");
  return value;
}

void Element::parse_numbers(const char* attribute, std::string_view text, double* out,
                            size_t n) const {
  const std::vector<std::string_view> tokens = split(text);
  if (tokens.size() != n)
    fail(fmt::format("{} needs {} number{}; '{}' has {}", shown(attribute), n, n == 1 ? "" : "s",
                     readable(text), tokens.size()),
         attribute);
  for (size_t i = 0; i < n; ++i) out[i] = parse_number(tokens[i], attribute);
}

std::vector<double> Element::list(const char* attribute, size_t most) const {
  const std::string_view text = xml_.Attribute(attribute);
  const std::vector<std::string_view> tokens = split(text);
  if (tokens.size() > most)
    fail(fmt::format("{} of <{}> has {} numbers; it takes at most {}", attribute, xml_.Name(),
                     tokens.size(), most),
         attribute);
  std::vector<double> out;
  out.reserve(tokens.size());
  for (const std::string_view token : tokens) out.push_back(parse_number(token, attribute));
  return out;
}

std::optional<double> Element::number(const char* attribute) const {
  const auto value = numbers<1>(attribute);
  return value ? std::optional((*value)[0]) : std::nullopt;
}

std::optional<double> Element::not_negative(const char* attribute) const {
  const std::optional<double> value = number(attribute);
  if (value && *value < 0)
    fail(fmt::format("{} of <{}> is {}; it must not be negative", attribute, xml_.Name(), *value),
         attribute);
  return value;
}

std::optional<Vec3<double>> Element::vector(const char* attribute) const {
  const auto value = numbers<3>(attribute);
  return value ? std::optional(Vec3<double>{(*value)[0], (*value)[1], (*value)[2]}) : std::nullopt;
}

std::string read_name(const Document& document, const tinyxml2::XMLElement& xml, const char* what) {
  const tinyxml2::XMLAttribute* found = xml.FindAttribute("name");
  if (!found || *found->Value() == '\0')
    document.fail(xml.GetLineNum(), fmt::format("{} needs a name", what));
  if (!is_plain_text(found->Value()))
    document.fail(found->GetLineNum(),
                  fmt::format("the name '{}' of {} is not UTF-8 text on one line",
                              readable(found->Value()), what));
  return found->Value();
}

void fail_twin(const Document& document, const char* what, const std::string& name, int line,
               int first_line) {
  document.fail(
      line,
      fmt::format("there are two {}s named '{}', the first at line {}; give each its own name",
                  what, name, first_line));
}

}  // namespace torsor::xml
