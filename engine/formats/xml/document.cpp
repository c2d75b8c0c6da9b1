#include "torsor/formats/xml/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>
#include <unordered_map>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/memory.hpp"

namespace torsor::xml {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;
using tinyxml2::XMLNode;

namespace {

// Returns the name of an element or attribute in the form used in messages: <origin> for an
// element, xyz for an attribute.
std::string shown(std::string_view name) {
  return is_attribute(name) ? readable(name.substr(1)) : fmt::format("<{}>", readable(name));
}

// Returns whether a word is in a list of words with '/' between them.
bool is_listed(std::string_view word, std::string_view list) {
  while (!list.empty()) {
    const size_t end = std::min(list.find('/'), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

// Returns a description of an element or attribute that has no effect, such as "lower of continuous
// joints" or "version of <robot>".
std::string shown(const Row& row) {
  if (!row.ignored_on.empty()) {
    std::string types;
    for (const char c : row.ignored_on) types += c == '/' ? std::string(", ") : std::string(1, c);
    return fmt::format("{} of {} joints", shown(row.name), types);
  }
  if (is_attribute(row.name))
    return fmt::format("{} of <{}>", shown(row.name), element_of_scope(row.parent));
  const size_t context = row.parent.find('/');
  if (row.use == Use::unsupported && context != row.parent.npos)
    return fmt::format("{} of <{}>", shown(row.name), row.parent.substr(0, context));
  return shown(row.name);
}

// Returns a hint for an unknown element or attribute: the most similar known name, the element in
// which this name is known, or a list of all known names.
std::string hint_for(std::span<const Row> words, std::string_view parent, std::string_view name) {
  const bool attribute = is_attribute(name);
  std::vector<std::string> known;
  std::string elsewhere, list;
  for (const Row& row : words) {
    if (is_attribute(row.name) != attribute || row.name == text_word) continue;
    if (row.parent == parent) {
      known.emplace_back(attribute ? row.name.substr(1) : row.name);
      list += (list.empty() ? "" : ", ") + known.back();
    } else if (row.name == name && !row.parent.empty()) {
      const std::string place = fmt::format(" <{}>", element_of_scope(row.parent));
      if (elsewhere.find(place) == elsewhere.npos)
        elsewhere += (elsewhere.empty() ? "; it belongs in" : " or") + place;
    }
  }
  if (!elsewhere.empty()) return elsewhere;
  if (std::string near = did_you_mean(attribute ? name.substr(1) : name, known); !near.empty())
    return near;
  if (list.empty()) return attribute ? "; it has no attributes" : "; it has no elements";
  return "; known there: " + list;
}

// Returns a message for an XML error. element: the element that contains the error, such as
// "<link>", or "".
std::string in_words(tinyxml2::XMLError error, const std::string& element) {
  using namespace tinyxml2;
  switch (error) {
    case XML_ERROR_PARSING_ELEMENT:
      return "a tag is malformed";
    case XML_ERROR_PARSING_ATTRIBUTE:
      return fmt::format("an attribute{}{} is malformed or occurs twice",
                         element.empty() ? "" : " of ", element);
    case XML_ERROR_PARSING_TEXT:
      return "text continues to the end of the file";
    case XML_ERROR_PARSING_CDATA:
      return "a CDATA section has no end";
    case XML_ERROR_PARSING_COMMENT:
      return "a comment has no end";
    case XML_ERROR_PARSING_DECLARATION:
      return "a <? ?> mark-up has no end or is not at the start";
    case XML_ERROR_PARSING_UNKNOWN:
      return "a <! > mark-up has no end";
    case XML_ERROR_MISMATCHED_ELEMENT:
      return fmt::format("{} is not closed, or closed by the end tag of another element",
                         element.empty() ? "an element" : element);
    case XML_ERROR_PARSING:
      return "the element that starts here is not closed";
    case XML_ELEMENT_DEPTH_EXCEEDED:
      return "elements are nested too deeply";
    default:
      return "it cannot be read";
  }
}

int line_of(const std::string& text, size_t position) {
  return 1 + int(std::count(text.begin(), text.begin() + long(position), '\n'));
}

// Returns true if the text begins with a UTF-16 byte order mark, or with '<' encoded as UTF-16.
bool is_utf16(std::string_view text) {
  using namespace std::string_view_literals;
  for (const std::string_view start : {"\xFF\xFE"sv, "\xFE\xFF"sv, "<\0"sv, "\0<"sv})
    if (text.starts_with(start)) return true;
  return false;
}

// Limits on the size of a file, which bound the memory of the parser. The tree of a file with short
// tags takes 20 times the memory of its text. A robot of a thousand links has 30,000 tags.
constexpr size_t most_tags = 100'000, most_attributes = 400'000;

}  // namespace

std::optional<size_t> find_row(std::span<const Row> words, std::string_view parent,
                               std::string_view name) {
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i].parent == parent && words[i].name == name) return i;
  return std::nullopt;
}

std::string readable(std::string_view text) {
  constexpr size_t longest = 60;
  std::string out(text.substr(0, longest));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  return text.size() > longest ? out + "..." : out;
}

std::string first_names(const std::vector<std::string>& names) {
  constexpr size_t most = 8;
  std::string out;
  for (size_t i = 0; i < std::min(names.size(), most); ++i)
    out += fmt::format("{}'{}'", i == 0 ? "" : ", ", names[i]);
  if (names.size() > most) out += fmt::format(" and {} more", names.size() - most);
  return out;
}

Document::Document(const std::filesystem::path& file, const FileType& type, bool strict,
                   bool optional, std::string_view scope)
    : Document(file, read_file(file, InputKind::robot, fmt::format("give a {}", type.name)), type,
               strict, optional, scope) {}

Document::Document(const std::filesystem::path& file, const std::string& text, const FileType& type,
                   bool strict, bool optional, std::string_view scope)
    : name_(file.string()), type_(type), strict_(strict), optional_(optional) {
  parse(text);
  const XMLElement& root = check_nodes();
  if (scope.empty()) {
    check_root(root);
    check(root, root.Name(), "");
  } else {
    check_children(root, scope, "");
  }
}

std::string Document::at(int line) const {
  return fmt::format("{}:{}", name_, line);
}

void Document::fail(int line, const std::string& text) const {
  throw Error(at(line) + ": " + text);
}

// Parses the XML text. Rejects zero bytes, because the parser would take the first one for the end
// of the file.
void Document::parse(const std::string& text) {
  if (is_utf16(text)) fail(1, "this is a UTF-16 file; save it as UTF-8");
  const size_t first = text.find_first_not_of(" \t\r\n", text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  if (first != std::string::npos && text[first] != '<')
    fail(line_of(text, first),
         fmt::format("this is not an XML file; a {} starts with <?xml or <{}>", type_.name,
                     type_.root));
  if (const size_t zero = text.find('\0'); zero != std::string::npos)
    fail(line_of(text, zero), fmt::format("there is a zero byte; a {} is UTF-8 text", type_.name));
  for (const auto& [mark, most, name] :
       {std::tuple{'<', most_tags, "tags"}, std::tuple{'=', most_attributes, "attributes"}})
    if (const auto count = size_t(std::ranges::count(text, mark)); count > most)
      fail(1, fmt::format("the file has {} {} ('{}'), more than the limit of {}; split the robot",
                          count, name, mark, most));
  reserve_memory("the elements of " + name_, 300.0 * double(std::ranges::count(text, '<')) +
                                                 100.0 * double(std::ranges::count(text, '=')));
  xml_.Parse(text.data(), text.size());
  if (xml_.ErrorID() == tinyxml2::XML_ERROR_EMPTY_DOCUMENT)
    fail(1, fmt::format("the file is empty; a <{}> is needed", type_.root));
  if (!xml_.Error()) return;
  constexpr std::string_view mark = "XMLElement name=";  // part of the details of some errors
  const std::string_view details = xml_.ErrorStr();
  const size_t named = details.find(mark);
  const std::string element =
      named == details.npos ? ""
                            : fmt::format("<{}>", readable(details.substr(named + mark.size())));
  fail(std::max(1, xml_.ErrorLineNum()),
       fmt::format("not well-formed XML: {}", in_words(xml_.ErrorID(), element)));
}

// Checks the nodes outside the root element. A DOCTYPE is ignored, unless it contains declarations:
// these could define entities, which the parser does not support. Returns the root element.
const XMLElement& Document::check_nodes() const {
  const XMLElement* root = nullptr;
  for (const XMLNode* node = xml_.FirstChild(); node; node = node->NextSibling()) {
    const tinyxml2::XMLUnknown* markup = node->ToUnknown();
    const std::string_view words = markup ? markup->Value() : "";
    if (words.starts_with("DOCTYPE") && words.find('[') != words.npos)
      fail(node->GetLineNum(), "declarations in a DOCTYPE are not supported; remove the DOCTYPE");
    if (node->ToText())
      fail(node->GetLineNum(),
           fmt::format("there is text outside of the <{}> element; remove it", type_.root));
    const XMLElement* element = node->ToElement();
    if (element && root)
      fail(element->GetLineNum(),
           fmt::format("a second element {} after that of line {}; a file has one <{}>",
                       shown(element->Name()), root->GetLineNum(), type_.root));
    if (element) root = element;
  }
  if (!root) fail(1, fmt::format("there is no <{}> element", type_.root));
  return *root;
}

void Document::check_root(const XMLElement& root) const {
  if (root.Name() == type_.root) return;
  for (const OtherRoot& other : type_.others)
    if (root.Name() == other.root)
      fail(root.GetLineNum(),
           fmt::format("the file contains a {}; {}", shown(root.Name()), other.advice));
  fail(root.GetLineNum(),
       fmt::format("the file contains a {}; give a {}, whose first element is <{}>",
                   shown(root.Name()), type_.name, type_.root));
}

// Returns true if the reader uses this word. Otherwise records it as unused and returns false. row:
// index of the word in the table. joint_type: type of the enclosing joint, or "".
bool Document::takes(size_t row, int line, std::string_view joint_type) {
  const Row& word = type_.words[row];
  if ((word.use == Use::used || (word.use == Use::optional && optional_)) &&
      (joint_type.empty() || !is_listed(joint_type, word.ignored_on)))
    return true;
  if (word.use == Use::unsupported)
    note({UnusedWord::Kind::unsupported, shown(word), name_, line});
  else
    note({UnusedWord::Kind::ignored, shown(word), name_, line});
  return false;
}

// Checks an element and its children. The parser bounds the depth of recursion.
void Document::check(const XMLElement& element, std::string_view scope,
                     std::string_view joint_type) {
  if (scope == "joint" && element.Attribute("type")) joint_type = element.Attribute("type");
  check_attributes(element, scope, joint_type);
  check_children(element, scope, joint_type);
}

// The children of an unused element are not checked.
void Document::check_children(const XMLElement& element, std::string_view scope,
                              std::string_view joint_type) {
  std::vector<int> first_line(type_.words.size(), 0);
  for (const XMLNode* node = element.FirstChild(); node; node = node->NextSibling()) {
    if (node->ToComment()) continue;
    const XMLElement* child = node->ToElement();
    if (!child) {
      if (node->ToText() && find_row(type_.words, scope, text_word)) continue;
      note({UnusedWord::Kind::unknown,
            fmt::format("{} in <{}>", node->ToText() ? "text" : "markup (<! or <?)",
                        element_of_scope(scope)),
            name_, node->GetLineNum(), "; an element takes only elements"});
      continue;
    }
    const auto index = find_row(type_.words, scope, child->Name());
    if (!index) {
      note_unknown(child->GetLineNum(), scope, child->Name());
      continue;
    }
    const Row& row = type_.words[*index];
    if (row.use == Use::unchecked) continue;
    if (row.use == Use::include) {
      includes_.push_back({child, scope});
      continue;
    }
    if (!takes(*index, child->GetLineNum(), joint_type)) continue;
    if (first_line[*index] > 0 && !row.repeated)
      fail(child->GetLineNum(), fmt::format("a second <{}> in one <{}>; the first is at line {}",
                                            child->Name(), element.Name(), first_line[*index]));
    first_line[*index] = child->GetLineNum();
    check(*child, row.scope.empty() ? row.name : row.scope, joint_type);
  }
}

void Document::check_attributes(const XMLElement& element, std::string_view scope,
                                std::string_view joint_type) {
  for (const XMLAttribute* attribute = element.FirstAttribute(); attribute;
       attribute = attribute->Next()) {
    const std::string name = std::string("@") + attribute->Name();
    if (name.starts_with("@xmlns")) continue;  // an XML namespace declaration
    if (const auto row = find_row(type_.words, scope, name))
      takes(*row, attribute->GetLineNum(), joint_type);
    else
      note_unknown(attribute->GetLineNum(), scope, name);
  }
}

void Document::note_unknown(int line, std::string_view parent, std::string_view name) {
  const char* kind = is_attribute(name) ? "attribute" : "element";
  if (name.starts_with("xacro:"))
    fail(line, fmt::format("unknown {} {} in <{}>; {}", kind, shown(name), element_of_scope(parent),
                           expand_xacro));
  if (type_.ignores_prefixes && name.find(':') != name.npos)
    return note({UnusedWord::Kind::ignored,
                 fmt::format("{} in <{}>", shown(name), element_of_scope(parent)), name_, line});
  note({UnusedWord::Kind::unknown,
        fmt::format("{} {} in <{}>", kind, shown(name), element_of_scope(parent)), name_, line,
        hint_for(type_.words, parent, name)});
}

void Document::note(UnusedWord word) {
  if (strict_ && word.kind == UnusedWord::Kind::unknown)
    fail(word.line, "unknown " + word.what + word.hint);
  if (strict_ && word.kind == UnusedWord::Kind::unsupported)
    fail(word.line,
         word.what +
             " is not supported; remove it, or read the file without --strict (in Lua: without "
             "strict = true)");
  unused_.push_back(std::move(word));
}

namespace {

// Returns a summary of the unused words of a kind, or "" if there are none: "LABEL: <collision> (9
// times, first in line 12), <gazebo> (line 80)".
std::string listed(const std::vector<UnusedWord>& words, const char* label, UnusedWord::Kind kind) {
  // Maximum number of words in the summary, so that it stays readable.
  constexpr size_t most_listed = 100;
  struct Count {
    const UnusedWord* first;
    int times;
  };
  std::vector<Count> counts;
  std::unordered_map<std::string_view, size_t> index;  // position of a word in counts
  for (const UnusedWord& word : words) {
    if (word.kind != kind) continue;
    const auto [found, is_new] = index.emplace(word.what, counts.size());
    if (is_new)
      counts.push_back({&word, 1});
    else
      ++counts[found->second].times;
  }
  std::string out;
  for (const auto& [first, times] : std::span(counts).first(std::min(counts.size(), most_listed)))
    out += fmt::format("{}{} ({}line {}{})", out.empty() ? fmt::format("{}: ", label) : ", ",
                       first->what, times > 1 ? fmt::format("{} times, first in ", times) : "",
                       first->line, first->hint.starts_with("; did you mean") ? first->hint : "");
  if (counts.size() > most_listed)
    out += fmt::format(" and {} others", counts.size() - most_listed);
  return out;
}

}  // namespace

std::string summary(const std::vector<UnusedWord>& words) {
  if (words.empty()) return "";
  using enum UnusedWord::Kind;
  std::string out;
  for (const std::string& list :
       {listed(words, "unknown words", unknown), listed(words, "unsupported words", unsupported),
        listed(words, "words without effect", ignored)})
    if (!list.empty()) out += (out.empty() ? words.front().file + ": " : "; ") + list;
  return out;
}

}  // namespace torsor::xml
