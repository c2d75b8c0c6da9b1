#include "torsor/cli/fmu/archive.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <memory>

#include "torsor/base/error.hpp"
#include "torsor/base/output_file.hpp"

namespace torsor::cli {

namespace {

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};

void require(bool is_good, const std::filesystem::path& path, const char* why) {
  if (!is_good) cannot_write(path, why);
}

void add(zip_t* archive, const ArchiveFile& file, const std::filesystem::path& path) {
  zip_source_t* source =
      zip_source_buffer(archive, file.content.data(), file.content.size(), /*freep=*/0);
  require(source, path, zip_strerror(archive));
  const zip_int64_t added =
      zip_file_add(archive, file.name.c_str(), source, ZIP_FL_ENC_UTF_8 | ZIP_FL_OVERWRITE);
  if (added < 0) zip_source_free(source);
  require(added >= 0, path, zip_strerror(archive));
  const auto index = zip_uint64_t(added);
  constexpr zip_uint16_t first_of_january_1980 = 1 << 5 | 1;
  const zip_uint32_t mode = file.is_program ? 0100755 : 0100644;
  require(zip_file_set_dostime(archive, index, 0, first_of_january_1980, 0) == 0 &&
              zip_set_file_compression(archive, index, ZIP_CM_DEFLATE, 6) == 0 &&
              zip_file_set_external_attributes(archive, index, 0, ZIP_OPSYS_UNIX, mode << 16) == 0,
          path, zip_strerror(archive));
}

// Returns all bytes of a source.
std::string read_all(zip_source_t* source, const std::filesystem::path& path) {
  zip_stat_t stat;
  require(zip_source_stat(source, &stat) == 0 && zip_source_open(source) == 0, path,
          "the archive cannot be read back");
  std::string out(stat.size, '\0');
  const zip_int64_t n = zip_source_read(source, out.data(), out.size());
  zip_source_close(source);
  require(n >= 0 && zip_uint64_t(n) == stat.size, path, "the archive cannot be read back");
  return out;
}

}  // namespace

void write_archive(const std::filesystem::path& path, const std::vector<ArchiveFile>& files) {
  OutputFile file(path);
  zip_error_t error;
  zip_error_init(&error);
  std::unique_ptr<zip_source_t, Discard> memory(zip_source_buffer_create(nullptr, 0, 0, &error));
  require(memory != nullptr, path, "there is not enough memory");
  zip_source_keep(memory.get());  // the archive owns one reference, and `memory` the other
  std::unique_ptr<zip_t, Discard> archive(zip_open_from_source(memory.get(), ZIP_TRUNCATE, &error));
  if (!archive) zip_source_free(memory.get());
  require(archive != nullptr, path, zip_error_strerror(&error));
  for (const ArchiveFile& each : files) add(archive.get(), each, path);
  require(zip_close(archive.get()) == 0, path, zip_strerror(archive.get()));
  (void)archive.release();
  file.write(read_all(memory.get(), path));
  file.commit();
}

}  // namespace torsor::cli
