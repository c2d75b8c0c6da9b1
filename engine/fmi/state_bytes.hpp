#pragma once
// The bytes of a saved state: blocks of numbers and strings, sealed by a checksum.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace torsor::fmi {

// Append a block with its length.
void put_block(std::vector<std::byte>& out, std::span<const std::byte> data);
void put_text(std::vector<std::byte>& out, const std::string& text);
void put_numbers(std::vector<std::byte>& out, const std::vector<double>& numbers);

// Remove a block from the front of the bytes and return it. Throw Error if it is not complete.
// take_numbers() also throws Error if there are not `count` finite numbers.
std::span<const std::byte> take_block(std::span<const std::byte>& bytes);
std::string take_text(std::span<const std::byte>& bytes);
std::vector<double> take_numbers(std::span<const std::byte>& bytes, size_t count);

// Adds a head with a checksum to the bytes, and removes it. unsealed() throws Error if a bit has
// changed, or if the bytes are no saved state.
std::vector<std::byte> sealed(std::span<const std::byte> content);
std::span<const std::byte> unsealed(std::span<const std::byte> bytes);

}  // namespace torsor::fmi
