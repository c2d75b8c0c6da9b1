#include "torsor/fmi/resource_folder.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "torsor/base/error.hpp"

namespace torsor::fmi {

namespace {

[[noreturn]] void reject(const std::string& location, const char* why) {
  throw Error(
      fmt::format("the resources '{}' cannot be used: {}; give the folder resources of the "
                  "unpacked FMU as an absolute path or as file:///PATH",
                  location, why));
}

std::string decoded(std::string_view text, const std::string& location) {
  std::string out;
  for (size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '%') {
      out += text[k];
      continue;
    }
    const std::string_view digits = text.substr(k + 1, 2);
    unsigned char value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2 || value == 0)
      reject(location, "a % must be followed by two hexadecimal digits that are not 00");
    out += char(value);
    k += 2;
  }
  return out;
}

}  // namespace

std::filesystem::path resource_folder(const std::string& location) {
  constexpr std::string_view scheme = "file:", host = "localhost";
  std::string_view rest = location;
  if (rest.empty()) reject(location, "the path is empty");
  if (!rest.starts_with(scheme)) {
    if (!rest.starts_with('/') && rest.find("://") != rest.npos)
      reject(location, "only URIs of files are supported");
    return location;
  }
  rest.remove_prefix(scheme.size());
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    if (rest.starts_with(host)) rest.remove_prefix(host.size());
    if (!rest.starts_with('/')) reject(location, "the files are on another host");
  }
  if (!rest.starts_with('/')) reject(location, "the path of the URI is not absolute");
  return decoded(rest, location);
}

}  // namespace torsor::fmi
