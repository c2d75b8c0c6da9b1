#include "torsor/scripting/sandbox/pattern.hpp"

#include <fmt/format.h>

#include "torsor/base/error.hpp"

namespace torsor::lua {

namespace {

bool in(int c, int low, int high) {
  return low <= c && c <= high;
}
bool is_upper(int c) {
  return in(c, 'A', 'Z');
}
bool is_lower(int c) {
  return in(c, 'a', 'z');
}
bool is_digit(int c) {
  return in(c, '0', '9');
}
bool is_graphic(int c) {
  return in(c, 33, 126);
}

// Returns the ASCII characters that match %letter, independent of the locale. An upper-case class
// letter matches the complement of its class. Any other character matches itself.
Pattern::Set class_set(unsigned char letter) {
  bool (*test)(int) = nullptr;
  switch (is_upper(letter) ? letter + 32 : letter) {
    case 'a':
      test = [](int c) { return is_upper(c) || is_lower(c); };
      break;
    case 'c':
      test = [](int c) { return c < 32 || c == 127; };
      break;
    case 'd':
      test = is_digit;
      break;
    case 'g':
      test = is_graphic;
      break;
    case 'l':
      test = is_lower;
      break;
    case 'p':
      test = [](int c) { return is_graphic(c) && !is_upper(c) && !is_lower(c) && !is_digit(c); };
      break;
    case 's':
      test = [](int c) { return c == 32 || in(c, 9, 13); };
      break;
    case 'u':
      test = is_upper;
      break;
    case 'w':
      test = [](int c) { return is_upper(c) || is_lower(c) || is_digit(c); };
      break;
    case 'x':
      test = [](int c) { return is_digit(c) || in(c, 'a', 'f') || in(c, 'A', 'F'); };
      break;
    case 'z':
      test = [](int c) { return c == 0; };
      break;
    default:
      break;
  }
  Pattern::Set set;
  if (!test) return set.set(letter);
  for (int c = 0; c < 256; ++c) set[c] = test(c) != is_upper(letter);
  return set;
}

[[noreturn]] void malformed(const std::string& why) {
  throw Error("malformed pattern (" + why + ")");
}

}  // namespace

class PatternParser {
 public:
  PatternParser(std::string_view text, Pattern& out) : text_(text), out_(out) {}

  void run() {
    while (at_ < text_.size()) parse_item();
    if (!open_.empty()) throw Error("unfinished capture in a pattern");
    out_.captures_ = int(closed_.size());
  }

 private:
  using Kind = Pattern::Kind;

  unsigned char peek(size_t ahead = 0) const { return (unsigned char)text_[at_ + ahead]; }
  bool has(size_t n) const { return text_.size() - at_ >= n; }

  void parse_item() {
    const unsigned char c = peek();
    if (c == '(') return open();
    if (c == ')') return close();
    if (c == '$' && !has(2)) {
      ++at_;
      out_.items_.push_back({Kind::end});
      return;
    }
    if (c == '%') {
      if (!has(2)) malformed("ends with '%'");
      if (peek(1) == 'b') return balance();
      if (peek(1) == 'f') return frontier();
      if (is_digit(peek(1))) return back_reference();
    }
    single();
  }

  void open() {
    ++at_;
    if (closed_.size() == size_t(Pattern::max_captures))
      throw Error("too many captures in a pattern");
    const int index = int(closed_.size());
    const bool position = has(1) && peek() == ')';
    out_.items_.push_back(
        {position ? Kind::position : Kind::open, Pattern::Repeat::once, 0, 0, index});
    closed_.push_back(position);
    if (position)
      ++at_;
    else
      open_.push_back(index);
  }

  void close() {
    ++at_;
    if (open_.empty()) throw Error("invalid pattern capture: ')' without '('");
    out_.items_.push_back({Kind::close, Pattern::Repeat::once, 0, 0, open_.back()});
    closed_[open_.back()] = true;
    open_.pop_back();
  }

