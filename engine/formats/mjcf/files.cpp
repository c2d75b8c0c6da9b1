#include "torsor/formats/mjcf/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/formats/mjcf/attach.hpp"
#include "torsor/formats/mjcf/table.hpp"

namespace torsor::mjcf {

namespace {

namespace fs = std::filesystem;

// Bounds the number of files of a model, and with it the depth of elements and the memory.
constexpr size_t most_files = 50;
// Bounds the attached models, the elements in all of their files, and the depth of models in
// models.
constexpr size_t most_models = 2000, most_attached = 200'000, deepest_attached = 20;
// Bounds the bytes in all files of attached models.
constexpr size_t most_bytes = 64 << 20;

// Adds the elements <attach> in an element.
void find_attaches(const XMLElement& parent, std::vector<const XMLElement*>& out) {
  for (auto xml = parent.FirstChildElement(); xml; xml = xml->NextSiblingElement())
    if (std::string_view(xml->Name()) == "attach")
      out.push_back(xml);
    else
      find_attaches(*xml, out);
}

}  // namespace

std::string attribute_of(const XMLElement& xml, const char* name) {
  const char* value = xml.Attribute(name);
  return value ? value : "";
}

Files::Files(const fs::path& file, const RobotFileOptions& options) : options_(options) {
  read_model(file, "", -1);
}

// Reads a model, then those that it attaches. Names have no prefix while it is read.
size_t Files::read_model(const fs::path& file, const std::string& prefix, int outer) {
  const size_t model = models_.size();
  models_.push_back({resolved(file), prefix, {}, outer});
  read(file, "", 0, model);
  const std::vector<size_t> own = models_[model].documents;
  if (model > 0)
    for (const size_t k : own) n_attached_ += prefix_names(documents_[k]->root(), prefix);
  std::vector<const XMLElement*> attaches;
  for (const size_t k : own) find_attaches(documents_[k]->root(), attaches);
  for (const XMLElement* xml : attaches) attach(*xml, model);
  note_unused_models(model);
  return model;
}

// Reads a file, and then those that it includes.
void Files::read(const fs::path& file, std::string_view scope, int main_line, size_t model) {
  const size_t index = documents_.size();
  documents_.push_back(std::make_unique<xml::Document>(file, robot_file_type(), options_.strict,
                                                       options_.collisions, scope));
  const xml::Document& document = *documents_.back();
  main_line_.push_back(main_line);
  paths_.push_back(resolved(file));
  model_.push_back(model);
  models_[model].documents.push_back(index);
  index_.emplace(document.root().GetDocument(), index);
  for (const auto& [include, inner_scope] : document.includes()) {
    const fs::path path = find(*include);
    const int line = index == models_[model].documents.front() ? include->GetLineNum() : main_line;
    const std::vector<size_t>& own = models_[model].documents;
    if (std::ranges::any_of(own, [&](size_t k) { return paths_[k] == resolved(path); }))
      document.fail(include->GetLineNum(),
                    fmt::format("the file '{}' is included a second time; include it only once",
                                xml::readable(path.string())));
    if (own.size() >= most_files)
      document.fail(include->GetLineNum(),
                    fmt::format("the robot has more than {} files; join some of them", most_files));
    if (options_.meshes.found_file) options_.meshes.found_file(path);
    if (model > 0) count_bytes(path, element(*include, "<include>"));
    const size_t next = documents_.size();
    read(path, inner_scope, line, model);
    included_.emplace(include, &documents_[next]->root());
  }
}

// Reads the model that an <attach> names, and records the elements that it adds.
void Files::attach(const XMLElement& xml, size_t outer) {
  const xml::Element element = this->element(xml, "<attach>");
  if (!element.has("model"))
    return note(UnusedWord::Kind::unsupported, xml, "<attach> of a part of the same model");
  if (!element.has("prefix")) element.fail("it needs the attribute prefix");
  if (element.has("body") && element.has("frame"))
    element.fail("it has a body and a frame; give one of them", "frame");
  const XMLElement* asset = find_model(element, outer);
  used_.insert(asset);
  const fs::path path = find(*asset);
  check_nesting(element, path, outer);
  if (options_.meshes.found_file) options_.meshes.found_file(path);
  count_bytes(path, element);
  const size_t model =
      read_model(path, models_[outer].prefix + element.needed_text("prefix"), int(outer));
  if (n_attached_ > most_attached || models_.size() > most_models)
    element.fail(
        fmt::format("there are more than {} attached models, or {} elements in them; attach "
                    "fewer of them",
                    most_models, most_attached));
  std::vector<AttachedElement> target = find_target(element, model);
  leave_out(target, model, !element.has("body") && !element.has("frame"));
  attached_.emplace(&xml, std::move(target));
}

// Adds the size of a file to that of all attached files. Throws Error if it becomes too large.
void Files::count_bytes(const fs::path& file, const xml::Element& element) {
  std::error_code failed;
  const auto bytes = fs::file_size(file, failed);
  if (!failed) n_bytes_ += size_t(bytes);
  if (n_bytes_ > most_bytes)
    element.fail(
        fmt::format("the files of attached models have more than {} MiB, with a copy for "
                    "each <attach>; attach fewer or smaller ones",
                    most_bytes >> 20));
}

// Returns the name of a <model>: by default, that in its file.
const std::string& Files::name_of_model(const XMLElement& xml) {
  const auto [name, is_first] = model_names_.try_emplace(&xml, attribute_of(xml, "name"));
  if (!is_first || !name->second.empty()) return name->second;
  const fs::path path = find(xml);
  const auto [in_file, is_new] = names_in_files_.try_emplace(resolved(path));
  if (is_new) {
    if (options_.meshes.found_file) options_.meshes.found_file(path);
    count_bytes(path, element(xml, "<model>"));
    in_file->second = attribute_of(xml::Document(path, robot_file_type(), false).root(), "model");
  }
  return name->second = in_file->second;
}

void Files::note_unused_models(size_t model) {
  for (const XMLElement* section : children(root(model), "asset"))
    for (const XMLElement* xml : children(*section, "model"))
      if (!used_.contains(xml))
        note(UnusedWord::Kind::ignored, *xml, "<model> that no <attach> names");
}

// Returns the <model> of an <attach>.
const XMLElement* Files::find_model(const xml::Element& attach, size_t outer) {
  const std::string wanted = attach.needed_text("model");
  std::vector<std::string> names;
  for (const XMLElement* section : children(root(outer), "asset"))
    for (const XMLElement* xml : children(*section, "model")) {
      names.push_back(name_of_model(*xml));
      if (names.back() == wanted) return xml;
    }
  const std::string near = did_you_mean(wanted, names);
  attach.fail(
      fmt::format("there is no model '{}'{}", xml::readable(wanted),
                  near.empty() ? "; add <model name=\"..\" file=\"..\"/> to <asset>" : near),
      "model");
}

// Throws Error if the file is that of a model around this <attach>, or if there are too many.
void Files::check_nesting(const xml::Element& attach, const fs::path& file, size_t outer) const {
  size_t depth = 0;
  for (int k = int(outer); k >= 0; k = models_[size_t(k)].outer) {
    if (models_[size_t(k)].path == resolved(file))
      attach.fail(fmt::format("the file '{}' attaches itself, directly or through other files; "
                              "remove one <attach> of this cycle",
                              xml::readable(file.string())),
                  "model");
    if (++depth > deepest_attached)
      attach.fail(fmt::format("attached models are nested more than {} deep; join some of them",
                              deepest_attached),
                  "model");
  }
}

// Returns the body or the frame that an <attach> names, or all elements of the world of the model.
std::vector<AttachedElement> Files::find_target(const xml::Element& attach, size_t model) {
  std::vector<AttachedElement> left = world_of(*this, model);
  const char* kind = attach.has("body") ? "body" : attach.has("frame") ? "frame" : nullptr;
  if (!kind) return left;
  const std::string name = attach.needed_text(kind), &prefix = models_[model].prefix;
  std::vector<std::string> names;
  while (!left.empty()) {
    const AttachedElement at = left.back();
    left.pop_back();
    const std::string given = attribute_of(*at.xml, "name");
    if (std::string_view(at.xml->Name()) == kind && !given.empty()) {
      names.push_back(given.substr(prefix.size()) + at.suffix);
      if (names.back() == name) return {at};
    }
    for (AttachedElement& inner : inner_elements(*this, at, n_copied_))
      left.push_back(std::move(inner));
  }
  attach.fail(
      fmt::format("the model '{}' has no {} '{}'{}", xml::readable(attach.needed_text("model")),
                  kind, xml::readable(name), did_you_mean(name, names)),
      kind);
}

// Leaves out the elements outside of the tree that refer to parts of an attached model, or of the
// models in it, that are not attached (part_outside). Tendons and actuators come before the
// elements that refer to them.
void Files::leave_out(const std::vector<AttachedElement>& attached, size_t model, bool is_whole) {
  NameSets whole, part;
  if (!is_whole) {
    whole.add_tree(*this, world_of(*this, model), n_copied_);
    part.add_tree(*this, attached, n_copied_);
  }
  for (const char* section : {"tendon", "actuator", "equality", "contact", "sensor"})
    for (size_t inner = model; inner < models_.size(); ++inner)
      for (const XMLElement* parent : children(root(inner), section))
        for (const XMLElement* xml : children(*parent)) {
          whole.add(section, *xml);
          const std::string outside = part_outside(*this, *xml, whole, part);
          if (outside.empty())
            part.add(section, *xml);
          else
            leave_out(*xml, section, outside);
        }
}

// Leaves out an element. Sensors have no effect on the motion, nor have contacts that are not read,
// or of parts that are not attached.
void Files::leave_out(const XMLElement& xml, std::string_view section, const std::string& part) {
  left_out_.insert(&xml);
  const bool no_effect = section == "sensor" ||
                         (section == "contact" && (!options_.collisions || part != world_outside));
  note(no_effect ? UnusedWord::Kind::ignored : UnusedWord::Kind::unsupported, xml,
       fmt::format("<{}> of {}", xml.Name(), part));
}

// Returns the file of an <include> or a <model>.
fs::path Files::find(const XMLElement& xml) const {
  const bool is_include = std::string_view(xml.Name()) == "include";
  const xml::Element element = this->element(xml, fmt::format("<{}>", xml.Name()));
  const std::string name = element.needed_text("file");
  const xml::Document& main = document_of(root(model_of(xml)));
  std::string why;
  MeshAccess access = options_.meshes;
  access.permission = asked_once(access.permission);
  for (const xml::Document* base : {&main, &document_of(xml)}) {
    const NamedFile named{name, base == &element.document() ? element.place() : base->at(1), true};
    try {
      return find_file(named, access, [&](const fs::path& place, const MeshAccess& asked) {
        return is_readable_file(place, named, asked);
      });
    } catch (const Error& error) {
      if (why.empty()) why = error.what();
    }
  }
  element.fail(
      fmt::format("the file '{}' is not {}: {}; paths are relative to the folder of '{}'",
                  xml::readable(name), is_include ? "included" : "attached", why, main.name()),
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
    else if (!left_out_.contains(xml))
      out.push_back(xml);
  }
}

std::vector<const XMLElement*> Files::children(const XMLElement& parent,
                                               std::string_view name) const {
  std::vector<const XMLElement*> out = children(parent);
  std::erase_if(out, [&](const XMLElement* xml) { return xml->Name() != name; });
  return out;
}

std::vector<const XMLElement*> Files::all(std::string_view section) const {
  std::vector<const XMLElement*> out;
  for (size_t model = 0; model < models_.size(); ++model)
    for (const XMLElement* parent : children(root(model), section))
      for (const XMLElement* xml : children(*parent)) out.push_back(xml);
  return out;
}

std::vector<const XMLElement*> Files::all(std::string_view section, std::string_view name) const {
  std::vector<const XMLElement*> out = all(section);
  std::erase_if(out, [&](const XMLElement* xml) { return xml->Name() != name; });
  return out;
}

bool Files::is_in(size_t model, size_t other) const {
  int k = int(model);
  while (k >= 0 && size_t(k) != other) k = models_[size_t(k)].outer;
  return k >= 0;
}

const std::vector<AttachedElement>* Files::attached(const XMLElement& xml) const {
  const auto found = attached_.find(&xml);
  return found == attached_.end() ? nullptr : &found->second;
}

const xml::Document& Files::document_of(const XMLElement& xml) const {
  return *documents_[index_.at(xml.GetDocument())];
}

std::string Files::place_in_main_file(const XMLElement& xml) const {
  const size_t index = index_.at(xml.GetDocument()),
               main = models_[model_[index]].documents.front();
  return documents_[main]->at(index == main ? xml.GetLineNum() : main_line_[index]);
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

// Returns the unused words of a file. Copies of a file have the same ones, which are listed once.
std::vector<UnusedWord> Files::unused_in(size_t document) const {
  const std::string& name = documents_[document]->name();
  std::vector<UnusedWord> words = documents_[document]->unused();
  for (const UnusedWord& word : notes_)
    if (word.file == name) words.push_back(word);
  std::ranges::stable_sort(words, {}, &UnusedWord::line);
  if (model_[document] == 0) return words;
  std::set<std::tuple<int, UnusedWord::Kind, std::string>> listed;
  std::erase_if(words, [&](const UnusedWord& word) {
    return !listed.emplace(word.line, word.kind, word.what).second;
  });
  return words;
}

void Files::report(RobotDescription& robot) const {
  std::unordered_set<std::string> reported;
  for (size_t k = 0; k < documents_.size(); ++k) {
    if (!reported.insert(documents_[k]->name()).second) continue;
    const std::vector<UnusedWord> words = unused_in(k);
    if (std::string text = xml::summary(words); !text.empty())
      robot.warnings.push_back(std::move(text));
    robot.unused.insert(robot.unused.end(), words.begin(), words.end());
  }
}

}  // namespace torsor::mjcf
