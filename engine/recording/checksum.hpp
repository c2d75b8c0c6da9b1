#pragma once
// Checksums of recordings, which reveal damage when a recording is read.

#include <cstdint>
#include <span>
#include <string_view>

namespace torsor {

// Returns the CRC-32 (as zlib) of values, as little-endian doubles, from a start value. The same in
// Python: zlib.crc32(values.tobytes(), start).
uint32_t checksum(uint32_t start, std::span<const double> values);
// Returns the CRC-32 of a string from the start value 0.
uint32_t checksum(std::string_view text);

}  // namespace torsor