  void balance() {
    if (!has(4)) malformed("missing arguments to '%b'");
    out_.items_.push_back({Kind::balance, Pattern::Repeat::once, peek(2), peek(3)});
    at_ += 4;
  }

  void frontier() {
    at_ += 2;
    if (!has(1) || peek() != '[') malformed("missing '[' after '%f'");
    out_.items_.push_back({Kind::frontier, Pattern::Repeat::once, 0, 0, add(bracket())});
  }

  void back_reference() {
    const int index = peek(1) - '1';
    if (index < 0 || index >= int(closed_.size()) || !closed_[index])
      throw Error(fmt::format("invalid capture index %{} in a pattern", index + 1));
    out_.items_.push_back({Kind::back_reference, Pattern::Repeat::once, 0, 0, index});
    at_ += 2;
  }

  void single() {
    Pattern::Item item{Kind::character};
    const unsigned char c = peek();
    if (c == '.') {
      item.kind = Kind::any;
      ++at_;
    } else if (c == '%') {
      item.kind = Kind::set;
      item.index = add(class_set(peek(1)));
      at_ += 2;
    } else if (c == '[') {
      item.kind = Kind::set;
      item.index = add(bracket());
    } else {
      item.first = c;
      ++at_;
    }
    item.repeat = repeat();
    out_.items_.push_back(item);
  }

  Pattern::Repeat repeat() {
    using Repeat = Pattern::Repeat;
    Repeat out = Repeat::once;
    if (!has(1)) return out;
    switch (peek()) {
      case '?':
        out = Repeat::optional;
        break;
      case '*':
        out = Repeat::greedy;
        break;
      case '+':
        out = Repeat::greedy_one;
        break;
      case '-':
        out = Repeat::lazy;
        break;
      default:
        return out;
    }
    ++at_;
    if (++repeats_ > Pattern::max_repeats) throw Error("pattern too complex");
    return out;
  }

  // Parses a set such as [a-z]. The parse position is at the '['. A ']' directly after the '[' or
  // '[^' is part of the set. A '%' escapes the next character.
  Pattern::Set bracket() {
    ++at_;
    const bool complement = has(1) && peek() == '^';
    if (complement) ++at_;
    const size_t begin = at_;
    size_t end = begin;
    do {
      if (end >= text_.size()) malformed("missing ']'");
      end += text_[end] == '%' && end + 1 < text_.size() ? 2 : 1;
    } while (end >= text_.size() || text_[end] != ']');
    Pattern::Set set;
    while (at_ < end) {
      const unsigned char c = peek();
      if (c == '%') {
        set |= class_set(peek(1));
        at_ += 2;
      } else if (at_ + 2 < end && peek(1) == '-') {
        for (int k = c; k <= peek(2); ++k) set.set(k);
        at_ += 3;
      } else {
        set.set(c);
        ++at_;
      }
    }
    at_ = end + 1;
    return complement ? ~set : set;
  }

  int add(const Pattern::Set& set) {
    out_.sets_.push_back(set);
    return int(out_.sets_.size()) - 1;
  }

