#include "torsor/formats/urdf/transmissions.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <unordered_map>

namespace torsor::urdf {

namespace {

using tinyxml2::XMLElement;
using xml::Document, xml::Element, xml::readable;

bool is_simple(const XMLElement& transmission) {
  const XMLElement* child = transmission.FirstChildElement("type");
  const char* type = child ? child->GetText() : transmission.Attribute("type");
  return type && std::string_view(type).find("SimpleTransmission") != std::string_view::npos;
}

std::optional<Element> with_value(const Element& actuator, const char* name) {
  const auto child = actuator.child(name);
  if (child) child->need("value");
  return child;
}

// Returns a motor with the rotor of a transmission, or nullopt if it states none. The gear ratio N
// may be negative: the armature of the joint is N^2 times the inertia.
std::optional<Motor> read_motor(const Document& document, const XMLElement& transmission) {
  const XMLElement* xml = transmission.FirstChildElement("actuator");
  if (!xml || !is_simple(transmission)) return std::nullopt;
  const Element actuator(document, *xml, "<transmission>");
  const auto inertia = with_value(actuator, "drake:rotor_inertia"),
             ratio = with_value(actuator, "drake:gear_ratio");
  Motor out;
  out.rotor_inertia = inertia ? inertia->not_negative("value").value_or(0) : 0;
  out.gear_ratio = ratio ? ratio->number("value").value_or(1) : 1;
  if (out.rotor_inertia == 0) return std::nullopt;
  if (out.gear_ratio == 0) actuator.fail("<drake:gear_ratio> must not be 0");
  return out;
}

}  // namespace

void read_rotors(Document& document, RobotDescription& robot) {
  using enum UnusedWord::Kind;
  std::unordered_map<std::string, JointDescription*> joints;
  for (LinkDescription& link : robot.links)
    if (!link.joint.name.empty()) joints.emplace(link.joint.name, &link.joint);
  for (auto xml = document.root().FirstChildElement("transmission"); xml;
       xml = xml->NextSiblingElement("transmission")) {
    const auto motor = read_motor(document, *xml);
    const auto note = [&](UnusedWord::Kind kind, std::string what) {
      document.note({kind, std::move(what), document.name(), xml->GetLineNum()});
    };
    if (!motor) {
      note(ignored, "<transmission>");
      continue;
    }
    const XMLElement* named = xml->FirstChildElement("joint");
    const char* name = named ? named->Attribute("name") : nullptr;
    const auto found = joints.find(name ? name : "");
    if (found == joints.end()) {
      note(unsupported, fmt::format("<drake:rotor_inertia> of '{}', which is not a joint,",
                                    readable(name ? name : "")));
      continue;
    }
    JointDescription& joint = *found->second;
    if (traits(joint.kind).n_v != 1) {
      note(joint.kind == JointKind::fixed ? ignored : unsupported,
           fmt::format("<drake:rotor_inertia> of a {} joint", traits(joint.kind).name));
      continue;
    }
    if (joint.drives.empty()) joint.drives.emplace_back();
    if (joint.drives[0].motor.rotor_inertia != 0)
      document.fail(xml->GetLineNum(),
                    fmt::format("joint '{}' has a second <drake:rotor_inertia>; remove one of them",
                                joint.name));
    joint.drives[0].motor = *motor;
  }
}

}  // namespace torsor::urdf
