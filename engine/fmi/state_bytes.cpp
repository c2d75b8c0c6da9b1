#include "torsor/fmi/state_bytes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "torsor/base/error.hpp"
#include "torsor/base/hash.hpp"

namespace torsor::fmi {

namespace {

struct Head {
  char magic[16];
  uint64_t hash;  // of the content
};

constexpr char magic[16] = "torsor fmu 1\n";

uint64_t hash_of(std::span<const std::byte> content) {
  Hash hash;
  hash.add(content.data(), content.size());
  return hash.value();
}

}  // namespace

void put_block(std::vector<std::byte>& out, std::span<const std::byte> data) {
  const uint64_t length = data.size();
  const auto head = std::as_bytes(std::span(&length, 1));
  out.insert(out.end(), head.begin(), head.end());
  out.insert(out.end(), data.begin(), data.end());
}
void put_text(std::vector<std::byte>& out, const std::string& text) {
  put_block(out, std::as_bytes(std::span(text)));
}
void put_numbers(std::vector<std::byte>& out, const std::vector<double>& numbers) {
  put_block(out, std::as_bytes(std::span(numbers)));
}

std::span<const std::byte> take_block(std::span<const std::byte>& bytes) {
  uint64_t length = 0;
  if (bytes.size() >= sizeof length) {
    std::memcpy(&length, bytes.data(), sizeof length);
    bytes = bytes.subspan(sizeof length);
    if (length <= bytes.size()) {
      const auto out = bytes.first(length);
      bytes = bytes.subspan(length);
      return out;
    }
  }
  throw Error("the saved state is not complete; serialize it again");
}

std::string take_text(std::span<const std::byte>& bytes) {
  const auto block = take_block(bytes);
  return {reinterpret_cast<const char*>(block.data()), block.size()};
}

std::vector<double> take_numbers(std::span<const std::byte>& bytes, size_t count) {
  const auto block = take_block(bytes);
  if (block.size() != count * sizeof(double))
    throw Error("the saved state is of a scene with other dof or controls; serialize it again");
  std::vector<double> out(count);
  if (count > 0) std::memcpy(out.data(), block.data(), block.size());
  if (!std::ranges::all_of(out, [](double x) { return std::isfinite(x); }))
    throw Error("the saved state has numbers that are not finite; serialize it again");
  return out;
}

std::vector<std::byte> sealed(std::span<const std::byte> content) {
  Head head{{}, hash_of(content)};
  std::memcpy(head.magic, magic, sizeof magic);
  std::vector<std::byte> out(sizeof head + content.size());
  std::memcpy(out.data(), &head, sizeof head);
  std::ranges::copy(content, out.begin() + sizeof head);
  return out;
}

std::span<const std::byte> unsealed(std::span<const std::byte> bytes) {
  Head head;
  if (bytes.size() < sizeof head || std::memcmp(bytes.data(), magic, sizeof magic) != 0)
    throw Error("the bytes are no serialized state of an FMU of this version of Torsor");
  std::memcpy(&head, bytes.data(), sizeof head);
  const auto content = bytes.subspan(sizeof head);
  if (head.hash != hash_of(content))
    throw Error("the serialized state is damaged: its bytes differ from those that were saved");
  return content;
}

}  // namespace torsor::fmi
