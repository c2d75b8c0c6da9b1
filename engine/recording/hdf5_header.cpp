#include "torsor/recording/hdf5_header.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/recording/hdf5_handle.hpp"

namespace torsor::hdf5 {

namespace {

// Sections of the HDF5 File Format Specification 3.0: IV.A.1 object headers, IV.A.2 messages.
enum MessageType {
  dataspace = 0x01,
  datatype = 0x03,
  external_files = 0x07,
  layout = 0x08,
  attribute = 0x0c,
  continuation = 0x10,
  attribute_info = 0x15
};
constexpr unsigned shared = 2;  // flag of a message that is stored elsewhere
constexpr uint64_t no_address = ~uint64_t(0);

[[noreturn]] void fail_damaged() {
  throw Failure("a header in it is damaged");
}

// Reads a range of bytes of a header. Numbers are little-endian. Reading beyond its end throws
// Failure.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}
  std::string_view take(uint64_t size) {
    if (size > left_.size()) fail_damaged();
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  uint64_t number(size_t width) {
    uint64_t value = 0;
    std::memcpy(&value, take(width).data(), width);
    return value;
  }
  size_t size() const { return left_.size(); }

 private:
  std::string_view left_;
};

// Returns a * b. Throws Failure if the product exceeds the maximum size of an attribute.
uint64_t times(uint64_t a, uint64_t b) {
  constexpr uint64_t most = 1 << 16;
  if (a != 0 && b > most / a) fail_damaged();
  return a * b;
}

// Reads a datatype message (IV.A.2.d): 4 bytes of class and flags, then the size. Returns the size
// of one value in bytes.
uint64_t value_size_in(Bytes type) {
  type.take(4);
  return type.number(4);
}

// Returns the number of elements of a dataspace message (IV.A.2.b).
uint64_t elements_in(Bytes space) {
  const uint64_t version = space.number(1), rank = space.number(1);
  space.take(1);
  const uint64_t kind = space.number(1);
  constexpr uint64_t null = 2;  // a dataspace without elements
  if (version >= 2 && kind == null) return 0;
  if (version < 2) space.take(4);
  uint64_t elements = 1;
  for (uint64_t k = 0; k < rank; ++k) elements = times(elements, space.number(8));
  return elements;
}

// The sizes of the chunks that store the values of a dataset, and where their addresses are stored.
struct Chunks {
  // Chunk dimensions, then the size of a value in bytes. Empty if the dataset has no chunks.
  std::vector<uint64_t> sizes;
  uint64_t array = no_address;     // address of the header of the array of chunk addresses
  uint64_t entries_in_header = 0;  // offset in this header of its entry count
};

// Finds the array of chunk addresses. Handles only the chunk indexes that are arrays (VII.C,
// VII.D). The entry count in the header of the array must be checked, because HDF5 searches all
// entries.
void find_array(Bytes layout, Chunks& to) {
  constexpr uint64_t fixed = 3, extensible = 4;
  const uint64_t index = layout.number(1);
  if (index != fixed && index != extensible) return;
  layout.take(index == fixed ? 1 : 5);
  to.array = layout.number(8);
  to.entries_in_header = index == fixed ? 8 : 44;
}

// Returns whether the dataset is virtual: its values are stored in other datasets, possibly in
// other files.
bool is_virtual(Bytes layout) {
  constexpr uint64_t of_other_datasets = 3;
  return layout.number(1) > 3 && layout.number(1) == of_other_datasets;
}

// Returns the chunks that a layout message (IV.A.2.i) describes.
Chunks chunks_in(Bytes layout) {
  constexpr uint64_t chunked = 2;
  const uint64_t version = layout.number(1);
  uint64_t rank = 0, width = 4;
  if (version < 3) {
    rank = layout.number(1);
    if (layout.number(1) != chunked) return {};
    layout.take(5 + 8);
  } else {
    if (layout.number(1) != chunked) return {};
    if (version > 3) layout.take(1);
    rank = layout.number(1);
    if (version > 3)
      width = layout.number(1);
    else
      layout.take(8);
  }
  if (width < 1 || width > 8 || rank < 2) fail_damaged();
  Chunks chunks;
  for (uint64_t k = 0; k < rank; ++k) chunks.sizes.push_back(layout.number(width));
  if (version > 3) find_array(layout, chunks);
  return chunks;
}

// Throws Failure if an attribute message (IV.A.2.m) is shorter than its size fields claim. The
// message contains, in this order:
// - the sizes of the name, the type and the space
// - the name, the type and the space
// - the values
void require_whole_attribute(Bytes message) {
  const uint64_t version = message.number(1), flags = message.number(1);
  if (flags != 0) throw Unsupported("an attribute has a type that is stored elsewhere in it");
  const uint64_t name = message.number(2), type = message.number(2), space = message.number(2);
  if (version >= 3) message.take(1);
  const auto stored = [&](uint64_t size) { return version < 2 ? (size + 7) / 8 * 8 : size; };
  message.take(stored(name));
  const uint64_t value_size = value_size_in(Bytes(message.take(stored(type))));
  const uint64_t elements = elements_in(Bytes(message.take(stored(space))));
  message.take(times(elements, value_size));
}

class Header {
 public:
  Header(hid_t file, haddr_t address)
      : descriptor_(descriptor_of(file)), length_(length_of(file)), left_(length_) {
    const std::string begin = read(address, prefix_size);
    if (begin.starts_with("OHDR"))
      check_version_2(address, Bytes(begin));
    else
      check_version_1(address, Bytes(begin));
    require_whole_chunks();
  }

