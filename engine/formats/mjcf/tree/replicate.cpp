#include "torsor/formats/mjcf/tree/replicate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "torsor/base/error.hpp"

namespace torsor::mjcf {

namespace {

// Bounds the copies of a <replicate>, and in all those of elements that refer to copies.
constexpr int most_copies = 100'000;

int read_count(const xml::Element& element) {
  element.need("count");
  const double count = *element.number("count");
  if (count < 0 || count != std::floor(count) || count > most_copies)
    element.fail(fmt::format("count of <replicate> is {}; it must be a whole number from 0 to {}",
                             count, most_copies),
                 "count");
  return int(count);
}

}  // namespace

std::vector<Replica> read_replicas(const Files& files, const XMLElement& xml,
                                   const Compiler& compiler) {
  const xml::Element element = files.element(xml, "<replicate>");
  const int count = read_count(element);
  const size_t digits = fmt::format("{}", count).size();
  const Vec3<double> none{0, 0, 0};
  const Vec3<double> offset = element.vector("offset").value_or(none),
                     euler = element.vector("euler").value_or(none);
  const std::string separator = element.has("sep") ? element.needed_text("sep") : "";
  std::vector<Replica> out;
  Vec3<double> p = none;
  for (int k = 0; k < count; ++k) {
    const Mat3<double> R = euler_rotation(double(k) * euler, compiler);
    out.push_back({fmt::format("{}{:0{}}", separator, k, digits), {R, p}});
    p += R * offset;
  }
  return out;
}

void Copies::add(Named kind, const std::string& name, Copy copy) {
  copies_[{kind, name}].push_back(std::move(copy));
}

bool Copies::contains(Named kind, const std::string& name) const {
  return copies_.contains({kind, name});
}

std::vector<Copies::Copy> Copies::of(Files& files, const xml::Element& element,
                                     std::initializer_list<Reference> references) {
  std::vector<std::pair<Named, std::string>> names;
  for (const auto& [kind, attribute] : references)
    if (element.has(attribute)) names.emplace_back(kind, element.needed_text(attribute));
  return of(files, element, names);
}

std::vector<Copies::Copy> Copies::of(Files& files, const xml::Element& element,
                                     const std::vector<std::pair<Named, std::string>>& names) {
  const std::vector<Copy>* first = nullptr;
  for (const auto& name : names)
    if (const auto found = copies_.find(name); found != copies_.end()) first = &found->second;
  if (!first) return {Copy{}};
  std::vector<Copy> out = *first;
  for (const auto& name : names) {
    if (name.second.empty() || name == std::pair(Named::body, std::string("world"))) continue;
    const auto found = copies_.find(name);
    std::vector<Copy> common;
    if (found != copies_.end())
      std::ranges::set_intersection(out, found->second, std::back_inserter(common), {},
                                    &Copy::order, &Copy::order);
    out = std::move(common);
  }
  if (out.empty() && !first->empty())
    files.note(
        UnusedWord::Kind::unsupported, element.xml(),
        fmt::format("<{}> between copies of <replicate> and other elements", element.xml().Name()));
  if ((made_ += out.size()) > most_copies)
    element.fail(
        fmt::format("elements that refer to copies of <replicate> have more than {} copies; "
                    "give smaller counts",
                    most_copies));
  return out;
}

}  // namespace torsor::mjcf
