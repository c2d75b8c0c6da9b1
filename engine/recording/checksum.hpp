#pragma once
// Checksums of recordings. A reader compares them with the data to detect damage.

#include <cstdint>
#include <span>
#include <string_view>

namespace torsor {

// Returns the CRC-32 (as in zlib) of values, stored as little-endian doubles. start: the initial
// CRC value. The Python equivalent is zlib.crc32(values.tobytes(), start).
uint32_t checksum(uint32_t start, std::span<const double> values);
// Returns the CRC-32 of a string, with the initial CRC value 0.
uint32_t checksum(std::string_view text);

}  // namespace torsor
