#include "torsor/formats/sdf/loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/memory.hpp"
#include "torsor/base/text.hpp"
#include "torsor/formats/sdf/included_file.hpp"
#include "torsor/formats/sdf/table.hpp"

namespace torsor::sdf {

namespace fs = std::filesystem;
using tinyxml2::XMLElement;
using xml::Document, xml::Element, xml::readable;

namespace {

// Limits on the number of models and links, which bound the work for files that include each other
// many times.
constexpr int most_models = 10'000, most_links = 50'000;
constexpr size_t most_nested_includes = 32;
constexpr int newest_minor = 12, oldest_minor = 4;

// Calls f for each child element with a name.
template <class Function>
void each_child(const XMLElement& xml, const char* name, const Function& f) {
  for (auto child = xml.FirstChildElement(name); child; child = child->NextSiblingElement(name))
    f(*child);
}

// Reads the name of an element. Names such as __model__ and world are those of implicit frames.
std::string named(const Document& document, const XMLElement& xml, const char* what) {
  std::string out = read_name(document, xml, what);
  if (out == "world" || (out.size() > 3 && out.starts_with("__") && out.ends_with("__")))
    document.fail(xml.GetLineNum(), fmt::format("'{}' is the name of an implicit frame of SDF; "
                                                "give {} another name",
                                                out, what));
  return out;
}

Element element_of(const Document& document, const XMLElement& xml, const std::string& name) {
  return {document, xml, fmt::format("{} '{}'", xml.Name(), name)};
}

// Returns whether a link of the document has an inertia that its collisions define.
bool has_auto_inertia(const XMLElement& xml) {
  for (auto child = xml.FirstChildElement(); child; child = child->NextSiblingElement())
    if ((std::string_view(child->Name()) == "inertial" && child->Attribute("auto")) ||
        has_auto_inertia(*child))
      return true;
  return false;
}

}  // namespace

std::string scoped_name(const Scope& scope, const std::string& name) {
  std::string out = name;
  for (const Scope* at = &scope; at && at->parent; at = at->parent)
    if (at->is_named && !at->is_merged) out = at->name + "::" + out;
  return out;
}

bool is_fixed(const Scope& scope) {
  return scope.is_static || (scope.parent && is_fixed(*scope.parent));
}

std::string shown(const Scope& scope) {
  return scope.is_world() ? "the world" : fmt::format("model '{}'", scope.name);
}

Loader::Loader(const fs::path& file, const RobotFileOptions& options)
    : options_(options), file_(file) {}

void Loader::note(const Element& element, UnusedWord::Kind kind, std::string what,
                  std::string hint) {
  for (auto& [path, file] : files_)
    if (file.document.get() == &element.document())
      file.document->note(
          {kind, std::move(what), file.document->name(), element.line(), std::move(hint)});
}

std::vector<const Document*> Loader::documents() const {
  std::vector<const Document*> out;
  for (const File* file : in_order_) out.push_back(file->document.get());
  return out;
}

const Loader::File& Loader::open(const fs::path& path) {
  const fs::path key = resolved(path);
  if (const auto found = files_.find(key); found != files_.end()) return found->second;
  auto document =
      std::make_unique<Document>(path, robot_file_type(), options_.strict, options_.collisions);
  if (!options_.collisions && has_auto_inertia(document->root()))
    document = std::make_unique<Document>(path, robot_file_type(), options_.strict, true);
  const Version version = read_version(*document);
  File& file = files_[key];
  file = {std::move(document), version};
  in_order_.push_back(&file);
  return file;
}

Version Loader::read_version(const Document& document) {
  const XMLElement& root = document.root();
  const char* text = root.Attribute("version");
  const std::string place = document.at(root.GetLineNum());
  if (!text) {
    if (options_.strict) document.fail(root.GetLineNum(), "<sdf> needs the attribute version");
    warnings_.push_back(
        fmt::format("{}: <sdf> has no version; it is read as SDF 1.{}", place, newest_minor));
    return {1, newest_minor};
  }
  const std::string_view word = text;
  Version out{0, 0};
  const size_t dot = word.find('.');
  const auto parse = [&](std::string_view part, int& value) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc() && end == part.data() + part.size();
  };
  if (dot == word.npos || !parse(word.substr(0, dot), out.major) ||
      !parse(word.substr(dot + 1), out.minor) || out.major != 1 || out.minor < oldest_minor)
    document.fail(root.GetLineNum(),
                  fmt::format("the version of <sdf> is '{}'; files of 1.{} to 1.{} can be read",
                              readable(word), oldest_minor, newest_minor));
  if (out.minor > newest_minor)
    warnings_.push_back(fmt::format("{}: the version of <sdf> is {}; it is read as SDF 1.{}", place,
                                    readable(word), newest_minor));
  return out;
}

