#include "torsor/base/error.hpp"

#include <algorithm>

namespace torsor {

namespace {

char folded(char c) {
  return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

// Returns the minimum number of insertions, deletions, replacements and exchanges of neighbours
// that turn a into b, ignoring case (optimal string alignment). Row i contains the distances of the
// first i characters of a to each prefix of b. Only the last three rows are stored.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> two_back, back, row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    two_back = std::move(back);
    back = std::move(row);
    row.assign(b.size() + 1, i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const char x = folded(a[i - 1]), y = folded(b[j - 1]);
      row[j] = std::min({back[j] + 1, row[j - 1] + 1, back[j - 1] + (x != y)});
      if (i > 1 && j > 1 && x == folded(b[j - 2]) && y == folded(a[i - 2]))
        row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
  }
  return row[b.size()];
}

constexpr size_t longest_word = 200;  // limits the computing time for any input

}  // namespace

// The maximum edit distance of a candidate is a third of the length of the longer word, but at
// least 1. It must also be less than this length.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string* best = nullptr;
  size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const size_t longer = std::max(word.size(), candidate.size());
    const size_t shorter = std::min(word.size(), candidate.size());
    const size_t near = std::min(std::max<size_t>(1, longer / 3), longer > 0 ? longer - 1 : 0);
    if (longer > longest_word || longer - shorter > near) continue;
    const size_t distance = edit_distance(word, candidate);
    if (distance > near) continue;
    if (best && (distance > best_distance || (distance == best_distance && candidate >= *best)))
      continue;
    best = &candidate;
    best_distance = distance;
  }
  return best ? "; did you mean '" + *best + "'?" : "";
}

}  // namespace torsor
