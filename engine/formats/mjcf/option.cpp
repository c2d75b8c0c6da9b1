#include "torsor/formats/mjcf/option.hpp"

#include <fmt/format.h>

#include "torsor/formats/mjcf/defaults.hpp"

namespace torsor::mjcf {

namespace {

struct FlagRow {
  const char* attribute;
  std::vector<bool Flags::*> parts;
};
// Rows with several parts come first, so that the flag of one part alone can only add to them.
const FlagRow rows[] = {
    {"constraint", {&Flags::equality, &Flags::frictionloss, &Flags::limit, &Flags::contact}},
    {"passive", {&Flags::spring, &Flags::damper}},
    {"equality", {&Flags::equality}},
    {"frictionloss", {&Flags::frictionloss}},
    {"limit", {&Flags::limit}},
    {"contact", {&Flags::contact}},
    {"spring", {&Flags::spring}},
    {"damper", {&Flags::damper}},
    {"actuation", {&Flags::actuation}},
    {"clampctrl", {&Flags::clampctrl}},
    {"filterparent", {&Flags::filterparent}},
};

bool is_enabled(const xml::Element& flag, const char* attribute) {
  constexpr std::string_view words[] = {"disable", "enable"};
  return word_of(flag, attribute, words) == 1;
}

std::vector<xml::Element> all_flags(const Files& files) {
  std::vector<xml::Element> out;
  for (const XMLElement* xml : files.all("option", "flag"))
    if (files.model_of(*xml) == 0) out.push_back(files.element(*xml, "<flag>"));
  return out;
}

}  // namespace

Flags read_flags(Files& files, bool collisions) {
  Flags out;
  for (size_t model = 1; model < files.n_models(); ++model)
    for (const XMLElement* xml : files.children(files.root(model), "option"))
      files.note(UnusedWord::Kind::ignored, *xml, "<option> of an attached model");
  const std::vector<xml::Element> flags = all_flags(files);
  for (const auto& [attribute, parts] : rows) {
    const xml::Element* last = nullptr;
    for (const xml::Element& flag : flags)
      if (flag.has(attribute)) last = &flag;
    if (!last || is_enabled(*last, attribute)) continue;
    for (const auto part : parts) {
      if (part == &Flags::contact && out.contact && collisions)
        note_switched_off(files, last->xml(), "contacts of the geoms");
      out.*part = false;
    }
  }
  return out;
}

void read_gravity(const Files& files, RobotDescription& robot) {
  for (const XMLElement* xml : files.children(files.root(), "option"))
    if (const auto g = files.element(*xml, "<option>").vector("gravity")) {
      robot.gravity_W = *g;
      robot.gravity_source = files.place(*xml);
    }
  std::optional<xml::Element> last;
  for (const xml::Element& flag : all_flags(files))
    if (flag.has("gravity")) last.emplace(flag);
  if (!last || is_enabled(*last, "gravity")) return;
  robot.gravity_W = Vec3<double>{0, 0, 0};
  robot.gravity_source = last->place();
}

void note_switched_off(Files& files, const XMLElement& xml, const std::string& what) {
  files.note(UnusedWord::Kind::ignored, xml, what + ", which a <flag> switches off");
}

}  // namespace torsor::mjcf