// Notes the elements of the file beside its first <world>, which are not read.
void Loader::note_others(const Document& document, const XMLElement& world) {
  const auto note_each = [&](const char* name, const char* what) {
    each_child(document.root(), name, [&](const XMLElement& xml) {
      if (&xml != &world) note(Element(document, xml, ""), UnusedWord::Kind::ignored, what);
    });
  };
  note_each("world", "<world> after the first one");
  note_each("model", "<model> beside a <world>");
}

std::unique_ptr<Scope> Loader::read() {
  const File& file = open(file_);
  const Document& document = *file.document;
  const XMLElement& root = document.root();
  open_includes_ = {resolved(file_)};
  const XMLElement* world = root.FirstChildElement("world");
  if (world) {
    note_others(document, *world);
    return read_scope(file, *world, nullptr);
  }
  if (!root.FirstChildElement("model"))
    document.fail(root.GetLineNum(), "the file has no <model> and no <world>; add one");
  auto out = std::unique_ptr<Scope>(
      new Scope{"", nullptr, Element(document, root, "the file"), file.version});
  each_child(root, "model", [&](const XMLElement& xml) {
    out->models.push_back(read_scope(file, xml, out.get()));
  });
  if (out->models.size() == 1) out->models[0]->is_named = false;
  out->name = out->models[0]->name;
  return out;
}

std::unique_ptr<Scope> Loader::read_scope(const File& file, const XMLElement& xml,
                                          const Scope* parent) {
  const Document& document = *file.document;
  if (++n_models_ > most_models)
    document.fail(xml.GetLineNum(), fmt::format("the file has more than {} models, with those that "
                                                "it includes; split it",
                                                most_models));
  reserve_memory("the models of " + file_.string(), sizeof(Scope));
  const bool is_world = !parent;
  std::string name = named(document, xml, is_world ? "a <world>" : "a <model>");
  const Element element = element_of(document, xml, name);
  auto out = std::unique_ptr<Scope>(new Scope{name, parent, element, file.version});
  if (!is_world) {
    out->is_static = flag_in(element, "static", false);
    for (const auto& [attribute, value] : {std::pair{"canonical_link", &out->canonical_link},
                                           std::pair{"placement_frame", &out->placement_frame}})
      if (element.has(attribute)) *value = element.needed_text(attribute);
    out->pose = read_pose(element);
  }
  read_contents(file, *out);
  return out;
}

void Loader::read_contents(const File& file, Scope& scope) {
  if (!scope.is_world()) read_links(file, scope);
  read_frames(file, scope);
  read_joints(file, scope);
  each_child(scope.element.xml(), "model",
             [&](const XMLElement& xml) { scope.models.push_back(read_scope(file, xml, &scope)); });
  read_includes(file, scope);
}

void Loader::read_links(const File& file, Scope& scope) {
  each_child(scope.element.xml(), "link", [&](const XMLElement& xml) {
    const std::string name = named(*file.document, xml, "a <link>");
    const Element element = element_of(*file.document, xml, name);
    if (++n_links_ > most_links)
      element.fail(
          fmt::format("the file has more than {} links, with those of the models that it "
                      "includes; split it",
                      most_links));
    scope.links.push_back({name, &scope, element, read_pose(element)});
  });
}

void Loader::read_frames(const File& file, Scope& scope) {
  each_child(scope.element.xml(), "frame", [&](const XMLElement& xml) {
    const std::string name = named(*file.document, xml, "a <frame>");
    const Element element = element_of(*file.document, xml, name);
    const std::string attached =
        element.has("attached_to") ? element.needed_text("attached_to") : "";
    scope.frames.push_back({name, &scope, element, attached, read_pose(element)});
  });
}

