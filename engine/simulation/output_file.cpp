#include "torsor/simulation/output_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "torsor/model/error.hpp"

namespace torsor {

void cannot_write(const std::filesystem::path& path, const std::string& why) {
  throw Error(fmt::format("cannot write '{}': {}", path.string(), why));
}

void make_folder(const std::filesystem::path& folder) {
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) cannot_write(folder, error.message());
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  make_folder(path.parent_path());
  std::filesystem::path part = path;
  part += ".part";
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(part.c_str(), "w"), std::fclose);
  if (!file) cannot_write(part, std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  const bool closed = std::fclose(file.release()) == 0;
  const std::string why = std::strerror(errno);
  std::error_code error, ignored;
  if (written && closed) std::filesystem::rename(part, path, error);
  if (written && closed && !error) return;
  std::filesystem::remove(part, ignored);
  cannot_write(path, error ? error.message() : why);
}

}  // namespace torsor
