#include "torsor/base/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"

namespace torsor {

namespace {

using ParsedJson = nlohmann::json;

constexpr size_t deepest = 100;

[[noreturn]] void fail_json(const std::string& text, size_t offset, const std::string& name,
                            const std::string& what) {
  const size_t end = std::min(offset, text.size());
  const auto line = 1 + std::count(text.begin(), text.begin() + ptrdiff_t(end), '\n');
  const size_t newline = end == 0 ? text.npos : text.rfind('\n', end - 1);
  const size_t column = newline == text.npos ? end + 1 : end - newline;
  throw Error(fmt::format("{}:{}:{}: {}", name, line, column, what));
}

[[noreturn]] void fail_json_syntax(const std::string& text, size_t bytes_read,
                                   const std::string& name) {
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    fail_json(text, 0, name, "the text is empty; JSON is needed");
  if (bytes_read > text.size())
    fail_json(text, text.size(), name,
              "not JSON: the text ends too early; close all brackets and quotes");
  const size_t offset = bytes_read == 0 ? 0 : bytes_read - 1;
  const unsigned char c = static_cast<unsigned char>(text[offset]);
  fail_json(text, offset, name,
            c >= ' ' && c < 0x7f ? fmt::format("not JSON: unexpected '{}'", char(c))
                                 : fmt::format("not JSON: unexpected byte {:#04x}", c));
}

// Throws Error for a number that is out of range. The message of nlohmann::json contains the number
// in quotes.
[[noreturn]] void fail_json_number(const std::string& text, const std::string& message,
                                   const std::string& name) {
  const size_t first = message.find('\''), last = message.rfind('\'');
  const std::string number = first < last ? message.substr(first + 1, last - first - 1) : "";
  const size_t offset = text.find(number);
  fail_json(text, offset == text.npos ? 0 : offset, name,
            fmt::format("the number {} is too large for double precision", quotable(number)));
}

// Checks for errors that are not visible in the parsed value: keys that occur twice, and very deep
// nesting.
class Check : public nlohmann::json_sax<ParsedJson> {
 public:
  explicit Check(const std::string& name) : name_(name) {}
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override { return open(); }
  bool start_array(size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& key) override {
    if (!keys_.back().insert(key).second)
      throw Error(fmt::format("{}: the key {} occurs twice in one object", name_,
                              ParsedJson(quotable(key)).dump()));
    return true;
  }
  bool parse_error(size_t, const std::string&, const ParsedJson::exception&) override {
    return false;
  }

 private:
  bool open() {
    keys_.emplace_back();
    if (keys_.size() > deepest)
      throw Error(fmt::format("{}: the text is nested more than {} levels deep; remove brackets",
                              name_, deepest));
    return true;
  }
  bool close() {
    keys_.pop_back();
    return true;
  }
  const std::string& name_;
  std::vector<std::set<std::string>> keys_;  // one set for each open object or array
};

}  // namespace

nlohmann::json parse_json(const std::string& text, const std::string& name) {
  Check check(name);
  ParsedJson::sax_parse(text, &check);  // ignores syntax errors, which parse() below reports
  try {
    return ParsedJson::parse(text);
  } catch (const ParsedJson::parse_error& error) {
    fail_json_syntax(text, error.byte, name);
  } catch (const ParsedJson::out_of_range& error) {
    fail_json_number(text, error.what(), name);
  }
}

}  // namespace torsor
