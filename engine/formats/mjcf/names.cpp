#include "torsor/formats/mjcf/names.hpp"

#include <fmt/format.h>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"

namespace torsor::mjcf {

namespace {

constexpr int deepest = 1000;

template <class Taken>
std::string free_name(const std::string& name, const Taken& is_taken) {
  std::string out = name;
  for (int k = 2; is_taken(out); ++k) out = fmt::format("{}_{}", name, k);
  return out;
}

void add(const Files& files, const XMLElement& xml, const char* what,
         std::unordered_map<std::string, const XMLElement*>& names) {
  const std::string name = name_of(xml);
  if (name.empty()) return;
  xml::read_name(files.document_of(xml), xml, fmt::format("a <{}>", xml.Name()).c_str());
  const auto [first, is_new] = names.emplace(name, &xml);
  if (is_new) return;
  files.document_of(xml).fail(
      xml.GetLineNum(), fmt::format("there are two {} named '{}', the first at {}; give each its "
                                    "own name",
                                    what, name, files.place(*first->second)));
}

}  // namespace

std::string name_of(const XMLElement& xml) {
  const char* name = xml.Attribute("name");
  return name ? name : "";
}

std::string owner_of(const XMLElement& xml) {
  const std::string name = name_of(xml);
  return name.empty() ? fmt::format("a {}", xml.Name())
                      : fmt::format("{} '{}'", xml.Name(), xml::readable(name));
}

Names::Names(const Files& files) {
  for (const XMLElement* world : files.children(files.root(), "worldbody"))
    collect(files, *world, 0);
  for (const auto& [name, xml] : bodies_) links_.insert(name);
}

void Names::collect(const Files& files, const XMLElement& parent, int depth) {
  if (depth > deepest)
    files.document_of(parent).fail(
        parent.GetLineNum(),
        fmt::format("bodies are nested too deeply; at most {} levels are possible", deepest));
  for (const XMLElement* xml : files.children(parent)) {
    const std::string_view kind = xml->Name();
    if (kind == "joint" || kind == "freejoint") add(files, *xml, "joints", joints_);
    if (kind == "body") add(files, *xml, "bodies", bodies_);
    if (kind == "body" || kind == "frame") collect(files, *xml, depth + 1);
  }
}

std::string Names::next_body(const XMLElement& xml) {
  ++body_;
  if (std::string name = name_of(xml); !name.empty()) return name;
  return unique(fmt::format("body{}", body_));
}

std::string Names::next_joint(const XMLElement& xml) {
  ++joint_;
  if (std::string name = name_of(xml); !name.empty()) return name;
  std::string out = free_name(fmt::format("joint{}", joint_), [&](const std::string& name) {
    return joints_.contains(name) || generated_joints_.contains(name);
  });
  generated_joints_.insert(out);
  return out;
}

std::string Names::unique(const std::string& name) {
  std::string out = free_name(name, [&](const std::string& each) { return links_.contains(each); });
  links_.insert(out);
  return out;
}

}  // namespace torsor::mjcf
