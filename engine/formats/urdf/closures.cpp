#include "torsor/formats/urdf/closures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "torsor/base/input_file.hpp"
#include "torsor/formats/urdf/origin.hpp"
#include "torsor/formats/urdf/table.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::urdf {

namespace {

using tinyxml2::XMLElement;
using xml::Document, xml::Element, xml::readable, xml::summary;

ClosureDescription named(const Document& document, const XMLElement& xml, const char* what) {
  ClosureDescription out;
  out.name = read_name(document, xml, what);
  out.source = document.at(xml.GetLineNum());
  return out;
}

Element element_of(const Document& document, const XMLElement& xml, const std::string& name) {
  return {document, xml, fmt::format("<{}> '{}'", xml.Name(), name)};
}

ClosureKind read_kind(const Element& element) {
  const std::string word = element.needed_text("type");
  if (word == "continuous") return ClosureKind::revolute;
  if (word == "fixed") return ClosureKind::weld;
  std::vector<std::string> names;
  for (const std::string& name : closure_kind_names())
    if (!traits(*closure_kind(name)).is_linear()) names.push_back(name);
  const auto kind = closure_kind(word);
  if (kind && !traits(*kind).is_linear()) return *kind;
  element.fail(fmt::format("'{}' is not a type of loop joint; it can be {}{}", readable(word),
                           fmt::join(names, ", "), did_you_mean(word, names)),
               "type");
}

// Reads <dynamics> as friction and damping of the joint.
void read_dynamics(const Element& element, ClosureDescription& closure) {
  const auto dynamics = element.child("dynamics");
  if (!dynamics) return;
  const double damping = dynamics->not_negative("damping").value_or(0),
               friction = dynamics->not_negative("friction").value_or(0);
  if (damping == 0 && friction == 0) return;
  const auto kind = traits(closure.kind).joint;
  if (!kind || traits(*kind).n_v != 1 || closure.kind == ClosureKind::universal)
    dynamics->fail("<dynamics> is for a loop joint with one degree of freedom; remove it");
  JointDescription& joint = closure.joint.emplace();
  joint.damping = damping;
  Drive drive{.passive = true};
  if (friction > 0)
    drive.friction = {.law = Friction::Law::coulomb, .coulomb = friction, .breakaway = friction};
  joint.drives = {drive};
}

ClosureDescription read_loop_joint(const Document& document, const XMLElement& xml) {
  ClosureDescription out = named(document, xml, "a <loop_joint>");
  const Element element = element_of(document, xml, out.name);
  out.kind = read_kind(element);
  std::vector<Element> links = element.children("link1");
  for (const Element& link : element.children("link2")) links.push_back(link);
  if (links.size() != 2)
    element.fail(fmt::format("it has {} links; give <link1> and <link2>", links.size()));
  for (size_t k = 0; k < 2; ++k) {
    out.frames[k] = links[k].needed_text("link");
    const Vec3<double> none{0, 0, 0}, rpy = links[k].vector("rpy").value_or(none);
    out.origins[k] = translation(links[k].vector("xyz").value_or(none)) * rotation_z(rpy.z) *
                     rotation_y(rpy.y) * rotation_x(rpy.x);
  }
  if (const auto axis = element.child("axis")) {
    axis->need("xyz");
    out.axes[0] = out.axes[1] = *axis->vector("xyz");
  }
  for (const char* parameter : {"pitch", "length"})
    if (const auto value = element.number(parameter)) {
      if (traits(out.kind).parameter != parameter)
        element.fail(
            fmt::format("a {} loop joint has no {}; remove it", traits(out.kind).name, parameter),
            parameter);
      out.parameter = value;
    }
  read_dynamics(element, out);
  return out;
}

// Reads a <gear>, <rack> or <cable>.
ClosureDescription read_coupling(const Document& document, const XMLElement& xml,
                                 ClosureKind kind) {
  ClosureDescription out = named(document, xml, "a coupling");
  out.kind = kind;
  const Element element = element_of(document, xml, out.name);
  out.offset = element.number("offset").value_or(0);
  if (kind == ClosureKind::cable) {
    for (const Element& pulley : element.children("pulley")) {
      pulley.need("radius");
      out.joints.push_back(pulley.needed_text("joint"));
      out.radii.push_back(*pulley.number("radius"));
    }
    return out;
  }
  out.joints = {element.needed_text("joint"), element.needed_text("of")};
  const std::string parameter(traits(kind).parameter);
  out.parameter = element.number(parameter.c_str());
  if (element.has("carrier")) out.carrier = element.needed_text("carrier");
  return out;
}

}  // namespace

void read_loop_joints(const Document& document, const XMLElement& parent, RobotDescription& robot) {
  for (auto xml = parent.FirstChildElement("loop_joint"); xml;
       xml = xml->NextSiblingElement("loop_joint"))
    robot.closures.push_back(read_loop_joint(document, *xml));
}

std::filesystem::path closures_file(const std::filesystem::path& robot_file) {
  return std::filesystem::path(robot_file).replace_extension(".closures.xml");
}

void read_closures_file(const Document& robot_file, const RobotFileOptions& options,
                        RobotDescription& robot) {
  if (std::filesystem::path(robot_file.name()).extension() != ".urdf") return;
  const std::filesystem::path file = closures_file(robot_file.name());
  if (!std::filesystem::is_symlink(file) && !std::filesystem::exists(file)) return;
  if (!may_read(resolved(file), {file.string(), robot_file.at(1), true}, options.meshes))
    robot_file.fail(1, fmt::format("its file of closures '{}' is a link to a file that may not be "
                                   "read; replace it by the file",
                                   file.string()));
  if (options.meshes.found_file) options.meshes.found_file(file);
  const Document document(file, closures_file_type(), options.strict);
  const XMLElement& root = document.root();
  read_loop_joints(document, root, robot);
  for (const ClosureKind kind : {ClosureKind::gear, ClosureKind::rack, ClosureKind::cable}) {
    const std::string word(traits(kind).name);
    for (auto xml = root.FirstChildElement(word.c_str()); xml;
         xml = xml->NextSiblingElement(word.c_str()))
      robot.closures.push_back(read_coupling(document, *xml, kind));
  }
  if (const std::string words = summary(document.unused()); !words.empty())
    robot.warnings.push_back(words);
  robot.unused.insert(robot.unused.end(), document.unused().begin(), document.unused().end());
}

}  // namespace torsor::urdf
