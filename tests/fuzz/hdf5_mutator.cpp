// Mutates inputs of the target hdf5. HDF5 protects its metadata with checksums and rejects nearly
// every changed byte there. This mutator corrects the checksums after most changes, so that readers
// also process damaged metadata (File Format Specification II.A, III.A.2 and IV.A.1.b; HDF5 1.10).

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

extern "C" {
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
uint32_t H5_checksum_metadata(const void* data, size_t size, uint32_t initial);  // in libhdf5
}

namespace {

using Bytes = std::span<uint8_t>;

// Returns the number of bytes before the checksum of a block, or nullopt if no block begins with
// these bytes.
std::optional<size_t> checked_size(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  // A superblock.
  if (text.starts_with("\x89HDF\r\n\x1a\n") && text.size() > 8 && text[8] >= 2) return 44;
  if (text.starts_with("EAHD")) return 68;  // a header of an extensible array
  if (!text.starts_with("OHDR") || text.size() < 16) return std::nullopt;
  const int flags = bytes[5];
  size_t at = 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
  const size_t width = size_t(1) << (flags & 3);  // bytes of the size of the messages
  if (at + width > bytes.size()) return std::nullopt;
  uint64_t messages = 0;
  std::memcpy(&messages, bytes.data() + at, width);
  return messages < bytes.size() ? std::optional(at + width + size_t(messages)) : std::nullopt;
}

void correct_checksums(Bytes file) {
  constexpr size_t end_of_file = 28;  // position of this field in the superblock
  if (file.size() > 44) {
    const uint64_t size = file.size();
    std::memcpy(file.data() + end_of_file, &size, sizeof size);
  }
  for (size_t at = 0; at < file.size(); ++at) {
    const Bytes block = file.subspan(at);
    const auto size = checked_size(block);
    if (!size || *size + 4 > block.size()) continue;
    const uint32_t checksum = H5_checksum_metadata(block.data(), *size, 0);
    std::memcpy(block.data() + *size, &checksum, sizeof checksum);
  }
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 8 != 0) correct_checksums({data, size});
  return size;
}