  std::string_view text_;
  Pattern& out_;
  size_t at_ = 0;
  int repeats_ = 0;
  std::vector<int> open_;     // indices of the captures that have no ')' yet
  std::vector<bool> closed_;  // [captures] true if the ')' of the capture has been read
};

Pattern::Pattern(std::string_view text) {
  if (text.size() > max_length)
    throw Error(fmt::format("a pattern of {} bytes is too long; the maximum is {}", text.size(),
                            max_length));
  PatternParser(text, *this).run();
}

void Matcher::step() {
  if (++unspent_ < 64) return;
  spend_(unspent_);
  unspent_ = 0;
}

bool Matcher::takes(const Pattern::Item& item, size_t at) const {
  if (at >= subject_.size()) return false;
  const auto c = (unsigned char)subject_[at];
  if (item.kind == Pattern::Kind::any) return true;
  if (item.kind == Pattern::Kind::character) return c == item.first;
  return pattern_.set(item.index)[c];
}

Match Matcher::match_at(size_t begin) {
  now_.begin = begin;
  now_.end = match(begin, 0);
  return now_;
}

Match Matcher::find(size_t begin) {
  for (size_t at = begin; at <= subject_.size(); ++at)
    if (const Match found = match_at(at)) return found;
  return {};
}

// Matches all items from index `item` on, beginning at offset `at` of the subject. Returns the end
// of the match, or Match::none.
size_t Matcher::match(size_t at, size_t item) {
  using Repeat = Pattern::Repeat;
  for (const auto& items = pattern_.items(); item < items.size(); ++item) {
    step();
    const Pattern::Item& now = items[item];
    if (now.kind > Pattern::Kind::set) {
      if (!step_other(now, at)) return Match::none;
      continue;
    }
    switch (now.repeat) {
      case Repeat::once:
        if (!takes(now, at)) return Match::none;
        ++at;
        break;
      case Repeat::optional:
        if (takes(now, at)) {
          const size_t end = match(at + 1, item + 1);
          if (end != Match::none) return end;
        }
        break;
      case Repeat::greedy:
        return match_greedy(now, at, item + 1, 0);
      case Repeat::greedy_one:
        return match_greedy(now, at, item + 1, 1);
      case Repeat::lazy:
        return match_lazy(now, at, item + 1);
    }
  }
  return at;
}

// Matches an item that is not a single character, such as a capture parenthesis or %b. Moves `at`
// to the end of the match. Returns false if the item does not match.
bool Matcher::step_other(const Pattern::Item& item, size_t& at) {
  using Kind = Pattern::Kind;
  Match::Capture& capture = now_.captures[item.index];
  const auto code = [&](size_t place) { return (unsigned char)subject_[place]; };
  switch (item.kind) {
    case Kind::open:
      capture = {at, 0, false};
      return true;
    case Kind::position:
      capture = {at, 0, true};
      return true;
    case Kind::close:
      capture.length = at - capture.begin;
      return true;
    case Kind::balance:
      at = match_balance(item, at);
      return at != Match::none;
    case Kind::frontier: {
      const Pattern::Set& set = pattern_.set(item.index);
      return !set[at == 0 ? 0 : code(at - 1)] && set[at == subject_.size() ? 0 : code(at)];
    }
    case Kind::back_reference: {
      if (capture.position) return false;
      const std::string_view again = subject_.substr(capture.begin, capture.length);
      spend_((long long)(again.size() / 16));
      if (!subject_.substr(at).starts_with(again)) return false;
      at += again.size();
      return true;
    }
    default:
      return at == subject_.size();
  }
}

size_t Matcher::match_greedy(const Pattern::Item& item, size_t at, size_t next, size_t least) {
  size_t n = 0;
  for (; takes(item, at + n); ++n) step();
  for (; n + 1 > least; --n) {
    const size_t end = match(at + n, next);
    if (end != Match::none) return end;
    step();
    if (n == 0) break;
  }
  return Match::none;
}

size_t Matcher::match_lazy(const Pattern::Item& item, size_t at, size_t next) {
  for (;; ++at) {
    const size_t end = match(at, next);
    if (end != Match::none) return end;
    if (!takes(item, at)) return Match::none;
    step();
  }
}

// Matches %bxy at offset `at`. The match begins with x, ends with y, and contains equally many x
// and y. Returns the end of the match, or Match::none.
size_t Matcher::match_balance(const Pattern::Item& item, size_t at) {
  if (at >= subject_.size() || (unsigned char)subject_[at] != item.first) return Match::none;
  size_t depth = 1;
  while (++at < subject_.size()) {
    step();
    const auto c = (unsigned char)subject_[at];
    if (c == item.second) {
      if (--depth == 0) return at + 1;
    } else if (c == item.first) {
      ++depth;
    }
  }
  return Match::none;
}

}  // namespace torsor::lua
