#include "architecture/prose.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <regex>
#include <utility>

namespace torsor::test {
namespace {

namespace fs = std::filesystem;

constexpr size_t max_columns = 100;

// Regular expressions of words and phrases to avoid, and the plain words to use instead.
const std::pair<const char*, const char*> plain_words[] = {
    {"anew", "again"},
    {"till", "until"},
    {"whereupon", "then"},
    {"thereof", "of it"},
    {"beside", "next to"},
    {"in force", "active"},
    {"one's own", "your own, or custom"},
    {"mend|mends|mended|mending", "fix"},
    {"refuse|refuses|refused|refusal", "reject"},
    {"lets go|let go", "breaks away, or releases"},
    {"goes on|go on|went on", "continues"},
    {"stands at|stands where", "is at"},
    {"puts? in place", "install, or set"},
    {"takes? away|taken away", "remove"},
    {"least time|least times", "minimum time"},
    {"asked all the time", "continuous-time"},
    {"a wrong model|wrong models", "model mismatch"},
    {"the world that moves", "a moving base"},
    {"that is no number", "NaN"},
};

// The text of one paragraph, with the line number of each character.
struct Paragraph {
  std::string text;
  std::vector<size_t> line;  // [text] line number of each character

  void append(std::string_view part, size_t from_line) {
    if (!text.empty()) text += ' ', line.push_back(from_line);
    text += part;
    line.resize(text.size(), from_line);
  }
};

// A file, split into the paragraphs and line widths that the rules check.
struct Document {
  std::vector<Paragraph> paragraphs;
  // Number and columns of each line that can be wrapped.
  std::vector<std::pair<size_t, size_t>> widths;

  void end_paragraph() {
    if (!current_.text.empty()) paragraphs.push_back(std::exchange(current_, {}));
  }
  void add(std::string_view part, size_t line) { current_.append(part, line); }

