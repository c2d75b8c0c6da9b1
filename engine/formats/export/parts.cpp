#include "torsor/formats/export/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "torsor/base/text.hpp"
#include "torsor/formats/export/numbers.hpp"

namespace torsor::exporting {

namespace fs = std::filesystem;

namespace {

bool is_url(const std::string& file) {
  return file.find("://") != std::string::npos;
}

// Returns the folder of a source "FILE:LINE".
fs::path folder_of(const std::string& source) {
  const size_t colon = source.rfind(':');
  return fs::path(source.substr(0, colon)).parent_path();
}

// Returns a name for files: other characters than letters, digits, '-' and '_' become '_'.
std::string file_stem(std::string name) {
  for (char& c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'))
      c = '_';
  return name;
}

}  // namespace

std::string mesh_name(const MeshFile& mesh, const fs::path& folder) {
  if (is_url(mesh.file) || fs::path(mesh.file).is_absolute()) return mesh.file;
  const fs::path from = fs::absolute(folder_of(mesh.source) / mesh.file).lexically_normal();
  const fs::path base = fs::absolute(folder.empty() ? "." : folder).lexically_normal();
  const fs::path relative = from.lexically_proximate(base);
  return relative.generic_string();
}

std::string add_hull(const ConvexHull& hull, const std::string& name, const Target& target,
                     std::vector<ExportedFile>& files) {
  std::string text = "# A convex hull, written by torsor export.\n";
  for (const Vec3<double>& v : hull.vertices) text += "v " + numbers(v, " ") + "\n";
  for (size_t f = 0; f < hull.n_face(); ++f) {
    text += "f";
    for (const uint32_t corner : hull.face(f)) text += fmt::format(" {}", corner + 1);
    text += "\n";
  }
  const fs::path folder = target.file.stem().string() + "_meshes";
  std::string stem = file_stem(name);
  const auto taken = [&](const fs::path& file) {
    return std::ranges::find(files, file, &ExportedFile::name) != files.end();
  };
  fs::path file = folder / (stem + ".obj");
  for (int k = 2; taken(file); ++k) file = folder / fmt::format("{}_{}.obj", stem, k);
  files.push_back({file, std::move(text)});
  return file.generic_string();
}

LinearFriction linear_friction(const LinkDescription& link, size_t dof, Ledger& ledger) {
  const JointDescription& joint = link.joint;
  const std::string subject = dof_subject(link, dof);
  LinearFriction out{joint.damping.of(int(dof)), 0};
  ledger.written(Feature::damping, subject);
  if (dof >= joint.drives.size()) return out;
  const Drive& drive = joint.drives[dof];
  const auto include = [&](const Friction& friction) {
    if (friction.law == Friction::Law::none) return;
    out.damping += friction.viscous;
    out.coulomb += friction.coulomb;
  };
  include(drive.friction);
  ledger.written(Feature::coulomb, subject);
  ledger.changed(Feature::viscous, subject, "written as part of the damping", Effect::nothing);
  ledger.changed(Feature::friction_law, subject, "written as Coulomb friction", Effect::forces);
  ledger.changed(Feature::breakaway, subject,
                 fmt::format("not written: the Coulomb friction {} acts at rest too",
                             number(drive.friction.coulomb)),
                 Effect::forces);
  if (drive.elasticity) return out;
  const Friction& motor = drive.motor.friction;
  include(motor);
  const bool exact = motor.law == Friction::Law::coulomb && motor.breakaway == motor.coulomb;
  ledger.changed(Feature::motor_friction, subject, "written as part of the friction of the joint",
                 exact ? Effect::nothing : Effect::forces);
  return out;
}

double total_armature(const LinkDescription& link, size_t dof, Ledger& ledger) {
  const JointDescription& joint = link.joint;
  const std::string subject = dof_subject(link, dof);
  ledger.written(Feature::armature, subject);
  double out = joint.armature.of(int(dof));
  if (dof >= joint.drives.size() || joint.drives[dof].elasticity) return out;
  const char* const how = "written as part of the armature";
  ledger.changed(Feature::rotor_inertia, subject, how, Effect::nothing);
  ledger.changed(Feature::gear_ratio, subject,
                 "not written: the torques of the motor are those at the joint", Effect::nothing);
  ledger.changed(Feature::rotor_body, subject, how, Effect::structure);
  return out + joint.drives[dof].motor.inertia();
}

std::string drake_rotor_note(const char* format) {
  return fmt::format(
      "written as <drake:rotor_inertia>, which Drake and Torsor read; {} itself has none", format);
}

Rotor drake_rotor(const LinkDescription& link, const char* format, Ledger& ledger) {
  const JointDescription& joint = link.joint;
  const std::string subject = joint_subject(link), how = drake_rotor_note(format);
  ledger.changed(Feature::armature, subject, how, Effect::nothing);
  const Motor motor =
      joint.drives.empty() || joint.drives[0].elasticity ? Motor{} : joint.drives[0].motor;
  if (joint.armature.of(0) != 0 || motor.rotor_inertia == 0)
    return {total_armature(link, 0, ledger), 1};
  ledger.changed(Feature::rotor_inertia, subject, how, Effect::nothing);
  ledger.written(Feature::gear_ratio, subject);
  ledger.changed(Feature::rotor_body, subject, "written as an inertia about the axis of the joint",
                 Effect::structure);
  return {motor.rotor_inertia, motor.gear_ratio};
}

double rotor_of_closure(const JointDescription& joint) {
  const bool is_rigid = !joint.drives.empty() && !joint.drives[0].elasticity;
  return joint.armature.of(0) + (is_rigid ? joint.drives[0].motor.inertia() : 0);
}

bool check_inertia(const LinkDescription& link, Ledger& ledger) {
  const SpatialInertia<double>& M = link.inertia;
  ledger.changed(Feature::grouped, link_subject(link),
                 "written as the inertia of a body, which may be impossible", Effect::nothing);
  if (M.m > 0 || is_zero(M.h)) return true;
  ledger.note("first moment without mass", link_subject(link),
              "not written: the format has the inertia about the centre of mass",
              Effect::structure);
  return false;
}

std::unordered_map<std::string, LinearCondition> linear_conditions(const RobotDescription& robot) {
  const auto is_linear = [](const ClosureDescription& closure) {
    return torsor::traits(closure.kind).is_linear();
  };
  std::unordered_map<std::string, LinearCondition> out;
  if (std::ranges::none_of(robot.closures, is_linear)) return out;
  const auto model = build(robot);
  for (const Closure& closure : model->closures) {
    if (!torsor::traits(closure.kind).is_linear()) continue;
    LinearCondition& condition = out[closure.name];
    condition.offset = closure.parameter;
    for (const ClosureTerm& term : closure.terms)
      condition.terms.emplace_back(model->joint_of_dof(term.dof).name, term.factor);
  }
  return out;
}

std::vector<const LinkDescription*> depth_first(const RobotDescription& robot) {
  std::unordered_map<std::string, std::vector<const LinkDescription*>> children;
  for (const LinkDescription& link : robot.links) children[link.parent].push_back(&link);
  std::vector<const LinkDescription*> out, stack;
  const auto push = [&](const std::string& parent) {
    const auto& own = children[parent];
    stack.insert(stack.end(), own.rbegin(), own.rend());
  };
  for (push(""); !stack.empty();) {
    out.push_back(stack.back());
    stack.pop_back();
    push(out.back()->name);
  }
  return out;
}

std::vector<std::string> dof_order(const RobotDescription& robot) {
  if (!robot.dof_order.empty()) return robot.dof_order;
  std::vector<std::string> out;
  for (const LinkDescription& link : robot.links)
    if (link.joint.kind != JointKind::fixed) out.push_back(link.joint.name);
  return out;
}

tinyxml2::XMLElement& add(tinyxml2::XMLNode& parent, const char* name) {
  tinyxml2::XMLElement* const out = parent.GetDocument()->NewElement(name);
  parent.InsertEndChild(out);
  return *out;
}
void set(tinyxml2::XMLElement& element, const char* attribute, const std::string& value) {
  element.SetAttribute(attribute, value.c_str());
}
void set(tinyxml2::XMLElement& element, const char* attribute, double value) {
  set(element, attribute, number(value));
}

// Comments of XML cannot contain "--".
void add_comment(tinyxml2::XMLDocument& xml, const std::string& text) {
  std::string safe = " " + one_line(text) + " ";
  while (safe.find("--") != std::string::npos) safe = replaced(safe, "--", "- -");
  xml.InsertFirstChild(xml.NewComment(safe.c_str()));
  xml.InsertFirstChild(xml.NewDeclaration());
}
std::string text_of(tinyxml2::XMLDocument& xml) {
  tinyxml2::XMLPrinter printer;
  xml.Print(&printer);
  return printer.CStr();
}

bool is_passive(const LinkDescription& link, size_t dof) {
  const JointDescription& joint = link.joint;
  return joint.drives.empty() ? !has_motors_by_default(joint.kind, link.parent.empty())
                              : joint.drives[dof].passive;
}

}  // namespace torsor::exporting
