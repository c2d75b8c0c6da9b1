#include "torsor/cli/options/settings.hpp"

#include <fmt/format.h>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"

namespace torsor::cli {

std::map<std::string, std::string> read_settings(const std::vector<std::string>& settings,
                                                 const char* option) {
  std::map<std::string, std::string> read;
  for (const std::string& setting : settings) {
    if (!is_plain_text(setting))
      throw Error(fmt::format("{}: it must be UTF-8 text on one line", option));
    const size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(
          fmt::format("{0} {1}: it must be NAME=VALUE, as in {0} payload=2", option, setting));
    const std::string name = setting.substr(0, equals);
    if (!read.emplace(name, setting.substr(equals + 1)).second)
      throw Error(fmt::format("{} {}: '{}' is set twice", option, setting, name));
  }
  return read;
}

}  // namespace torsor::cli
