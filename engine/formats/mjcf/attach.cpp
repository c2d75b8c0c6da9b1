#include "torsor/formats/mjcf/attach.hpp"

#include <algorithm>
#include <filesystem>

namespace torsor::mjcf {

namespace {

struct Reference {
  const char* attribute;
  // Kind of the named element, or the attribute ..type with this kind. "" for those of which an
  // attached model has all.
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

// Elements whose attributes are no names of the model.
constexpr std::string_view other_elements[] = {"compiler", "option",    "size",  "visual",
                                               "model",    "statistic", "attach"};

void prefix_attributes(XMLElement& xml, const std::string& prefix) {
  const std::string_view kind = xml.Name();
  if (kind == "mesh" && attribute_of(xml, "name").empty() && xml.Attribute("file")) {
    const std::filesystem::path file(xml.Attribute("file"));
    xml.SetAttribute("name", file.stem().string().c_str());
  }
  for (const auto& [attribute, of] : names_in)
    if (const std::string name = attribute_of(xml, attribute); !name.empty() && name != "world")
      xml.SetAttribute(attribute, (prefix + name).c_str());
}

// Returns the kind of the element that a Reference of an element names.
std::string named_kind(const XMLElement& xml, std::string_view kind) {
  if (!kind.ends_with("type")) return std::string(kind);
  const std::string type = attribute_of(xml, std::string(kind).c_str());
  return type == "xbody" ? "body" : type;
}

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

void NameSets::add_tree(const Files& files, const std::vector<AttachedElement>& elements) {
  for (const AttachedElement& each : elements) add_element(files, *each.xml);
}

void NameSets::add_element(const Files& files, const XMLElement& xml) {
  const std::string_view kind = xml.Name();
  if (kind == "attach") {
    if (const auto* attached = files.attached(xml)) add_tree(files, *attached);
    return;
  }
  add(kind == "freejoint" ? "joint" : std::string(kind), xml);
  for (const XMLElement* child : files.children(xml)) add_element(files, *child);
}

bool refers_outside(const Files& files, const XMLElement& xml, const NameSets& whole,
                    const NameSets& part) {
  for (const auto& [attribute, of] : names_in) {
    const std::string name = attribute_of(xml, attribute), kind = named_kind(xml, of);
    if (name.empty() || kind.empty()) continue;
    if (name == "world" || (whole.contains(kind, name) && !part.contains(kind, name))) return true;
  }
  return std::ranges::any_of(files.children(xml), [&](const XMLElement* child) {
    return refers_outside(files, *child, whole, part);
  });
}

std::vector<AttachedElement> world_of(const Files& files, size_t model) {
  std::vector<AttachedElement> out;
  for (const XMLElement* world : files.children(files.root(model), "worldbody"))
    for (const XMLElement* xml : files.children(*world))
      out.push_back({xml, attribute_of(*world, "childclass")});
  return out;
}

}  // namespace torsor::mjcf
