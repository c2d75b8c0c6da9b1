#include "torsor/formats/mjcf/defaults.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "torsor/base/error.hpp"

namespace torsor::mjcf {

namespace {

// Bounds the elements of a class and of those around it, and with it the time to read an element of
// the class.
constexpr size_t most_elements = 300;

}  // namespace

Classes::Classes(const Files& files) : files_(files), index_(files.n_models()) {
  for (size_t model = 0; model < files.n_models(); ++model) {
    const int top = int(classes_.size());
    classes_.push_back({-1, nullptr, {}});
    index_[model].emplace("", top);
    index_[model].emplace(files.prefix(model) + "main", top);
    for (const XMLElement* section : files.children(files.root(model), "default")) {
      if (const std::string name = attribute_of(*section, "class"); !name.empty())
        index_[model].emplace(name, top);
      read(*section, top);
    }
  }
  check_sizes();
}

void Classes::check_sizes() const {
  std::vector<size_t> sizes;
  for (const auto& [parent, xml, elements] : classes_) {
    sizes.push_back(elements.size() + (parent < 0 ? 0 : sizes[size_t(parent)]));
    if (sizes.back() > most_elements)
      files_.element(xml ? *xml : *elements.front(), "<default>")
          .fail(fmt::format("its class, with those around it, has more than {} elements; join them",
                            most_elements));
  }
}

void Classes::read(const XMLElement& section, int index) {
  for (const XMLElement* xml : files_.children(section)) {
    if (std::string_view(xml->Name()) != "default") {
      classes_[size_t(index)].elements.push_back(xml);
      continue;
    }
    const xml::Element element = files_.element(*xml, "<default>");
    const std::string name = element.needed_text("class");
    if (name.empty()) element.fail("its class has no name", "class");
    const int inner = int(classes_.size());
    if (!index_[files_.model_of(*xml)].emplace(name, inner).second)
      element.fail(
          fmt::format("there are two classes '{}'; give each its own name", xml::readable(name)),
          "class");
    classes_.push_back({index, xml, {}});
    read(*xml, inner);
  }
}

int Classes::find(size_t model, const std::string& name) const {
  for (size_t k = model; k < index_.size(); ++k)
    if (const auto found = index_[k].find(name); found != index_[k].end() && files_.is_in(k, model))
      return found->second;
  return -1;
}

void Classes::need(const xml::Element& element, const char* attribute) const {
  const size_t model = files_.model_of(element.xml());
  const std::string name = element.needed_text(attribute);
  if (find(model, name) >= 0) return;
  std::vector<std::string> names;
  for (size_t k = model; k < index_.size(); ++k)
    for (const auto& [known, index] : index_[k])
      if (!known.empty() && files_.is_in(k, model)) names.push_back(known);
  std::ranges::sort(names);
  element.fail(fmt::format("there is no class '{}' of defaults{}", xml::readable(name),
                           did_you_mean(name, names)),
               attribute);
}

std::vector<const XMLElement*> Classes::elements(size_t model, const std::string& name,
                                                 std::span<const std::string_view> names) const {
  std::vector<const XMLElement*> out;
  for (int k = find(model, name); k >= 0; k = classes_[size_t(k)].parent) {
    const auto& elements = classes_[size_t(k)].elements;
    for (auto xml = elements.rbegin(); xml != elements.rend(); ++xml)
      if (std::ranges::find(names, (*xml)->Name()) != names.end()) out.push_back(*xml);
  }
  return out;
}

Values::Values(const Files& files, const Classes& classes, const XMLElement& xml,
               const std::string& childclass, std::string owner,
               std::vector<std::string_view> names) {
  sources_.push_back(files.element(xml, owner));
  if (names.empty()) names.emplace_back(xml.Name());
  std::string name = attribute_of(xml, "class");
  if (!name.empty()) classes.need(own(), "class");
  if (name.empty()) name = childclass;
  for (const XMLElement* each : classes.elements(files.model_of(xml), name, names))
    sources_.push_back(files.element(*each, owner));
}

const xml::Element* Values::with(const char* attribute) const {
  for (const xml::Element& element : sources_)
    if (element.has(attribute)) return &element;
  return nullptr;
}

std::string Values::text(const char* attribute, std::string fallback) const {
  const xml::Element* element = with(attribute);
  return element ? element->needed_text(attribute) : fallback;
}

double Values::number(const char* attribute, double fallback) const {
  const xml::Element* element = with(attribute);
  return element ? *element->number(attribute) : fallback;
}

double Values::not_negative(const char* attribute, double fallback) const {
  const xml::Element* element = with(attribute);
  return element ? *element->not_negative(attribute) : fallback;
}

Vec3<double> Values::vector(const char* attribute, const Vec3<double>& fallback) const {
  const xml::Element* element = with(attribute);
  return element ? *element->vector(attribute) : fallback;
}

void Values::overlay(const char* attribute, std::span<double> out) const {
  for (auto element = sources_.rbegin(); element != sources_.rend(); ++element)
    if (element->has(attribute))
      std::ranges::copy(element->list(attribute, out.size()), out.begin());
}

size_t word_of(const xml::Element& element, const char* attribute,
               std::span<const std::string_view> words) {
  const std::string given = element.needed_text(attribute);
  const auto found = std::ranges::find(words, given);
  if (found == words.end())
    element.fail(fmt::format("{} of <{}> is '{}'; it can be {}", attribute, element.xml().Name(),
                             xml::readable(given), fmt::join(words, ", ")),
                 attribute);
  return size_t(found - words.begin());
}

size_t Values::word(const char* attribute, std::span<const std::string_view> words,
                    size_t fallback) const {
  const xml::Element* element = with(attribute);
  return element ? word_of(*element, attribute, words) : fallback;
}

bool Values::flag(const char* attribute, bool fallback) const {
  constexpr std::string_view words[] = {"false", "true"};
  return word(attribute, words, fallback) == 1;
}

std::optional<bool> Values::flag_or_auto(const char* attribute) const {
  constexpr std::string_view words[] = {"false", "true", "auto"};
  const size_t index = word(attribute, words, 2);
  return index == 2 ? std::nullopt : std::optional(index == 1);
}

}  // namespace torsor::mjcf
