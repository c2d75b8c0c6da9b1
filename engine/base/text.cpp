#include "torsor/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace torsor {

namespace {

// Returns the length of the UTF-8 character at the start of text, or 0 if there is none (RFC 3629,
// table of section 4).
size_t character_length(std::string_view text) {
  const auto byte = [&](size_t k) {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u;
  };
  const unsigned lead = byte(0), second = byte(1);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xc0) != 0x80) return 0;
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool surrogate = lead == 0xed && second >= 0xa0, beyond = lead == 0xf4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

bool is_control(unsigned char c) {
  return c < ' ' || c == 0x7f;
}

}  // namespace

bool is_plain_text(std::string_view text) {
  while (!text.empty()) {
    const size_t length = character_length(text);
    if (length == 0 || is_control(static_cast<unsigned char>(text[0]))) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string quotable(std::string_view text) {
  constexpr int longest = 60;  // characters
  std::string out;
  for (int k = 0; !text.empty(); ++k) {
    if (k == longest) return out + "...";
    const size_t length = character_length(text);
    const unsigned char first = static_cast<unsigned char>(text[0]);
    if (length == 0 || is_control(first))
      out += fmt::format("\\x{:02x}", first);
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(1, length));
  }
  return out;
}

std::string without_controls(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = std::max<size_t>(1, character_length(text));
    const std::string_view character = text.substr(0, length);
    const bool c1 =
        length == 2 && character[0] == '\xc2' && static_cast<unsigned char>(character[1]) < 0xa0;
    const bool direction = (character >= "\u202a" && character <= "\u202e") ||
                           (character >= "\u2066" && character <= "\u2069") ||
                           character == "\u200f" || character == "\u200e" || character == "\u061c";
    const bool plain = character == "\n" || character == "\t" || is_plain_text(character);
    if (plain && !c1 && !direction)
      out += character;
    else
      out += '?';
    text.remove_prefix(length);
  }
  return out;
}

std::string counted(size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), is_control, ' ');
  return text;
}

}  // namespace torsor
