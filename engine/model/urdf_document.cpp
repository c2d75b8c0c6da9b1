#include "torsor/model/urdf_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "torsor/model/error.hpp"

namespace torsor::urdf {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;
using tinyxml2::XMLNode;

namespace {

// How an element or attribute is written in a message: <origin>, or the attribute's bare name.
std::string shown(std::string_view name) {
  return is_attribute(name) ? readable(name.substr(1)) : fmt::format("<{}>", readable(name));
}

// ... and where it has no meaning: "lower of continuous joints", "version of <robot>".
std::string shown(const Row& row) {
  if (!row.ignored_on.empty()) return fmt::format("{} of {} joints", shown(row.name), row.ignored_on);
  if (is_attribute(row.name) && row.parent != "*")
    return fmt::format("{} of <{}>", shown(row.name), row.parent);
  return shown(row.name);
}

std::string_view in_words(tinyxml2::XMLError error) {
  using namespace tinyxml2;
  switch (error) {
    case XML_ERROR_PARSING_ELEMENT:
      return "a tag is malformed";
    case XML_ERROR_PARSING_ATTRIBUTE:
      return "an attribute is malformed or stands twice";
    case XML_ERROR_PARSING_TEXT:
      return "text goes on to the end of the file";
    case XML_ERROR_PARSING_CDATA:
      return "a CDATA section has no end";
    case XML_ERROR_PARSING_COMMENT:
      return "a comment has no end";
    case XML_ERROR_PARSING_DECLARATION:
      return "a <? ?> mark-up has no end or is not at the start";
    case XML_ERROR_PARSING_UNKNOWN:
      return "a <! > mark-up has no end";
    case XML_ERROR_MISMATCHED_ELEMENT:
      return "an element is closed by the end tag of another, or by none";
    case XML_ERROR_PARSING:
      return "an element has no end tag";
    case XML_ELEMENT_DEPTH_EXCEEDED:
      return "elements stand in each other too deeply";
    default:
      return "it cannot be read";
  }
}

constexpr size_t largest_file = size_t(256) << 20;  // an endless pipe must not fill the memory

std::string read_text(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  const auto refuse = [&](const std::string& text) { throw Error(file.string() + ": " + text); };
  std::error_code trouble;
  const fs::file_status status = fs::status(file, trouble);
  if (status.type() == fs::file_type::not_found) refuse("there is no such file");
  if (trouble) refuse(fmt::format("cannot be read ({})", trouble.message()));
  if (fs::is_directory(status)) refuse("is a folder; name the URDF file in it");
  if (!fs::is_regular_file(status) && !fs::is_fifo(status)) refuse("is not a file with text in it");
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse(fmt::format("cannot be read ({})", std::strerror(errno)));
  std::string text;
  char block[1 << 16];
  while (in.read(block, sizeof block), in.gcount() > 0) {
    text.append(block, size_t(in.gcount()));
    if (text.size() > largest_file) refuse(fmt::format("is larger than {} MB", largest_file >> 20));
  }
  if (in.bad()) refuse("cannot be read to its end");
  return text;
}

}  // namespace

std::string readable(std::string_view text) {
  constexpr size_t longest = 60;
  std::string out(text.substr(0, longest));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  return text.size() > longest ? out + "..." : out;
}

Document::Document(const std::filesystem::path& file) : name_(file.string()) {
  parse(read_text(file));
  check_document();
}

std::string Document::at(int line) const {
  return fmt::format("{}:{}", name_, line);
}

void Document::fail(int line, const std::string& text) const {
  throw Error(at(line) + ": " + text);
}

// The XML reader takes a zero byte for the end, which would drop what follows it.
void Document::parse(const std::string& text) {
  if (const size_t zero = text.find('\0'); zero != std::string::npos)
    fail(1 + int(std::count(text.begin(), text.begin() + long(zero), '\n')),
         "there is a zero byte; a URDF file is UTF-8 text");
  xml_.Parse(text.data(), text.size());
  if (xml_.ErrorID() == tinyxml2::XML_ERROR_EMPTY_DOCUMENT) fail(1, "the file is empty; a <robot> is needed");
  if (!xml_.Error()) return;
  const std::string_view full = xml_.ErrorStr();  // "Error=NAME ErrorID=.. Line number=..: detail"
  const size_t detail = full.find(": ");
  fail(std::max(1, xml_.ErrorLineNum()),
       fmt::format("not well-formed XML: {} ({}{})", in_words(xml_.ErrorID()), xml_.ErrorName(),
                   detail == full.npos ? "" : readable(full.substr(detail))));
}

void Document::check_document() {
  const XMLElement* root = nullptr;
  for (const XMLNode* node = xml_.FirstChild(); node; node = node->NextSibling()) {
    if (node->ToText()) fail(node->GetLineNum(), "there is text outside of the <robot> element");
    const XMLElement* element = node->ToElement();
    if (element && root)
      fail(element->GetLineNum(),
           fmt::format("a second element {} after the one of line {}; a file holds one <robot>",
                       shown(element->Name()), root->GetLineNum()));
    if (element) root = element;
  }
  if (!root) fail(1, "there is no <robot> element");
  if (!find_row("", root->Name()))
    fail(root->GetLineNum(),
         fmt::format("the file holds a {}; only URDF is read, whose first element is <robot>",
                     shown(root->Name())));
  check(*root, "");
}

// Whether a row's thing is to be read here; notes it where not.
bool Document::takes(size_t row, int line, std::string_view joint_type) {
  const bool taken =
      table()[row].use == Use::used &&
      (joint_type.empty() || table()[row].ignored_on.find(joint_type) == std::string_view::npos);
  if (!taken) ignored_.push_back({row, line});
  return taken;
}

// The depth of this recursion is that of the table: nothing below an ignored element is looked at.
void Document::check(const XMLElement& element, std::string_view joint_type) {
  const std::string_view parent = element.Name();
  if (parent == "joint" && element.Attribute("type")) joint_type = element.Attribute("type");
  check_attributes(element, joint_type);
  std::vector<int> first_line(table().size(), 0);
  for (const XMLNode* node = element.FirstChild(); node; node = node->NextSibling()) {
    if (node->ToComment()) continue;
    const XMLElement* child = node->ToElement();
    if (!child)
      fail(node->GetLineNum(), fmt::format("<{}> holds {}; it takes elements only", parent,
                                           node->ToText() ? "text" : "a <! or <? mark-up"));
    const auto row = find_row(parent, child->Name());
    if (!row) fail_unknown(child->GetLineNum(), parent, child->Name());
    if (!takes(*row, child->GetLineNum(), joint_type)) continue;
    if (first_line[*row] > 0 && !table()[*row].repeated)
      fail(child->GetLineNum(), fmt::format("a second <{}> in one <{}>; the first is at line {}",
                                            child->Name(), parent, first_line[*row]));
    first_line[*row] = child->GetLineNum();
    check(*child, joint_type);
  }
}

void Document::check_attributes(const XMLElement& element, std::string_view joint_type) {
  for (const XMLAttribute* attribute = element.FirstAttribute(); attribute; attribute = attribute->Next()) {
    const auto row = find_row(element.Name(), std::string("@") + attribute->Name());
    if (!row) fail_unknown(attribute->GetLineNum(), element.Name(), std::string("@") + attribute->Name());
    takes(*row, attribute->GetLineNum(), joint_type);
  }
}

void Document::fail_unknown(int line, std::string_view parent, std::string_view name) const {
  const bool attribute = is_attribute(name);
  std::vector<std::string> known;
  std::string elsewhere, list;
  for (const Row& row : table()) {
    if (is_attribute(row.name) != attribute) continue;
    if (row.parent == parent) {
      known.emplace_back(attribute ? row.name.substr(1) : row.name);
      list += (list.empty() ? "" : ", ") + known.back();
    } else if (row.name == name && !row.parent.empty()) {
      elsewhere += fmt::format("{} <{}>", elsewhere.empty() ? "; it belongs in" : " or", row.parent);
    }
  }
  std::string hint = did_you_mean(attribute ? name.substr(1) : name, known);
  if (!elsewhere.empty()) hint = elsewhere;
  if (name.starts_with("xacro:")) hint = "; expand the file with xacro first";
  if (hint.empty()) hint = list.empty() ? "; it takes none" : "; known there: " + list;
  fail(line, fmt::format("unknown {} {} in <{}>{}", attribute ? "attribute" : "element", shown(name), parent,
                         hint));
}

std::string Document::ignored() const {
  std::string out;
  for (size_t i = 0; i < table().size(); ++i) {
    const auto count = std::ranges::count(ignored_, i, &Ignored::row);
    if (count > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, shown(table()[i]));
  }
  return out;
}

std::vector<IgnoredField> Document::ignored_fields() const {
  std::vector<IgnoredField> out;
  for (const auto& [row, line] : ignored_) out.push_back({at(line), shown(table()[row])});
  return out;
}

}  // namespace torsor::urdf
