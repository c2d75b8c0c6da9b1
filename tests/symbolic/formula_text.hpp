#pragma once
// Reads printed formulae: numbers, names, + - * **, parentheses, sin and cos.

#include <cctype>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace torsor::test {

// T: double or Expression. value: returns the value of a name.
template <class T>
class FormulaText {
 public:
  FormulaText(std::string_view text, const std::function<T(const std::string&)>& value)
      : text_(text), value_(value) {}
  T operator()() {
    const T out = sum();
    if (peek() != '\0') fail();
    return out;
  }

 private:
  [[noreturn]] void fail() const {
    throw std::runtime_error("cannot read the formula at: " + std::string(text_.substr(at_)));
  }
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  T sum() {
    T out = peek() == '-' ? T(0.0) : product();
    while (true) {
      if (take('+'))
        out = out + product();
      else if (take('-'))
        out = out - product();
      else
        return out;
    }
  }
  T product() {
    T out = power();
    while (peek() == '*') {
      ++at_;
      out = out * power();
    }
    return out;
  }
  T power() {
    const T base = factor();
    if (text_.substr(at_, 2) != "**") return base;
    at_ += 2;
    const int exponent = text_.at(at_++) - '0';
    T out = base;
    for (int k = 1; k < exponent; ++k) out = out * base;
    return out;
  }
  T factor() {
    using std::cos, std::sin;
    const char c = peek();
    if (take('(')) {
      const T out = sum();
      if (!take(')')) fail();
      return out;
    }
    const size_t begin = at_;
    if (std::isdigit(static_cast<unsigned char>(c))) {
      while (at_ < text_.size() &&
             (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.'))
        ++at_;
      return T(std::stod(std::string(text_.substr(begin, at_ - begin))));
    }
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    if (at_ == begin) fail();
    const std::string name(text_.substr(begin, at_ - begin));
    if (name != "sin" && name != "cos") return value_(name);
    const T angle = factor();
    return name == "sin" ? sin(angle) : cos(angle);
  }

  std::string_view text_;
  std::function<T(const std::string&)> value_;
  size_t at_ = 0;
};

}  // namespace torsor::test