 private:
  static constexpr uint64_t prefix_size = 16;  // smaller than any header
  struct Block {
    uint64_t address, size;
  };

  std::string read(uint64_t address, uint64_t size);
  void check_version_1(haddr_t address, Bytes prefix);
  void check_version_2(haddr_t address, Bytes prefix);
  void check_messages(Bytes messages);
  void check_message(uint64_t type, uint64_t flags, Bytes message);
  void require_whole_chunks();

  int descriptor_;
  uint64_t length_;
  // Number of bytes that may still be read. This limit ends loops of blocks that refer to each
  // other.
  uint64_t left_;
  bool version_2_ = false;
  // True if each message contains its creation order.
  bool has_order_ = false;
  std::vector<Block> blocks_;
  uint64_t rank_ = 0, value_size_ = 0;  // rank and value size of the dataset
  Chunks chunks_;
};

std::string Header::read(uint64_t address, uint64_t size) {
  if (address > length_ || size > length_ - address || size > left_) fail_damaged();
  left_ -= size;
  std::string bytes(size, '\0');
  size_t done = 0;
  while (done < size) {
    const ssize_t n = pread(descriptor_, bytes.data() + done, size - done, off_t(address + done));
    if (n < 0 && errno != EINTR) throw Failure(std::strerror(errno));
    if (n == 0) throw Failure("it is cut off");
    if (n > 0) done += size_t(n);
  }
  return bytes;
}

void Header::check_version_1(haddr_t address, Bytes prefix) {
  prefix.take(8);
  blocks_.push_back({address + prefix_size, prefix.number(4)});
  for (size_t k = 0; k < blocks_.size(); ++k)
    check_messages(Bytes(read(blocks_[k].address, blocks_[k].size)));
}

void Header::check_version_2(haddr_t address, Bytes prefix) {
  version_2_ = true;
  prefix.take(5);
  const uint64_t flags = prefix.number(1);
  has_order_ = flags & 4;
  const uint64_t width = uint64_t(1) << (flags & 3),
                 skipped = 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
  const std::string first_size = read(address + skipped, width);
  blocks_.push_back({address + skipped + width, Bytes(first_size).number(width)});
  constexpr uint64_t signature = 4, checksum = 4;
  for (size_t k = 0; k < blocks_.size(); ++k) {
    const std::string block = read(blocks_[k].address, blocks_[k].size);
    Bytes messages(block);
    if (k > 0 && messages.take(signature) != "OCHK") fail_damaged();
    check_messages(k == 0 ? messages : Bytes(messages.take(messages.size() - checksum)));
  }
}

void Header::check_messages(Bytes messages) {
  const size_t head = version_2_ ? 4 + (has_order_ ? 2 : 0) : 8;
  while (messages.size() >= head) {
    Bytes start(messages.take(head));
    const uint64_t type = start.number(version_2_ ? 1 : 2), size = start.number(2),
                   flags = start.number(1);
    check_message(type, flags, Bytes(messages.take(size)));
  }
}

void Header::check_message(uint64_t type, uint64_t flags, Bytes message) {
  const bool elsewhere = flags & shared;
  if (elsewhere && (type == dataspace || type == datatype || type == layout || type == attribute))
    throw Unsupported("a part of a header is stored elsewhere in it");
  if (type == dataspace) {
    message.take(1);
    rank_ = message.number(1);
  } else if (type == datatype) {
    value_size_ = value_size_in(message);
  } else if (type == external_files || (type == layout && is_virtual(message))) {
    throw Failure("a part of it is stored in another file, which is not read");
  } else if (type == layout) {
    chunks_ = chunks_in(message);
  } else if (type == continuation) {
    const uint64_t address = message.number(8);
    blocks_.push_back({address, message.number(8)});
  } else if (type == attribute) {
    require_whole_attribute(message);
  } else if (type == attribute_info) {
    message.take(1);
    if (message.number(1) & 1) message.take(2);
    const uint64_t heap = message.number(8), index = message.number(8);
    if (heap != no_address && index >= length_) fail_damaged();
  }
}

void Header::require_whole_chunks() {
  const auto& sizes = chunks_.sizes;
  if (sizes.empty()) return;
  if (sizes.size() != rank_ + 1 || sizes.back() != value_size_) fail_damaged();
  if (std::ranges::count(sizes, 0u) > 0) fail_damaged();
  if (chunks_.array == no_address) return;
  constexpr uint64_t entry_size = 8;
  const std::string array = read(chunks_.array, chunks_.entries_in_header + 8);
  if (Bytes(std::string_view(array).substr(chunks_.entries_in_header)).number(8) >
      length_ / entry_size)
    fail_damaged();
}

}  // namespace

hsize_t length_of(hid_t file) {
  struct stat status {};
  if (fstat(descriptor_of(file), &status) != 0) throw Failure(std::strerror(errno));
  return hsize_t(status.st_size);
}

void require_sound_header(hid_t file, const char* name) {
  const Handle creation = checked(H5Fget_create_plist(file));
  size_t address_size = 0, length_size = 0;
  checked(H5Pget_sizes(creation, &address_size, &length_size));
  if (address_size != 8 || length_size != 8) throw Failure("its addresses do not have 8 bytes");
  H5O_info_t info;
  checked(H5Oget_info_by_name2(file, name, &info, H5O_INFO_BASIC, own_links()));
  Header(file, info.addr);
}

}  // namespace torsor::hdf5
