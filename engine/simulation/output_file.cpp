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

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::filesystem::path part_of(std::filesystem::path path) {
  return path += ".part";
}

File open_part(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    cannot_write(path, "it exists and is not a regular file");
  make_folder(path.parent_path());
  File file(std::fopen(part_of(path).c_str(), "w"), std::fclose);
  if (!file) cannot_write(path, std::strerror(errno));
  return file;
}

}  // namespace

void require_writable(const std::filesystem::path& path) {
  open_part(path);
  std::filesystem::remove(part_of(path));
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  File file = open_part(path);
  const std::filesystem::path part = part_of(path);
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
