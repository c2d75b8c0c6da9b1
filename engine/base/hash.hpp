#pragma once
// An FNV-1a hash of the bytes of numbers and strings. It is not cryptographic. The same data have
// the same hash in every run.

#include <cstdint>
#include <ranges>
#include <string_view>
#include <type_traits>

namespace torsor {

class Hash {
 public:
  void add(const void* data, size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < size; ++i) value_ = (value_ ^ bytes[i]) * 1099511628211ull;
  }
  template <class T>
  requires std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>
  void add(const T& value) { add(&value, sizeof value); }
  void add(std::string_view text) { add(text.data(), text.size()); }
  template <std::ranges::contiguous_range Range>
  requires(!std::is_convertible_v<const Range&, std::string_view>) void add(const Range& values) {
    add(std::ranges::data(values), std::ranges::size(values) * sizeof(*std::ranges::data(values)));
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 14695981039346656037ull;
};

}  // namespace torsor
