#include "torsor/model/input_file.hpp"

#include <fmt/format.h>

#include <system_error>

namespace torsor {

std::string why_no_file(const std::filesystem::path& path) {
  std::error_code trouble;
  const std::filesystem::file_status status = std::filesystem::status(path, trouble);
  if (std::filesystem::is_regular_file(status)) return "";
  if (status.type() == std::filesystem::file_type::not_found) return "there is no such file";
  if (std::filesystem::is_directory(status)) return "this is a folder";
  return trouble ? fmt::format("it cannot be read: {}", trouble.message()) : "this is not a regular file";
}

}  // namespace torsor
