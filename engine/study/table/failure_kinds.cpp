#include "torsor/study/table/failure_kinds.hpp"

#include <algorithm>
#include <cctype>

#include "torsor/recording/checksum.hpp"

namespace torsor {

namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c));
}

// Returns whether a number may begin after this character.
bool may_precede_number(char c) {
  return !std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != ':' && c != '.';
}

}  // namespace

std::string without_numbers(std::string_view message) {
  std::string out;
  for (size_t k = 0; k < message.size();) {
    if (!is_digit(message[k]) || (k > 0 && !may_precede_number(message[k - 1]))) {
      out += message[k++];
      continue;
    }
    while (k < message.size() &&
           (is_digit(message[k]) ||
            (message[k] == '.' && k + 1 < message.size() && is_digit(message[k + 1])) ||
            ((message[k] == 'e' || message[k] == 'E') && k + 1 < message.size() &&
             (is_digit(message[k + 1]) || message[k + 1] == '-' || message[k + 1] == '+')) ||
            ((message[k] == '-' || message[k] == '+') &&
             (message[k - 1] == 'e' || message[k - 1] == 'E'))))
      ++k;
    if (out.ends_with('-')) out.pop_back();  // the sign is part of the number
    out += '#';
  }
  return out;
}

uint32_t failure_key(std::string_view message) {
  return std::max(checksum(without_numbers(message)), uint32_t(1));
}

FailureKinds::FailureKinds(const std::vector<FailureKind>& kinds) {
  for (const FailureKind& kind : kinds) kinds_[kind.key] = kind;
}

bool FailureKinds::add(uint64_t sample, const std::string& message) {
  const uint32_t key = failure_key(message);
  const auto known = kinds_.find(key);
  if (known != kinds_.end() && known->second.sample <= sample) return false;
  // The message is cut off at the end of a character of UTF-8.
  size_t length = std::min(message.size(), longest);
  while (length < message.size() && length > 0 && (message[length] & 0xC0) == 0x80) --length;
  kinds_[key] = {key, sample, message.substr(0, length)};
  if (kinds_.size() <= most) return true;
  kinds_.erase(
      std::ranges::max_element(kinds_, {}, [](const auto& each) { return each.second.sample; }));
  return true;
}

std::vector<FailureKind> FailureKinds::sorted() const {
  std::vector<FailureKind> out;
  for (const auto& [key, kind] : kinds_) out.push_back(kind);
  std::ranges::sort(out, {}, &FailureKind::sample);
  return out;
}

}  // namespace torsor