 private:
  Paragraph current_;
};

// Returns the number of columns of a text in UTF-8.
size_t columns(std::string_view text) {
  return size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

bool is_one_link(const std::string& text) {
  static const std::regex link(
      R"(^([-*] )?(\[?!?\[[^\]]*\]\([^)]*\)\]?(\([^)]*\))?[.,;]?|<[^>]*>|https?://\S+)$)");
  return std::regex_match(text, link);
}

// Replaces `code` and the targets of links by text that matches no rule.
std::string without_code(const std::string& text) {
  static const std::regex code("(`+)[^`]+\\1"), target(R"(\]\([^)]*\))");
  return std::regex_replace(std::regex_replace(text, code, "`x`"), target, "]");
}

class Markdown {
 public:
  Document read(std::istream& in) {
    std::string text;
    for (size_t line = 1; std::getline(in, text); ++line) read_line(text, line);
    out_.end_paragraph();
    return std::move(out_);
  }

 private:
  void read_line(const std::string& text, size_t line) {
    const std::string content = trimmed(text);
    if (content.starts_with("```") || content.starts_with("~~~")) {
      fenced_ = !fenced_;
      return out_.end_paragraph();
    }
    if (fenced_) return;
    if (content.empty()) {
      after_blank_ = true;
      return out_.end_paragraph();
    }
    if (is_indented_code(text)) return;
    after_blank_ = code_ = false;
    if (content.starts_with("|")) return read_table_row(content, line);
    if (!is_one_link(content)) out_.widths.push_back({line, columns(text)});
    read_text(text, content, line);
  }

  // Returns whether a line is code: in an indented block after a blank line, outside a list.
  bool is_indented_code(const std::string& text) {
    if (!(text.starts_with("    ") || text.starts_with("\t")) || in_list_) return false;
    code_ = code_ || after_blank_;
    return code_;
  }

  void read_table_row(const std::string& row, size_t line) {
    static const std::regex bar(R"(\|)");
    const std::string text = without_code(row);
    for (std::sregex_token_iterator cell(text.begin(), text.end(), bar, -1), end; cell != end;
         ++cell) {
      out_.end_paragraph();
      out_.add(trimmed(*cell), line);
    }
    out_.end_paragraph();
  }

  void read_text(const std::string& text, const std::string& content, size_t line) {
    static const std::regex item(R"(^([-*+]|\d+\.)\s+)"), quote(R"(^>\s?)"), heading("^#+\\s+");
    std::string rest = std::regex_replace(content, quote, "");
    const bool is_item = std::regex_search(rest, item),
               is_heading = std::regex_search(rest, heading);
    if (is_item)
      in_list_ = true;
    else if (text[0] != ' ')
      in_list_ = false;
    if (is_item || is_heading) out_.end_paragraph();
    rest = std::regex_replace(std::regex_replace(rest, item, ""), heading, "");
    out_.add(without_code(rest), line);
    if (is_heading) out_.end_paragraph();
  }

  Document out_;
  bool fenced_ = false, after_blank_ = true, code_ = false, in_list_ = false;
};

// Returns the position at which the comment of a line of Lua begins, or npos.
size_t lua_comment(const std::string& text) {
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quote && text[i] == '\\')
      ++i;
    else if (quote)
      quote = text[i] == quote ? '\0' : quote;
    else if (text[i] == '"' || text[i] == '\'')
      quote = text[i];
    else if (text.compare(i, 2, "--") == 0)
      return i;
  }
  return std::string::npos;
}

// Returns the comments of a Lua file, except those indented by three spaces or more, which are
// examples of code.
Document read_lua(std::istream& in) {
  Document out;
  std::string text;
  for (size_t line = 1; std::getline(in, text); ++line) {
    const size_t at = lua_comment(text);
    const bool trailing = at != std::string::npos && text.find_first_not_of(" \t") != at;
    if (at == std::string::npos || trailing) out.end_paragraph();
    if (at == std::string::npos) continue;
    out.widths.push_back({line, columns(text)});
    const size_t begin = text.find_first_not_of('-', at);
    if (begin == std::string::npos || text.compare(begin, 3, "   ") == 0)
      out.end_paragraph();
    else
      out.add(without_code(trimmed(text.substr(begin))), line);
    if (trailing) out.end_paragraph();
  }
  out.end_paragraph();
  return out;
}

using Report = std::vector<std::pair<size_t, std::string>>;  // line number and violation

void check_sentences(const Paragraph& paragraph, Report& report) {
  static const std::regex end(R"rx([.!?][)"'*_\]]*\s+)rx");
  static const std::regex half(R"rx(^[("'*_\[]*(Of|What|Whether|Those|That|As|With|Where)\b)rx");
  const std::string& text = paragraph.text;
  for (size_t begin = 0; begin < text.size();) {
    std::smatch stop;
    const auto from = text.begin() + ptrdiff_t(begin);
    const bool ends = std::regex_search(from, text.end(), stop, end);
    const size_t next = ends ? begin + size_t(stop.position(0) + stop.length(0)) : text.size();
    const std::string sentence = text.substr(begin, next - begin);
    std::smatch match;
    if (std::regex_search(sentence, match, half) && sentence.find('?') == std::string::npos)
      report.push_back({paragraph.line[begin],
                        "a sentence begins with '" + match[1].str() + "'; begin with the subject"});
    begin = next;
  }
}

void check_words(const Paragraph& paragraph, Report& report) {
  static const auto rules = [] {
    std::vector<std::pair<std::regex, std::string>> out;
    for (const auto& [word, plain] : plain_words)
      out.emplace_back(std::regex("\\b(" + std::string(word) + ")\\b", std::regex::icase), plain);
    return out;
  }();
  for (const auto& [word, plain] : rules)
    for (std::sregex_iterator at(paragraph.text.begin(), paragraph.text.end(), word), end;
         at != end; ++at)
      report.push_back({paragraph.line[size_t(at->position())],
                        "'" + at->str() + "' is not plain English; write '" + plain + "'"});
}

}  // namespace

std::vector<fs::path> documentation(const fs::path& root) {
  std::vector<fs::path> out;
  for (auto entry = fs::recursive_directory_iterator(root);
       entry != fs::recursive_directory_iterator(); ++entry) {
    const fs::path name = entry->path().filename();
    if (entry->is_directory() && (name == "build" || name.string().starts_with(".")))
      entry.disable_recursion_pending();
    else if (entry->is_regular_file() && (name.extension() == ".md" || name.extension() == ".lua"))
      out.push_back(entry->path().lexically_relative(root));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> prose_violations(const fs::path& root) {
  std::vector<std::string> out;
  for (const fs::path& file : documentation(root)) {
    std::ifstream in(root / file);
    const Document document = file.extension() == ".md" ? Markdown().read(in) : read_lua(in);
    Report report;
    for (const auto& [line, width] : document.widths)
      if (width > max_columns)
        report.push_back(
            {line, std::to_string(width) + " columns; wrap it at " + std::to_string(max_columns)});
    for (const Paragraph& paragraph : document.paragraphs) {
      check_sentences(paragraph, report);
      check_words(paragraph, report);
    }
    std::stable_sort(report.begin(), report.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [line, what] : report)
      out.push_back(file.generic_string() + ":" + std::to_string(line) + ": " + what);
  }
  return out;
}

}  // namespace torsor::test
