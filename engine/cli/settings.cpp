#include "torsor/cli/settings.hpp"

#include <fmt/format.h>

#include "torsor/model/error.hpp"
#include "torsor/model/text.hpp"

namespace torsor::cli {

std::map<std::string, std::string> read_settings(const std::vector<std::string>& settings) {
  std::map<std::string, std::string> read;
  for (const std::string& setting : settings) {
    if (!is_plain_text(setting)) throw Error("--set: a setting must be UTF-8 text on one line");
    const size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(fmt::format("--set {}: it must be NAME=VALUE, as --set payload=2", setting));
    const std::string name = setting.substr(0, equals);
    if (!read.emplace(name, setting.substr(equals + 1)).second)
      throw Error(fmt::format("--set {}: '{}' is set twice", setting, name));
  }
  return read;
}

}  // namespace torsor::cli
