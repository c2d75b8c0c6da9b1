#include "torsor/recording/checksum.hpp"

#include <zlib.h>

#include <bit>

namespace torsor {

static_assert(std::endian::native == std::endian::little, "recordings have little-endian doubles");

uint32_t checksum(uint32_t start, std::span<const double> values) {
  return uint32_t(
      crc32_z(start, reinterpret_cast<const Bytef*>(values.data()), values.size_bytes()));
}

uint32_t checksum(std::string_view text) {
  return uint32_t(crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

}  // namespace torsor
