#include "torsor/formats/mjcf/tree/names.hpp"

#include <fmt/format.h>

#include <optional>

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

constexpr const char* plurals[] = {"bodies", "joints", "geoms", "sites"};
// Bounds the elements in all copies.
constexpr size_t most_copied = 100'000;

std::optional<Named> kind_of(std::string_view element) {
  if (element == "body") return Named::body;
  if (element == "joint" || element == "freejoint") return Named::joint;
  if (element == "geom") return Named::geom;
  if (element == "site") return Named::site;
  return std::nullopt;
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

std::string name_of(const XMLElement& xml, const std::string& suffix) {
  const std::string name = name_of(xml);
  return name.empty() ? name : name + suffix;
}

Names::Names(const Files& files, const Compilers& compilers)
    : files_(files), compilers_(compilers) {
  for (const XMLElement* world : files.children(files.root(), "worldbody")) collect(*world, {});
  for (const auto& [kind, xml] : copied_)
    if (const auto other = names_[size_t(kind)].find(name_of(*xml));
        other != names_[size_t(kind)].end() && other->second != xml)
      fail_twin(kind, other->first, *xml);
  for (const auto& [name, xml] : names_[size_t(Named::body)]) links_.insert(name);
}

void Names::collect(const XMLElement& parent, const Scope& scope) {
  if (scope.depth > deepest)
    files_.document_of(parent).fail(
        parent.GetLineNum(),
        fmt::format("bodies are nested too deeply; at most {} levels are possible", deepest));
  for (const XMLElement* xml : files_.children(parent)) collect_element(*xml, scope);
}

void Names::collect_element(const XMLElement& xml, const Scope& scope) {
  const std::string_view element = xml.Name();
  if (scope.copy.order > 0 && ++n_copied_ > most_copied)
    files_.document_of(xml).fail(
        xml.GetLineNum(), fmt::format("the copies of <replicate> have more than {} elements; give "
                                      "smaller counts",
                                      most_copied));
  if (const auto kind = kind_of(element)) add(*kind, xml, scope.copy);
  if (element == "body" || element == "frame") collect(xml, {scope.copy, scope.depth + 1});
  if (const auto* attached = files_.attached(xml))
    for (const AttachedElement& each : *attached) {
      Copies::Copy copy = scope.copy;
      if (!each.suffix.empty()) copy = {each.suffix + copy.suffix, ++order_};
      collect_element(*each.xml, {copy, scope.depth + 1});
    }
  if (element != "replicate") return;
  for (const Replica& replica : read_replicas(files_, xml, compilers_.of(xml))) {
    ++n_copied_;
    collect(xml, {{replica.suffix + scope.copy.suffix, ++order_}, scope.depth + 1});
  }
}

void Names::add(Named kind, const XMLElement& xml, const Copies::Copy& copy) {
  const std::string name = name_of(xml, copy.suffix);
  if (name.empty()) return;
  xml::read_name(files_.document_of(xml), xml, fmt::format("a <{}>", xml.Name()).c_str());
  const auto [first, is_new] = names_[size_t(kind)].emplace(name, &xml);
  if (!is_new) fail_twin(kind, name, xml);
  if (copy.order == 0) return;
  if (!copies.contains(kind, name_of(xml))) copied_.emplace_back(kind, &xml);
  copies.add(kind, name_of(xml), copy);
}

void Names::fail_twin(Named kind, const std::string& name, const XMLElement& second) const {
  files_.document_of(second).fail(
      second.GetLineNum(),
      fmt::format("there are two {} named '{}', the first at {}; give each its own name",
                  plurals[size_t(kind)], xml::readable(name),
                  files_.place(*names_[size_t(kind)].at(name))));
}

std::string Names::next_body(const XMLElement& xml, const std::string& suffix) {
  ++body_;
  if (std::string name = name_of(xml, suffix); !name.empty()) return name;
  return unique(fmt::format("body{}", body_));
}

std::string Names::next_joint(const XMLElement& xml, const std::string& suffix) {
  ++joint_;
  if (std::string name = name_of(xml, suffix); !name.empty()) return name;
  std::string out = free_name(fmt::format("joint{}", joint_), [&](const std::string& name) {
    return names_[size_t(Named::joint)].contains(name) || generated_joints_.contains(name);
  });
  generated_joints_.insert(out);
  return out;
}

std::string Names::unique_collider(const std::string& name) {
  std::string out = free_name(name, [&](const std::string& each) {
    return links_.contains(each) || colliders_.contains(each);
  });
  colliders_.insert(out);
  return out;
}

std::string Names::unique(const std::string& name) {
  std::string out = free_name(name, [&](const std::string& each) { return links_.contains(each); });
  links_.insert(out);
  return out;
}

}  // namespace torsor::mjcf
