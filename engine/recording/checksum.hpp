#pragma once
// Checksums of recordings, so that damage is noticed when they are read.

#include <cstdint>
#include <span>
#include <string_view>

namespace torsor {

// Returns the CRC-32 (zlib's) of values, little-endian doubles, from a start value. In Python:
// zlib.crc32(values.tobytes(), start).
uint32_t checksum(uint32_t start, std::span<const double> values);
// Returns the CRC-32 of a text from the start value 0.
uint32_t checksum(std::string_view text);

}  // namespace torsor
