#include "torsor/formats/mjcf/attach.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "torsor/base/error.hpp"
#include "torsor/formats/mjcf/tree/replicate.hpp"

namespace torsor::mjcf {

namespace {

struct Reference {
  const char* attribute;
  // The kind of the named element, or the attribute ..type that contains it. "" for names of
  // elements that come with every part of a model, such as meshes.
  const char* kind;
};
constexpr Reference names_in[] = {
    {"name", ""},
    {"class", ""},
    {"childclass", ""},
    {"mesh", ""},
    {"material", ""},
    {"texture", ""},
    {"hfield", ""},
    {"target", ""},
    {"objname", "objtype"},
    {"refname", "reftype"},
    {"body", "body"},
    {"body1", "body"},
    {"body2", "body"},
    {"subtree1", "body"},
    {"subtree2", "body"},
    {"joint", "joint"},
    {"joint1", "joint"},
    {"joint2", "joint"},
    {"geom", "geom"},
    {"jointinparent", "joint"},
    {"geom1", "geom"},
    {"geom2", "geom"},
    {"site", "site"},
    {"site1", "site"},
    {"site2", "site"},
    {"cranksite", "site"},
    {"refsite", "site"},
    {"slidersite", "site"},
    {"sidesite", "site"},
    {"tendon", "tendon"},
    {"tendon1", "tendon"},
    {"tendon2", "tendon"},
    {"actuator", "actuator"},
};

// Elements without names of elements or classes in their attributes.
constexpr std::string_view other_elements[] = {"compiler", "option",    "size",  "visual",
                                               "model",    "statistic", "attach"};

// Returns the kind of the element that a Reference of an element names.
std::string named_kind(const XMLElement& xml, std::string_view kind) {
  if (!kind.ends_with("type")) return std::string(kind);
  const std::string type = attribute_of(xml, std::string(kind).c_str());
  return type == "xbody" ? "body" : type;
}

void prefix_attributes(XMLElement& xml, const std::string& prefix) {
  const std::string_view kind = xml.Name();
  if (kind == "mesh" && attribute_of(xml, "name").empty() && xml.Attribute("file")) {
    const std::filesystem::path file(xml.Attribute("file"));
    xml.SetAttribute("name", file.stem().string().c_str());
  }
  for (const auto& [attribute, of] : names_in) {
    const std::string name = attribute_of(xml, attribute);
    if (name.empty() || (name == "world" && named_kind(xml, of) == "body")) continue;
    xml.SetAttribute(attribute, (prefix + name).c_str());
  }
}

// Bounds the elements in copies of <replicate> that are searched in all attached models.
constexpr size_t most_searched = 1'000'000;

}  // namespace

size_t prefix_names(XMLElement& root, const std::string& prefix) {
  size_t n = 0;
  for (XMLElement* xml = root.FirstChildElement(); xml; xml = xml->NextSiblingElement()) {
    ++n;
    if (std::ranges::find(other_elements, xml->Name()) != std::end(other_elements)) continue;
    prefix_attributes(*xml, prefix);
    n += prefix_names(*xml, prefix);
  }
  return n;
}

void NameSets::add(const std::string& kind, const XMLElement& xml) {
  if (const std::string name = attribute_of(xml, "name"); !name.empty())
    names_.insert(kind + " " + name);
}

bool NameSets::contains(const std::string& kind, const std::string& name) const {
  return names_.contains(kind + " " + name);
}

void NameSets::add_tree(const Files& files, std::vector<AttachedElement> elements,
                        size_t& n_copied) {
  while (!elements.empty()) {
    const AttachedElement each = elements.back();
    elements.pop_back();
    const std::string name = attribute_of(*each.xml, "name"), word = each.xml->Name();
    const std::string kind = word == "freejoint" ? "joint" : word;
    add(kind, *each.xml);
    if (!name.empty()) names_.insert(kind + " " + name + each.suffix);
    for (AttachedElement& inner : inner_elements(files, each, n_copied))
      elements.push_back(std::move(inner));
  }
}

std::vector<AttachedElement> inner_elements(const Files& files, const AttachedElement& outer,
                                            size_t& n_copied) {
  const XMLElement& xml = *outer.xml;
  const std::string_view kind = xml.Name();
  const auto* attached = files.attached(xml);
  if (!attached && kind != "body" && kind != "frame" && kind != "replicate") return {};
  std::vector<AttachedElement> inner, out;
  const std::string given = attribute_of(xml, "childclass");
  if (attached)
    inner = *attached;
  else
    for (const XMLElement* child : files.children(xml))
      inner.push_back({child, given.empty() ? outer.childclass : given, ""});
  std::vector<Replica> copies{{"", Pose<double>::identity()}};
  if (kind == "replicate") copies = read_replicas(files, xml, Compiler{});
  if (kind == "replicate" || !outer.suffix.empty()) n_copied += copies.size() * (inner.size() + 1);
  if (n_copied > most_searched)
    files.element(xml, fmt::format("<{}>", kind))
        .fail(fmt::format("the copies of <replicate> in attached models have more than {} "
                          "elements; give smaller counts",
                          most_searched));
  for (const Replica& copy : copies)
    for (const AttachedElement& each : inner)
      out.push_back({each.xml, each.childclass, each.suffix + copy.suffix + outer.suffix});
  return out;
}

std::string part_outside(const Files& files, const XMLElement& xml, const NameSets& whole,
                         const NameSets& part) {
  const std::string& prefix = files.prefix(files.model_of(xml));
  for (const auto& [attribute, of] : names_in) {
    const std::string name = attribute_of(xml, attribute), kind = named_kind(xml, of);
    if (name.empty() || kind.empty()) continue;
    if (kind == "body" && name == "world") {
      if (!prefix.empty()) return world_outside;
    } else if (whole.contains(kind, name) && !part.contains(kind, name)) {
      return fmt::format("the {} '{}' that is not attached", kind,
                         xml::readable(name.substr(prefix.size())));
    }
  }
  for (const XMLElement* child : files.children(xml))
    if (std::string out = part_outside(files, *child, whole, part); !out.empty()) return out;
  return "";
}

std::vector<AttachedElement> world_of(const Files& files, size_t model) {
  std::vector<AttachedElement> out;
  for (const XMLElement* world : files.children(files.root(model), "worldbody"))
    for (const XMLElement* xml : files.children(*world))
      out.push_back({xml, attribute_of(*world, "childclass"), ""});
  return out;
}

}  // namespace torsor::mjcf
