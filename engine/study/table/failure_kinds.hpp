#pragma once
// Kinds of failures. Messages that differ only in numbers are of one kind, so that thousands of
// failures of one cause are one line.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace torsor {

// Returns the message with each number replaced by '#'. Numbers within names ("joint1") and line
// numbers ("scene.lua:7:") remain.
std::string without_numbers(std::string_view message);

// Returns the key of the kind of a message: the CRC-32 of without_numbers(message). It is never 0.
uint32_t failure_key(std::string_view message);

struct FailureKind {
  uint32_t key = 0;
  uint64_t sample = 0;  // the first sample of this kind
  std::string message;  // the message of this sample
};

// The kinds of a study, at most `most`. The kinds that first occur in earlier samples are kept, so
// that the result does not depend on the order of additions.
class FailureKinds {
 public:
  static constexpr size_t most = 256;
  static constexpr size_t longest = 512;  // bytes of a message; longer messages are cut off

  explicit FailureKinds(const std::vector<FailureKind>& kinds = {});
  // Adds a message. Returns true if the list of kinds has changed.
  bool add(uint64_t sample, const std::string& message);
  // Returns the kinds in the order of their first samples.
  std::vector<FailureKind> sorted() const;

 private:
  std::map<uint32_t, FailureKind> kinds_;
};

}  // namespace torsor