void Loader::read_joints(const File& file, Scope& scope) {
  each_child(scope.element.xml(), "joint", [&](const XMLElement& xml) {
    const std::string name = named(*file.document, xml, "a <joint>");
    const Element element = element_of(*file.document, xml, name);
    JointNode joint{name, &scope, element, element.needed_text("type"), "", "", read_pose(element)};
    for (const auto& [word, value] :
         {std::pair{"parent", &joint.parent}, std::pair{"child", &joint.child}}) {
      const Element end = element.needed_child(word);
      *value = end.text();
      if (value->empty()) end.fail(fmt::format("<{}> is empty; name a link or a frame", word));
    }
    scope.joints.push_back(std::move(joint));
  });
}

void Loader::read_includes(const File& file, Scope& scope) {
  each_child(scope.element.xml(), "include", [&](const XMLElement& xml) {
    const Element element(*file.document, xml, "<include>");
    if (auto model = include(element, scope)) scope.models.push_back(std::move(model));
  });
}

// Returns the model of an <include>. In a world, a file that is not found is a warning, unless the
// files are read strictly: many worlds include a sun or a ground of Gazebo.
std::unique_ptr<Scope> Loader::include(const Element& element, Scope& scope) {
  const Element uri = element.needed_child("uri");
  const std::string name = uri.text();
  if (name.empty()) uri.fail("<uri> is empty; name a folder or a file");
  try {
    return include_model(element, name, scope);
  } catch (const FileNotIncluded& error) {
    const std::string what = fmt::format("'{}' {}", readable(name), error.what());
    if (!scope.is_world() || options_.strict) uri.fail(what);
    note(uri, UnusedWord::Kind::broken, "<include> of " + what,
         "; correct the <uri>, or remove the <include>");
    warnings_.push_back(fmt::format("{}: {}, so it is left out", uri.place(), what));
    return nullptr;
  }
}

std::unique_ptr<Scope> Loader::include_model(const Element& element, const std::string& uri,
                                             Scope& scope) {
  const fs::path path = included_file({uri, element.place()}, options_.meshes);
  const fs::path key = resolved(path);
  if (std::ranges::find(open_includes_, key) != open_includes_.end())
    element.fail(fmt::format("the file '{}' includes itself", path.string()));
  if (open_includes_.size() > most_nested_includes)
    element.fail(fmt::format("includes are nested more than {} times", most_nested_includes));
  const File& file = open(path);
  const XMLElement& root = file.document->root();
  const XMLElement* model = root.FirstChildElement("model");
  if (!model && (root.FirstChildElement("light") || root.FirstChildElement("actor"))) return {};
  if (!model)
    file.document->fail(root.GetLineNum(), "the file is included and has no <model>; add one");
  if (const XMLElement* second = model->NextSiblingElement("model"))
    file.document->fail(second->GetLineNum(),
                        "the file is included and has a second <model>; give each its own file");
  open_includes_.push_back(key);
  auto out = read_scope(file, *model, &scope);
  open_includes_.pop_back();
  override_values(element, *out);
  return out;
}

// Applies the values of an <include>, which replace those of the model.
void Loader::override_values(const Element& element, Scope& model) {
  if (const auto name = element.child("name")) {
    model.name = name->text();
    if (model.name.empty() || !is_plain_text(model.name))
      name->fail("<name> is not UTF-8 text on one line; give the model a name");
  }
  if (element.has("merge")) model.is_merged = read_flag(element, "merge");
  if (model.is_merged && model.parent->is_world())
    element.fail("a model cannot be merged into a <world>; remove merge", "merge");
  model.is_static = !model.is_merged && flag_in(element, "static", model.is_static);
  const std::string frame = text_in(element, "placement_frame");
  if (!element.child("pose")) {
    if (!frame.empty())
      element.child("placement_frame")->fail("<placement_frame> needs a <pose> beside it; add one");
    return;
  }
  model.pose = read_pose(element);
  model.placement_frame = frame;
}

}  // namespace torsor::sdf
