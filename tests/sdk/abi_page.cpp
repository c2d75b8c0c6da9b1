#include "sdk/abi_page.hpp"

#include <algorithm>
#include <cctype>

namespace torsor::test {

namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// The words, on one line for each paragraph, without what a comment's lines begin with.
std::string joined(std::string_view text) {
  std::string out;
  int lines = 0;  // ended since the last word
  bool blank = false;
  for (const char c : text) {
    lines += c == '\n';
    if (std::isspace(static_cast<unsigned char>(c)) || (lines > 0 && c == '*')) {
      blank = true;
      continue;
    }
    if (blank && !out.empty()) out += lines > 1 ? "\n\n" : " ";
    lines = 0;
    blank = false;
    out += c;
  }
  return out;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::vector<AbiSection> read() {
    for (skip_blanks(); !rest_.empty(); skip_blanks()) {
      if (rest_.starts_with("/*"))
        sections_.push_back({"", comment(), {}, {}});
      else if (rest_.starts_with("#"))
        directive();
      else if (rest_.starts_with("}"))
        rest_.remove_prefix(1);
      else
        declaration();
    }
    return std::move(sections_);
  }

 private:
  // Whether a line has ended on the way.
  bool skip_blanks() {
    bool line_ended = false;
    for (; !rest_.empty() && std::isspace(static_cast<unsigned char>(rest_[0])); rest_.remove_prefix(1))
      line_ended |= rest_[0] == '\n';
    return line_ended;
  }
  std::string_view take(size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(std::min(count, rest_.size()));
    return taken;
  }
  std::string comment() {
    const std::string_view whole = take(rest_.find("*/") + 2);
    return joined(whole.substr(2, whole.size() - 4));
  }

  void directive() {
    size_t end = rest_.find('\n');
    while (end != rest_.npos && rest_[end - 1] == '\\') end = rest_.find('\n', end + 1);
    const std::string_view line = take(end);
    if (!line.starts_with("#define TORSOR_") || sections_.size() < 2) return;  // of the header itself
    const std::string_view macro = line.substr(8);
    const bool call = macro.find('(') < macro.find(' '), text = macro.find(" \"") != macro.npos;
    if (!call && !text) return;
    leave_struct();
    sections_.back().macros.push_back(joined(macro.substr(0, call ? macro.find(')') + 1 : macro.npos)));
  }

  void declaration() {
    const std::string head = joined(take(rest_.find_first_of(";{")));
    const bool body = take(1) == "{";
    if (head.starts_with("extern")) return;
    const size_t of_struct = head.find("struct ");
    AbiItem item;
    if (body) {
      if (of_struct != head.npos) item.name = head.substr(of_struct + 7);
      item.rows = rows(of_struct == head.npos ? "," : ";");
      take(rest_.find(';') + 1);
    } else if (head.starts_with("TORSOR_EXPORT")) {
      const size_t end = head.find('(');
      item.name = head.substr(head.rfind(' ', end) + 1, end - head.rfind(' ', end) - 1);
      item.declaration = head.substr(14);
    } else {
      if (title().empty()) title() = head.substr(head.rfind(' ') + 1);
      return;  // a type by another name
    }
    if (!item.name.empty()) leave_struct();
    if (title().empty()) title() = item.name;
    sections_.back().items.push_back(std::move(item));
  }
  // What follows a struct without a comment of its own is not about it.
  void leave_struct() {
    const std::vector<AbiItem>& items = sections_.back().items;
    if (std::any_of(items.begin(), items.end(), [](const AbiItem& item) { return !item.name.empty(); }))
      sections_.push_back({});
  }
  std::string& title() { return sections_.back().title; }

  std::vector<AbiRow> rows(std::string_view separator) {
    std::vector<AbiRow> rows;
    std::string before;  // a comment above a declaration is of the next, one behind it of the last
    for (;;) {
      const bool line_ended = skip_blanks();
      if (rest_.starts_with("}")) return take(1), rows;
      if (rest_.starts_with("/*")) {
        std::string& to = line_ended || rows.empty() ? before : rows.back().comment;
        to += (to.empty() ? "" : " ") + comment();
        continue;
      }
      const size_t end = std::min({rest_.find(separator), rest_.find('}'), rest_.find("/*")});
      AbiRow row{joined(take(end)), std::move(before), {}};
      if (rest_.starts_with(separator)) take(1);
      before.clear();
      row.names = names(row.declaration);
      rows.push_back(std::move(row));
    }
  }

  static std::vector<std::string> names(const std::string& declaration) {
    const auto last_word = [](std::string_view text) {
      text = text.substr(0, text.find_first_of("[="));
      while (!text.empty() && !is_word(text.back())) text.remove_suffix(1);
      size_t start = text.size();
      while (start > 0 && is_word(text[start - 1])) --start;
      return std::string(text.substr(start));
    };
    if (const size_t pointer = declaration.find("(*"); pointer != declaration.npos)
      return {last_word(std::string_view(declaration).substr(0, declaration.find(')', pointer)))};
    std::vector<std::string> out;
    for (size_t start = 0; start < declaration.size();) {
      const size_t end = std::min(declaration.find(',', start), declaration.size());
      out.push_back(last_word(std::string_view(declaration).substr(start, end - start)));
      start = end + 1;
    }
    return out;
  }

  std::string_view rest_;
  std::vector<AbiSection> sections_;
};

std::string in_a_cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

}  // namespace

std::vector<AbiSection> read_header(std::string_view text) {
  return Reader(text).read();
}

std::string abi_page(const std::vector<AbiSection>& sections, int minor,
                     const std::function<int(const std::string&, const std::string&)>& since) {
  std::string page =
      "# The plugin ABI 1." + std::to_string(minor) +
      "\n\nMade of [torsor_plugin.h](../engine/sdk/torsor_plugin.h) by a test, which says when it is out "
      "of date. How the ABI may grow: [README.md](README.md).\n\n" +
      sections.at(0).comment + "\n";
  for (size_t s = 1; s < sections.size(); ++s) {
    const std::string& title = sections[s].title.empty() ? sections[s].macros.at(0) : sections[s].title;
    page += "\n## " + title + "\n";
    if (!sections[s].comment.empty()) page += "\n" + sections[s].comment + "\n";
    for (const std::string& macro : sections[s].macros) page += "\n    " + macro + "\n";
    for (const AbiItem& item : sections[s].items) {
      if (!item.declaration.empty()) page += "\n    " + item.declaration + "\n";
      if (item.rows.empty()) continue;
      page += item.name.empty() ? "\n| value | since | |\n|---|---|---|\n"
                                : "\n| member | since | |\n|---|---|---|\n";
      for (const AbiRow& row : item.rows)
        page += "| `" + row.declaration + "` | 1." + std::to_string(since(item.name, row.names.at(0))) +
                " | " + in_a_cell(row.comment) + " |\n";
    }
  }
  return page;
}

}  // namespace torsor::test
