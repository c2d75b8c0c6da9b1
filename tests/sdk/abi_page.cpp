#include "sdk/abi_page.hpp"

#include <algorithm>
#include <cctype>

namespace torsor::test {

namespace {

// Returns the words of a comment, with one line per paragraph. Removes the marks at the beginning
// of the lines.
std::string joined(std::string_view text) {
  std::string out;
  int lines = 0;  // line ends since the last word
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
  void skip_blanks() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_[0])))
      rest_.remove_prefix(1);
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
    // Macros before the second comment of the header, such as include guards, are skipped.
    if (!line.starts_with("#define TORSOR_") || sections_.size() < 2) return;
    const std::string_view macro = line.substr(8);
    const bool call = macro.find('(') < macro.find(' '), text = macro.find(" \"") != macro.npos;
    if (!call && !text) return;
    leave_struct();
    sections_.back().macros.push_back(
        joined(macro.substr(0, call ? macro.find(')') + 1 : macro.npos)));
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
      return;  // a type alias
    }
    if (!item.name.empty()) leave_struct();
    if (title().empty()) title() = item.name;
    sections_.back().items.push_back(std::move(item));
  }
  // Begins a new section if the current one has a struct or a function. Text that follows a struct
  // without a comment does not belong to that struct.
  void leave_struct() {
    const std::vector<AbiItem>& items = sections_.back().items;
    if (std::any_of(items.begin(), items.end(),
                    [](const AbiItem& item) { return !item.name.empty(); }))
      sections_.push_back({});
  }
  std::string& title() { return sections_.back().title; }

  std::vector<AbiRow> rows(std::string_view separator) {
    std::vector<AbiRow> rows;
    std::string before;  // the comment above the next declaration
    for (;;) {
      skip_blanks();
      if (rest_.starts_with("}")) return take(1), rows;
      if (rest_.starts_with("/*")) {
        before = comment();
        continue;
      }
      rows.push_back({joined(take(std::min(rest_.find(separator), rest_.find('}')))), before});
      if (rest_.starts_with(separator)) take(1);
      before.clear();
    }
  }

  std::string_view rest_;
  std::vector<AbiSection> sections_;
};

// Breaks each paragraph of `text` into lines of at most 100 columns.
std::string wrapped(std::string_view text) {
  constexpr size_t columns = 100;
  std::string out;
  size_t column = 0;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find_first_of(" \n", start), text.size()), word = end - start;
    if (column > 0 && word > 0) {
      const bool fits = column + 1 + word <= columns;
      out += fits ? ' ' : '\n';
      column = fits ? column + 1 : 0;
    }
    out += text.substr(start, word);
    column += word;
    if (end < text.size() && text[end] == '\n') {
      out += '\n';
      column = 0;
    }
    start = end + 1;
  }
  return out;
}

std::string in_a_cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

}  // namespace

AbiHeader read_header(const std::string& file, std::string_view text) {
  std::vector<AbiSection> sections = Reader(text).read();
  AbiHeader header{file, sections.at(0).comment, {}};
  header.sections.assign(sections.begin() + 1, sections.end());
  return header;
}

namespace {

// Returns the name of a struct, a function or a macro, or the first value of an enum.
std::string title_of(const AbiSection& section) {
  if (!section.title.empty()) return section.title;
  if (!section.macros.empty()) return section.macros[0];
  const std::string& value = section.items.at(0).rows.at(0).declaration;
  return value.substr(0, value.find(' ')) + " ..";
}

}  // namespace

std::string abi_page(const std::vector<AbiHeader>& headers, const std::string& version) {
  std::string page = "# The plugin ABI " + version + "\n\n" +
                     wrapped(
                         "This page is generated from the headers in "
                         "[engine/sdk](../engine/sdk). A test checks that it is up to date. "
                         "[README.md](README.md) explains how plugins are written and how the "
                         "ABI may grow.") +
                     "\n";
  for (const AbiHeader& header : headers) {
    page += "\n## " + header.file + "\n\n" + wrapped(header.comment) + "\n";
    for (const AbiSection& section : header.sections) {
      page += "\n### " + title_of(section) + "\n";
      if (!section.comment.empty()) page += "\n" + wrapped(section.comment) + "\n";
      for (const std::string& macro : section.macros) page += "\n    " + macro + "\n";
      for (const AbiItem& item : section.items) {
        if (!item.declaration.empty()) page += "\n    " + item.declaration + "\n";
        if (item.rows.empty()) continue;
        page += item.name.empty() ? "\n| value | |\n|---|---|\n" : "\n| member | |\n|---|---|\n";
        for (const AbiRow& row : item.rows)
          page += "| `" + row.declaration + "` | " + in_a_cell(row.comment) + " |\n";
      }
    }
  }
  return page;
}

}  // namespace torsor::test
