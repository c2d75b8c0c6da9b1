#include "torsor/formats/mjcf/files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/formats/mjcf/table.hpp"

namespace torsor::mjcf {

namespace {

namespace fs = std::filesystem;

// Bounds the number of files, and with it the depth of elements and the memory.
constexpr size_t most_files = 50;

}  // namespace

Files::Files(const fs::path& file, const RobotFileOptions& options) : options_(options) {
  read(file, "", 0);
}

// Reads a file, and then those that it includes.
void Files::read(const fs::path& file, std::string_view scope, int main_line) {
  const size_t index = documents_.size();
  documents_.push_back(std::make_unique<xml::Document>(file, robot_file_type(), options_.strict,
                                                       options_.collisions, scope));
  const xml::Document& document = *documents_.back();
  main_line_.push_back(main_line);
  paths_.push_back(resolved(file));
  index_.emplace(document.root().GetDocument(), index);
  for (const auto& [include, inner_scope] : document.includes()) {
    const fs::path path = find(*include);
    const int line = index == 0 ? include->GetLineNum() : main_line;
    if (std::ranges::find(paths_, resolved(path)) != paths_.end())
      document.fail(include->GetLineNum(),
                    fmt::format("the file '{}' is included a second time; include it only once",
                                xml::readable(path.string())));
    if (documents_.size() >= most_files)
      document.fail(include->GetLineNum(),
                    fmt::format("the robot has more than {} files; join some of them", most_files));
    if (options_.meshes.found_file) options_.meshes.found_file(path);
    const size_t next = documents_.size();
    read(path, inner_scope, line);
    included_.emplace(include, &documents_[next]->root());
  }
}

fs::path Files::find(const XMLElement& include) const {
  const xml::Element element = this->element(include, "<include>");
  const std::string name = element.needed_text("file");
  std::string why;
  MeshAccess access = options_.meshes;
  access.permission = asked_once(access.permission);
  for (const xml::Document* base : {&document_of(root()), &document_of(include)}) {
    const NamedFile named{name, base == &element.document() ? element.place() : base->at(1), true};
    try {
      return find_file(named, access, [&](const fs::path& place, const MeshAccess& asked) {
        return is_readable_file(place, named, asked);
      });
    } catch (const Error& error) {
      if (why.empty()) why = error.what();
    }
  }
  element.fail(fmt::format("the file '{}' is not included: {}; paths are relative to the folder of "
                           "'{}'",
                           xml::readable(name), why, documents_.front()->name()),
               "file");
}

std::vector<const XMLElement*> Files::children(const XMLElement& parent) const {
  std::vector<const XMLElement*> out;
  add_children(parent, out);
  return out;
}

void Files::add_children(const XMLElement& parent, std::vector<const XMLElement*>& out) const {
  for (auto xml = parent.FirstChildElement(); xml; xml = xml->NextSiblingElement()) {
    if (const auto found = included_.find(xml); found != included_.end())
      add_children(*found->second, out);
    else
      out.push_back(xml);
  }
}

std::vector<const XMLElement*> Files::children(const XMLElement& parent,
                                               std::string_view name) const {
  std::vector<const XMLElement*> out = children(parent);
  std::erase_if(out, [&](const XMLElement* xml) { return xml->Name() != name; });
  return out;
}

std::vector<const XMLElement*> Files::all(std::string_view section, std::string_view name) const {
  std::vector<const XMLElement*> out;
  for (const XMLElement* parent : children(root(), section))
    for (const XMLElement* xml : children(*parent, name)) out.push_back(xml);
  return out;
}

const xml::Document& Files::document_of(const XMLElement& xml) const {
  return *documents_[index_.at(xml.GetDocument())];
}

std::string Files::place_in_main_file(const XMLElement& xml) const {
  const size_t index = index_.at(xml.GetDocument());
  return documents_.front()->at(index == 0 ? xml.GetLineNum() : main_line_[index]);
}

void Files::note(UnusedWord::Kind kind, const XMLElement& xml, std::string what, std::string hint) {
  const xml::Document& document = document_of(xml);
  if (options_.strict && kind == UnusedWord::Kind::unknown)
    document.fail(xml.GetLineNum(), "unknown " + what + hint);
  if (options_.strict && kind == UnusedWord::Kind::unsupported)
    document.fail(xml.GetLineNum(),
                  what +
                      " is not supported; remove it, or read the file without --strict (in Lua: "
                      "without strict = true)");
  notes_.push_back({kind, std::move(what), document.name(), xml.GetLineNum(), std::move(hint)});
}

void Files::report(RobotDescription& robot) const {
  for (const auto& document : documents_) {
    std::vector<UnusedWord> words = document->unused();
    for (const UnusedWord& word : notes_)
      if (word.file == document->name()) words.push_back(word);
    std::ranges::stable_sort(words, {}, &UnusedWord::line);
    if (std::string text = xml::summary(words); !text.empty())
      robot.warnings.push_back(std::move(text));
    robot.unused.insert(robot.unused.end(), words.begin(), words.end());
  }
}

}  // namespace torsor::mjcf
