#pragma once
// Lua patterns (Lua manual, section 6.4.1), matched within a step budget.
//
// A pattern has no alternatives, so it is a sequence of items. The constructor of Pattern compiles
// the string into this sequence and rejects malformed patterns. Each capture has a fixed number
// that is known before matching. Matcher processes the items in order. It backtracks, and recurses,
// only at repeated items.

#include <bitset>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace torsor::lua {

class Pattern {
 public:
  static constexpr int max_captures = 32;
  // Maximum number of repeated items. Each of them adds a level of recursion.
  static constexpr int max_repeats = 200;
  static constexpr size_t max_length = 1 << 15;

  // Throws Error if the pattern is malformed or exceeds the limits above.
  explicit Pattern(std::string_view text);

  enum class Kind : uint8_t {
    any,             // .
    character,       // a
    set,             // %a [a-z]
    open,            // (
    position,        // ()
    close,           // )
    balance,         // %bxy
    frontier,        // %f[set]
    back_reference,  // %1
    end              // $ at the end
  };
  enum class Repeat : uint8_t { once, optional, greedy, greedy_one, lazy };  // "", ?, *, +, -
  struct Item {
    Kind kind;
    Repeat repeat = Repeat::once;
    unsigned char first = 0, second = 0;  // a character, or both delimiters of %bxy
    int index = 0;                        // index of the set or of the capture
  };
  using Set = std::bitset<256>;

  const std::vector<Item>& items() const { return items_; }
  const Set& set(int index) const { return sets_[index]; }
  int captures() const { return captures_; }

 private:
  friend class PatternParser;
  std::vector<Item> items_;
  std::vector<Set> sets_;
  int captures_ = 0;
};

struct Match {
  static constexpr size_t none = size_t(-1);
  struct Capture {
    size_t begin, length;
    bool position;  // true for the capture "()": its value is begin + 1
  };
  size_t begin = none, end = none;
  Capture captures[Pattern::max_captures] = {};
  explicit operator bool() const { return end != none; }
};

class Matcher {
 public:
  // Calls spend(n) after every n steps. spend may throw, which ends the match. The subject and the
  // pattern must outlive the Matcher.
  Matcher(std::string_view subject, const Pattern& pattern, std::function<void(long long)> spend)
      : subject_(subject), pattern_(pattern), spend_(std::move(spend)) {}

  // Matches at the offset `begin` of the subject, 0 <= begin <= length.
  Match match_at(size_t begin);
  // Returns the first match that begins at the offset `begin` or later.
  Match find(size_t begin);

 private:
  size_t match(size_t at, size_t item);
  size_t match_greedy(const Pattern::Item& item, size_t at, size_t next, size_t least);
  size_t match_lazy(const Pattern::Item& item, size_t at, size_t next);
  size_t match_balance(const Pattern::Item& item, size_t at);
  bool step_other(const Pattern::Item& item, size_t& at);
  bool takes(const Pattern::Item& item, size_t at) const;
  void step();

  std::string_view subject_;
  const Pattern& pattern_;
  std::function<void(long long)> spend_;
  int unspent_ = 0;
  Match now_;
};

}  // namespace torsor::lua
